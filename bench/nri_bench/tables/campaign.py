"""What the campaign against NRI (``make fuzz``) counted over all its runs, and the last ``make soak``."""

import json
from pathlib import Path

import pandas as pd

from nri_bench.tables.cell import NO_ROWS, markdown

PARTS = {
    "fits": "fits of classifiers and regressors",
    "relations": "two tables that mean the same",
    "survival": "rules for survival",
    "systems": "systems from transitions",
    "exports": "rules in Python, SQLite, DuckDB, clingo, JSON",
    "commands": "command lines",
    "server": "requests to the page's server",
    "tables": "damaged tables",
    "large": "damaged tables that go by DuckDB",
    "rules": "damaged rule files",
    "weights": "damaged checkpoints, cards, networks",
}
FINDINGS = ("foreign", "hung", "different")
COUNTS = ("tried", "ok", "refused", *FINDINGS)


def campaign_table(path: Path) -> str:
    """Sum the rows of all runs, a line for each part of the campaign; rounds drawn again stand below."""
    if not path.exists():
        return NO_ROWS
    every = pd.DataFrame(map(json.loads, path.read_text(encoding="utf-8").splitlines()))
    is_again = every["again"].notna() if "again" in every else pd.Series(False, index=every.index)
    rows, again = every[~is_again], every[is_again]
    lines = []
    for part, name in PARTS.items():
        own = rows[rows["part"] == part]
        if len(own):
            lines.append([name, *(_number(own[count].sum()) for count in COUNTS)])
    through = _number(rows["rows"].sum())
    caption = f"{through} rows of tables went through each engine of the exports."
    if len(again):
        left = _number(again[list(FINDINGS)].to_numpy().sum())
        caption += (
            f"\nRounds of cases that were drawn again after a finding in them was fixed: "
            f"{_number(again['tried'].sum())} cases, {left} findings."
        )
    return f"{markdown(['what', *COUNTS], lines)}\n{caption}\n"


def soak_line(path: Path) -> str:
    """Write the last row of ``make soak`` as a sentence."""
    if not path.exists():
        return NO_ROWS
    row = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
    count = {name: _number(value) for name, value in row.items() if isinstance(value, int)}
    return (
        f"{count['visitors']} visitors for {row['minutes']:g} minutes: {count['requests']} requests, "
        f"{count['failed']} answers of 5xx, {count['edits']} edits and {count['lost']} lost over a kill and "
        f"a restart, {count['told_place']} times the page showed a place in the queue, {count['left']} files "
        f"left behind; half of {count['small']} small requests took at most {count['p50_ms']} ms, 99 % "
        f"at most {count['p99_ms']} ms; memory of the server at most {count['megabytes']} MB "
        f"(commit {row['commit']}).\n"
    )


def _number(count: float) -> str:
    return f"{count:,.0f}".replace(",", " ")
