"""Sharpen: move the cuts of a rule to where the whole rule needs them.

Thresholds are chosen before any rule is known, by what a column tells about the class on its own. Where
it tells something only together with others, they can be off. Once the rule stands, each of its cuts is
judged anew: by the support rows that the rule set decides rightly, were the cut elsewhere.

A cut is a column and a value wherever they occur in the rule set: ``a <= 42`` in one clause and
``a > 42`` in another are one border and move together. The best move is made first, and a cut moves only if
the errors that it saves are worth more bits than it takes to name its new place.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.assemble import Support, count_rules, least_precision, right_weight
from nri.episode import BoolArray, FloatArray, IntArray
from nri.infer.objective import DescriptionLength, clause_bits
from nri.rule import Clause, Column, Literal, Op, Rule, RuleSet, Value, literal_truth
from nri.rule.literal import plain_value
from nri.table.thresholds import Cut, say

_OBJECTIVE = DescriptionLength()
"""What errors and places cost, in bits; the same as for the rule itself."""
_MOST_MOVES = 30
"""Moves after which a rule is left as it is; most rules need none, few need more than six."""

Border = tuple[str, Value]
"""A column and the value that literals compare it with."""


@dataclass(frozen=True, eq=False)
class _Cells:
    """The known cells of a column as places in the order of its distinct values."""

    distinct: NDArray[Any]
    """[D], increasing; place ``p`` lies between ``distinct[p - 1]`` and ``distinct[p]``"""
    codes: IntArray
    """[M], index of each cell's value; 0 where unknown"""
    known: BoolArray
    """[M]"""

    @classmethod
    def of(cls, column: Column) -> "_Cells":
        distinct, inverse = np.unique(column.values[column.known], return_inverse=True)
        codes = np.zeros(len(column), dtype=np.int64)
        codes[column.known] = inverse
        return cls(distinct, codes, column.known)

    def place(self, value: Value) -> int:
        """Return the place at which a value cuts."""
        cut: Any = value
        if self.distinct.dtype.kind == "M":
            cut = np.datetime64(cut, "us")
        return int(np.searchsorted(self.distinct, cut, side="right"))

    def value(self, cut: Cut) -> Value:
        """Return the plainest value that cuts there."""
        return plain_value(say(self.distinct, cut))


class _Rows:
    """The support rows, with what is asked of them again and again."""

    def __init__(self, support: Support, columns: Iterable[str]) -> None:
        self.support = support
        self.cells = {name: _Cells.of(support.columns[name]) for name in columns}
        self.total = float(support.weights.sum())
        self._holds: dict[Literal, BoolArray] = {}

    def fires(self, literals: Iterable[Literal]) -> BoolArray:
        """[M], where all of the literals are known to hold; each is compared once."""
        truth = np.ones(len(self.support.codes), dtype=bool)
        for literal in literals:
            if literal not in self._holds:
                self._holds[literal] = literal_truth(literal, self.support.columns)[0]
            truth &= self._holds[literal]
        return truth

    def wrong(self, ruleset: RuleSet) -> float:
        """Weight of the rows that are decided wrongly."""
        return self.total - right_weight(ruleset, self.support)

    def saved(self, before: float, after: float, n_places: int) -> float:
        """Return the bits that fewer errors save, less those that say where the cut goes or that it stays."""
        errors, n_classes = np.array([before, after]), len(self.support.classes)
        was, now = _OBJECTIVE.cost(errors, np.zeros(2), self.total, n_classes)
        return round(float(was - now - _OBJECTIVE.price * np.log2(n_places + 1)), 6)


@dataclass(frozen=True, eq=False)
class _Outlook:
    """What the rule set would make of its rows, were one border elsewhere."""

    right: FloatArray
    """[D + 1], weight decided rightly if the border lay at each place, apart from a constant"""
    first: int
    last: int
    """The places with rows on both sides whose class depends on the border; none if ``first > last``"""
    n_places: int
    """How many of these differ for such rows"""


@dataclass(frozen=True, eq=False)
class _Move:
    """A border, a better place for it, and the bits that the move saves."""

    border: Border
    value: Value
    n_places: int
    saved: float


def sharpen(
    ruleset: RuleSet, support: Support, columns: Sequence[str], *, min_precision: float = 0.0
) -> RuleSet:
    """Return the rule set with its cuts where they save enough errors on the support rows.

    Only values of number and date literals change; a rule set without such literals is returned as it is,
    and so is one with no cut that it pays to move.

    Parameters
    ----------
    ruleset
        Rules with evidence of the support rows.
    support
        The rows that the rules were induced from.
    columns
        The table's columns in an order that does not depend on the caller's: of two moves that are equally
        good the one of the earlier column is made.
    min_precision
        Least share of its class among the rows of a clause; a clause that has it keeps it.
    """
    rank = {name: i for i, name in enumerate(columns)}
    rows = _Rows(support, {name for name, _ in _borders(ruleset)})
    start = ruleset
    moved: set[Border] = set()

    def position(border: Border) -> tuple[Any, ...]:
        return rank[border[0]], border[1]

    for _ in range(_MOST_MOVES):
        moves = sorted(_moves(ruleset, rows), key=lambda move: (-move.saved, *position(move.border)))
        step = next(_steps(ruleset, moves, rows, min_precision), None)
        if step is None:
            break
        ruleset, made = step
        moved = (moved - {made.border}) | {(made.border[0], made.value)}
    if ruleset is start:
        return ruleset
    return _said_plainly(ruleset, sorted(moved, key=position), rows, min_precision)


def cuts_of(ruleset: RuleSet) -> list[Literal]:
    """Return the cuts of a rule set as literals ``x > t``, each once, in their order."""
    cuts = [Literal(column, Op.GT, value) for column, value in _borders(ruleset)]
    return sorted(cuts, key=lambda literal: literal.sort_key)


def rule_bits(ruleset: RuleSet, support: Support, n_literals: int) -> float:
    """Return the bits of rules made of ``n_literals`` literals, and of their errors on the support rows."""
    total = float(support.weights.sum())
    lengths = np.array([len(decision.clause) for decision in ruleset.decisions], dtype=np.int64)
    return float(
        _OBJECTIVE.cost(
            np.array(total - right_weight(ruleset, support)),
            clause_bits(lengths, n_literals).sum(),
            total,
            len(support.classes),
        )
    )


def _borders(ruleset: RuleSet) -> list[Border]:
    """Return where the rule set cuts numbers and dates, each border once."""
    found = dict.fromkeys(
        (literal.column, literal.value)
        for decision in ruleset.decisions
        for literal in decision.clause
        if literal.op.ordered
    )
    return list(found)


def _moves(ruleset: RuleSet, rows: _Rows) -> Iterator[_Move]:
    """Yield for each border its best place, if moving there should pay."""
    wrong = rows.wrong(ruleset)
    for border, outlook in _outlooks(ruleset, rows):
        if outlook.first > outlook.last:
            continue
        cells = rows.cells[border[0]]
        places = np.arange(outlook.first, outlook.last + 1)
        best = outlook.right[places].max()
        gain = float(best - outlook.right[cells.place(border[1])])
        saved = rows.saved(wrong, wrong - gain, outlook.n_places)
        if saved > 0:
            widest = max(_runs(places[outlook.right[places] == best]), key=len)  # the first of equals
            middle = int(widest[len(widest) // 2])
            value = cells.value(Cut(middle, np.array([middle])))
            yield _Move(border, value, outlook.n_places, saved)


def _steps(
    ruleset: RuleSet, moves: Sequence[_Move], rows: _Rows, min_precision: float
) -> Iterator[tuple[RuleSet, _Move]]:
    """Yield what moves lead to, where they pay once everything is counted anew.

    Between several classes a move can change which clause has the first say, so a promise may not hold.
    """
    before = rows.wrong(ruleset)
    for move in moves:
        after = _with_value(ruleset, move.border, move.value, rows.support)
        pays = rows.saved(before, rows.wrong(after), move.n_places) > 0
        if pays and _keeps(after, ruleset, min_precision):
            yield after, move


def _outlooks(ruleset: RuleSet, rows: _Rows) -> Iterator[tuple[Border, _Outlook]]:
    """Yield each border and what becomes of the rows, were it elsewhere."""
    decisions = ruleset.decisions
    always = np.ones(len(rows.support.codes), dtype=bool)
    fires = np.stack([*(rows.fires(decision.clause) for decision in decisions), always])
    labels = [ruleset.index_of(label) for label in (*(d.label for d in decisions), ruleset.default)]
    for border in _borders(ruleset):
        above, below = fires.copy(), fires.copy()
        for i, decision in enumerate(decisions):
            mine = [literal for literal in decision.clause if _is_on(literal, border)]
            if mine:
                rest = rows.fires(literal for literal in decision.clause if literal not in mine)
                above[i] = rest & all(literal.op is Op.GT for literal in mine)
                below[i] = rest & all(literal.op is Op.LE for literal in mine)
        if_above, if_below = (np.take(labels, np.argmax(side, axis=0)) for side in (above, below))
        yield border, _outlook(if_above, if_below, rows.support, rows.cells[border[0]])


def _outlook(above: IntArray, below: IntArray, support: Support, cells: _Cells) -> _Outlook:
    """Try a border at every place at once: a row's class depends only on the side that its cell is on.

    Parameters
    ----------
    above, below
        [M], the class of each row if its cell lay above the border, or not above it.
    support, cells
        The rows, and their cells in the border's column.
    """
    matters = cells.known & (above != below)
    gain = (support.codes == above).astype(np.float64) - (support.codes == below)
    codes = cells.codes[matters]
    by_value = np.bincount(codes, (support.weights * gain)[matters], minlength=len(cells.distinct))
    # rounded, so that sums taken in another order of rows do not decide between equal places
    right = np.round(by_value.sum() - np.concatenate([[0.0], np.cumsum(by_value)]), 6)
    first, last = (int(codes.min()) + 1, int(codes.max())) if len(codes) else (1, 0)
    return _Outlook(right, first, last, len(np.unique(codes)) - 1)


def _is_on(literal: Literal, border: Border) -> bool:
    return literal.op.ordered and (literal.column, literal.value) == border


def _keeps(after: RuleSet, before: RuleSet, min_precision: float) -> bool:
    """Whether every clause still covers rows, with the precision asked for or no less than the worst had."""
    covers = all(decision.evidence.total > 0 for decision in after.decisions)
    return covers and least_precision(after) >= min(min_precision, least_precision(before))


def _with_value(ruleset: RuleSet, border: Border, value: Value, support: Support) -> RuleSet:
    """Return the rule set with a border elsewhere, and its evidence counted anew."""

    def moved(literal: Literal) -> Literal:
        return Literal(literal.column, literal.op, value) if _is_on(literal, border) else literal

    rules = {rule.label: Rule(Clause(map(moved, clause)) for clause in rule.rule) for rule in ruleset.rules}
    return count_rules(rules, ruleset.default, support)


def _runs(places: IntArray) -> list[IntArray]:
    """Return the runs of neighbours among increasing places."""
    return np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)


def _said_plainly(ruleset: RuleSet, moved: Sequence[Border], rows: _Rows, min_precision: float) -> RuleSet:
    """Say each border that has moved by the plainest value that serves as well.

    This comes last: were it done after each move, the numbers at hand would decide where the next ones go.
    """
    for border in moved:
        outlook = dict(_outlooks(ruleset, rows))[border]
        cells = rows.cells[border[0]]
        place = cells.place(border[1])
        places = np.arange(outlook.first, outlook.last + 1)
        alike = _runs(places[outlook.right[places] == outlook.right[place]])
        run = next((run for run in alike if place in run), np.array([place]))
        plain = _with_value(ruleset, border, cells.value(Cut(place, run)), rows.support)
        if rows.wrong(plain) <= rows.wrong(ruleset) + 1e-9 and _keeps(plain, ruleset, min_precision):
            ruleset = plain
    return ruleset
