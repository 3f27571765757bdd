"""Simplify a rule without changing where it fires.

**Guarantee.** On every row whose known cells are in the domain, with any cells unknown (except in
columns the domain calls complete), the simplified rule fires exactly where the original does.
It never has more clauses or more literals. The soft score may differ.

Because unknown cells count, some steps of two-valued logic are not taken: ``a OR (NOT a AND b)``
stays, since ``a OR b`` would fire where ``a`` is unknown and ``b`` holds; ``a OR NOT a`` stays,
since it says that ``a`` is known. If the domain calls ``a`` complete, both are simplified.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import combinations, product

from nri.rule.clause import ALWAYS, Clause, Dnf
from nri.rule.literal import Kind, Literal, Op, kind_of
from nri.rule.regions import (
    OPEN,
    ColumnRegions,
    Cube,
    Domain,
    contains,
    covered,
    cube_of,
    cubes_of,
    regions_of,
)


def simplify(rule: Dnf, domain: Domain | None = None) -> Dnf:
    """Return a rule that fires on the same rows with no more, and mostly fewer, literals.

    >>> from nri.rule import Op
    >>> x3, x5 = Literal("x", Op.GT, 3), Literal("x", Op.GT, 5)
    >>> print(simplify(Dnf([Clause([x3, x5])])))
    (x > 5)
    >>> print(simplify(Dnf([Clause([x3]), Clause([x5])])))
    (x > 3)
    """
    domain = domain or {}
    literals = [literal for clause in rule for literal in clause]
    words = vocabulary(literals, domain)
    vocabulary_literals = [literal for column in words.values() for literal in column]
    return _Simplifier(regions_of(vocabulary_literals, domain), words).run(rule)


class _Simplifier:
    """The steps, which share regions and vocabulary. Each gives clauses that fire on the same rows."""

    def __init__(self, regions: Mapping[str, ColumnRegions], words: Mapping[str, Sequence[Literal]]) -> None:
        self.regions = regions
        self.words = words
        self._cubes: dict[Clause, list[Cube] | None] = {}

    def run(self, rule: Dnf) -> Dnf:
        clauses = list(rule)
        while True:
            before = clauses
            clauses = self.tighten(clauses)
            clauses = self.drop_subsumed(clauses)
            clauses = self.merge(clauses)
            clauses = self.drop_literals(clauses)
            clauses = self.drop_covered(clauses)
            if clauses == before:
                return Dnf(clauses)

    def cubes(self, clause: Clause) -> list[Cube] | None:
        """Where a clause fires; None where listing that takes too long."""
        if clause not in self._cubes:
            self._cubes[clause] = cubes_of(clause, self.regions)
        return self._cubes[clause]

    def cube(self, clause: Clause) -> Cube:
        """Return the one cube of a conjunction that can fire."""
        cubes = self.cubes(clause)
        assert cubes, "contradictions were dropped"
        return cubes[0]

    def covers(self, clauses: Collection[Clause], clause: Clause) -> bool:
        """Whether some clause fires wherever that clause does; False as well where it is hard to say."""
        cubes = self.cubes(clause)
        if cubes is None:
            return any(other.subsumes(clause) for other in clauses)
        theirs = [cube for other in clauses for cube in self.cubes(other) or ()]
        return all(covered(cube, theirs, self.regions) for cube in cubes)

    def clause(self, cube: Cube, preferred: Collection[Literal]) -> Clause | None:
        """Write a cube in the fewest literals, None if there are no literals for it."""
        literals: list[Literal] = []
        for name, mask in cube.items():
            told = express(mask, self.regions[name], self.words[name], preferred)
            if told is None:
                return None
            literals += told
        return Clause(literals)

    def tighten(self, clauses: list[Clause]) -> list[Clause]:
        """Drop contradictions and write what is left of each clause in the fewest literals."""
        kept: dict[Clause, None] = {}
        for clause in clauses:
            possible = without_idle_members(clause, self.regions) if clause.counts else clause
            if possible is None or self.cubes(possible) == []:
                continue
            cube = as_one_cube(possible, self.regions) if possible.counts else self.cube(possible)
            told = None if cube is None else self.clause(cube, preferred=clause.literals)
            kept[told if told is not None and len(told) < len(possible) else possible] = None
        return list(kept)

    def drop_subsumed(self, clauses: list[Clause]) -> list[Clause]:
        """Drop clauses that another clause contains; of two equal ones the first stays."""
        return [
            clause
            for i, clause in enumerate(clauses)
            if not any(
                self.contains(clauses[j], clause) and (j < i or not self.contains(clause, clauses[j]))
                for j in range(len(clauses))
                if j != i
            )
        ]

    def contains(self, outer: Clause, inner: Clause) -> bool:
        """Whether each cube of the inner clause lies in one of the outer clause."""
        around, inside = self.cubes(outer), self.cubes(inner)
        if around is None or inside is None:
            return outer.subsumes(inner)
        return all(any(contains(cube, part) for cube in around) for part in inside)

    def merge(self, clauses: list[Clause]) -> list[Clause]:
        """Join two conjunctions that differ in one column, where fewer literals say both."""
        clauses = list(clauses)
        while (joined := self._first_merge(clauses)) is not None:
            i, j, clause = joined
            clauses[i] = clause
            del clauses[j]
        return clauses

    def _first_merge(self, clauses: list[Clause]) -> tuple[int, int, Clause] | None:
        cubes = {i: self.cube(clause) for i, clause in enumerate(clauses) if not clause.counts}
        for i, j in combinations(cubes, 2):
            if cubes[i].keys() != cubes[j].keys():
                continue
            differing = [name for name in cubes[i] if cubes[i][name] != cubes[j][name]]
            if len(differing) != 1:
                continue
            union = cubes[i] | {differing[0]: cubes[i][differing[0]] | cubes[j][differing[0]]}
            clause = self.clause(union, preferred=(*clauses[i], *clauses[j]))
            if clause is not None and len(clause) < len(clauses[i]) + len(clauses[j]):
                return i, j, clause
        return None

    def drop_literals(self, clauses: list[Clause]) -> list[Clause]:
        """Drop a literal where the whole rule fires on the same rows without it."""
        clauses = list(clauses)
        for i, clause in enumerate(clauses):
            for literal in clause:
                clauses[i] = self._without(literal, clauses, i)
        return clauses

    def _without(self, literal: Literal, clauses: list[Clause], i: int) -> Clause:
        """Return clause ``i`` without a literal and no longer needing it, or just without it, or as it is."""
        clause = clauses[i]
        rest = [x for x in clause if x != literal]
        if not clause.counts:
            shorter = Clause(rest)
            return shorter if self.covers(clauses, shorter) else clause
        if len(clauses) == 1:
            return clause  # members that are idle by themselves are gone
        if clause.at_least > 1 and self.covers(clauses, easier := Clause(rest, clause.at_least - 1)):
            return easier
        harder = Clause(rest, clause.at_least)
        return harder if self.covers([*clauses[:i], harder, *clauses[i + 1 :]], clause) else clause

    def drop_covered(self, clauses: list[Clause]) -> list[Clause]:
        """Drop clauses that the others cover together, the last ones first."""
        kept = list(clauses)
        for clause in reversed(clauses):
            if self.covers([other for other in kept if other != clause], clause):
                kept.remove(clause)
        return kept


def vocabulary(literals: Iterable[Literal], domain: Domain) -> dict[str, tuple[Literal, ...]]:
    """For each column, the literals it may be re-told in.

    These are the rule's own literals and their negations, so that no threshold is made up; where
    a category is named and the categories are a closed set, also all the others.
    """
    words: dict[str, dict[Literal, None]] = {}
    for literal in literals:
        own = words.setdefault(literal.column, {})
        own.update({literal: None, literal.negate(): None})
        if literal.op.ordered or literal.kind is Kind.BOOLEAN:
            continue
        for value in domain.get(literal.column, OPEN).values or ():
            if kind_of(value) is literal.kind:
                own.update({Literal(literal.column, op, value): None for op in (Op.EQ, Op.NE)})
    return {column: tuple(own) for column, own in words.items()}


def express(
    mask: int, regions: ColumnRegions, words: Sequence[Literal], preferred: Collection[Literal]
) -> tuple[Literal, ...] | None:
    """Return the fewest literals that hold together on exactly these regions, None if none do.

    Among equally short answers the preferred literals win, then positive ones.
    """
    if mask == regions.everything:
        return ()

    def rank(literal: Literal) -> tuple[object, ...]:
        return (literal not in preferred, not literal.positive, literal.sort_key)

    usable = sorted((x for x in words if mask & ~regions.mask(x) == 0), key=rank)
    for literal in usable:
        if regions.mask(literal) == mask:
            return (literal,)
    best: tuple[Literal, ...] | None = None
    for low, high in product(_tightest(usable, Op.GT, regions), _tightest(usable, Op.LE, regions)):
        bounds = low + high
        excluded = _exclusions(mask, bounds, usable, regions)
        if excluded is not None and (best is None or len(bounds) + len(excluded) < len(best)):
            best = bounds + excluded
    return best


def _tightest(usable: Sequence[Literal], op: Op, regions: ColumnRegions) -> list[tuple[Literal, ...]]:
    """No bound, or the closest one; the closest leaves least to exclude."""
    bounds = [literal for literal in usable if literal.op is op]
    if not bounds:
        return [()]
    return [(), (min(bounds, key=lambda literal: regions.mask(literal).bit_count()),)]


def _exclusions(
    mask: int, bounds: tuple[Literal, ...], usable: Sequence[Literal], regions: ColumnRegions
) -> tuple[Literal, ...] | None:
    """Name the single values to exclude so that the bounds leave exactly the mask, None if they cannot."""
    left = regions.known
    for literal in bounds:
        left &= regions.mask(literal)
    chosen: list[Literal] = []
    for literal in usable:
        if literal.op is Op.NE and left & ~regions.mask(literal):
            left &= regions.mask(literal)
            chosen.append(literal)
    if left != mask or not (bounds or chosen):
        return None
    return tuple(chosen)


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
