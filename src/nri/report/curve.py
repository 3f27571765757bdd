"""Cross-validate rules of every size: their worth on held-out rows, and how many clauses it takes."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from nri.episode import IntArray
from nri.errors import InputError
from nri.induction import LabelledTable, Settings, induce_ruleset
from nri.report.records import Curve, CurvePoint
from nri.rule import RuleSet, gather_ruleset
from nri.table.columns import columns_of
from nri.validate import Accuracy, accuracy_of, stratified_folds


@dataclass(frozen=True, eq=False)
class HeldOut:
    """For every row, what rules that were induced without its fold say about it."""

    fold: IntArray
    """[M]"""
    said: IntArray
    """[sizes, M], class indices for each most number of clauses, from none upwards"""


def hold_out(
    table: LabelledTable,
    settings: Settings,
    *,
    seed: int,
    positive: int | None,
    folds: int,
    step: Callable[[], None] = lambda: None,
) -> HeldOut:
    """Decide every row by rules of every size that were induced without its fold.

    The rules without a further limit are those of :func:`nri.validate.cross_validate` with the same seed. A
    limit above the size that a fold's rule has of itself changes nothing, so only smaller ones are tried.

    Parameters
    ----------
    table, settings, positive
        As for :func:`nri.induction.induce_ruleset`.
    seed
        Deals the rows out and seeds the inducers.
    folds
        Parts that the rows are dealt into.
    step
        Called after each fold.
    """
    rng = np.random.default_rng(seed)
    (smaller,) = rng.spawn(1)
    fold = stratified_folds(table.codes, folds, rng)
    said = np.zeros((settings.max_clauses + 1, len(table.codes)), dtype=np.int64)
    for k in range(int(fold.max()) + 1):
        inside, outside = part_of(table, fold != k), part_of(table, fold == k)
        size = settings.max_clauses
        while size >= 0:
            limited = replace(settings, max_clauses=max(size, 1))
            generator = rng if size == settings.max_clauses else smaller
            rules = induce_or_default(inside, limited, generator, positive) if size else most_frequent(inside)
            own = min(largest_rule(rules), size)
            said[own : size + 1, fold == k] = _decisions(rules, outside)
            size = own - 1
        step()
    return HeldOut(fold, said)


def curve_of(
    held_out: HeldOut, table: LabelledTable, settings: Settings, *, seed: int, positive: int | None
) -> Curve:
    """Find the simplest rules within one standard error of the best, and induce such from all rows."""
    found = [
        CurvePoint(size, accuracy_of(said == table.codes, table.weights))
        for size, said in enumerate(held_out.said)
    ]
    best = max(found, key=lambda point: (round(point.accuracy.mean, 12), -point.clauses))
    enough = best.accuracy.mean - best.accuracy.error - 1e-12
    simplest = next(point.clauses for point in found if point.accuracy.mean >= enough)
    limited = replace(settings, max_clauses=max(simplest, 1))
    rule = (
        induce_or_default(table, limited, np.random.default_rng(seed), positive)
        if simplest
        else most_frequent(table)
    )
    return Curve(_without_plateau(found), best.clauses, simplest, rule, len(table.codes))


def _without_plateau(points: list[CurvePoint]) -> tuple[CurvePoint, ...]:
    """Drop the sizes that no fold's rule reached: from there on nothing changes."""
    last = len(points) - 1
    while last > 1 and points[last - 1].accuracy == points[last].accuracy:
        last -= 1
    return tuple(points[: last + 1])


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


def _decisions(ruleset: RuleSet, table: LabelledTable) -> IntArray:
    columns = columns_of(table.features, ruleset.columns, ruleset.kinds)
    return ruleset.predict_index(columns, len(table.codes))


def accuracy_held_out(held_out: HeldOut, table: LabelledTable) -> Accuracy:
    """Return the accuracy of the rules without a further limit."""
    return accuracy_of(held_out.said[-1] == table.codes, table.weights)
