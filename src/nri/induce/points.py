"""Points: the rule for two classes as a card, a point for each sign of a row, and a share for each total.

A card is a rule whose branches need so many of the same literals, the highest total first, so that all code
for counting clauses serves cards. Every sign is worth one point, a number may have several cuts with a point
each. Larger points were less accurate on new rows (docs/log.md).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nri.arrays import BoolArray, FloatArray, class_bits
from nri.errors import InputError
from nri.induce.classes import Candidate
from nri.induce.constraints import error_costs
from nri.rule import Clause, Literal, Rule, clause_matrix
from nri.rule.truth import STRENGTH, first_to_fire
from nri.search.counts import MOST_LITERALS, Members, literals_for
from nri.search.objective import clause_bits

_PRICE = 0.1  # Bits of the labels that a bit of the card must save.
_LEAST_STEP = 0.01  # Totals whose shares differ by less are one line of the card.


def as_points(first: Candidate) -> Rule:
    """Return the best card for the rows that a rule was chosen by."""
    table, settings, state = first.search.table, first.search.settings, first.induced.found_by
    if state is None:
        raise InputError(f"model {settings.model!r} has no points; use 'seeded' or 'greedy'")
    described = {c for c, _ in first.induced.branches} or {int(np.argmin(table.class_weights.sum(axis=0)))}
    target = described.pop() if table.positive is None else table.positive
    task, limits = state[0].rows.task(target), state[0].limits
    usable = literals_for(task, np.flatnonzero(limits.literal_mask(task.n_variables)), MOST_LITERALS)
    column, negated = limits.columns[usable % task.n_variables], usable >= task.n_variables
    each = float(np.diff(clause_bits(np.array([0, 1]), limits.n_priced(task.n_variables)))[0])
    card = _CardSearch(
        task.literals[:, usable].astype(np.float64),
        np.column_stack([task.positive, task.negative]),
        _PRICE * each * state[0].prices[usable],
        # members of a column point the same way, so that each total can be reached
        (column[:, None] == column) & (negated[:, None] != negated) | np.eye(len(usable), dtype=bool),
        settings.max_literals,
    )
    return _on_table({first.view.literals[usable[j]] for j in card.members()}, target, first)


@dataclass(frozen=True, eq=False)
class _CardSearch:
    """Adding, dropping and swapping members until no move saves bits of the labels where totals are known."""

    truth: FloatArray  # [M, literals]
    masses: FloatArray  # [M, 2]
    prices: FloatArray  # [literals], in bits
    apart: BoolArray  # [literals, literals], which are never members of one card
    most: int

    def members(self) -> Members:
        """Return the card that no move improves."""
        cost, members = np.inf, Members()
        while True:
            bases = [members, *(tuple(i for i in members if i != gone) for gone in members)]
            best, moved = min(move for base in bases for move in self.moves(base))
            if best >= cost - 1e-5:
                return members
            cost, members = best, moved

    def moves(self, members: Members) -> Iterator[tuple[float, Members]]:
        """Price a card as it is, and with the best further member."""
        chosen = list(members)
        totals = np.eye(len(members) + 2)[self.truth[:, chosen].sum(axis=1).astype(np.int64)]
        counts, paid = totals.T @ self.masses, self.prices[chosen].sum()
        prior = STRENGTH * self.masses.sum(axis=0) / self.masses.sum()
        yield round(float(class_bits(counts[:-1] + prior).sum() + paid), 6), members
        if len(members) < self.most and len(self.prices):
            # rows on which the new one holds move up by a point; none has the highest total yet
            held = np.stack([(totals * mass[:, None]).T @ self.truth for mass in self.masses.T], axis=-1)
            raised = counts[:, None] - held + np.roll(held, 1, axis=0)
            costs = np.round(class_bits(raised + prior).sum(axis=0) + self.prices + paid, 6)
            costs[self.apart[chosen].any(axis=0)] = np.inf
            added = int(np.argmin(costs))
            yield float(costs[added]), tuple(sorted((*members, added)))


def _on_table(members: set[Literal], target: int, first: Candidate) -> Rule:
    """Return a card with the shares of its totals."""
    table, settings, n = first.search.table, first.search.settings, len(members)
    clauses = [Clause(members, k) for k in range(n, 0, -1)]
    fires = clause_matrix(clauses, table.columns, len(table))
    rows, masses = first.judged_masses()
    counts = np.zeros((n + 1, 2))
    np.add.at(counts, first_to_fire(fires)[rows], masses)
    kept, shares = _falling(counts, target, settings.max_branches or n)
    costs = error_costs(table, settings)
    own, other = (1.0, 1.0) if costs is None else (costs[target], costs[1 - target])
    values = [table.classes[target if one * own > (1 - one) * other else 1 - target] for one in shares]
    rule = table.labels.rule([clauses[i] for i in kept], fires[:, kept], table.weights, values)
    return first.with_expected(rule.with_plans(table.plans))


def _falling(counts: FloatArray, target: int, most: int) -> tuple[list[int], FloatArray]:
    """Join branches [n + 1, 2] until the share of the target falls; return those left, and shares."""
    prior = STRENGTH * counts.sum(axis=0) / counts.sum()
    kept = list(range(len(counts) - 1))
    while True:
        shares = (counts + prior)[:, target] / (counts + prior).sum(axis=1)
        steps = np.round(shares[:-1] - shares[1:], 9)
        if len(kept) <= most and (steps >= _LEAST_STEP).all():
            return kept, shares
        joined = int(np.argmin(steps))
        counts[joined + 1] += counts[joined]
        counts = np.delete(counts, joined, axis=0)
        del kept[joined]
