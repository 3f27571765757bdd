"""Classes: their labels, what a branch says of them, and how that is written.

The estimate of a branch is the :class:`Shares` of classes among the rows that it decides, which the
:class:`ClassTarget` writes.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.rule.column import ColumnPlan
from nri.rule.literal import kind_of
from nri.rule.phrase import name_pattern, number, phrase_label, phrase_share
from nri.rule.truth import favour, shrink

Label = bool | int | float | str

_PULL = 20.0
"""Weight, in rows, of all that a clause covers beside the rows that it decides: their share is flattered by
the choice."""


def writable(text: str) -> str:
    """Return a text as plain text, refuse half a character (a lone surrogate), which no file could hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        shown = ascii(text)[:60]
        raise InputError(f"the text {shown} holds half a character, which no file can; replace it") from None
    return str.__str__(text)  # numpy's texts, and members of an enumeration, show their type


def as_label(label: object) -> Label:
    """Turn numpy scalars into plain Python; anything but text, a number or a boolean is refused."""
    plain = label.item() if isinstance(label, np.generic) else label
    if isinstance(plain, str):
        return writable(str(plain))
    if isinstance(plain, int | float) and abs(plain) <= sys.float_info.max:
        return plain
    raise InputError(f"a class label cannot be {label!r}: use text, finite numbers or booleans")


def spelled(label: object) -> str:
    """Write a label, or a cell, as the text of a rule does, but without quotes: ``true``, not ``True``."""
    return str(label).lower() if isinstance(label, bool | np.bool_) else str(label)


def label_array(classes: tuple[Label, ...]) -> NDArray[Any]:
    """[n_classes]: the labels as an array: bool, integer or float; object for text and huge integers."""
    return np.array(classes, dtype=object if isinstance(classes[0], str) else None)


@dataclass(frozen=True)
class Shares:
    """Classes of some rows."""

    value: Label  # the class that is predicted
    counts: tuple[float, ...]  # rows of each class, in the order of the target's classes
    expected: tuple[float, ...]
    """probability of each class on new rows; the predicted one has the highest if it leads in the counts"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", as_label(self.value))
        for name in ("counts", "expected"):
            numbers = tuple(float(x) for x in getattr(self, name))
            if not all(math.isfinite(x) and x >= 0 for x in numbers):
                raise InputError(f"class counts must be finite and not negative: got {list(numbers)}")
            object.__setattr__(self, name, numbers)

    @property
    def rows(self) -> float:
        """Rows of any class."""
        return sum(self.counts)


@dataclass(frozen=True)
class ClassTarget:
    """A column of classes."""

    name: str
    classes: tuple[Label, ...]
    """labels in the order of counts and probabilities"""
    weighted: bool = field(default=False, compare=False)
    """whether counts are sums of weights rather than numbers of rows"""
    shown: tuple[Label, ...] = field(default=(), compare=False)
    """classes whose probabilities stand beside predictions; without any, that of the predicted class does"""
    plan: ColumnPlan | None = field(default=None, compare=False)
    """how the cells are read, where they hold codes for words or for nothing that a caller stated"""

    kind: ClassVar[str] = "classes"
    titles: ClassVar[tuple[str, ...]] = ("prediction", "rows", "on new rows")

    @property
    def patterns(self) -> tuple[str, ...]:
        """As in ``flu = yes   19 of 20 rows, about 0.83 on new ones``."""
        rows = "{} rows (weighted)" if self.weighted else "{} rows"
        return name_pattern(self.name, " = {}"), rows, "about {} on new ones"

    def __post_init__(self) -> None:
        classes = tuple(as_label(label) for label in self.classes)
        if not classes:
            raise InputError("a rule needs at least one class")
        if len(set(classes)) < len(classes):
            raise InputError(f"classes must differ: got {list(classes)}")
        if len({kind_of(label) for label in classes}) > 1:
            raise InputError(f"classes mix sorts of labels: {list(classes)}; convert them to text")
        object.__setattr__(self, "classes", classes)

    def index(self, label: Label) -> int:
        """Return the position of a label among the classes."""
        if label not in self.classes:
            raise InputError(f"{label!r} is not a class of {self.name!r}: classes are {list(self.classes)}")
        return self.classes.index(label)

    def estimate(self, label: Label, covered: FloatArray, decided: FloatArray, prior: FloatArray) -> Shares:
        """Estimate a branch by the rows that it decides, drawn to all rows that its clause covers."""
        expected = shrink(covered, prior)
        if (covered - decided).max() > 1e-9 * covered.sum():  # sums of weights differ in their last digits
            expected = shrink(decided, expected * _PULL)
        return Shares(label, tuple(decided), tuple(favour(expected, self.index(label), decided).tolist()))

    def support(self, counts: FloatArray) -> Shares:
        """Return the shares of the classes among all rows."""
        expected = shrink(counts, np.zeros_like(counts))
        return Shares(self.classes[int(np.argmax(counts))], tuple(counts), tuple(expected.tolist()))

    def share(self, estimate: Shares) -> float | None:
        """Return the part of the rows that are of the predicted class; None if there are no rows."""
        return estimate.counts[self.index(estimate.value)] / estimate.rows if estimate.rows > 0 else None

    def probability(self, estimate: Shares) -> float:
        """Return how probable the predicted class is on new rows."""
        return estimate.expected[self.index(estimate.value)]

    def cells(self, estimate: Shares) -> tuple[str, ...]:
        """Write the class, how many of the rows are of it, and its probability on new rows."""
        right = estimate.counts[self.index(estimate.value)]
        rows = f"{number(right)} of {number(estimate.rows)}"
        return phrase_label(estimate.value), rows, phrase_share(self.probability(estimate))

    def describe(self, estimate: Shares) -> str:
        """Write the class and its probability."""
        return f"{phrase_label(estimate.value)} (probability {phrase_share(self.probability(estimate))})"

    def comment(self, estimate: Shares) -> str:
        """Write the class and its probability."""
        return f"{phrase_label(estimate.value)}: probability {phrase_share(self.probability(estimate))}"

    def summary(self, fit: float | None) -> str:
        """Classes have nothing to add to the lines of the branches."""
        return ""

    def values(self, estimates: Sequence[Shares]) -> NDArray[Any]:
        """[branches + 1]: the predicted classes."""
        return label_array(self.classes)[[self.index(one.value) for one in estimates]]

    def predictions(self, estimates: Sequence[Shares]) -> dict[str, list[Any]]:
        """Return the predicted classes and their probabilities, or those of the classes to be shown."""
        columns: dict[str, list[Any]] = {f"predicted_{self.name}": [one.value for one in estimates]}
        if not self.shown:
            columns["probability"] = [round(self.probability(one), 4) for one in estimates]
        for label in self.shown:
            index = self.index(label)
            columns[f"probability_{spelled(label)}"] = [round(one.expected[index], 4) for one in estimates]
        return columns
