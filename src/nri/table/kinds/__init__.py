"""Kinds of columns: for each, how it is recognised among texts and how texts are read by a plan.

Here is what they share: the result of parsing, the marks for missing cells, and the two plans of booleans.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, IntArray
from nri.rule.column import ColumnPlan
from nri.rule.literal import Kind

TRUE_FALSE = ColumnPlan(Kind.BOOLEAN)
"""Columns of the words true and false."""
ZERO_ONE = ColumnPlan(Kind.BOOLEAN, no_and_yes=("0", "1"))
"""Columns of the numbers 0 and 1."""

_SHOWN = 20
"""Letters of an example; longer ones are cut."""
_EXAMPLES = 3


@dataclass(frozen=True, eq=False)
class ParsedTexts:
    """The distinct texts of a column as values of one kind, and how they were read."""

    values: NDArray[Any]
    """[D]; NaN or NaT where a text is none, for categories the texts that are used"""
    plan: ColumnPlan
    note: str = ""
    """how it was read, in part of a line, where that is not obvious; mostly empty"""


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


MISSING_MARKS = frozenset({"", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NaT", "null", "NULL"})
"""Cells that stand for nothing. "None" and "none" are not among them: they are common categories."""

_MARKS = {
    *("-", "--", "---", ".", "..", "...", "*", "/", "\u2013", "\u2014", "\u2026"),
    *("#n/a", "#na", "#null!", "#value!", "#div/0!", "#ref!", "#num!", "#name?"),
    *("n.a.", "n.a", "n. a.", "n/a", "na", "nan", "null", "nil", "n.d.", "nd", "<na>", "nat", "?", "??", ""),
    *("inf", "+inf", "-inf", "infinity", "+infinity", "-infinity", "\u221e", "-\u221e"),
}
"""Signs and shorthands that are no category of their own; what is infinite was not measured either."""
_WORDS = {
    *("none", "unknown", "unk", "missing", "not available", "not applicable", "not known", "not measured"),
    *("not done", "undefined", "blank", "empty"),
}
"""Words for a missing number, which may be categories where there are few numbers beside them."""


def is_missing_mark(text: str) -> bool:
    """Whether a cell beside numbers is a sign for nothing, such as ``-`` or ``n.a.``.

    >>> is_missing_mark("--"), is_missing_mark("unknown")
    (True, False)
    """
    return text.strip().lower() in _MARKS


def is_missing_word(text: str) -> bool:
    """Whether a cell beside numbers is a sign or a word for nothing, such as ``unknown``.

    >>> is_missing_word("Unknown"), is_missing_word("pending")
    (True, False)
    """
    lower = text.strip().lower()
    return lower in _MARKS or lower in _WORDS
