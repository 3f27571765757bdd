"""Open a table where it is: in files, in a database, or in one that the caller holds, with its outcome.

Which classes a target has is decided as for any table, by :func:`nri.table.target.label_table`, on the
different values that the column holds on all rows.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.outcome import Classes, Number, Survival
from nri.rows.database import engine_of
from nri.rows.engine import ROWS, DuckEngine, Engine, RawColumn, copied
from nri.rows.sql import SqlOutcome, SqlRows
from nri.rule import ColumnPlan, Kind, Label, Value, plain_value
from nri.rule.render.sql import SqlColumn, finite, microseconds_of
from nri.rule.render.sql_dialects import float_literal, identifier
from nri.table import ReadOptions, Source, label_table, with_survival, with_target
from nri.table.by_plan import Comparison, comparison_of
from nri.table.codes import DEFAULT
from nri.table.table import Note, logger
from nri.table.target import class_index

_MOST_VALUES = 2000  # Most different values of a target of classes; more are names or measurements.
_MOST_COMPARED = 200_000  # Most different texts of a target that is compared with one of them.
_LOOKED_AT = 200_000  # Rows after which a column of ever new values is known to be one.
_CELLS_READ = 100_000  # Cells of a target, in proportion, by which it is decided what its values mean;
_COPIES_READ = 5  # of a rare value so many all the same.
_EMPTY = np.zeros(0, dtype=np.int64)


def rows_in_engine(
    engine: Engine,
    target: str | None = None,
    *,
    positive: Label | None = None,
    time: str | None = None,
    event: str | None = None,
    options: ReadOptions = DEFAULT,
    size: int | None = None,
) -> SqlRows:
    """Return the rows of a table in an engine, with what is to be explained.

    Texts that hold numbers or dates are copied once where that can be done, else left out with a note.
    """
    if options.labels:
        raise InputError("labels are for tables that are read into memory (--engine memory); leave them out")
    if time is not None and event is not None:
        outcome = _read_survival(engine, time, event)
    else:
        assert target is not None, "there is a target, or a time and an event"
        outcome = _read_target(engine, target, positive, options)
    outcome = replace(outcome, outcome=replace(outcome.outcome, copies=True))
    rows = SqlRows(engine, outcome, options=options, size=size)
    if not rows.formatted:
        return rows
    if isinstance(engine, DuckEngine):
        engine = copied(engine, rows.formatted, loose=False)
        return SqlRows(engine, outcome.on(engine), options=options, size=size)
    for name, plan in rows.formatted.items():
        text = f"{plan.kind}s written as text are left out; cast the column to use it"
        logger.warning("%s", Note(name, text))
    return rows


def rows_held(table: Any, target: str, **options: Any) -> SqlRows:
    """Return the rows of a table that the caller holds in a database or on a cluster."""
    if (engine := engine_of(table)) is None:
        tables = "an ibis table, a DuckDB relation, a polars LazyFrame or a PySpark DataFrame"
        raise InputError(f"y is {target!r}, but X is no table of a database: give an array, or {tables}")
    return rows_in_engine(engine, target, **options)


def _read_target(engine: Engine, text: str, positive: Label | None, options: ReadOptions) -> SqlOutcome:
    """Return the classes of a target on all rows, or its numbers if it has many values."""
    raw, comparison = _column(engine, text, "target")
    options = options.of_outcome(raw.name)
    if len(engine.columns) < 2:
        raise InputError(f"the table has no column but {raw.name!r}; give columns to explain it by")
    if comparison is not None and raw.kind in (Kind.NUMBER, Kind.DATE):
        return _compared(engine, raw, options, text, comparison, positive)
    values, counts = _distinct(engine, raw, comparison)
    if values is None:
        return _number(engine, raw, options)
    fewer = np.floor(counts * min(1.0, _CELLS_READ / counts.sum()))  # it matters which spelling is frequent,
    copies = np.maximum(fewer, np.minimum(counts, _COPIES_READ)).astype(np.int64)  # and whether values repeat
    repeated = np.repeat(np.arange(len(values)), copies)
    other = np.full(len(repeated), "other column", dtype=object)
    read = Source({raw.name: values[repeated], "\0": other}).table(options)
    may_measure = positive is None and comparison is None and raw.kind is Kind.NUMBER
    if may_measure and isinstance(with_target(read, raw.name).outcome, Number):
        return _number(engine, raw, options)
    table = label_table(read, text, positive)
    code = dict(zip(repeated[table.numbers - 1].tolist(), table.codes.tolist(), strict=True))
    totals = np.bincount([*code.values()], counts[[*code]], len(table.classes)).astype(np.float64)
    items, classes = {"y_codes": _coded(engine, raw, values, code)}, replace(table.labels, codes=_EMPTY)
    return SqlOutcome(classes, (raw.name,), items, totals, int(counts.sum() - totals.sum()))


def _read_survival(engine: Engine, time: str, event: str) -> SqlOutcome:
    """Return the time until an event on all rows."""
    until, _ = _column(engine, time, "time")
    ended, comparison = _column(engine, event, "event")
    no_time = InputError(f"time {time!r} must be a column of numbers of 0 or more")
    if until.kind is not Kind.NUMBER:
        raise no_time
    values, _ = _distinct(engine, ended, comparison)
    if values is None:
        cause = f"event {event!r} has too many different values"
        raise InputError(f"{cause}; compare it, e.g. '{ended.name} = 1'")
    some = {until.name: np.full(len(values), 0.5), ended.name: values, "\0": np.zeros(len(values))}
    read = with_survival(Source(some).table(), time, event)
    assert isinstance(read.outcome, Survival)
    happened = dict(zip((read.numbers - 1).tolist(), read.outcome.event.astype(int).tolist(), strict=True))
    length = _value(until, engine, DEFAULT)
    items = {"y_time": length, "y_event": _coded(engine, ended, values, happened)}
    plan = engine.plans.get(until.name, ColumnPlan(Kind.NUMBER))
    survival = Survival(event, time, np.zeros(1), np.ones(1, dtype=bool), plan)
    outcome = SqlOutcome(survival, (until.name, ended.name), items)
    ends = engine.figures({"low": f"MIN({length})", "high": f"MAX({length})"}, f"{outcome.stratum} = 0")
    if ends["low"] is None:
        raise InputError(f"no row is left: time {time!r} or event {event!r} is missing in every one of them")
    if ends["low"] < 0:
        raise no_time
    longest = np.array([float(ends["high"])])
    return replace(outcome, outcome=replace(survival, time=longest)).on(engine)


def _column(engine: Engine, text: str, what: str) -> tuple[RawColumn, Comparison | None]:
    by_name = {one.name: one for one in engine.columns}
    name, comparison = comparison_of(text, tuple(by_name), what)
    if by_name[name].kind is None:
        raise InputError(f"{what} {name!r} holds lists or structures; choose a column of plain values")
    return by_name[name], comparison


def _number(engine: Engine, raw: RawColumn, options: ReadOptions) -> SqlOutcome:
    if raw.kind is not Kind.NUMBER:
        cause = f"target {raw.name!r} has more than {_MOST_VALUES} different values, too many for classes"
        raise InputError(f"{cause}; choose another column, or compare it with one value")
    plan = engine.plans.get(raw.name, ColumnPlan(Kind.NUMBER))
    outcome = Number(raw.name, np.zeros(0), plan)
    return SqlOutcome(outcome, (raw.name,), {"y_values": _value(raw, engine, options)}).on(engine)


def _value(raw: RawColumn, engine: Engine, options: ReadOptions) -> str:
    plan = ColumnPlan(raw.kind or Kind.NUMBER, missing=options.missing_in(raw.name))
    value = SqlColumn(raw.name, plan, engine.dialect, typed=True).value.sql(dialect=engine.dialect.name)
    return finite(value) if raw.floating else value


def _compared(
    engine: Engine,
    raw: RawColumn,
    options: ReadOptions,
    text: str,
    comparison: Comparison,
    positive: Label | None,
) -> SqlOutcome:
    value, operator = _value(raw, engine, options), {"==": "=", "!=": "<>"}.get(comparison.operator)
    cut = comparison.parsed_value(ColumnPlan(raw.kind or Kind.NUMBER), raw.name)
    cut = microseconds_of(cut.item()) if raw.kind is Kind.DATE else cut
    holds = f"{value} {operator or comparison.operator} {float_literal(cut)}"
    code = f"CASE WHEN {holds} THEN 1 WHEN {value} IS NOT NULL THEN 0 END"
    about = 1 if positive is None else class_index((False, True), positive)
    classes = Classes(text, (False, True), _EMPTY, about)
    outcome = SqlOutcome(classes, (raw.name,), {"y_codes": code}).on(engine)
    if not outcome.counts.all():
        held = "no row" if not outcome.counts[1] else "all rows"
        raise InputError(f"target {text!r} holds in {held}; a rule needs rows of two classes")
    return outcome


def _distinct(
    engine: Engine, raw: RawColumn, comparison: Comparison | None
) -> tuple[NDArray[Any] | None, FloatArray]:
    """Return the different cells of a column on all rows, and how many rows hold each; None if too many."""
    most = _MOST_VALUES if comparison is None else _MOST_COMPARED
    quoted = identifier(raw.name, engine.dialect)
    head = f"(SELECT {quoted} AS v FROM {ROWS} LIMIT {_LOOKED_AT}) AS head"  # ever new values are seen there
    if engine.query(f"SELECT COUNT(DISTINCT v) AS n FROM {head}")["n"][0] > most:
        return None, np.zeros(0)
    values, counts = engine.distinct(raw.name)
    if sum(value is not None for value in values) > most:
        return None, np.zeros(0)
    order = np.argsort([str(value) for value in values], kind="stable")
    return values[order], counts[order]


def _coded(engine: Engine, raw: RawColumn, values: NDArray[Any], codes: Mapping[int, int]) -> str:
    """Write the code of each cell, by the places of the values that have one; NULL for all others."""
    column = SqlColumn(raw.name, ColumnPlan(raw.kind or Kind.TEXT), engine.dialect, typed=True)
    held: dict[object, list[Value]] = {}
    for place, value in enumerate(values):
        if place in codes or (raw.kind is Kind.TEXT and value is not None):
            held.setdefault(codes.get(place, "NULL"), []).append(plain_value(value))
    rest = ""
    if raw.kind is Kind.TEXT:  # nearly all of many texts may have one code, which is what is left
        most = max(held, key=lambda code: len(held[code]))
        rest = f" WHEN {identifier(raw.name, engine.dialect)} IS NOT NULL THEN {most}"
        del held[most]
    among = {code: column.among(some).sql(dialect=engine.dialect.name) for code, some in held.items()}
    return f"CASE{''.join(f' WHEN {one} THEN {code}' for code, one in among.items())}{rest} END"
