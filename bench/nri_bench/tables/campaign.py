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
COUNTS = ("tried", "ok", "refused", "foreign", "hung", "different")


def campaign_table(path: Path) -> str:
    """Sum the rows of all runs, a line for each part of the campaign."""
    if not path.exists():
        return NO_ROWS
    rows = pd.DataFrame(map(json.loads, path.read_text(encoding="utf-8").splitlines()))
    sums = rows.groupby("part")[[*COUNTS, "rows"]].sum()
    lines = [
        [PARTS[part], *map(_number, sums.loc[part, list(COUNTS)])] for part in PARTS if part in sums.index
    ]
    through = _number(sums.loc["exports", "rows"]) if "exports" in sums.index else "0"
    commits = ", ".join(dict.fromkeys(rows["commit"]))
    caption = f"Through each engine went {through} rows. Commits: {commits}."
    return f"{markdown(['what', *COUNTS], lines)}\n{caption}\n"


def _number(count: float) -> str:
    return f"{count:,.0f}".replace(",", " ")
