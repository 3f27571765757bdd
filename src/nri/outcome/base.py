"""What every outcome can do, and the one score with its error and its baseline."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.rule.estimate import AnyTarget
from nri.rule.labels import Label
from nri.rule.literal import Clause
from nri.rule.rule import Rule

LEVEL = 0.95
"""Confidence of every interval."""


class Outcome(Protocol):
    """What is to be explained, for every row of a table."""

    @property
    def predicts(self) -> AnyTarget:
        """What a rule for it predicts."""
        ...

    @property
    def is_constant(self) -> bool:
        """Whether all rows are alike, so that there is nothing to explain."""
        ...

    def __len__(self) -> int:
        """M"""
        ...

    def take(self, rows: NDArray[Any]) -> Self:
        """Return the outcome of some rows (indices or a mask)."""
        ...

    def as_classes(self, weights: FloatArray, parts: int) -> Any:
        """Return :class:`Classes` that follow the outcome, at most so many where it is measured."""
        ...

    def keys(self) -> NDArray[np.uint64]:
        """[M]: a number that is equal for rows with the same outcome."""
        ...

    def rule(
        self,
        clauses: Sequence[Clause],
        fires: BoolArray,
        weights: FloatArray,
        values: Sequence[Label] | None = None,
    ) -> Rule:
        """Count an estimate for the rows that each clause decides, and return the rule, without plans.

        ``fires`` [M, clauses] says where each clause fires. ``values`` are the classes that the branches and
        at last the ELSE predict; a number or a risk is predicted as counted.
        """
        ...

    def score(self, predicted: NDArray[Any], weights: FloatArray, fold: IntArray | None = None) -> "Score":
        """Return how good predictions are: class indices, numbers or risks.

        ``fold`` is the part of the rows that each row was held out with; the standard error of a score that
        is no mean over rows comes from the folds.
        """
        ...

    def describe(self) -> str:
        """Write what the rows hold, e.g. ``40 no, 20 yes``."""
        ...


@dataclass(frozen=True, slots=True)
class Interval:
    """From low to high."""

    low: float
    high: float


@dataclass(frozen=True)
class Score:
    """How good predictions are on some rows, beside the best constant prediction."""

    measure: str
    """accuracy, R² or concordance"""
    value: float
    error: float
    """standard error"""
    baseline: float
    """what always predicting :attr:`constant` would reach"""
    constant: str
    """the best constant prediction, as it is written"""
    details: Mapping[str, float] = field(default_factory=dict)
    """further figures by their names"""

    def __str__(self) -> str:
        digits = 3 if self.measure == "concordance" else 2
        return f"{self.value:.{digits}f} ± {self.error:.{digits}f}"

    @property
    def warning(self) -> str:
        """A line for a rule that is no better than the constant prediction; empty for others.

        >>> Score("accuracy", 0.44, 0.03, 0.5, "1").warning
        'cross-validated, the rule is no better than always predicting 1 (0.50): use that, or give more rows'
        """
        if self.value > self.baseline + 1e-12:
            return ""
        if self.measure == "concordance":
            return "cross-validated, the rule orders events no better than chance: give more rows"
        return (
            f"cross-validated, the rule is no better than always predicting {self.constant} "
            f"({self.baseline:.2f}): use that, or give more rows"
        )


def wilson(share: float, rows: float, level: float = LEVEL) -> Interval:
    """Return Wilson's score interval for a share that was counted on so many rows.

    It stays within 0 and 1 and holds where the share is 0 or 1, unlike share ± error.

    >>> interval = wilson(1.0, 10)
    >>> round(interval.low, 3), interval.high
    (0.722, 1.0)
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
    """Rows of equal weight with as much information: (sum of weights)² / sum of squared weights.

    >>> effective_rows(np.array([1.0, 1.0, 2.0, 0.0]))
    2.6666666666666665
    """
    squares = float(weights @ weights)
    return float(weights.sum()) ** 2 / squares if squares > 0 else 0.0


def fold_error(values: Sequence[float]) -> float:
    """Return the standard error of a mean over folds."""
    return float(np.std(values, ddof=1)) / math.sqrt(len(values)) if len(values) > 1 else 0.0
