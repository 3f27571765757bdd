"""Validate: how well rules induced from a table do on rows they were not induced from."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from nri.episode import BoolArray, IntArray
from nri.induce.path import LabelledTable, Settings, induce_ruleset
from nri.rule.labels import Label
from nri.rule.render.phrase import phrase_label
from nri.table.columns import columns_of

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Share of rows that were decided rightly, and the standard error of that share."""

    mean: float
    error: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.error:.2f}"


@dataclass(frozen=True, slots=True)
class Guess:
    """Always saying the most frequent class: the least that a rule must do better than."""

    label: Label
    share: float
    """Of the rows on which that is right."""

    def doubt(self, estimate: Accuracy) -> str:
        """Return a line that warns of a rule whose estimate is no better than the guess, else nothing.

        >>> Guess(1, 0.5).doubt(Accuracy(0.44, 0.03))
        'cross-validated, the rule is no better than always saying 1 (0.50): take ALWAYS 1, or give more rows'
        """
        if estimate.mean > self.share + 1e-12:
            return ""
        said = phrase_label(self.label)
        return (
            f"cross-validated, the rule is no better than always saying {said} ({self.share:.2f}): "
            f"take ALWAYS {said}, or give more rows"
        )


def guess_of(classes: Sequence[Label], weights: Sequence[float]) -> Guess:
    """Return the guess for classes whose rows weigh so much; the first of equally frequent ones.

    >>> guess_of(("no", "yes"), (60, 20))
    Guess(label='no', share=0.75)
    """
    most = int(np.argmax(weights))
    return Guess(classes[most], float(weights[most] / sum(weights)))


def cross_validate(
    table: LabelledTable,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    positive: int | None = None,
    folds: int = FOLDS,
    step: Callable[[], None] = lambda: None,
) -> Accuracy:
    """Decide every row by rules that were induced without its fold.

    Parameters
    ----------
    table, settings, positive
        As for :func:`nri.induce.path.induce_ruleset`; everything, thresholds too, is found anew in each.
    rng
        Deals the rows out and seeds the inducers.
    folds
        How many parts the rows are dealt into.
    step
        Called after each fold.
    """
    fold = stratified_folds(table.codes, folds, rng)
    right: BoolArray = np.zeros(len(table.codes), dtype=bool)
    for k in range(int(fold.max()) + 1):
        held_out = fold == k
        known = LabelledTable(
            table.features[~held_out],
            table.codes[~held_out],
            table.classes,
            table.target,
            None if table.weights is None else table.weights[~held_out],
        )
        ruleset = induce_ruleset(known, settings, rng=rng, positive=positive).ruleset
        asked = table.features[held_out]
        columns = columns_of(asked, ruleset.columns, ruleset.kinds)
        right[held_out] = ruleset.predict_index(columns, len(asked)) == table.codes[held_out]
        step()
    return accuracy_of(right, table.weights)


def accuracy_of(right: BoolArray, weights: np.ndarray | None = None) -> Accuracy:
    """Return the (weighted) share of right rows with its standard error.

    >>> str(accuracy_of(np.array([True, True, True, False])))
    '0.75 ± 0.22'
    """
    weights = np.ones(len(right)) if weights is None else weights
    share = weights / weights.sum()
    mean = float(weights[right].sum() / weights.sum())  # never above one by rounding
    return Accuracy(mean, math.sqrt(mean * (1 - mean) * float(share @ share)))


def stratified_folds(codes: IntArray, folds: int, rng: np.random.Generator) -> IntArray:
    """[M]: the fold of each row; folds differ by at most one row of each class and few in all.

    >>> stratified_folds(np.array([0, 0, 1, 1]), 2, np.random.default_rng(0)).tolist()
    [0, 1, 0, 1]
    """
    folds = min(folds, len(codes))
    shuffled = rng.permutation(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    fold = np.empty(len(codes), dtype=np.int64)
    fold[by_class] = np.arange(len(codes)) % folds  # dealt out class after class
    return fold
