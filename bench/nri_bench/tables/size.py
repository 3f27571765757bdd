"""The table of ``nri bench size``: seconds and memory as they are, and as ratios."""

from collections.abc import Mapping, Sequence

from nri_bench.run import Row
from nri_bench.tables.cell import NO_ROWS, markdown
from nri_bench.tables.frame import label_of

_OTHERS = ("duckdb", "tree", "xgboost")
_NAMES = {"duckdb": "one aggregate by DuckDB"}
_DASH = "–"  # noqa: RUF001  # a dash as a table sets it


_Key = tuple[str, int, int]


def size_table(rows: Sequence[Row]) -> str:
    """Write what the command took on each table beside others, what memory takes, and what either finds."""
    if not rows:
        return NO_ROWS
    found: dict[_Key, dict[str, Row]] = {}
    for row in rows:
        key = (str(row["table"]), int(row["M"]), int(row["N"]))
        found.setdefault(key, {})[str(row["method"])] = row
    ordered = sorted(found.items(), key=lambda one: (one[0][0] != "planted", one[0]))
    parts = (_by_command(ordered), _in_memory(ordered), _either_way(ordered), _predictions(ordered))
    return "\n".join(part for part in parts if part)


_Rows = Sequence[tuple[_Key, Mapping[str, Row]]]


def _by_command(found: _Rows) -> str:
    """Write a line for each table: what the command took, what it found, and what others took."""
    lines = []
    for key, methods in found:
        own = methods.get("nri")
        others = [methods.get(name) for name in _OTHERS]
        if own is None and not any(others):
            continue
        lines.append([*_named(key), *_own(own)])
        lines[-1] += [_ratio(own, other) for other in others]
        lines[-1] += [_percent(own), *(_percent(other) for other in others[1:])]
        lines[-1] += [_percent(own, "right_on_all")]
    header = ["table", "rows", "columns", "CPU s", "MB", "planted rule"]
    header += [f"CPU s / {_NAMES.get(name, label_of(name))}" for name in _OTHERS]
    header += [
        "accuracy",
        *(f"{label_of(name)}" for name in _OTHERS[1:]),
        "all rows",
    ]
    caption = (
        "User and system seconds and peak memory of `nri induce` as a process of its own, start included, "
        "on one core; accuracy in % on 100 000 fresh rows, those of planted rules without noise, and for "
        "public sets on the third of their rows that was kept back. "
        "A ratio below 1 means that the other one takes longer. Aggregate: the sum of every column, "
        "of texts that of their lengths, by DuckDB in a process of its own. All rows: the share of them that "
        "the rule predicts."
    )
    return f"{markdown(header, lines)}\n{caption}\n" if lines else ""


def _in_memory(found: _Rows) -> str:
    """Write what it takes to read a table into memory, and to fit it there."""
    lines = []
    for key, methods in found:
        command, fit = methods.get("nri-memory"), methods.get("nri-fit")
        if key[0] == "planted" and (command or fit):
            alone = [_number(fit, "fit_cpu_seconds", ".1f"), _number(fit, "fit_mb", ".0f")]
            lines.append([*_named(key), *_own(command)[:2], *alone])
    header = ["table", "rows", "columns", "CPU s", "MB", "CPU s of `fit`", "MB of `fit`"]
    caption = (
        "`nri induce --engine memory` as above; `NRIClassifier().fit` on a DataFrame that is there, imports "
        "not counted, and the memory that it takes beyond them."
    )
    return f"{markdown(header, lines)}\n{caption}\n" if lines else ""


def _either_way(found: _Rows) -> str:
    """Write how rules of public sets do that were found in memory and by DuckDB."""
    lines = []
    for key, methods in found:
        memory, engine = methods.get("nri-memory"), methods.get("nri-duckdb")
        if key[0] == "planted" or memory is None or engine is None:
            continue
        gain = _DASH
        if {memory["status"], engine["status"]} == {"ok"}:
            gain = f"{100 * (engine['accuracy'] - memory['accuracy']):+.2f}"
        lines.append([*_named(key), _percent(memory), _percent(engine), gain])
    header = ["public set", "rows", "columns", "in memory", "by DuckDB", "difference"]
    caption = "Accuracy in % on the third of the rows that was kept back, of rules from the others."
    return f"{markdown(header, lines)}\n{caption}\n" if lines else ""


def _predictions(found: _Rows) -> str:
    """Say what streamed predictions took, and whether memory says the same."""
    lines = []
    for key, methods in found:
        row = methods.get("nri-predict")
        if row is not None and row["status"] == "ok":
            same = "every row has" if row["equal"] else "not every row has"
            lines.append(
                f"`nri predict` streamed {_named(key)[1]} rows in {row['cpu_seconds']:.0f} CPU s and "
                f"{row['process_mb']:.0f} MB; {same} the class and the probability that memory gives it."
            )
    return "\n".join(lines) + "\n" if lines else ""


def _named(key: _Key) -> list[str]:
    return [key[0], f"{key[1]:,}".replace(",", " "), str(key[2])]


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


def _percent(row: Row | None, value: str = "accuracy") -> str:
    if row is None or row["status"] != "ok" or row.get(value) is None:
        return _DASH
    return f"{100 * row[value]:.2f}"


def _number(row: Row | None, value: str, written: str) -> str:
    return _DASH if row is None or row["status"] != "ok" else format(row[value], written)
