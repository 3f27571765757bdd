"""Gather: every number of a report, from a table and a rule, for every outcome."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, IntArray
from nri.errors import InputError
from nri.induce.assemble import coded_predictions, constant_rule
from nri.induce.constraints import cost_weighted, error_costs
from nri.induce.floors import Floored
from nri.induce.folds import note_on_rows
from nri.induce.induce import Induction
from nri.induce.settings import Settings
from nri.induce.validate import HeldOut, MeanCost, cores, hold_out, induce_or_constant, some_rows
from nri.outcome import Classes, Interval, Number, Score
from nri.outcome.number import weighted_quantiles
from nri.outcome.score import Diagnostics, effective_rows, wilson
from nri.rule import (
    ClassTarget,
    Clause,
    Columns,
    Literal,
    Risk,
    Rule,
    SurvivalTarget,
    clause_matrix,
    literal_truth,
)
from nri.rule.equivalence import most_together
from nri.table.left_out import LeftOut
from nri.table.table import Table
from nri.tasks.fairness import Groups, by_group, protected_columns
from nri.tasks.leaks import Leak, leak
from nri.tasks.stability import ClauseStability, Stability, clause_stability

BINS = 40
"""Bars in the picture of a distribution."""
_TICKS = 5
"""Times below a survival curve."""


@dataclass(frozen=True)
class ReportOptions:
    """What the page shows beside the numbers, and how much work it may be."""

    title: str | None = None
    """Heading; by default it names the target."""
    source: str | None = None
    """Where the rows come from, e.g. a file's name."""
    provenance: Mapping[str, Any] | None = None
    """Date, version, options, hash of the file and notes on its reading, which the page lists."""
    clinical: bool = False
    """Whether the rule is about people's health: the page then says "not validated for decisions"."""
    samples: int = 20
    """Bootstrap samples for stability; 0 leaves stability out."""
    folds: int = 5
    """Parts for cross-validation; 0 leaves out everything that is cross-validated."""
    prevalence: float | None = None
    """Share of the positive class where the rule will be used, for predictive values; else the table's."""
    protect: tuple[str, ...] = ()
    """Columns whose groups are listed, beside those of the rule that look protected."""
    max_rows: int = 1000
    """Most rows for cross-validation and stability, which induce many times; counts always use all rows."""
    seconds: float | None = 20.0
    """Time that rules of limited size and bootstrap samples may take together, half each; the rest is left
    out, and the page says how much was done. None for no limit: then the same table gives the same page."""
    seed: int = 0
    """Seed of folds and samples."""


def gather_report(
    table: Table,
    found: Induction,
    settings: Settings | None = None,
    *,
    options: ReportOptions | None = None,
    held: HeldOut | None = None,
    step: Callable[[], None] = lambda: None,
) -> "Report":
    """Cross-validate and resample; what else a report counts is counted when it is read.

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
    half = None if options.seconds is None else options.seconds / 2
    validation = _validate(table, rule, settings, options, held, half, step)
    stability = None
    if options.samples > 0 and rule.branches:
        rng = np.random.default_rng(options.seed)
        limits: dict[str, Any] = {"max_rows": options.max_rows, "seconds": half}
        stability = clause_stability(
            table, rule, settings, rng=rng, samples=options.samples, step=step, **limits
        )
    return Report(table, rule, settings, options, found.left_out, validation, stability)


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


@dataclass(frozen=True)
class Tally:
    """Rows on which something holds; where a class is predicted, how many are right, with an interval."""

    rows: float
    right: float | None = None
    interval: Interval | None = None

    @property
    def precision(self) -> float | None:
        """Share of right rows, None if there are none."""
        return self.right / self.rows if self.right is not None and self.rows > 0 else None


@dataclass(frozen=True)
class Member:
    """A condition of a counting clause, and its part in it."""

    literal: Literal
    holds: Tally
    """the rows on which it holds, whatever the other members do"""
    within: float
    """rows among those that the clause covers on which it holds"""
    decisive: float
    """those of them that the clause would not cover without it"""


@dataclass(frozen=True)
class BranchReport:
    """A branch, by its number from 1: the rows on which it fires, and those that it decides."""

    number: int
    value: Any
    clause: Clause
    covers: Tally
    decides: Tally
    stability: ClauseStability | None
    members: tuple[Member, ...] = ()
    """of a counting clause; none of a conjunction, whose literals hold on every row that it covers"""
    by_number: tuple[Tally, ...] = ()
    """of a counting clause: the rows on which none, one, two, ... of its members hold"""


@dataclass(frozen=True)
class Confusion:
    """Rows by true and predicted class, and the accuracy."""

    counts: tuple[tuple[float, ...], ...]
    score: Score


@dataclass(frozen=True)
class Pattern:
    """A set of branches, by number, and the rows on which these fire and no others."""

    branches: tuple[int, ...]
    rows: float
    right: float | None
    """None where no class is predicted"""


@dataclass(frozen=True)
class Gaps:
    """What missing cells do to the rule on these rows."""

    columns: tuple[tuple[str, int], ...]
    """columns that the rule reads, with the number of their missing cells, most first"""
    rows: int
    """rows with such a missing cell"""
    undecided: int
    """rows that go to the ELSE although a branch might fire if its missing cells were known"""
    complete: Score | None
    gaps: Score | None
    """on rows without and with such a missing cell; None if there are none"""


@dataclass(frozen=True)
class ColumnUse:
    """Columns in the rule, allowed but not needed, excluded by settings, and of no use to any rule."""

    used: tuple[str, ...]
    unused: tuple[str, ...]
    excluded: tuple[str, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class CurvePoint:
    """How good rules of at most so many clauses of a class (or branches) are on held-out rows."""

    clauses: int
    score: Score


@dataclass(frozen=True)
class Curve:
    """The score against the size of the rule."""

    points: tuple[CurvePoint, ...]
    """from no clause, the best constant prediction, upwards; sizes may be missing for lack of time"""
    best: CurvePoint
    simplest: CurvePoint
    """the one with the fewest clauses among those within one standard error of the best"""
    simplest_rule: Rule
    """induced from all rows with that limit"""
    rows: int
    """that were assigned to folds"""


@dataclass(frozen=True)
class Validation:
    """What is counted on held-out rows; the last four are about classes."""

    score: Score
    method: str
    """how rows were held out"""
    curve: Curve
    confusion: Confusion | None = None
    posterior: Score | None = None
    """of the model's own probabilities, if it offers them"""
    diagnostics: tuple[Diagnostics, ...] = ()
    cost: MeanCost | None = None


@dataclass(frozen=True, eq=False)
class Report:
    """Everything that the page shows, counted on the rows of a table."""

    table: Table
    rule: Rule
    settings: Settings
    options: ReportOptions
    left_out: tuple[LeftOut, ...]
    held_out: Validation | None
    stability: Stability | None
    floors: Floored | None = None
    """Whether floors for sensitivity and specificity are met, if there are any."""

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self.table)

    @property
    def weight(self) -> float:
        """Of all rows together; their number if they are not weighted."""
        return float(self.table.weights.sum())

    @property
    def weighted(self) -> bool:
        """Whether rows count for more or less than one."""
        return self.weight != self.n_rows

    @property
    def class_weights(self) -> tuple[float, ...]:
        """Of the rows of each class; empty for a number or a risk."""
        return tuple(self.table.by_class.tolist()) if self._of_classes else ()

    @property
    def _of_classes(self) -> bool:
        return isinstance(self.table.outcome, Classes)

    @property
    def costs(self) -> list[float] | None:
        """How much an error on a row of each class counts; None if all count the same."""
        costs = error_costs(self.table, self.settings) if self._of_classes else None
        return None if costs is None else costs.tolist()

    @cached_property
    def columns(self) -> ColumnUse:
        """How the columns of the table were used."""
        settings, names = self.settings, self.table.names
        wanted = names if settings.use is None else {*settings.use, *settings.require}
        excluded = tuple(name for name in names if name in settings.never or name not in wanted)
        taken = {*self.rule.columns, *excluded, *(one.column for one in self.left_out)}
        unused = tuple(name for name in names if name not in taken)
        return ColumnUse(self.rule.columns, unused, excluded, self.left_out)

    @cached_property
    def groups(self) -> tuple[Groups, ...]:
        """The rule on groups of people."""
        protected = dict.fromkeys([*self.options.protect, *protected_columns(self.rule)])
        return tuple(by_group(self.table, self.rule, column) for column in protected)

    @cached_property
    def note_on_rows(self) -> str:
        """Which rows belong together, or seem to; empty if none."""
        return note_on_rows(self.table)

    @property
    def leaking(self) -> Leak | None:
        """The one or two columns of the rule, if they predict nearly every row."""
        return leak(self.rule, self.table)

    @cached_property
    def _columns(self) -> Columns:
        return self.rule.read(self.table)

    @cached_property
    def _fires(self) -> BoolArray:
        """[M, branches]: where each branch fires."""
        return clause_matrix(self.rule.clauses, self._columns, self.n_rows)

    @cached_property
    def _deciding(self) -> IntArray:
        """[M]: which branch decides."""
        return self.rule.decide(self._columns, self.n_rows)

    @cached_property
    def _predicted(self) -> NDArray[Any]:
        return coded_predictions(self.rule, self.table)

    @cached_property
    def seen(self) -> Score:
        """On these rows."""
        return self.table.explained.score(self._predicted, self.table.weights)

    @cached_property
    def confusion(self) -> Confusion | None:
        """On these rows, of classes."""
        return confusion_of(self.table, self._predicted) if self._of_classes else None

    @cached_property
    def branches(self) -> tuple[BranchReport, ...]:
        """The branches, in the order in which they are tried."""
        return tuple(
            BranchReport(
                i + 1,
                branch.value,
                branch.clause,
                self._tally(self._fires[:, i], i),
                self._tally(self._deciding == i, i),
                None if self.stability is None else self.stability.clauses[i],
                *(self._members(branch.clause, i) if branch.clause.counts else ()),
            )
            for i, branch in enumerate(self.rule.branches)
        )

    @property
    def default(self) -> Tally:
        """Rows on which no branch fires."""
        return self._tally(self._deciding == len(self.rule.branches), len(self.rule.branches))

    def _members(self, clause: Clause, index: int) -> tuple[tuple[Member, ...], tuple[Tally, ...]]:
        """Count for each member of a counting clause where it holds, and the rows by how many hold."""
        holds = np.stack([literal_truth(literal, self._columns)[0] for literal in clause])
        held, weights = holds.sum(axis=0), self.table.weights
        covered, just_enough = held >= clause.at_least, held == clause.at_least
        members = tuple(
            Member(
                literal,
                self._tally(truth, index),
                float(weights[truth & covered].sum()),
                float(weights[truth & just_enough].sum()),
            )
            for literal, truth in zip(clause, holds, strict=True)
        )
        return members, tuple(self._tally(held == n, index) for n in range(len(clause) + 1))

    def _tally(self, rows: BoolArray, index: int) -> Tally:
        """Count the rows of a mask, and those of the class that a branch, or the ELSE, predicts."""
        weights = self.table.weights[rows]
        total = float(weights.sum())
        if not self._of_classes:
            return Tally(total)
        right = float(weights[self.table.codes[rows] == self.rule.class_indices[index]].sum())
        share = min(1.0, right / total) if total > 0 else 0.0
        return Tally(total, right, wilson(share, effective_rows(weights)))

    @property
    def contested(self) -> bool:
        """Whether branches fire on the same rows, so that the first of them decides."""
        return any(branch.decides.rows != branch.covers.rows for branch in self.branches)

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """Which branches fire together, on most rows first."""
        kinds, inverse = np.unique(self._fires, axis=0, return_inverse=True)
        inverse, weights = inverse.reshape(-1), self.table.weights
        rows = np.bincount(inverse, weights, minlength=len(kinds))
        right: list[float] | list[None] = [None] * len(kinds)
        if self._of_classes:
            hit = weights * (self._predicted == self.table.codes)
            right = np.bincount(inverse, hit, minlength=len(kinds)).tolist()
        numbers = [tuple((np.flatnonzero(kind) + 1).tolist()) for kind in kinds]
        patterns = [Pattern(*one) for one in zip(numbers, rows.tolist(), right, strict=True)]
        return tuple(sorted(patterns, key=lambda pattern: (-pattern.rows, pattern.branches)))

    @cached_property
    def span(self) -> tuple[float, float]:
        """The range of a number in pictures; single values may lie beyond."""
        if not isinstance(self.table.outcome, Number):
            return 0.0, 1.0
        values, weights = self.table.outcome.values, self.table.weights
        low, high = weighted_quantiles(values, weights, (0.005, 0.995)).tolist()
        return low, high if high > low else low + 1

    @property
    def distributions(self) -> tuple[tuple[float, ...], ...]:
        """Of a number: for each branch and the ELSE, shares of its rows in equal parts of the range."""
        if not isinstance(self.table.outcome, Number):
            return ()
        inside, shares = np.clip(self.table.outcome.values, *self.span), []
        for i in range(len(self.rule.estimates)):
            rows = self._deciding == i
            counts, _ = np.histogram(inside[rows], BINS, self.span, weights=self.table.weights[rows])
            shares.append(tuple((counts / max(float(counts.sum()), 1e-300)).tolist()))
        return tuple(shares)

    def followed(self, risk: Risk) -> list[tuple[float, float]]:
        """Return round times for the axis of a survival curve, and the rows that are still followed then."""
        assert isinstance(self.rule.predicts, SurvivalTarget)
        times = self.rule.predicts.times
        ticks = round_times(times[-1], _TICKS)
        places = np.searchsorted(np.array(times), np.array(ticks) * (1 - 1e-9))
        return [(tick, risk.at_risk[place]) for tick, place in zip(ticks, places, strict=True)]

    @property
    def simpler(self) -> Rule | None:
        """The simplest rule within one standard error, if it has fewer conditions than the rule itself."""
        if self.held_out is None or self.held_out.curve.simplest_rule.n_literals >= self.rule.n_literals:
            return None
        return self.held_out.curve.simplest_rule.settled

    @cached_property
    def gaps(self) -> Gaps:
        """What missing cells do to the rule."""
        missing = {name: int((~column.known).sum()) for name, column in self._columns.items()}
        gap: BoolArray = np.zeros(self.n_rows, dtype=bool)
        for column in self._columns.values():
            gap |= ~column.known
        listed = sorted(((name, n) for name, n in missing.items() if n), key=lambda one: -one[1])
        undecided = self._possible().any(axis=1) & ~self._fires.any(axis=1)
        return Gaps(tuple(listed), int(gap.sum()), int(undecided.sum()), self._score(~gap), self._score(gap))

    def _score(self, rows: BoolArray) -> Score | None:
        weights = self.table.weights[rows]
        if weights.sum() <= 0:
            return None
        return self.table.explained.take(rows).score(self._predicted[rows], weights)

    def _possible(self) -> BoolArray:
        """[M, branches]: where a branch fires or might, were its missing cells known."""
        possible = np.zeros_like(self._fires)
        for i, clause in enumerate(self.rule.clauses):
            held = np.zeros(self.n_rows, dtype=np.int64)
            for name, most in most_together(clause).items():
                held += np.where(self._columns[name].known, 0, most)
            for literal in clause:
                held += literal_truth(literal, self._columns)[0]
            possible[:, i] = held >= clause.at_least
        return possible

    @property
    def doubtful(self) -> bool:
        """Whether a constant prediction would do as well on held-out rows, within one standard error."""
        held = self.held_out
        if not self.branches or held is None or self.floors is not None:  # a floor is worth its cost
            return False
        if self.costs is not None:  # then it is not the share of right rows that counts
            return held.curve.simplest.clauses == 0 or bool(held.cost is not None and held.cost.warning)
        return held.curve.simplest.clauses == 0 or bool(held.score.warning)


def round_times(latest: float, most: int) -> list[float]:
    """Return round times from 0 on for an axis, so many at most beside 0."""
    rough = latest / most
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    return [step * i for i in range(math.floor(latest / step + 1e-9) + 1)]


def confusion_of(table: Table, predicted: IntArray, score: Score | None = None) -> Confusion:
    """Count rows by true and predicted class."""
    counts = np.zeros((len(table.classes), len(table.classes)))
    np.add.at(counts, (table.codes, predicted), table.weights)
    score = score or table.explained.score(predicted, table.weights)
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
    if held is None or held.source is not table or len(held.inductions) != options.folds:
        rng = np.random.default_rng(options.seed)  # the folds of --cv, so that both give the same
        held = hold_out(table, settings, rng=rng, folds=options.folds, jobs=cores(), step=step)
    by_limit = by_size(held, settings, rng=np.random.default_rng((options.seed, 1)), seconds=seconds)
    curve = curve_of(held, by_limit, settings, options.seed)
    if not isinstance(table.outcome, Classes):
        return Validation(held.score, held.method, curve)
    diagnostics = held.diagnostics(rule.described, options.prevalence)
    confusion, cost = confusion_of(held.table, held.predicted, held.score), held.cost(settings.costs)
    return Validation(held.score, held.method, curve, confusion, held.posterior_score, diagnostics, cost)


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
    assert held.source is not None
    table = cost_weighted(held.table, settings)
    alone = replace(held.sampled, by_rule=None)  # sizes are compared on the same rows
    points = tuple(
        CurvePoint(size, table.explained.score(predicted, table.weights, alone))
        for size, predicted in by_limit.items()
    )
    best = max(points, key=lambda point: (round(point.score.value, 12), -point.clauses))
    enough = best.score.value - best.score.error - 1e-12
    simplest = next(point for point in points if point.score.value >= enough)
    rule = constant_rule(table)
    if simplest.clauses:
        limited = replace(settings, max_clauses=min(simplest.clauses, settings.max_clauses))
        rule = induce_or_constant(held.source, limited, np.random.default_rng(seed)).rule
    return Curve(points, best, simplest, rule, len(table))


def largest_rule(rule: Rule) -> int:
    """Return the most clauses of one class, or the branches of a rule for a number or a risk."""
    if not isinstance(rule.predicts, ClassTarget):
        return len(rule.branches)
    return max((len(rule.conditions(label).clauses) for label in rule.described), default=0)
