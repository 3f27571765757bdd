"""Cells: one column as it came, before its meaning is decided; marks for missing cells; categories.

A column comes as texts, whose distinct ones are parsed once, or with a type of its own. Texts that are
nothing else are categories: names of things, one thing however its name is spelled.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.errors import InputError
from nri.rule import Column, ColumnPlan, Kind, empty_column

if TYPE_CHECKING:
    import pyarrow as pa

TRUE_FALSE = ColumnPlan(Kind.BOOLEAN)  # Columns of the words true and false.
TYPED_BOOLEAN = ColumnPlan(Kind.BOOLEAN, no_and_yes=("False", "True"))  # Columns of booleans by type.
ZERO_ONE = ColumnPlan(Kind.BOOLEAN, no_and_yes=("0", "1"))  # Columns of the numbers 0 and 1.

MISSING_MARKS = frozenset({"", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NaT", "null", "NULL"})
"""Cells that stand for nothing. "None" and "none" are not among them: they are common categories."""
_SHOWN_LETTERS = 20
_SHOWN = 3  # examples in a note


@dataclass(frozen=True, eq=False)
class TextCells:
    """A column of texts."""

    codes: IntArray  # [M], index of each cell's text; -1 where the cell is missing
    texts: tuple[str, ...]  # [D], all different
    loose: bool = False  # whether they are texts only because they come from a text file
    declared: bool = False  # whether its type says that these are categories, whatever they look like

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def counts(self) -> IntArray:
        """[D], how many cells hold each text."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.texts)).astype(np.int64)

    def respelled(self, texts: Iterable[str | None]) -> "TextCells":
        """Return the cells with another text for each of their texts; None is missing."""
        places: dict[str, int] = {}
        into = [-1 if text is None else places.setdefault(text, len(places)) for text in texts]
        return replace(self, codes=np.array([*into, -1])[self.codes], texts=tuple(places))

    def without(self, missing: Collection[str]) -> "TextCells":
        """Return the cells with some texts missing."""
        if not missing:
            return self
        return self.respelled(None if text.strip() in missing else text for text in self.texts)


@dataclass(frozen=True, eq=False)
class TypedCells:
    """A column of numbers, booleans or dates by its type."""

    column: Column
    whole: bool = False  # whether cells are integers by type; a float that happens to be whole is not
    floating: bool = False  # whether cells are floats by type
    note: str = ""
    unit: str = ""  # of durations seconds, of moments with a zone UTC

    def __len__(self) -> int:
        return len(self.column)


Cells = TextCells | TypedCells


@dataclass(frozen=True, eq=False)
class ParsedTexts:
    """The distinct texts of a column as values of one kind, and how they were read."""

    values: NDArray[Any]  # [D]; NaN or NaT where a text is none, for categories the texts that are used
    plan: ColumnPlan
    note: str = ""  # how it was read, in part of a line, where that is not obvious; mostly empty


@dataclass(frozen=True, eq=False)
class ReadColumn:
    """A column with its meaning."""

    column: Column
    plan: ColumnPlan
    note: str = ""  # how it was read, where that is not obvious; mostly empty


def text_cells(cells: "NDArray[Any] | pa.Array[Any]") -> TextCells:
    """Return the cells of a text file's column: without blanks around them, marks for nothing missing."""
    codes: NDArray[Any]
    if isinstance(cells, np.ndarray):
        first: dict[str, int] = {}
        codes = np.array([first.setdefault(text, len(first)) for text in cells.tolist()], dtype=np.int64)
        distinct = list(first)
    else:
        encoded = cells.dictionary_encode()
        codes, distinct = np.asarray(encoded.indices), encoded.dictionary.to_pylist()
    stripped = map(str.strip, distinct)
    marked = (None if text in MISSING_MARKS else text for text in stripped)
    return TextCells(codes, tuple(distinct), loose=True).respelled(marked)


def objects_of(cells: Iterable[Any]) -> NDArray[Any]:
    """Return cells as an array of objects."""
    listed = list(cells)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array


def missing_cells(cells: NDArray[Any]) -> BoolArray:
    """Return which cells stand for nothing by what they are: None, NaN, NaT, and NA of pandas."""
    if cells.dtype.kind != "O":
        return np.asarray(cells != cells)
    return np.array([_stands_for_nothing(cell) for cell in cells.flat], dtype=bool).reshape(cells.shape)


def _stands_for_nothing(cell: Any) -> bool:
    if isinstance(cell, Decimal):
        return cell.is_nan()  # one that signals cannot be compared
    if isinstance(cell, float | np.floating | np.datetime64 | np.timedelta64):
        return bool(cell != cell)
    return cell is None or type(cell).__name__ in ("NAType", "NaTType")


PADDED = re.compile(r"[+-]?0[0-9]+")  # A number with leading zeros is a code.
_WHOLE = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")


def recognise_plain(texts: Sequence[str], *, decimal_comma: bool = False) -> ParsedTexts | None:
    """Read texts that are numbers and nothing but numbers, None if one is not; ``0042`` is a code.

    >>> recognise_plain(["1", "2.5"]).values.tolist(), recognise_plain(["0042", "1"])
    ([1.0, 2.5], None)
    """
    plan = ColumnPlan(Kind.NUMBER)
    values = plain_numbers(texts)
    if decimal_comma and not np.isfinite(values).all():
        plan = replace(plan, decimal=",")
        values = plain_numbers([text.replace(",", ".") if "." not in text else "" for text in texts])
    if not np.isfinite(values).all() or any(map(PADDED.fullmatch, texts)):
        return None
    return ParsedTexts(values, replace(plan, whole=are_whole(texts, values)))


def plain_numbers(texts: Sequence[str]) -> FloatArray:
    """Read decimal numbers with a point; NaN where a text is none."""
    numbers = (float(text) if _DECIMAL.fullmatch(text) else np.nan for text in texts)
    return np.fromiter(numbers, dtype=np.float64, count=len(texts))


def are_whole(texts: Sequence[str], values: FloatArray) -> bool:
    """Whether numbers are whole, and written so."""
    whole = bool((values == np.floor(values)).all() and np.abs(values).max(initial=0.0) < 2**62)
    return whole and all(_WHOLE.fullmatch(text) for text in texts)


def spread(parsed: ParsedTexts, cells: TextCells) -> Column:
    """Spread the values of the distinct texts over the rows; codes for nothing are unknown."""
    known = cells.codes >= 0
    if not len(cells.texts):
        return empty_column(parsed.plan.kind, len(cells))
    if parsed.plan.kind is Kind.TEXT:
        categories, places = np.unique(parsed.values, return_inverse=True)
        return Column(places[cells.codes], known, tuple(categories.tolist()))
    column = without_codes(Column(parsed.values[cells.codes], known), parsed.plan)  # NaN is not known
    return Column(column.values == 1, column.known) if parsed.plan.kind is Kind.BOOLEAN else column


def without_codes(column: Column, plan: ColumnPlan) -> Column:
    """Return numbers or dates without those that stand for nothing by their plan."""
    codes = plan.missing_values
    if not codes or column.kind not in (Kind.NUMBER, Kind.DATE):
        return column
    return Column(column.values, column.known & ~np.isin(column.values, np.array(codes, column.values.dtype)))


def as_numbers(column: Column) -> FloatArray:
    """[M]: numbers as they are, yes as 1 and no as 0; NaN where unknown."""
    return np.where(column.known, column.values.astype(np.float64), np.nan)


def number_as_text(value: float) -> str:
    """Write a number that serves as a category: 2.0 is ``2``, as the same cell would be in a file."""
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def as_code(cell: object) -> str:
    """Return a code as it is kept in a plan: numbers in one spelling, texts without blanks around them."""
    text = str(cell).strip()
    try:
        return number_as_text(float(text)) if isfinite(float(text)) else text
    except ValueError:
        return text


def check_distinct(names: Iterable[str], where: str = "", hint: str = "") -> None:
    """Raise an InputError when two columns have the same name, which may say where that is."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        place = f"{where}: " if where else ""
        shown = ", ".join(map(repr, repeated[:3])) + (", ..." if len(repeated) > 3 else "")
        raise InputError(f"{place}duplicate column names: {shown}; give each column its own name{hint}")


def example(text: str) -> str:
    """Return a text in quotation marks on one line, cut if it is long."""
    line = " ".join(text.split())
    return repr(line if len(line) <= _SHOWN_LETTERS else line[: _SHOWN_LETTERS - 3] + "...")


def some_cells(texts: Sequence[str], counts: IntArray, mask: BoolArray, what: str) -> str:
    """Return how many cells are so and a few of them, the most frequent first; nothing if none is."""
    if not mask.any():
        return ""
    order = sorted(np.flatnonzero(mask).tolist(), key=lambda i: (-counts[i], texts[i]))
    examples = ", ".join(example(texts[i]) for i in order[:_SHOWN])
    return f"{int(counts[mask].sum())} of {int(counts.sum())} cells {what}, such as {examples}"


_REPEATED = 0.5  # share of different words above which they are names or codes, whose case matters
_FREQUENT = 0.25  # share of the cells of a word that a spelling must have to be no slip
_FREQUENT_CELLS = 5  # how many cells it must have besides
_ANSWERS = {"yes", "no", "true", "false", "male", "female"}  # words that mean one thing in any case


def recognise_categories(texts: Sequence[str], counts: IntArray, *, exact: bool = False) -> ParsedTexts:
    """Read texts as categories; with ``exact`` those that differ only in case and blanks are kept apart."""
    n_texts = len(set(map(fold, texts)))
    folded = not exact and (n_texts <= 2 or n_texts <= _REPEATED * int(counts.sum()))
    apart = _frequent_spellings(texts, counts) if folded else []
    folded = folded and not apart
    spellings = spellings_of(texts, counts) if folded else {}
    used = np.array([spellings.get(text, text) for text in texts], dtype=object)
    plan = ColumnPlan(Kind.TEXT, categories=tuple(sorted(set(used))), spellings=spellings, folded=folded)
    shown = " and ".join(map(_spelled, apart))
    note = f"{shown} differ in case only and are both frequent, so they are kept apart"
    return ParsedTexts(used, plan, note if apart else spelling_note(spellings))


def fold(text: str) -> str:
    """Return what two spellings of one word have in common: all but case and blanks."""
    return " ".join(text.split()).casefold()


def spellings_of(texts: Sequence[str], counts: IntArray) -> dict[str, str]:
    """Return for each text that is spelled otherwise elsewhere the spelling to use: the most frequent one."""
    used: dict[str, str] = {}
    for places in _of_one_word(texts):
        best = min(places, key=lambda i: (-counts[i], texts[i] != texts[i].strip(), texts[i].swapcase()))
        used.update({texts[i]: texts[best] for i in places if i != best})
    return used


def _of_one_word(texts: Sequence[str]) -> list[list[int]]:
    """Return the places of the words that are spelled in several ways."""
    groups: dict[str, list[int]] = {}
    for place, text in enumerate(texts):
        groups.setdefault(fold(text), []).append(place)
    return [places for places in groups.values() if len(places) > 1]


def _frequent_spellings(texts: Sequence[str], counts: IntArray) -> list[str]:
    """Return spellings of one word that differ in case and are all frequent, so that they are no slips."""
    for places in _of_one_word(texts):
        cells = sum(int(counts[i]) for i in places)
        least = max(_FREQUENT * cells, _FREQUENT_CELLS)
        frequent = {" ".join(texts[i].split()) for i in places if counts[i] >= least}
        if len(frequent) > 1 and fold(texts[places[0]]) not in _ANSWERS:
            return sorted(frequent)
    return []


def spelling_note(spellings: Mapping[str, str]) -> str:
    """Return a note on spellings that were joined; nothing if there are none."""
    if not spellings:
        return ""
    shown = ", ".join(f"{_spelled(a)} as {_spelled(b)}" for a, b in sorted(spellings.items())[:_SHOWN])
    rest = f" and {len(spellings) - _SHOWN} more" if len(spellings) > _SHOWN else ""
    return f"texts that differ only in case or blanks are read as one: {shown}{rest}"


def _spelled(text: str) -> str:
    """Return a text in quotation marks with its blanks, which are the point here."""
    return repr(text) if len(text) <= _SHOWN_LETTERS else example(text)
