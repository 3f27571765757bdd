"""Sharpen: move the cuts of a rule to where the whole rule needs them.

Thresholds are chosen before any rule is known, by what a column tells about the class on its own. Where
it tells something only together with others, they can be off. Once the rule stands, each of its cuts is
judged anew: by the support rows that the rule set decides rightly, were the cut elsewhere.

A cut is a column and a value wherever they occur in the rule set: ``a <= 42`` in one clause and
``a > 42`` in another are one border and move together. The best move is made first, and a cut moves only if
the errors that it saves are worth more bits than it takes to name its new place. The members of a counting
clause move likewise; two that come to lie on each other are one from then on, with one vote, if that pays.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nri.arrays import IntArray
from nri.induce.borders import Border, BorderRows, borders_of, is_on, outlooks
from nri.induce.words import counted, least_precision, right_weight
from nri.rule import Clause, Dnf, Literal, Op, RuleSet, Value
from nri.search.objective import DescriptionLength, clause_bits
from nri.table.table import Table
from nri.table.thresholds import Cut

_OBJECTIVE = DescriptionLength()
"""What errors and places cost, in bits; the same as for the rule itself."""
_MOST_MOVES = 30
"""Moves after which a rule is left as it is; most rules need none, few need more than six."""


@dataclass(frozen=True, eq=False)
class _Move:
    """A border, a better place for it, and the bits that the move saves."""

    border: Border
    value: Value
    n_places: int
    saved: float


def sharpen(
    ruleset: RuleSet,
    table: Table,
    columns: Sequence[str],
    *,
    min_precision: float = 0.0,
    fixed: Collection[str] = (),
) -> RuleSet:
    """Return the rule set with its cuts where they save enough errors on the support rows.

    Only values of number and date literals change; a rule set without such literals is returned as it is,
    and so is one with no cut that it pays to move.

    Parameters
    ----------
    ruleset
        Rules with evidence of the support rows.
    table
        The rows that the rules were induced from.
    columns
        The table's columns in an order that does not depend on the caller's: of two moves that are equally
        good the one of the earlier column is made.
    min_precision
        Least share of its class among the rows of a clause; a clause that has it keeps it.
    fixed
        Columns whose cuts stay where they are.
    """
    rank = {name: i for i, name in enumerate(columns)}
    rows = BorderRows(table, {name for name, _ in borders_of(ruleset)})
    start = ruleset
    moved: set[Border] = set()

    def position(border: Border) -> tuple[Any, ...]:
        return rank[border[0]], border[1]

    for _ in range(_MOST_MOVES):
        free = (move for move in _moves(ruleset, rows) if move.border[0] not in fixed)
        moves = sorted(free, key=lambda move: (-move.saved, *position(move.border)))
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
    cuts = [Literal(column, Op.GT, value) for column, value in borders_of(ruleset)]
    return sorted(cuts, key=lambda literal: literal.sort_key)


def rule_bits(ruleset: RuleSet, table: Table, n_literals: int) -> float:
    """Return the bits of rules made of ``n_literals`` literals, and of their errors on the support rows."""
    total = float(table.weights.sum())
    clauses = [decision.clause for decision in ruleset.decisions]
    lengths = np.array([len(clause) for clause in clauses], dtype=np.int64)
    numbers = sum(np.log2(len(clause)) for clause in clauses if clause.counts)  # how many must hold
    return float(
        _OBJECTIVE.cost(
            np.array(total - right_weight(ruleset, table)),
            clause_bits(lengths, n_literals).sum() + numbers,
            total,
            len(table.classes),
        )
    )


def _moves(ruleset: RuleSet, rows: BorderRows) -> Iterator[_Move]:
    """Yield for each border its best place, if moving there should pay."""
    wrong = rows.wrong(ruleset)
    for border, outlook in outlooks(ruleset, rows):
        if outlook.first > outlook.last:
            continue
        cells = rows.cells[border[0]]
        places = np.arange(outlook.first, outlook.last + 1)
        best = outlook.right[places].max()
        gain = float(best - outlook.right[cells.place(border[1])])
        saved = _saved(rows, wrong, wrong - gain, outlook.n_places)
        if saved > 0:
            widest = max(_runs(places[outlook.right[places] == best]), key=len)  # the first of equals
            middle = int(widest[len(widest) // 2])
            value = cells.value(Cut(middle, np.array([middle])))
            yield _Move(border, value, outlook.n_places, saved)


def _steps(
    ruleset: RuleSet, moves: Sequence[_Move], rows: BorderRows, min_precision: float
) -> Iterator[tuple[RuleSet, _Move]]:
    """Yield what moves lead to, where they pay once everything is counted anew.

    Between several classes a move can change which clause has the first say, so a promise may not hold.
    """
    before = rows.wrong(ruleset)
    for move in moves:
        after = _with_value(ruleset, move.border, move.value, rows.table)
        pays = _saved(rows, before, rows.wrong(after), move.n_places) > 0
        if pays and _keeps(after, ruleset, min_precision):
            yield after, move


def _saved(rows: BorderRows, before: float, after: float, n_places: int) -> float:
    """Return the bits that fewer errors save, less those that say where the cut goes or that it stays."""
    errors, n_classes = np.array([before, after]), len(rows.table.classes)
    was, now = _OBJECTIVE.cost(errors, np.zeros(2), rows.total, n_classes)
    return round(float(was - now - _OBJECTIVE.price * np.log2(n_places + 1)), 6)


def _keeps(after: RuleSet, before: RuleSet, min_precision: float) -> bool:
    """Whether every clause still covers rows, with the precision asked for or no less than the worst had."""
    covers = all(decision.evidence.total > 0 for decision in after.decisions)
    return covers and least_precision(after) >= min(min_precision, least_precision(before))


def _with_value(ruleset: RuleSet, border: Border, value: Value, table: Table) -> RuleSet:
    """Return the rule set with a border elsewhere, and its evidence counted anew."""

    def moved(clause: Clause) -> Clause:
        literals = {
            Literal(literal.column, literal.op, value) if is_on(literal, border) else literal
            for literal in clause
        }
        return Clause(literals, min(clause.at_least, len(literals)))

    rules = {rule.label: Dnf(map(moved, rule.rule)) for rule in ruleset.rules}
    return counted(rules, ruleset.default, table)


def _runs(places: IntArray) -> list[IntArray]:
    """Return the runs of neighbours among increasing places."""
    return np.split(places, np.flatnonzero(np.diff(places) > 1) + 1)


def _said_plainly(
    ruleset: RuleSet, moved: Sequence[Border], rows: BorderRows, min_precision: float
) -> RuleSet:
    """Say each border that has moved by the plainest value that serves as well.

    This comes last: were it done after each move, the numbers at hand would decide where the next ones go.
    """
    for border in moved:
        outlook = dict(outlooks(ruleset, rows))[border]
        cells = rows.cells[border[0]]
        place = cells.place(border[1])
        places = np.arange(outlook.first, outlook.last + 1)
        alike = _runs(places[outlook.right[places] == outlook.right[place]])
        run = next((run for run in alike if place in run), np.array([place]))
        plain = _with_value(ruleset, border, cells.value(Cut(place, run)), rows.table)
        if rows.wrong(plain) <= rows.wrong(ruleset) + 1e-9 and _keeps(plain, ruleset, min_precision):
            ruleset = plain
    return ruleset
