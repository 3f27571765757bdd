"""The regions into which literals cut columns: simplifying rules, and whether two rules mean the same.

With ``age > 3`` and ``age <= 7`` the regions are up to 3, above 3 up to 7, above 7, and "unknown". One cell
stands for each region, and a literal is the set of regions where it holds, as the bits of an integer.
:meth:`Regions.find` answers every question: is there a row on which some clauses fire and others do not?
"""

from collections.abc import Collection, Iterable, Sequence
from functools import reduce
from itertools import chain, combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.errors import InputError
from nri.rule.column import OPEN, Column, ColumnDomain, Domain, column_of
from nri.rule.literal import Clause, Dnf, Kind, Literal, Op, Value, kind_of
from nri.rule.truth import literal_truth

_MOST_STEPS = 2000  # A question that takes more steps than this is given up on while simplifying.

Place = dict[str, int]
"""For each restricted column the regions that its cell may be in; other columns may be anything."""
Levels = dict[str, list[tuple[int, int]]]
"""For each column of a clause how many of its literals can hold, from few to many, and in which regions."""
Goal = tuple[Levels, int, bool]
"""A clause: its levels, how many literals must hold, and whether it is to fire or not."""


class Regions:
    """All rows that can occur, as far as literals separate them: each cell is in a region of its column."""

    def __init__(self, literals: Iterable[Literal], domain: Domain, *, unknown_cells: bool = True) -> None:
        by_column: dict[str, list[Literal]] = {}
        for literal in dict.fromkeys(literals):
            by_column.setdefault(literal.column, []).append(literal)
        self.cells = {
            name: _cells(name, group, domain.get(name, OPEN), unknown_cells)
            for name, group in by_column.items()
        }
        """one cell for each region of a column; region ``i`` is bit ``i`` of a mask"""
        self.everything = {name: (1 << len(cells)) - 1 for name, cells in self.cells.items()}
        self._masks: dict[Literal, int] = {}
        self._levels: dict[Clause, Levels] = {}

    def mask(self, literal: Literal) -> int:
        """Return the regions where the literal is known to hold."""
        if literal not in self._masks:
            self._masks[literal] = _bits(literal_truth(literal, self.cells)[0])
        return self._masks[literal]

    def levels(self, clause: Clause) -> Levels:
        """Return how many literals of a clause can hold on each column, and where."""
        if clause in self._levels:
            return self._levels[clause]
        levels = self._levels[clause] = {}
        for name in clause.columns:
            masks = [self.mask(literal) for literal in clause if literal.column == name]
            parts: dict[int, int] = {}
            for region in range(len(self.cells[name])):
                held = sum(mask >> region & 1 for mask in masks)
                parts[held] = parts.get(held, 0) | 1 << region
            levels[name] = sorted(parts.items())
        return levels

    def contains(self, outer: Clause, inner: Clause) -> bool:
        """Whether one clause fires wherever another does, judged column by column."""
        around, inside = self.levels(outer), self.levels(inner)
        ahead = 0  # the most literals that hold of the inner clause beyond those of the outer one
        for name, levels in inside.items():
            pairs = product(levels, around.get(name, [(0, -1)]))
            ahead += max((n - m for (n, mask), (m, other) in pairs if mask & other), default=0)
        return inner.at_least - ahead >= outer.at_least

    def place(self, clause: Clause) -> Place | None:
        """Return the one place where a clause fires, None if it takes several."""
        levels = self.levels(clause)
        most = sum(column[-1][0] for column in levels.values())
        place, sure = {}, 0
        for name, column in levels.items():
            needed = clause.at_least - (most - column[-1][0])
            inside = [(n, mask) for n, mask in column if n >= needed]
            sure += inside[0][0]
            place[name] = sum(mask for _, mask in inside)
        if sure < clause.at_least:
            return None
        return {name: mask for name, mask in place.items() if mask != self.everything[name]}

    def find(
        self,
        fire: Iterable[Clause],
        fail: Iterable[Clause] = (),
        within: Place | None = None,
        most_steps: float = float("inf"),
    ) -> Place | None:
        """Return where some clauses fire and others do not, None if there is no such row.

        A clause that a place leaves open is decided by splitting the regions of one of its columns, that
        with the fewest such columns first. After ``most_steps`` the answer is where the search stands.
        """
        everywhere = self.everything | (within or {})
        if not all(everywhere.values()):
            return None  # a column without possible cells leaves no row
        goals: list[Goal] = [(self.levels(clause), clause.at_least, True) for clause in fire]
        goals += [(self.levels(clause), clause.at_least, False) for clause in fail]
        stack, steps = [(everywhere, goals)], 0
        while stack:
            place, goals = stack.pop()
            undecided = _undecided(goals, place)
            if undecided is None:
                continue
            steps += 1
            if not undecided or steps > most_steps:
                return place
            (name, *_), (levels, _, fires) = min(undecided, key=lambda one: len(one[0]))
            top = next(mask for _, mask in reversed(levels[name]) if mask & place[name])
            halves = [place | {name: place[name] & top}, place | {name: place[name] & ~top}]
            left = [goal for _, goal in undecided]
            stack += [(half, left) for half in (reversed(halves) if fires else halves)]  # the last is next
        return None


def _undecided(goals: Iterable[Goal], place: Place) -> list[tuple[list[str], Goal]] | None:
    """Return what a place leaves open, and the columns that matter; None if a goal fails there."""
    undecided = []
    for goal in goals:
        levels, at_least, fires = goal
        least, most, columns = 0, 0, []
        for name, column in levels.items():
            held = [n for n, mask in column if mask & place[name]]
            least, most = least + held[0], most + held[-1]
            if len(held) > 1:
                columns.append(name)
        if least < at_least <= most:
            undecided.append((columns, goal))
        elif (least >= at_least) is not fires:
            return None
    return undecided


def _bits(flags: Iterable[np.bool_]) -> int:
    return sum(1 << i for i, flag in enumerate(flags) if flag)


def _cells(name: str, literals: Sequence[Literal], domain: ColumnDomain, unknown_cells: bool) -> Column:
    """Return a cell for each region of a column; the last is unknown, if cells can be."""
    if domain.values is not None:
        return column_of([*domain.values, *([None] if unknown_cells else [])])
    kinds = {literal.kind for literal in literals}
    if kinds == {Kind.BOOLEAN, Kind.NUMBER}:
        kinds = {Kind.NUMBER}  # True is the number 1
    if len(kinds) > 1:
        raise InputError(f"column {name!r} is compared as {' and as '.join(sorted(kinds))}: use one kind")
    known = _open_values(kinds.pop(), [literal.value for literal in literals])
    values = np.append(known, known[:1]) if unknown_cells else known
    return Column(values, np.arange(len(values)) < len(known))


def _open_values(kind: Kind, values: Sequence[Value]) -> NDArray[Any]:
    """Return each value, and one before, between and behind them, where there is one."""
    if kind is Kind.BOOLEAN:
        return np.array([False, True])
    if kind is Kind.TEXT:
        texts = sorted(set(map(str, values)))
        return np.array([*texts, max(texts, key=len) + "*"], dtype=object)  # longer, so equal to none
    if kind is Kind.NUMBER:
        numbers = np.array(values, dtype=np.float64)
        return np.unique([-np.inf, *numbers, *np.nextafter(numbers, np.inf)])
    moments = np.array(values, dtype="datetime64[us]")
    return np.unique(np.concatenate([[moments.min() - 1], moments, moments + 1]))


class Simplifier:
    """The steps of simplifying. Each gives clauses that fire on the same rows."""

    def __init__(self, rule: Dnf, domain: Domain) -> None:
        self.vocabulary = _vocabulary((literal for clause in rule for literal in clause), domain)
        self.regions = Regions((literal for own in self.vocabulary.values() for literal in own), domain)

    def run(self, rule: Dnf) -> Dnf:
        """Take the steps until none changes anything."""
        clauses = list(rule)
        while True:
            before = clauses
            for step in (self.tighten, self.drop_covered, self.merge, self.drop_literals, self.drop_covered):
                clauses = step(clauses)
            if clauses == before:
                return Dnf(clauses)

    def covers(self, clauses: Collection[Clause], clause: Clause) -> bool:
        """Whether some clause fires wherever that clause does; False as well where it is hard to say."""
        if any(self.regions.contains(other, clause) for other in clauses):
            return True
        return self.regions.find([clause], clauses, most_steps=_MOST_STEPS) is None

    def clause(self, place: Place, preferred: Collection[Literal]) -> Clause | None:
        """Write a place in few literals, if possible preferred ones; None if there are no literals for it."""
        restricted = [name for name, mask in place.items() if mask != self.regions.everything[name]]
        written = [self.literals(name, place[name], preferred) for name in restricted]
        return Clause(chain.from_iterable(written)) if all(written) else None

    def literals(self, name: str, mask: int, preferred: Collection[Literal]) -> Sequence[Literal]:
        """Return literals of a column that hold on exactly these regions, none if there are no such."""

        def rank(literal: Literal) -> tuple[object, ...]:
            return (literal not in preferred, not literal.positive, literal.sort_key)

        def held(literals: Collection[Literal]) -> int:
            return reduce(lambda left, literal: left & self.regions.mask(literal), literals, known)

        known = _bits(self.regions.cells[name].known)
        usable = [x for x in sorted(self.vocabulary[name], key=rank) if mask & ~self.regions.mask(x) == 0]
        for literal in usable:
            if self.regions.mask(literal) == mask:
                return [literal]
        for literal in reversed(usable):
            fewer = [x for x in usable if x != literal]
            if held(fewer) == mask:
                usable = fewer
        return usable if held(usable) == mask else []

    def tighten(self, clauses: list[Clause]) -> list[Clause]:
        """Drop contradictions and write what is left of each clause in the fewest literals."""
        kept: dict[Clause, None] = {}
        for clause in clauses:
            if self.regions.find([clause]) is None:
                continue
            place = self.regions.place(clause)
            shorter = None if place is None else self.clause(place, preferred=clause.literals)
            kept[shorter if shorter is not None and len(shorter) < len(clause) else clause] = None
        return list(kept)

    def merge(self, clauses: list[Clause]) -> list[Clause]:
        """Join two conjunctions that differ in one column, where fewer literals say both."""
        conjunctions = [i for i, clause in enumerate(clauses) if not clause.counts]
        for i, j in combinations(conjunctions, 2):
            joined = self._joined(clauses[i], clauses[j])
            if joined is not None and len(joined) < len(clauses[i]) + len(clauses[j]):
                return self.merge([*clauses[:i], joined, *clauses[i + 1 : j], *clauses[j + 1 :]])
        return clauses

    def _joined(self, one: Clause, other: Clause) -> Clause | None:
        first, second = self.regions.place(one) or {}, self.regions.place(other) or {}
        differing = [name for name in first if first[name] != second.get(name)]
        if first.keys() != second.keys() or len(differing) != 1:
            return None
        union = first | {name: first[name] | second[name] for name in differing}
        return self.clause(union, preferred=(*one, *other))

    def drop_literals(self, clauses: list[Clause]) -> list[Clause]:
        """Drop a literal where the whole rule fires on the same rows without it."""
        clauses = list(clauses)
        for i, clause in enumerate(clauses):
            # of members that change nothing, negated ones go first
            order = sorted(clause, key=lambda x: (clause.counts and x.positive, x.sort_key))
            for literal in order:
                clauses[i] = self._without(literal, clauses, i)
        return clauses

    def _without(self, literal: Literal, clauses: list[Clause], i: int) -> Clause:
        """Return clause ``i`` without a literal and no longer needing it, or just without it, or as it is."""
        clause = clauses[i]
        rest = [x for x in clause if x != literal]
        if not clause.counts:
            shorter = Clause(rest)
            return shorter if self.covers(clauses, shorter) else clause
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


def _vocabulary(literals: Iterable[Literal], domain: Domain) -> dict[str, tuple[Literal, ...]]:
    """For each column, the literals it may be written in: its own, their negations and closed categories."""
    vocabulary: dict[str, dict[Literal, None]] = {}
    for literal in literals:
        own = vocabulary.setdefault(literal.column, {})
        own.update({literal: None, literal.negate(): None})
        if literal.op.ordered or literal.kind is Kind.BOOLEAN:
            continue
        for value in domain.get(literal.column, OPEN).values or ():
            if kind_of(value) is literal.kind:
                own.update({Literal(literal.column, op, value): None for op in (Op.EQ, Op.NE)})
    return {column: tuple(own) for column, own in vocabulary.items()}


Row = dict[str, Value | None]  # One cell for each column that matters; None is unknown.


def implies(first: Dnf, second: Dnf) -> bool:
    """Whether the second rule fires on every row without unknown cells on which the first one does."""
    return difference(Dnf([*first, *second]), second) is None


def difference(
    first: Dnf, second: Dnf, domain: Domain | None = None, *, unknown_cells: bool = False
) -> Row | None:
    """Return the first row, by the order of cells, on which just one of the rules fires; None if none.

    >>> from nri.rule import Clause, Literal, Op
    >>> difference(Dnf([Clause([Literal("age", Op.GT, 61)])]), Dnf([Clause([Literal("age", Op.GT, 70)])]))
    {'age': 61.00000000000001}
    """
    literals = [literal for clause in (*first, *second) for literal in clause]
    regions = Regions(literals, domain or {}, unknown_cells=unknown_cells)
    only_one = [
        (clause, other)
        for rule, other in ((first, second), (second, first))
        for clause in rule
        if not any(regions.contains(wider, clause) for wider in other)
    ]

    def differ(within: Place) -> Place | None:
        places = (regions.find([clause], other, within) for clause, other in only_one)
        return next((place for place in places if place is not None), None)

    place = differ({})
    if place is None:
        return None
    within: Place = {}
    for name in regions.cells:
        lower = range(_lowest(place[name]))
        places = (differ({**within, name: 1 << region}) for region in lower)
        place = next((one for one in places if one is not None), place)
        within[name] = 1 << _lowest(place[name])
    return {name: cells.cell(_lowest(within[name])) for name, cells in regions.cells.items()}


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1


def can_fire(clause: Clause, where: Clause) -> bool:
    """Whether a clause can fire on a row on which another does."""
    return Regions([*clause, *where], {}).find([clause, where]) is not None


def must_fire(clause: Clause, where: Clause) -> bool:
    """Whether a clause fires on every row on which another does."""
    return Regions([*clause, *where], {}).find([where], [clause]) is None


def meeting(one: Clause, other: Clause) -> Clause | None:
    """Return a conjunction of their literals on whose rows both clauses fire, None if they never both do."""
    regions = Regions([*one, *other], {})
    place = regions.find([one, other])
    if place is None:
        return None
    row = {name: 1 << _lowest(mask) for name, mask in place.items()}
    where = Clause(x for x in (*one, *other) if regions.mask(x) & row[x.column])
    for literal in where:
        shorter = Clause(x for x in where if x != literal)
        if must_fire(one, shorter) and must_fire(other, shorter):
            where = shorter
    return where


def most_together(clause: Clause) -> dict[str, int]:
    """For each column, how many of the clause's literals can hold at once on a cell of it."""
    return {name: levels[-1][0] for name, levels in Regions(clause, {}).levels(clause).items()}
