"""Induction: a table and its labels go in, a rule set comes out.

This is the whole path of the product in one function; the estimator and the command line are two
faces of it. It needs neither scikit-learn nor a network of its own (the model may).
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from nri import rule
from nri.episode import BoolArray, FloatArray, IntArray, make_episode
from nri.errors import InputError
from nri.induce import models
from nri.induce.canonical import CanonicalEpisode, canonical
from nri.induce.sharpen import cuts_of, rule_bits, sharpen
from nri.induce.words import Support, assemble, is_negated, literal_meanings, tell
from nri.rule import Label, RuleSet, gather_ruleset
from nri.search.limits import Limits
from nri.search.result import Induced
from nri.seeded.posterior import Posterior
from nri.seeded.runtime import shipped_network
from nri.table.binarizer import Binarizer
from nri.table.columns import columns_of, require_columns
from nri.table.kinds import LeftOut, refusal


@dataclass(frozen=True, eq=False)
class TablePosterior:
    """A posterior, and how a table's columns become the variables it knows."""

    columns: tuple[str, ...]
    """Names of the columns it was formed from"""
    binarizer: Binarizer
    order: IntArray
    flipped: BoolArray
    """[N] each, see :class:`nri.induce.canonical.CanonicalEpisode`"""
    posterior: Posterior

    def chances(self, features: pd.DataFrame) -> FloatArray:
        """[M, n_classes]: probabilities of the classes, row by row."""
        require_columns(features, self.columns)
        cells = self.binarizer.transform(features[list(self.columns)])
        known = cells.known[:, self.order]
        values = (cells.values[:, self.order] ^ self.flipped) & known
        return self.posterior.ask(values, known, shipped_network()).chances


_SEARCHED_TWICE = 2000
"""Most rows on which a shorter rule is sought once cuts have moved; with more it takes long for little."""


@dataclass(frozen=True)
class Settings:
    """What a user can ask of the rules."""

    model: str = models.DEFAULT
    """Which inducer finds them; see :mod:`nri.induce.models`."""
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


@dataclass(frozen=True, eq=False)
class LabelledTable:
    """Rows to induce rules from."""

    features: pd.DataFrame
    """With distinct text names, as :func:`nri.table.frame.as_frame` makes it."""
    codes: IntArray
    """[M], class indices"""
    classes: tuple[Label, ...]
    target: str
    """Name of the predicted column."""
    weights: FloatArray | None = None
    """[M], how many rows each row stands for; None for one each."""


@dataclass(frozen=True)
class Induction:
    """What was found, and what was not looked at."""

    ruleset: RuleSet
    left_out: tuple[LeftOut, ...]
    """Columns that could be of no use to a rule, and why."""
    posterior: TablePosterior | None = None
    """What the model thinks of any row beyond its rule, if it thinks at all."""


def induce_ruleset(
    table: LabelledTable,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    positive: int | None = None,
) -> Induction:
    """Induce rules for the classes of a table.

    Parameters
    ----------
    table
        Features and labels of the support rows.
    settings
        What the rules may be.
    rng
        The only source of chance.
    positive
        For two classes, the index of the class that the rule is about; by default the one whose
        rule is simpler.

    Raises
    ------
    InputError
        If no column can be used, or a setting cannot be met.
    """
    settings = settings or Settings()
    inducer = models.get_inducer(settings.model)
    table = _counted_rows(table)
    features = _chosen_columns(table.features, settings)
    weights = np.ones(len(features)) if table.weights is None else table.weights
    if len(table.classes) == 1:
        return Induction(gather_ruleset(table.target, table.classes, {}, {}, weights[:, None]), ())
    # what a person names is used whatever it looks like: years without a gap are more than a count of rows
    named = {*(settings.use or ()), *settings.require}
    binarizer = Binarizer(settings.binarize, named=named).fit(features, table.codes, weights)
    if not binarizer.variables_:
        raise InputError(refusal(binarizer.left_out_))
    support = Support(
        columns_of(features, binarizer.columns_, binarizer.kinds_),
        table.codes,
        weights,
        table.classes,
        table.target,
    )
    question = _Question(features, support, settings, positive)
    found = _find_rules(question, binarizer, inducer, rng)
    ruleset = found.ruleset
    if settings.binarize == "auto" and settings.model != "paper":  # what the paper has is left as it is
        ruleset = _with_sharper_cuts(question, binarizer, found, rng)
    posterior = None
    if found.induced.posterior is not None:
        posterior = TablePosterior(
            tuple(features.columns), binarizer, found.view.order, found.view.flipped, found.induced.posterior
        )
    return Induction(ruleset, binarizer.left_out_, posterior)


@dataclass(frozen=True, eq=False)
class _Question:
    """What is asked: rows, and what their rules may be."""

    features: pd.DataFrame
    support: Support
    settings: Settings
    positive: int | None


@dataclass(frozen=True, eq=False)
class _Found:
    """Rules for one choice of variables, in index space and in words."""

    view: CanonicalEpisode
    induced: Induced
    ruleset: RuleSet


def _find_rules(
    question: _Question, binarizer: Binarizer, inducer: models.Inducer, rng: np.random.Generator
) -> _Found:
    """Induce rules on the variables of a binarizer, and say them in words."""
    support, settings = question.support, question.settings
    cells = binarizer.transform(question.features)
    view = canonical(
        make_episode(cells.values, cells.known, support.codes, support.weights, len(support.classes)),
        literal_meanings(binarizer.variables_, binarizer.domain_),
        binarizer.groups_,
    )
    limits = Limits(
        max_clauses=settings.max_clauses,
        max_literals=settings.max_literals,
        allowed=_allowed(view.literals, settings),
        min_precision=settings.min_precision,
        required=_required(view.literals, settings, binarizer.left_out_),
    )
    induced = inducer.induce(view.episode, view.groups, limits, rng, question.positive)
    ruleset = assemble(
        induced,
        view.literals,
        binarizer.domain_,
        support,
        negations=settings.negations,
        min_precision=settings.min_precision,
    )
    return _Found(view, induced, ruleset)


def _with_sharper_cuts(
    question: _Question, binarizer: Binarizer, found: _Found, rng: np.random.Generator
) -> RuleSet:
    """Move cuts to where the rule needs them, and ask once more whether with these a shorter rule will do.

    The labels alone are asked, about the columns of the rule: all else was weighed when it was found.
    """
    sharp = _sharpened(question, binarizer, found)
    if sharp is found.ruleset or question.support.weights.sum() > _SEARCHED_TWICE:
        return sharp
    closer = binarizer.narrowed(sharp.columns, cuts_of(sharp))
    again = _find_rules(question, closer, models.get_inducer("greedy"), rng)
    other = _sharpened(question, closer, again)
    n_literals = 2 * len(closer.variables_)
    saved = rule_bits(sharp, question.support, n_literals) - rule_bits(other, question.support, n_literals)
    return other if saved > 1e-6 else sharp


def _sharpened(question: _Question, binarizer: Binarizer, found: _Found) -> RuleSet:
    """Return a rule set with its cuts moved, and simplified where that makes clauses alike."""
    settings = question.settings
    columns = list(dict.fromkeys(literal.column for literal in found.view.literals))
    sharp = sharpen(found.ruleset, question.support, columns, min_precision=settings.min_precision)
    if sharp is found.ruleset:
        return sharp
    return tell(
        {rule.label: rule.rule for rule in sharp.rules},
        sharp.default,
        binarizer.domain_,
        question.support,
        negations=settings.negations,
        min_precision=settings.min_precision,
    )


def _counted_rows(table: LabelledTable) -> LabelledTable:
    """Drop rows of weight zero: they are as good as absent."""
    if table.weights is None or (table.weights > 0).all():
        return table
    kept = table.weights > 0
    return LabelledTable(
        table.features[kept], table.codes[kept], table.classes, table.target, table.weights[kept]
    )


def _chosen_columns(features: pd.DataFrame, settings: Settings) -> pd.DataFrame:
    """Return the columns that the caller allows, in the order of the table."""
    require_columns(features, settings.use or ())
    require_columns(features, settings.never)
    require_columns(features, settings.require)
    for name in settings.require:
        if name in settings.never:
            raise InputError(f"column {name!r} is required and never to be used; choose one of the two")
    chosen = [
        name
        for name in features.columns
        if (settings.use is None or name in settings.use or name in settings.require)
        and name not in settings.never
    ]
    if not chosen:
        raise InputError("the columns to use and never to use rule out every column; allow at least one")
    return features[chosen]


def _allowed(literals: tuple[rule.Literal, ...], settings: Settings) -> BoolArray:
    """[2N]: which literals may be used."""
    return np.array([settings.negations or not is_negated(literal) for literal in literals], dtype=bool)


def _required(
    literals: tuple[rule.Literal, ...], settings: Settings, left_out: tuple[LeftOut, ...]
) -> tuple[BoolArray, ...]:
    """For each required column [2N]: which literals speak about it."""
    reasons = {one.column: str(one.reason) for one in left_out}
    masks = []
    for name in dict.fromkeys(settings.require):
        mask = np.array([literal.column == name for literal in literals], dtype=bool)
        if not (mask & _allowed(literals, settings)).any():
            why = reasons.get(name, "gives no condition that may be used")
            raise InputError(f"column {name!r} is required, but it {why}; do not require it")
        masks.append(mask)
    return tuple(masks)
