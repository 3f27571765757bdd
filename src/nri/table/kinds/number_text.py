"""Number texts: one cell taken apart into sign, digits and what is around them; ways to write digits."""

import re
from dataclasses import dataclass

_CURRENCY = (
    r"(?:US|AU|CA|NZ|HK|A|C|R)?\$|[\u20ac\u00a3\u00a5\u20b9\u20bd\u20a9\u20ba\u20aa\u20ab]|Fr\.|Rs\.?|"
    r"(?:USD|EUR|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|ZAR|SGD|HKD|KRW|TRY|RUB)\b"
)
_BLANK = r"[ \u00a0\u2009\u202f]"
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
    qualified: bool
    """whether something says that it is not quite sure, as in ``~4.1``, ``ca. 4.1`` and ``4.1*``"""


def take_apart(text: str) -> NumberCell | None:
    """Return the parts of a cell, None if it can be no number.

    >>> take_apart("-$5,500").digits, take_apart("72 kg").dress
    ('5,500', ('', 'kg'))
    >>> take_apart("A12"), take_apart("1-3"), take_apart("12A")
    (None, None, None)
    >>> take_apart("ca. 4.1*").digits
    '4.1'
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
    dress = (match["front"] or "", _one_unit(unit))
    qualified = bool(match["about"] or match["mark"])
    return NumberCell(match["digits"], negative, dress, bound, bracketed, qualified)


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
    re.compile(r"(?:[0-9]+(?:,[0-9]*)?|,[0-9]+)(?:[eE][+-]?[0-9]+)?"), "", ",", "with decimal commas"
)
COMMA_GROUPS = _grouped(",", ".", "with commas between thousands")
DOT_GROUPS = _grouped(".", ",", "with points between thousands")
BLANK_GROUPS = _grouped(_BLANKS, ".", "with blanks between thousands")
BLANK_GROUPS_COMMA = _grouped(_BLANKS, ",", "with blanks between thousands and decimal commas")
APOSTROPHE_GROUPS = _grouped(_APOSTROPHES, ".", "with apostrophes between thousands")

_STYLES = (
    PLAIN,
    COMMA_GROUPS,
    DECIMAL_COMMA,
    DOT_GROUPS,
    BLANK_GROUPS,
    BLANK_GROUPS_COMMA,
    APOSTROPHE_GROUPS,
)


def styles(*, decimal_comma: bool) -> tuple[NumberStyle, ...]:
    """Return all styles; where two read a column equally well, the earlier one is meant.

    ``5,500`` is five thousand five hundred, but five and a half in a file that is known for decimal commas.
    """
    comma = (DECIMAL_COMMA, COMMA_GROUPS) if decimal_comma else (COMMA_GROUPS, DECIMAL_COMMA)
    return (PLAIN, *comma, *_STYLES[3:])


def style_of(decimal: str, thousands: str) -> NumberStyle:
    """Return the style that a plan names.

    >>> style_of(",", "").words
    'with decimal commas'
    """
    for style in _STYLES:
        if (style.decimal, style.groups) == (decimal, thousands):
            return style
    return PLAIN


_ONE_MARK = re.compile(r"(?P<before>[0-9]+)[.,](?P<after>[0-9]+)")
_MARKED_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:(?P<group>[.,'\u2019 ])[0-9]{3})(?:(?P=group)[0-9]{3})*")
_BOTH_MARKS = re.compile(r"[1-9][0-9]{0,2}(?:(?P<group>[.,])[0-9]{3})+(?!(?P=group))[.,][0-9]+")


def sure_value(digits: str) -> float | None:
    """Return the number that digits can only be, in whatever style; None where two styles would differ.

    >>> sure_value("4,1"), sure_value("1,234,567"), sure_value("4,100")
    (4.1, 1234567.0, None)
    """
    if digits.isascii() and digits.isdigit():
        return float(digits)
    one = _ONE_MARK.fullmatch(digits)
    if one is not None:
        before, after = one["before"], one["after"]
        unsure = len(after) == 3 and len(before) <= 3 and not before.startswith("0")
        return None if unsure else float(f"{before}.{after}")
    groups = _MARKED_GROUPS.fullmatch(digits)
    if groups is not None:
        return float(re.sub(r"[^0-9]", "", digits))
    if _BOTH_MARKS.fullmatch(digits):
        whole, decimals = re.split(r"[.,](?=[0-9]+$)", digits)
        return float(f"{re.sub(r'[.,]', '', whole)}.{decimals}")
    return None
