"""Gather: from a table and its rules to all numbers of a report."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from nri.errors import InputError
from nri.induce.costs import MeanCost, stakes
from nri.induce.diagnostics import Diagnostics
from nri.induce.estimates import Accuracy
from nri.induce.path import Induction
from nri.induce.resample import HeldOut, cores, hold_out, some_rows
from nri.induce.settings import Settings
from nri.report.counts import RuleCounts, about_table, confusion_of
from nri.report.curve import by_size, curve_of
from nri.report.records import Confusion, Curve, Report, ReportOptions
from nri.rule import RuleSet
from nri.rule.render.options import settled
from nri.table.table import Table
from nri.tasks.fairness import by_group, protected_columns
from nri.tasks.stability import clause_stability


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

    Parameters
    ----------
    table
        The rows to report on, normally those that the rules were induced from.
    found
        The rules (a person may have changed them since) and the columns left out.
    settings
        With which the rules were induced: cross-validation and stability induce again.
    options
        How much work it may be, and what the page says beside the numbers.
    held
        Cross-validation of the same rows with the same settings, if somebody has done it already.
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
    if not (table.weights > 0).all():
        table = table.take(table.weights > 0)  # rows of weight zero are as good as absent
    counts = RuleCounts(table, found.ruleset)
    half = None if options.seconds is None else options.seconds / 2
    validated = _validate(table, found.ruleset, settings, options, held, half, step)
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
    weighed = stakes(table, settings)
    return Report(
        **vars(about_table(table, options, settings, found.ruleset.columns, found.left_out)),
        ruleset=found.ruleset,
        class_weights=tuple(float(weight) for weight in table.by_class),
        cards=counts.cards(stability),
        default=counts.default(),
        seen=counts.confusion(),
        held_out=validated.confusion,
        patterns=counts.patterns(),
        curve=validated.curve,
        stability=stability,
        gaps=counts.gaps(),
        posterior=validated.posterior,
        diagnostics=validated.diagnostics,
        groups=tuple(
            by_group(table, found.ruleset, column)
            for column in dict.fromkeys([*options.protect, *protected_columns(found.ruleset)])
        ),
        cost=validated.cost,
        stakes=None if weighed is None else tuple(float(one) for one in weighed),
    )


@dataclass(frozen=True)
class _Validated:
    """What is judged on held-out rows, nothing if there are too few."""

    confusion: Confusion | None = None
    curve: Curve | None = None
    posterior: Accuracy | None = None
    diagnostics: tuple[Diagnostics, ...] = ()
    cost: MeanCost | None = None


def _validate(
    table: Table,
    ruleset: RuleSet,
    settings: Settings,
    options: ReportOptions,
    held: HeldOut | None,
    seconds: float | None,
    step: Callable[[], None],
) -> _Validated:
    table = some_rows(table, options.max_rows, np.random.default_rng(options.seed))
    if options.folds < 2 or len(table.classes) < 2 or len(table) < 2:
        return _Validated()
    if held is None or held.table is not table or len(held.inductions) != options.folds:
        rng = np.random.default_rng(options.seed)  # the folds of --cv, so that both tell the same
        held = hold_out(table, settings, rng=rng, folds=options.folds, jobs=cores(), step=step)
    said = by_size(held, settings, rng=np.random.default_rng((options.seed, 1)), seconds=seconds)
    return _Validated(
        confusion_of(table.codes, held.said, table.weights, len(table.classes)),
        curve_of(held, said, settings, options.seed),
        held.posterior_accuracy,
        held.diagnostics([rule.label for rule in ruleset.rules], options.prevalence),
        held.cost(settings.costs),
    )


def steps_of(options: ReportOptions) -> int:
    """Return how often ``step`` is called at most, for a progress bar."""
    return options.folds + options.samples
