"""The path: a labelled table goes in, a rule set comes out.

This is the whole product in one function; the estimator, the command line and the page are faces of it. It
needs neither scikit-learn nor a network of its own (the model may). In order:

    table -> variables (Binarizer) -> episode in one canonical order -> rules in index space (the model)
          -> rules in the words of the table, simplified and counted -> cuts moved where the rule needs them
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from nri import rule
from nri.arrays import BoolArray, FloatArray, IntArray
from nri.episode import Cells, make_episode
from nri.errors import InputError
from nri.induce import knowledge, models
from nri.induce.canonical import CanonicalEpisode, canonical
from nri.induce.sharpen import cuts_of, rule_bits, sharpen
from nri.induce.words import assemble, counted, in_words, is_negated, literal_meanings
from nri.rule import RuleSet
from nri.rule.column import Columns
from nri.rule.plan import ColumnPlan
from nri.search.limits import Limits
from nri.search.result import Belief, Induced
from nri.table.binarizer import Binarizer
from nri.table.frame import read_columns
from nri.table.table import Table
from nri.table.usable import LeftOut, refusal

_SEARCHED_TWICE = 2000
"""Most rows on which a shorter rule is sought once cuts have moved; with more it takes long for little."""


@dataclass(frozen=True)
class Settings:
    """What a user can ask of the rules."""

    model: str = models.DEFAULT
    """Which model finds them; see :mod:`nri.induce.models`."""
    max_clauses: int = 8
    """Most clauses in the rule of one class."""
    max_literals: int = 6
    """Most literals in one clause."""
    use: Collection[str] | None = None
    """The only columns that rules may speak about; None for all."""
    never: Collection[str] = ()
    """Columns that rules never speak about."""
    require: Collection[str] = ()
    """Columns that every clause speaks about."""
    negations: bool = True
    """Whether ``NOT x`` and ``x != a`` may occur; ``x <= 3`` always may."""
    min_precision: float = 0.0
    """Least share of its class among the rows that a clause covers."""
    binarize: Literal["auto", "paper"] = "auto"
    """How columns become boolean variables; see :class:`nri.table.binarizer.Binarizer`."""
    costs: Mapping[rule.Label, float] | Literal["balanced"] | None = None
    """What it costs to take a row of a class for another one; 1 where nothing is said. ``balanced`` makes all
    classes weigh the same together."""
    counts: Literal["auto", "never", "only"] = "auto"
    """Whether clauses may ask for at least so many of their literals: where it is worth it, never, always."""
    keep: RuleSet | None = None
    """A rule about one of two classes whose clauses stay; the others are found around them."""
    forbid: Collection[str | rule.Literal] = ()
    """Conditions that no clause says, nor stricter ones: ``age > 80``."""
    cuts: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """For number columns the only places where they are cut."""
    monotone: Mapping[str, str] = field(default_factory=dict)
    """Columns of which more never speaks against the class asked about (``up``), or for it (``down``)."""


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
    table = chosen_columns(table, settings)
    if not (table.weights > 0).all():
        table = table.take(table.weights > 0)  # rows of weight zero are as good as absent
    if len(table.classes) == 1:
        return Induction(counted({}, table.classes[0], table), ())
    settings = knowledge.resolved(settings, table)
    if settings.keep is not None:
        return _around_kept(table, settings, rng)
    # what a person names is used whatever it looks like: years without a gap are more than a count of rows
    named = {*(settings.use or ()), *settings.require, *settings.cuts}
    binarizer = knowledge.with_cuts(Binarizer(settings.binarize, named=named).fit(table), settings.cuts)
    if not binarizer.variables_:
        raise InputError(refusal(binarizer.left_out_))
    found = _find_rules(table, settings, binarizer, model, rng)
    ruleset = found.ruleset
    if settings.binarize == "auto" and model.sharpens:
        ruleset = _with_sharper_cuts(table, settings, binarizer, found, rng)
    return Induction(ruleset, binarizer.left_out_, _posterior(table, binarizer, found))


def _around_kept(table: Table, settings: Settings, rng: np.random.Generator) -> Induction:
    """Find clauses on the rows that the clauses to keep leave, and join both."""
    index, kept = knowledge.kept_rule(settings, table)
    rest = knowledge.rows_left(kept, table).about(index)
    room = settings.max_clauses - len(kept)
    found = Induction(counted({}, table.classes[1 - index], table), ())
    if room and len(np.unique(rest.codes)) == 2:
        found = induce_rules(rest, replace(settings, keep=None, max_clauses=room), rng=rng)
    return Induction(knowledge.joined(kept, found.ruleset, index, table), found.left_out)


@dataclass(frozen=True, eq=False)
class _Found:
    """Rules for one choice of variables, in index space and in words."""

    view: CanonicalEpisode
    induced: Induced
    ruleset: RuleSet


def _find_rules(
    table: Table, settings: Settings, binarizer: Binarizer, model: models.Inducer, rng: np.random.Generator
) -> _Found:
    """Induce rules on the variables of a binarizer, and say them in words."""
    values, known = binarizer.cells(table.columns)
    numbers = binarizer.numbers(table.columns)
    view = canonical(
        make_episode(
            values,
            known,
            table.codes,
            table.weights,
            len(table.classes),
            numbers,
            class_costs(table, settings),
            None if table.unlabelled is None else _cells(binarizer, table.unlabelled),
        ),
        literal_meanings(binarizer.variables_, binarizer.domain_),
        np.concatenate([binarizer.groups_, binarizer.number_groups_]),
    )
    limits = Limits(
        max_clauses=settings.max_clauses,
        max_literals=settings.max_literals,
        allowed=allowed_literals(view.literals, settings),
        min_precision=settings.min_precision,
        required=required_literals(view.literals, settings, binarizer.left_out_),
        counts=settings.counts,
    )
    induced = model.induce(view.episode, view.groups, limits, rng, table.positive)
    ruleset = assemble(
        induced,
        view.literals,
        binarizer.domain_,
        table,
        negations=settings.negations,
        min_precision=settings.min_precision,
    )
    return _Found(view, induced, ruleset)


def _posterior(table: Table, binarizer: Binarizer, found: _Found) -> TablePosterior | None:
    if found.induced.posterior is None:
        return None
    plans = {name: table.plans[name] for name in binarizer.columns_}
    return TablePosterior(plans, binarizer, found.view, found.induced.posterior)


def _with_sharper_cuts(
    table: Table, settings: Settings, binarizer: Binarizer, found: _Found, rng: np.random.Generator
) -> RuleSet:
    """Move cuts to where the rule needs them, and ask once more whether with these a shorter rule will do.

    The labels alone are asked, about the columns of the rule: all else was weighed when it was found.
    """
    sharp = _sharpened(table, settings, binarizer, found)
    if sharp is found.ruleset or table.weights.sum() > _SEARCHED_TWICE:
        return sharp
    closer = binarizer.narrowed(sharp.columns, cuts_of(sharp))
    again = _find_rules(table, settings, closer, models.get_inducer("greedy"), rng)
    other = _sharpened(table, settings, closer, again)
    n_literals = 2 * len(closer.variables_)
    staked = _at_stake(table, settings)
    saved = rule_bits(sharp, staked, n_literals) - rule_bits(other, staked, n_literals)
    return other if saved > 1e-6 else sharp


def _sharpened(table: Table, settings: Settings, binarizer: Binarizer, found: _Found) -> RuleSet:
    """Return a rule set with its cuts moved, and simplified where that makes clauses alike."""
    columns = list(dict.fromkeys(literal.column for literal in found.view.literals))
    staked, fixed = _at_stake(table, settings), knowledge.fixed_columns(settings)
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


def class_costs(table: Table, settings: Settings) -> FloatArray | None:
    """[n_classes], what an error on a row of each class costs; None if all cost the same.

    Raises
    ------
    InputError
        If a class is unknown, or a cost is not a number above zero.
    """
    if settings.costs is None:
        return None
    if isinstance(settings.costs, str):
        if settings.costs != "balanced":
            raise InputError(f"costs are {settings.costs!r}; give a cost for each class, or 'balanced'")
        of_classes = table.class_weights.sum(axis=0)
        return np.asarray(of_classes.sum() / np.maximum(of_classes, 1e-12))
    costs = np.ones(len(table.classes))
    for label, cost in settings.costs.items():
        if label not in table.classes:
            known = ", ".join(map(repr, table.classes))
            raise InputError(f"a cost is given for {label!r}, but the classes are {known}; name one of them")
        if not (isinstance(cost, int | float) and np.isfinite(cost) and cost > 0):
            raise InputError(f"the cost of {label!r} is {cost!r}; give a number above 0")
        costs[table.classes.index(label)] = cost
    return costs


def _at_stake(table: Table, settings: Settings) -> Table:
    """Return the table with rows that weigh what an error on them costs."""
    costs = class_costs(table, settings)
    return table if costs is None else table.reweighted(table.weights * costs[table.codes])


def chosen_columns(table: Table, settings: Settings) -> Table:
    """Return the columns that the caller allows, in the order of the table."""
    for names in (settings.use or (), settings.never, settings.require):
        table.require(names)
    for name in settings.require:
        if name in settings.never:
            raise InputError(f"column {name!r} is required and never to be used; choose one of the two")
    chosen = [
        name
        for name in table.names
        if (settings.use is None or name in settings.use or name in settings.require)
        and name not in settings.never
    ]
    if not chosen:
        raise InputError("the columns to use and never to use rule out every column; allow at least one")
    return table if len(chosen) == len(table.names) else table.only(chosen)


def allowed_literals(literals: tuple[rule.Literal, ...], settings: Settings) -> BoolArray:
    """[2N]: which literals may be used."""
    return np.array(
        [
            (settings.negations or not is_negated(literal)) and knowledge.permitted(literal, settings)
            for literal in literals
        ],
        dtype=bool,
    )


def required_literals(
    literals: tuple[rule.Literal, ...], settings: Settings, left_out: tuple[LeftOut, ...]
) -> tuple[BoolArray, ...]:
    """For each required column [2N]: which literals speak about it."""
    reasons = {one.column: str(one.reason) for one in left_out}
    masks = []
    for name in dict.fromkeys(settings.require):
        mask = np.array([literal.column == name for literal in literals], dtype=bool)
        if not (mask & allowed_literals(literals, settings)).any():
            why = reasons.get(name, "gives no condition that may be used")
            raise InputError(f"column {name!r} is required, but it {why}; do not require it")
        masks.append(mask)
    return tuple(masks)
