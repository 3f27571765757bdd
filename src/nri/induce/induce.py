"""The path: a table with an outcome goes in, a rule comes out.

This is the whole product in one function; the estimators, the command line and the page call it. It is the
same for classes, numbers and survival, and for rows in memory and in an engine:

    rows -> sample -> features (Binarizer) -> search -> rule of the sample -> settled on all rows

A table that is not long is its own sample, and its rule needs no settling.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nri.arrays import FloatArray, IntArray, one_thread
from nri.errors import InputError
from nri.induce import constraints, models
from nri.induce.assemble import constant_rule, with_plain_values
from nri.induce.classes import Candidate, CanonicalEpisode, ClassSearch, cells_of
from nri.induce.refine import pruned, with_sharper_cuts
from nri.induce.segments import CUTS, ScorePosterior, SegmentSearch
from nri.induce.settings import Settings
from nri.induce.settle import settle
from nri.outcome import Classes, Number, Survival
from nri.rows.base import Rows
from nri.rows.memory import MemoryRows
from nri.rule import Rule
from nri.rule.column import ColumnPlan
from nri.search.result import Belief
from nri.table.binarizer import Binarizer
from nri.table.left_out import LeftOut, UselessColumnsError
from nri.table.source import read_columns
from nri.table.table import Table

_FINER_COLUMNS = 100
"""Most columns that are cut more finely for several classes; with more the search takes long for little."""


@dataclass(frozen=True, eq=False)
class TablePosterior:
    """The model's class probabilities for rows given as columns, not variables."""

    plans: dict[str, ColumnPlan]  # How the columns that it was formed from are read
    features: Binarizer
    view: CanonicalEpisode  # The order in which it was formed
    belief: Belief

    def chances(self, rows: Any) -> FloatArray:
        """[M, n_classes]: probabilities of the classes, row by row."""
        cells = cells_of(self.features, read_columns(rows, self.plans))
        return self.belief.chances(self.view.seen(cells))

    def predicted(self, rows: Any) -> IntArray:
        """[M]: index of the likeliest class."""
        return np.asarray(self.chances(rows).argmax(axis=1), dtype=np.int64)


@dataclass(frozen=True)
class Induction:
    """A rule, which rows and columns were searched for it, and the model's posterior."""

    rule: Rule
    left_out: tuple[LeftOut, ...] = ()  # columns that no rule could use, and why
    posterior: TablePosterior | ScorePosterior | None = None  # None for models without one
    searched: int | None = None  # rows searched if not all; counts are by all rows in any case
    searched_columns: int | None = None  # columns searched if not all
    search: "SearchState | None" = None  # the search of a table that is not long; see :func:`searched`


def induce_rule(
    rows: Table | Rows,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator | None = None,
    step: Callable[[str], None] = lambda text: None,
) -> Induction:
    """Induce a rule for the outcome of a table.

    Parameters
    ----------
    rows
        The support rows, with a target; see :func:`nri.read_table`.
    settings
        What the rule may be.
    rng
        The only source of chance; seeded with 0 by default.
    step
        Called with a line on what is being done.

    Raises
    ------
    InputError
        If no column can be used, or a setting cannot be met.

    Examples
    --------
    >>> from nri import read_table
    >>> visits = {"age": [20, 30, 64, 70, 25, 68], "fever": [1, 0, 1, 1, 1, 0], "flu": [0, 0, 1, 1, 0, 0]}
    >>> print(induce_rule(read_table(visits, "flu")).rule)
    IF  (age > 50 AND fever)     2 of 2 rows, about 0.52 on new ones
    THEN flu = 1                 ELSE 0   4 of 4 rows, about 0.74 on new ones
    """
    settings, rng = settings or Settings(), rng or np.random.default_rng(0)
    return replace(induced(rows, settings, rng, step), search=None)


@one_thread()
def induced(
    rows: Table | Rows,
    settings: Settings,
    rng: np.random.Generator,
    step: Callable[[str], None] = lambda text: None,
) -> Induction:
    """Induce as :func:`induce_rule` does, and keep what has searched: other rules are found from there."""
    if isinstance(rows, Table):
        table, settings = prepared(rows, settings)
        if table.explained.is_constant:
            return Induction(constant_rule(table))
        if settings.knowledge.keep is not None:
            return _around_kept(table, settings.knowledge.keep, settings, rng)
        if len(table) <= table.explained.searched_rows:
            induction = searched(table, settings, rng)
            return replace(induction, rule=with_plain_values(induction.rule, table))
        rows = MemoryRows(table)
    elif settings.knowledge.keep is not None:
        raise InputError("clauses to keep are for tables in memory; leave keep out, or collect the table")
    size = rows.size
    sample = rows.sample(size)
    if not isinstance(rows, MemoryRows):
        sample = constraints.chosen_columns(sample, settings)
        settings = constraints.with_knowledge(settings, sample)
    whole = float(sample.weights.sum()) == rows.n_rows and len(sample) <= size
    if not whole:
        step(f"searching a sample of {len(sample)} of {rows.n_rows:.10g} rows")
    induction = replace(searched(sample, settings, rng), search=None)
    left_out = (*rows.left_out, *induction.left_out)
    if whole:
        return replace(induction, rule=with_plain_values(induction.rule, sample), left_out=left_out)
    step(f"settling the rule on all {rows.n_rows:.10g} rows")
    rule = settle(induction.rule, sample, rows, settings, searched, rng)
    rule = with_plain_values(rule.with_plans(rows.plans), sample, all_rows=False)
    return replace(induction, rule=rule, left_out=left_out, searched=len(sample))


def prepared(table: Table, settings: Settings) -> tuple[Table, Settings]:
    """Return the columns that may be used and the rows that count, and settings as cells are read."""
    if not settings.is_free:
        table = constraints.chosen_columns(table, settings)
    if not (table.weights > 0).all():
        table = table.take(table.weights > 0)  # rows of weight zero are as good as absent
    free = settings.is_free or table.explained.is_constant
    return table, settings if free else constraints.with_knowledge(settings, table)


SearchState = Candidate | SegmentSearch
"""The rule for classes before its cuts were moved, or the search for numbers and survival."""


def searched(table: Table, settings: Settings, rng: np.random.Generator) -> Induction:
    """Search a table that is not long."""
    if table.explained.is_constant:
        return Induction(constant_rule(table))
    n_columns, cuts = len(table.names), settings.knowledge.cuts
    if n_columns > constraints.SEARCHED_COLUMNS:
        table = constraints.columns_to_search(table, {*settings.require, *cuts})
    features = _features(table, settings)
    if cuts:
        features = constraints.with_cuts(features, cuts)
    if not features.variables_:
        raise UselessColumnsError(features.left_out_)
    n_searched = None if len(table.names) == n_columns else len(table.names)
    outcome = table.explained
    if settings.counts == "points" and not (isinstance(outcome, Classes) and len(outcome.classes) == 2):
        raise InputError("points are for two classes; compare the target with a value, or drop them")
    if isinstance(outcome, Number | Survival):
        rule, search = SegmentSearch(table, outcome, settings, features).best()
        return Induction(
            rule, features.left_out_, search.posterior, searched_columns=n_searched, search=search
        )
    # a column that was chosen among many had many chances to be informative by luck
    wider = n_columns / len(table.names)
    among = round(wider * 2 * len(features.variables_)) if wider > 1 else 0
    model = models.get_inducer(settings.model, stable=settings.stable)
    first = ClassSearch(table, settings, rng, among).candidate(features, model)
    rule = first.rule
    if settings.counts == "points":
        from nri.induce.points import as_points  # which few ask for

        rule = as_points(first)
    elif settings.binarize == "auto" and model.sharpens and first.labels_place_cuts:
        rule = with_sharper_cuts(first)
    if model.sharpens and first.is_pruned and rule.branches:
        rule = pruned(rule, table, first.n_literals, settings)
    rule, belief = first.with_expected(rule), first.induced.posterior
    plans = {name: table.plans[name] for name in features.columns_}
    posterior = None if belief is None else TablePosterior(plans, features, first.view, belief)
    return Induction(rule, features.left_out_, posterior, searched_columns=n_searched, search=first)


def _features(table: Table, settings: Settings) -> Binarizer:
    """Choose variables; several classes lie beside each other on a column, so that they need more cuts.

    What a person names is used whatever it looks like: years without a gap are more than a count of rows.
    """
    named = {*(settings.use or ()), *settings.require, *settings.knowledge.cuts}
    classes = table.explained.as_classes(table.weights, constraints.PARTS)
    measured = not isinstance(table.outcome, Classes)
    finer = len(classes.classes) > 2 and len(table.names) <= _FINER_COLUMNS
    least, most = (3, CUTS) if measured else (7, 9) if finer else (3, 6)
    features = Binarizer(settings.binarize, named=named, min_thresholds=least, max_thresholds=most)
    return features.fit(table.with_outcome(classes))


def _around_kept(table: Table, keep: Rule, settings: Settings, rng: np.random.Generator) -> Induction:
    """Find clauses on the rows that the clauses to keep leave, and join both."""
    kept, rest = constraints.kept_clauses(keep, table, settings.most_clauses)
    added, room = Induction(constant_rule(table)), settings.most_clauses - len(kept)
    if room and len(np.unique(rest.explained.keys())) > 1:
        around = replace(settings, knowledge=replace(settings.knowledge, keep=None))
        around = replace(around, max_clauses=room, max_branches=None)
        with suppress(UselessColumnsError):  # no column varies on the rows that are left
            added = induce_rule(rest, around, rng=rng)
    whole = constraints.joined(kept, added.rule, keep, table)
    left_out = tuple(one for one in added.left_out if one.column not in whole.columns)  # on the other rows
    return replace(added, rule=whole, left_out=left_out, posterior=None)
