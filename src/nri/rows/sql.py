"""Rows in an engine: profiled, sampled and counted by SQL; what comes back are aggregates, or a sample.

What a column is, is decided on a sample as for any table (:func:`nri.table.source.understand`). What a
sample can miss is asked of all rows: the least and the largest number, whether 0 and 1 are all there is,
every category with every spelling, and whether numbers merely count the rows.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.outcome import Classes, Number, Survival
from nri.rows.base import Drawn, Groups, Parts, Rows, RowsColumn, Window, packed, rows_to_search
from nri.rows.engine import ROWS, Engine, RawColumn, select
from nri.rows.hashing import FOLD, ROUNDS, UNKNOWN, Term, ways_to_hash
from nri.rows.memory import first_sample, weighted_sample
from nri.rows.target import SqlOutcome
from nri.rule.column import Columns
from nri.rule.literal import Kind, Literal, Op
from nri.rule.plan import ColumnPlan
from nri.rule.render.sql import SqlColumn, finite, first_clause
from nri.rule.render.sql_dialects import Dialect, float_literal, identifier
from nri.rule.rule import Rule
from nri.table.binarizer import LeftOut, Reason
from nri.table.by_plan import read_by
from nri.table.cells import recognise_categories
from nri.table.source import Source, understand
from nri.table.table import Note, Table

logger = logging.getLogger(__name__)

_MOST_CATEGORIES = 10_000
"""Columns of more different texts are known by the sample alone."""
_REPEATED = 0.5
"""Share of different texts in the sample above which a column is one of names, not of categories."""


@dataclass(frozen=True)
class EngineColumn(RowsColumn):
    """A column of a table in an engine."""

    sql: SqlColumn | None = None
    spelled: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """for each category all its spellings in the table"""

    def code(self, parts: Parts) -> str:
        """Write the part of each cell, 0 where it is unknown."""
        value = self.value
        if self.kind in (Kind.BOOLEAN, Kind.TEXT):
            values: Sequence[Any] = [False, True] if self.kind is Kind.BOOLEAN else parts.texts
            first = 1 if self.kind is Kind.BOOLEAN else 2
            conditions = [self._holds(Literal(self.name, Op.EQ, one)) for one in values]
        else:
            first = 2
            write = int if self.kind is Kind.DATE else float_literal
            conditions = [f"{value} > {write(cut)}" for cut in parts.cuts]
        cases = [f" WHEN {one} THEN {first + place}" for place, one in enumerate(conditions)]
        return f"CASE{''.join(reversed(cases))} WHEN {value} IS NOT NULL THEN 1 ELSE 0 END"

    def _holds(self, literal: Literal) -> str:
        assert self.sql is not None
        return self.sql.holds(literal).sql(dialect=self.sql.dialect.name)

    @property
    def value(self) -> str:
        """The column as numbers, microseconds, flags or texts; NULL where unknown."""
        assert self.sql is not None
        value = self.sql.value.sql(dialect=self.sql.dialect.name)
        return finite(value) if self.sql.may_be_infinite else value


@dataclass(frozen=True)
class _SpelledColumn(SqlColumn):
    """A text column all of whose spellings in the table are known."""

    spelled: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    def spellings(self, text: str) -> tuple[str, ...]:
        return self.spelled.get(text) or self.plan.spelled(text)


class SqlRows(Rows):
    """All rows of a table in an engine."""

    def __init__(
        self,
        engine: Engine,
        target: SqlOutcome,
        *,
        exact: bool = False,
        plans: Mapping[str, ColumnPlan] | None = None,
        never: Iterable[str] = (),
        size: int | None = None,
    ) -> None:
        """Look at the columns of a table and draw a sample.

        ``exact`` keeps texts apart that differ only in case and blanks; ``plans`` are those of columns that
        were read before, when they were copied; ``never`` are columns that are not looked at.
        """
        self.engine, self.target = engine, target
        self._options: dict[str, Any] = {"exact": exact, "plans": dict(plans or {}), "never": tuple(never)}
        raw = [one for one in engine.columns if one.name not in (*target.columns, *never)]
        for one in raw:
            if one.kind is None:
                logger.warning("%s", Note(one.name, "lists, structures and bytes are left out"))
        self._raw = [one for one in raw if one.kind is not None]
        if not self._raw:
            raise InputError("no column can be used; give numbers, dates, texts or booleans")
        ranges, counts, guarded = _ranges(engine, self._raw)
        self._ways = ways_to_hash(
            {
                name: span
                for name, span in ranges.items()
                if name not in {x.name for x in self._raw if x.flags}
            },
            [one.name for one in self._raw if one.flags],
            [one.name for one in self._raw if one.kind is Kind.TEXT],
        )
        if not self._ways:
            raise InputError("no column can be used: none varies; give columns that vary")
        self._size = size = size or rows_to_search(target.outcome)
        self._terms, drawn, self._shares = first_sample(
            self._ways, target.counts, target.n_rows, size, self._draw_strata
        )
        self._first: tuple[pd.DataFrame, Drawn] = drawn.table, drawn  # type: ignore[assignment]
        columns, left_out, self.formatted = self._profile(drawn.table, ranges, counts, guarded)  # type: ignore[arg-type]
        remark = f"{target.n_rows} rows ({self._describe()}), {len(columns)} columns"
        remark += f"; {target.without} more without a target" if target.without else ""
        super().__init__(columns, target.outcome, float(target.n_rows), left_out, remark, size, target.counts)

    def _describe(self) -> str:
        from nri.outcome.classes import counted_classes

        outcome = self.target.outcome
        if isinstance(outcome, Number):
            return f"the number {outcome.name}"
        if isinstance(outcome, Survival):
            return f"the time {outcome.time_name} until {outcome.name}"
        return counted_classes(self.target.counts.astype(int).tolist(), outcome.classes)  # type: ignore[attr-defined]

    def close(self) -> None:
        """End the connection of the engine."""
        self.engine.close()

    # Samples

    def sample(self, size: int) -> Table:
        """Return about so many rows by their hash, or all of them."""
        if size != self._size:
            self._terms, drawn, self._shares = first_sample(
                self._ways, self.target.counts, self.target.n_rows, size, self._draw_strata
            )
            self._size, self._first = size, (drawn.table, drawn)  # type: ignore[assignment]
        frame, drawn = self._first
        table = replace(self._read(frame, drawn), unlabelled=self._unlabelled(size))
        if (self._shares >= 1.0).all():
            return table
        return weighted_sample(replace(drawn, table=table), self._shares, table.unlabelled)

    def _unlabelled(self, size: int) -> Columns | None:
        """Return so many of the rows whose class is unknown, by their hash; None if there are none."""
        if not self.target.without or not isinstance(self.target.outcome, Classes):
            return None
        dialect = self.engine.dialect
        cells = {f"c{place}": identifier(one.name, dialect) for place, one in enumerate(self._raw)}
        hashed = hash_query(self._terms, {**cells, "s": self.target.stratum}, dialect, self._date_names)
        share = float_literal(min(1.0, size / self.target.without))
        listed = ", ".join(cells)
        found = self.engine.query(f"SELECT {listed} FROM ({hashed}) AS rest WHERE s IS NULL AND h < {share}")
        frame = found.to_pandas(integer_object_nulls=True)
        source = Source(frame.set_axis([one.name for one in self._raw], axis="columns"))
        return {name: read_by(source.cells(name), plan, name).column for name, plan in self.plans.items()}

    def draw(self, rule: Rule, shares: Sequence[float]) -> Drawn:
        """Draw rows by what a rule makes of them."""
        number = first_clause(rule.clauses, self._sql_columns) if rule.clauses else "0"
        cases = "".join(f" WHEN {i} THEN {k}" for i, k in enumerate(rule.class_indices.tolist()))
        stratum = f"(CASE {number}{cases} END) * {len(rule.classes)} + {self.target.stratum}"
        drawn = self._drawn(self._terms, stratum, np.asarray(shares))
        return replace(drawn, table=self._read(drawn.table, drawn))  # type: ignore[arg-type]

    def _draw_strata(self, terms: tuple[Term, ...], shares: FloatArray) -> Drawn:
        return self._drawn(terms, self.target.stratum, shares)

    def _drawn(self, terms: Sequence[Term], stratum: str, shares: FloatArray) -> Drawn:
        """Draw a share of the rows of each stratum; the table is a frame of their cells still."""
        dialect = self.engine.dialect
        cells = {f"c{place}": identifier(one.name, dialect) for place, one in enumerate(self._raw)}
        items = {**cells, **self.target.items, "s": stratum}
        listed = ", ".join([*items, "h"])
        ends = "".join(
            f" WHEN s = {place} THEN {float_literal(min(1.0, share))}" for place, share in enumerate(shares)
        )
        hashed = hash_query(terms, items, dialect, self._date_names)
        found = self.engine.query(
            f"SELECT {listed}, COUNT(*) AS n FROM ({hashed}) AS drawn "
            f"WHERE s IS NOT NULL AND h < (CASE{ends} ELSE 0e0 END) GROUP BY {listed}"
        )
        found = found.take(np.lexsort((np.arange(found.num_rows), _floats(found, "h"))))
        frame = found.select(list(cells)).to_pandas(integer_object_nulls=True)
        frame = frame.set_axis([one.name for one in self._raw], axis="columns")
        outcome = {name: _floats(found, name) for name in self.target.items}
        frame.attrs["outcome"], frame.attrs["counts"] = outcome, _floats(found, "n")
        strata = _floats(found, "s").astype(np.int64)
        return Drawn(frame, strata, len(np.unique(_floats(found, "h"))))

    @property
    def _date_names(self) -> set[str]:
        return {one.name for one in self._raw if one.kind is Kind.DATE}

    def _read(self, frame: pd.DataFrame, drawn: Drawn) -> Table:
        """Return rows that were drawn as a table, read by the plans of the columns."""
        source, columns = Source(frame), {}
        for name, plan in self.plans.items():  # not Source.columns: its notes would count the sample
            columns[name] = read_by(source.cells(name), plan, name).column
        outcome, counts = self.target.of(frame.attrs["outcome"]), frame.attrs["counts"]
        return Table(columns, self.plans, counts, np.arange(1, len(counts) + 1), outcome)

    # Counts

    def group(self, parts: Mapping[str, Parts], window: Window | None = None) -> Groups:
        """Group rows by parts of columns and by outcome."""
        sql = {name: self._column(name).code(part) for name, part in parts.items()}
        sizes = {name: part.size(self.columns[name].kind) for name, part in parts.items()}
        where = ""
        if window is not None:
            value, reach = self._column(window.column).value, window.reach
            middle, step = float_literal(window.middle), float_literal(window.step)
            place = f"CAST(CEIL(({value} - {middle}) / {step}) AS BIGINT) + {reach}"
            last = 2 * reach
            sql["\0place"] = (
                f"CASE WHEN {place} < 1 THEN 1 WHEN {place} > {last} THEN {last} ELSE {place} END"
            )
            sizes["\0place"] = last + 1
            low, high = float_literal(window.low), float_literal(window.high)
            where = f"{value} > {low} AND {value} <= {high}"
        groups = packed(sizes)
        keys = {f"p{i}": _packed_sql(one.names, one.sizes, sql) for i, one in enumerate(groups) if one.names}
        items = {**keys, **self.target.items, "s": self.target.stratum, "n": "COUNT(*)"}
        found = self.engine.query(select(items, where=where, group=[*keys, *self.target.items, "s"]))
        found = found.filter(found.column("s").is_valid())
        outcome = {name: _floats(found, name) for name in self.target.items}
        arrays = {key: np.asarray(found.column(key).to_numpy()).astype(np.int64) for key in keys}
        order = np.lexsort((*outcome.values(), *arrays.values()))
        codes: dict[str, Any] = {}
        for i, group in enumerate(groups):
            if group.names:
                codes |= group.unpack(arrays[f"p{i}"][order])
        places = codes.pop("\0place", None)
        of_groups = self.target.of({name: values[order] for name, values in outcome.items()})
        return Groups(codes, of_groups, _floats(found, "n")[order], places)

    def part(self, fold: int, folds: int, *, inside: bool) -> "SqlRows":
        """Return the rows of one fold by the hash of rows, or all others."""
        engine = _Fold(self.engine, self._ways[-1], fold, folds, inside, self._date_names)
        return SqlRows(engine, self.target.on(engine), **self._options, size=self._size)

    def _column(self, name: str) -> EngineColumn:
        column = self.columns[name]
        assert isinstance(column, EngineColumn)
        return column

    @property
    def _sql_columns(self) -> dict[str, SqlColumn]:
        columns = {name: self._column(name).sql for name in self.columns}
        return {name: column for name, column in columns.items() if column is not None}

    # Columns

    def _profile(
        self,
        frame: pd.DataFrame,
        ranges: Mapping[str, tuple[float, float]],
        counts: Mapping[str, int],
        guarded: set[str],
    ) -> tuple[dict[str, EngineColumn], tuple[LeftOut, ...], dict[str, ColumnPlan]]:
        """Return the columns that a rule may use, those left out, and plans of numbers and dates in texts."""
        exact, known = self._options["exact"], self._options["plans"]
        plans, notes = _understood(frame, self._raw, known, exact)
        columns, left_out = {}, []
        formatted: dict[str, ColumnPlan] = {}
        flags = [x for x in self._raw if x.kind is Kind.NUMBER and plans[x.name].kind is Kind.BOOLEAN]
        not_flags = _not_flags(self.engine, flags)
        for one in self._raw:
            plan = plans[one.name]
            if one.name in not_flags:
                plan = understand(Source(frame).cells(one.name), kind=Kind.NUMBER).plan
            if one.kind is Kind.TEXT and plan.kind is not Kind.TEXT:
                formatted[one.name] = plan
                continue
            column = self._engine_column(one, plan, ranges.get(one.name, (0.0, 0.0)), one.name not in guarded)
            if plan.kind is Kind.TEXT:
                column = self._with_categories(column, frame[one.name], exact, notes)
            if _counts_rows(column, counts.get(one.name, 0)):
                left_out.append(LeftOut(one.name, Reason.IDENTIFIER, usable=True))
                continue
            columns[one.name] = column
        for name, note in notes.items():
            logger.warning("%s", Note(name, note))
        return columns, tuple(left_out), formatted

    def _engine_column(
        self, one: RawColumn, plan: ColumnPlan, span: tuple[float, float], is_finite: bool
    ) -> EngineColumn:
        sql = SqlColumn(one.name, plan, self.engine.dialect, typed=True, finite=is_finite)
        return EngineColumn(one.name, plan, *span, plan.whole, None, sql)

    def _with_categories(
        self, column: EngineColumn, cells: "pd.Series[str]", exact: bool, notes: dict[str, str]
    ) -> EngineColumn:
        """Ask all rows for the categories of a text column, and how each is spelled."""
        n_known = int(cells.notna().sum())
        if cells.nunique() > max(_REPEATED * n_known, 2):
            return column
        quoted = identifier(column.name, self.engine.dialect)
        found = self.engine.query(select({"v": quoted, "n": "COUNT(*)"}, group=["v"]))
        if found.num_rows > _MOST_CATEGORIES:
            return column
        held = [(text, n) for text, n in zip(*found.to_pydict().values(), strict=True) if text is not None]
        held.sort()
        texts, counts = [text for text, _ in held], np.array([n for _, n in held], dtype=np.int64)
        read = recognise_categories(texts, counts, exact=exact)
        if read.note:
            notes[column.name] = read.note
        spelled: dict[str, list[str]] = {}
        for text, used in zip(texts, read.values, strict=True):
            spelled.setdefault(str(used), []).append(text)
        ways = {used: tuple(texts) for used, texts in spelled.items()}
        sql = _SpelledColumn(column.name, read.plan, self.engine.dialect, typed=True, spelled=ways)
        return replace(column, plan=read.plan, categories=tuple(sorted(spelled)), sql=sql, spelled=ways)


@dataclass(frozen=True, eq=False)
class _Fold:
    """The rows of one fold of an engine, or those of all others."""

    engine: Engine
    terms: Sequence[Term]
    fold: int
    folds: int
    inside: bool
    dates: set[str]

    @property
    def dialect(self) -> Dialect:
        return self.engine.dialect

    @property
    def columns(self) -> Sequence[RawColumn]:
        return self.engine.columns

    def query(self, sql: str) -> Any:
        """Answer a query on the rows of the fold."""
        places = {f"x{i}": identifier(one.name, self.dialect) for i, one in enumerate(self.columns)}
        back = ", ".join(f"{alias} AS {column}" for alias, column in places.items())
        stretched = f"h * {float_literal(FOLD)}"
        fold = f"FLOOR(({stretched} - FLOOR({stretched})) * {float_literal(self.folds)})"
        same = "=" if self.inside else "<>"
        hashed = hash_query(self.terms, places, self.dialect, self.dates)
        part = f"SELECT {back} FROM ({hashed}) AS dealt WHERE {fold} {same} {self.fold}"
        return self.engine.query(sql.replace(f"FROM {ROWS}", f"FROM ({part}) AS fold"))

    def close(self) -> None:
        """Leave the engine open: it belongs to the whole table."""


def hash_query(terms: Sequence[Term], items: Mapping[str, str], dialect: Dialect, dates: set[str]) -> str:
    """Write a query that adds the hash of each row, as ``h``; see :mod:`nri.rows.hashing`.

    Each step is a query of its own, so that nothing is computed twice.
    """
    listed = ", ".join(items)
    sql = select({**items, "h0": " + ".join(_term(term, dialect, dates) for term in terms)})
    stretched = f"h0 * {float_literal(ROUNDS[0])}"
    for factor in ROUNDS[1:]:
        sql = f"SELECT {listed}, {stretched} AS h0 FROM ({sql}) AS stretched"
        stretched = f"(h0 - FLOOR(h0)) * {float_literal(factor)}"
    sql = f"SELECT {listed}, {stretched} AS h0 FROM ({sql}) AS stretched"
    return f"SELECT {listed}, h0 - FLOOR(h0) AS h FROM ({sql}) AS hashed"


def _term(term: Term, dialect: Dialect, dates: set[str]) -> str:
    quoted = identifier(term.column, dialect)
    if term.part == "flag":
        yes, no, unknown = (float_literal(value) for value in (term.yes, term.no, UNKNOWN))
        return f"CASE WHEN {quoted} THEN {yes} WHEN NOT {quoted} THEN {no} ELSE {unknown} END"
    if term.part == "number":
        value = dialect.microseconds.format(x=quoted) if term.column in dates else quoted
        value = dialect.double.format(x=value)
        product = f"(({value} - {float_literal(term.low)}) * {float_literal(term.factor)})"
        inside = f"{value} BETWEEN {float_literal(term.low)} AND {float_literal(term.high)}"
        return _fraction(product, inside)
    length = f"LENGTH({quoted})"
    middle = f"SUBSTR({quoted}, CAST(FLOOR({dialect.double.format(x=length)} / 2e0) AS INTEGER) + 1, 1)"
    letter = {"first": f"SUBSTR({quoted}, 1, 1)", "last": f"SUBSTR({quoted}, {length}, 1)", "middle": middle}
    value = length
    if term.part != "length":
        value = f"COALESCE({dialect.letter.format(x=letter[term.part])}, 0)"
    product = f"({dialect.double.format(x=value)} * {float_literal(term.factor)})"
    return _fraction(product, f"{quoted} IS NOT NULL")


def _fraction(product: str, inside: str) -> str:
    return f"CASE WHEN {inside} THEN ({product} - FLOOR({product})) ELSE {float_literal(UNKNOWN)} END"


def _packed_sql(names: Sequence[str], sizes: Sequence[int], codes: Mapping[str, str]) -> str:
    terms, unit = [], 1
    for name, size in zip(names, sizes, strict=True):
        terms.append(codes[name] if unit == 1 else f"CAST({codes[name]} AS BIGINT) * {unit}")
        unit *= size
    return " + ".join(terms)


def _floats(found: Any, column: str) -> FloatArray:
    return np.asarray(found.column(column).to_numpy(), dtype=np.float64)


def _ranges(
    engine: Engine, raw: Sequence[RawColumn]
) -> tuple[dict[str, tuple[float, float]], dict[str, int], set[str]]:
    """Return least and largest number of each column, its known cells, and which have other cells."""
    measured = [one for one in raw if one.kind in (Kind.NUMBER, Kind.DATE)]
    if not measured:
        return {}, {}, set()
    spans = _extremes(engine, [(one, _value(one, engine)) for one in measured])
    odd = [one for one in measured if not np.isfinite(spans[one.name][:2]).all()]
    if odd:
        spans |= _extremes(engine, [(one, finite(_value(one, engine))) for one in odd])
    ranges = {name: (span[0], span[1]) for name, span in spans.items() if np.isfinite(span[:2]).all()}
    return ranges, {name: int(span[2]) for name, span in spans.items()}, {one.name for one in odd}


def _value(one: RawColumn, engine: Engine) -> str:
    template = engine.dialect.microseconds if one.kind is Kind.DATE else engine.dialect.double
    return template.format(x=identifier(one.name, engine.dialect))


def _extremes(
    engine: Engine, values: Sequence[tuple[RawColumn, str]]
) -> dict[str, tuple[float, float, float]]:
    items: dict[str, str] = {}
    for i, (_, value) in enumerate(values):
        items |= {f"a{i}": f"MIN({value})", f"b{i}": f"MAX({value})", f"n{i}": f"COUNT({value})"}
    found = engine.query(select(items)).to_pydict()

    def number(key: str) -> float:
        return np.nan if found[key][0] is None else float(found[key][0])

    return {
        one.name: (number(f"a{i}"), number(f"b{i}"), number(f"n{i}")) for i, (one, _) in enumerate(values)
    }


def _understood(
    frame: pd.DataFrame, raw: Sequence[RawColumn], known: Mapping[str, ColumnPlan], exact: bool
) -> tuple[dict[str, ColumnPlan], dict[str, str]]:
    source, plans, notes = Source(frame), {}, {}
    for one in raw:
        if one.name in known:
            plans[one.name] = known[one.name]
            continue
        read = understand(source.cells(one.name), exact=exact)
        plans[one.name] = read.plan
        if read.note and one.kind is not Kind.TEXT:
            notes[one.name] = f"in a sample of {len(frame)} rows, {read.note}"
    return plans, notes


def _not_flags(engine: Engine, raw: Sequence[RawColumn]) -> set[str]:
    """Return the columns that hold more than 0 and 1 on some row."""
    if not raw:
        return set()
    items = {
        f"n{i}": f"SUM(CASE WHEN {_value(one, engine)} IN (0e0, 1e0) THEN 0 "
        f"WHEN {_value(one, engine)} IS NULL THEN 0 ELSE 1 END)"
        for i, one in enumerate(raw)
    }
    found = engine.query(select(items)).to_pydict()
    return {one.name for i, one in enumerate(raw) if (found[f"n{i}"][0] or 0) > 0}


def _counts_rows(column: RowsColumn, n_known: int) -> bool:
    """Whether whole numbers without a gap number the rows; a sample alone cannot show that."""
    return bool(column.whole and n_known > 1000 and column.high - column.low == n_known - 1)
