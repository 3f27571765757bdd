"""Influence: which variable acts on which, for it or against it, by the rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from nri.rule import Kind
from nri_dynamics.arrays import IntArray
from nri_dynamics.decision_list import DecisionList
from nri_dynamics.variables import Variable

if TYPE_CHECKING:
    from nri_dynamics.system import Dynamics

_MOST_CELLS = 1 << 16
"""Combinations of values up to which a rule is tried on all of them; beyond, its literals are counted."""


class Effect(StrEnum):
    """What raising one variable does to the next value of another."""

    ACTIVATES = "activates"
    INHIBITS = "inhibits"
    BOTH = "activates or inhibits"
    SETS = "acts on"
    """where values have no order"""


@dataclass(frozen=True)
class Influence:
    """One variable acts on the next value of another."""

    source: str
    target: str
    effect: Effect


def influences_of(system: "Dynamics") -> tuple[Influence, ...]:
    """Return all influences, by target and then source, in the order of the variables."""
    influences: list[Influence] = []
    for target in system.variables:
        if target.name in system.rules:
            rule = system.rules[target.name].decisions
            sources = [one for one in system.variables if one.name in rule.columns]
            influences += _on(rule, target, sources)
    return tuple(influences)


def all_cells(variables: Sequence[Variable]) -> IntArray:
    """[prod of sizes, k]: every combination of values."""
    sizes = tuple(len(one.values) for one in variables)
    return np.stack(np.unravel_index(np.arange(prod(sizes)), sizes), axis=1).astype(np.int64)


def _on(rule: DecisionList, target: Variable, sources: Sequence[Variable]) -> list[Influence]:
    if not sources:
        return []
    sizes = tuple(len(one.values) for one in sources)
    if prod(sizes) > _MOST_CELLS:
        return _by_literals(rule, target, sources)
    cells = all_cells(sources)
    columns = {one.name: one.column(cells[:, i]) for i, one in enumerate(sources)}
    following = rule.predict_index(columns, len(cells)).reshape(sizes)
    influences = []
    for axis, source in enumerate(sources):
        change = np.diff(following, axis=axis)
        if change.any():
            influences.append(Influence(source.name, target.name, _effect(source, target, change)))
    return influences


def _effect(source: Variable, target: Variable, change: IntArray) -> Effect:
    ordered = all(one.is_boolean or one.plan.kind is Kind.NUMBER for one in (source, target))
    if not ordered:
        return Effect.SETS
    if (change >= 0).all():
        return Effect.ACTIVATES
    return Effect.INHIBITS if (change <= 0).all() else Effect.BOTH


def _by_literals(rule: DecisionList, target: Variable, sources: Sequence[Variable]) -> list[Influence]:
    """Judge by the signs of literals, for a rule too wide to be tried on all combinations."""
    influences = []
    literals = [x for counted in rule.clauses.values() for one in counted for x in one.clause]
    for source in sources:
        signs = {literal.positive for literal in literals if literal.column == source.name}
        effect = Effect.BOTH if len(signs) > 1 else Effect.ACTIVATES if True in signs else Effect.INHIBITS
        if not (source.is_boolean and target.is_boolean):
            effect = Effect.SETS
        influences.append(Influence(source.name, target.name, effect))
    return influences
