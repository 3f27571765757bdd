"""What a counting clause comes to on a domain: idle members go, and what is no count is said plainly.

How many members hold is a sum over columns, and cells of different columns are independent. So it is enough
to know, for each column, how many of its members hold in each region: sums of these tell exactly which
totals occur, without listing the rows.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce

from nri.rule.clause import ALWAYS, Clause
from nri.rule.regions import ColumnRegions, Cube

Regions = Mapping[str, ColumnRegions]


def without_idle_members(clause: Clause, regions: Regions) -> Clause | None:
    """Return the clause without members that change nothing, None if it never fires.

    A member that never holds goes, and one that always holds goes together with one of those needed. Two
    criteria on one column, age > 50 and age > 60, both stay where both can make the difference.
    """
    totals = _sums(_held(clause, regions).values())
    if max(totals, default=0) < clause.at_least:
        return None
    if min(totals) >= clause.at_least:
        return ALWAYS
    while clause.counts:
        shorter = next(_shorter(clause, regions), None)
        if shorter is None:
            break
        clause = shorter
    return clause


def as_one_cube(clause: Clause, regions: Regions) -> Cube | None:
    """Return the cube that a clause which can fire amounts to, None if it takes several.

    ``AT LEAST 2 OF (colour = red, colour = blue, old)`` is such a one: nothing is of two colours.
    """
    held = _held(clause, regions)
    most = sum(max(counts) for counts in held.values())
    cube, sure = {}, 0
    for name, counts in held.items():
        needed = clause.at_least - (most - max(counts))
        inside = [i for i, n in enumerate(counts) if n >= needed]
        sure += min(counts[i] for i in inside)
        cube[name] = sum(1 << i for i in inside)
    if sure < clause.at_least:
        return None
    return {name: mask for name, mask in cube.items() if mask != regions[name].everything}


def _shorter(clause: Clause, regions: Regions) -> Iterator[Clause]:
    """Yield clauses with a member less that fire on the same rows; negated members go first."""
    held = _held(clause, regions)
    for literal in sorted(clause, key=lambda literal: (literal.positive, literal.sort_key)):
        column, mask = literal.column, regions[literal.column].mask(literal)
        others = _sums(counts for name, counts in held.items() if name != column)
        pairs = [(n, n - (mask >> i & 1)) for i, n in enumerate(held[column])]
        for needed in (clause.at_least, clause.at_least - 1):
            alike = all(
                (n + rest >= clause.at_least) == (less + rest >= needed)
                for n, less in pairs
                for rest in others
            )
            if alike and needed > 0:
                yield Clause((x for x in clause if x != literal), needed)


def _held(clause: Clause, regions: Regions) -> dict[str, list[int]]:
    """For each column, how many members hold in each of its regions."""
    held: dict[str, list[int]] = {}
    for literal in clause:
        column = regions[literal.column]
        counts = held.setdefault(literal.column, [0] * len(column.cells))
        mask = column.mask(literal)
        for i in range(len(counts)):
            counts[i] += mask >> i & 1
    return held


def _sums(parts: Iterable[Iterable[int]]) -> set[int]:
    """Return every total of one number from each part."""
    return reduce(lambda totals, part: {a + b for a in totals for b in set(part)}, parts, {0})
