"""Profile: what the columns of a table in an engine mean, from a sample and from aggregates of all rows.

What a column is, is decided on a sample as for any table (:func:`nri.table.reading.understand`). What a
sample can miss is asked of all rows: the least and the largest number, whether 0 and 1 are all there is,
every category with every spelling, and whether numbers merely count the rows.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from nri.arrays import FloatArray
from nri.engine.columns import EngineColumn
from nri.engine.rows import RawColumn, Rows, select
from nri.engine.sample import Drawn, Hash, draw, hashes, shares_of
from nri.engine.target import EngineTarget
from nri.errors import InputError
from nri.rule.literal import Kind
from nri.rule.plan import ColumnPlan
from nri.rule.render.sql import finite
from nri.rule.render.sql_dialects import identifier
from nri.table.kinds import category
from nri.table.reading import read_by, understand
from nri.table.source import Source
from nri.table.table import Note, Table
from nri.table.target import counted_classes
from nri.table.usable import LeftOut, Reason

logger = logging.getLogger(__name__)

_MOST_CATEGORIES = 10_000
"""Columns of more different texts are known by the sample alone."""
_REPEATED = 0.5
"""Share of different texts in the sample above which a column is one of names, not of categories."""


@dataclass(frozen=True, eq=False)
class Profile:
    """What is known of a table before a rule is looked for."""

    rows: Rows
    target: EngineTarget
    columns: Mapping[str, EngineColumn]
    """those that a rule may speak about"""
    raw: Sequence[RawColumn]
    """the same as the engine has them"""
    left_out: tuple[LeftOut, ...]
    hashed: Hash
    sample: Drawn
    dressed: Mapping[str, ColumnPlan] = field(default_factory=dict)
    """text columns that hold numbers, dates or yes and no; they are not among the columns"""

    @property
    def plans(self) -> dict[str, ColumnPlan]:
        """How each column is read."""
        return {one: column.plan for one, column in self.columns.items()}

    @property
    def remark(self) -> str:
        """One line on the rows that a rule is looked for in."""
        classes = counted_classes(self.target.counts.astype(int).tolist(), self.target.labels.classes)
        more = f"; {self.target.without} more without a target" if self.target.without else ""
        return f"{self.target.n_rows} rows ({classes}), {len(self.columns)} columns{more}"

    def table(self, drawn: Drawn, weights: FloatArray | None = None) -> Table:
        """Return rows that were drawn as a table with classes."""
        read = Source(drawn.frame)
        columns = {}
        for one, plan in self.plans.items():  # not Source.columns: its notes would count the sample
            columns[one] = read_by(read.cells(one), plan, one).column
        labels = replace(self.target.labels, codes=drawn.codes)
        counts = drawn.counts if weights is None else weights
        return Table(columns, self.plans, counts, np.arange(1, len(counts) + 1), labels)


def profile(
    rows: Rows,
    target: EngineTarget,
    size: int,
    *,
    exact: bool = False,
    known: Mapping[str, ColumnPlan] | None = None,
    never: Sequence[str] = (),
) -> Profile:
    """Look at the columns of a table.

    Parameters
    ----------
    rows, target
        The engine, and what is to be explained.
    size
        About how many rows to draw.
    exact
        Whether texts that differ only in case and blanks are kept apart.
    known
        Plans of columns that were read before, when they were copied.
    never
        Columns that are not asked for.
    """
    raw = [one for one in rows.columns if one.name != target.column and one.name not in never]
    strange = [one.name for one in raw if one.kind is None]
    for one_name in strange:
        logger.warning("%s", Note(one_name, "lists, structures and bytes are left out"))
    raw = [one for one in raw if one.kind is not None]
    if not raw:
        raise InputError("no column can be used; give numbers, dates, texts or booleans")
    ranges, counts, guarded = _ranges(rows, raw)
    hashed, drawn = _first_sample(rows, raw, ranges, target, size)
    plans, notes = _understood(drawn.frame, raw, known or {}, exact)
    columns, left_out = {}, []
    dressed: dict[str, ColumnPlan] = {}
    not_flags = _not_flags(rows, [one for one in raw if _looks_flagged(one, plans[one.name])])
    for one in raw:
        plan = plans[one.name]
        if one.name in not_flags:
            plan = understand(Source(drawn.frame).cells(one.name), kind=Kind.NUMBER).plan
        if one.kind is Kind.TEXT and plan.kind is not Kind.TEXT:
            dressed[one.name] = plan
            continue
        low, high = ranges.get(one.name, (0.0, 0.0))
        column = EngineColumn(
            one.name,
            plan,
            rows.dialect,
            typed=True,
            finite=one.name not in guarded,
            low=low,
            high=high,
            whole=plan.whole,
        )
        if plan.kind is Kind.TEXT:
            column = _with_categories(rows, column, drawn.frame[one.name], exact, notes)
        if _counts_rows(column, counts.get(one.name, 0)):
            left_out.append(LeftOut(one.name, Reason.IDENTIFIER, usable=True))
            continue
        columns[one.name] = column
    for column_name, note in notes.items():
        logger.warning("%s", Note(column_name, note))
    used = [one for one in raw if one.name in columns]
    return Profile(rows, target, columns, used, tuple(left_out), hashed, drawn, dressed)


def _ranges(
    rows: Rows, raw: Sequence[RawColumn]
) -> tuple[dict[str, tuple[float, float]], dict[str, int], set[str]]:
    """Return least and largest number of each column, its known cells, and which hold what is no number."""
    measured = [one for one in raw if one.kind in (Kind.NUMBER, Kind.DATE)]
    if not measured:
        return {}, {}, set()
    found = _extremes(rows, [(one, _value(one, rows)) for one in measured])
    odd = [one for one in measured if not _is_finite(found[one.name][:2])]
    guarded = {one.name for one in odd}
    if odd:
        found |= _extremes(rows, [(one, finite(_value(one, rows))) for one in odd])
    ranges = {one: (span[0], span[1]) for one, span in found.items() if _is_finite(span[:2])}
    return ranges, {one: int(span[2]) for one, span in found.items()}, guarded


def _value(one: RawColumn, rows: Rows) -> str:
    template = rows.dialect.microseconds if one.kind is Kind.DATE else rows.dialect.double
    return template.format(x=identifier(one.name, rows.dialect))


def _is_finite(span: Sequence[float]) -> bool:
    return bool(np.isfinite(span).all())


def _extremes(rows: Rows, asked: Sequence[tuple[RawColumn, str]]) -> dict[str, tuple[float, float, float]]:
    items: dict[str, str] = {}
    for place, (_, value) in enumerate(asked):
        items |= {f"a{place}": f"MIN({value})", f"b{place}": f"MAX({value})", f"n{place}": f"COUNT({value})"}
    found = rows.query(select(items)).to_pydict()
    return {
        one.name: tuple(  # type: ignore[misc]
            np.nan if found[f"{k}{place}"][0] is None else float(found[f"{k}{place}"][0]) for k in "abn"
        )
        for place, (one, _) in enumerate(asked)
    }


def _first_sample(
    rows: Rows,
    raw: Sequence[RawColumn],
    ranges: Mapping[str, tuple[float, float]],
    target: EngineTarget,
    size: int,
) -> tuple[Hash, Drawn]:
    """Draw rows of every class; where many share a hash, by a better hash or a larger share."""
    ways = hashes(raw, ranges, rows)
    if not ways:
        raise InputError("no column can be used: none varies; give columns that vary")
    shares = shares_of(target.counts, size)
    while True:
        drawn = draw(rows, ways[0], raw, target.code, target.code, shares.tolist())
        wanted = min(0.5 * size, 0.5 * target.n_rows)
        if drawn.n_hashes >= wanted or (len(ways) == 1 and (shares >= 1.0).all()):
            return ways[0], drawn
        if len(ways) > 1:
            ways = ways[1:]
        else:
            shares = np.minimum(1.0, shares * min(64.0, 1.5 * size / max(drawn.n_hashes, 1)))


def _understood(
    frame: pd.DataFrame, raw: Sequence[RawColumn], known: Mapping[str, ColumnPlan], exact: bool
) -> tuple[dict[str, ColumnPlan], dict[str, str]]:
    source, plans, notes = Source(frame), {}, {}
    for one in raw:
        if one.name in known:
            plans[one.name] = known[one.name]
            continue
        found = understand(source.cells(one.name), exact=exact)
        plans[one.name] = found.plan
        if found.note and one.kind is not Kind.TEXT:
            notes[one.name] = f"in a sample of {len(frame)} rows, {found.note}"
    return plans, notes


def _looks_flagged(one: RawColumn, plan: ColumnPlan) -> bool:
    return one.kind is Kind.NUMBER and plan.kind is Kind.BOOLEAN


def _not_flags(rows: Rows, asked: Sequence[RawColumn]) -> set[str]:
    """Return the columns that hold more than 0 and 1 on some row."""
    if not asked:
        return set()
    items = {
        f"n{place}": f"SUM(CASE WHEN {_value(one, rows)} IN (0e0, 1e0) THEN 0 "
        f"WHEN {_value(one, rows)} IS NULL THEN 0 ELSE 1 END)"
        for place, one in enumerate(asked)
    }
    found = rows.query(select(items)).to_pydict()
    return {one.name for place, one in enumerate(asked) if (found[f"n{place}"][0] or 0) > 0}


def _with_categories(
    rows: Rows,
    column: EngineColumn,
    cells: "pd.Series[str]",
    exact: bool,
    notes: dict[str, str],
) -> EngineColumn:
    """Ask all rows for the categories of a text column, and how each is spelled."""
    n_known = int(cells.notna().sum())
    if cells.nunique() > max(_REPEATED * n_known, 2):
        return column
    found = rows.query(select({"v": identifier(column.name, rows.dialect), "n": "COUNT(*)"}, group=["v"]))
    if found.num_rows > _MOST_CATEGORIES:
        return column
    held = [(text, n) for text, n in zip(*found.to_pydict().values(), strict=True) if text is not None]
    held.sort()
    texts, counts = [text for text, _ in held], np.array([n for _, n in held], dtype=np.int64)
    read = category.recognise(texts, counts, exact=exact)
    if read.note:
        notes[column.name] = read.note
    spelled: dict[str, list[str]] = {}
    for text, used in zip(texts, read.values, strict=True):
        spelled.setdefault(str(used), []).append(text)
    return replace(
        column,
        plan=read.plan,
        categories=tuple(sorted(spelled)),
        spelled={used: tuple(ways) for used, ways in spelled.items()},
    )


def _counts_rows(column: EngineColumn, n_known: int) -> bool:
    """Whether whole numbers without a gap number the rows; a sample alone cannot tell."""
    return bool(column.whole and n_known > 1000 and column.high - column.low == n_known - 1)
