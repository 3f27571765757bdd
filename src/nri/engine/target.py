"""The target of a table in an engine: classes as SQL, from what all rows hold.

Which classes there are is decided as for any table, by :func:`nri.table.target.label_table`, on the different
values that the column holds on all rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from nri.arrays import FloatArray
from nri.engine.rows import ROWS, RawColumn, Rows, select
from nri.errors import InputError
from nri.rule.labels import Label
from nri.rule.literal import Kind, plain_value
from nri.rule.plan import ColumnPlan
from nri.rule.render.sql import SqlColumn, finite
from nri.rule.render.sql_dialects import float_literal, identifier
from nri.table.answers import Comparison, comparison_of
from nri.table.source import Source
from nri.table.table import Target
from nri.table.target import class_index, label_table

_MOST_VALUES = 2000
"""Most different values of a target; more are names or measurements."""
_LOOKED_AT = 200_000
"""Rows after which a column of ever new values is known to be one."""


class MeasurementError(InputError):
    """The target is a number of too many different values for classes."""


@dataclass(frozen=True, eq=False)
class EngineTarget:
    """What is to be explained."""

    labels: Target
    """its name and classes; no row has a code here"""
    column: str
    """the column that it is read from"""
    code: str
    """SQL of a row's class, from 0; NULL where it is unknown"""
    counts: FloatArray
    """[n_classes], rows of each class"""
    without: int
    """rows whose class is unknown"""

    @property
    def n_rows(self) -> int:
        """Rows with a class."""
        return int(self.counts.sum())

    def on(self, rows: Rows) -> "EngineTarget":
        """Return the same classes, counted on other rows of the table."""
        found = rows.query(select({"k": self.code, "n": "COUNT(*)"}, group=["k"])).to_pydict()
        by_code = dict(zip(found["k"], found["n"], strict=True))
        counts = np.array([by_code.get(k, 0) for k in range(len(self.counts))], dtype=np.float64)
        return replace(self, counts=counts, without=int(by_code.get(None, 0)))


def read_target(
    rows: Rows, asked: str, positive: Label | None = None, *, exact: bool = False
) -> EngineTarget:
    """Find the classes of a target on all rows.

    Parameters
    ----------
    rows
        The engine.
    asked, positive
        See :func:`nri.table.target.label_table`.
    exact
        Whether texts that differ only in case and blanks are kept apart.

    Raises
    ------
    MeasurementError
        If it is a number of many values.
    InputError
        If there is no such column, or it has no classes.
    """
    by_name = {one.name: one for one in rows.columns}
    column, comparison = comparison_of(asked, tuple(by_name))
    raw = by_name[column]
    if raw.kind is None:
        raise InputError(f"target {column!r} holds lists or structures; choose a column of plain values")
    if len(by_name) < 2:
        raise InputError(f"the table has no column but {column!r}; give columns to explain it by")
    if comparison is not None and raw.kind is Kind.NUMBER and not raw.flags:
        return _compared(rows, raw, asked, comparison, positive)
    _refuse_many(rows, raw)
    values, counts = _distinct(rows, raw)
    known = ~pd.isna(values)
    if not known.any():
        raise InputError(f"no row is left: target {asked!r} is missing in all rows; choose another column")
    held = np.flatnonzero(known)
    repeated = np.repeat(held, np.minimum(counts[held], 3).astype(np.int64))  # "hardly repeated" is asked
    frame = pd.DataFrame({column: values.iloc[repeated].reset_index(drop=True)})
    frame["\0"] = "other column"
    table = label_table(Source(frame).table(exact=exact), asked, positive)
    code = dict(zip(repeated[table.numbers - 1].tolist(), table.codes.tolist(), strict=True))
    assert table.labels is not None
    of_class = [[place for place in code if code[place] == k] for k in range(len(table.classes))]
    cases = "".join(
        f" WHEN {_among(raw, values[places].tolist(), rows)} THEN {k}" for k, places in enumerate(of_class)
    )
    totals = np.array([counts[places].sum() for places in of_class], dtype=np.float64)
    return EngineTarget(
        _bare(table.labels), column, f"CASE{cases} END", totals, int(counts.sum() - totals.sum())
    )


def _bare(labels: Target) -> Target:
    return Target(labels.name, labels.classes, np.zeros(0, dtype=np.int64), labels.positive)


def _compared(
    rows: Rows, raw: RawColumn, asked: str, comparison: Comparison, positive: Label | None
) -> EngineTarget:
    value = rows.dialect.double.format(x=identifier(raw.name, rows.dialect))
    operator = {"==": "=", "!=": "<>"}.get(comparison.operator, comparison.operator)
    try:
        asked_for = float(comparison.value)
    except ValueError:
        raise InputError(f"target {asked!r}: {comparison.value!r} is no number; compare with one") from None
    holds = f"CASE WHEN {value} {operator} {float_literal(asked_for)} THEN 1 ELSE 0 END"
    code = f"CASE WHEN {finite(value)} IS NOT NULL THEN {holds} END"
    found = rows.query(select({"k": code, "n": "COUNT(*)"}, group=["k"])).to_pydict()
    by_code = dict(zip(found["k"], found["n"], strict=True))
    counts = np.array([by_code.get(0, 0), by_code.get(1, 0)], dtype=np.float64)
    if not counts.all():
        held = "no row" if not counts[1] else "all rows"
        raise InputError(f"target {asked!r} holds in {held}; a rule needs rows of two classes")
    about = 1
    if positive is not None:
        about = class_index((False, True), positive)
    labels = Target(asked, (False, True), np.zeros(0, dtype=np.int64), about)
    return EngineTarget(labels, raw.name, code, counts, int(by_code.get(None, 0)))


def _refuse_many(rows: Rows, raw: RawColumn) -> None:
    """Refuse a column of ever new values before anybody counts them all."""
    quoted = identifier(raw.name, rows.dialect)
    sql = (
        f"SELECT COUNT(DISTINCT v) AS n FROM (SELECT {quoted} AS v FROM {ROWS} LIMIT {_LOOKED_AT}) AS looked"
    )
    if rows.query(sql).to_pydict()["n"][0] > _MOST_VALUES:
        _too_many(raw)


def _too_many(raw: RawColumn) -> None:
    if raw.kind is Kind.NUMBER:
        raise MeasurementError(
            f"target {raw.name!r} is a number with more than {_MOST_VALUES} different values, not a class; "
            f"compare it, e.g. '{raw.name} > 100'"
        )
    raise InputError(
        f"target {raw.name!r} has more than {_MOST_VALUES} different values, too many for classes; "
        "choose another column, or compare it with one value"
    )


def _distinct(rows: Rows, raw: RawColumn) -> "tuple[pd.Series[Any], FloatArray]":
    """Return the different cells of a column on all rows, and how many rows hold each."""
    found = rows.query(select({"v": identifier(raw.name, rows.dialect), "n": "COUNT(*)"}, group=["v"]))
    if found.num_rows > _MOST_VALUES + 1:
        _too_many(raw)
    values = found.column("v").to_pandas(integer_object_nulls=True)
    order = np.argsort([str(value) for value in values], kind="stable")
    counts = np.asarray(found.column("n").to_numpy(), dtype=np.float64)
    return values.iloc[order].reset_index(drop=True), counts[order]


def _among(raw: RawColumn, values: Sequence[Any], rows: Rows) -> str:
    """Write that a cell is one of some values."""
    assert raw.kind is not None
    column = SqlColumn(raw.name, ColumnPlan(raw.kind), rows.dialect, typed=True)
    return column.among(map(plain_value, values)).sql(dialect=rows.dialect.name)
