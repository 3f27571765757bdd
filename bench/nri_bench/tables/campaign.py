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
    lines = []
    for part, name in PARTS.items():
        own = rows[rows["part"] == part]
        if len(own):
            lines.append([name, *(_number(own[count].sum()) for count in COUNTS)])
    through = _number(rows["rows"].sum())
    caption = f"{through} rows of tables went through each engine of the exports."
    return f"{markdown(['what', *COUNTS], lines)}\n{caption}\n"


def _number(count: float) -> str:
    return f"{count:,.0f}".replace(",", " ")
