"""Estimates: shares of rows with their intervals, accuracy with its error, and the guess to beat."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from nri.arrays import BoolArray, FloatArray
from nri.rule.labels import Label
from nri.rule.phrase import phrase_label
from nri.rule.ruleset import RuleSet
from nri.table.table import Table

LEVEL = 0.95
"""Confidence of every interval in a report."""


@dataclass(frozen=True, slots=True)
class Interval:
    """From low to high, both within 0 .. 1."""

    low: float
    high: float


def wilson(share: float, rows: float, level: float = LEVEL) -> Interval:
    """Return Wilson's score interval for a share that was counted on so many rows.

    It stays within 0 and 1 and is honest where the share is 0 or 1, unlike share ± error.

    >>> found = wilson(1.0, 10)
    >>> round(found.low, 3), found.high
    (0.722, 1.0)

    Parameters
    ----------
    share
        What was counted, 0 to 1.
    rows
        How many rows it was counted on; with weights, :func:`effective_rows`.
    level
        Confidence.
    """
    if rows <= 0:
        return Interval(0.0, 1.0)
    z = float(ndtri(0.5 + level / 2))
    centre = share + z * z / (2 * rows)
    spread = z * math.sqrt(share * (1 - share) / rows + z * z / (4 * rows * rows))
    scale = 1 + z * z / rows
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return Interval(0.0 if share == 0 else max(0.0, low), 1.0 if share == 1 else min(1.0, high))


def effective_rows(weights: FloatArray) -> float:
    """Rows of equal weight that would say as much as these: (sum of weights)² / sum of squared weights.

    >>> effective_rows(np.array([1.0, 1.0, 2.0, 0.0]))
    2.6666666666666665
    """
    squares = float(weights @ weights)
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Share of rows that were decided rightly, and the standard error of that share."""

    mean: float
    error: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.error:.2f}"


MANY = 20
"""On fewer rows a column may tell them all by chance."""


def lone_teller(ruleset: RuleSet, table: Table) -> str | None:
    """Return the only column that a rule reads if it tells every one of many rows, else None.

    Such a column may be the answer in other words, or known only afterwards.
    """
    if len(ruleset.columns) != 1 or len(table) < MANY:
        return None
    right = (ruleset.predict_index(table) == table.codes) | (table.weights <= 0)
    return ruleset.columns[0] if bool(right.all()) else None


@dataclass(frozen=True, slots=True)
class Guess:
    """Always saying the most frequent class: the least that a rule must do better than."""

    label: Label
    share: float
    """Of the rows on which that is right."""

    def doubt(self, estimate: Accuracy) -> str:
        """Return a line that warns of a rule whose estimate is no better than the guess, else nothing.

        >>> Guess(1, 0.5).doubt(Accuracy(0.44, 0.03))
        'cross-validated, the rule is no better than always saying 1 (0.50): take ALWAYS 1, or give more rows'
        """
        if estimate.mean > self.share + 1e-12:
            return ""
        said = phrase_label(self.label)
        return (
            f"cross-validated, the rule is no better than always saying {said} ({self.share:.2f}): "
            f"take ALWAYS {said}, or give more rows"
        )


def guess_of(classes: Sequence[Label], weights: Sequence[float]) -> Guess:
    """Return the guess for classes whose rows weigh so much; the first of equally frequent ones.

    >>> guess_of(("no", "yes"), (60, 20))
    Guess(label='no', share=0.75)
    """
    most = int(np.argmax(weights))
    return Guess(classes[most], float(weights[most] / sum(weights)))


def accuracy_of(right: BoolArray, weights: FloatArray | None = None) -> Accuracy:
    """Return the (weighted) share of right rows with its standard error.

    >>> str(accuracy_of(np.array([True, True, True, False])))
    '0.75 ± 0.22'
    """
    weights = np.ones(len(right)) if weights is None else weights
    share = weights / weights.sum()
    mean = float(weights[right].sum() / weights.sum())  # never above one by rounding
    return Accuracy(mean, math.sqrt(mean * (1 - mean) * float(share @ share)))
