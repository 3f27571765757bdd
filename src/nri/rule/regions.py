"""Regions: the cells that a column can have, as far as anybody knows, cut where literals tell them apart.

A rule can only be simplified, or two be called equivalent, with respect to the rows that can occur: that is
the *domain*. A column that no domain mentions can hold any value that suits its literals, and can be unknown.

Literals on one column cut its values into finitely many *regions*: with ``age > 3`` and
``age <= 7`` these are up to 3, above 3 up to 7, above 7; "unknown" is one more, on which no literal
holds. One cell stands for each region and a literal becomes the set of regions where the evaluator
says it holds, written as the bits of an integer. Everything about the meaning of literals
(thresholds are ordered, categories exclude each other) is thereby turned into set operations.

A conjunction is then a *cube*: one set of regions for each column. It fires on a row exactly where each
cell's region is in the cube's set for that column, unknown cells included, so rules can be compared as sets
of points of a finite grid. A counting clause is the union of the cubes of its smallest sufficient selections.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import numpy as np

from nri.errors import InputError
from nri.rule.clause import Clause
from nri.rule.column import Column, column_of, empty_column
from nri.rule.literal import Kind, Literal, Value, kind_of, plain_value
from nri.rule.truth import literal_truth


@dataclass(frozen=True)
class ColumnDomain:
    """What the cells of one column can be.

    >>> ColumnDomain(["red", "blue"]).values
    ('blue', 'red')
    """

    values: tuple[Value, ...] | None
    """All values that known cells can have (a closed set), None if any can occur."""
    complete: bool
    """Whether cells are never unknown."""

    def __init__(self, values: Iterable[object] | None = None, *, complete: bool = False) -> None:
        closed = None if values is None else _ordered({plain_value(value) for value in values})
        object.__setattr__(self, "values", closed)
        object.__setattr__(self, "complete", complete)


def _ordered(values: set[Value]) -> tuple[Value, ...]:
    kinds = {kind_of(value) for value in values}
    if len(kinds) > 1:
        raise InputError(f"a column's values mix {' and '.join(sorted(kinds))}: use one kind")
    if kinds == {Kind.TEXT}:
        return tuple(sorted(values, key=str))
    return tuple(sorted(values))


BOOLEAN = ColumnDomain([False, True])
"""A column of yes and no, with unknown cells."""

OPEN = ColumnDomain()
"""A column of any numbers, dates or texts, with unknown cells."""

Domain = Mapping[str, ColumnDomain]
"""What is known about columns; those that are not mentioned are :data:`OPEN`."""


@dataclass(frozen=True, eq=False)
class ColumnRegions:
    """The regions of one column."""

    name: str
    cells: Column
    """One cell for each region; region ``i`` is bit ``i``."""
    _masks: dict[Literal, int] = field(default_factory=dict)

    @property
    def everything(self) -> int:
        """All regions, the unknown one included if it can occur."""
        return (1 << len(self.cells)) - 1

    @property
    def known(self) -> int:
        """All regions of known cells."""
        return _bits(self.cells.known)

    def mask(self, literal: Literal) -> int:
        """Return the regions where the literal is known to hold."""
        if literal not in self._masks:
            self._masks[literal] = _bits(literal_truth(literal, {self.name: self.cells})[0])
        return self._masks[literal]

    def joined(self, literals: Iterable[Literal]) -> "ColumnRegions":
        """Return fewer regions: those that these literals do not tell apart become one."""
        masks = [self.mask(literal) for literal in literals]
        seen: dict[tuple[bool, ...], int] = {}
        for i in range(len(self.cells)):
            seen.setdefault((bool(self.cells.known[i]), *(bool(m >> i & 1) for m in masks)), i)
        return ColumnRegions(self.name, self.cells.take(np.array(sorted(seen.values()), dtype=np.int64)))


def regions_of(literals: Iterable[Literal], domain: Domain) -> dict[str, ColumnRegions]:
    """Cut every column that the literals speak about into regions, within its domain."""
    by_column: dict[str, list[Literal]] = {}
    for literal in dict.fromkeys(literals):
        by_column.setdefault(literal.column, []).append(literal)
    return {
        name: ColumnRegions(name, _representatives(name, group, domain.get(name, OPEN)))
        for name, group in by_column.items()
    }


def _representatives(name: str, literals: Sequence[Literal], domain: ColumnDomain) -> Column:
    if domain.values is not None:
        known = column_of(domain.values)
    else:
        kinds = {literal.kind for literal in literals}
        if kinds == {Kind.BOOLEAN, Kind.NUMBER}:
            kinds = {Kind.NUMBER}  # True is the number 1
        if len(kinds) > 1:
            raise InputError(f"column {name!r} is compared as {' and as '.join(sorted(kinds))}: use one kind")
        known = _open_cells(kinds.pop(), literals)
    if domain.complete:
        return known
    rows = np.append(np.arange(len(known)), 0)
    if not len(known):
        return empty_column(known.kind, 1)
    cells = known.take(rows)
    return Column(cells.values, np.append(known.known, False), cells.categories)


def _open_cells(kind: Kind, literals: Sequence[Literal]) -> Column:
    values = {literal.value for literal in literals}
    match kind:
        case Kind.BOOLEAN:
            return column_of([False, True])
        case Kind.TEXT:
            texts = sorted(map(str, values))
            other = max(texts, key=len) + "*"  # longer than each, so equal to none
            return column_of([*texts, other])
        case Kind.NUMBER:
            numbers = sorted({float(value) for value in values})  # type: ignore[arg-type]
            return column_of(_with_gaps([-math.inf, *numbers, math.inf]))
        case Kind.DATE:
            moments = np.array(sorted(values), dtype="datetime64[us]").astype(np.int64)
            return _date_cells(moments.tolist())


def _with_gaps(numbers: Sequence[float]) -> list[float]:
    """Put a number between neighbours, where float64 has one; the infinities stand for the ends."""
    cells = [numbers[0]]
    for low, high in pairwise(numbers):
        middle = low / 2 + high / 2
        inside = middle if low < middle < high else math.nextafter(low, math.inf)
        if math.isfinite(low) and math.isfinite(high) and low < inside < high:
            cells.append(inside)
        cells.append(high)
    return cells


def _date_cells(moments: Sequence[int]) -> Column:
    """As with numbers, in whole microseconds."""
    cells = [moments[0] - 1, moments[0]]
    for low, high in pairwise(moments):
        if high - low > 1:
            cells.append((low + high) // 2)
        cells.append(high)
    cells.append(moments[-1] + 1)
    values = np.array(cells, dtype=np.int64).astype("datetime64[us]")
    return Column(values, np.ones(len(values), dtype=bool))


def _bits(flags: Iterable[np.bool_]) -> int:
    return sum(1 << i for i, flag in enumerate(flags) if flag)


Cube = dict[str, int]
"""For each restricted column the regions it may be in; other columns may be anything."""

_MOST_PIECES = 500
"""A remainder in more pieces than this is given up on."""
_MOST_SELECTIONS = 40
"""A counting clause with more ways to hold than this, 3 of 7 has 35, is not taken apart."""


def cubes_of(clause: Clause, regions: Mapping[str, ColumnRegions]) -> list[Cube] | None:
    """Return cubes that together are where the clause fires, None if a counting clause needs too many."""
    if math.comb(len(clause), clause.at_least) > _MOST_SELECTIONS:
        return None
    found = (cube_of(chosen, regions) for chosen in combinations(clause, clause.at_least))
    cubes: list[Cube] = []
    for cube in found:
        if cube is not None and cube not in cubes:
            cubes.append(cube)
    return cubes


def cube_of(literals: Iterable[Literal], regions: Mapping[str, ColumnRegions]) -> Cube | None:
    """Return the cube where all of the literals hold, None if they never do."""
    cube: Cube = {}
    for literal in literals:
        column = regions[literal.column]
        cube[literal.column] = cube.get(literal.column, column.everything) & column.mask(literal)
    if not all(cube.values()):
        return None
    return {name: mask for name, mask in cube.items() if mask != regions[name].everything}


def contains(outer: Cube, inner: Cube) -> bool:
    """Whether every point of the inner cube is in the outer one."""
    return all(name in inner and inner[name] & ~mask == 0 for name, mask in outer.items())


def covered(cube: Cube, cubes: Iterable[Cube], regions: Mapping[str, ColumnRegions]) -> bool:
    """Whether the cubes together contain the cube; False as well where finding out takes too long."""
    rest = [cube]
    for other in cubes:
        rest = [piece for part in rest for piece in _minus(part, other, regions)]
        if not rest:
            return True
        if len(rest) > _MOST_PIECES:
            return False
    return False


def _minus(cube: Cube, other: Cube, regions: Mapping[str, ColumnRegions]) -> Sequence[Cube]:
    """Cut the other cube out of this one and return what is left, as cubes without overlap."""
    left: list[Cube] = []
    inside = dict(cube)
    for name, mask in other.items():
        here = inside.get(name, regions[name].everything)
        if here & mask == 0:
            return [cube]  # they do not meet, so nothing needs to be cut
        if outside := here & ~mask:
            left.append(inside | {name: outside})
        inside[name] = here & mask
    return left
