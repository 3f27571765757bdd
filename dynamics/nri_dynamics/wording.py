"""Wording: names, values and conditions as rules print them, in plain text and on a page."""

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from markupsafe import escape

from nri.errors import one_line
from nri.rule import Clause, Kind, Label, Literal, Op

_NAME = re.compile(r"[\w\-.#%&/()\[\]:+']+( [\w\-.#%&/()\[\]:+']+)*")
_VALUE = re.compile(r"[\w\-.#%&/:+']+( [\w\-.#%&/:+']+)*")
_OPERATOR_WORD = re.compile(r"(?i)\b(and|or|not|if|then|else|true|false|always|never|at least)\b")


def plain_name(name: str) -> str:
    """Write a variable's name; in quotes if it could be misread.

    >>> plain_name("IL-6 (serum)"), plain_name("a = b"), plain_name("2021")
    ('IL-6 (serum)', '"a = b"', '"2021"')
    """
    is_number = _is_number(name) or (any(map(str.isdigit, name)) and not any(map(str.isalpha, name)))
    is_plain = _NAME.fullmatch(name) and not _OPERATOR_WORD.search(name) and not is_number
    return name if is_plain else _quoted(name)


def plain_value(value: object) -> str:
    """Write a value; text in quotes if it could be misread."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    is_plain = _VALUE.fullmatch(value) and not _OPERATOR_WORD.search(value) and not _is_number(value)
    return value if is_plain else _quoted(value)


def page_name(name: str) -> str:
    """Write a variable's name where a cell of a table bounds it, so that it needs no quotes."""
    return one_line(name) if name.strip() else _quoted(name)


def _quoted(text: str) -> str:
    return one_line(json.dumps(text, ensure_ascii=False))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class Style:
    """How names, values and comparisons are written."""

    name: Callable[[str], str]
    value: Callable[[Label], str]
    less: str = "<"
    not_in: str = "not in"
    greater: str = ">"
    at_most: str = "<="
    unequal: str = "!="

    def sign(self, op: Op) -> str:
        """Return the sign of a comparison."""
        return {Op.EQ: "=", Op.NE: self.unequal, Op.GT: self.greater, Op.LE: self.at_most}[op]


PLAIN = Style(plain_name, plain_value)
PAGE = Style(
    lambda name: str(escape(page_name(name))),
    lambda value: f"<b>{escape(plain_value(value))}</b>",
    "&lt;",
    "∉",
    "&gt;",
    "≤",
    "≠",
)
"""Markup; values in bold."""


def conditions(clause: Clause, style: Style = PLAIN) -> list[str]:
    """Write the conditions of a clause: two bounds of a variable join, and so do several exclusions.

    >>> conditions(Clause([Literal("dose", Op.GT, 1), Literal("dose", Op.LE, 3), Literal("on", Op.NE, True)]))
    ['1 < dose <= 3', 'NOT on']
    """
    written = []
    for column, group in groupby(clause, key=lambda literal: literal.column):
        literals, name = list(group), style.name(column)
        low, high = ([x for x in literals if x.op is op] for op in (Op.GT, Op.LE))
        excluded = [x for x in literals if x.op is Op.NE and x.kind is not Kind.BOOLEAN]
        if len(low) == len(high) == 1:
            bounds = style.value(_label(low[0])), style.value(_label(high[0]))
            written.append(f"{bounds[0]} {style.less} {name} {style.at_most} {bounds[1]}")
            literals = [x for x in literals if x not in (low[0], high[0])]
        if len(excluded) > 1:
            values = ", ".join(style.value(_label(x)) for x in excluded)
            written.append(f"{name} {style.not_in} {{{values}}}")
            literals = [x for x in literals if x not in excluded]
        written += [_literal(x, name, style) for x in literals]
    return written


def _literal(literal: Literal, name: str, style: Style) -> str:
    if literal.kind is Kind.BOOLEAN:
        return name if literal.positive else f"NOT {name}"
    return f"{name} {style.sign(literal.op)} {style.value(_label(literal))}"


def _label(literal: Literal) -> Label:
    value = literal.value
    assert isinstance(value, bool | int | float | str), "no variable holds dates"
    return value


def display_width(text: str) -> int:
    """Return how many terminal cells a text takes: wide letters take two, combining marks none."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


def text_table(rows: list[tuple[str, ...]]) -> str:
    """Align rows of texts, the first of which is the heading: the first column left, the others right."""
    widths = [max(map(display_width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        gaps = [" " * (width - display_width(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = [row[0] + gaps[0], *(gap + cell for cell, gap in zip(row[1:], gaps[1:], strict=True))]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
