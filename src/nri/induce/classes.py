"""The search for classes: from a table and its features to a rule, its cuts moved where it needs them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nri.arrays import BoolArray, FloatArray, Hashes, IntArray, class_bits, mixed
from nri.episode import Cells, Episode, make_episode
from nri.induce import constraints
from nri.induce.assemble import assemble, constant_rule, literal_meanings
from nri.induce.settings import Settings
from nri.rule import Kind, Literal, Rule
from nri.rule.column import Columns
from nri.rule.rule import Branch
from nri.rule.truth import favour, shrink
from nri.search.limits import Limits
from nri.search.result import Induced, Inducer
from nri.table.binarizer import Binarizer
from nri.table.table import Table

_LABELS_PLACE_CUTS = 200
"""Rows from which labels place the cuts of a rule better than the posterior that chose it has placed them."""
_PRUNED = 700  # Rows from which the rule of labels is pruned.
_ROUNDS = 2  # Refinements of the fingerprints; after two they depend on the cells of other columns too.
_CHUNK = 64  # Columns that are summed at once, so that memory does not grow with their number.
_WEIGHT_UNITS = 2**20  # Weights enter fingerprints as multiples of this fraction: whole ones add up exactly.


@dataclass(frozen=True, eq=False)
class ClassSearch:
    """What stays the same while rules for the classes of a table are sought."""

    table: Table
    settings: Settings
    rng: np.random.Generator
    among: int = 0  # Literals that there would be if no columns had been chosen before; 0 if none were.

    def candidate(self, features: Binarizer, model: Inducer) -> "Candidate":
        """Induce clauses on some features, and return them as a rule about columns."""
        table, settings = self.table, self.settings
        free, cells = settings.is_free, cells_of(features, table.columns)
        view = canonical(
            make_episode(
                cells.values,
                cells.known,
                table.codes,
                table.weights,
                len(table.classes),
                cells.numbers,
                None if free else constraints.error_prices(table, settings),
                None if table.unlabelled is None else cells_of(features, table.unlabelled),
            ),
            literal_meanings(features.variables_, features.domain_),
            np.concatenate([features.groups_, features.number_groups_]),
            reorder=model.reorders,
        )
        literals = view.literals
        limits = Limits(
            # more clauses than rows, or more literals than variables, are never of use, but would be tried
            max_clauses=min(settings.most_clauses, max(8, len(table))),
            max_branches=settings.max_branches,
            max_literals=min(settings.max_literals, max(16, len(features.variables_))),
            allowed=None if free else constraints.allowed_literals(literals, settings),
            min_precision=settings.min_precision,
            required=() if free else constraints.required_literals(literals, settings, features.left_out_),
            counts="auto" if settings.counts == "points" else settings.counts,
            among=self.among,
            positive=table.positive,
        )
        induced = model.induce(view.episode, view.groups, limits, self.rng)
        rule = assemble(induced, literals, features.domain_, table, settings)
        return Candidate(self, features, view, induced, rule)


_LABEL_PART = 0.2
"""Part of the labels in what judges rules; the rest is what is believed of rows without their labels."""
_CAUTION = 1.5
"""Power of what a rule is worth by which its labels count; with 2 the shares of true rules are too low."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A rule for one choice of features, in index space and about columns, and what has found it."""

    search: ClassSearch
    features: Binarizer
    view: "CanonicalEpisode"
    induced: Induced
    rule: Rule

    @property
    def labels_place_cuts(self) -> bool:
        """Whether cuts may move by labels: where these chose the rule, or are many and cost the same.

        Few labels would undo what a posterior saw, and fewer still decide where some of them cost more.
        """
        settings, rows = self.search.settings, float(self.search.table.weights.sum())
        return self.induced.expected_bits is None or (
            not settings.weighs_errors and rows >= _LABELS_PLACE_CUTS
        )

    @property
    def is_pruned(self) -> bool:
        """Whether rules are pruned: where many labels alone chose; a card of points stays whole."""
        by_labels = self.induced.held_out is None and self.search.settings.counts != "points"
        return by_labels and float(self.search.table.weights.sum()) >= _PRUNED

    @property
    def n_literals(self) -> int:
        """How many literals one is a choice among."""
        return max(self.search.among, 2 * len(self.features.variables_))

    def judged_masses(self) -> tuple[IntArray, FloatArray]:
        """Return labelled rows, and [rows, classes] what is believed of them: without their labels, mostly.

        Where no posterior has chosen, it is the labels.
        """
        table, held_out = self.search.table, self.induced.held_out
        if held_out is None:
            return np.arange(len(table)), table.class_weights
        rows = self.view.rows[held_out.rows]
        labels = np.eye(len(table.classes))[table.codes[rows]] * held_out.masses.sum(axis=1, keepdims=True)
        return rows, _LABEL_PART * labels + (1 - _LABEL_PART) * held_out.masses

    def with_expected(self, rule: Rule) -> Rule:
        """Return a rule with the class shares to expect of new rows, branch by branch.

        The shares of labels are too good, as labels chose the rule; those of the left-out posterior are too
        cautious. The result lies between, nearer to the labels the better the whole rule is expected to be.
        """
        table, held_out = self.search.table, self.induced.held_out
        if held_out is None:
            return rule
        deciding = rule.decide(table.columns, len(table))[self.view.rows[held_out.rows]]
        sums = np.zeros((len(rule.estimates), len(table.classes)))
        np.add.at(sums, deciding, held_out.masses)
        predicted = np.eye(len(table.classes))[rule.class_indices]
        right = float((sums * predicted).sum() / sums.sum())
        of_table = np.array(rule.support.counts) / rule.support.rows
        most = float(of_table.max())
        worth = max(0.0, (right - most) / max(1 - most, 1e-9))
        counted = np.array([one.counts for one in rule.estimates])
        masses = worth**_CAUTION * counted + (1 - worth**_CAUTION) * sums
        shares = np.array([shrink(of_branch, of_table) for of_branch in masses])
        own = shares[:-1][np.arange(len(rule.branches)), rule.class_indices[:-1]]
        by_clean_labels = self.induced.expected_bits is None and self.induced.errors < 1e-9
        unlikely = len(table.classes) == 2 and (own < 0.5).all() and not self.search.settings.weighs_errors
        if unlikely and rule.branches and not by_clean_labels:
            return self.with_expected(constant_rule(table))  # each branch is likelier wrong than right
        *estimates, otherwise = (
            replace(one, expected=tuple(favour(share, index, one.counts).tolist()))
            for one, share, index in zip(rule.estimates, shares, rule.class_indices.tolist(), strict=True)
        )
        return replace(rule, branches=tuple(map(Branch, rule.clauses, estimates)), otherwise=otherwise)


def cells_of(features: Binarizer, columns: Columns) -> Cells:
    """Return the cells of columns as the model sees them."""
    return Cells(*features.cells(columns), features.numbers(columns))


# Inducers break ties by position: of two equally good columns the first is taken. So that the rule depends
# neither on the order of rows and columns nor on whether a yes/no column is ``smoker`` or ``non_smoker``,
# every episode is put into one order before induction. The order follows from cells and labels alone: first
# the information of a variable about the label, then a fingerprint that rows and literals refine in turns.
# Columns that remain tied are the same to any inducer; they keep their order.


@dataclass(frozen=True, eq=False)
class CanonicalEpisode:
    """An episode in canonical order, and what its literals mean."""

    episode: Episode
    literals: tuple[Literal, ...]  # [2N], the meaning of each literal index
    groups: IntArray
    """[N + F], which variables and numbers come from one column, numbered by first appearance"""
    order: IntArray  # [N], where each variable stood in the table
    flipped: BoolArray  # [N], which variables were negated
    number_order: IntArray  # [F], where each number stood in the table
    rows: IntArray  # [M], where each row stood in the table

    def seen(self, cells: Cells) -> Cells:
        """Put other rows of the same table into this order."""
        known = cells.known[:, self.order]
        values = (cells.values[:, self.order] ^ self.flipped) & known
        return Cells(values, known, cells.numbers[:, self.number_order])


def canonical(
    episode: Episode, literals: Sequence[Literal], groups: IntArray, reorder: bool = True
) -> CanonicalEpisode:
    """Reorder rows and variables, and flip yes/no variables so that the rarer answer is the positive one.

    Without ``reorder`` all stays as it is: so the paper's network sees a table.
    """
    N = episode.n_variables
    order, flipped, by_row = np.arange(N), np.zeros(N, dtype=bool), np.arange(len(episode))
    if reorder:
        rows, true, false = _fingerprints(episode)
        order = np.lexsort((np.maximum(true, false), np.minimum(true, false), -_information(episode)))
        flipped = _flips(episode, literals, true, false)[order]
        by_row = np.argsort(rows, kind="stable")
    positive, negative = np.where(flipped, [order + N, order], [order, order + N])
    place = {group: i for i, group in enumerate(dict.fromkeys(groups[:N][order].tolist()))}
    number_groups = np.array([place[group] for group in groups[N:].tolist()], dtype=np.int64)
    number_order = np.argsort(number_groups, kind="stable")
    ordered = [*groups[:N][order].tolist(), *groups[N:][number_order].tolist()]
    view = CanonicalEpisode(
        episode,
        tuple(literals[i] for i in (*positive.tolist(), *negative.tolist())),
        np.array([place[group] for group in ordered], dtype=np.int64),
        order,
        flipped,
        number_order,
        by_row,
    )
    cells, unlabelled = view.seen(episode).take(by_row), view.seen(episode.unlabelled)
    if reorder and len(unlabelled):  # sorted by what they hold, so that their order does not matter
        keys = np.column_stack([unlabelled.values, unlabelled.known, unlabelled.numbers])
        unlabelled = unlabelled.take(np.lexsort(keys.T[::-1]))
    in_order = replace(
        episode,
        values=cells.values,
        known=cells.known,
        numbers=cells.numbers,
        labels=episode.labels[by_row],
        weights=episode.weights[by_row],
        unlabelled=unlabelled,
    )
    return replace(view, episode=in_order)


def _flips(episode: Episode, literals: Sequence[Literal], true: Hashes, false: Hashes) -> BoolArray:
    """[N]: yes/no variables to be negated; categories and thresholds have a natural positive side."""
    n_true = episode.weights @ episode.values
    n_false = episode.weights @ (episode.known & ~episode.values)
    boolean = [literal.kind is Kind.BOOLEAN for literal in literals[: episode.n_variables]]
    rarer: BoolArray = (n_true > n_false) | ((n_true == n_false) & (true > false))
    return np.array(boolean, dtype=bool) & rarer


def _information(episode: Episode) -> FloatArray:
    """[N]: bits that knowing a variable (also that it is unknown) tells about the label."""
    classes = np.eye(episode.n_classes)[episode.labels] * episode.weights[:, None]
    in_true = classes.T @ episode.values
    in_known = classes.T @ episode.known
    total = classes.sum(axis=0)
    sides = (in_true, in_known - in_true, total[:, None] - in_known)
    true, false, unknown = (class_bits(np.maximum(side, 0.0).T) for side in sides)
    return np.asarray(np.round(class_bits(total) - ((true + false) + unknown), 6))


def _fingerprints(episode: Episode) -> tuple[Hashes, Hashes, Hashes]:
    """Return fingerprints of rows, of variables and of their negations that no reordering changes."""
    # a literal's sums up the rows on which it holds, by their weights, a row's the literals that hold on it
    weights = np.round(episode.weights * _WEIGHT_UNITS).astype(np.uint64)
    base = mixed(episode.labels.astype(np.uint64))
    rows = base
    true, false = np.zeros((2, episode.n_variables), dtype=np.uint64)
    for _ in range(_ROUNDS + 1):
        seen, rows = mixed(rows) * weights, base.copy()
        for start in range(0, episode.n_variables, _CHUNK):
            part = slice(start, start + _CHUNK)
            values = episode.values[:, part]
            yes, no = values.astype(np.uint64), (episode.known[:, part] & ~values).astype(np.uint64)
            true[part], false[part] = seen @ yes, seen @ no
            rows += yes @ mixed(true[part]) + no @ mixed(false[part])
    return rows, true, false
