"""Regions: the cells of a column that a set of literals cannot tell apart.

Literals on one column cut its values into finitely many regions: with ``age > 3`` and
``age <= 7`` these are up to 3, above 3 up to 7, above 7; "unknown" is one more, on which no literal
holds. One cell stands for each region and a literal becomes the set of regions where the evaluator
says it holds, written as the bits of an integer. Everything about the meaning of literals
(thresholds are ordered, categories exclude each other) is thereby turned into set operations.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from nri.errors import InputError
from nri.rule.columns import Column, column_of
from nri.rule.domain import OPEN, ColumnDomain, Domain
from nri.rule.evaluate import literal_truth
from nri.rule.literal import Kind, Literal


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
    unknown = np.append(known.known, False)
    return Column(np.append(known.values, known.values[:1] if len(known) else [None]), unknown)


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
