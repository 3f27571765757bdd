"""Found: what the distinct texts of a column turned out to be."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, IntArray
from nri.rule.plan import ColumnPlan

_SHOWN = 20
"""Letters of an example; longer ones are cut."""
_EXAMPLES = 3


@dataclass(frozen=True, eq=False)
class Found:
    """The distinct texts of a column as values of one kind, and how they were read."""

    values: NDArray[Any]
    """[D]; NaN or NaT where a text is none, for categories the texts that are used"""
    plan: ColumnPlan
    note: str = ""
    """what a person should know about it, in part of a line; mostly empty"""


def example(text: str) -> str:
    """Return a text in quotation marks on one line, cut if it is long."""
    line = " ".join(text.split())
    return repr(line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "...")


def examples(texts: Sequence[str], counts: IntArray, mask: BoolArray) -> str:
    """Return the most frequent of some texts, a few of them.

    >>> examples(["a", "b", "c"], np.array([1, 5, 2]), np.array([True, True, False]))
    "'b', 'a'"
    """
    order = sorted(np.flatnonzero(mask).tolist(), key=lambda i: (-counts[i], texts[i]))
    return ", ".join(example(texts[i]) for i in order[:_EXAMPLES])
