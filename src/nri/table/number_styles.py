"""Number styles: the ways in which people write the digits of a number."""

import re
from dataclasses import dataclass

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
