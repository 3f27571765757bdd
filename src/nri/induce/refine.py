"""Refine: move the cuts of a rule to where the whole rule needs them.

Thresholds are first chosen by what a column says about the class on its own, which can be off where columns
matter together. Then each cut is judged by the support rows that the rule decides rightly, were it elsewhere.

A cut is a column and a value wherever they occur in the rule: ``a <= 42`` in one branch and ``a > 42`` in
another are one border and move together. The best move is made first, and a cut moves only if the errors that
it saves are worth more bits than its new place. Members of a counting clause that meet become one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.induce import constraints, models
from nri.induce.assemble import branches_of, count_branches, least_precision, right_weight, simplified
from nri.induce.classes import Candidate
from nri.induce.settings import Settings
from nri.rule import Clause, Column, Label, Literal, Op, Rule, Value, clause_matrix, literal_truth
from nri.rule.literal import plain_value
from nri.rule.truth import first_to_fire
from nri.search.objective import DescriptionLength, clause_bits
from nri.table.cuts import Cut, plain_threshold
from nri.table.table import Table

Border = tuple[str, Value]  # A column and the value that literals compare it with


class ColumnValues:
    """The known cells of a column as places in the order of its distinct values."""

    def __init__(self, column: Column) -> None:
        self.known = column.known
        self.distinct, inverse = np.unique(column.values[column.known], return_inverse=True)
        """[D], increasing; place ``p`` lies between ``distinct[p - 1]`` and ``distinct[p]``"""
        self.codes = np.zeros(len(column), dtype=np.int64)  # [M], index of each cell's value; 0 where unknown
        self.codes[column.known] = inverse

    def place(self, value: Value) -> int:
        """Return the place at which a value cuts."""
        cut: Any = value
        if self.distinct.dtype.kind == "M":
            cut = np.datetime64(cut, "us")
        return int(np.searchsorted(self.distinct, cut, side="right"))

    def value(self, cut: Cut) -> Value:
        """Return the plainest value that cuts there."""
        return plain_value(plain_threshold(self.distinct, cut))


class SupportRows:
    """The rows that a rule is changed by, with what is computed of them repeatedly."""

    def __init__(self, table: Table, min_precision: float, columns: Iterable[str] = ()) -> None:
        self.table, self.min_precision = table, min_precision  # Least precision of a clause, if it can be
        self.cells = {name: ColumnValues(table.columns[name]) for name in columns}
        self.total = float(table.weights.sum())
        self._holds: dict[Literal, BoolArray] = {}

    def held(self, literals: Iterable[Literal]) -> IntArray:
        """[M], how many of the literals are known to hold; each is compared once."""
        count = np.zeros(len(self.table.codes), dtype=np.int64)
        for literal in literals:
            if literal not in self._holds:
                self._holds[literal] = literal_truth(literal, self.table.columns)[0]
            count += self._holds[literal]
        return count

    def wrong(self, rule: Rule) -> float:
        """Weight of the rows that are decided wrongly."""
        return self.total - right_weight(rule, self.table)

    def saved(self, before: float, after: float, n_places: int) -> float:
        """Return the bits that fewer errors save, less those that say where the cut goes or that it stays."""
        errors, n_classes = np.array([before, after]), len(self.table.classes)
        was, now = _OBJECTIVE.cost(errors, np.zeros(2), self.total, n_classes)
        return round(float(was - now - _OBJECTIVE.price * np.log2(n_places + 1)), 6)

    def keeps(self, after: Rule, before: Rule) -> bool:
        """Whether all clauses cover rows, with the least precision or no less than the worst had."""
        if not clause_matrix(after.clauses, self.table.columns, len(self.table)).any(axis=0).all():
            return False
        if self.min_precision <= 0:
            return True
        least = min(self.min_precision, least_precision(before, self.table))
        return least_precision(after, self.table) >= least

    def moved(self, rule: Rule, border: Border, value: Value) -> Rule:
        """Return the rule with a border elsewhere, counted anew."""
        return count_branches(with_borders(rule, {border: value}), rule.default, self.table)


class CutProfile(NamedTuple):
    """What the rule would make of its rows, were one border elsewhere."""

    border: Border
    cells: ColumnValues
    right: FloatArray
    """[D + 1], weight decided rightly if the border lay at each place, apart from a constant"""
    places: IntArray  # those with rows on both sides whose class depends on the border
    n_places: int  # how many of these differ for such rows

    @property
    def now(self) -> int:
        """The place where the border lies."""
        return self.cells.place(self.border[1])

    def runs(self, right: float) -> list[IntArray]:
        """Return the runs of neighbouring places at which so much weight is decided rightly."""
        places = self.places[self.right[self.places] == right]
        return np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)


def borders_of(rule: Rule) -> list[Border]:
    """Return where the rule cuts numbers and dates, each border once."""
    literals = [literal for clause in rule.clauses for literal in clause if literal.op.ordered]
    return list(dict.fromkeys((literal.column, literal.value) for literal in literals))


def cut_profiles(rule: Rule, rows: SupportRows, borders: Iterable[Border]) -> Iterator[CutProfile]:
    """Yield for each border what becomes of the rows, were it elsewhere."""
    always = np.ones(len(rows.table.codes), dtype=bool)
    fires = np.stack([*(rows.held(clause) >= clause.at_least for clause in rule.clauses), always])
    labels = rule.class_indices
    for border in borders:
        above, below = fires.copy(), fires.copy()
        for i, clause in enumerate(rule.clauses):
            mine = [x for x in clause if x.op.ordered and (x.column, x.value) == border]
            if mine:
                rest = rows.held(literal for literal in clause if literal not in mine)
                above[i] = rest + sum(literal.op is Op.GT for literal in mine) >= clause.at_least
                below[i] = rest + sum(literal.op is Op.LE for literal in mine) >= clause.at_least
        # the class of each row [M] above the border and not above it
        if_above, if_below = labels[above.argmax(axis=0)], labels[below.argmax(axis=0)]
        cells = rows.cells[border[0]]
        matters = cells.known & (if_above != if_below)
        gain = rows.table.labels.right(if_above) - rows.table.labels.right(if_below)
        codes = cells.codes[matters]
        by_value = np.bincount(codes, (rows.table.weights * gain)[matters], minlength=len(cells.distinct))
        # rounded, so that sums taken in another order of rows do not decide between equal places
        right = np.round(by_value.sum() - np.concatenate([[0.0], np.cumsum(by_value)]), 6)
        first, last = (int(codes.min()) + 1, int(codes.max())) if len(codes) else (1, 0)
        yield CutProfile(border, cells, right, np.arange(first, last + 1), len(np.unique(codes)) - 1)


_OBJECTIVE = DescriptionLength()  # What errors and places cost, in bits; the same as for the rule itself.
_MOST_MOVES = 30  # Moves after which a rule is left as it is; most rules need none, few more than six.
_SEARCHED_TWICE, _CLASSES_TWICE = 2000, 5
"""Most rows and classes with which a shorter rule is sought once cuts have moved; more take long."""


def with_sharper_cuts(first: Candidate) -> Rule:
    """Move cuts to where the rule needs them, and search once more for a shorter rule with these.

    That search is by the labels alone, in the columns of the rule. A rule that a posterior has chosen is
    replaced only by one that describes the labels in fewer bits than the posterior expects.
    """
    search, sharp = first.search, sharpened(first)
    table = search.table
    many = table.weights.sum() > _SEARCHED_TWICE or len(table.classes) > _CLASSES_TWICE
    if sharp is first.rule or many:
        return sharp
    cuts = [Literal(column, Op.GT, value) for column, value in borders_of(sharp)]
    closer = first.features.narrowed(sharp.columns, sorted(cuts, key=lambda literal: literal.sort_key))
    other = sharpened(search.candidate(closer, models.get_inducer("greedy")))
    n_literals = max(search.among, 2 * len(closer.variables_))
    weighted = constraints.cost_weighted(table, search.settings)
    bits, expected = rule_bits(other, weighted, n_literals), first.induced.expected_bits
    saved = rule_bits(sharp, weighted, n_literals) - bits
    return other if saved > 1e-6 and (expected is None or bits < expected) else sharp


def sharpened(candidate: Candidate) -> Rule:
    """Return a rule with its cuts moved, and simplified where that makes clauses alike."""
    table, settings = candidate.search.table, candidate.search.settings
    fixed = constraints.fixed_columns(settings.knowledge)
    columns = dict.fromkeys(x.column for x in candidate.view.literals if x.column not in fixed)
    sharp = sharpen(candidate.rule, table, list(columns), settings)
    if sharp is candidate.rule:
        return sharp
    return simplified(branches_of(sharp), sharp.default, candidate.features.domain_, table, settings)


class _Move(NamedTuple):
    """A border, a better place for it, and the bits that the move saves."""

    border: Border
    value: Value
    n_places: int
    saved: float


def sharpen(rule: Rule, table: Table, columns: Sequence[str], settings: Settings) -> Rule:
    """Return the rule with its cuts moved where that saves enough errors on the support rows.

    ``columns`` are those whose cuts may move, in an order that does not depend on the caller's: of two
    equally good moves the one of the earlier column is made. A clause that has the least precision keeps it.
    """
    rank = {name: i for i, name in enumerate(columns)}
    weighted, names = constraints.cost_weighted(table, settings), {name for name, _ in borders_of(rule)}
    rows = SupportRows(weighted, settings.min_precision, names.intersection(columns))
    moved: set[Border] = set()

    def position(border: Border) -> tuple[Any, ...]:
        return rank[border[0]], border[1]

    for _ in range(_MOST_MOVES):
        free = [border for border in borders_of(rule) if border[0] in rank]
        moves = sorted(_moves(rule, rows, free), key=lambda move: (-move.saved, *position(move.border)))
        step = next(_steps(rule, moves, rows), None)
        if step is None:
            break
        rule, made = step
        moved = (moved - {made.border}) | {(made.border[0], made.value)}
    return _with_plain_values(rule, sorted(moved, key=position), rows)


_EACH = DescriptionLength(price=1.0)  # What a rule costs whose errors are coded branch by branch.
_GIVEN_UP = 0.005  # Share of the rows that a rule may decide wrongly to be shorter.


def pruned(rule: Rule, table: Table, n_literals: int, settings: Settings) -> Rule:
    """Return the rule without branches and conditions that do not pay for themselves, branch by branch.

    The errors of each branch are coded at a rate of its own. At one rate for all rows, as in the search, an
    error costs many bits if one class is rare: conditions that fit noisy rows by luck then seem to pay. If
    classes are not rare they do pay, though branches differ little: only few rows may become wrong by it.
    """
    weighted = constraints.cost_weighted(table, settings)
    rows, plain = SupportRows(weighted, settings.min_precision), SupportRows(table, settings.min_precision)
    bits, most_wrong = _bits_by_branch(rule, rows, n_literals), rows.wrong(rule) + _GIVEN_UP * rows.total
    while True:
        shorter = [count_branches(one, rule.default, table) for one in _shorter(rule, settings)]
        kept = [one for one in shorter if rows.wrong(one) <= most_wrong and plain.keeps(one, rule)]
        costs = [_bits_by_branch(one, rows, n_literals) for one in kept]
        if min(costs, default=bits) >= bits:
            return rule
        bits = min(costs)
        rule = kept[costs.index(bits)]


def _bits_by_branch(rule: Rule, rows: SupportRows, n_literals: int) -> float:
    """Return the bits of a rule, and of the errors of each branch and of the ELSE."""
    fires = np.stack([rows.held(clause) >= clause.at_least for clause in rule.clauses], axis=1)
    place, weights = first_to_fire(fires), rows.table.weights
    wrong = weights * (rule.class_indices[place] != rows.table.codes)
    errors = np.bincount(place, wrong, len(rule.estimates))
    totals = np.bincount(place, weights, len(rule.estimates))
    n_classes = len(rows.table.classes)
    data = [_EACH.cost(e, np.array(0.0), float(t), n_classes) for e, t in zip(errors, totals, strict=True)]
    lengths = np.array([len(clause) for clause in rule.clauses], dtype=np.int64)
    return round(float(sum(data) + clause_bits(lengths, n_literals).sum()), 6)


def _shorter(rule: Rule, settings: Settings) -> Iterator[list[tuple[Clause, Label]]]:
    """Yield the branches of a rule without each of them, and without each condition of a conjunction."""
    branches = branches_of(rule)
    for i, (clause, label) in enumerate(branches):
        others = [*branches[:i], *branches[i + 1 :]]
        if others:
            yield others
        for literal in () if clause.counts or len(clause) == 1 else clause:
            if literal.column not in settings.require:
                less = Clause(one for one in clause if one != literal)
                yield [*branches[:i], (less, label), *branches[i + 1 :]]


def rule_bits(rule: Rule, table: Table, n_literals: int) -> float:
    """Return the bits of rules made of ``n_literals`` literals, and of their errors on the support rows."""
    total = float(table.weights.sum())
    errors = np.array(total - right_weight(rule, table))
    lengths = np.array([len(clause) for clause in rule.clauses], dtype=np.int64)
    numbers = sum(np.log2(len(clause)) for clause in rule.clauses if clause.counts)  # how many must hold
    bits = clause_bits(lengths, n_literals).sum() + numbers
    return float(_OBJECTIVE.cost(errors, bits, total, len(table.classes)))


def _moves(rule: Rule, rows: SupportRows, borders: Iterable[Border]) -> Iterator[_Move]:
    """Yield for each border its best place, if moving there should pay."""
    wrong = rows.wrong(rule)
    for profile in cut_profiles(rule, rows, borders):
        best = profile.right[profile.places].max(initial=-np.inf)
        gain = float(best - profile.right[profile.now])
        saved = rows.saved(wrong, wrong - gain, profile.n_places) if gain > 0 else 0.0
        if saved > 0:
            widest = max(profile.runs(best), key=len)  # the first of equals
            middle = int(widest[len(widest) // 2])
            value = profile.cells.value(Cut(middle, np.array([middle])))
            yield _Move(profile.border, value, profile.n_places, saved)


def _steps(rule: Rule, moves: Sequence[_Move], rows: SupportRows) -> Iterator[tuple[Rule, _Move]]:
    """Yield what moves lead to, where they pay once everything is counted anew."""
    # between several classes a move can change which clause has the first say, so a promise may not hold
    before = rows.wrong(rule)
    for move in moves:
        after = rows.moved(rule, move.border, move.value)
        if rows.saved(before, rows.wrong(after), move.n_places) > 0 and rows.keeps(after, rule):
            yield after, move


def with_borders(rule: Rule, places: Mapping[Border, Value]) -> list[tuple[Clause, Label]]:
    """Return the branches with some borders elsewhere."""

    def moved(literal: Literal) -> Literal:
        border = literal.column, literal.value
        moves = literal.op.ordered and border in places
        return Literal(literal.column, literal.op, places[border]) if moves else literal

    branches = []
    for clause, label in branches_of(rule):
        literals = {moved(literal) for literal in clause}
        branches.append((Clause(literals, min(clause.at_least, len(literals))), label))
    return branches


def _with_plain_values(rule: Rule, moved: Sequence[Border], rows: SupportRows) -> Rule:
    """Give each border that has moved the plainest value that serves as well."""
    # this comes last: after each move the numbers at hand would decide where the next ones go
    for border in moved:
        (profile,) = cut_profiles(rule, rows, [border])
        place, alike = profile.now, profile.runs(profile.right[profile.now])
        run = next((run for run in alike if place in run), np.array([place]))
        plain = rows.moved(rule, border, profile.cells.value(Cut(place, run)))
        if rows.wrong(plain) <= rows.wrong(rule) + 1e-9 and rows.keeps(plain, rule):
            rule = plain
    return rule
