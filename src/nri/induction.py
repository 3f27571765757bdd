"""Induction: a table and its labels go in, a rule set comes out.

This is the whole path of the product in one function; the estimator and the command line are two
faces of it. It needs neither scikit-learn nor a network of its own (the model may).
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from nri import inducers, rule
from nri.assemble import Support, assemble, is_negated, literal_meanings
from nri.canonical import canonical
from nri.episode import BoolArray, FloatArray, IntArray, make_episode
from nri.errors import InputError
from nri.infer.limits import Limits
from nri.rule import Label, RuleSet, gather_ruleset
from nri.table.binarizer import Binarizer
from nri.table.columns import columns_of, require_columns
from nri.table.kinds import LeftOut, refusal
from nri.table_posterior import TablePosterior


@dataclass(frozen=True)
class Settings:
    """What a user can ask of the rules."""

    model: str = inducers.DEFAULT
    """Which inducer finds them; see :mod:`nri.inducers`."""
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
    inducer = inducers.get_inducer(settings.model)
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
    cells = binarizer.transform(features)
    view = canonical(
        make_episode(cells.values, cells.known, table.codes, weights, len(table.classes)),
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
    induced = inducer.induce(view.episode, view.groups, limits, rng, positive)
    ruleset = assemble(
        induced,
        view.literals,
        binarizer.domain_,
        support,
        negations=settings.negations,
        min_precision=settings.min_precision,
    )
    posterior = None
    if induced.posterior is not None:
        posterior = TablePosterior(
            tuple(features.columns), binarizer, view.order, view.flipped, induced.posterior
        )
    return Induction(ruleset, binarizer.left_out_, posterior)


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
