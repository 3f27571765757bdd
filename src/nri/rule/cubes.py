"""Cubes: a clause as one set of regions for each column, and whether cubes cover another.

A clause fires on a row exactly where each cell's region is in the cube's set for that column,
unknown cells included, so rules can be compared as sets of points of a finite grid.
"""

from collections.abc import Iterable, Mapping, Sequence

from nri.rule.clause import Clause
from nri.rule.regions import ColumnRegions

Cube = dict[str, int]
"""For each restricted column the regions it may be in; other columns may be anything."""

_MOST_PIECES = 500
"""A remainder in more pieces than this is given up on."""


def cube_of(clause: Clause, regions: Mapping[str, ColumnRegions]) -> Cube | None:
    """Return the clause's cube, None if it cannot fire."""
    cube: Cube = {}
    for literal in clause:
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
