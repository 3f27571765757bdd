"""Settle: from the rule of a sample to the rule of all rows, wherever the rows are.

    rule of the sample -> counted on all rows
      -> its cuts moved, places around each counted on all rows
      -> rows on which it errs, drawn beside rows on which it does not: further literals
      -> patterns of all these literals -> the search on all rows            the next rule, until nothing pays

Each step is kept only if it is better on all rows. Counts and sample do not depend on the order of rows or on
where they are, so neither does the rule.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nri.arrays import BoolArray
from nri.induce import constraints, models
from nri.induce.assemble import (
    Branches,
    branches_of,
    count_branches,
    count_clauses,
    least_precision,
    right_weight,
)
from nri.induce.classes import ClassSearch
from nri.induce.refine import Border, borders_of, pruned, rule_bits, sharpen, with_borders
from nri.induce.settings import Settings
from nri.outcome import Classes
from nri.rows.base import Drawn, Patterns, Rows, RowsColumn, Window
from nri.rows.hashing import as_floats
from nri.rule import Clause, Column, Label, Literal, Rule, Value
from nri.rule.literal import Kind
from nri.table.table import Table

ROUNDS = 5  # Most rounds of looking for what a rule still gets wrong.
_SLACK = 0.0005  # Share of rows by which a rule that takes fewer bits may be worse than the best one seen.
_PATTERNS = 600
"""Most different rows that literals may make of a sample; beyond, the search on all rows would take long."""
_MOST_PATTERNS = 1500
"""Different rows that the literals of a rule make of a sample; with more it is sought anew with fewer."""
_SEARCHED = 4096  # Patterns that are searched, those of most rows; rules are compared on all.
_WORTH_A_LOOK = 0.0005  # Share of rows that a round must have gained for errors to be looked at once more.
_REGIONS = 3  # Classes that a rule predicts most often wrongly, whose rows are looked at again.
_REGION_ROWS = 2000  # About how many rows of a region are looked at.
_LEAST = 40  # Least rows of a region that is searched.
_LITERALS_OF_COLUMN = 12  # Among about how many for each column the literals of a rule have been chosen.
_REACH, _SHARE, _LEVELS = 64, 0.03, 2
"""Places on each side of a border, share of the rows that the first window takes in on each side, and windows
around a border, one after the other, each finer by half its reach."""

Search = Callable[[Table, Settings, np.random.Generator], Any]
"""Searches a table in memory; see :func:`nri.induce.induce.searched`."""


def settle(
    first: Rule, sample: Table, rows: Rows, settings: Settings, search: Search, rng: np.random.Generator
) -> Rule:
    """Return the rule of a sample, counted and, for classes, improved on all rows."""
    if not isinstance(rows.outcome, Classes):
        return count_clauses(first.clauses, rows.count(_literals(first)).table)
    return _Settling(rows, settings, sample, search, rng).settled(first)


def _literals(rule: Rule) -> set[Literal]:
    return {literal for clause in rule.clauses for literal in clause}


@dataclass(frozen=True, eq=False)
class _Settling:
    """What stays the same while rules for classes come and go."""

    rows: Rows
    settings: Settings
    sample: Table
    search: Search
    rng: np.random.Generator
    tried: dict[Border, tuple[float, ...]] = field(default_factory=dict)
    """for borders that were looked at before, the steps of their windows, ever finer"""

    def settled(self, first: Rule) -> Rule:
        """Count the rule on all rows, and improve it there if the model allows it."""
        counts = self.rows.count(_literals(first))
        rule = self.recounted(first, counts)
        if self.settings.counts == "points" or not models.get_inducer(self.settings.model).sharpens:
            return rule
        if self._n_patterns(_literals(first)) > _MOST_PATTERNS:
            rule, counts = self.plainer(rule, counts)
        return self.improved(rule, counts)

    def plainer(self, rule: Rule, on: Patterns) -> tuple[Rule, Patterns]:
        """Search all rows with as many literals of a rule as leave few patterns; return the better rule."""
        uses = Counter(literal for clause in rule.clauses for literal in clause)
        near = self.affordable(set(), sorted(uses, key=lambda literal: (-uses[literal], literal.sort_key)))
        other = self.rows.count(near)
        fresh = self.chosen([], rule.default, other, near)
        n_literals = 2 * len(on.literals)
        fresh_bits = rule_bits(fresh, constraints.cost_weighted(other.table, self.settings), n_literals)
        bits = rule_bits(rule, constraints.cost_weighted(on.table, self.settings), n_literals)
        return (fresh, other) if fresh_bits < bits else (rule, on)

    def recounted(self, rule: Rule, on: Patterns) -> Rule:
        """Return the same clauses with the counts of all rows."""
        return count_branches(branches_of(rule), rule.default, on.table)

    def improved(self, rule: Rule, on: Patterns) -> Rule:
        """Move cuts, look at errors, and choose on all rows, until nothing pays."""
        look = True
        for _ in range(ROUNDS):
            sharp = self.sharpened(rule, on)
            own = {literal for clause, _ in sharp for literal in clause}
            searched = self.affordable(own, self.further(rule, on)) if look else set()
            literals = _literals(rule) | own | searched
            if literals == _literals(rule) and not look:
                break
            wide = self.rows.count(literals)
            chosen = self.chosen([branches_of(rule), sharp], rule.default, wide, searched)
            before = self.recounted(rule, wide)
            if branches_of(chosen) == branches_of(before) and chosen.default == before.default:
                break
            gain = right_weight(chosen, wide.table) - right_weight(before, wide.table)
            look = gain / self.rows.n_rows > _WORTH_A_LOOK and bool(_literals(chosen) - own)
            rule, on = chosen, wide
        if rule.branches:
            rule = pruned(rule, on.table, _LITERALS_OF_COLUMN * len(self.sample.names), self.settings)
        return self.recounted(rule, on)

    def sharpened(self, rule: Rule, on: Patterns) -> list[tuple[Clause, Label]]:
        """Return the clauses with each cut moved to its best place, the other cuts unchanged."""
        fixed = constraints.fixed_columns(self.settings.knowledge)
        borders = borders_of(rule) if self.settings.binarize == "auto" else []
        places = {border: self._place(rule, on, border) for border in borders if border[0] not in fixed}
        return with_borders(rule, {border: place for border, place in places.items() if place is not None})

    def _place(self, rule: Rule, on: Patterns, border: Border) -> Value | None:
        """Return a better place for one border; None if there is none, however fine the window."""
        column, tried = self.rows.columns[border[0]], self.tried.get(border, ())
        middle = column.as_number(border[1])
        while step := _next_step(column, middle, tried, self.sample):
            tried = (*tried, step)
            window = Window(column.name, middle, step, _REACH)
            moved = sharpen(rule, self.rows.fine(on, window), [column.name], self.settings)
            place = _new_place(rule, moved, border)
            self.tried[border if place is None else (border[0], place)] = tried
            if place is not None:
                return place
        return None

    def further(self, rule: Rule, on: Patterns) -> list[Literal]:
        """Return literals that separate rows on which a rule errs from rows on which it is right."""
        n = len(rule.classes)
        predicted = rule.predict_index(on.table.columns, len(on.table))
        confusion = np.zeros((n, n))
        np.add.at(confusion, (predicted, on.table.codes), on.table.weights)
        wrong = confusion.sum(axis=1) - np.diag(confusion)
        regions = [k for k in np.argsort(-wrong, kind="stable").tolist() if wrong[k] > 0][:_REGIONS]
        if not regions:
            return []
        shares, wanted = np.zeros((n, n)), confusion[regions]
        present = (wanted > 0).sum(axis=1, keepdims=True)
        shares[regions] = np.minimum(1.0, _REGION_ROWS / present / np.maximum(wanted, 1.0))
        drawn = self.rows.draw(rule, shares.reshape(-1).tolist())
        return [x for region in regions for x in self._separating(drawn, drawn.strata // n == region)]

    def _separating(self, drawn: Drawn, rows: BoolArray) -> list[Literal]:
        """Return the literals of a rule that separates the classes of some rows."""
        table = drawn.table.take(rows).about(None)
        if len(table) < _LEAST or len(np.unique(table.codes)) < 2:
            return []
        free = replace(
            self.settings, model="greedy", stable=False, min_precision=0.0, costs=None, ordered=(), tilt=1.0
        )
        rule = self.search(table, free, self.rng).rule
        return sorted(_literals(rule), key=lambda literal: literal.sort_key)

    def affordable(self, own: set[Literal], further: Sequence[Literal]) -> set[Literal]:
        """Return the rule's own literals and as many further ones as leave few patterns."""
        chosen = set(own)
        for literal in dict.fromkeys(further):
            wider = {*chosen, literal}
            if literal.column in self.sample.columns and self._n_patterns(wider) <= _PATTERNS:
                chosen = wider
        return chosen

    def _n_patterns(self, literals: set[Literal]) -> int:
        """How many different rows literals make of the sample."""
        cells = self.rows.features(literals).cells(self.sample.columns, len(self.sample))
        packed = np.packbits(np.concatenate(cells, axis=1), axis=1)
        return len(set(packed.view(f"V{packed.shape[1]}").ravel().tolist())) if packed.size else 1

    def chosen(self, rules: Sequence[Branches], default: Label, on: Patterns, searched: set[Literal]) -> Rule:
        """Choose among rules and what the search makes of some literals, all judged on all rows."""
        candidates = [count_branches(one, default, on.table) for one in rules]
        if searched:
            heaviest = np.sort(np.argsort(-on.table.weights, kind="stable")[:_SEARCHED])
            search = ClassSearch(on.table.take(heaviest), self.settings, self.rng)
            rule = search.candidate(self.rows.features(searched), models.get_inducer("greedy")).rule
            candidates.append(count_branches(branches_of(rule), rule.default, on.table))
        weighted, least = constraints.cost_weighted(on.table, self.settings), self.settings.min_precision
        right = [right_weight(one, weighted) / weighted.weights.sum() for one in candidates]

        def key(place: int) -> tuple[bool, bool, float]:
            one = candidates[place]
            imprecise = least > 0 and least_precision(one, on.table) < least
            bits = round(rule_bits(one, weighted, 2 * len(on.literals)), 6)
            return imprecise, right[place] < max(right) - _SLACK, bits

        return candidates[min(range(len(candidates)), key=key)]


def _next_step(column: RowsColumn, middle: float, tried: Sequence[float], sample: Table) -> float | None:
    """Return how far cuts around a border lie apart in the next window; None if it would be no finer."""
    if len(tried) >= _LEVELS:
        return None
    step = 2.0 * tried[-1] / _REACH if tried else _first_width(sample.columns[column.name], middle) / _REACH
    if step > 0 and (column.plan.whole or column.kind is Kind.DATE):
        step = max(1.0, float(np.ceil(step)))
    return step if 0 < step < min(tried, default=np.inf) else None


def _first_width(cells: Column, middle: float) -> float:
    """Return the width around a border that takes in a few percent of the rows; 0 if all cells are alike."""
    values = np.sort(as_floats(cells)[cells.known])
    if len(values) < 2 or values[0] == values[-1]:
        return 0.0
    share = np.searchsorted(values, middle, side="right") / len(values)
    low, high = np.quantile(values, [max(0.0, share - _SHARE), min(1.0, share + _SHARE)])
    width = max(float(high) - middle, middle - float(low))
    distinct = np.unique(values)
    gaps = np.diff(distinct[max(0, np.searchsorted(distinct, middle) - 3) :][:8])
    return max(width, 2.0 * float(gaps.max(initial=0.0)))


def _new_place(before: Rule, after: Rule, border: Border) -> Value | None:
    """Return where a border went; None if it stayed, or another border of the column moved too."""
    column, value = border
    old = {place for name, place in borders_of(before) if name == column}
    new = {place for name, place in borders_of(after) if name == column}
    added = new - old
    return added.pop() if old - new == {value} and len(added) == 1 else None
