"""Resample: rules from parts of a table, for everything that asks how they do on rows they have not seen.

One deal of rows into folds serves cross-validation, the curve of sizes and the check of the posterior; one
way of drawing rows serves stability, reports and the page.
"""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from nri.arrays import FloatArray, IntArray
from nri.errors import InputError
from nri.induce.costs import Costs, MeanCost, mean_cost
from nri.induce.diagnostics import Diagnostics, classes_asked_about, diagnostics_of
from nri.induce.estimates import Accuracy, accuracy_of
from nri.induce.path import Induction, induce_rules
from nri.induce.settings import Settings
from nri.induce.words import counted
from nri.rule.labels import Label
from nri.rule.ruleset import RuleSet
from nri.table.table import Table

FOLDS = 5
LEAST_OF_CLASS = 50
"""A sample has at least so many rows of each class, if there are that many."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Rules induced without each fold, to be tried on the rows of the fold."""

    table: Table
    fold: IntArray
    """[M], the fold of each row"""
    inductions: tuple[Induction, ...]
    """for each fold what was found without it, but for its posterior"""
    likeliest: IntArray | None
    """[M], the likeliest class of each row by posteriors that were formed without it, if the model has one"""

    @property
    def insides(self) -> Iterator[Table]:
        """For each fold the rows without it."""
        return (self.table.take(self.fold != k) for k in range(len(self.inductions)))

    @cached_property
    def said(self) -> IntArray:
        """[M]: the class of each row by rules that were induced without it."""
        return self.joined([found.ruleset.predict_index for found in self.inductions])

    @cached_property
    def accuracy(self) -> Accuracy:
        """How many rows they decide rightly."""
        return accuracy_of(self.said == self.table.codes, self.table.weights)

    def cost(self, costs: Costs) -> MeanCost | None:
        """Return what they cost on a row on average; None if no costs are given."""
        return mean_cost(self.table, self.said, costs)

    @cached_property
    def posterior_accuracy(self) -> Accuracy | None:
        """How often the likeliest class is right on held-out rows; None if the model has no posterior."""
        if self.likeliest is None:
            return None
        return accuracy_of(self.likeliest == self.table.codes, self.table.weights)

    def diagnostics(
        self, ruled: Sequence[Label] = (), prevalence: float | None = None
    ) -> tuple[Diagnostics, ...]:
        """Count sensitivity and its kin for the class asked about, or for each where none was.

        Parameters
        ----------
        ruled
            The classes that have a rule: the lone one of two classes is the one asked about.
        prevalence
            See :func:`nri.induce.diagnostics.diagnostics_of`.
        """
        table = self.table
        return tuple(
            diagnostics_of(
                table.codes,
                self.said,
                index,
                table.classes[index],
                weights=table.weights,
                prevalence=prevalence,
            )
            for index in classes_asked_about(table.classes, table.positive, ruled)
        )

    def joined(self, deciders: Sequence[Callable[[Table], IntArray]]) -> IntArray:
        """[M]: what the decider of each fold says about the rows of the fold."""
        said = np.zeros(len(self.fold), dtype=np.int64)
        for k, decide in enumerate(deciders):
            said[self.fold == k] = decide(self.table.take(self.fold == k))
        return said


def hold_out(
    table: Table,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    folds: int = FOLDS,
    jobs: int = 1,
    step: Callable[[], None] = lambda: None,
) -> HeldOut:
    """Induce rules without each fold.

    Parameters
    ----------
    table, settings
        As for :func:`nri.induce.path.induce_rules`; everything, thresholds too, is found anew for each fold.
    rng
        Deals the rows out and seeds the models.
    folds
        How many parts the rows are dealt into.
    jobs
        Most processes for folds that take long; the result does not depend on it.
    step
        Called after each fold.
    """
    fold = stratified_folds(table.codes, folds, rng)
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
    likeliest = np.full(len(fold), -1, dtype=np.int64)
    for k, (_, said) in enumerate(found):
        if said is not None:
            likeliest[fold == k] = said
    return HeldOut(table, fold, tuple(one for one, _ in found), likeliest if (likeliest >= 0).all() else None)


_Part = tuple[Table, Table, Settings | None, np.random.Generator]
"""Rows without a fold, rows of the fold, settings, and what seeds the model."""
_Fold = tuple[Induction, IntArray | None]
"""What was found without a fold, and the likeliest class of the rows of the fold by its posterior."""

_WORTH_PROCESSES = 3.0
"""Seconds that a fold takes at least if others go into processes, which take a second to start."""


def _without_fold(
    inside: Table, outside: Table, settings: Settings | None, rng: np.random.Generator
) -> _Fold:
    found = induce_or_default(inside, settings, rng)
    likeliest = None if found.posterior is None else found.posterior.likeliest(outside)
    return replace(found, posterior=None), likeliest  # a posterior may not be sent from a process


def _in_processes(parts: Sequence[_Part], jobs: int) -> Iterator[_Fold]:
    """Compute folds side by side; the results are those of one process, in the order of the folds."""
    from joblib import Parallel, delayed

    tasks = (delayed(_without_fold)(*part) for part in parts)
    yield from Parallel(n_jobs=jobs, return_as="generator")(tasks)


def cores() -> int:
    """Return how many cores this process may use; the environment variable NRI_JOBS says otherwise."""
    if os.environ.get("NRI_JOBS", "").isdigit():
        return max(1, int(os.environ["NRI_JOBS"]))
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cross_validate(
    table: Table,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    folds: int = FOLDS,
    step: Callable[[], None] = lambda: None,
) -> Accuracy:
    """Return how many rows are decided rightly by rules induced without their fold; see :func:`hold_out`."""
    return hold_out(table, settings, rng=rng, folds=folds, step=step).accuracy


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
    >>> (found,) = diagnose(table, rng=np.random.default_rng(0), prevalence=0.1)
    >>> found.label, found.sensitivity.value is not None
    ('yes', True)
    """
    held = hold_out(table, settings, rng=rng, folds=folds, step=step)
    return held.diagnostics(prevalence=prevalence)


def induce_or_default(table: Table, settings: Settings | None, rng: np.random.Generator) -> Induction:
    """Induce, or say the most frequent class where a part of a table leaves nothing to induce from."""
    try:
        return induce_rules(table, settings, rng=rng)
    except InputError:  # e.g. no column varies in this part
        return Induction(most_frequent(table), ())


def most_frequent(table: Table) -> RuleSet:
    """Return the rule set without clauses."""
    return counted({}, table.classes[int(np.argmax(table.by_class))], table)


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


def some_of_each_class(table: Table, most: int, rng: np.random.Generator) -> Table:
    """Return about so many rows, classes in proportion but a few at least of each; short tables whole."""
    if len(table) <= most:
        return table
    chosen = []
    for code in range(len(table.classes)):
        rows = np.flatnonzero(table.codes == code)
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
