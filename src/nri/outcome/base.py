"""What every outcome can do, and the first of them: classes, a label for every row."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.outcome.score import NOT_HELD_OUT, Sampled, Score, share_of, wilson
from nri.rule.column import ColumnPlan
from nri.rule.estimate import AnyTarget
from nri.rule.labels import ClassTarget, Label, spelled
from nri.rule.literal import Clause
from nri.rule.phrase import phrase_label
from nri.rule.rule import Branch, Rule
from nri.rule.truth import STRENGTH, deciding_order, first_to_fire, shrink

Values = Sequence[Label] | None
"""What the branches and at last the ELSE are to predict; None where that is counted."""
Counted = tuple[AnyTarget, list[Any], Any, float | None]
"""What is predicted, the estimates of the branches and at last of the ELSE, that of all rows, and the fit."""


@dataclass(frozen=True, eq=False)
class Outcome(ABC):
    """What is to be explained, for every row of a table: a name, and arrays of length M."""

    name: str  # the target or the event, as the caller wrote it
    copies: bool = field(default=False, kw_only=True)
    """whether a weight is a number of rows that are alike, as they are counted where there are many"""

    searched_rows: ClassVar[int] = 3000
    """Rows up to which all are searched; of more, about so many. Estimates are counted on all rows."""

    @property
    @abstractmethod
    def predicts(self) -> AnyTarget:
        """What a rule for it predicts."""

    @property
    @abstractmethod
    def is_constant(self) -> bool:
        """Whether all rows are alike, so that there is nothing to explain."""

    @abstractmethod
    def as_classes(self, weights: FloatArray, parts: int) -> "Classes":
        """Return classes that follow the outcome, at most so many where it is measured."""

    def keys(self) -> NDArray[np.uint64]:
        """[M]: a number that is equal for rows with the same outcome."""
        keys = np.zeros(len(self), dtype=np.uint64)
        for array in self._arrays.values():
            is_float = array.dtype.kind == "f"  # there is one zero
            keys = keys * 2 + ((array + 0.0).view(np.uint64) if is_float else array.astype(np.uint64))
        return keys

    def rule(
        self, clauses: Sequence[Clause], fires: BoolArray, weights: FloatArray, values: Values = None
    ) -> Rule:
        """Count an estimate for the rows that each clause decides, and return the rule, without plans.

        ``fires`` [M, clauses] says where each clause fires. ``values`` are the classes that the branches and
        at last the ELSE predict; a number or a risk is shrunk towards them.
        """
        target, estimates, support, fit = self._counted(fires, weights, values)
        branches = tuple(Branch(*pair) for pair in zip(clauses, estimates[:-1], strict=True))
        return Rule(target, branches, estimates[-1], support, fit)

    @abstractmethod
    def _counted(self, fires: BoolArray, weights: FloatArray, values: Values) -> Counted:
        """Count what :meth:`rule` is made of."""

    @abstractmethod
    def score(self, predicted: NDArray[Any], weights: FloatArray, sampled: Sampled | None = None) -> Score:
        """Return how good predictions are: class indices, numbers or risks.

        ``sampled`` says how rows were held out; then the score has an interval, for the rule on new rows.
        """

    @abstractmethod
    def describe(self) -> str:
        """Write what the rows hold, e.g. ``40 no, 20 yes``."""

    def take(self, rows: NDArray[Any]) -> Self:
        """Return the outcome of some rows (indices or a mask)."""
        return replace(self, **{name: array[rows] for name, array in self._arrays.items()})

    def followed_by(self, others: Sequence["Outcome"]) -> Self:
        """Return the outcome of these rows and then of others."""
        arrays: dict[str, Any] = {
            name: np.concatenate([array, *(getattr(other, name) for other in others)])
            for name, array in self._arrays.items()
        }
        return replace(self, **arrays)

    def __len__(self) -> int:
        return len(next(iter(self._arrays.values())))

    @property
    def _arrays(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}


@dataclass(frozen=True, eq=False)
class Classes(Outcome):
    """A class for every row."""

    classes: tuple[Label, ...]
    """sorted; ``(False, True)`` if the target is a comparison"""
    codes: IntArray  # [M], class indices
    positive: int | None = None
    """of two classes, the one that the rule is to be about, if the caller named it"""
    worth: tuple[tuple[float, ...], ...] | None = None
    """how far right each class (inner) is for a row of each (outer), between 0 and 1; None for 1 or 0"""
    plan: ColumnPlan | None = None  # See :attr:`nri.rule.labels.ClassTarget.plan`

    searched_rows: ClassVar[int] = 8192  # Rows up to which all are searched; rules from more are no better

    @property
    def predicts(self) -> ClassTarget:
        """The classes, without the rows."""
        return ClassTarget(self.name, self.classes, plan=self.plan)

    @property
    def is_constant(self) -> bool:
        """Whether there is one class only."""
        return len(self.classes) == 1

    def as_classes(self, weights: FloatArray, parts: int) -> "Classes":
        """Classes are classes."""
        return self

    def masses(self, weights: FloatArray) -> FloatArray:
        """[M, n_classes], the weight of each row in the column of its class."""
        one_hot: FloatArray = np.eye(len(self.classes))[self.codes]
        return one_hot * weights[:, None]

    def right(self, predicted: NDArray[Any]) -> FloatArray:
        """[M], how far right the class that is predicted for each row is: 1 or 0, or what it is worth."""
        if self.worth is None:
            return np.asarray(predicted == self.codes, dtype=np.float64)
        return np.asarray(np.array(self.worth)[self.codes, predicted], dtype=np.float64)

    def order(self, fires: BoolArray, weights: FloatArray, values: Sequence[Label]) -> IntArray:
        """Return clauses in the order of their estimated precision, which is the order of deciding."""
        masses = self.masses(weights)
        prior, covered = _prior(masses.sum(axis=0)), fires.T @ masses
        own = [self.classes.index(label) for label in values]
        precision = [shrink(counts, prior)[k] for counts, k in zip(covered, own, strict=True)]
        return deciding_order(np.array(precision), np.array(own, dtype=np.int64))

    def _counted(self, fires: BoolArray, weights: FloatArray, values: Values) -> Counted:
        masses = self.masses(weights)
        total = masses.sum(axis=0)
        if values is None:
            values = [self.classes[int(np.argmax(total))]] * (fires.shape[1] + 1)
        deciding, prior = first_to_fire(fires), _prior(total)
        target = replace(self.predicts, weighted=not (self.copies or np.allclose(weights, 1.0)))
        shape = (len(values), len(self.classes))
        cells = deciding * shape[1] + self.codes
        decided: FloatArray = np.bincount(cells, weights, shape[0] * shape[1]).astype(float).reshape(shape)
        covered = np.concatenate([fires.T @ masses, decided[-1:]])
        counted = zip(values, covered, decided, strict=True)
        estimates = [target.estimate(value, fired, here, prior) for value, fired, here in counted]
        return target, estimates, target.support(total), None

    def score(self, predicted: NDArray[Any], weights: FloatArray, sampled: Sampled | None = None) -> Score:
        """Return the (weighted) share of rows whose class is predicted, with its standard error.

        >>> ill = Classes("ill", ("no", "yes"), np.array([0, 0, 0, 1]))
        >>> str(ill.score(np.array([0, 0, 0, 0]), np.ones(4)))
        '0.75 ± 0.22'
        """
        by_class = np.bincount(self.codes, weights, minlength=len(self.classes))
        most, total = int(np.argmax(by_class)), float(weights.sum())
        constant, every = phrase_label(self.classes[most]), np.ones(len(self), dtype=bool)
        held_out = sampled or NOT_HELD_OUT
        right = share_of(predicted == self.codes, every, weights, held_out.groups)
        of_rules = held_out.of_rules(lambda one: share_of(one == self.codes, every, weights).value)
        mean, rows = right.value or 0.0, right.in_effect(of_rules)
        error = math.sqrt(mean * (1 - mean) / rows) if rows > 0 else 0.0
        interval = None if sampled is None else wilson(mean, rows)
        return Score("accuracy", mean, error, float(by_class[most] / total), constant, interval=interval)

    def describe(self) -> str:
        """Write how many rows each class has."""
        counts = np.bincount(self.codes, minlength=len(self.classes)).tolist()
        return counted_classes(counts, self.classes)


def _prior(total: FloatArray) -> FloatArray:
    """[n_classes]: pseudo-counts that every count is shrunk towards."""
    return shrink(total, np.zeros_like(total)) * STRENGTH


def counted_classes(counts: Sequence[float], classes: Sequence[Label]) -> str:
    """Write how many rows each class has.

    >>> counted_classes([3, 5], (False, True))
    '3 false, 5 true'
    """
    numbers = all(isinstance(label, int | float) and not isinstance(label, bool) for label in classes)
    pattern = "{1}: {0}" if numbers else "{0} {1}"
    each = zip(counts, map(spelled, classes), strict=True)
    return ", ".join(pattern.format(count, label) for count, label in each)
