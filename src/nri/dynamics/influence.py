"""Influence: who acts on whom, for it or against it, as far as the rules say."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from nri.arrays import IntArray
from nri.dynamics.variables import Variable
from nri.rule import Kind, RuleSet

if TYPE_CHECKING:
    from nri.dynamics.system import Dynamics

_MOST_CELLS = 1 << 16
"""Combinations of values up to which a rule is tried on all of them; with more, its literals tell."""


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
    found = []
    for target in system.variables:
        if target.name in system.rules:
            ruleset = system.rules[target.name].ruleset
            sources = [one for one in system.variables if one.name in ruleset.columns]
            found += _on(ruleset, target, sources)
    return tuple(found)


def all_cells(variables: Sequence[Variable]) -> IntArray:
    """[prod of sizes, k]: every combination of values."""
    sizes = tuple(len(one.values) for one in variables)
    return np.stack(np.unravel_index(np.arange(prod(sizes)), sizes), axis=1).astype(np.int64)


def _on(ruleset: RuleSet, target: Variable, sources: Sequence[Variable]) -> list[Influence]:
    if not sources:
        return []
    sizes = tuple(len(one.values) for one in sources)
    if prod(sizes) > _MOST_CELLS:
        return _by_literals(ruleset, target, sources)
    cells = all_cells(sources)
    columns = {one.name: one.column(cells[:, i]) for i, one in enumerate(sources)}
    says = ruleset.predict_index(columns, len(cells)).reshape(sizes)
    found = []
    for axis, source in enumerate(sources):
        change = np.diff(says, axis=axis)
        if change.any():
            found.append(Influence(source.name, target.name, _effect(source, target, change)))
    return found


def _effect(source: Variable, target: Variable, change: IntArray) -> Effect:
    ordered = all(one.is_boolean or one.plan.kind is Kind.NUMBER for one in (source, target))
    if not ordered:
        return Effect.SETS
    if (change >= 0).all():
        return Effect.ACTIVATES
    return Effect.INHIBITS if (change <= 0).all() else Effect.BOTH


def _by_literals(ruleset: RuleSet, target: Variable, sources: Sequence[Variable]) -> list[Influence]:
    """Tell by the signs of literals, of a rule too wide to be tried on all combinations."""
    found = []
    for source in sources:
        literals = [x for r in ruleset.rules for clause in r.rule for x in clause if x.column == source.name]
        signs = {literal.positive for literal in literals}
        effect = Effect.BOTH if len(signs) > 1 else Effect.ACTIVATES if True in signs else Effect.INHIBITS
        if not (source.is_boolean and target.is_boolean):
            effect = Effect.SETS
        found.append(Influence(source.name, target.name, effect))
    return found
