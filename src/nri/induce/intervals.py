"""Confidence intervals for shares."""

import math
from dataclasses import dataclass

from scipy.special import ndtri

from nri.episode import FloatArray

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

    >>> import numpy as np
    >>> effective_rows(np.array([1.0, 1.0, 2.0, 0.0]))
    2.6666666666666665
    """
    squares = float(weights @ weights)
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0
