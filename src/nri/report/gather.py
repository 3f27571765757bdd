"""Gather: every number of a report, from a table and a rule, for every outcome."""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, IntArray
from nri.errors import InputError
from nri.induce.alternatives import Alternatives, alternatives
from nri.induce.assemble import coded_predictions
from nri.induce.floors import Floored
from nri.induce.induce import Induction
from nri.induce.settings import Settings
from nri.induce.validate import HeldOut, MeanCost, cores, hold_out, some_rows
from nri.outcome import Classes, Interval, Number, Score
from nri.outcome.number import weighted_quantiles
from nri.outcome.score import Diagnostics, share_of
from nri.rule import Clause, Columns, Literal, Risk, Rule, SurvivalTarget, clause_matrix, literal_truth
from nri.rule.regions import most_together
from nri.table.left_out import LeftOut
from nri.table.table import Table
from nri.tasks.fairness import Groups, by_group, protected_columns
from nri.tasks.stability import ClauseStability, Stability, clause_stability

BINS = 40  # Bars in the picture of a distribution.
_TICKS = 5  # Times below a survival curve.


@dataclass(frozen=True)
class ReportOptions:
    """What the page shows beside the numbers, and how much work it may be."""

    title: str | None = None  # Heading; by default it names the target
    source: str | None = None  # Where the rows come from, e.g. a file's name
    provenance: Mapping[str, Any] | None = None
    """Date, version, options, hash of the file and notes on its reading, which the page lists."""
    clinical: bool = False  # Whether it is about health: the page then says "not validated for decisions"
    samples: int = 20  # Bootstrap samples for stability; 0 leaves stability out
    folds: int = 5  # Parts for cross-validation; 0 leaves out everything that is cross-validated
    prevalence: float | None = None
    """Share of the positive class where the rule will be used, for predictive values; else the table's."""
    protect: tuple[str, ...] = ()  # Columns whose groups are listed, beside the rule's protected ones
    max_rows: int = 1000
    """Most rows for cross-validation and stability, which induce many times; counts always use all rows."""
    seconds: float | None = 10.0
    """Time that bootstrap samples may take, and the page says how many there were; None for all of them."""
    others: int = 5  # Other rules nearly as good that are listed at most; 0 leaves them out
    seed: int = 0  # Seed of folds and samples


def gather_report(
    table: Table,
    induction: Induction,
    settings: Settings | None = None,
    *,
    options: ReportOptions | None = None,
    held: HeldOut | None = None,
    others: Alternatives | None = None,
    step: Callable[[], None] = lambda: None,
) -> "Report":
    """Cross-validate and resample; what else a report counts is counted when it is read.

    ``table`` holds the rows to report on, normally those that the rule was induced from; ``induction`` the
    rule, which a person may have changed since. Cross-validation and stability induce again, by ``settings``.
    ``held`` is a cross-validation of the same rows and ``others`` are rules nearly as good, if they are there
    already. ``step`` is called after each fold and each bootstrap sample; see :func:`steps_of`.
    """
    settings, options = settings or Settings(), options or ReportOptions()
    rule, remedy = induction.rule.reduced, "report on rows with the same"
    kinds = table.explained.predicts.kind, rule.predicts.kind
    if kinds[0] != kinds[1]:
        raise InputError(f"the rule predicts {kinds[1]}, the table has {kinds[0]}; {remedy}")
    if kinds[0] == "classes" and rule.classes != table.classes:
        classes = f"the classes {list(rule.classes)}, the table has {list(table.classes)}"
        raise InputError(f"the rule is about {classes}; {remedy} classes")
    if not (table.weights > 0).all():
        table = table.take(table.weights > 0)  # rows of weight zero are as good as absent
    stability = None
    held = _held_out(table, settings, options, held, step)
    if options.samples > 0 and rule.branches:
        rng, samples = np.random.default_rng(options.seed), options.samples
        limits: dict[str, Any] = {"max_rows": options.max_rows, "seconds": options.seconds}
        stability = clause_stability(table, rule, settings, rng=rng, samples=samples, step=step, **limits)
    if others is None and options.others > 0 and not table.explained.is_constant:
        with suppress(InputError):  # where clauses are kept, or the model names no others
            others = alternatives(
                table, settings, most=options.others, rng=np.random.default_rng(options.seed)
            )
    return Report(table, rule, settings, options, induction.left_out, held, stability, others)


def steps_of(options: ReportOptions) -> int:
    """Return how often ``step`` is called at most, for a progress bar."""
    return options.folds + options.samples


def _held_out(
    table: Table, settings: Settings, options: ReportOptions, held: HeldOut | None, step: Callable[[], None]
) -> HeldOut | None:
    """Hold rows out, if that was not done already; None if there are too few."""
    if options.folds < 2 or len(table) < 2 or table.explained.is_constant:
        return None
    if held is not None and held.source is table and len(held.inductions) == options.folds:
        return held
    table = some_rows(table, options.max_rows, np.random.default_rng(options.seed))
    rng = np.random.default_rng(options.seed)  # the folds of --cv, so that both give the same
    return hold_out(table, settings, rng=rng, folds=options.folds, jobs=cores(), step=step, posteriors=True)


@dataclass(frozen=True)
class Tally:
    """Rows on which something holds; where a class is predicted, how many are right, with an interval."""

    rows: float
    right: float | None = None
    precision: float | None = None  # share of right rows; None if there are none
    interval: Interval | None = None


class Member(NamedTuple):
    """A condition of a counting clause, and its part in it."""

    literal: Literal
    holds: Tally  # the rows on which it holds, whatever the other members do
    within: float  # rows among those that the clause covers on which it holds
    decisive: float  # those of them that the clause would not cover without it


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
    by_number: tuple[Tally, ...] = ()  # of a counting clause: the rows on which 0, 1, 2, ... members hold


class Pattern(NamedTuple):
    """A set of branches, by number, and the rows on which these fire and no others."""

    branches: tuple[int, ...]
    rows: float
    right: float


class Gaps(NamedTuple):
    """What missing cells do to the rule on these rows."""

    columns: list[tuple[str, int]]  # that the rule reads, with the number of their missing cells, most first
    rows: int  # rows with such a missing cell
    undecided: int  # rows that go to the ELSE although a branch might fire if its missing cells were known
    complete: Score | None
    gaps: Score | None  # on rows without and with such a missing cell; None if there are none


@dataclass(frozen=True, eq=False)
class Report:
    """Everything that the page shows, counted on the rows of a table."""

    table: Table
    rule: Rule
    settings: Settings
    options: ReportOptions
    left_out: tuple[LeftOut, ...]
    held_out: HeldOut | None
    stability: Stability | None
    others: Alternatives | None = None  # Rules nearly as good as the best one of the search.
    floors: Floored | None = None  # Whether floors for sensitivity and specificity are met, if there are any.

    @property
    def weight(self) -> float:
        """Of all rows together; their number if they are not weighted."""
        return float(self.table.weights.sum())

    @property
    def _of_classes(self) -> bool:
        return isinstance(self.table.outcome, Classes)

    @property
    def excluded(self) -> list[str]:
        """Columns that the settings do not allow."""
        settings, names = self.settings, self.table.names
        wanted = names if settings.use is None else {*settings.use, *settings.require}
        return [name for name in names if name in settings.never or name not in wanted]

    @property
    def unused(self) -> list[str]:
        """Columns that were allowed but not needed."""
        taken = {*self.rule.columns, *self.excluded, *(one.column for one in self.left_out)}
        return [name for name in self.table.names if name not in taken]

    @cached_property
    def groups(self) -> tuple[Groups, ...]:
        """The rule on groups."""
        protected = dict.fromkeys([*self.options.protect, *protected_columns(self.rule)])
        return tuple(by_group(self.table, self.rule, column) for column in protected)

    @cached_property
    def diagnostics(self) -> tuple[Diagnostics, ...]:
        """Sensitivity, specificity and so on of classes, on held-out rows."""
        if self.held_out is None or not self._of_classes:
            return ()
        return self.held_out.diagnostics(self.rule.described, self.options.prevalence)

    @cached_property
    def cost(self) -> MeanCost | None:
        """What a held-out row costs on average, if some errors cost more than others."""
        return self.held_out.cost(self.settings) if self.held_out and self._of_classes else None

    @cached_property
    def _columns(self) -> Columns:
        return self.rule.read(self.table)

    @cached_property
    def _fires(self) -> BoolArray:
        """[M, branches]: where each branch fires."""
        return clause_matrix(self.rule.clauses, self._columns, len(self.table))

    @cached_property
    def _deciding(self) -> IntArray:
        """[M]: which branch decides."""
        return self.rule.decide(self._columns, len(self.table))

    @cached_property
    def predicted(self) -> NDArray[Any]:
        """[M]: class indices, numbers or risks."""
        return coded_predictions(self.rule, self.table)

    @cached_property
    def seen(self) -> Score:
        """On these rows."""
        return self.table.explained.score(self.predicted, self.table.weights)

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

    def _members(self, clause: Clause, index: int) -> tuple[tuple[Member, ...], tuple[Tally, ...]]:
        """Count for each member of a counting clause where it holds, and the rows by how many hold."""
        holds, weights = self._truth(clause), self.table.weights
        held = holds.sum(axis=0)
        within = holds @ (weights * (held >= clause.at_least))
        decisive = holds @ (weights * (held == clause.at_least))
        tallies = [self._tally(truth, index) for truth in holds]
        members = tuple(map(Member, clause, tallies, within.tolist(), decisive.tolist()))
        return members, tuple(self._tally(held == n, index) for n in range(len(clause) + 1))

    def _truth(self, clause: Clause) -> BoolArray:
        """[conditions, M]: where each condition of a clause is known to hold."""
        holds = [literal_truth(literal, self._columns)[0] for literal in clause]
        return np.array(holds, dtype=bool).reshape(len(holds), len(self.table))

    def _tally(self, rows: BoolArray, index: int) -> Tally:
        """Count the rows of a mask, and those of the class that a branch, or the ELSE, predicts."""
        weights = self.table.weights
        total = float(weights[rows].sum())
        if not self._of_classes:
            return Tally(total)
        hit = self.table.codes == self.rule.class_indices[index]
        share = share_of(hit, rows, weights).measure()
        return Tally(total, float(weights[rows & hit].sum()), share.value, share.interval)

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """Of classes: which branches fire together, on most rows first."""
        kinds, inverse = np.unique(self._fires, axis=0, return_inverse=True)
        weights, hit = self.table.weights, self.predicted == self.table.codes
        rows = np.bincount(inverse.reshape(-1), weights).tolist()
        right = np.bincount(inverse.reshape(-1), weights * hit).tolist()
        numbers = [tuple((np.flatnonzero(kind) + 1).tolist()) for kind in kinds]
        patterns = map(Pattern, numbers, rows, right)
        return tuple(sorted(patterns, key=lambda pattern: (-pattern.rows, pattern.branches)))

    @cached_property
    def span(self) -> tuple[float, float]:
        """The range of a number in pictures; single values may lie beyond."""
        assert isinstance(self.table.outcome, Number)
        values, weights = self.table.outcome.values, self.table.weights
        low, high = weighted_quantiles(values, weights, (0.005, 0.995)).tolist()
        return low, high if high > low else low + 1

    @cached_property
    def distributions(self) -> list[list[float]]:
        """Of a number: for each branch and the ELSE, shares of its rows in equal parts of the range."""
        assert isinstance(self.table.outcome, Number)
        inside, n = np.clip(self.table.outcome.values, *self.span), len(self.rule.estimates)
        bins, spans = (n, BINS), ((-0.5, n - 0.5), self.span)
        counts, *_ = np.histogram2d(self._deciding, inside, bins, spans, weights=self.table.weights)
        shares: list[list[float]] = (counts / np.maximum(counts.sum(axis=1)[:, None], 1e-300)).tolist()
        return shares

    def followed(self, risk: Risk) -> list[tuple[float, float]]:
        """Return round times for the axis of a survival curve, and the rows that are still followed then."""
        assert isinstance(self.rule.predicts, SurvivalTarget)
        times = self.rule.predicts.times
        ticks = round_times(times[-1], _TICKS)
        places = np.searchsorted(np.array(times), np.array(ticks) * (1 - 1e-9))
        return [(tick, risk.at_risk[place]) for tick, place in zip(ticks, places, strict=True)]

    @property
    def shorter(self) -> Rule | None:
        """The shortest rule that is about as good as the best, if it has fewer conditions."""
        rule = self.rule if self.others is None else self.others.shortest.rule
        return rule if rule.n_literals < self.rule.n_literals else None

    @cached_property
    def gaps(self) -> Gaps:
        """What missing cells do to the rule."""
        missing = {name: ~column.known for name, column in self._columns.items()}
        counts = Counter({name: int(rows.sum()) for name, rows in missing.items() if rows.any()})
        nowhere = np.zeros(len(self.table), dtype=bool)
        gap = np.logical_or.reduce([nowhere, *missing.values()])
        possible = np.logical_or.reduce([nowhere, *(self._possible(one) for one in self.rule.clauses)])
        undecided = int((possible & ~self._fires.any(axis=1)).sum())
        return Gaps(counts.most_common(), int(gap.sum()), undecided, self._score(~gap), self._score(gap))

    def _score(self, rows: BoolArray) -> Score | None:
        weights = self.table.weights[rows]
        if weights.sum() <= 0:
            return None
        return self.table.explained.take(rows).score(self.predicted[rows], weights)

    def _possible(self, clause: Clause) -> BoolArray:
        """[M]: where a clause holds or might, were its missing cells known."""
        held = self._truth(clause).sum(axis=0)
        for name, most in most_together(clause).items():
            held += most * ~self._columns[name].known
        return np.asarray(held >= clause.at_least)

    @property
    def doubtful(self) -> bool:
        """Whether a constant prediction would do as well on held-out rows, within one standard error."""
        if not self.branches or self.held_out is None or self.floors is not None:  # a floor is worth its cost
            return False
        if self.cost is not None:  # it is not the share of right rows that counts
            return self.cost.mean + self.cost.error >= self.cost.always
        return self.held_out.score.value - self.held_out.score.error <= self.held_out.score.baseline


def round_times(latest: float, most: int) -> list[float]:
    """Return round times from 0 on for an axis, so many at most beside 0."""
    rough = latest / most
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    return [step * i for i in range(math.floor(latest / step + 1e-9) + 1)]


def confusion_of(table: Table, predicted: IntArray) -> list[list[float]]:
    """Count rows by true and predicted class."""
    counts = np.zeros((len(table.classes), len(table.classes)))
    np.add.at(counts, (table.codes, predicted), table.weights)
    return counts.tolist()
