"""Booleans: columns of yes and no, as the words true and false or as the numbers 1 and 0."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nri.arrays import FloatArray, IntArray
from nri.rule.literal import Kind
from nri.rule.plan import ColumnPlan
from nri.table.kinds import number
from nri.table.kinds.found import Found, examples

WORDS = ColumnPlan(Kind.BOOLEAN)
"""Columns of the words true and false."""
DIGITS = ColumnPlan(Kind.BOOLEAN, no_and_yes=("0", "1"))
"""Columns of the numbers 0 and 1."""
_YES = {"true", "1", "1.0"}
_NO = {"false", "0", "0.0"}


def recognise(texts: Sequence[str]) -> Found | None:
    """Read texts that are all either ``true`` or ``false``, None if one is not.

    >>> recognise(["TRUE", "false"]).values.tolist()
    [1.0, 0.0]
    """
    if not all(text.lower() in ("true", "false") for text in texts):
        return None
    return Found(np.array([float(text.lower() == "true") for text in texts]), WORDS)


def are_zero_one(values: FloatArray) -> bool:
    """Whether numbers are all 0 or 1, of which a yes and a no are made."""
    return bool(((values == 0) | (values == 1)).all())


def read(texts: Sequence[str], counts: IntArray, plan: ColumnPlan) -> Found:
    """Read texts as yes (1) and no (0); NaN where a text is neither.

    Where yes is a 1, any way to write numbers will do, and every other number is a no, as in the exports.
    """
    words = [text.strip().lower() for text in texts]
    values = np.array([1.0 if word in _YES else 0.0 if word in _NO else np.nan for word in words])
    if np.isnan(values).any() and plan.no_and_yes == DIGITS.no_and_yes:
        numbers = number.read(texts, counts, replace(plan, kind=Kind.NUMBER)).values
        values = np.where(np.isnan(values) & ~np.isnan(numbers), numbers == 1, values)
    without = np.isnan(values)
    note = ""
    if without.any():
        cells = f"{int(counts[without].sum())} of {int(counts.sum())} cells"
        note = f"{cells} are neither yes nor no and count as missing, such as "
        note += examples(texts, counts, without)
    return Found(values, plan, note)
