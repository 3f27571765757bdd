"""Validate: rules from parts of a table, for everything that asks how they do on rows they have not seen.

One assignment of rows to folds serves cross-validation, the curve of sizes and the check of the posterior;
one way of drawing rows serves stability, reports and the page. It is the same for every outcome, and for rows
in memory and in an engine.
"""

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray, IntArray
from nri.errors import InputError
from nri.induce.assemble import coded_predictions, constant_rule
from nri.induce.constraints import error_prices
from nri.induce.folds import Folds, groups_of, make_folds
from nri.induce.induce import Induction, induce_rule
from nri.induce.settings import Knowledge, Settings
from nri.outcome import Score
from nri.outcome.score import Diagnostics, Sampled, diagnosed_classes, diagnostics_of
from nri.rows.base import Rows
from nri.rule import Label, Rule
from nri.rule.phrase import phrase_label
from nri.table.table import Table

FOLDS = 5
LEAST_OF_CLASS = 50  # A sample has at least so many rows of each class, if there are that many.
_WORTH_PROCESSES = 3.0
"""Seconds that a fold takes at least if others go into processes, which take a second to start."""
_FINEST = 1_000_000
"""Rows that patterns of an engine are spread to at most; beyond, intervals are narrow anyway."""


@dataclass(frozen=True, slots=True)
class MeanCost:
    """What a rule costs on a row on average, beside the least that saying one class always costs.

    Of ordered classes it is how many classes off the rule is, if no costs are given.
    """

    mean: float
    error: float  # standard error of the mean
    label: Label  # the class that is cheapest to say always
    always: float  # what that costs
    measure: str = "cost"  # or distance

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.error:.2f}"

    @property
    def warning(self) -> str:
        """A line that warns of a rule which costs no less than saying one class always, else nothing."""
        if self.mean < self.always - 1e-12:
            return ""
        label = phrase_label(self.label)
        return (
            f"cross-validated, the rule has no less {self.measure} than always predicting {label} "
            f"({self.always:.2f} a row): use ALWAYS {label}, or give more rows"
        )


def mean_cost(table: Table, predicted: IntArray, settings: Settings) -> MeanCost | None:
    """Return the mean cost of predicting these classes; None if errors have no costs.

    >>> from nri.outcome import Classes
    >>> from nri.table import table_of
    >>> ill = Classes("ill", ("no", "yes"), np.array([0, 0, 0, 1]))
    >>> table = table_of({"x": [1, 2, 3, 4]}).with_outcome(ill)
    >>> cost = mean_cost(table, np.array([0, 1, 1, 1]), Settings(costs={"yes": 5}))
    >>> cost.mean, cost.always, cost.label
    (0.5, 0.75, 'yes')
    """
    prices = error_prices(table, settings, tilted=False)
    if prices is None:
        return None
    share = table.weights / table.weights.sum()
    paid = prices[table.codes, predicted]
    mean = float(share @ paid)
    always = table.by_class @ prices / table.weights.sum()
    constant = int(np.argmin(always))
    error = math.sqrt(float(share**2 @ (paid - mean) ** 2))
    measure = "distance" if settings.costs is None else "cost"
    return MeanCost(mean, error, table.classes[constant], float(always[constant]), measure)


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Predictions of rules that were induced without the fold of each row."""

    table: Table  # the rows that judge; of an engine, patterns of rows with their number as weight
    fold: IntArray  # [M], the fold of each row
    predicted: NDArray[Any]  # [M]: class indices, numbers or risks
    inductions: tuple[Induction, ...]  # for each fold what was induced without it, but for its posterior
    by_posterior: NDArray[Any] | None = None
    """[M], the same by posteriors that were formed without the fold, if that was wanted and they are there"""
    source: Table | None = None  # all rows, with those that judge no rule; None of an engine
    folds: Folds | None = None  # of all rows

    @property
    def method(self) -> str:
        """How it was done, in a few words.

        >>> HeldOut(Table({}, {}, np.ones(2), np.arange(2)), np.arange(2), np.zeros(2), ()).method
        '2-fold cross-validation'
        """
        n_folds, source = int(self.fold.max()) + 1, self.source
        if source is not None and source.time_order is not None:
            later = f"{n_folds} folds of later rows, judged by rules from earlier ones"
            return f"{later} (order: {source.time_order.name})"
        kept = f", rows of one {source.groups.name} together" if source and source.groups is not None else ""
        return f"{n_folds}-fold cross-validation{kept}"

    @cached_property
    def sampled(self) -> Sampled:
        """What the spread of scores comes from: groups of rows, and rules that differ."""
        if self.folds is None:  # rows of an engine are so many that rules hardly differ
            return Sampled(self.fold, None, None)
        by_rule = np.stack([coded_predictions(one.rule, self.table) for one in self.inductions])
        return Sampled(self.fold, self.folds.groups[self.folds.judging], by_rule)

    @cached_property
    def score(self) -> Score:
        """How good the predictions are."""
        return self._scored(self.predicted)

    @cached_property
    def posterior_score(self) -> Score | None:
        """How good the predictions of the posteriors are; None if the model has none."""
        return None if self.by_posterior is None else self._scored(self.by_posterior)

    def _scored(self, predicted: NDArray[Any]) -> Score:
        return self.table.explained.score(predicted, self.table.weights, self.sampled)

    def cost(self, settings: Settings) -> MeanCost | None:
        """Return the mean cost of the predictions on a row; None if errors have no costs."""
        return mean_cost(self.table, self.predicted, settings)

    def diagnostics(
        self, described: Sequence[Label] = (), prevalence: float | None = None
    ) -> tuple[Diagnostics, ...]:
        """Count sensitivity, specificity and predictive values for the positive class, or for each.

        ``described`` are the classes that have a branch: the lone one of two is the positive one.
        """
        table, classes = self.table, self.table.classes
        counted = partial(diagnostics_of, table.codes, self.predicted, weights=table.weights)
        return tuple(
            counted(index, classes[index], prevalence=prevalence, sampled=self.sampled)
            for index in diagnosed_classes(classes, table.positive, described)
        )


def hold_out(
    rows: Table | Rows,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    folds: int = FOLDS,
    jobs: int = 1,
    step: Callable[[], None] = lambda: None,
    posteriors: bool = False,
) -> HeldOut:
    """Induce rules without each fold, and predict its rows; everything, thresholds too, is found anew."""
    if isinstance(rows, Rows):
        return _hold_out_in_engine(rows, settings, rng, folds, step)
    table, made = rows, make_folds(rows, folds, rng)
    parts = [
        (table.take(made.inside(k)), table.take(made.fold == k), settings, child, posteriors)
        for k, child in enumerate(rng.spawn(len(made)))
    ]
    results = []
    for result in _by_fold(parts, jobs):
        results.append(result)
        step()
    inductions, predicted, expected = zip(*results, strict=True)
    judging = table if made.judging.all() else table.take(made.judging)
    fold = made.fold[made.judging]
    back = np.argsort(np.argsort(fold, kind="stable"))  # results are in the order of folds
    known = all(one is not None for one in expected)
    by_posterior = np.concatenate(expected)[back] if known else None
    return HeldOut(judging, fold, np.concatenate(predicted)[back], inductions, by_posterior, table, made)


_Result = tuple[Induction, NDArray[Any], NDArray[Any] | None]
"""What was induced without a fold, what it predicts for the rows of the fold, and what its posterior does."""


def _by_fold(parts: Sequence[tuple[Any, ...]], jobs: int) -> Iterator[_Result]:
    """Compute folds in their order, all but the first side by side if that is worth starting processes."""
    began = time.monotonic()
    yield _without_fold(*parts[0])
    others = parts[1:]
    if jobs > 1 and len(others) > 1 and time.monotonic() - began > _WORTH_PROCESSES:
        from joblib import Parallel, delayed

        tasks = (delayed(_without_fold)(*part) for part in others)
        yield from Parallel(n_jobs=min(jobs, len(others)), return_as="generator")(tasks)
    else:
        yield from (_without_fold(*part) for part in others)


def _without_fold(
    inside: Table, outside: Table, settings: Settings | None, rng: np.random.Generator, posteriors: bool
) -> _Result:
    induction = induce_or_constant(inside, settings, rng)
    posterior = induction.posterior if posteriors else None
    by_posterior = None if posterior is None else posterior.predicted(outside)
    predicted = coded_predictions(induction.rule, outside)
    return replace(induction, posterior=None), predicted, by_posterior  # no posterior can be sent


def _hold_out_in_engine(
    rows: Rows, settings: Settings | None, rng: np.random.Generator, folds: int, step: Callable[[], None]
) -> HeldOut:
    """Fold rows by their hash, and count what the rules predict for the patterns of each fold."""
    tables, predicted, inductions = [], [], []
    for k, child in enumerate(rng.spawn(folds)):
        induction = induce_rule(rows.part(k, folds, inside=False), settings, rng=child)
        literals = {literal for clause in induction.rule.clauses for literal in clause}
        patterns = rows.part(k, folds, inside=True).count(literals).table
        unit = max(1.0, rows.n_rows / _FINEST)
        times = np.ceil(patterns.weights / unit).astype(np.int64)
        spread = np.repeat(np.arange(len(patterns)), times)
        tables.append(patterns.take(spread).reweighted((patterns.weights / times)[spread]))
        predicted.append(coded_predictions(induction.rule, tables[-1]))
        inductions.append(replace(induction, posterior=None))
        step()
    outcome = tables[0].explained.followed_by([table.explained for table in tables[1:]])
    weights = np.concatenate([table.weights for table in tables])
    judging = Table({}, {}, weights, np.arange(1, len(weights) + 1), outcome)
    fold = np.repeat(np.arange(folds), [len(table) for table in tables])
    return HeldOut(judging, fold, np.concatenate(predicted), tuple(inductions))


def cores() -> int:
    """Return how many cores this process may use; the environment variable NRI_JOBS overrides it."""
    if os.environ.get("NRI_JOBS", "").isdigit():
        return max(1, int(os.environ["NRI_JOBS"]))
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cross_validate(
    rows: Table | Rows,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    folds: int = FOLDS,
    groups: Any = None,
    time_order: Any = None,
    step: Callable[[], None] = lambda: None,
) -> Score:
    """Return how good rules are on rows that they were not induced from; see :func:`hold_out`.

    Accuracy of classes, R² of a number, concordance of survival, each beside the best constant prediction.

    Parameters
    ----------
    rows, settings
        As for :func:`nri.induce_rule`.
    rng
        Assigns rows to folds and seeds the models.
    folds
        How many parts the rows are divided into.
    groups : str or array [M], optional
        Which rows belong together, e.g. ``"patient"``: they are in one fold, so that new groups are judged.
        Without it exact copies of rows are kept together.
    time_order : str or array [M], optional
        When rows came: each fold is judged by a rule from earlier rows. The earliest rows judge no rule.
    step
        Called after each fold.
    """
    if isinstance(rows, Table):
        rows = rows.arranged(groups, time_order)
    elif groups is not None or time_order is not None:
        raise InputError("groups and a time order are for tables in memory; read the rows into memory")
    return hold_out(rows, settings, rng=rng, folds=folds, step=step).score


def diagnose(
    table: Table,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    prevalence: float | None = None,
    folds: int = FOLDS,
    groups: Any = None,
    time_order: Any = None,
    step: Callable[[], None] = lambda: None,
) -> tuple[Diagnostics, ...]:
    """Return cross-validated sensitivity, specificity, predictive values and balanced accuracy.

    They are about the class that the table's ``positive`` names; without one about the second of two classes,
    or about each of several.

    Parameters
    ----------
    table, settings, rng, folds, groups, time_order, step
        As for :func:`cross_validate`.
    prevalence
        Share of the class where the rule will be used; by default that of the table.

    Examples
    --------
    >>> from nri import read_table
    >>> table = read_table({"age": [*range(40)] * 2, "ill": ["no"] * 20 + ["yes"] * 20 + ["no"] * 40}, "ill")
    >>> (of_ill,) = diagnose(table, rng=np.random.default_rng(0), prevalence=0.1)
    >>> of_ill.label, of_ill.sensitivity.value is not None
    ('yes', True)
    """
    rows = table.arranged(groups, time_order)
    return hold_out(rows, settings, rng=rng, folds=folds, step=step).diagnostics(prevalence=prevalence)


def induce_or_constant(table: Table, settings: Settings | None, rng: np.random.Generator) -> Induction:
    """Induce, or predict a constant where a part of a table leaves nothing to induce from."""
    try:
        return induce_rule(table, settings, rng=rng)
    except InputError:  # e.g. no column varies in this part
        return Induction(constant_rule(table))


@dataclass(frozen=True)
class KnowledgePrice:
    """What a person's knowledge costs on the rows at hand."""

    score: float  # of the rule that keeps to it
    free: float  # of a rule for which nothing was given
    measure: str

    def __str__(self) -> str:
        scores = f"{self.measure} {self.score:.3f} on these rows, {self.free:.3f} without"
        if self.free > self.score:
            return f"what you asked for costs {(self.free - self.score) * 100:.1f} points: {scores}"
        return f"what you asked for costs nothing here: {scores}"


def price_of_knowledge(
    table: Table, settings: Settings, rule: Rule, *, rng: np.random.Generator | None = None
) -> KnowledgePrice | None:
    """Return what knowledge costs a rule that was induced with it; None if there is none."""
    if not settings.knowledge:
        return None
    free = induce_rule(table, replace(settings, knowledge=Knowledge()), rng=rng).rule
    own = table.explained.score(coded_predictions(rule, table), table.weights)
    other = table.explained.score(coded_predictions(free, table), table.weights)
    return KnowledgePrice(own.value, other.value, own.measure)


def bootstraps(table: Table, rows: int, rng: np.random.Generator) -> Iterator[Table]:
    """Yield tables of about so many rows drawn with replacement, without end; a row drawn twice counts twice.

    Rows that belong together are drawn together.
    """
    groups = groups_of(table)
    n_groups = int(groups.max()) + 1
    drawn = max(1, round(rows * n_groups / len(table)))
    while True:
        times = np.bincount(rng.integers(0, n_groups, drawn), minlength=n_groups)
        weights: FloatArray = times[groups].astype(np.float64) * table.weights
        yield table.reweighted(weights)


def some_rows(table: Table, most: int, rng: np.random.Generator) -> Table:
    """Return so many rows at most, drawn without replacement, in their order."""
    if len(table) <= most:
        return table
    return table.take(np.sort(rng.choice(len(table), most, replace=False)))


def stratified_sample(table: Table, most: int, rng: np.random.Generator) -> Table:
    """Return about so many rows, classes in proportion but a few at least of each; short tables whole."""
    if len(table) <= most:
        return table
    chosen = []
    classes = table.explained.as_classes(table.weights, 1)
    for code in range(len(classes.classes)):
        rows = np.flatnonzero(classes.codes == code)
        wanted = max(round(most * len(rows) / len(table)), LEAST_OF_CLASS)
        chosen.append(rng.permutation(rows)[:wanted])
    return table.take(np.sort(np.concatenate(chosen)))
