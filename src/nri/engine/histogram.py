"""Histograms: a table with weights that says of all rows what literals can say of them.

Rows are grouped by the part that each cell lies in and by their class. One row with their number as its
weight stands for each group, so every clause that is made of the literals counts exactly what it covers on
all rows.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nri.arrays import FloatArray, IntArray
from nri.engine.columns import EngineColumn, Parts, parts_of
from nri.engine.profile import Profile
from nri.engine.rows import select
from nri.rule.column import Column
from nri.rule.literal import Literal
from nri.rule.render.sql import fires
from nri.rule.render.sql_dialects import float_literal
from nri.rule.ruleset import RuleSet
from nri.table.binarizer import Binarizer
from nri.table.table import Table

_MOST_CLAUSES = 60
"""Clauses whose firing is one integer."""
_KEY = 2**62
"""Codes of several columns are packed into one integer below this."""


def literals_of(rules: Iterable[RuleSet]) -> set[Literal]:
    """Return every literal of some rules."""
    return {x for one in rules for rule in one.rules for clause in rule.rule for x in clause}


@dataclass(frozen=True)
class _Packed:
    """Some columns whose codes fit into one integer."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]

    def sql(self, codes: Mapping[str, str]) -> str:
        terms, unit = [], 1
        for name, size in zip(self.names, self.sizes, strict=True):
            terms.append(codes[name] if unit == 1 else f"CAST({codes[name]} AS BIGINT) * {unit}")
            unit *= size
        return " + ".join(terms)

    def codes(self, keys: IntArray) -> dict[str, IntArray]:
        found = {}
        for name, size in zip(self.names, self.sizes, strict=True):
            keys, found[name] = np.divmod(keys, size)
        return found


def _packed(sizes: Mapping[str, int]) -> list[_Packed]:
    groups: list[list[str]] = [[]]
    room = 1
    for name, size in sizes.items():
        if room * size >= _KEY:
            groups.append([])
            room = 1
        groups[-1].append(name)
        room *= size
    return [_Packed(tuple(names), tuple(sizes[name] for name in names)) for names in groups]


@dataclass(frozen=True, eq=False)
class Histogram:
    """What all rows are to some literals."""

    table: Table
    """groups of rows that are alike, with their number as weight"""
    parts: Mapping[str, Parts]
    codes: Mapping[str, IntArray]
    """for each column the part of each group"""
    literals: frozenset[Literal]
    """what it can tell"""


def histogram(profile: Profile, literals: Collection[Literal]) -> Histogram:
    """Count all rows by the literals that hold on them, and by their class."""
    parts = parts_of(literals, profile.columns)
    codes, classes, counts = _count(profile, parts, {})
    return Histogram(_table(profile, parts, codes, classes, counts), parts, codes, frozenset(literals))


def histogram_of_rule(profile: Profile, rule: RuleSet) -> Histogram | None:
    """Count all rows by the clauses that fire on them: far fewer groups than those of their literals.

    Each group has a row for its own on which the same clauses fire, so that it tells what the clauses of this
    rule cover, and nothing of others. None if there are too many clauses or cuts for that.
    """
    literals = literals_of([rule])
    clauses = [clause for one in rule.rules for clause in one.rule]
    parts = parts_of(literals, profile.columns)
    sizes = {name: part.size(profile.columns[name].kind) for name, part in parts.items()}
    [packed, *more] = _packed(sizes)
    if more or not packed.names or len(clauses) > _MOST_CLAUSES:
        return None
    conditions = [fires(clause, profile.columns).sql(dialect=profile.rows.dialect.name) for clause in clauses]
    fired = " + ".join(
        f"CASE WHEN {condition} THEN {2**place} ELSE 0 END" for place, condition in enumerate(conditions)
    )
    key = packed.sql({name: profile.columns[name].code(part) for name, part in parts.items()})
    items = {"f": fired, "k": profile.target.code, "p": f"MIN({key})", "n": "COUNT(*)"}
    found = profile.rows.query(select(items, group=["f", "k"]))
    known = np.asarray(found.column("k").is_valid())
    keys, classes, counts = (np.asarray(found.column(one).to_numpy())[known] for one in "pkn")
    order = np.lexsort((classes.astype(np.int64), keys.astype(np.int64)))
    codes = packed.codes(keys.astype(np.int64)[order])
    table = _table(profile, parts, codes, classes.astype(np.int64)[order], counts.astype(np.float64)[order])
    return Histogram(table, parts, codes, frozenset(literals))


def narrowed(profile: Profile, wider: Histogram, literals: Collection[Literal]) -> Histogram:
    """Return what a histogram says of fewer literals; the engine is asked only for what it does not say.

    A rule can name a category that nobody asked about: neither red nor blue is green, if there is no other.
    """
    parts = parts_of(literals, profile.columns)
    recoded = {name: _recoded(wider, profile.columns[name], part) for name, part in parts.items()}
    codes = {name: found for name, found in recoded.items() if found is not None}
    if len(codes) < len(parts):
        return histogram(profile, literals)
    keys = np.stack([*codes.values(), wider.table.codes])
    groups, inverse = np.unique(keys, axis=1, return_inverse=True)
    n_groups = groups.shape[1]
    counts = np.bincount(inverse.reshape(-1), wider.table.weights, n_groups).astype(np.float64)
    merged = dict(zip(codes, groups[:-1], strict=True))
    return Histogram(_table(profile, parts, merged, groups[-1], counts), parts, merged, frozenset(literals))


def _recoded(wider: Histogram, column: EngineColumn, part: Parts) -> IntArray | None:
    """Return codes of finer parts as codes of coarser ones; None if the finer ones do not tell them."""
    if column.name not in wider.parts:
        return None
    codes, finer = wider.codes[column.name], wider.parts[column.name]
    if finer.texts or part.texts:
        rest = {*(column.categories or ())} - {*finer.texts}
        new = {*part.texts} - {*finer.texts}
        if new and (column.categories is None or new != rest or len(rest) > 1):
            return None
        other = part.texts.index(new.pop()) + 2 if new else 1
        into = [0, other, *(part.texts.index(text) + 2 if text in part.texts else 1 for text in finer.texts)]
    elif not {*part.cuts} <= {*finer.cuts}:
        return None
    elif finer.cuts:
        edges = np.array([*finer.cuts, np.inf])
        into = [0, *(1 + np.searchsorted(part.cuts, edges, side="left")).tolist()]
    else:
        return codes
    return np.asarray(into, dtype=np.int64)[codes]


def _count(
    profile: Profile, parts: Mapping[str, Parts], more: Mapping[str, tuple[str, int]], where: str = ""
) -> tuple[dict[str, IntArray], IntArray, FloatArray]:
    """Group rows; ``more`` are further codes by name, each with how many there are."""
    columns = profile.columns
    sql = {name: columns[name].code(part) for name, part in parts.items()}
    sizes = {name: part.size(columns[name].kind) for name, part in parts.items()}
    sql |= {name: code for name, (code, _) in more.items()}
    sizes |= {name: size for name, (_, size) in more.items()}
    groups = _packed(sizes)
    keys = {f"p{place}": group.sql(sql) for place, group in enumerate(groups) if group.names}
    items = {**keys, "k": profile.target.code, "n": "COUNT(*)"}
    found = profile.rows.query(select(items, where=where, group=[*keys, "k"]))
    known = np.asarray(found.column("k").is_valid())
    arrays = {one: np.asarray(found.column(one).to_numpy())[known] for one in found.column_names}
    order = np.lexsort((arrays["k"].astype(np.int64), *(arrays[key].astype(np.int64) for key in keys)))
    codes: dict[str, IntArray] = {}
    for place, group in enumerate(groups):
        if group.names:
            codes |= group.codes(arrays[f"p{place}"].astype(np.int64)[order])
    return codes, arrays["k"].astype(np.int64)[order], arrays["n"].astype(np.float64)[order]


def _table(
    profile: Profile,
    parts: Mapping[str, Parts],
    codes: Mapping[str, IntArray],
    classes: IntArray,
    counts: FloatArray,
) -> Table:
    columns = {name: profile.columns[name].cells(codes[name], part) for name, part in parts.items()}
    return _weighted(profile, columns, classes, counts)


def _weighted(
    profile: Profile, columns: Mapping[str, Column], classes: IntArray, counts: FloatArray
) -> Table:
    labels = replace(profile.target.labels, codes=classes)
    plans = {name: profile.columns[name].plan for name in columns}
    return Table(columns, plans, counts, np.arange(1, len(counts) + 1), labels)


def binarizer_of(profile: Profile, literals: Collection[Literal]) -> Binarizer:
    """Return a binarizer that asks exactly what literals say, in one order."""
    asked = {x if x.positive else x.negate() for x in literals}
    ordered = sorted(asked, key=lambda literal: literal.sort_key)
    return Binarizer.asking(ordered, {x.column: profile.columns[x.column].domain for x in ordered})


@dataclass(frozen=True)
class Window:
    """Places around a border, evenly spaced."""

    column: str
    middle: float
    """the border, as the engine's number"""
    step: float
    reach: int
    """how many places there are on each side"""

    @property
    def low(self) -> float:
        """Lower end; cells up to it are outside."""
        return self.middle - self.reach * self.step

    @property
    def high(self) -> float:
        """Upper end; cells above it are outside."""
        return self.middle + self.reach * self.step


def fine(profile: Profile, coarse: Histogram, window: Window) -> Table:
    """Return the rows as a histogram does, but with all places of a window told apart.

    Only rows with a cell in the window are asked about; how many there are beyond it follows from the
    histogram.
    """
    column = profile.columns[window.column]
    value = column.sql
    middle, step, reach = float_literal(window.middle), float_literal(window.step), window.reach
    place = f"CAST(CEIL(({value} - {middle}) / {step}) AS BIGINT) + {reach}"
    place = f"CASE WHEN {place} < 1 THEN 1 WHEN {place} > {2 * reach} THEN {2 * reach} ELSE {place} END"
    inside = f"{value} > {float_literal(window.low)} AND {value} <= {float_literal(window.high)}"
    codes, classes, counts = _count(profile, coarse.parts, {"\0place": (place, 2 * reach + 1)}, where=inside)
    places = codes.pop("\0place")
    rest = _beyond(coarse, codes, classes, counts)
    joined = {name: np.concatenate([codes[name], coarse.codes[name]]) for name in coarse.parts}
    columns = {name: profile.columns[name].cells(joined[name], part) for name, part in coarse.parts.items()}
    columns[window.column] = _placed(column, coarse, joined[window.column], places, window)
    all_classes = np.concatenate([classes, coarse.table.codes])
    table = _weighted(profile, columns, all_classes, np.concatenate([counts, rest]))
    return table.take(table.weights > 0)


def _beyond(
    coarse: Histogram, codes: Mapping[str, IntArray], classes: IntArray, counts: FloatArray
) -> FloatArray:
    """For each group of the histogram, how many of its rows are outside the window."""
    names = list(coarse.parts)
    where = {key: place for place, key in enumerate(_keys(coarse.codes, coarse.table.codes, names))}
    rest = coarse.table.weights.copy()
    for key, count in zip(_keys(codes, classes, names), counts, strict=True):
        rest[where[key]] -= count
    return rest


def _keys(codes: Mapping[str, IntArray], classes: IntArray, names: Sequence[str]) -> list[tuple[int, ...]]:
    return list(zip(*(codes[name].tolist() for name in names), classes.tolist(), strict=True))


def _placed(
    column: EngineColumn, coarse: Histogram, codes: IntArray, places: IntArray, window: Window
) -> Column:
    """Return cells that lie in their part and, inside the window, between their two places."""
    cuts = np.array(coarse.parts[window.column].cuts)
    edges = np.concatenate([[-np.inf], cuts, [np.inf]])
    part = np.maximum(codes - 1, 0)
    lower, upper = edges[part].copy(), edges[part + 1].copy()
    n = len(places)
    at = window.middle + (places - window.reach) * window.step
    upper[:n] = np.minimum(upper[:n], at)
    below = np.arange(len(codes)) >= n
    outside_low = below & (upper <= window.middle)
    outside_high = below & (lower >= window.middle)
    upper[outside_low] = np.minimum(upper[outside_low], window.low)
    last = max(column.high, window.high) + max(window.step, 1.0)
    values = np.where(np.isfinite(upper), upper, last)
    values[outside_high & (values <= window.high)] = np.nextafter(window.high, np.inf)
    return column.column(values, codes > 0)
