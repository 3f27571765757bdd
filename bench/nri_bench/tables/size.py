"""The table of ``nri bench size``: seconds and memory as they are, and as ratios."""

from collections.abc import Sequence

from nri_bench.run import Row
from nri_bench.tables.cell import NO_ROWS, markdown
from nri_bench.tables.frame import label_of

_OTHERS = ("duckdb", "tree", "xgboost")
_NAMES = {"duckdb": "one aggregate by DuckDB"}
_DASH = "–"  # noqa: RUF001  # a dash as a table sets it


def size_table(rows: Sequence[Row]) -> str:
    """Write a line for each table: what the command took, what it found, and what others took."""
    if not rows:
        return NO_ROWS
    found = {(str(row["table"]), int(row["M"]), int(row["N"]), str(row["method"])): row for row in rows}
    tables = dict.fromkeys(key[:3] for key in found)
    lines = []
    for table, n_rows, n_columns in sorted(tables, key=lambda key: (key[0] != "planted", key[0], key[1:])):
        own = found.get((table, n_rows, n_columns, "nri"))
        others = [found.get((table, n_rows, n_columns, name)) for name in _OTHERS]
        lines.append([table, f"{n_rows:,}".replace(",", " "), str(n_columns), *_own(own)])
        lines[-1] += [_ratio(own, other) for other in others]
        lines[-1] += [_percent(own), *(_percent(other) for other in others[1:])]
    header = ["table", "rows", "columns", "CPU s", "MB", "planted rule"]
    header += [f"CPU s / {_NAMES.get(name, label_of(name))}" for name in _OTHERS]
    header += ["accuracy", *(f"{label_of(name)}" for name in _OTHERS[1:])]
    caption = (
        "User and system seconds and peak memory of `nri induce` as a process of its own, start included, "
        "on one core; accuracy in % on 100 000 fresh rows, those of planted rules without noise. "
        "A ratio below 1 means that the other one takes longer. Aggregate: the sum of every column, "
        "of texts that of their lengths, by DuckDB in a process of its own."
    )
    return f"{markdown(header, lines)}\n{caption}\n"


def _own(row: Row | None) -> list[str]:
    if row is None:
        return [_DASH] * 3
    if row["status"] != "ok":
        return [str(row["status"]), _DASH, _DASH]
    equal = {True: "exact", False: "other", None: _DASH}[row.get("equal")]
    return [f"{row['cpu_seconds']:.1f}", f"{row['process_mb']:.0f}", equal]


def _ratio(own: Row | None, other: Row | None) -> str:
    if own is None or other is None or {own["status"], other["status"]} != {"ok"}:
        return _DASH
    return f"{own['cpu_seconds'] / other['cpu_seconds']:.2g}"


def _percent(row: Row | None) -> str:
    if row is None or row["status"] != "ok" or row.get("accuracy") is None:
        return _DASH
    return f"{100 * row['accuracy']:.2f}"
