"""What errors cost: by class, and what a rule costs on rows, with its standard error."""

import math
from dataclasses import dataclass

import numpy as np

from nri.arrays import FloatArray, IntArray
from nri.errors import InputError
from nri.induce.settings import Costs, Settings, shown
from nri.rule.labels import Label
from nri.rule.phrase import phrase_label
from nri.table.table import Table

LEAST, MOST = 1e-6, 1e6
"""What an error may cost; beyond, one class is all that is looked at."""


def class_costs(table: Table, costs: Costs) -> FloatArray | None:
    """[n_classes], what an error on a row of each class costs; None if all cost the same."""
    if costs is None:
        return None
    if isinstance(costs, str):
        if costs != "balanced":
            raise InputError(f"costs are {costs!r}; give a cost for each class, or 'balanced'")
        return np.asarray(table.by_class.sum() / np.maximum(table.by_class, 1e-12))
    of_class = np.ones(len(table.classes))
    for label, cost in costs.items():
        if label not in table.classes:
            known = ", ".join(map(repr, table.classes))
            raise InputError(f"a cost is given for {label!r}, but the classes are {known}; name one of them")
        if not (isinstance(cost, int | float) and LEAST <= cost <= MOST):
            raise InputError(
                f"the cost of {label!r} is {shown(cost)}; give a number from {LEAST:g} to {MOST:g}"
            )
        of_class[table.classes.index(label)] = cost
    return of_class


def error_costs(table: Table, settings: Settings) -> FloatArray | None:
    """[n_classes], how much an error on a row of each class counts; None if all count the same.

    That is what it costs, and more or less of it on the positive class where a floor needs that.
    """
    costs = class_costs(table, settings.costs)
    if settings.tilt == 1.0 or table.positive is None:
        return costs
    tilted = np.ones(len(table.classes)) if costs is None else costs.copy()
    tilted[table.positive] *= settings.tilt
    return tilted


def cost_weighted(table: Table, settings: Settings) -> Table:
    """Return the table with rows that weigh what an error on them costs."""
    costs = error_costs(table, settings)
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
    def warning(self) -> str:
        """A line that warns of a rule which costs no less than saying one class always, else nothing."""
        if self.mean < self.always - 1e-12:
            return ""
        label = phrase_label(self.label)
        return (
            f"cross-validated, the rule costs no less than always predicting {label} "
            f"({self.always:.2f} a row): use ALWAYS {label}, or give more rows"
        )


def mean_cost(table: Table, predicted: IntArray, costs: Costs) -> MeanCost | None:
    """Return what it costs on average to predict these classes; None without costs.

    >>> from nri.outcome import Classes
    >>> from nri.table import table_of
    >>> ill = Classes("ill", ("no", "yes"), np.array([0, 0, 0, 1]))
    >>> table = table_of({"x": [1, 2, 3, 4]}).with_outcome(ill)
    >>> cost = mean_cost(table, np.array([0, 1, 1, 1]), {"yes": 5})
    >>> cost.mean, cost.always, cost.label
    (0.5, 0.75, 'yes')
    """
    of_class = class_costs(table, costs)
    if of_class is None:
        return None
    share = table.weights / table.weights.sum()
    paid = of_class[table.codes] * (predicted != table.codes)
    mean = float(share @ paid)
    at_risk = (of_class * table.by_class) / table.weights.sum()
    cheapest = int(np.argmax(at_risk))
    error = math.sqrt(float(share**2 @ (paid - mean) ** 2))
    return MeanCost(mean, error, table.classes[cheapest], float(at_risk.sum() - at_risk[cheapest]))
