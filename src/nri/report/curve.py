"""Cross-validate rules of every size: their worth on held-out rows, and how many clauses it takes."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nri.episode import IntArray
from nri.errors import InputError
from nri.induce.path import LabelledTable, Settings, induce_ruleset
from nri.induce.resample import Accuracy, accuracy_of, stratified_folds
from nri.report.records import Curve, CurvePoint
from nri.rule import RuleSet, gather_ruleset
from nri.rule.labels import label_array
from nri.table.columns import columns_of


@dataclass(frozen=True, eq=False)
class HeldOut:
    """For every row, what rules that were induced without its fold say about it."""

    fold: IntArray
    """[M]"""
    said: Mapping[int, IntArray]
    """By most clauses for a class [M], class indices; the last one is of rules without a further limit."""

    @property
    def unlimited(self) -> IntArray:
        """[M]: what rules without a further limit say."""
        return self.said[max(self.said)]


def hold_out(
    table: LabelledTable,
    settings: Settings,
    *,
    seed: int,
    positive: int | None,
    folds: int,
    seconds: float | None = None,
    step: Callable[[], None] = lambda: None,
) -> HeldOut:
    """Decide every row by rules of every size that were induced without its fold.

    The rules without a further limit are those of :func:`nri.induce.resample.cross_validate` with the same
    seed. A limit above the size that a fold's rule has of itself changes nothing: only smaller are tried.

    Parameters
    ----------
    table, settings, positive
        As for :func:`nri.induce.path.induce_ruleset`.
    seed
        Deals the rows out and seeds the inducers.
    folds
        Parts that the rows are dealt into.
    seconds
        Time after which no further size is tried; None for no limit.
    step
        Called after each fold.
    """
    began = time.monotonic()
    rng = np.random.default_rng(seed)
    (smaller,) = rng.spawn(1)
    fold = stratified_folds(table.codes, folds, rng)
    insides = [part_of(table, fold != k) for k in range(int(fold.max()) + 1)]
    whole = []
    for inside in insides:
        whole.append(induce_or_default(inside, settings, rng, positive))
        step()
    largest = max(1, *(largest_rule(rules) for rules in whole))
    said = {0: _joined([most_frequent(inside) for inside in insides], table, fold)}
    for size in range(1, largest):
        if seconds is not None and time.monotonic() - began > seconds:
            break
        limited = replace(settings, max_clauses=size)
        rules_of_size = [
            rules if largest_rule(rules) <= size else induce_or_default(inside, limited, smaller, positive)
            for rules, inside in zip(whole, insides, strict=True)
        ]
        said[size] = _joined(rules_of_size, table, fold)
    said[largest] = _joined(whole, table, fold)
    return HeldOut(fold, said)


def _joined(rules: Sequence[RuleSet], table: LabelledTable, fold: IntArray) -> IntArray:
    """[M]: what each fold's rules say about the rows of the fold."""
    said = np.zeros(len(fold), dtype=np.int64)
    for k, ruleset in enumerate(rules):
        features = table.features[fold == k]
        columns = columns_of(features, ruleset.columns, ruleset.kinds)
        said[fold == k] = ruleset.predict_index(columns, len(features))
    return said


def curve_of(
    held_out: HeldOut, table: LabelledTable, settings: Settings, *, seed: int, positive: int | None
) -> Curve:
    """Find the simplest rules within one standard error of the best, and induce such from all rows."""
    points = tuple(
        CurvePoint(size, accuracy_of(said == table.codes, table.weights))
        for size, said in held_out.said.items()
    )
    best = max(points, key=lambda point: (round(point.accuracy.mean, 12), -point.clauses))
    enough = best.accuracy.mean - best.accuracy.error - 1e-12
    simplest = next(point for point in points if point.accuracy.mean >= enough)
    rule = most_frequent(table)
    if simplest.clauses:
        limited = replace(settings, max_clauses=min(simplest.clauses, settings.max_clauses))
        rule = induce_or_default(table, limited, np.random.default_rng(seed), positive)
    return Curve(points, best, simplest, rule, len(table.codes))


def part_of(table: LabelledTable, rows: np.ndarray) -> LabelledTable:
    """Return some rows of a table (indices or a mask)."""
    return replace(
        table,
        features=table.features[rows] if rows.dtype == bool else table.features.iloc[rows],
        codes=table.codes[rows],
        weights=None if table.weights is None else table.weights[rows],
    )


def induce_or_default(
    table: LabelledTable, settings: Settings, rng: np.random.Generator, positive: int | None
) -> RuleSet:
    """Induce, or say the most frequent class where a part of the table leaves nothing to induce from."""
    try:
        return induce_ruleset(table, settings, rng=rng, positive=positive).ruleset
    except InputError:  # e.g. no column varies in this part
        return most_frequent(table)


def most_frequent(table: LabelledTable) -> RuleSet:
    """Return the rule set without clauses."""
    one_hot = np.eye(len(table.classes))[table.codes]
    weights = one_hot if table.weights is None else one_hot * table.weights[:, None]
    default = table.classes[int(weights.sum(axis=0).argmax())]
    return gather_ruleset(table.target, table.classes, {}, {}, weights, default=default)


def largest_rule(ruleset: RuleSet) -> int:
    """Return the most clauses that the rule of one class has."""
    return max((len(rule.rule) for rule in ruleset.rules), default=0)


def posterior_accuracy(
    table: LabelledTable, settings: Settings, fold: IntArray, seed: int, positive: int | None
) -> Accuracy | None:
    """Return how often the likeliest class is right on held-out rows, None if the model has no probabilities.

    Parameters
    ----------
    table, settings, positive
        As for :func:`nri.induce.path.induce_ruleset`.
    fold
        [M], the folds that the rules were cross-validated on, so that the two can be compared.
    seed
        Of the classifiers.
    """
    right = np.zeros(len(table.codes), dtype=bool)
    labels = label_array(table.classes)
    for k in range(int(fold.max()) + 1):
        inside, outside = part_of(table, fold != k), part_of(table, fold == k)
        classifier = _classifier(settings, seed, None if positive is None else table.classes[positive])
        if not _has_posterior(classifier):
            return None
        classifier.fit(inside.features, labels[inside.codes], sample_weight=inside.weights)
        if not hasattr(classifier, "posterior_proba"):
            return None
        try:
            believed = np.asarray(classifier.posterior_proba(outside.features))
        except InputError:  # this model knows no more than its rule says
            return None
        likeliest = believed.argmax(axis=1)
        right[fold == k] = classifier.classes_[likeliest] == labels[outside.codes]
    return accuracy_of(right, table.weights)


def _classifier(settings: Settings, seed: int, positive: Any) -> Any:
    from nri.estimator import NRIClassifier  # heavy: it brings scikit-learn

    columns: Any = None if settings.use is None else list(settings.use)
    if settings.never:
        columns = dict.fromkeys(settings.never, False) | dict.fromkeys(settings.use or (), True)
    return NRIClassifier(
        settings.model,
        max_clauses=settings.max_clauses,
        max_literals=settings.max_literals,
        columns=columns,
        require=list(settings.require),
        negations=settings.negations,
        min_precision=settings.min_precision,
        binarize=settings.binarize,
        positive=positive,
        random_state=seed,
    )


def _has_posterior(classifier: Any) -> bool:
    """Whether its class offers probabilities at all; whether this model does shows after fitting."""
    return hasattr(type(classifier), "posterior_proba")
