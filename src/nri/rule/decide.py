"""Evidence: how many rows of each class a clause covered, and what that says about new rows."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from nri.errors import InputError
from nri.rule.column import FloatArray

_MARGIN = 1e-6
"""Least lead of the decided class over any other, far above rounding and below what is displayed."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Rows of each class, in the order of the rule set's classes; fractions where labels are soft.

    >>> Evidence([3, 9]).total
    12.0
    """

    counts: tuple[float, ...]

    def __init__(self, counts: Iterable[float]) -> None:
        plain = tuple(float(count) for count in counts)
        if not all(math.isfinite(count) and count >= 0 for count in plain):
            raise InputError(f"class counts must be finite and not negative: got {list(plain)}")
        object.__setattr__(self, "counts", plain)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def total(self) -> float:
        """Rows of any class."""
        return sum(self.counts)

    def share(self, index: int) -> float | None:
        """Return the part of the rows that are of this class, None if there are no rows."""
        return self.counts[index] / self.total if self.total > 0 else None


def shrink(evidence: Evidence, prior: tuple[float, ...]) -> FloatArray:
    """[n_classes]: class probabilities, the counts drawn towards the prior's pseudo-counts.

    With neither counts nor pseudo-counts every class is as likely as any other.

    >>> shrink(Evidence([0, 8]), (1.0, 1.0)).tolist()
    [0.1, 0.9]
    """
    mass = np.asarray(evidence.counts) + np.asarray(prior)
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
