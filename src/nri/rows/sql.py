"""Rows in an engine: profiled, sampled and counted by SQL; what comes back are aggregates, or a sample.

What a column is, is decided on a sample as for any table (:func:`nri.table.source.understand`). What a sample
can miss is queried from all rows: ranges, whether 0 and 1 are all there is, categories with every spelling.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.outcome import Classes, Outcome, Survival
from nri.outcome.base import counted_classes
from nri.rows.base import Drawn, Groups, Parts, Rows, RowsColumn, Window
from nri.rows.engine import ROWS, Answer, Engine, RawColumn, select
from nri.rows.hashing import FOLD, ROUNDS, UNKNOWN, Term, ways_to_hash
from nri.rows.memory import first_sample, weighted_sample
from nri.rule import ColumnPlan, Columns, Kind, Literal, Op, Rule
from nri.rule.render.sql import SqlColumn, finite, first_value
from nri.rule.render.sql_dialects import float_literal, identifier
from nri.table.by_plan import read_by
from nri.table.cells import Cells, TextCells, recognise_categories
from nri.table.codes import DEFAULT, ReadOptions
from nri.table.frames import plain_cells
from nri.table.left_out import LeftOut, Reason
from nri.table.source import Source, understand
from nri.table.table import Note, Table, logger

_MOST_CATEGORIES = 10_000  # Columns of more different texts are known by the sample alone.
_REPEATED = 0.5
"""Share of different texts in the sample above which a column is one of names, not of categories."""


@dataclass(frozen=True, eq=False)
class SqlOutcome:
    """What is to be explained, as expressions of SQL."""

    outcome: Outcome  # without its rows
    columns: tuple[str, ...]  # the columns that it is read from
    items: Mapping[str, str]
    """SQL of a row's outcome, NULL where unknown, by ``y_`` and the array that holds it: ``y_codes``"""
    counts: FloatArray = field(default_factory=lambda: np.zeros(0))  # rows of each stratum
    without: int = 0  # rows whose outcome is unknown

    @property
    def stratum(self) -> str:
        """SQL of the stratum that rows are drawn from, from 0; NULL where the outcome is unknown."""
        if isinstance(self.outcome, Classes):
            return self.items["y_codes"]
        return f"CASE WHEN {' AND '.join(f'{one} IS NOT NULL' for one in self.items.values())} THEN 0 END"

    def on(self, engine: Engine) -> "SqlOutcome":
        """Return the same outcome, counted on the rows of an engine."""
        counted = engine.counted({"k": self.stratum})
        n_rows = dict(zip(plain_cells(counted["k"]), counted["n"], strict=True))
        n_strata = len(self.outcome.classes) if isinstance(self.outcome, Classes) else 1
        counts = np.array([n_rows.get(k, 0) for k in range(n_strata)], dtype=np.float64)
        return replace(self, counts=counts, without=int(n_rows.get(None, 0)))

    def of(self, arrays: Mapping[str, FloatArray]) -> Outcome:
        """Return the outcome of some rows, by what the items of each hold."""
        fields: dict[str, Any] = {}
        for item in self.items:
            name = item.removeprefix("y_")
            fields[name] = arrays[item].astype(getattr(self.outcome, name).dtype)
        return replace(self.outcome, **fields)

    def describe(self) -> str:
        """Write what is explained, and of classes how many rows each has."""
        outcome = self.outcome
        if isinstance(outcome, Classes):
            return counted_classes(self.counts.astype(int).tolist(), outcome.classes)
        if isinstance(outcome, Survival):
            return f"the time {outcome.time_name} until {outcome.name}"
        return f"the number {outcome.name}"


@dataclass(frozen=True)
class EngineColumn(RowsColumn):
    """A column of a table in an engine."""

    sql: SqlColumn = field(kw_only=True)

    def code(self, parts: Parts) -> str:
        """Write the part of each cell, 0 where it is unknown."""
        value = self.value
        if self.kind in (Kind.BOOLEAN, Kind.TEXT):
            values: Sequence[Any] = [True] if self.kind is Kind.BOOLEAN else parts.texts
            held = [self.sql.holds(Literal(self.name, Op.EQ, one)) for one in values]
            conditions = [one.sql(dialect=self.sql.dialect.name) for one in held]
        else:
            write = int if self.kind is Kind.DATE else float_literal
            conditions = [f"{value} > {write(cut)}" for cut in parts.cuts]
        cases = [f" WHEN {one} THEN {code}" for code, one in enumerate(conditions, 2)]
        return f"CASE{''.join(reversed(cases))} WHEN {value} IS NOT NULL THEN 1 ELSE 0 END"

    @property
    def value(self) -> str:
        """The column as numbers, microseconds, flags or texts; NULL where unknown."""
        value = self.sql.value.sql(dialect=self.sql.dialect.name)
        return finite(value) if self.sql.may_be_infinite else value


class SqlRows(Rows):
    """All rows of a table in an engine."""

    columns: Mapping[str, EngineColumn]

    def __init__(
        self, engine: Engine, target: SqlOutcome, *, options: ReadOptions = DEFAULT, size: int | None = None
    ) -> None:
        """Look at the columns of a table, and draw a sample."""
        self.engine, self.target, self._options = engine, target, options
        self._dealt: dict[int, str] = {}  # by the number of folds, what holds the rows with their fold
        self._raw = [one for one in engine.usable() if one.name not in target.columns]
        if not self._raw:
            raise InputError("no column can be used; give numbers, dates, texts or booleans")
        spans = _spans(engine, self._raw)
        measured = {name: (span.low, span.high) for name, span in spans.items() if span.known}
        self._ways = ways_to_hash({one.name: one.kind for one in self._raw}, measured)
        if not self._ways:
            raise InputError("no column can be used: none varies; give columns that vary")
        size = size or target.outcome.searched_rows
        self._draw_first(size)
        columns, left_out = self._profile(self._first.cells, spans)
        n_rows = float(target.counts.sum())
        remark = f"{n_rows:.0f} rows ({target.describe()}), {len(columns)} columns"
        remark += f"; {target.without} more without a target" if target.without else ""
        super().__init__(columns, target.outcome, n_rows, left_out, remark, size, target.counts)

    def close(self) -> None:
        """End the connection of the engine."""
        self.engine.close()

    def sample(self, size: int) -> Table:
        """Return about so many rows by their hash, or all of them."""
        if size != self._size:
            self._draw_first(size)
        return weighted_sample(self._read(self._first), self._shares, self._unlabelled(size))

    def _draw_first(self, size: int) -> None:
        """Draw about so many rows; their cells are kept, to be read once it is known how."""
        draw = partial(self._drawn, self.target.stratum)
        self._size = size
        self._terms, self._first, self._shares = first_sample(self._ways, self.target.counts, size, draw)

    def _unlabelled(self, size: int) -> Columns | None:
        """Return so many of the rows whose class is unknown, by their hash; None if there are none."""
        if not self.target.without or not isinstance(self.target.outcome, Classes):
            return None
        cells = self._cells()
        hashed = self._hashed(self._terms, {**cells, "s": self.target.stratum})
        wanted = f"s IS NULL AND h < {float_literal(size / self.target.without)}"
        rest = self.engine.query(f"SELECT {', '.join(cells)} FROM ({hashed}) AS rest WHERE {wanted}")
        return self._columns_of(self._source(rest))

    def draw(self, rule: Rule, shares: Sequence[float]) -> Drawn:
        """Draw rows by what a rule makes of them."""
        columns, dialect = {name: column.sql for name, column in self.columns.items()}, self.engine.dialect
        predicted = first_value(rule.clauses, rule.class_indices.tolist(), columns, dialect)
        stratum = f"({predicted.sql(dialect=dialect.name)}) * {len(rule.classes)} + {self.target.stratum}"
        return self._read(self._drawn(stratum, self._terms, np.asarray(shares)))

    def _drawn(self, stratum: str, terms: Sequence[Term], shares: FloatArray) -> Drawn:
        """Draw a share of the rows of each stratum; their cells are not read yet."""
        items = {**self._cells(), **self.target.items, "s": stratum}
        listed = ", ".join([*items, "h"])
        cases = "".join(f" WHEN s = {place} THEN {float_literal(one)}" for place, one in enumerate(shares))
        drawn = self.engine.query(
            f"SELECT {listed}, COUNT(*) AS n FROM ({self._hashed(terms, items)}) AS drawn "
            f"WHERE h < (CASE{cases} ELSE 0e0 END) GROUP BY {listed}"
        )
        order = np.argsort(_floats(drawn, "h"), kind="stable")
        drawn = {name: cells[order] for name, cells in drawn.items()}
        outcome = self.target.of({name: _floats(drawn, name) for name in self.target.items})
        table = Table({}, {}, _floats(drawn, "n"), np.arange(1, len(drawn["h"]) + 1), outcome)
        strata, n_hashes = _floats(drawn, "s").astype(np.int64), len(np.unique(_floats(drawn, "h")))
        return Drawn(table, strata, n_hashes, self._source(drawn))

    def _cells(self) -> dict[str, str]:
        """Return the columns by aliases that every dialect takes."""
        return {f"c{place}": identifier(one.name, self.engine.dialect) for place, one in enumerate(self._raw)}

    def _source(self, answer: Answer) -> Source:
        return Source({one.name: answer[alias] for alias, one in zip(self._cells(), self._raw, strict=True)})

    def _read(self, drawn: Drawn) -> Drawn:
        """Return rows that were drawn with their cells read by the plans of the columns."""
        table = replace(drawn.table, columns=self._columns_of(drawn.cells), plans=self.plans)
        return replace(drawn, table=table)

    def _columns_of(self, source: Source) -> Columns:
        # not Source.columns: its notes would count the sample
        return {name: read_by(source.cells(name), plan, name).column for name, plan in self.plans.items()}

    def _hashed(self, terms: Sequence[Term], items: Mapping[str, str], name: str = "step") -> str:
        """Write a query that adds the hash of each row, as ``h``, in steps that compute nothing twice."""
        listed, raw = ", ".join(items), {one.name: one for one in self._raw}
        first, *others = map(float_literal, ROUNDS)
        added = " + ".join(_term(one, raw[one.column], self.engine) for one in terms)
        # with names, since SQLite reads no queries within so many others
        steps = f"{name}0 AS ({select({**items, 'h0': added})} {self.engine.dialect.apart})"
        # which all are; with LIMIT above it SQLite does not make steps into one, which others do not anyway
        known = " WHERE h0 IS NOT NULL" if self.engine.dialect.apart else ""
        for place, stretched in enumerate([f"h0 * {first}", *(f"(h0 - FLOOR(h0)) * {x}" for x in others)]):
            steps += f", {name}{place + 1} AS (SELECT {listed}, {stretched} AS h0 FROM {name}{place}{known})"
        return f"WITH {steps} SELECT {listed}, h0 - FLOOR(h0) AS h FROM {name}{len(ROUNDS)}"

    def group(self, parts: Mapping[str, Parts], window: Window | None = None) -> Groups:
        """Group rows by parts of columns and by outcome."""
        sql = {name: self.columns[name].code(part) for name, part in parts.items()}
        where = ""
        if window is not None:
            value = self.columns[window.column].value
            numbers = (window.middle, window.step, window.low, window.high)
            middle, step, low, high = map(float_literal, numbers)
            where = f"{value} > {low} AND {value} <= {high}"
            # to compare with each of its cuts would take several times as long
            sql["\0place"] = f"CAST(CEIL(({value} - {middle}) / {step}) AS BIGINT)"
        keys = {f"p{place}": code for place, code in enumerate(sql.values())}
        items = {**keys, **self.target.items}
        counted = self.engine.counted(items, where)
        outcome = {name: _floats(counted, name) for name in self.target.items}
        order = np.lexsort((*outcome.values(), *(counted[key] for key in keys)))
        unknown = np.asarray(np.isnan(np.stack([*outcome.values()])).any(axis=0))
        order = order[~unknown[order]]
        codes = {name: counted[key].astype(np.int64)[order] for key, name in zip(keys, sql, strict=True)}
        if window is not None:
            part, name = parts[window.column], window.column
            place = np.clip(codes.pop("\0place"), 1 - window.reach, window.reach)
            ends = window.middle + place * window.step
            ends = np.minimum(ends, np.array([*part.cuts, np.inf])[codes[name] - 1])
            codes[name] = 1 + np.searchsorted(window.within(part).cuts, ends)
        of_groups = self.target.of({name: values[order] for name, values in outcome.items()})
        return Groups(codes, of_groups, _floats(counted, "n")[order])

    def part(self, fold: int, folds: int, *, inside: bool) -> "SqlRows":
        """Return the rows of one fold by the hash of rows, or all others."""
        whole, dialect = self.engine, self.engine.dialect
        places = {f"x{i}": identifier(one.name, dialect) for i, one in enumerate(whole.columns)}
        if folds not in self._dealt:
            stretched = f"h * {float_literal(FOLD)}"
            fold_of = f"FLOOR(({stretched} - FLOOR({stretched})) * {float_literal(folds)})"
            hashed = self._hashed(self._ways[-1], places, "dealt")
            sql = f"SELECT {', '.join(places)}, {fold_of} AS fold FROM ({hashed}) AS dealt"
            self._dealt[folds] = whole.kept(sql)
        back = ", ".join(f"{alias} AS {column}" for alias, column in places.items())
        part = f"SELECT {back} FROM {self._dealt[folds]} WHERE fold {'=' if inside else '<>'} {fold}"

        def query(sql: str) -> Answer:
            return whole.query(sql.replace(f"FROM {ROWS}", f"FROM ({part}) AS part"))

        engine = Engine(dialect, whole.columns, query, plans=whole.plans)  # the whole table stays open
        if inside:  # rows to count: what their columns are is known from the whole
            rows = copy(self)
            rows.engine = engine
            return rows
        return SqlRows(engine, self.target.on(engine), options=self._options, size=self._size)

    def _profile(
        self, sample: Source, spans: Mapping[str, "_Span"]
    ) -> tuple[dict[str, EngineColumn], tuple[LeftOut, ...]]:
        """Return the columns that a rule may use, and those left out; plans of formatted texts are kept."""
        plans, columns, left_out = self._understood(sample), {}, []
        self.formatted: dict[str, ColumnPlan] = {}
        for one in self._raw:
            name, plan, span = one.name, plans[one.name], spans.get(one.name, _Span())
            if one.kind is Kind.TEXT and plan.kind is not Kind.TEXT:
                self.formatted[name] = plan
                continue
            categories = None
            if plan.kind is Kind.TEXT:
                plan, categories = self._categories(name, plan, sample.cells(name))
            sql = SqlColumn(name, plan, self.engine.dialect, typed=True, finite=span.known == span.filled)
            column = EngineColumn(name, plan, span.high, categories, sql=sql)
            # whole numbers without a gap number the rows, which a sample alone cannot show
            if plan.whole and span.known > 1000 and span.high - span.low == span.known - 1:
                left_out.append(LeftOut(name, Reason.IDENTIFIER, usable=True))
            else:
                columns[name] = column
        return columns, tuple(left_out)

    def _understood(self, source: Source) -> dict[str, ColumnPlan]:
        """Return how each column is read, by a sample."""
        plans = dict(self.engine.plans)
        for one in self._raw:
            if one.name in plans:
                continue
            read = understand(source.cells(one.name), one.name, self._options)
            plans[one.name] = read.plan
            if read.note and one.kind is not Kind.TEXT:
                logger.warning("%s", Note(one.name, f"in a sample of {len(source)} rows, {read.note}"))
        flags = [x for x in self._raw if x.kind is Kind.NUMBER and plans[x.name].kind is Kind.BOOLEAN]
        items = {}
        for i, one in enumerate(flags):  # an unknown cell is neither among values nor not among them
            values = ", ".join(float_literal(value) for value in (0, 1, *plans[one.name].missing_values))
            items[f"n{i}"] = f"COUNT(CASE WHEN {_value(one, self.engine)} NOT IN ({values}) THEN 1 END)"
        others = self.engine.figures(items)
        for name in (one.name for i, one in enumerate(flags) if others[f"n{i}"]):
            options = replace(self._options, kinds={name: Kind.NUMBER})
            plans[name] = understand(source.cells(name), name, options).plan
        return plans

    def _categories(
        self, name: str, plan: ColumnPlan, cells: Cells
    ) -> tuple[ColumnPlan, tuple[str, ...] | None]:
        """Ask all rows for the categories of a text column, and how each is spelled; None if too many."""
        if isinstance(cells, TextCells) and len(cells.texts) > max(_REPEATED * cells.counts.sum(), 2):
            return plan, None
        values, counts = self.engine.distinct(name)
        if len(values) > _MOST_CATEGORIES:
            return plan, None
        held = {text: n for text, n in zip(values, counts, strict=True) if text is not None}
        texts = sorted(text for text in held if text.strip() not in plan.missing)
        numbers = np.array([held[text] for text in texts], dtype=np.int64)
        read = recognise_categories(texts, numbers, exact=self._options.exact)
        if read.note:
            logger.warning("%s", Note(name, read.note))
        plan = replace(read.plan, missing=plan.missing)
        return plan, plan.categories


def _term(term: Term, column: RawColumn, engine: Engine) -> str:
    dialect, quoted = engine.dialect, identifier(term.column, engine.dialect)
    low, high, factor, unknown = map(float_literal, (term.low, term.high, term.factor, UNKNOWN))
    if term.part == "flag":
        yes, no = float_literal(term.yes), float_literal(term.no)
        return f"CASE WHEN {quoted} THEN {yes} WHEN NOT {quoted} THEN {no} ELSE {unknown} END"
    if term.part == "number":
        value = dialect.double.format(x=_value(column, engine) if column.kind is Kind.DATE else quoted)
        product, inside = f"(({value} - {low}) * {factor})", f"{value} BETWEEN {low} AND {high}"
    else:
        length = f"LENGTH({quoted})"
        half = f"CAST(FLOOR({dialect.double.format(x=length)} / 2e0) AS INTEGER)"
        places = {"first": "1", "last": length, "middle": f"{half} + 1"}
        value = length
        if term.part != "length":
            letter = f"SUBSTR({quoted}, {places[term.part]}, 1)"
            value = f"COALESCE({dialect.letter.format(x=letter)}, 0)"
        product, inside = f"({dialect.double.format(x=value)} * {factor})", f"{quoted} IS NOT NULL"
    return f"CASE WHEN {inside} THEN ({product} - FLOOR({product})) ELSE {unknown} END"


def _floats(answer: Answer, column: str) -> FloatArray:
    return np.asarray(np.ma.filled(answer[column].astype(np.float64), np.nan))


class _Span(NamedTuple):
    """The numbers or dates of a column on all rows."""

    low: float = 0.0
    high: float = 0.0
    known: float = 0.0  # how many cells hold a finite number
    filled: float = 0.0  # how many hold any


def _spans(engine: Engine, raw: Sequence[RawColumn]) -> dict[str, _Span]:
    measured = [one for one in raw if one.kind in (Kind.NUMBER, Kind.DATE)]
    items: dict[str, str] = {}
    for i, one in enumerate(measured):
        value = _value(one, engine)
        known = finite(value)
        sql = (f"MIN({known})", f"MAX({known})", f"COUNT({known})", f"COUNT({value})")
        items |= {f"{name}{i}": what for name, what in zip(_Span._fields, sql, strict=True)}
    row = engine.figures(items)
    spans = [[float(row[f"{name}{i}"] or 0.0) for name in _Span._fields] for i in range(len(measured))]
    return {one.name: _Span(*span) for one, span in zip(measured, spans, strict=True)}


def _value(one: RawColumn, engine: Engine) -> str:
    template = engine.dialect.microseconds if one.kind is Kind.DATE else engine.dialect.double
    return template.format(x=identifier(one.name, engine.dialect))
