"""Open a table where it is: in files, in a database, or in one that the caller holds, with its outcome.

Which classes a target has is decided as for any table, by :func:`nri.table.target.label_table`, on the
different values that the column holds on all rows.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.outcome import Classes, Number, Survival
from nri.rows.database import engine_of
from nri.rows.engine import ROWS, DuckEngine, Engine, RawColumn, copied, select
from nri.rows.sql import SqlOutcome, SqlRows
from nri.rule import ColumnPlan, Kind, Label, plain_value
from nri.rule.render.sql import SqlColumn, finite, microseconds_of
from nri.rule.render.sql_dialects import float_literal, identifier
from nri.table import ReadOptions, Source, label_table, with_survival, with_target
from nri.table.by_plan import Comparison, comparison_of
from nri.table.cells import missing_cells, objects_of
from nri.table.codes import DEFAULT
from nri.table.frames import plain_cells
from nri.table.table import Note, logger
from nri.table.target import class_index

_MOST_VALUES = 2000  # Most different values of a target of classes; more are names or measurements.
_MOST_COMPARED = 200_000  # Most different texts of a target that is compared with one of them.
_LOOKED_AT = 200_000  # Rows after which a column of ever new values is known to be one.
_EMPTY = np.zeros(0, dtype=np.int64)


def rows_in_engine(
    engine: Engine,
    target: str | None = None,
    *,
    positive: Label | None = None,
    time: str | None = None,
    event: str | None = None,
    options: ReadOptions = DEFAULT,
    never: Iterable[str] = (),
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
    rows = SqlRows(engine, outcome, options=options, never=never, size=size)
    if not rows.formatted:
        return rows
    if isinstance(engine, DuckEngine):
        engine = copied(engine, rows.formatted, loose=False)
        return SqlRows(engine, outcome.on(engine), options=options, never=never, size=size)
    for name, plan in rows.formatted.items():
        text = f"{plan.kind}s written as text are left out; cast the column to use it"
        logger.warning("%s", Note(name, text))
    return rows


def rows_held(table: Any, target: str, **options: Any) -> SqlRows:
    """Return the rows of a table that the caller holds in a database or on a cluster."""
    engine = engine_of(table)
    if engine is None:
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
        value = _value(replace(raw, floating=False), engine, options)
        return _compared(engine, raw, value, text, comparison, positive)
    values, counts = _distinct(engine, raw, _MOST_VALUES if comparison is None else _MOST_COMPARED)
    if values is None:
        return _number(engine, raw, options)
    held = np.flatnonzero(~missing_cells(values))
    if not len(held):
        raise InputError(f"no row is left: target {text!r} is missing in all rows; choose another column")
    repeated = np.repeat(held, np.minimum(counts[held], 3).astype(np.int64))  # whether values repeat matters
    other = np.full(len(repeated), "other column", dtype=object)
    read = Source({raw.name: values[repeated], "\0": other}).table(options)
    may_measure = positive is None and comparison is None and raw.kind is Kind.NUMBER
    if may_measure and isinstance(with_target(read, raw.name).outcome, Number):
        return _number(engine, raw, options)
    table = label_table(read, text, positive)
    code = dict(zip(repeated[table.numbers - 1].tolist(), table.codes.tolist(), strict=True))
    of_class = [[place for place in code if code[place] == k] for k in range(len(table.classes))]
    cases = {str(k): places for k, places in enumerate(of_class)}
    if len(values) > _MOST_VALUES:  # all texts but a few are of one class, which is what is left
        cases["NULL"] = [place for place in held.tolist() if place not in code]
        rest = str(max(range(len(of_class)), key=lambda k: len(of_class[k])))
        cases[rest] = []
    whens = [
        f"WHEN {_among(raw, values[places].tolist(), engine)} THEN {k}"
        for k, places in cases.items()
        if places
    ]
    if len(values) > _MOST_VALUES:
        whens.append(f"WHEN {identifier(raw.name, engine.dialect)} IS NOT NULL THEN {rest}")
    totals = np.array([counts[places].sum() for places in of_class], dtype=np.float64)
    classes = replace(table.labels, codes=_EMPTY)
    sql = f"CASE {' '.join(whens)} END"
    return SqlOutcome(classes, (raw.name,), {"y_codes": sql}, sql, totals, int(counts.sum() - totals.sum()))


def _read_survival(engine: Engine, time: str, event: str) -> SqlOutcome:
    """Return the time until an event on all rows."""
    until, compared = _column(engine, time, "time")
    ended, asked = _column(engine, event, "event")
    if until.name == ended.name:
        raise InputError(f"{time!r} cannot be both the time and the event; name a column for each")
    if compared is not None or until.kind is not Kind.NUMBER:
        raise InputError(f"time {time!r} must be a column of numbers of 0 or more")
    length = _value(until, engine, DEFAULT)
    happened = _event(engine, ended, event, _MOST_VALUES if asked is None else _MOST_COMPARED)
    known = f"CASE WHEN {length} IS NOT NULL AND {happened} IS NOT NULL THEN 0 END"
    ends = engine.query(select({"low": f"MIN({length})", "high": f"MAX({length})"}, where=f"{known} = 0"))
    low, high = (plain_cells(ends[name])[0] for name in ("low", "high"))
    if low is None:
        raise InputError(f"no row is left: time {time!r} or event {event!r} is missing in every one of them")
    if low < 0:
        raise InputError(f"time {time!r} must be a column of numbers of 0 or more")
    outcome = Survival(event, time, np.array([float(high)]), np.array([True]))
    items = {"y_time": length, "y_event": happened}
    return SqlOutcome(outcome, (until.name, ended.name), items, known).on(engine)


def _event(engine: Engine, raw: RawColumn, text: str, most: int) -> str:
    """Write 1 where the event happened, 0 where it did not, NULL where that is unknown."""
    values, _ = _distinct(engine, raw, most)
    if values is None:
        raise InputError(f"event {text!r} has too many different values; compare it, e.g. '{raw.name} = 1'")
    known = values[~missing_cells(values)]
    columns = {raw.name: known, "\0": np.arange(len(known)) + 0.25, "other": np.zeros(len(known))}
    table = with_survival(Source(columns).table(), "\0", text) if len(known) else None
    if table is None or not isinstance(table.outcome, Survival):
        raise InputError(f"event {text!r} is missing in all rows; choose another column")
    places = [int(k) for k, yes in zip(table.outcome.time, table.outcome.event, strict=True) if yes]
    quoted = identifier(raw.name, engine.dialect)
    yes = _among(raw, known[places].tolist(), engine)
    return f"CASE WHEN {quoted} IS NULL THEN NULL WHEN {yes} THEN 1 ELSE 0 END"


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
    value = _value(raw, engine, options)
    known = f"CASE WHEN {value} IS NOT NULL THEN 0 END"
    outcome = Number(raw.name, np.zeros(0), ColumnPlan(Kind.NUMBER), copies=True)
    return SqlOutcome(outcome, (raw.name,), {"y_values": value}, known).on(engine)


def _value(raw: RawColumn, engine: Engine, options: ReadOptions) -> str:
    plan = ColumnPlan(raw.kind or Kind.NUMBER, missing=options.missing_in(raw.name))
    value = SqlColumn(raw.name, plan, engine.dialect, typed=True).value.sql(dialect=engine.dialect.name)
    return finite(value) if raw.floating else value


def _compared(
    engine: Engine, raw: RawColumn, value: str, text: str, comparison: Comparison, positive: Label | None
) -> SqlOutcome:
    operator = {"==": "=", "!=": "<>"}.get(comparison.operator, comparison.operator)
    cut = comparison.parsed_value(ColumnPlan(raw.kind or Kind.NUMBER), raw.name)
    cut = microseconds_of(cut.item()) if raw.kind is Kind.DATE else cut
    holds = f"CASE WHEN {value} {operator} {float_literal(cut)} THEN 1 ELSE 0 END"
    code = f"CASE WHEN {finite(value)} IS NOT NULL THEN {holds} END"
    about = 1 if positive is None else class_index((False, True), positive)
    classes = Classes(text, (False, True), _EMPTY, about)
    outcome = SqlOutcome(classes, (raw.name,), {"y_codes": code}, code).on(engine)
    if not outcome.counts.all():
        held = "no row" if not outcome.counts[1] else "all rows"
        raise InputError(f"target {text!r} holds in {held}; a rule needs rows of two classes")
    return outcome


def _distinct(engine: Engine, raw: RawColumn, most: int) -> tuple[NDArray[Any] | None, FloatArray]:
    """Return the different cells of a column on all rows, and how many rows hold each; None if more."""
    quoted = identifier(raw.name, engine.dialect)
    head = f"(SELECT {quoted} AS v FROM {ROWS} LIMIT {_LOOKED_AT}) AS head"  # ever new values are seen there
    if engine.query(f"SELECT COUNT(DISTINCT v) AS n FROM {head}")["n"][0] > most:
        return None, np.zeros(0)
    answer = engine.query(select({"v": quoted, "n": "COUNT(*)"}, group=["v"]))
    values = objects_of(plain_cells(answer["v"]))
    if (~missing_cells(values)).sum() > most:
        return None, np.zeros(0)
    order = np.argsort([str(value) for value in values], kind="stable")
    return values[order], answer["n"].astype(np.float64)[order]


def _among(raw: RawColumn, values: Sequence[Any], engine: Engine) -> str:
    """Write that a cell is one of some values."""
    assert raw.kind is not None
    column = SqlColumn(raw.name, ColumnPlan(raw.kind), engine.dialect, typed=True)
    return column.among(map(plain_value, values)).sql(dialect=engine.dialect.name)
