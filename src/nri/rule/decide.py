"""Decide: which clause decides a row, and how probable classes are then. The one definition.

The first clause that fires decides a row; where none fires, the ELSE does. Clauses of classes are ordered by
their *estimated precision*: the share of its class among the rows that a clause covers, shrunk towards the
share of the class among all rows; equal ones by the order of their classes and then of reading.
"""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray

STRENGTH = 2.0
"""Imaginary rows, classes in them as among all rows, that every count is mixed with."""
_TIE = 9
"""Decimals to which precisions are compared: sums taken in another order must not settle who goes first."""
_MARGIN = 1e-6
"""Least lead of the decided class over any other, far above rounding and below what is displayed."""

Number = TypeVar("Number", float, FloatArray)


def estimated_precision(own: Number, covered: Number, share: float, strength: float = STRENGTH) -> Number:
    """Return the share of its class among the rows of a clause, shrunk towards that among all rows.

    >>> estimated_precision(8.0, 8.0, 0.5)
    0.9

    """
    return (own + strength * share) / (covered + strength)


def deciding_order(precision: FloatArray, classes: IntArray) -> IntArray:
    """Return the clauses in the order in which they decide.

    >>> deciding_order(np.array([0.5, 0.9, 0.5]), np.array([1, 1, 0])).tolist()
    [1, 2, 0]
    """
    return np.lexsort((np.arange(len(precision)), classes, -np.round(precision, _TIE)))


def first_to_fire(fires: BoolArray) -> IntArray:
    """[M]: which clause of [M, K], in their order, decides each row; K where none fires.

    >>> first_to_fire(np.array([[False, True], [False, False]])).tolist()
    [1, 2]
    """
    always = np.ones((len(fires), 1), dtype=bool)
    first: IntArray = np.argmax(np.concatenate([fires, always], axis=1), axis=1)
    return first


def shrink(counts: Sequence[float] | FloatArray, prior: Sequence[float] | FloatArray) -> FloatArray:
    """[n_classes]: class probabilities, the counts shrunk towards the prior's pseudo-counts.

    With neither counts nor pseudo-counts every class is as likely as any other.

    >>> shrink([0, 8], [1.0, 1.0]).tolist()
    [0.1, 0.9]
    """
    mass = np.asarray(counts, dtype=np.float64) + np.asarray(prior, dtype=np.float64)
    total = mass.sum()
    return mass / total if total > 0 else np.full(len(mass), 1.0 / len(mass))


def favour(probabilities: FloatArray, index: int) -> FloatArray:
    """Return the nearest distribution in which class ``index`` leads strictly.

    A clause may decide for a class that is not the likeliest one among the rows it covers. Its
    probability and those above it are then pooled to their mean, and a hair more goes to the class.

    >>> favour(np.array([0.6, 0.4]), 1).round(3).tolist()
    [0.5, 0.5]
    >>> favour(np.array([0.2, 0.8]), 1).tolist()
    [0.2, 0.8]
    """
    others = np.delete(probabilities, index)
    if len(others) == 0 or probabilities[index] >= others.max() + _MARGIN:
        return probabilities
    pooled, mean = [index], float(probabilities[index])
    for j in sorted(range(len(probabilities)), key=lambda j: -probabilities[j]):
        if j != index and probabilities[j] > mean:
            mean = (mean * len(pooled) + float(probabilities[j])) / (len(pooled) + 1)
            pooled.append(j)
    result = probabilities.copy()
    result[pooled] = mean
    result *= 1.0 - _MARGIN
    result[index] += _MARGIN
    return result
