"""Simplify a rule without changing where it fires.

**Guarantee.** On every row whose known cells are in the domain, with any cells unknown (except in
columns the domain calls complete), the simplified rule fires exactly where the original does.
It never has more clauses or more literals. The soft score may differ.

Because unknown cells count, some steps of two-valued logic are not taken: ``a OR (NOT a AND b)``
stays, since ``a OR b`` would fire where ``a`` is unknown and ``b`` holds; ``a OR NOT a`` stays,
since it says that ``a`` is known. If the domain calls ``a`` complete, both are simplified.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

from nri.rule.clause import Clause
from nri.rule.cubes import Cube, contains, covered, cube_of
from nri.rule.domain import Domain
from nri.rule.express import express, vocabulary
from nri.rule.literal import Literal
from nri.rule.regions import ColumnRegions, regions_of
from nri.rule.rule import Rule


def simplify(rule: Rule, domain: Domain | None = None) -> Rule:
    """Return a rule that fires on the same rows with no more, and mostly fewer, literals.

    Parameters
    ----------
    rule
        The rule; its order of clauses is kept.
    domain
        What the columns can hold. Naming all categories of a column allows steps that would be
        wrong if there were others (``colour != red`` for ``colour = blue``).

    Examples
    --------
    >>> from nri.rule import Op
    >>> x3, x5 = Literal("x", Op.GT, 3), Literal("x", Op.GT, 5)
    >>> print(simplify(Rule([Clause([x3, x5])])))
    (x > 5)
    >>> print(simplify(Rule([Clause([x3]), Clause([x5])])))
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
        self._cubes: dict[Clause, Cube | None] = {}

    def run(self, rule: Rule) -> Rule:
        clauses = list(rule)
        while True:
            before = clauses
            clauses = self.tighten(clauses)
            clauses = self.drop_subsumed(clauses)
            clauses = self.merge(clauses)
            clauses = self.drop_literals(clauses)
            clauses = self.drop_covered(clauses)
            if clauses == before:
                return Rule(clauses)

    def possible_cube(self, clause: Clause) -> Cube | None:
        if clause not in self._cubes:
            self._cubes[clause] = cube_of(clause, self.regions)
        return self._cubes[clause]

    def cube(self, clause: Clause) -> Cube:
        cube = self.possible_cube(clause)
        assert cube is not None, "contradictions were dropped"
        return cube

    def clause(self, cube: Cube, preferred: Clause) -> Clause | None:
        """Write a cube in the fewest literals, None if there are no literals for it."""
        literals: list[Literal] = []
        for name, mask in cube.items():
            told = express(mask, self.regions[name], self.words[name], preferred.literals)
            if told is None:
                return None
            literals += told
        return Clause(literals)

    def tighten(self, clauses: list[Clause]) -> list[Clause]:
        """Drop contradictions and write what is left of each clause in the fewest literals."""
        kept: dict[Clause, None] = {}
        for clause in clauses:
            cube = self.possible_cube(clause)
            if cube is not None:
                told = self.clause(cube, preferred=clause)
                kept[told if told is not None and len(told) < len(clause) else clause] = None
        return list(kept)

    def drop_subsumed(self, clauses: list[Clause]) -> list[Clause]:
        """Drop clauses that another clause contains; of two equal ones the first stays."""
        cubes = [self.cube(clause) for clause in clauses]
        return [
            clause
            for i, clause in enumerate(clauses)
            if not any(
                contains(cubes[j], cubes[i]) and (j < i or not contains(cubes[i], cubes[j]))
                for j in range(len(clauses))
                if j != i
            )
        ]

    def merge(self, clauses: list[Clause]) -> list[Clause]:
        """Join two clauses that differ in one column, where fewer literals say both."""
        clauses = list(clauses)
        while (joined := self._first_merge(clauses)) is not None:
            i, j, clause = joined
            clauses[i] = clause
            del clauses[j]
        return clauses

    def _first_merge(self, clauses: list[Clause]) -> tuple[int, int, Clause] | None:
        cubes = [self.cube(clause) for clause in clauses]
        for i, j in combinations(range(len(clauses)), 2):
            if cubes[i].keys() != cubes[j].keys():
                continue
            differing = [name for name in cubes[i] if cubes[i][name] != cubes[j][name]]
            if len(differing) != 1:
                continue
            union = cubes[i] | {differing[0]: cubes[i][differing[0]] | cubes[j][differing[0]]}
            clause = self.clause(union, preferred=Clause([*clauses[i], *clauses[j]]))
            if clause is not None and len(clause) < len(clauses[i]) + len(clauses[j]):
                return i, j, clause
        return None

    def drop_literals(self, clauses: list[Clause]) -> list[Clause]:
        """Drop a literal where the clause without it is still covered by the whole rule."""
        clauses = list(clauses)
        for i, clause in enumerate(clauses):
            for literal in clause:
                shorter = Clause(x for x in clauses[i] if x != literal)
                cubes = [self.cube(other) for other in clauses]
                if covered(self.cube(shorter), cubes, self.regions):
                    clauses[i] = shorter
        return clauses

    def drop_covered(self, clauses: list[Clause]) -> list[Clause]:
        """Drop clauses that the others cover together, the last ones first."""
        kept = list(clauses)
        for clause in reversed(clauses):
            others = [self.cube(other) for other in kept if other != clause]
            if covered(self.cube(clause), others, self.regions):
                kept.remove(clause)
        return kept
