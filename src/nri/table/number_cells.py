"""Number cells: one text cell taken apart into sign, digits, and the unit or currency around them."""

import re
from dataclasses import dataclass

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
