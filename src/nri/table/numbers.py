"""Text numbers: a column of texts that are numbers all the same, with a unit, a currency or odd cells."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nri.episode import BoolArray, FloatArray, IntArray

_CURRENCY = (
    r"(?:US|AU|CA|NZ|HK|A|C|R)?\$|[\u20ac\u00a3\u00a5\u20b9\u20bd\u20a9\u20ba\u20aa\u20ab]|Fr\.|Rs\.?|"
    r"(?:USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|SGD|HKD|KRW|TRY|RUB)\b"
)
_BLANK = r"[ \u00a0\u2009\u202f]"
_DIGITS = rf"[0-9.](?:(?:[0-9.,'\u2019]|{_BLANK})*[0-9.])?(?:[eE][+-]?[0-9]+)?"
_UNIT = r"[^\W\d_](?:[\w/%.^*\u00b7\u00b0\u207b\u00b9\u00b2\u00b3-]|\ (?=\S)){0,23}"
_SIGN = r"[+\u2212-]"
_CELL = re.compile(
    rf"""(?: (?P<bound><=?|>=?|\u2264|\u2265) {_BLANK}? )?
        (?P<sign>{_SIGN})? (?P<front>{_CURRENCY})? {_BLANK}? (?P<inner>{_SIGN})?
        (?P<digits>{_DIGITS})
        (?P<gap>{_BLANK}*) (?P<unit>{_CURRENCY}|[%\u2030\u00b0]|\u00b0{_UNIT}|{_UNIT})?""",
    re.VERBOSE,
)
_SPELLED_BOUNDS = {"\u2264": "<=", "\u2265": ">="}
_LONGEST = 60
"""Characters of a number with all it wears; what is longer is prose, and not worth a look."""
_LONE_UNITS = frozenset("mgslhdykKVWCFLM\u00b5\u03bc")
"""Single letters that stand right behind a number as its unit; ``12A`` is a seat or a flat."""
_UNIT_WITH_DIGITS = re.compile(r"[^\W\d_]+[23]|.*[/^].*")


@dataclass(frozen=True, slots=True)
class NumberCell:
    """A cell that may be a number; whether it is one depends on how its column writes digits."""

    digits: str
    negative: bool
    dress: tuple[str, str]
    """the currency in front and the unit behind, each empty if there is none"""
    bound: str
    """``<``, ``<=``, ``>`` or ``>=`` if the cell only says on which side of this number it is, else empty"""
    bracketed: bool
    """whether it stands in brackets, as accounts write negative numbers"""


def take_apart(text: str) -> NumberCell | None:
    """Return the parts of a cell, None if it can be no number.

    >>> take_apart("-$5,500").digits, take_apart("72 kg").dress
    ('5,500', ('', 'kg'))
    >>> take_apart("A12"), take_apart("1-3"), take_apart("12A")
    (None, None, None)
    """
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    bracketed = len(text) > 2 and text[0] == "(" and text[-1] == ")"
    match = _CELL.fullmatch(text[1:-1] if bracketed else text)
    if match is None or (match["sign"] and match["inner"]):
        return None
    unit, sign = match["unit"] or "", match["sign"] or match["inner"]
    bound = _SPELLED_BOUNDS.get(match["bound"] or "", match["bound"] or "")
    if not _is_unit(unit, attached=not match["gap"]) or (bracketed and (sign or bound)):
        return None
    negative = bracketed or (sign is not None and sign != "+")
    return NumberCell(match["digits"], negative, (match["front"] or "", _one_unit(unit)), bound, bracketed)


def _is_unit(text: str, *, attached: bool) -> bool:
    """Whether what follows a number can be its unit, and not the rest of a code or a sentence."""
    if len(text) == 1 and attached and text.isalpha():
        return text in _LONE_UNITS
    if any(character.isdigit() for character in text):
        return bool(_UNIT_WITH_DIGITS.fullmatch(text))
    return text.count(" ") <= 2


def _one_unit(text: str) -> str:
    """Return one spelling for ``1 year`` and ``2 years``."""
    return text[:-1] if len(text) > 3 and text.isalpha() and text.endswith("s") else text


_BLANKS = " \u00a0\u2009\u202f"
_APOSTROPHES = "'\u2019"


@dataclass(frozen=True, slots=True)
class NumberStyle:
    """One way to write digits: what stands between thousands, and what before decimals."""

    pattern: re.Pattern[str]
    """what digits in this style look like, without a sign"""
    groups: str = ""
    """characters that may stand between thousands"""
    decimal: str = "."
    words: str = ""
    """how to call it in a note; empty for the usual style, which needs none"""

    def value(self, digits: str) -> float | None:
        """Return the number, None if the digits are not written in this style.

        >>> COMMA_GROUPS.value("5,500.5"), COMMA_GROUPS.value("5,50")
        (5500.5, None)
        """
        if not self.pattern.fullmatch(digits):
            return None
        for character in self.groups:
            digits = digits.replace(character, "")
        return float(digits.replace(self.decimal, "."))


def _grouped(groups: str, decimal: str, words: str) -> NumberStyle:
    """Return a style with thousands set apart; a number below a thousand has nothing to set apart."""
    point = re.escape(decimal)
    pattern = rf"(?:[1-9][0-9]{{0,2}}(?:[{groups}][0-9]{{3}})+|[0-9]{{1,3}})(?:{point}[0-9]+)?"
    return NumberStyle(re.compile(pattern), groups, decimal, words)


PLAIN = NumberStyle(re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"))
DECIMAL_COMMA = NumberStyle(
    re.compile(r"[0-9]+(?:,[0-9]+)?(?:[eE][+-]?[0-9]+)?"), "", ",", "with decimal commas"
)
COMMA_GROUPS = _grouped(",", ".", "with commas between thousands")
DOT_GROUPS = _grouped(".", ",", "with points between thousands")
BLANK_GROUPS = _grouped(_BLANKS, ".", "with blanks between thousands")
BLANK_GROUPS_COMMA = _grouped(_BLANKS, ",", "with blanks between thousands and decimal commas")
APOSTROPHE_GROUPS = _grouped(_APOSTROPHES, ".", "with apostrophes between thousands")

_GROUPED = (DOT_GROUPS, BLANK_GROUPS, BLANK_GROUPS_COMMA, APOSTROPHE_GROUPS)


def styles(*, decimal_comma: bool) -> tuple[NumberStyle, ...]:
    """Return all styles; where two read a column equally well, the earlier one is meant.

    ``5,500`` is five thousand five hundred, but five and a half in a file that is known for decimal commas.
    """
    comma = (DECIMAL_COMMA, COMMA_GROUPS) if decimal_comma else (COMMA_GROUPS, DECIMAL_COMMA)
    return (PLAIN, *comma, *_GROUPED)


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


_MOST_ODD = 0.05
"""Largest share of the cells that may be no numbers."""
_LEAST_DISTINCT = 3
"""Two numbers with a unit are two categories as well, and better left to say so."""
_LEAST_BESIDE_WORDS = 6
"""Of few numbers and a word, the word may be a category or a class of its own: grades 1, 2, 3 and none."""
_PHONE_DIGITS = 7
"""From here on, numbers that are all of one length and set apart by blanks are called, not measured."""
_PADDED = re.compile(r"0[0-9]+")
_CODE = re.compile(r"[A-Za-z]+[-_. ]?[0-9].*|[0-9]+[A-Z]")
_SHOWN = 20


@dataclass(frozen=True, eq=False, slots=True)
class TextNumbers:
    """The distinct texts of a column as numbers."""

    values: FloatArray
    """[D]; NaN where a text is no number"""
    odd: BoolArray
    """[D]; texts that are neither a number nor a word for nothing"""
    undressed: bool
    """whether the numbers are written plainly"""
    remark: str
    """what was read how, in part of a line; empty if every text is a plain number"""


def read_text_numbers(
    texts: Sequence[str], counts: IntArray, *, decimal_comma: bool = False
) -> TextNumbers | None:
    """Read texts as numbers if that is nearly certainly what they are, else return None.

    Nearly all cells must be numbers in one dress: the same unit, currency and separators, or none of
    these. Words for nothing do not count, the few other cells become missing. ``<5`` is read as its
    bound: that is on the right side of every threshold about which the cell says anything.

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
    >>> read_text_numbers(["72 kg", "80.5 kg", "64 kg"], np.ones(3)).values.tolist()
    [72.0, 80.5, 64.0]
    >>> read_text_numbers(["5 mg", "5 g", "6 g"], np.ones(3)) is None
    True
    """
    column = _Written(texts, counts, decimal_comma)
    return None if column.is_doubtful() else column.read()


def read_expected_numbers(texts: Sequence[str], counts: IntArray) -> TextNumbers:
    """Read texts of a column that is known to hold numbers; ``odd`` are those that must be corrected.

    Words are missing cells while they are fewer than the numbers; what holds a digit is never passed over.
    """
    written = _Written(texts, counts, decimal_comma=False)
    found = written.read()
    if not written.is_doubtful():
        return replace(found, odd=np.zeros(len(texts), dtype=bool))
    with_digits = np.array([any(character.isdigit() for character in text) for text in texts], dtype=bool)
    odd, numbers = int(counts[found.odd].sum()), int(counts[~np.isnan(found.values)].sum())
    return replace(found, odd=found.odd & with_digits) if odd < numbers else found


class _Written:
    """How a column of texts is written: what most of its numbers have in common."""

    def __init__(self, texts: Sequence[str], counts: IntArray, decimal_comma: bool) -> None:
        self.texts = texts
        self.counts = np.asarray(counts)
        self.nothing = np.array([is_missing_word(text) for text in texts], dtype=bool)
        cells = [
            None if missing else take_apart(text) for text, missing in zip(texts, self.nothing, strict=True)
        ]
        self.dress = self._most_frequent_dress(cells)
        self.cells = [cell if cell is not None and cell.dress == self.dress else None for cell in cells]
        self.style, self.values = self._best_style(decimal_comma)
        self.numbers = ~np.isnan(self.values)
        self.odd = ~self.numbers & ~self.nothing

    def _most_frequent_dress(self, cells: list[NumberCell | None]) -> tuple[str, str]:
        seen: Counter[tuple[str, str]] = Counter()
        for cell, count in zip(cells, self.counts, strict=True):
            if cell is not None:
                seen[cell.dress] += int(count)
        return max(seen, key=lambda dress: (seen[dress], dress)) if seen else ("", "")

    def _best_style(self, decimal_comma: bool) -> tuple[NumberStyle, FloatArray]:
        """Return the style that reads most cells, and what it makes of them."""
        best, best_values, most = PLAIN, np.full(len(self.cells), np.nan), 0
        dressed = int(self.counts[[cell is not None for cell in self.cells]].sum())
        for style in styles(decimal_comma=decimal_comma):
            values = np.array([np.nan if cell is None else _value(cell, style) for cell in self.cells])
            read = int(self.counts[~np.isnan(values)].sum())
            if read > most:
                best, best_values, most = style, values, read
            if read == dressed:  # no other can read more
                break
        return best, best_values

    def read(self) -> TextNumbers:
        return TextNumbers(self.values, self.odd, self._is_undressed(), self._remark())

    def is_doubtful(self) -> bool:
        """Whether the column may as well be something else: categories, codes, phone numbers."""
        numbers, odd = int(self.counts[self.numbers].sum()), int(self.counts[self.odd].sum())
        if not numbers or odd > _MOST_ODD * (numbers + odd):
            return True
        chosen = [self.cells[i] for i in np.flatnonzero(self.numbers).tolist()]
        bounds = np.array([bool(cell and cell.bound) for cell in chosen])
        if 2 * int(self.counts[self.numbers][bounds].sum()) > numbers:
            return True
        digits = [cell.digits for cell in chosen if cell is not None]
        if any(_PADDED.fullmatch(one) for one in digits) or self._calls_phones(digits):
            return True
        if any(_CODE.fullmatch(self.texts[i]) for i in np.flatnonzero(self.odd).tolist()):
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
        if not all(is_missing_mark(self.texts[i]) for i in np.flatnonzero(~self.numbers).tolist()):
            return _LEAST_BESIDE_WORDS
        return 1 if self._is_undressed() else _LEAST_DISTINCT

    def _is_undressed(self) -> bool:
        return self.dress == ("", "") and self.style is PLAIN

    def _remark(self) -> str:
        parts = [] if self._is_undressed() else ["read as numbers " + self._dress_in_words()]
        without = ~self.numbers
        if without.any():
            cells = f"{int(self.counts[without].sum())} of {int(self.counts.sum())} cells"
            parts.append(f"{cells} are no numbers and count as missing, such as {self._example(without)}")
        for mask, what in (
            (self._are("bound"), "are read as the number that they name"),
            (self._are("bracketed"), "are read as negative numbers"),
        ):
            if mask.any():
                parts.append(f"{int(self.counts[mask].sum())} cells such as {self._example(mask)} {what}")
        return "; ".join(parts)

    def _are(self, part: str) -> BoolArray:
        marked = [bool(getattr(cell, part)) if cell is not None else False for cell in self.cells]
        return np.array(marked, dtype=bool) & self.numbers

    def _example(self, mask: BoolArray) -> str:
        """Return the most frequent of some texts."""
        place = max(np.flatnonzero(mask).tolist(), key=lambda i: (self.counts[i], self.texts[i]))
        text = " ".join(self.texts[place].split())
        return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")

    def _dress_in_words(self) -> str:
        front, unit = self.dress
        said = [f"with {front} in front"] if front else []
        if unit:
            said.append(f"with the unit {unit}" if unit[0].isalpha() else f"in {unit}")
        if self.style.words:
            said.append(self.style.words)
        return ", ".join(said)


def _value(cell: NumberCell, style: NumberStyle) -> float:
    """Return the number that a cell stands for, NaN if it is none in this style.

    What is more than 3 is read as the next number after 3, so that ``x > 3`` holds for it.
    """
    size = style.value(cell.digits)
    if size is None or not np.isfinite(size):
        return float("nan")
    value = -size if cell.negative else size
    return float(np.nextafter(value, np.inf)) if cell.bound == ">" else value
