"""The outcome of a table in an engine: classes, a number or survival as SQL, from what all rows hold.

Which classes there are is decided as for any table, by :func:`nri.table.target.label_table`, on the different
values that the column holds on all rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.outcome import Classes, Number, Outcome, Survival
from nri.rows.engine import ROWS, Engine, RawColumn, select
from nri.rule.labels import Label
from nri.rule.literal import Kind, plain_value
from nri.rule.plan import ColumnPlan
from nri.rule.render.sql import SqlColumn, finite
from nri.rule.render.sql_dialects import float_literal, identifier
from nri.table.by_plan import Comparison, comparison_of
from nri.table.source import Source
from nri.table.target import class_index, label_table, with_survival, with_target

_MOST_VALUES = 2000
"""Most different values of a target of classes; more are names or measurements."""
_LOOKED_AT = 200_000
"""Rows after which a column of ever new values is known to be one."""
_EMPTY = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class SqlOutcome:
    """What is to be explained, as expressions of SQL."""

    outcome: Outcome
    """without its rows"""
    columns: tuple[str, ...]
    """the columns that it is read from"""
    items: Mapping[str, str]
    """SQL of a row's outcome by name: its class ``k``; its number ``v``; its time ``t`` and event ``e``"""
    stratum: str
    """SQL of the stratum that rows are drawn from, from 0; NULL where the outcome is unknown"""
    counts: FloatArray
    """rows of each stratum"""
    without: int
    """rows whose outcome is unknown"""

    @property
    def n_rows(self) -> int:
        """Rows with an outcome."""
        return int(self.counts.sum())

    def on(self, engine: Engine) -> "SqlOutcome":
        """Return the same outcome, counted on other rows of the table."""
        by_stratum = _count(engine, self.stratum)
        counts = np.array([by_stratum.get(k, 0) for k in range(len(self.counts))], dtype=np.float64)
        return replace(self, counts=counts, without=int(by_stratum.get(None, 0)))

    def of(self, arrays: Mapping[str, Any]) -> Outcome:
        """Return the outcome of some rows, by what the items of each hold."""
        if isinstance(self.outcome, Classes):
            return replace(self.outcome, codes=np.asarray(arrays["k"], dtype=np.int64))
        if isinstance(self.outcome, Number):
            return replace(self.outcome, values=np.asarray(arrays["v"], dtype=np.float64))
        assert isinstance(self.outcome, Survival)
        times, events = np.asarray(arrays["t"], dtype=np.float64), np.asarray(arrays["e"], dtype=np.float64)
        return replace(self.outcome, time=times, event=events == 1)


def read_target(
    engine: Engine, text: str, positive: Label | None = None, *, exact: bool = False
) -> SqlOutcome:
    """Return the classes of a target on all rows, or its numbers if it has many values."""
    raw, comparison = _column(engine, text)
    if len(engine.columns) < 2:
        raise InputError(f"the table has no column but {raw.name!r}; give columns to explain it by")
    if comparison is not None and raw.kind is Kind.NUMBER and not raw.flags:
        return _compared(engine, raw, text, comparison, positive)
    if _has_many_values(engine, raw):
        return _number(engine, raw)
    values, counts = _distinct(engine, raw)
    if values is None:
        return _number(engine, raw)
    known = ~pd.isna(values)
    if not known.any():
        raise InputError(f"no row is left: target {text!r} is missing in all rows; choose another column")
    held = np.flatnonzero(known)
    repeated = np.repeat(held, np.minimum(counts[held], 3).astype(np.int64))  # whether values repeat matters
    frame = pd.DataFrame({raw.name: values.iloc[repeated].reset_index(drop=True)})
    frame["\0"] = "other column"
    if positive is None and comparison is None and _is_measurement(frame, raw, exact):
        return _number(engine, raw)
    table = label_table(Source(frame).table(exact=exact), text, positive)
    code = dict(zip(repeated[table.numbers - 1].tolist(), table.codes.tolist(), strict=True))
    of_class = [[place for place in code if code[place] == k] for k in range(len(table.classes))]
    cases = "".join(
        f" WHEN {_among(raw, values[places].tolist(), engine)} THEN {k}" for k, places in enumerate(of_class)
    )
    totals = np.array([counts[places].sum() for places in of_class], dtype=np.float64)
    classes = replace(table.labels, codes=_EMPTY)
    sql = f"CASE{cases} END"
    return SqlOutcome(classes, (raw.name,), {"k": sql}, sql, totals, int(counts.sum() - totals.sum()))


def read_survival(engine: Engine, time: str, event: str) -> SqlOutcome:
    """Return the time until an event on all rows."""
    until, compared = _column(engine, time, "time")
    ended, comparison = _column(engine, event, "event")
    if until.name == ended.name:
        raise InputError(f"{time!r} cannot be both the time and the event; name a column for each")
    if compared is not None or until.kind is not Kind.NUMBER:
        raise InputError(f"time {time!r} must be a column of numbers of 0 or more")
    length = _value(until, engine)
    happened = _event(engine, ended, comparison, event)
    known = f"CASE WHEN {length} IS NOT NULL AND {happened} IS NOT NULL THEN 0 END"
    by_stratum = _count(engine, known)
    if not by_stratum.get(0):
        raise InputError(f"no row is left: time {time!r} or event {event!r} is missing in every one of them")
    ends = engine.query(select({"low": f"MIN({length})", "high": f"MAX({length})"}, where=f"{known} = 0"))
    low, high = (float(ends.column(name)[0].as_py()) for name in ("low", "high"))
    if low < 0:
        raise InputError(f"time {time!r} must be a column of numbers of 0 or more")
    outcome = Survival(event, time, np.array([high]), np.array([True]))
    counts, without = np.array([by_stratum[0]], dtype=np.float64), int(by_stratum.get(None, 0))
    return SqlOutcome(outcome, (until.name, ended.name), {"t": length, "e": happened}, known, counts, without)


def _event(engine: Engine, raw: RawColumn, comparison: Comparison | None, text: str) -> str:
    """Write 1 where the event happened, 0 where it did not, NULL where that is unknown."""
    values, _ = _distinct(engine, raw)
    if values is None:
        raise InputError(f"event {text!r} has too many different values; compare it, e.g. '{raw.name} = 1'")
    known = values[~pd.isna(values)].reset_index(drop=True)
    frame = pd.DataFrame({raw.name: known, "\0": np.arange(len(known)) + 0.25})
    frame["other"] = 0.0
    table = with_survival(Source(frame).table(), "\0", text) if len(known) else None
    if table is None or not isinstance(table.outcome, Survival):
        raise InputError(f"event {text!r} is missing in all rows; choose another column")
    places = [int(k) for k, yes in zip(table.outcome.time, table.outcome.event, strict=True) if yes]
    quoted = identifier(raw.name, engine.dialect)
    yes = _among(raw, known[places].tolist(), engine)
    return f"CASE WHEN {quoted} IS NULL THEN NULL WHEN {yes} THEN 1 ELSE 0 END"


def _column(engine: Engine, text: str, what: str = "target") -> tuple[RawColumn, Comparison | None]:
    by_name = {one.name: one for one in engine.columns}
    name, comparison = comparison_of(text, tuple(by_name), what)
    if by_name[name].kind is None:
        raise InputError(f"{what} {name!r} holds lists or structures; choose a column of plain values")
    return by_name[name], comparison


def _is_measurement(frame: pd.DataFrame, raw: RawColumn, exact: bool) -> bool:
    if raw.kind is not Kind.NUMBER:
        return False
    return isinstance(with_target(Source(frame).table(exact=exact), raw.name).outcome, Number)


def _number(engine: Engine, raw: RawColumn) -> SqlOutcome:
    if raw.kind is not Kind.NUMBER:
        raise InputError(
            f"target {raw.name!r} has more than {_MOST_VALUES} different values, too many for classes; "
            "choose another column, or compare it with one value"
        )
    value = _value(raw, engine)
    known = f"CASE WHEN {value} IS NOT NULL THEN 0 END"
    by_stratum = _count(engine, known)
    outcome = Number(raw.name, np.zeros(0), ColumnPlan(Kind.NUMBER))
    counts = np.array([by_stratum.get(0, 0)], dtype=np.float64)
    return SqlOutcome(outcome, (raw.name,), {"v": value}, known, counts, int(by_stratum.get(None, 0)))


def _value(raw: RawColumn, engine: Engine) -> str:
    value = engine.dialect.double.format(x=identifier(raw.name, engine.dialect))
    return finite(value) if raw.floating else value


def _count(engine: Engine, stratum: str) -> dict[Any, int]:
    counted = engine.query(select({"k": stratum, "n": "COUNT(*)"}, group=["k"])).to_pydict()
    return dict(zip(counted["k"], counted["n"], strict=True))


def _compared(
    engine: Engine, raw: RawColumn, text: str, comparison: Comparison, positive: Label | None
) -> SqlOutcome:
    value = engine.dialect.double.format(x=identifier(raw.name, engine.dialect))
    operator = {"==": "=", "!=": "<>"}.get(comparison.operator, comparison.operator)
    try:
        cut = float(comparison.value)
    except ValueError:
        raise InputError(f"target {text!r}: {comparison.value!r} is no number; compare with one") from None
    holds = f"CASE WHEN {value} {operator} {float_literal(cut)} THEN 1 ELSE 0 END"
    code = f"CASE WHEN {finite(value)} IS NOT NULL THEN {holds} END"
    by_code = _count(engine, code)
    counts = np.array([by_code.get(0, 0), by_code.get(1, 0)], dtype=np.float64)
    if not counts.all():
        held = "no row" if not counts[1] else "all rows"
        raise InputError(f"target {text!r} holds in {held}; a rule needs rows of two classes")
    about = 1 if positive is None else class_index((False, True), positive)
    classes = Classes(text, (False, True), _EMPTY, about)
    return SqlOutcome(classes, (raw.name,), {"k": code}, code, counts, int(by_code.get(None, 0)))


def _has_many_values(engine: Engine, raw: RawColumn) -> bool:
    """Whether a column has ever new values, found out before they are all counted."""
    quoted = identifier(raw.name, engine.dialect)
    sql = f"SELECT COUNT(DISTINCT v) AS n FROM (SELECT {quoted} AS v FROM {ROWS} LIMIT {_LOOKED_AT}) AS head"
    return bool(engine.query(sql).to_pydict()["n"][0] > _MOST_VALUES)


def _distinct(engine: Engine, raw: RawColumn) -> "tuple[pd.Series[Any] | None, FloatArray]":
    """Return the different cells of a column on all rows, and how many rows hold each; None if many."""
    cells = engine.query(select({"v": identifier(raw.name, engine.dialect), "n": "COUNT(*)"}, group=["v"]))
    if cells.num_rows > _MOST_VALUES + 1:
        return None, np.zeros(0)
    values = cells.column("v").to_pandas(integer_object_nulls=True)
    order = np.argsort([str(value) for value in values], kind="stable")
    counts = np.asarray(cells.column("n").to_numpy(), dtype=np.float64)
    return values.iloc[order].reset_index(drop=True), counts[order]


def _among(raw: RawColumn, values: Sequence[Any], engine: Engine) -> str:
    """Write that a cell is one of some values."""
    assert raw.kind is not None
    column = SqlColumn(raw.name, ColumnPlan(raw.kind), engine.dialect, typed=True)
    return column.among(map(plain_value, values)).sql(dialect=engine.dialect.name)
