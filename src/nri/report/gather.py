"""Gather: from a table and a rule to all numbers of a report, for every outcome."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.errors import InputError
from nri.induce.assemble import coded_predictions, constant_rule
from nri.induce.constraints import cost_weighted, error_costs
from nri.induce.induce import Induction
from nri.induce.settings import Settings
from nri.induce.validate import HeldOut, cores, hold_out, induce_or_constant, some_rows
from nri.outcome import Classes, Interval, Number, Score
from nri.outcome.number import weighted_quantiles
from nri.outcome.score import LEVEL, effective_rows, wilson
from nri.report.records import (
    BranchReport,
    ColumnUse,
    Confusion,
    Curve,
    CurvePoint,
    Gaps,
    Member,
    Pattern,
    Report,
    ReportOptions,
    Tally,
    Validation,
)
from nri.rule import ClassTarget, Clause, Rule, clause_matrix, literal_truth
from nri.rule.equivalence import most_together
from nri.table.binarizer import LeftOut
from nri.table.table import Table
from nri.tasks.fairness import by_group, protected_columns
from nri.tasks.predictions import leaking_column
from nri.tasks.stability import Stability, clause_stability

BINS = 40
"""Bars in the picture of a distribution."""


def gather_report(
    table: Table,
    found: Induction,
    settings: Settings | None = None,
    *,
    options: ReportOptions | None = None,
    held: HeldOut | None = None,
    step: Callable[[], None] = lambda: None,
) -> Report:
    """Count, cross-validate and resample.

    ``table`` holds the rows to report on, normally those that the rule was induced from; ``found`` the rule,
    which a person may have changed since. ``settings`` are those of the induction, for cross-validation and
    stability induce again; ``held`` is a cross-validation of the same rows, if there is one already. ``step``
    is called after each fold and each bootstrap sample; see :func:`steps_of`.
    """
    settings, options = settings or Settings(), options or ReportOptions()
    rule = found.rule.settled
    _check_target(table, rule)
    if not (table.weights > 0).all():
        table = table.take(table.weights > 0)  # rows of weight zero are as good as absent
    outcome, counts = table.explained, RuleCounts(table, rule)
    half = None if options.seconds is None else options.seconds / 2
    validation = _validate(table, rule, settings, options, held, half, step)
    stability = None
    if options.samples > 0 and rule.branches:
        stability = clause_stability(
            table,
            rule,
            settings,
            rng=np.random.default_rng(options.seed),
            samples=options.samples,
            max_rows=options.max_rows,
            seconds=half,
            step=step,
        )
    of_classes = isinstance(outcome, Classes)
    costs = error_costs(table, settings) if of_classes else None
    low, high = _range(table)
    protected = dict.fromkeys([*options.protect, *protected_columns(rule)])
    return Report(
        options,
        len(table),
        len(table.names),
        float(table.weights.sum()),
        tuple(table.by_class.tolist()) if of_classes else (),
        _column_use(table, settings, rule, found.left_out),
        tuple(str(note) for note in table.notes),
        rule,
        counts.branches(stability),
        counts.default(),
        outcome.score(counts.predicted, table.weights),
        confusion_of(table, counts.predicted) if of_classes else None,
        counts.patterns(),
        counts.distributions(low, high),
        low,
        high,
        validation,
        stability,
        counts.gaps(),
        tuple(by_group(table, rule, column) for column in protected),
        leaking_column(rule, table),
        None if costs is None else tuple(costs.tolist()),
    )


def steps_of(options: ReportOptions) -> int:
    """Return how often ``step`` is called at most, for a progress bar."""
    return options.folds + options.samples


def _check_target(table: Table, rule: Rule) -> None:
    kinds = table.explained.predicts.kind, rule.predicts.kind
    if kinds[0] != kinds[1]:
        raise InputError(
            f"the rule predicts {kinds[1]}, the table has {kinds[0]}; report on rows with the same"
        )
    if isinstance(rule.predicts, ClassTarget) and rule.classes != table.classes:
        raise InputError(
            f"the rule is about the classes {list(rule.classes)}, the table has {list(table.classes)}; "
            "report on rows with the same classes"
        )


def _column_use(table: Table, settings: Settings, rule: Rule, left_out: tuple[LeftOut, ...]) -> ColumnUse:
    wanted = None if settings.use is None else {*settings.use, *settings.require}
    excluded = [
        name for name in table.names if name in settings.never or (wanted is not None and name not in wanted)
    ]
    taken = {*rule.columns, *excluded, *(one.column for one in left_out)}
    unused = tuple(name for name in table.names if name not in taken)
    return ColumnUse(rule.columns, unused, tuple(excluded), left_out)


def _range(table: Table) -> tuple[float, float]:
    if not isinstance(table.outcome, Number):
        return 0.0, 1.0
    low, high = weighted_quantiles(table.outcome.values, table.weights, (0.005, 0.995)).tolist()
    return low, high if high > low else low + 1


class RuleCounts:
    """A rule on a table: where each branch fires, which one decides, and which rows are right."""

    def __init__(self, table: Table, rule: Rule) -> None:
        self.table, self.rule, self.weights = table, rule, table.weights
        self.columns = rule.read(table)
        self.fires: BoolArray = clause_matrix(rule.clauses, self.columns, len(table))
        """[M, branches]"""
        self.deciding: IntArray = rule.decide(self.columns, len(table))
        self.predicted = coded_predictions(rule, table)

    def branches(self, stability: Stability | None) -> tuple[BranchReport, ...]:
        """Return the counts of each branch, in the order in which they are tried."""
        return tuple(
            BranchReport(
                i + 1,
                branch.value,
                branch.clause,
                self.tally(self.fires[:, i], i),
                self.tally(self.deciding == i, i),
                None if stability is None else stability.clauses[i],
                *(self.members(branch.clause, i) if branch.clause.counts else ()),
            )
            for i, branch in enumerate(self.rule.branches)
        )

    def members(self, clause: Clause, index: int) -> tuple[tuple[Member, ...], tuple[Tally, ...]]:
        """Count for each member of a counting clause where it holds, and the rows by how many hold."""
        holds = np.stack([literal_truth(literal, self.columns)[0] for literal in clause])
        held = holds.sum(axis=0)
        covered, just_enough = held >= clause.at_least, held == clause.at_least
        members = tuple(
            Member(
                literal,
                self.tally(truth, index),
                float(self.weights[truth & covered].sum()),
                float(self.weights[truth & just_enough].sum()),
            )
            for literal, truth in zip(clause, holds, strict=True)
        )
        return members, tuple(self.tally(held == n, index) for n in range(len(clause) + 1))

    def default(self) -> Tally:
        """Count the rows on which no branch fires."""
        return self.tally(self.deciding == len(self.rule.branches), len(self.rule.branches))

    def tally(self, rows: NDArray[Any], index: int) -> Tally:
        """Count the rows of a mask, and those of the class that a branch, or the ELSE, predicts."""
        weights = self.weights[rows]
        total, everything = float(weights.sum()), float(self.weights.sum())
        if not isinstance(self.table.outcome, Classes):
            return Tally(total, everything)
        right = float(weights[self.table.codes[rows] == self.rule.class_indices[index]].sum())
        share = min(1.0, right / total) if total > 0 else 0.0
        return Tally(total, everything, right, wilson(share, effective_rows(weights)))

    def patterns(self) -> tuple[Pattern, ...]:
        """Group rows by the branches that fire on them, most rows first."""
        kinds, inverse = np.unique(self.fires, axis=0, return_inverse=True)
        rows = np.bincount(inverse.reshape(-1), self.weights, minlength=len(kinds))
        right: list[float] | list[None] = [None] * len(kinds)
        if isinstance(self.table.outcome, Classes):
            hit = self.weights * (self.predicted == self.table.codes)
            right = np.bincount(inverse.reshape(-1), hit, minlength=len(kinds)).tolist()
        numbers = [tuple((np.flatnonzero(kind) + 1).tolist()) for kind in kinds]
        patterns = [Pattern(*one) for one in zip(numbers, rows.tolist(), right, strict=True)]
        return tuple(sorted(patterns, key=lambda pattern: (-pattern.rows, pattern.branches)))

    def distributions(self, low: float, high: float) -> tuple[tuple[float, ...], ...]:
        """Count for each branch and the ELSE the values of a number in equal parts of a range."""
        if not isinstance(self.table.outcome, Number):
            return ()
        inside, shares = np.clip(self.table.outcome.values, low, high), []
        for i in range(len(self.rule.estimates)):
            rows = self.deciding == i
            counts, _ = np.histogram(inside[rows], BINS, (low, high), weights=self.weights[rows])
            shares.append(tuple((counts / max(float(counts.sum()), 1e-300)).tolist()))
        return tuple(shares)

    def gaps(self) -> Gaps:
        """Count what missing cells do."""
        missing = {name: int((~column.known).sum()) for name, column in self.columns.items()}
        gap: BoolArray = np.zeros(len(self.table), dtype=bool)
        for column in self.columns.values():
            gap |= ~column.known
        listed = sorted(((name, n) for name, n in missing.items() if n), key=lambda one: -one[1])
        undecided = self.possible().any(axis=1) & ~self.fires.any(axis=1)
        return Gaps(tuple(listed), int(gap.sum()), int(undecided.sum()), self._score(~gap), self._score(gap))

    def _score(self, rows: BoolArray) -> Score | None:
        if self.weights[rows].sum() <= 0:
            return None
        return self.table.explained.take(rows).score(self.predicted[rows], self.weights[rows])

    def possible(self) -> BoolArray:
        """[M, branches]: where a branch fires or might, were its missing cells known."""
        possible = np.zeros_like(self.fires)
        for i, clause in enumerate(self.rule.clauses):
            held = np.zeros(len(self.table), dtype=np.int64)
            for name, most in most_together(clause).items():
                held += np.where(self.columns[name].known, 0, most)
            for literal in clause:
                held += literal_truth(literal, self.columns)[0]
            possible[:, i] = held >= clause.at_least
        return possible


def confusion_of(table: Table, predicted: IntArray) -> Confusion:
    """Count rows by true and predicted class."""
    counts = np.zeros((len(table.classes), len(table.classes)))
    np.add.at(counts, (table.codes, predicted), table.weights)
    score = table.explained.score(predicted, table.weights)
    return Confusion(tuple(tuple(row) for row in counts.tolist()), score)


def _validate(
    table: Table,
    rule: Rule,
    settings: Settings,
    options: ReportOptions,
    held: HeldOut | None,
    seconds: float | None,
    step: Callable[[], None],
) -> Validation | None:
    """Count on held-out rows; None if there are too few."""
    table = some_rows(table, options.max_rows, np.random.default_rng(options.seed))
    if options.folds < 2 or len(table) < 2 or table.explained.is_constant:
        return None
    if held is None or held.table is not table or len(held.inductions) != options.folds:
        rng = np.random.default_rng(options.seed)  # the folds of --cv, so that both give the same
        held = hold_out(table, settings, rng=rng, folds=options.folds, jobs=cores(), step=step)
    by_limit = by_size(held, settings, rng=np.random.default_rng((options.seed, 1)), seconds=seconds)
    curve = curve_of(held, by_limit, settings, options.seed)
    interval = score_interval(held.score, table.weights)
    if not isinstance(table.outcome, Classes):
        return Validation(held.score, interval, curve)
    return Validation(
        held.score,
        interval,
        curve,
        confusion_of(table, held.predicted),
        held.posterior_score,
        held.diagnostics(rule.described, options.prevalence),
        held.cost(settings.costs),
    )


def score_interval(score: Score, weights: FloatArray) -> Interval:
    """Return the 95 % interval of a score: Wilson's for a share, else by its standard error."""
    if score.measure == "accuracy":
        return wilson(score.value, effective_rows(weights))
    reach = float(ndtri(0.5 + LEVEL / 2)) * score.error
    return Interval(score.value - reach, min(score.value + reach, 1.0))


def by_size(
    held: HeldOut, settings: Settings, *, rng: np.random.Generator, seconds: float | None = None
) -> Mapping[int, NDArray[Any]]:
    """Return held-out predictions of rules of every size, by their most clauses.

    A limit above the size that a fold's rule has of itself changes nothing: only smaller ones are tried, and
    none after so many seconds. The last entry is of rules without a further limit.
    """
    began = time.monotonic()
    insides = list(held.insides)
    whole = [found.rule for found in held.inductions]
    largest = max(1, *(largest_rule(rule) for rule in whole))
    predicted = {0: _joined(held, [constant_rule(cost_weighted(inside, settings)) for inside in insides])}
    for size in range(1, largest):
        if seconds is not None and time.monotonic() - began > seconds:
            break
        limited = replace(settings, max_clauses=size)
        rules = [
            rule if largest_rule(rule) <= size else induce_or_constant(inside, limited, rng).rule
            for rule, inside in zip(whole, insides, strict=True)
        ]
        predicted[size] = _joined(held, rules)
    predicted[largest] = held.predicted
    return predicted


def _joined(held: HeldOut, rules: list[Rule]) -> NDArray[Any]:
    """[M]: what the rule of each fold predicts for its rows."""
    predicted = np.zeros_like(held.predicted)
    for k, rule in enumerate(rules):
        rows = held.fold == k
        predicted[rows] = coded_predictions(rule, held.table.take(rows))
    return predicted


def curve_of(held: HeldOut, by_limit: Mapping[int, NDArray[Any]], settings: Settings, seed: int) -> Curve:
    """Score rules of every size, and induce from all rows with the least limit within one standard error.

    Where errors differ in what they cost, rows weigh that.
    """
    table = cost_weighted(held.table, settings)
    points = tuple(
        CurvePoint(size, table.explained.score(predicted, table.weights, held.fold))
        for size, predicted in by_limit.items()
    )
    best = max(points, key=lambda point: (round(point.score.value, 12), -point.clauses))
    enough = best.score.value - best.score.error - 1e-12
    simplest = next(point for point in points if point.score.value >= enough)
    rule = constant_rule(table)
    if simplest.clauses:
        limited = replace(settings, max_clauses=min(simplest.clauses, settings.max_clauses))
        rule = induce_or_constant(held.table, limited, np.random.default_rng(seed)).rule
    return Curve(points, best, simplest, rule, len(table))


def largest_rule(rule: Rule) -> int:
    """Return the most clauses of one class, or the branches of a rule for a number or a risk."""
    if not isinstance(rule.predicts, ClassTarget):
        return len(rule.branches)
    return max((len(rule.conditions(label).clauses) for label in rule.described), default=0)
