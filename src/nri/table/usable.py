"""Usable: which columns can be of use to a rule, and why others cannot."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.rule.column import Column
from nri.rule.literal import Kind


class Reason(StrEnum):
    """Why a column takes no part."""

    MISSING = "has no value at all"
    UNREADABLE = "holds no plain values"
    CONSTANT = "has one value only"
    IDENTIFIER = "looks like an identifier"
    FREE_TEXT = "is free text"
    TOO_MANY = "has too many categories"

    @property
    def is_guess(self) -> bool:
        """Whether a person may know better, so that naming the column is enough to use it."""
        return self in (Reason.IDENTIFIER, Reason.FREE_TEXT, Reason.TOO_MANY)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A column that takes no part, and why."""

    column: str
    reason: Reason
    usable: bool = field(default=False, compare=False)
    """whether it would be used if a person named it"""

    def __str__(self) -> str:
        name = self.column if self.column.isprintable() and self.column.strip() else repr(self.column)
        return f"{name} {self.reason}"


NAMED_IN = "columns"
"""Where a caller in Python names columns to use; the command line has an option for it."""


def describe_left_out(left_out: Iterable[LeftOut], most: int = 12, named_in: str = NAMED_IN) -> str:
    """Return one line that names the columns left out, why, and what can be done; empty if there are none.

    >>> describe_left_out([LeftOut("id", Reason.IDENTIFIER), LeftOut("note", Reason.FREE_TEXT)])
    'columns left out: id looks like an identifier, note is free text'
    >>> describe_left_out([LeftOut("year", Reason.IDENTIFIER, usable=True)])
    'columns left out: year looks like an identifier (name it in columns to use it all the same)'
    """
    columns = list(left_out)
    if not columns:
        return ""
    rest = f" and {len(columns) - most} more" if len(columns) > most else ""
    return "columns left out: " + ", ".join(_described(columns[:most], named_in)) + rest


def _described(left_out: list[LeftOut], named_in: str) -> list[str]:
    """Return a text for each column; the remedy stands once, behind the last column that it is for."""
    texts = [str(one) for one in left_out]
    usable = [place for place, one in enumerate(left_out) if one.usable]
    if usable:
        it = "it" if len(usable) == 1 else "such a column"
        texts[usable[-1]] += f" (name {it} in {named_in} to use it all the same)"
    return texts


class UselessColumnsError(InputError):
    """No column of a table can be used."""

    def __init__(self, left_out: Sequence[LeftOut]) -> None:
        self.left_out = tuple(left_out)
        """every column, and why"""
        super().__init__(refusal(self.left_out))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.left_out,)  # it may come from another process, where a fold was searched


def refusal(left_out: Sequence[LeftOut], named_in: str = NAMED_IN) -> str:
    """Return why no column at all can be used, and what to do about it.

    >>> refusal([LeftOut("city", Reason.CONSTANT)])
    'no column can be used: city has one value only; give columns that vary'
    """
    why = describe_left_out(left_out, named_in=named_in).removeprefix("columns left out: ") or "none varies"
    remedy = "give columns that vary"
    if any(one.usable for one in left_out):
        remedy = f"name one in {named_in}, or give others"
    elif any(one.reason.is_guess for one in left_out):
        remedy = "give numbers, or categories that several rows share"
    return f"no column can be used: {why}; {remedy}"


@dataclass(frozen=True, slots=True)
class CategoryLimits:
    """How many categories of a column become variables; the rest are equal to none of them."""

    max_categories: int = 30
    """most categories of one column, the most frequent ones"""
    min_share: float = 0.002
    """least share of the rows that a category must have"""
    min_rows: int = 2
    """least rows, whatever the share"""
    enough_rows: int = 20
    """rows that are enough, whatever the share"""
    min_covered: float = 0.2
    """least share of the rows that the chosen categories must hold between them"""

    def rows_needed(self, n_known: int) -> int:
        """Rows that a category needs among so many known cells."""
        return min(max(self.min_rows, math.ceil(self.min_share * n_known)), self.enough_rows)


_FEW_ROWS = 10
"""Below this, values that all differ say little: legitimate columns do so too."""
_COUNTING_ROWS = 20
"""From here on, whole numbers without gap or repetition are a count of the rows, not a measurement."""


def why_useless(
    column: Column, name: str, *, whole: bool = False, limits: CategoryLimits | None = None
) -> Reason | None:
    """Return why a column can be of no use to a rule, None if it can; the order of rows does not matter.

    Its name may show that it is an identifier; only numbers that are ``whole`` by type can be one.
    """
    distinct, counts = column.distinct()
    if not len(distinct):
        return Reason.UNREADABLE if column.categories == () else Reason.MISSING
    if len(distinct) == 1:
        return Reason.CONSTANT
    if column.kind is Kind.NUMBER and whole and _is_identifier(distinct, int(counts.sum()), name):
        return Reason.IDENTIFIER
    if column.kind is Kind.TEXT:
        return _useless_text(counts, distinct, limits or CategoryLimits())
    return None


def usable_categories(column: Column, limits: CategoryLimits, weights: FloatArray | None = None) -> list[str]:
    """Return the categories with enough rows, the most frequent ones if too many, in sorted order.

    With weights [M] that are whole numbers a row counts as often as it stands for rows.

    Of two values one is enough, since the other is its negation: the later one in the alphabet, which
    tends to be the affirmative one (no/yes, f/t, absent/present).
    """
    distinct, counts = column.distinct()
    if weights is not None and (weights == np.round(weights)).all():
        assert column.categories is not None, "categories are of texts"
        of_each = np.bincount(column.values[column.known], weights[column.known], len(column.categories))
        counts = np.array([of_each[column.categories.index(text)] for text in distinct])
    ranked = sorted(zip((-counts).tolist(), distinct.tolist(), strict=True))
    if len(ranked) == 2:
        return [max(distinct.tolist())]
    least = limits.rows_needed(round(counts.sum()))
    return sorted(text for minus, text in ranked[: limits.max_categories] if -minus >= least)


def _is_identifier(distinct: NDArray[Any], n_cells: int, name: str) -> bool:
    """Whether whole numbers number the rows: all different, and named so or without a gap."""
    if len(distinct) < n_cells:
        return False
    gapless = distinct.max() - distinct.min() == n_cells - 1
    return _named_as_identifier(name) or (gapless and n_cells >= _COUNTING_ROWS)


_IDENTIFIER_WORDS = {"id", "ids", "uid", "uuid", "guid", "pk", "rowid", "idx", "rownum"}
_IDENTIFIER_NAMES = {"", "index", "row", "key", "no", "nr", "number", "record", "unnamed: 0"}


def _named_as_identifier(name: str) -> bool:
    """Whether a name such as ``patient_id``, ``PatientID`` or ``index`` says so."""
    if name.strip().lower() in _IDENTIFIER_NAMES:
        return True
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name)
    return any(word.lower() in _IDENTIFIER_WORDS for word in re.split(r"[\W_]+", words))


_UUID = re.compile(r"\{?[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}\}?")
_LONG_TEXT = 30
_MANY_WORDS = 4


def _useless_text(counts: NDArray[np.int64], distinct: NDArray[Any], limits: CategoryLimits) -> Reason | None:
    """Tell a category from an identifier, a sentence and a name that hardly ever comes again."""
    n_cells, n_distinct = int(counts.sum()), len(distinct)
    if n_distinct == 2:
        return None
    if n_distinct > 0.5 * n_cells and _reads_like_sentences(distinct):
        return Reason.FREE_TEXT
    if all(_UUID.fullmatch(text) for text in distinct):
        return Reason.IDENTIFIER
    if n_distinct == n_cells or (n_distinct >= 0.9 * n_cells and n_cells >= _FEW_ROWS):
        return Reason.IDENTIFIER
    enough = np.sort(counts[counts >= limits.rows_needed(n_cells)])[::-1][: limits.max_categories]
    if enough.sum() < limits.min_covered * n_cells:
        return Reason.TOO_MANY
    return None


def _reads_like_sentences(distinct: NDArray[Any]) -> bool:
    lengths = np.array([len(text) for text in distinct])
    words = np.array([text.count(" ") + 1 for text in distinct])
    return bool(lengths.mean() > _LONG_TEXT and words.mean() >= _MANY_WORDS)
