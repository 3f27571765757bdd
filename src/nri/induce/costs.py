"""What errors cost: by class, and what a rule costs on rows, with its standard error."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from nri.arrays import FloatArray, IntArray
from nri.errors import InputError
from nri.induce.arguments import shown
from nri.rule.labels import Label
from nri.rule.render.phrase import phrase_label
from nri.table.table import Table

if TYPE_CHECKING:
    from nri.induce.settings import Settings

Costs = Mapping[Label, float] | Literal["balanced"] | None
"""What it costs to take a row of a class for another one; 1 where nothing is said."""

LEAST, MOST = 1e-6, 1e6
"""What an error may cost; beyond, one class is all that is looked at."""


def class_costs(table: Table, costs: Costs) -> FloatArray | None:
    """[n_classes], what an error on a row of each class costs; None if all cost the same.

    Raises
    ------
    InputError
        If a class is unknown, or a cost is no number within :data:`LEAST` and :data:`MOST`.
    """
    if costs is None:
        return None
    if isinstance(costs, str):
        if costs != "balanced":
            raise InputError(f"costs are {costs!r}; give a cost for each class, or 'balanced'")
        of_classes = table.class_weights.sum(axis=0)
        return np.asarray(of_classes.sum() / np.maximum(of_classes, 1e-12))
    found = np.ones(len(table.classes))
    for label, cost in costs.items():
        if label not in table.classes:
            known = ", ".join(map(repr, table.classes))
            raise InputError(f"a cost is given for {label!r}, but the classes are {known}; name one of them")
        if not (isinstance(cost, int | float) and LEAST <= cost <= MOST):
            raise InputError(
                f"the cost of {label!r} is {shown(cost)}; give a number from {LEAST:g} to {MOST:g}"
            )
        found[table.classes.index(label)] = cost
    return found


def stakes(table: Table, settings: "Settings") -> FloatArray | None:
    """[n_classes], how much an error on a row of each class counts; None if all count the same.

    That is what it costs, and more or less of it on the class asked about where a floor takes that.
    """
    costs = class_costs(table, settings.costs)
    if settings.tilt == 1.0 or table.positive is None:
        return costs
    tilted = np.ones(len(table.classes)) if costs is None else costs.copy()
    tilted[table.positive] *= settings.tilt
    return tilted


def at_stake(table: Table, costs: FloatArray | None) -> Table:
    """Return the table with rows that weigh what an error on them costs."""
    return table if costs is None else table.reweighted(table.weights * costs[table.codes])


@dataclass(frozen=True, slots=True)
class MeanCost:
    """What a rule costs on a row on average, beside the least that saying one class always costs."""

    mean: float
    error: float
    """standard error of the mean"""
    label: Label
    """the class that is cheapest to say always"""
    always: float
    """what that costs"""

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.error:.2f}"

    @property
    def doubt(self) -> str:
        """A line that warns of a rule which costs no less than saying one class always, else nothing."""
        if self.mean < self.always - 1e-12:
            return ""
        said = phrase_label(self.label)
        return (
            f"cross-validated, the rule costs no less than always saying {said} ({self.always:.2f} a row): "
            f"take ALWAYS {said}, or give more rows"
        )


def mean_cost(table: Table, said: IntArray, costs: Costs) -> MeanCost | None:
    """Return what it costs on average to say these classes of the rows of a table; None without costs.

    >>> from nri.table import Target, table_of
    >>> ill = Target("ill", ("no", "yes"), np.array([0, 0, 0, 1]))
    >>> found = mean_cost(table_of({"x": [1, 2, 3, 4]}).labelled(ill), np.array([0, 1, 1, 1]), {"yes": 5})
    >>> found.mean, found.always, found.label
    (0.5, 0.75, 'yes')
    """
    of_class = class_costs(table, costs)
    if of_class is None:
        return None
    share = table.weights / table.weights.sum()
    paid = of_class[table.codes] * (said != table.codes)
    mean = float(share @ paid)
    staked = (of_class * table.by_class) / table.weights.sum()
    cheapest = int(np.argmax(staked))
    error = math.sqrt(float(share**2 @ (paid - mean) ** 2))
    return MeanCost(mean, error, table.classes[cheapest], float(staked.sum() - staked[cheapest]))
