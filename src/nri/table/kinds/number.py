"""Numbers: columns of texts that are numbers, plainly or with a unit, a currency, separators or odd cells."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.rule.literal import Kind
from nri.rule.plan import ColumnPlan
from nri.table.kinds.found import Found, examples
from nri.table.kinds.missing import is_missing_mark, is_missing_word
from nri.table.kinds.number_text import (
    BLANK_GROUPS,
    BLANK_GROUPS_COMMA,
    PLAIN,
    NumberCell,
    NumberStyle,
    style_of,
    styles,
    sure_value,
    take_apart,
)

_MOST_ODD = 0.5
"""Largest share of the cells that may be no numbers: a column is a category only if most of it is."""
_LEAST_DISTINCT = 3
"""Two numbers with a unit are two categories as well, and better left to say so."""
_LEAST_BESIDE_WORDS = 6
"""Of few numbers and a word, the word may be a category or a class of its own: grades 1, 2, 3 and none."""
_PHONE_DIGITS = 7
"""From here on, numbers that are all of one length and set apart by blanks are called, not measured."""
_WHOLE = re.compile(r"[+-]?[0-9]+")
_PADDED = re.compile(r"[+-]?0[0-9]+")
_CODE = re.compile(r"[A-Za-z]+[-_. ]?[0-9].*|[0-9]+[A-Z]")


def recognise_plain(texts: Sequence[str], *, decimal_comma: bool = False) -> Found | None:
    """Read texts that are numbers and nothing but numbers, None if one is not.

    A number with leading zeros, as ``0042``, is a code, and its column no column of numbers.

    Parameters
    ----------
    texts
        The distinct texts of the known cells.
    decimal_comma
        Whether ``3,14`` is a number, as it is in files with semicolons.

    >>> recognise_plain(["1", "2.5"]).values.tolist(), recognise_plain(["0042", "1"])
    ([1.0, 2.5], None)
    """
    plan = ColumnPlan(Kind.NUMBER)
    values = plain_numbers(texts)
    if decimal_comma and not np.isfinite(values).all():
        plan = replace(plan, decimal=",")
        values = plain_numbers([text.replace(",", ".") if "." not in text else "" for text in texts])
    if not np.isfinite(values).all():
        return None
    if any(text[:1] in "0+-" and _PADDED.fullmatch(text) for text in texts):
        return None
    return Found(values, replace(plan, whole=_are_whole(texts, values)))


def recognise_dressed(texts: Sequence[str], counts: IntArray, *, decimal_comma: bool = False) -> Found | None:
    """Read texts as numbers if that is what most of them are, else return None.

    Numbers may wear a currency and a unit (one of each in a column), separators between thousands and
    marks such as ``~`` and ``*``. Words for nothing do not count, other cells become missing, with a note.
    ``<5`` is read as its bound: that is on the right side of every threshold about which it says anything.

    Parameters
    ----------
    texts
        The distinct texts of the known cells.
    counts : int [D]
        How many cells hold each.
    decimal_comma
        Whether ``5,500`` is five and a half.

    Examples
    --------
    >>> recognise_dressed(["72 kg", "80.5 kg", "64 kg"], np.ones(3, int)).values.tolist()
    [72.0, 80.5, 64.0]
    >>> recognise_dressed(["5 mg", "5 g", "6 g"], np.ones(3, int)) is None
    True
    """
    column = _as_most_are_written(texts, counts, decimal_comma)
    return None if column.is_doubtful() else Found(column.values, column.plan(), column.note())


def read(texts: Sequence[str], counts: IntArray, plan: ColumnPlan) -> Found:
    """Read texts as the numbers that a plan says they are; NaN where a text is none.

    >>> comma = ColumnPlan(Kind.NUMBER, decimal=",", unit=("", "kg"))
    >>> read(["2,250 kg"], np.ones(1, int), comma).values.tolist()
    [2.25]
    """
    if plan.stated:
        return _read(texts, counts, plan)
    column = _as_most_are_written(texts, counts)
    return recognise_plain(texts) or Found(column.values, column.plan(), column.note())


def guess(texts: Sequence[str], counts: IntArray, plan: ColumnPlan) -> object:
    """Return the unit that texts wear where the plan knows of none; None if nobody has to guess."""
    if plan.unit != ("", ""):
        return None
    cells = [None if text in plan.missing or is_missing_word(text) else take_apart(text) for text in texts]
    unit = _most_frequent_unit(cells, counts)
    return None if unit == ("", "") else unit


def plain_numbers(texts: Sequence[str]) -> FloatArray:
    """Read decimal numbers with a point; NaN where a text is none."""
    return np.asarray(pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce"), dtype=np.float64)


def _read(texts: Sequence[str], counts: IntArray, plan: ColumnPlan) -> Found:
    style = style_of(plan.decimal, plan.thousands)
    values = plain_numbers(texts) if style is PLAIN else np.full(len(texts), np.nan)
    if np.isfinite(values).all():
        return Found(values, plan)
    cells = [None if text in plan.missing or is_missing_word(text) else take_apart(text) for text in texts]
    unit = plan.unit if plan.unit != ("", "") else _most_frequent_unit(cells, counts)
    column = _Written(texts, counts, cells, unit, style)
    return Found(column.values, plan, column.note(dressed=unit != plan.unit))


def _as_most_are_written(texts: Sequence[str], counts: IntArray, decimal_comma: bool = False) -> "_Written":
    """Read texts with the unit and in the style that most of them have."""
    cells = [None if is_missing_word(text) else take_apart(text) for text in texts]
    unit = _most_frequent_unit(cells, counts)
    style = _best_style([cell if _wears(cell, unit) else None for cell in cells], counts, decimal_comma)
    return _Written(texts, counts, cells, unit, style)


def _are_whole(texts: Sequence[str], values: FloatArray) -> bool:
    whole = bool((values == np.floor(values)).all() and np.abs(values).max(initial=0.0) < 2**62)
    return whole and all(_WHOLE.fullmatch(text) for text in texts)


def _most_frequent_unit(cells: Sequence[NumberCell | None], counts: IntArray) -> tuple[str, str]:
    """Return the dress that most numbers wear; if most wear none, the one that most of the others wear."""
    seen: Counter[tuple[str, str]] = Counter()
    for cell, count in zip(cells, counts.tolist(), strict=True):
        if cell is not None and cell.dress != ("", ""):
            seen[cell.dress] += count
    return max(seen, key=lambda dress: (seen[dress], dress)) if seen else ("", "")


def _wears(cell: NumberCell | None, unit: tuple[str, str]) -> bool:
    """Whether a number wears the unit of its column, or nothing."""
    return cell is not None and cell.dress in (unit, ("", ""))


def _best_style(cells: Sequence[NumberCell | None], counts: IntArray, decimal_comma: bool) -> NumberStyle:
    """Return the style that reads most cells."""
    best, most = PLAIN, 0
    there = int(counts[[cell is not None for cell in cells]].sum())
    for style in styles(decimal_comma=decimal_comma):
        fits = [cell is not None and style.value(cell.digits) is not None for cell in cells]
        read_cells = int(counts[fits].sum())
        if read_cells > most:
            best, most = style, read_cells
        if read_cells == there:  # no other can read more
            break
    return best


class _Written:
    """A column of texts, taken apart, read in one style with one unit."""

    def __init__(
        self,
        texts: Sequence[str],
        counts: IntArray,
        cells: Sequence[NumberCell | None],
        unit: tuple[str, str],
        style: NumberStyle,
    ) -> None:
        self.texts, self.counts, self.unit, self.style = texts, counts, unit, style
        self.cells = [cell if _wears(cell, unit) else None for cell in cells]
        self.values = np.array([_value(cell, style) for cell in self.cells], dtype=np.float64)
        self.numbers = ~np.isnan(self.values)
        self.nothing = np.array([is_missing_word(text) for text in texts], dtype=bool) & ~self.numbers
        self.odd = ~self.numbers & ~self.nothing

    def plan(self) -> ColumnPlan:
        missing = tuple(sorted(self.texts[i] for i in np.flatnonzero(self.nothing).tolist()))
        return ColumnPlan(
            Kind.NUMBER,
            self.style.decimal,
            self.style.groups,
            self.unit,
            whole=self._is_undressed() and _are_whole(self._of(self.numbers), self.values[self.numbers]),
            missing=missing,
        )

    def is_doubtful(self) -> bool:
        """Whether the column may as well be something else: categories, codes, phone numbers."""
        numbers, odd = int(self.counts[self.numbers].sum()), int(self.counts[self.odd].sum())
        if not numbers or odd > _MOST_ODD * (numbers + odd):
            return True
        if 2 * int(self.counts[self._are("bound")].sum()) > numbers:
            return True
        digits = [cell.digits for cell in self.cells if cell is not None]
        if any(_PADDED.fullmatch(one) for one in digits) or self._calls_phones(digits):
            return True
        if any(_CODE.fullmatch(text) for text in self._of(self.odd)):
            return True
        return len(np.unique(self.values[self.numbers])) < self._least_distinct()

    def _calls_phones(self, digits: list[str]) -> bool:
        lengths = {sum(character.isdigit() for character in one) for one in digits}
        return (
            self.style in (BLANK_GROUPS, BLANK_GROUPS_COMMA)
            and len(lengths) == 1
            and min(lengths) >= _PHONE_DIGITS
        )

    def _least_distinct(self) -> int:
        """Return how many different numbers it takes to believe that the column is about numbers."""
        if not all(is_missing_mark(text) for text in self._of(~self.numbers)) or self._is_partly_dressed():
            return _LEAST_BESIDE_WORDS
        return 1 if self._is_undressed() else _LEAST_DISTINCT

    def _is_partly_dressed(self) -> bool:
        """Whether a few numbers wear a unit and most do not: of doors 2, 3, 4 and 5more one is a category."""
        dressed = np.array([cell is not None and cell.dress == self.unit for cell in self.cells], dtype=bool)
        worn, bare = (int(self.counts[mask & self.numbers].sum()) for mask in (dressed, ~dressed))
        return self.unit != ("", "") and worn < bare

    def _is_undressed(self) -> bool:
        return self.unit == ("", "") and self.style is PLAIN

    def note(self, *, dressed: bool = True) -> str:
        """Return what was read how, in part of a line; empty if every text is a plain number.

        With ``dressed=False`` unit and separators go without saying: a plan has said them before.
        """
        parts = ["read as numbers " + self._dress_in_words()] if dressed and not self._is_undressed() else []
        for mask, what in (
            (~self.numbers, "are no numbers and count as missing"),
            (self._are("bound"), "are read as the number that they name"),
            (self._are("qualified") | self._other_style(), "are read as the number that they name"),
            (self._are("bracketed"), "are read as negative numbers"),
        ):
            if mask.any():
                cells = f"{int(self.counts[mask].sum())} of {int(self.counts.sum())} cells"
                parts.append(f"{cells} {what}, such as {examples(self.texts, self.counts, mask)}")
        return "; ".join(parts)

    def _are(self, part: str) -> BoolArray:
        marked = [bool(getattr(cell, part)) if cell is not None else False for cell in self.cells]
        return np.array(marked, dtype=bool) & self.numbers

    def _other_style(self) -> BoolArray:
        """Numbers that are written in another way than those of their column, but can be nothing else."""
        other = [cell is not None and self.style.value(cell.digits) is None for cell in self.cells]
        return np.array(other, dtype=bool) & self.numbers

    def _of(self, mask: BoolArray) -> list[str]:
        return [self.texts[i] for i in np.flatnonzero(mask).tolist()]

    def _dress_in_words(self) -> str:
        front, unit = self.unit
        said = [f"with {front} in front"] if front else []
        if unit:
            said.append(f"with the unit {unit}" if unit[0].isalpha() else f"in {unit}")
        if self.style.words:
            said.append(self.style.words)
        return ", ".join(said)


def _value(cell: NumberCell | None, style: NumberStyle) -> float:
    """Return the number that a cell stands for, NaN if it is none in this style and sure in no other.

    What is more than 3 is read as the next number after 3, so that ``x > 3`` holds for it.
    """
    if cell is None:
        return float("nan")
    size = style.value(cell.digits)
    if size is None:
        size = sure_value(cell.digits)
    if size is None or not np.isfinite(size):
        return float("nan")
    value = -size if cell.negative else size
    return float(np.nextafter(value, np.inf)) if cell.bound == ">" else value
