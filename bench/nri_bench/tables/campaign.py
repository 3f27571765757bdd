"""What the campaign against NRI counted (``make fuzz``), over all its runs."""

import json
from pathlib import Path

import pandas as pd

from nri_bench.tables.cell import NO_ROWS, markdown

PARTS = {
    "fits": "fits of classifiers and regressors",
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
    """Sum the rows of all runs, a line for each part of the campaign; rounds drawn again are told below."""
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
            f"\nEvery finding was mended, and the round that it came from drawn again: "
            f"{_number(again['tried'].sum())} cases, {left} findings."
        )
    return f"{markdown(['what', *COUNTS], lines)}\n{caption}\n"


def _number(count: float) -> str:
    return f"{count:,.0f}".replace(",", " ")
