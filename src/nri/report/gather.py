"""Gather: from a table and its rules to all numbers of a report."""

from collections.abc import Callable

import numpy as np

from nri.errors import InputError
from nri.induction import Induction, LabelledTable, Settings
from nri.report.counts import Counter, column_use, confusion_of
from nri.report.curve import curve_of, hold_out, part_of
from nri.report.posterior import posterior_accuracy
from nri.report.records import Report, ReportOptions
from nri.tasks.stability import clause_stability


def gather_report(
    table: LabelledTable,
    found: Induction,
    settings: Settings | None = None,
    *,
    positive: int | None = None,
    options: ReportOptions | None = None,
    step: Callable[[], None] = lambda: None,
) -> Report:
    """Count, cross-validate and resample.

    Parameters
    ----------
    table
        The rows to report on, normally those that the rules were induced from.
    found
        The rules (a person may have changed them since) and the columns left out.
    settings, positive
        With which the rules were induced: cross-validation and stability induce again.
    options
        How much work it may be, and what the page says beside the numbers.
    step
        Called after each fold and each bootstrap sample; see :func:`steps_of`.
    """
    settings, options = settings or Settings(), options or ReportOptions()
    if found.ruleset.classes != table.classes:
        raise InputError(
            f"the rules are about the classes {list(found.ruleset.classes)}, the table has "
            f"{list(table.classes)}; report on rows with the same classes"
        )
    if table.weights is not None and not (table.weights > 0).all():
        table = part_of(table, table.weights > 0)  # rows of weight zero are as good as absent
    counter = Counter(table, found.ruleset)
    few = _at_most(table, options)
    half = None if options.seconds is None else options.seconds / 2
    stability = curve = held_out = posterior = None
    if options.folds > 1 and len(table.classes) > 1 and len(few.codes) > 1:
        held = hold_out(
            few,
            settings,
            seed=options.seed,
            positive=positive,
            folds=options.folds,
            seconds=half,
            step=step,
        )
        curve = curve_of(held, few, settings, seed=options.seed, positive=positive)
        weights = np.ones(len(few.codes)) if few.weights is None else few.weights
        held_out = confusion_of(few.codes, held.unlimited, weights, len(few.classes))
        posterior = posterior_accuracy(few, settings, held.fold, options.seed, positive)
    if options.samples > 0 and counter.clauses:
        stability = clause_stability(
            table,
            found.ruleset,
            settings,
            rng=np.random.default_rng(options.seed),
            samples=options.samples,
            max_rows=options.max_rows,
            seconds=half,
            step=step,
        )
    by_class = np.bincount(table.codes, counter.weights, len(table.classes))
    return Report(
        options,
        found.ruleset,
        len(table.codes),
        table.features.shape[1],
        float(counter.weights.sum()),
        tuple(float(weight) for weight in by_class),
        counter.cards(stability),
        counter.default(),
        counter.confusion(),
        held_out,
        counter.patterns(),
        curve,
        stability,
        counter.gaps(),
        column_use(table, found.ruleset, settings, found.left_out),
        posterior,
    )


def steps_of(options: ReportOptions) -> int:
    """Return how often ``step`` is called at most, for a progress bar."""
    return options.folds + options.samples


def _at_most(table: LabelledTable, options: ReportOptions) -> LabelledTable:
    """Draw rows without replacement if there are more than inducing many times allows."""
    if len(table.codes) <= options.max_rows:
        return table
    rng = np.random.default_rng(options.seed)
    rows = np.sort(rng.choice(len(table.codes), options.max_rows, replace=False))
    return part_of(table, rows)
