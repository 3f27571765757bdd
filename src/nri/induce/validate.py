"""Validate: rules from parts of a table, for everything that asks how they do on rows they have not seen.

One assignment of rows to folds serves cross-validation, the curve of sizes and the check of the posterior;
one way of drawing rows serves stability, reports and the page. It is the same for every outcome, and for rows
in memory and in an engine.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray, IntArray
from nri.errors import InputError
from nri.induce.assemble import constant_rule
from nri.induce.costs import MeanCost, mean_cost
from nri.induce.induce import Induction, induce_rule
from nri.induce.settings import NOTHING, Costs, Settings
from nri.outcome import Classes, Score
from nri.outcome.diagnostics import Diagnostics, diagnosed_classes, diagnostics_of
from nri.rows.base import Rows
from nri.rule import Label, Rule
from nri.table.table import Table

FOLDS = 5
LEAST_OF_CLASS = 50
"""A sample has at least so many rows of each class, if there are that many."""
_WORTH_PROCESSES = 3.0
"""Seconds that a fold takes at least if others go into processes, which take a second to start."""
_FINEST = 1_000_000
"""Rows that patterns of an engine are spread to at most; beyond, intervals are narrow anyway."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Predictions of rules that were induced without the fold of each row."""

    table: Table
    """the rows; of an engine, patterns of rows with their number as weight"""
    fold: IntArray
    """[M], the fold of each row"""
    predicted: NDArray[Any]
    """[M]: class indices, numbers or risks"""
    inductions: tuple[Induction, ...]
    """for each fold what was induced without it, but for its posterior"""
    likeliest: IntArray | None = None
    """[M], the likeliest class of each row by posteriors that were formed without it, if the model has one"""

    @property
    def insides(self) -> Iterator[Table]:
        """For each fold the rows without it."""
        return (self.table.take(self.fold != k) for k in range(len(self.inductions)))

    @cached_property
    def score(self) -> Score:
        """How good the predictions are."""
        return self.table.explained.score(self.predicted, self.table.weights, self.fold)

    @cached_property
    def posterior_score(self) -> Score | None:
        """How often the likeliest class is right on held-out rows; None if the model has no posterior."""
        if self.likeliest is None:
            return None
        return self.table.explained.score(self.likeliest, self.table.weights, self.fold)

    def cost(self, costs: Costs) -> MeanCost | None:
        """Return what the predictions cost on a row on average; None if no costs are given."""
        return mean_cost(self.table, self.predicted, costs)

    def diagnostics(
        self, described: Sequence[Label] = (), prevalence: float | None = None
    ) -> tuple[Diagnostics, ...]:
        """Count sensitivity, specificity and predictive values for the positive class, or for each.

        ``described`` are the classes that have a branch: the lone one of two is the positive one.
        """
        table = self.table
        return tuple(
            diagnostics_of(
                table.codes,
                self.predicted,
                index,
                table.classes[index],
                weights=table.weights,
                prevalence=prevalence,
            )
            for index in diagnosed_classes(table.classes, table.positive, described)
        )


def hold_out(
    rows: Table | Rows,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    folds: int = FOLDS,
    jobs: int = 1,
    step: Callable[[], None] = lambda: None,
) -> HeldOut:
    """Induce rules without each fold, and predict its rows; everything, thresholds too, is found anew."""
    if isinstance(rows, Rows):
        return _hold_out_in_engine(rows, settings, rng, folds, step)
    table = rows
    classes = table.explained.as_classes(table.weights, max(1, len(table) // max(folds, 1)))
    fold = stratified_folds(classes.codes, folds, rng)
    parts = [
        (table.take(fold != k), table.take(fold == k), settings, child)
        for k, child in enumerate(rng.spawn(int(fold.max()) + 1))
    ]
    began = time.monotonic()
    found = [_without_fold(*parts[0])]
    step()
    others = parts[1:]
    if jobs > 1 and len(others) > 1 and time.monotonic() - began > _WORTH_PROCESSES:
        results: Iterable[_Fold] = _in_processes(others, min(jobs, len(others)))
    else:
        results = (_without_fold(*part) for part in others)
    for one in results:
        found.append(one)
        step()
    predicted = np.zeros(len(fold), dtype=found[0][1].dtype)
    likeliest = np.full(len(fold), -1, dtype=np.int64)
    for k, (_, values, likely) in enumerate(found):
        predicted[fold == k] = values
        if likely is not None:
            likeliest[fold == k] = likely
    inductions = tuple(one for one, _, _ in found)
    return HeldOut(table, fold, predicted, inductions, likeliest if (likeliest >= 0).all() else None)


_Part = tuple[Table, Table, Settings | None, np.random.Generator]
"""Rows without a fold, rows of the fold, settings, and what seeds the model."""
_Fold = tuple[Induction, NDArray[Any], IntArray | None]
"""What was induced without a fold, what it predicts for the rows of the fold, and their likeliest class."""


def _without_fold(
    inside: Table, outside: Table, settings: Settings | None, rng: np.random.Generator
) -> _Fold:
    found = induce_or_constant(inside, settings, rng)
    likeliest = None if found.posterior is None else found.posterior.likeliest(outside)
    predicted = coded_predictions(found.rule, outside)
    return replace(found, posterior=None), predicted, likeliest  # a posterior may not be sent from a process


def _in_processes(parts: Sequence[_Part], jobs: int) -> Iterator[_Fold]:
    """Compute folds side by side; the results are those of one process, in the order of the folds."""
    from joblib import Parallel, delayed

    tasks = (delayed(_without_fold)(*part) for part in parts)
    yield from Parallel(n_jobs=jobs, return_as="generator")(tasks)


def _hold_out_in_engine(
    rows: Rows, settings: Settings | None, rng: np.random.Generator, folds: int, step: Callable[[], None]
) -> HeldOut:
    """Fold rows by their hash, and count what the rules predict for the patterns of each fold."""
    tables, predicted, fold, inductions = [], [], [], []
    for k, child in enumerate(rng.spawn(folds)):
        found = induce_rule(rows.part(k, folds, inside=False), settings, rng=child)
        literals = {literal for clause in found.rule.clauses for literal in clause}
        patterns = rows.part(k, folds, inside=True).count(literals).table
        unit = max(1.0, rows.n_rows / _FINEST)
        times = np.ceil(patterns.weights / unit).astype(np.int64)
        spread = np.repeat(np.arange(len(patterns)), times)
        whole = patterns.take(spread).reweighted((patterns.weights / times)[spread])
        tables.append(whole)
        predicted.append(coded_predictions(found.rule, whole))
        fold.append(np.full(len(whole), k))
        inductions.append(replace(found, posterior=None))
        step()
    outcome, weights = joined_outcomes([table.explained for table in tables]), [t.weights for t in tables]
    n_rows = sum(len(table) for table in tables)
    table = Table({}, {}, np.concatenate(weights), np.arange(1, n_rows + 1), outcome)
    return HeldOut(table, np.concatenate(fold), np.concatenate(predicted), tuple(inductions))


def joined_outcomes(outcomes: Sequence[Any]) -> Any:
    """Return the outcomes of several tables as one."""
    first = outcomes[0]
    names = [name for name, value in vars(first).items() if isinstance(value, np.ndarray)]
    arrays = {name: np.concatenate([getattr(one, name) for one in outcomes]) for name in names}
    return replace(first, **arrays)


def coded_predictions(rule: Rule, table: Table) -> NDArray[Any]:
    """[M]: predictions as the table's outcome scores them: class indices, numbers or risks."""
    if isinstance(table.outcome, Classes):
        return rule.predict_index(table.columns, len(table))
    return rule.predict(table.columns, len(table))


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
    step: Callable[[], None] = lambda: None,
) -> Score:
    """Return how good rules are on rows that they were not induced from; see :func:`hold_out`.

    Accuracy of classes, R² of a number, concordance of survival, each beside the best constant prediction.
    """
    return hold_out(rows, settings, rng=rng, folds=folds, step=step).score


def diagnose(
    table: Table,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    prevalence: float | None = None,
    folds: int = FOLDS,
    step: Callable[[], None] = lambda: None,
) -> tuple[Diagnostics, ...]:
    """Return cross-validated sensitivity, specificity, predictive values and balanced accuracy.

    They are about the class that the table's ``positive`` names; without one about the second of two classes,
    or about each of several.

    Parameters
    ----------
    table, settings, rng, folds, step
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
    return hold_out(table, settings, rng=rng, folds=folds, step=step).diagnostics(prevalence=prevalence)


def induce_or_constant(table: Table, settings: Settings | None, rng: np.random.Generator) -> Induction:
    """Induce, or predict a constant where a part of a table leaves nothing to induce from."""
    try:
        return induce_rule(table, settings, rng=rng)
    except InputError:  # e.g. no column varies in this part
        return Induction(constant_rule(table))


@dataclass(frozen=True)
class KnowledgePrice:
    """What a person's knowledge costs on the rows at hand."""

    score: float
    """of the rule that keeps to it"""
    free: float
    """of a rule for which nothing was given"""
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
    free = induce_rule(table, replace(settings, knowledge=NOTHING), rng=rng).rule
    own, other = (table.explained.score(coded_predictions(one, table), table.weights) for one in (rule, free))
    return KnowledgePrice(own.value, other.value, own.measure)


def bootstraps(table: Table, rows: int, rng: np.random.Generator) -> Iterator[Table]:
    """Yield tables of so many rows drawn with replacement, without end; a row drawn twice counts twice."""
    while True:
        times = np.bincount(rng.integers(0, len(table), rows), minlength=len(table))
        weights: FloatArray = times.astype(np.float64) * table.weights
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
