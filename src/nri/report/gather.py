"""Gather: from a table and its rules to all numbers of a report."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from nri.errors import InputError
from nri.induce.path import Induction, LabelledTable, Settings
from nri.induce.resample import Accuracy
from nri.report.counts import RuleCounts, column_use, confusion_of
from nri.report.curve import curve_of, hold_out, part_of, posterior_accuracy
from nri.report.records import Confusion, Curve, Report, ReportOptions
from nri.rule.render.options import settled
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
    found = replace(found, ruleset=settled(found.ruleset))
    if table.weights is not None and not (table.weights > 0).all():
        table = part_of(table, table.weights > 0)  # rows of weight zero are as good as absent
    counts = RuleCounts(table, found.ruleset)
    half = None if options.seconds is None else options.seconds / 2
    validated = _validate(_at_most(table, options), settings, positive, options, half, step)
    stability = None
    if options.samples > 0 and counts.clauses:
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
    by_class = np.bincount(table.codes, counts.weights, len(table.classes))
    return Report(
        options,
        found.ruleset,
        len(table.codes),
        table.features.shape[1],
        float(counts.weights.sum()),
        tuple(float(weight) for weight in by_class),
        counts.cards(stability),
        counts.default(),
        counts.confusion(),
        validated.confusion,
        counts.patterns(),
        validated.curve,
        stability,
        counts.gaps(),
        column_use(table, found.ruleset, settings, found.left_out),
        validated.posterior,
    )


@dataclass(frozen=True)
class _Validated:
    """What is judged on held-out rows, nothing if there are too few."""

    confusion: Confusion | None = None
    curve: Curve | None = None
    posterior: Accuracy | None = None


def _validate(
    table: LabelledTable,
    settings: Settings,
    positive: int | None,
    options: ReportOptions,
    seconds: float | None,
    step: Callable[[], None],
) -> _Validated:
    if options.folds < 2 or len(table.classes) < 2 or len(table.codes) < 2:
        return _Validated()
    held = hold_out(
        table,
        settings,
        seed=options.seed,
        positive=positive,
        folds=options.folds,
        seconds=seconds,
        step=step,
    )
    weights = np.ones(len(table.codes)) if table.weights is None else table.weights
    return _Validated(
        confusion_of(table.codes, held.unlimited, weights, len(table.classes)),
        curve_of(held, table, settings, seed=options.seed, positive=positive),
        posterior_accuracy(table, settings, held.fold, options.seed, positive),
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
