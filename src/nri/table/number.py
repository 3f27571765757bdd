"""Numbers, plain or with units, currencies, separators and odd cells; and booleans, as words or 0 and 1."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from nri.arrays import BoolArray, IntArray
from nri.rule import ColumnPlan, Kind
from nri.table.cells import PADDED, ParsedTexts, are_whole, plain_numbers, recognise_plain, some_cells

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
_CURRENCY = (
    r"(?:US|AU|CA|NZ|HK|A|C|R)?\$|[\u20ac\u00a3\u00a5\u20b9\u20bd\u20a9\u20ba\u20aa\u20ab]|Fr\.|Rs\.?|"
    r"(?:USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|SGD|HKD|KRW|TRY|RUB)\b"
)
_BLANKS = " \u00a0\u2009\u202f"
_BLANK = f"[{_BLANKS}]"
_DIGITS = rf"[0-9.,](?:(?:[0-9.,'\u2019]|{_BLANK})*[0-9.,])?(?:[eE][+-]?[0-9]+)?"
_UNIT = r"[^\W\d_](?:[\w/%.^*\u00b7\u00b0\u207b\u00b9\u00b2\u00b3-]|\ (?=\S)){0,23}"
_SIGN = r"[+\u2212-]"
_ABOUT = rf"(?:~|\u2248|(?i:ca|circa|approx|about)\.?){_BLANK}?"
_CELL = re.compile(
    rf"""(?: (?P<bound><=?|>=?|\u2264|\u2265) {_BLANK}? | (?P<about>{_ABOUT}) )?
        (?P<sign>{_SIGN})? (?P<front>{_CURRENCY})? {_BLANK}? (?P<inner>{_SIGN})?
        (?P<digits>{_DIGITS})
        (?P<gap>{_BLANK}*) (?P<unit>{_CURRENCY}|[%\u2030\u00b0]|\u00b0{_UNIT}|{_UNIT})?
        {_BLANK}* (?P<mark>[*\u2020\u2021]{{1,3}})?""",
    re.VERBOSE,
)
_NO_UNIT = ("", "")
_SPELLED_BOUNDS = {"\u2264": "<=", "\u2265": ">="}
_LONGEST = 60  # characters of a number with its unit and marks; longer texts are prose
_LONE_UNITS = frozenset("mgslhdykKVWCFLM\u00b5\u03bc")  # right behind a number; 12A is a seat
_UNIT_WITH_DIGITS = re.compile(r"[^\W\d_]+[23]|.*[/^].*")


@dataclass(frozen=True, slots=True)
class NumberCell:
    """A cell that may be a number; whether it is one depends on how its column writes digits."""

    digits: str
    negative: bool
    units: tuple[str, str]  # the currency in front and the unit behind, each empty if there is none
    bound: str  # ``<``, ``<=``, ``>`` or ``>=`` if the cell only says on which side it is, else empty
    bracketed: bool  # whether it stands in brackets, as accounts write negative numbers
    qualified: bool  # whether it is marked as uncertain, as in ``~4.1``, ``ca. 4.1`` and ``4.1*``


def take_apart(text: str) -> NumberCell | None:
    """Return the parts of a cell, None if it can be no number.

    >>> take_apart("-$5,500").digits, take_apart("72 kg").units, take_apart("12A")
    ('5,500', ('', 'kg'), None)
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
    if len(unit) > 3 and unit.isalpha():
        unit = unit.removesuffix("s")  # one spelling for 1 year and 2 years
    negative = bracketed or (sign is not None and sign != "+")
    qualified = bool(match["about"] or match["mark"])
    return NumberCell(match["digits"], negative, (match["front"] or "", unit), bound, bracketed, qualified)


def _is_unit(text: str, *, attached: bool) -> bool:
    """Whether what follows a number can be its unit, and not the rest of a code or a sentence."""
    if len(text) == 1 and attached and text.isalpha():
        return text in _LONE_UNITS
    if any(character.isdigit() for character in text):
        return bool(_UNIT_WITH_DIGITS.fullmatch(text))
    return text.count(" ") <= 2


def is_missing_word(text: str) -> bool:
    """Whether a cell beside numbers is a sign or a word for nothing, such as ``--`` or ``unknown``."""
    word = text.strip().lower()
    return word in _MARKS or word in _WORDS


@dataclass(frozen=True)
class NumberStyle:
    """One way to write digits: what stands between thousands, and what before decimals."""

    groups: str  # characters that may stand between thousands
    decimal: str
    description: str = ""  # how to call it in a note; empty for the usual style, which needs none

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What digits look like, without a sign; below a thousand there are no thousands to set apart."""
        point = re.escape(self.decimal)
        if self.groups:
            whole = rf"[1-9][0-9]{{0,2}}(?:[{self.groups}][0-9]{{3}})+|[0-9]{{1,3}}"
            return re.compile(rf"(?:{whole})(?:{point}[0-9]+)?")
        return re.compile(rf"(?:[0-9]+(?:{point}[0-9]*)?|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?")

    def value(self, digits: str) -> float | None:
        """Return the number, None if the digits are not written in this style."""
        if not self.pattern.fullmatch(digits):
            return None
        for character in self.groups:
            digits = digits.replace(character, "")
        return float(digits.replace(self.decimal, "."))


PLAIN = NumberStyle("", ".")
COMMA_GROUPS = NumberStyle(",", ".", "with commas between thousands")
DECIMAL_COMMA = NumberStyle("", ",", "with decimal commas")
_STYLES = (
    *(PLAIN, COMMA_GROUPS, DECIMAL_COMMA),
    NumberStyle(".", ",", "with points between thousands"),
    NumberStyle(_BLANKS, ".", "with blanks between thousands"),
    NumberStyle(_BLANKS, ",", "with blanks between thousands and decimal commas"),
    NumberStyle("'\u2019", ".", "with apostrophes between thousands"),
)
"""All styles; where two read a column equally well, the earlier one is meant."""
_COMMA_STYLES = (PLAIN, DECIMAL_COMMA, COMMA_GROUPS, *_STYLES[3:])
"""The same in a file that is known for decimal commas: there ``5,500`` is five and a half."""
_MAY_BE_SURE = re.compile(r"[0-9]+(?:[.,][0-9]+)*|[0-9]+(?P<mark>[ '\u2019])[0-9]+(?:(?P=mark)[0-9]+)*")


def sure_value(digits: str) -> float | None:
    """Return the number that digits can only be, as ``4,1``; None where styles differ, as on ``4,100``."""
    if not _MAY_BE_SURE.fullmatch(digits):
        return None
    values = {style.value(digits) for style in _STYLES} - {None}
    return values.pop() if len(values) == 1 else None


_MOST_ODD = 0.5  # largest share of the cells that may be no numbers
_LEAST_DISTINCT = 3  # two numbers with a unit are two categories as well, and better left to say so
_LEAST_BESIDE_WORDS = 6  # of fewer numbers and a word, the word may be a category: grades 1, 2, 3 and none
_PHONE_DIGITS = 7  # digits from which on numbers of one length with blanks between are called, not measured
_CODE = re.compile(r"[A-Za-z]+[-_. ]?[0-9].*|[0-9]+[A-Z]")


def recognise_formatted(
    texts: Sequence[str], counts: IntArray, *, decimal_comma: bool = False
) -> ParsedTexts | None:
    """Read texts as numbers if that is what most of them are, else return None.

    They may have a currency, a unit, separators between thousands and marks such as ``~`` and ``*``;
    ``<5`` is read as its bound. Other cells become missing, with a note.

    >>> recognise_formatted(["72 kg", "80.5 kg", "64 kg"], np.ones(3, int)).values.tolist()
    [72.0, 80.5, 64.0]
    """
    column = _NumberColumn(texts, counts, styles=_COMMA_STYLES if decimal_comma else _STYLES)
    return None if column.is_doubtful() else ParsedTexts(column.values, column.plan(), column.note())


def read(texts: Sequence[str], counts: IntArray, plan: ColumnPlan) -> ParsedTexts:
    """Read texts as the numbers that a plan says they are; NaN where a text is none."""
    if not plan.stated:
        column = _NumberColumn(texts, counts)
        return recognise_plain(texts) or ParsedTexts(column.values, column.plan(), column.note())
    named = (plan.decimal, plan.thousands)
    style = next((one for one in _STYLES if (one.decimal, one.groups) == named), PLAIN)
    if style is PLAIN and np.isfinite(values := plain_numbers(texts)).all():
        return ParsedTexts(values, plan)
    column = _NumberColumn(texts, counts, plan.unit, [style])
    note = column.note(formatted=column.unit != plan.unit)
    return ParsedTexts(column.values, replace(plan, unit=column.unit), note)


class _NumberColumn:
    """A column of texts, taken apart, read in one style with one unit: by default those that most have."""

    def __init__(
        self,
        texts: Sequence[str],
        counts: IntArray,
        unit: tuple[str, str] = _NO_UNIT,
        styles: Sequence[NumberStyle] = _STYLES,
    ) -> None:
        self.texts, self.counts = texts, counts
        self.nothing = np.array([is_missing_word(text) for text in texts], dtype=bool)
        cells = [None if nothing else take_apart(x) for x, nothing in zip(texts, self.nothing, strict=True)]
        self.unit = unit if unit != _NO_UNIT else _most_frequent_unit(cells, counts)
        self.cells = [cell if cell is None or cell.units in (self.unit, _NO_UNIT) else None for cell in cells]
        self.style = styles[0] if len(styles) == 1 else self._best_style(styles)
        self.values = np.array([_value(cell, self.style) for cell in self.cells], dtype=np.float64)
        self.numbers = ~np.isnan(self.values)
        self.odd = ~self.numbers & ~self.nothing
        self._is_plain = self.unit == _NO_UNIT and self.style is PLAIN

    def _best_style(self, styles: Sequence[NumberStyle]) -> NumberStyle:
        """Return the style that reads most cells."""
        best, most = PLAIN, 0
        there = self._count([cell is not None for cell in self.cells])
        for style in styles:
            read = [cell is not None and style.value(cell.digits) is not None for cell in self.cells]
            if (count := self._count(read)) > most:
                best, most = style, count
            if count == there:  # no other can read more
                break
        return best

    def plan(self) -> ColumnPlan:
        whole = self._is_plain and are_whole(self._of(self.numbers), self.values[self.numbers])
        missing = tuple(sorted(self._of(self.nothing)))
        style = self.style
        return ColumnPlan(Kind.NUMBER, style.decimal, style.groups, self.unit, whole, missing=missing)

    def is_doubtful(self) -> bool:
        """Whether the column may as well be something else: categories, codes, phone numbers."""
        numbers, odd = self._count(self.numbers), self._count(self.odd)
        if not numbers or odd > _MOST_ODD * (numbers + odd):
            return True
        if 2 * self._count(self._where(lambda cell: cell.bound)) > numbers:
            return True
        digits = [cell.digits for cell in self.cells if cell is not None]
        if any(map(PADDED.fullmatch, digits)) or any(map(_CODE.fullmatch, self._of(self.odd))):
            return True
        lengths = {sum(map(str.isdigit, one)) for one in digits}
        if self.style.groups == _BLANKS and len(lengths) == 1 and min(lengths) >= _PHONE_DIGITS:
            return True
        return len(np.unique(self.values[self.numbers])) < self._least_distinct()

    def _least_distinct(self) -> int:
        """Return how many different numbers it takes to believe that the column is about numbers."""
        with_unit = self._count(self._where(lambda cell: cell.units == self.unit))
        # if few have a unit, as in 2, 3, 4 and 5more, that is a category
        rarely_with_unit = self.unit != _NO_UNIT and 2 * with_unit < self._count(self.numbers)
        if rarely_with_unit or not all(text.strip().lower() in _MARKS for text in self._of(~self.numbers)):
            return _LEAST_BESIDE_WORDS
        return 1 if self._is_plain else _LEAST_DISTINCT

    def note(self, *, formatted: bool = True) -> str:
        """Return what was read how, in part of a line; unit and separators only if ``formatted``."""
        # what is written in another way than the rest of its column can be nothing else
        named = self._where(lambda cell: cell.qualified or self.style.value(cell.digits) is None)
        parts = ["read as numbers " + self._format_text()] if formatted and not self._is_plain else []
        for mask, what in (
            (~self.numbers, "are not numbers and are treated as missing"),
            (self._where(lambda cell: cell.bound), "are read as the number that they name"),
            (named, "are read as the number that they name"),
            (self._where(lambda cell: cell.bracketed), "are read as negative numbers"),
        ):
            parts.append(some_cells(self.texts, self.counts, mask, what))
        return "; ".join(filter(None, parts))

    def _format_text(self) -> str:
        front, unit = self.unit
        behind = f"with the unit {unit}" if unit[:1].isalpha() else f"in {unit}"
        parts = (f"with {front} in front" if front else "", behind if unit else "", self.style.description)
        return ", ".join(filter(None, parts))

    def _where(self, holds: Callable[[NumberCell], object]) -> BoolArray:
        mask = [cell is not None and bool(holds(cell)) for cell in self.cells]
        return np.array(mask, dtype=bool) & self.numbers

    def _count(self, mask: Any) -> int:
        return int(self.counts[mask].sum())

    def _of(self, mask: BoolArray) -> list[str]:
        return [self.texts[i] for i in np.flatnonzero(mask).tolist()]


def _most_frequent_unit(cells: Sequence[NumberCell | None], counts: IntArray) -> tuple[str, str]:
    """Return the currency and unit that most numbers have; if most have none, those of most others."""
    seen: Counter[tuple[str, str]] = Counter()
    for cell, count in zip(cells, counts.tolist(), strict=True):
        if cell is not None and cell.units != _NO_UNIT:
            seen[cell.units] += count
    return max(seen, key=lambda units: (seen[units], units), default=_NO_UNIT)


def _value(cell: NumberCell | None, style: NumberStyle) -> float:
    """Return the number of a cell, NaN if there is none; ``>3`` is the next number after 3."""
    size = None if cell is None else style.value(cell.digits)
    if cell is not None and size is None:
        size = sure_value(cell.digits)
    if cell is None or size is None or not np.isfinite(size):
        return float("nan")
    value = -size if cell.negative else size
    return float(np.nextafter(value, np.inf)) if cell.bound == ">" else value


_TRUE, _FALSE = {"true", "1", "1.0"}, {"false", "0", "0.0"}


def read_boolean(texts: Sequence[str], counts: IntArray, plan: ColumnPlan) -> ParsedTexts:
    """Read texts as yes (1) and no (0), NaN for others; where yes is a 1, every other number is a no."""
    lowered = [text.strip().lower() for text in texts]
    values = np.array([1.0 if word in _TRUE else 0.0 if word in _FALSE else np.nan for word in lowered])
    if np.isnan(values).any() and plan.is_zero_one:
        numbers = read(texts, counts, replace(plan, kind=Kind.NUMBER)).values
        values = np.where(np.isnan(values) & ~np.isnan(numbers), numbers == 1, values)
    note = some_cells(texts, counts, np.isnan(values), "are neither yes nor no and count as missing")
    return ParsedTexts(values, plan, note)
