"""Do two rules mean the same? Decided exactly, by truth table or by a SAT solver.

Both look at the rows that can occur: thresholds on one column are ordered, categories exclude each
other, and a closed domain has no further values. By default rows have no unknown cells, as in
logic; with ``unknown_cells=True`` every cell may also be unknown (unless its domain is complete).
"""

from collections.abc import Iterable, Iterator, Mapping
from math import prod
from typing import Any

import numpy as np

from nri.rule.clause import Clause, Dnf
from nri.rule.column import Columns
from nri.rule.literal import Literal, Value
from nri.rule.regions import OPEN, ColumnDomain, ColumnRegions, Domain, cube_of, regions_of
from nri.rule.truth import rule_truth

Row = dict[str, Value | None]
"""One cell for each column that matters; None is unknown."""

_SMALL = 2**13
"""Rows of a truth table up to which it is quicker than starting a solver."""


def equivalent(first: Dnf, second: Dnf, domain: Domain | None = None, *, unknown_cells: bool = False) -> bool:
    """Whether the two rules fire on the same rows of the domain.

    >>> from nri.rule import Clause, Literal, Op
    >>> young = Dnf([Clause([Literal("age", Op.LE, 61)])])
    >>> not_old = Dnf([Clause([Literal("age", Op.LE, 61), Literal("age", Op.LE, 70)])])
    >>> equivalent(young, not_old)
    True
    """
    return difference(first, second, domain, unknown_cells=unknown_cells) is None


def implies(first: Dnf, second: Dnf, domain: Domain | None = None, *, unknown_cells: bool = False) -> bool:
    """Whether the second rule fires on every row of the domain on which the first one does."""
    both = Dnf([*first, *second])
    return equivalent(both, second, domain, unknown_cells=unknown_cells)


def difference(
    first: Dnf, second: Dnf, domain: Domain | None = None, *, unknown_cells: bool = False
) -> Row | None:
    """Return a row on which just one of the rules fires, None if there is none."""
    regions = _telling_regions(first, second, domain or {}, unknown_cells)
    if any(len(column.cells) == 0 for column in regions.values()):
        return None  # a column without possible cells leaves no row
    if prod(len(column.cells) for column in regions.values()) <= _SMALL:
        return _difference_by_table(first, second, regions)
    return _difference_by_solver(first, second, regions)


def _telling_regions(
    first: Dnf, second: Dnf, domain: Domain, unknown_cells: bool
) -> dict[str, ColumnRegions]:
    """Regions that the rules' literals tell apart, and no finer."""
    literals = [literal for rule in (first, second) for clause in rule for literal in clause]
    if not unknown_cells:
        names = {literal.column for literal in literals}
        known = {name: domain.get(name, OPEN) for name in names}
        domain = {name: ColumnDomain(column.values, complete=True) for name, column in known.items()}
    regions = regions_of(literals, domain)
    return {
        name: column.joined(literal for literal in literals if literal.column == name)
        for name, column in regions.items()
    }


def _difference_by_table(first: Dnf, second: Dnf, regions: Mapping[str, ColumnRegions]) -> Row | None:
    shape = tuple(len(column.cells) for column in regions.values())
    size = prod(shape)
    grid = np.unravel_index(np.arange(size), shape) if shape else ()
    rows: Columns = {
        name: column.cells.take(index) for (name, column), index in zip(regions.items(), grid, strict=True)
    }
    differs = rule_truth(first, rows, size) ^ rule_truth(second, rows, size)
    if not differs.any():
        return None
    row = int(differs.argmax())
    return {name: column.cell(row) for name, column in rows.items()}


def _difference_by_solver(first: Dnf, second: Dnf, regions: Mapping[str, ColumnRegions]) -> Row | None:
    from pysat.solvers import Solver  # heavy, and needed for large rules only

    grid = _Grid(regions, [literal for rule in (first, second) for x in rule if x.counts for literal in x])
    for one, other in ((first, second), (second, first)):
        with Solver(name="cadical153", bootstrap_with=[*grid.possible(), *grid.none_fires(other)]) as solver:
            for clause in one:
                fires = grid.enough_hold(clause, solver) if clause.counts else grid.all_hold(clause)
                if fires is not None and solver.solve(assumptions=fires):
                    return grid.row(solver.get_model())
    return None


class _Grid:
    """Propositional variables "column is in region i" and "this member holds", and constraints as CNF."""

    def __init__(self, regions: Mapping[str, ColumnRegions], members: Iterable[Literal]) -> None:
        self.regions = regions
        self.first: dict[str, int] = {}
        self.last = 0
        """The highest variable in use"""
        for name, column in regions.items():
            self.first[name] = self.last + 1
            self.last += len(column.cells)
        self.members = {literal: self._new() for literal in dict.fromkeys(members)}

    def _new(self) -> int:
        self.last += 1
        return self.last

    def variables(self, name: str, mask: int) -> list[int]:
        return [self.first[name] + i for i in range(mask.bit_length()) if mask >> i & 1]

    def possible(self) -> Iterator[list[int]]:
        """Every cell is in exactly one region, and a member holds in the regions of its literal."""
        for name, column in self.regions.items():
            options = self.variables(name, column.everything)
            yield options
            yield from ([-a, -b] for i, a in enumerate(options) for b in options[:i])
        for literal, member in self.members.items():
            options = self.variables(literal.column, self.regions[literal.column].mask(literal))
            yield [-member, *options]
            yield from ([member, -option] for option in options)

    def none_fires(self, rule: Dnf) -> Iterator[list[int]]:
        """For each clause, some column is in a region where the clause fails, or too few members hold."""
        for clause in rule:
            if clause.counts:
                failing = [-self.members[x] for x in clause]
                yield from self._at_least(failing, len(clause) - clause.at_least + 1)
                continue
            cube = cube_of(clause, self.regions)
            if cube is not None:
                yield [
                    v for name, mask in cube.items() for v in self.variables(name, self._without(name, mask))
                ]

    def all_hold(self, clause: Clause) -> list[int] | None:
        """Assume that a conjunction fires: no column is in a region where it fails; None if it never does."""
        cube = cube_of(clause, self.regions)
        if cube is None:
            return None
        return [-v for name, mask in cube.items() for v in self.variables(name, self._without(name, mask))]

    def enough_hold(self, clause: Clause, solver: Any) -> list[int]:
        """Assume that a counting clause fires: one variable switches on the constraint that says so."""
        switch = self._new()
        for constraint in self._at_least([self.members[x] for x in clause], clause.at_least):
            solver.add_clause([-switch, *constraint])
        return [switch]

    def _at_least(self, variables: list[int], n: int) -> list[list[int]]:
        from pysat.card import CardEnc  # as heavy as the solver

        encoded = CardEnc.atleast(variables, bound=n, top_id=self.last)
        self.last = max(self.last, encoded.nv)
        constraints: list[list[int]] = encoded.clauses
        return constraints

    def row(self, model: list[int]) -> Row:
        true = {variable for variable in model if variable > 0}
        return {
            name: next(column.cells.cell(i) for i in range(len(column.cells)) if self.first[name] + i in true)
            for name, column in self.regions.items()
        }

    def _without(self, name: str, mask: int) -> int:
        return self.regions[name].everything & ~mask
