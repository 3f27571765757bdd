"""What clauses that count come to: which members are idle, what is no count at all, where two of them meet.

How many members hold is a sum over columns, and cells of different columns are independent. So it is enough
to know, for each column, how many of its members hold in each region: sums of these tell exactly which
totals occur, without listing the rows.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce

from nri.rule.clause import ALWAYS, Clause
from nri.rule.regions import ColumnRegions, Cube, cube_of, regions_of

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


def can_fire(clause: Clause, where: Clause) -> bool:
    """Whether a clause can fire on a row on which that conjunction does.

    >>> from nri.rule.literal import Literal, Op
    >>> clause = Clause([Literal("age", Op.GT, 50), Literal("fever", Op.EQ, True)], at_least=1)
    >>> can_fire(clause, Clause([Literal("age", Op.LE, 40)]))
    True
    """
    regions = regions_of([*clause, *where], {})
    cube = cube_of(where, regions)
    if cube is None:
        return False
    most = sum(max(counts) for counts in _inside(cube, clause, regions))
    return most >= clause.at_least


def must_fire(clause: Clause, where: Clause) -> bool:
    """Whether a clause fires on every row on which that conjunction, which can hold, does."""
    regions = regions_of([*clause, *where], {})
    cube = cube_of(where, regions) or {}
    return sum(min(counts) for counts in _inside(cube, clause, regions)) >= clause.at_least


def meeting(one: Clause, other: Clause) -> Clause | None:
    """Return a conjunction of their literals on whose rows both clauses fire, None if they never both do."""
    regions = regions_of([*one, *other], {})
    first, second = _held(one, regions), _held(other, regions)
    nothing = {name: [0] * len(column.cells) for name, column in regions.items()}
    reached: dict[tuple[int, int], dict[str, int]] = {(0, 0): {}}
    for name in regions:
        further: dict[tuple[int, int], dict[str, int]] = {}
        counts = zip((nothing | first)[name], (nothing | second)[name], strict=True)
        for region, (m, n) in enumerate(counts):
            for (a, b), chosen in reached.items():
                held = min(one.at_least, a + m), min(other.at_least, b + n)
                further.setdefault(held, chosen | {name: region})
        reached = further
    common = reached.get((one.at_least, other.at_least))
    if common is None:
        return None
    where = Clause(x for x in (*one, *other) if regions[x.column].mask(x) >> common[x.column] & 1)
    for literal in where:
        shorter = Clause(x for x in where if x != literal)
        if must_fire(one, shorter) and must_fire(other, shorter):
            where = shorter
    return where


def most_together(clause: Clause) -> dict[str, int]:
    """For each column, how many of the clause's literals can hold at once on a cell of it."""
    return {name: max(counts) for name, counts in _held(clause, regions_of(clause, {})).items()}


def _inside(cube: Cube, clause: Clause, regions: Regions) -> Iterator[list[int]]:
    """For each column, how many literals of the clause hold in each of its regions that the cube has."""
    for name, counts in _held(clause, regions).items():
        mask = cube.get(name, regions[name].everything)
        yield [n for i, n in enumerate(counts) if mask >> i & 1]


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
