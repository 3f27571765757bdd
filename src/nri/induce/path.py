"""The path: a labelled table goes in, a rule set comes out.

This is the whole product in one function; the estimator, the command line and the page are faces of it. It
needs neither scikit-learn nor a network of its own (the model may). In order:

    table -> variables (Binarizer) -> episode in one canonical order -> rules in index space (the model)
          -> rules in the words of the table, simplified and counted -> cuts moved where the rule needs them
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nri.arrays import FloatArray, IntArray
from nri.episode import Cells, make_episode
from nri.induce import knowledge, models
from nri.induce.canonical import CanonicalEpisode, canonical
from nri.induce.costs import at_stake, stakes
from nri.induce.long import chosen_on_all_rows, rows_to_search, unlabelled_to_search
from nri.induce.settings import Settings
from nri.induce.sharpen import cuts_of, rule_bits, sharpen
from nri.induce.wide import columns_to_search
from nri.induce.wishes import allowed_literals, chosen_columns, required_literals
from nri.induce.words import assemble, counted, in_words, literal_meanings
from nri.rule import RuleSet
from nri.rule.column import Columns
from nri.rule.plan import ColumnPlan
from nri.search.limits import Limits
from nri.search.result import Belief, Induced
from nri.table.binarizer import Binarizer
from nri.table.frame import read_columns
from nri.table.table import Table
from nri.table.usable import LeftOut, UselessColumnsError
from nri.threads import one_thread

_SEARCHED_TWICE, _CLASSES_TWICE = 2000, 5
"""Most rows and classes with which a shorter rule is sought once cuts have moved; more take long."""

_LABELS_PLACE_CUTS = 200
"""Rows from which labels place the cuts of a rule better than the posterior that chose it has placed them."""

_FINER_COLUMNS = 100
"""Most columns that are cut more finely for several classes; with more the search takes long for little."""

_WORTH_A_LITERAL = 1.0
"""Bits that all rows must save by a longer rule than that of a sample; beside thousands, less is nothing."""


@dataclass(frozen=True, eq=False)
class TablePosterior:
    """What the model believes of any row, for rows that have columns, not variables."""

    plans: dict[str, ColumnPlan]
    """How the columns that it was formed from are read"""
    binarizer: Binarizer
    view: CanonicalEpisode
    """The order in which it was formed"""
    belief: Belief

    def chances(self, rows: Any) -> FloatArray:
        """[M, n_classes]: probabilities of the classes, row by row."""
        cells = _cells(self.binarizer, read_columns(rows, self.plans))
        return self.belief.chances(self.view.seen(cells))

    def likeliest(self, rows: Any) -> IntArray:
        """[M]: index of the likeliest class."""
        return np.asarray(self.chances(rows).argmax(axis=1), dtype=np.int64)


def _cells(binarizer: Binarizer, columns: Columns) -> Cells:
    return Cells(*binarizer.cells(columns), binarizer.numbers(columns))


@dataclass(frozen=True)
class Induction:
    """What was found, and what was not looked at."""

    ruleset: RuleSet
    left_out: tuple[LeftOut, ...]
    """Columns that could be of no use to a rule, and why."""
    posterior: TablePosterior | None = None
    """What the model thinks of any row beyond its rule, if it thinks at all."""
    searched: int | None = None
    """Rows that were searched, where the table is so long that it was not all of them. Every choice, cut and
    count is by all rows in any case."""
    searched_columns: int | None = None
    """Columns that were searched, where the table has so many that it was not all of them."""


@one_thread()
def induce_rules(
    table: Table, settings: Settings | None = None, *, rng: np.random.Generator | None = None
) -> Induction:
    """Induce rules for the classes of a table.

    Parameters
    ----------
    table
        The support rows, with a target; see :func:`nri.table.target.label_table`.
    settings
        What the rules may be.
    rng
        The only source of chance; seeded with 0 by default.

    Raises
    ------
    InputError
        If no column can be used, or a setting cannot be met.

    Examples
    --------
    >>> from nri.table import label_table, table_of
    >>> visits = {"age": [20, 30, 64, 70, 25, 68], "fever": [1, 0, 1, 1, 1, 0], "flu": [0, 0, 1, 1, 0, 0]}
    >>> print(induce_rules(label_table(table_of(visits), "flu")).ruleset)
    IF  (age > 50 AND fever)     precision 1.00   covers 2 of 6
    THEN flu = 1                 ELSE 0
    """
    settings, rng = settings or Settings(), rng or np.random.default_rng(0)
    model = models.get_inducer(settings.model)
    if settings.stable:
        model = models.steady(model)
    table = chosen_columns(table, settings)
    if not (table.weights > 0).all():
        table = table.take(table.weights > 0)  # rows of weight zero are as good as absent
    if len(table.classes) == 1:
        return Induction(counted({}, table.classes[0], table), ())
    settings = replace(settings, knowledge=knowledge.resolved(settings.knowledge, table))
    if settings.knowledge.keep is not None:
        return _around_kept(table, settings, rng)
    whole = len(table.names)
    table = columns_to_search(table, {*settings.require, *settings.knowledge.cuts})
    binarizer = knowledge.with_cuts(_binarizer(table, settings), settings.knowledge.cuts)
    if not binarizer.variables_:
        raise UselessColumnsError(binarizer.left_out_)
    # a column that was chosen among many had many chances to tell something by luck
    wider = whole / len(table.names)
    among = round(wider * 2 * len(binarizer.variables_)) if wider > 1 else 0
    found = find_rules(table, settings, binarizer, model, rng, among)
    ruleset = found.ruleset
    if settings.binarize == "auto" and model.sharpens and _labels_place_cuts(table, settings, found.induced):
        ruleset = _with_sharper_cuts(table, settings, binarizer, found, rng, among)
    return Induction(
        ruleset,
        binarizer.left_out_,
        _posterior(table, binarizer, found),
        found.searched,
        None if len(table.names) == whole else len(table.names),
    )


def _binarizer(table: Table, settings: Settings) -> Binarizer:
    """Choose variables; several classes lie beside each other on a column, so that they need more cuts."""
    # what a person names is used whatever it looks like: years without a gap are more than a count of rows
    named = {*(settings.use or ()), *settings.require, *settings.knowledge.cuts}
    finer = len(table.classes) > 2 and len(table.names) <= _FINER_COLUMNS
    least, most = (7, 9) if finer else (3, 6)
    binarizer = Binarizer(settings.binarize, named=named, min_thresholds=least, max_thresholds=most)
    return binarizer.fit(table)


def _around_kept(table: Table, settings: Settings, rng: np.random.Generator) -> Induction:
    """Find clauses on the rows that the clauses to keep leave, and join both."""
    assert settings.knowledge.keep is not None
    index, kept = knowledge.kept_rule(settings.knowledge.keep, table, settings.max_clauses)
    rest = knowledge.rows_left(kept, table).about(index)
    room = settings.max_clauses - len(kept)
    found = Induction(counted({}, table.classes[1 - index], table), ())
    if room and len(np.unique(rest.codes)) == 2:
        around = replace(settings, knowledge=replace(settings.knowledge, keep=None), max_clauses=room)
        found = induce_rules(rest, around, rng=rng)
    whole = knowledge.joined(kept, found.ruleset, index, table)
    left_out = tuple(one for one in found.left_out if one.column not in whole.columns)  # on the other rows
    return replace(found, ruleset=whole, left_out=left_out, posterior=None)


@dataclass(frozen=True, eq=False)
class Found:
    """Rules for one choice of variables, in index space and in words."""

    view: CanonicalEpisode
    induced: Induced
    ruleset: RuleSet
    searched: int | None = None
    """Rows that were searched, if not all"""


def find_rules(
    table: Table,
    settings: Settings,
    binarizer: Binarizer,
    model: models.Inducer,
    rng: np.random.Generator,
    among: int = 0,
) -> Found:
    """Induce rules on the variables of a binarizer, and say them in words.

    Of a long table some rows are searched; among what they lead to, all rows choose. ``among`` is the number
    of literals that there would be if no columns had been chosen before; 0 if none were.
    """
    part, costs = rows_to_search(table), stakes(table, settings)
    searched, unlabelled = part.table, unlabelled_to_search(table)
    cells = _cells(binarizer, searched.columns)
    view = canonical(
        make_episode(
            cells.values,
            cells.known,
            searched.codes,
            searched.weights,
            len(table.classes),
            cells.numbers,
            costs,
            None if unlabelled is None else _cells(binarizer, unlabelled),
        ),
        literal_meanings(binarizer.variables_, binarizer.domain_),
        np.concatenate([binarizer.groups_, binarizer.number_groups_]),
        reorder=model.reorders,
    )
    limits = Limits(
        # more clauses than rows, or more literals than variables, are never of use, but would be looked for
        max_clauses=min(settings.max_clauses, max(8, len(table))),
        max_literals=min(settings.max_literals, max(16, len(binarizer.variables_))),
        allowed=allowed_literals(view.literals, settings),
        min_precision=settings.min_precision,
        required=required_literals(view.literals, settings, binarizer.left_out_),
        counts=settings.counts,
        among=among,
    )
    induced = model.induce(view.episode, view.groups, limits, rng, table.positive)
    found = _in_words(induced, view, table, settings, binarizer)
    if part.whole:
        return found
    found = replace(found, searched=len(searched))
    if not model.sharpens:  # then the rule is left as the model says it
        return found
    again = chosen_on_all_rows(induced, view, table, limits, costs, rng)
    if again is None:
        return found
    other = replace(_in_words(again, view, table, settings, binarizer), searched=found.searched)
    if settings.min_precision > 0:  # which the sample cannot promise
        return other
    staked, n_literals = at_stake(table, stakes(table, settings)), max(among, 2 * len(binarizer.variables_))
    saved = rule_bits(found.ruleset, staked, n_literals) - rule_bits(other.ruleset, staked, n_literals)
    longer = _n_literals(other.ruleset) > _n_literals(found.ruleset)
    return other if saved > (_WORTH_A_LITERAL if longer else 1e-6) else found


def _in_words(
    induced: Induced, view: CanonicalEpisode, table: Table, settings: Settings, binarizer: Binarizer
) -> Found:
    ruleset = assemble(
        induced,
        view.literals,
        binarizer.domain_,
        table,
        negations=settings.negations,
        min_precision=settings.min_precision,
    )
    return Found(view, induced, ruleset)


def _n_literals(ruleset: RuleSet) -> int:
    return sum(len(decision.clause) for decision in ruleset.decisions)


def _posterior(table: Table, binarizer: Binarizer, found: Found) -> TablePosterior | None:
    if found.induced.posterior is None:
        return None
    plans = {name: table.plans[name] for name in binarizer.columns_}
    return TablePosterior(plans, binarizer, found.view, found.induced.posterior)


def _labels_place_cuts(table: Table, settings: Settings, induced: Induced) -> bool:
    """Whether cuts may move by labels: where these chose the rule, or are many and one counts as another.

    Few labels would undo what a posterior saw, and fewer still decide where some of them are dear.
    """
    by_labels = induced.expected_bits is None
    return by_labels or (stakes(table, settings) is None and float(table.weights.sum()) >= _LABELS_PLACE_CUTS)


def _with_sharper_cuts(
    table: Table,
    settings: Settings,
    binarizer: Binarizer,
    found: Found,
    rng: np.random.Generator,
    among: int = 0,
) -> RuleSet:
    """Move cuts to where the rule needs them, and ask once more whether with these a shorter rule will do.

    The labels alone are asked, about the columns of the rule. A rule that a posterior has chosen gives way
    only to one that tells the labels better than the posterior expects them.
    """
    sharp = _sharpened(table, settings, binarizer, found)
    many = table.weights.sum() > _SEARCHED_TWICE or len(table.classes) > _CLASSES_TWICE
    if sharp is found.ruleset or many:
        return sharp
    closer = binarizer.narrowed(sharp.columns, cuts_of(sharp))
    again = find_rules(table, settings, closer, models.get_inducer("greedy"), rng, among)
    other = _sharpened(table, settings, closer, again)
    n_literals = max(among, 2 * len(closer.variables_))
    staked = at_stake(table, stakes(table, settings))
    bits, expected = rule_bits(other, staked, n_literals), found.induced.expected_bits
    saved = rule_bits(sharp, staked, n_literals) - bits
    return other if saved > 1e-6 and (expected is None or bits < expected) else sharp


def _sharpened(table: Table, settings: Settings, binarizer: Binarizer, found: Found) -> RuleSet:
    """Return a rule set with its cuts moved, and simplified where that makes clauses alike."""
    columns = list(dict.fromkeys(literal.column for literal in found.view.literals))
    staked, fixed = at_stake(table, stakes(table, settings)), knowledge.fixed_columns(settings.knowledge)
    sharp = sharpen(found.ruleset, staked, columns, min_precision=settings.min_precision, fixed=fixed)
    if sharp is found.ruleset:
        return sharp
    return in_words(
        {rule.label: rule.rule for rule in sharp.rules},
        sharp.default,
        binarizer.domain_,
        table,
        negations=settings.negations,
        min_precision=settings.min_precision,
    )
