"""Target: the column to be explained, as class indices, and the rows where it is known."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from nri.episode import BoolArray, IntArray
from nri.errors import InputError
from nri.rule import Kind
from nri.rule.column import Column
from nri.rule.labels import Label, as_label
from nri.table.cells import read_cells
from nri.table.coerce import coerce
from nri.table.columns import nearest
from nri.table.rounding import plain_number

MAX_CLASSES = 20
"""More classes than this are no classes but names, counts or measurements."""
_MAX_UNREPEATED = 10
"""So many at most if they are numbers with fractions, or most of them occur once."""

_COMPARISON = re.compile(r"\s*(<=|>=|==|!=|<|>|=)\s*")


@dataclass(frozen=True, eq=False)
class TargetedTable:
    """A table without its target column, and the target as class indices."""

    features: pd.DataFrame
    """the other columns, at the rows whose target is known"""
    codes: IntArray
    """[M], class indices"""
    classes: tuple[Label, ...]
    """sorted; ``(False, True)`` if the target is a comparison"""
    name: str
    """the target as the caller wrote it"""
    dropped: int
    """rows left out because their target is missing"""


def take_target(frame: pd.DataFrame, target: str, *, max_classes: int = MAX_CLASSES) -> TargetedTable:
    """Split a table into features and target; rows without a target are dropped.

    Parameters
    ----------
    frame : DataFrame
        As :func:`nri.table.frame.as_frame` makes it.
    target : str
        A column, or a comparison of a column such as ``"price > 100"`` or ``"colour = red"``, which is
        true or false in each row.
    max_classes : int
        More distinct values than this are refused.

    Raises
    ------
    InputError
        If there is no such column, no row has a target, there is one class only, or too many.

    Examples
    --------
    >>> table = take_target(pd.DataFrame({"price": [50, 150, None], "size": [1, 2, 3]}), "price > 100")
    >>> table.codes.tolist(), table.classes, table.dropped
    ([0, 1], (False, True), 1)
    """
    column, series = read_target(frame, target)
    codes, classes = encode_target(series, max_classes=max_classes)
    features = frame.drop(columns=column)
    if not features.shape[1]:
        raise InputError(f"the table has no column but {column!r}; give columns to explain it by")
    known = codes >= 0
    return TargetedTable(features[known], codes[known], classes, target, int((~known).sum()))


def read_target(frame: pd.DataFrame, target: str) -> "tuple[str, pd.Series[Any]]":
    """Return the column that a target speaks about, and the target's cells: true or false if it compares.

    >>> column, cells = read_target(pd.DataFrame({"price": [50, 150]}), "price > 100")
    >>> column, cells.tolist()
    ('price', [False, True])
    """
    column, comparison = _find_column(frame, target)
    series = frame[column]
    if comparison is not None:
        series = comparison.of(series)
    return column, series.rename(target)


def encode_target(
    series: "pd.Series[Any]", *, max_classes: int = MAX_CLASSES
) -> tuple[IntArray, tuple[Label, ...]]:
    """Return the class index of each row, -1 where the target is missing, and the classes in order.

    >>> encode_target(pd.Series(["yes", "no", None, "yes"], name="flu"))
    (array([ 1,  0, -1,  1]), ('no', 'yes'))
    """
    name = str(series.name)
    column = read_cells(series)
    if column.kind is Kind.DATE:
        column = coerce(column, Kind.TEXT, name)
    if not column.known.any():
        raise InputError(
            f"no row is left: target {name!r} is missing in all {len(column)} rows; choose another target"
        )
    distinct, inverse = np.unique(column.values[column.known], return_inverse=True)
    _refuse_one_class(distinct, name, int(column.known.sum()))
    _refuse_many_classes(column, distinct, name, max_classes)
    codes = np.full(len(column), -1, dtype=np.int64)
    codes[column.known] = inverse
    return codes, tuple(_label(value) for value in distinct)


def class_index(classes: Sequence[Label], wanted: str | Label) -> int:
    """Return the index of a class that a person named, e.g. on the command line.

    >>> class_index((0, 1), "1")
    1
    """
    for index, label in enumerate(classes):
        if label == wanted and isinstance(label, bool) == isinstance(wanted, bool):
            return index
    texts = [str(label) for label in classes]
    for spelled in (texts, [text.lower() for text in texts]):
        key = str(wanted) if spelled is texts else str(wanted).lower()
        if spelled.count(key) == 1:
            return spelled.index(key)
    raise InputError(f"the target has no class {wanted!r}; choose one of {_listed(classes)}")


def alike_classes(classes: Sequence[Label]) -> str:
    """Return a remark if class labels differ only in case or spaces, and are perhaps the same; else nothing.

    >>> alike_classes(("Yes", "no", "yes"))
    "the classes 'Yes', 'yes' differ only in case or spaces; write them alike if they are one"
    """
    spelled: dict[str, list[str]] = {}
    for label in classes:
        if isinstance(label, str):
            spelled.setdefault(" ".join(label.split()).casefold(), []).append(label)
    alike = [repr(label) for group in spelled.values() if len(group) > 1 for label in group]
    if not alike:
        return ""
    shown = ", ".join(alike[:6]) + (", ..." if len(alike) > 6 else "")
    return f"the classes {shown} differ only in case or spaces; write them alike if they are one"


@dataclass(frozen=True, slots=True)
class _Comparison:
    """``column operator value``, as the caller wrote it."""

    operator: str
    value: str
    written: str

    def of(self, series: "pd.Series[Any]") -> "pd.Series[Any]":
        """Return true or false for each row, missing where the cell is."""
        column = read_cells(series)
        truth = pd.array(self._truth(column, str(series.name)), dtype="boolean")
        truth[~column.known] = pd.NA
        return pd.Series(truth, index=series.index, name=series.name)

    def _truth(self, column: Column, name: str) -> BoolArray:
        ordered = self.operator not in ("=", "==", "!=")
        kind = column.kind
        if ordered and kind in (Kind.TEXT, Kind.BOOLEAN):
            raise InputError(
                f"target {self.written!r}: the {kind} cells of column {name!r} have no order; use = or !="
            )
        values, value = column.values, self._value(column, name)
        match self.operator:
            case ">":
                truth = values > value
            case ">=":
                truth = values >= value
            case "<":
                truth = values < value
            case "<=":
                truth = values <= value
            case "!=":
                truth = values != value
            case _:
                truth = values == value
        return np.asarray(truth, dtype=bool)

    def _value(self, column: Column, name: str) -> Any:
        """Read the value as the kind of the column."""
        asked = Column(np.array([self.value], dtype=object), np.array([True]))
        try:
            return coerce(asked, column.kind, name).values[0]
        except InputError:
            raise InputError(
                f"target {self.written!r}: {self.value!r} is no {column.kind}, as the cells of {name!r} are; "
                "compare with one"
            ) from None


def _find_column(frame: pd.DataFrame, target: str) -> tuple[str, _Comparison | None]:
    """Tell a column's name from a comparison; a name that contains an operator goes first."""
    present = set(frame.columns)
    if target in present:
        return target, None
    parts = [
        (_unquoted(target[: match.start()]), match[1], _unquoted(target[match.end() :]))
        for match in _COMPARISON.finditer(target)
    ]
    for column, operator, value in reversed(parts):  # the longest name first
        if column in present and value:
            return column, _Comparison(operator, value, target)
    asked = parts[0][0] if parts and parts[0][0] else target
    raise InputError(f"no target column {asked!r}{nearest(asked, frame.columns.tolist())}")


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"`" else text


def _refuse_one_class(distinct: Any, name: str, n_rows: int) -> None:
    if len(distinct) == 1:
        raise InputError(
            f"target {name!r} has one class only, {_label(distinct[0])!r} in all {n_rows} rows with one; "
            "a rule needs rows of two classes"
        )


def _refuse_many_classes(column: Column, distinct: Any, name: str, max_classes: int) -> None:
    count, n_rows = len(distinct), int(column.known.sum())
    number = column.kind is Kind.NUMBER
    fractions = number and bool((distinct != np.round(distinct)).any())
    hardly_repeated = fractions or 2 * count > n_rows
    if count <= max_classes and not (hardly_repeated and count > _MAX_UNREPEATED):
        return
    if number:
        middle = float(np.median(column.values[column.known]))
        cut = plain_number(middle, float(distinct[distinct > middle].min(initial=np.inf)))
        raise InputError(
            f"target {name!r} is a number with {count} different values, not a class; "
            f'compare it, e.g. --target "{_one_line(name)} > {cut:.15g}"'
        )
    raise InputError(
        f"target {name!r} has {count} different values in {n_rows} rows, too many for classes; "
        "choose another target, or ask for one value, e.g. "
        f'--target "{_one_line(name)} = {_one_line(_most_frequent(column))}"'
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _most_frequent(column: Column) -> str:
    values, counts = np.unique(column.values[column.known], return_counts=True)
    return str(values[np.argmax(counts)])


def _label(value: Any) -> Label:
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return int(value)
    return as_label(value)


def _listed(classes: Sequence[Label]) -> str:
    shown = ", ".join(repr(label) for label in classes[:10])
    return shown + (", ..." if len(classes) > 10 else "")
