"""Rules in a person's words: ``3 < age <= 7``, ``colour not in {blue, red}``.

A clause is cut into *parts*, each about one column, which all formats write in their :class:`Style`.
"""

import datetime as dt
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby

from nri.rule.literal import Clause, Kind, Literal, Op, Value
from nri.texts import one_line

_ESCAPE = re.compile(r"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|U00(?:0[0-9a-f]|10)[0-9a-f]{4}|.)")
_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_NAME = re.compile(r"[\w\-.#%&/()\[\]:+']+( [\w\-.#%&/()\[\]:+']+)*")
_VALUE = re.compile(r"[\w\-.#%&/:+']+( [\w\-.#%&/:+']+)*")
_OPERATOR_WORD = re.compile(r"(?i)\b(and|or|not|if|then|else|true|false|always|never|at least)\b")


def phrase_name(name: str) -> str:
    """Write a column's name: as it is if it cannot be misread, else in quotes."""
    plain = _NAME.fullmatch(name) and not _OPERATOR_WORD.search(name) and not _is_arithmetic(name)
    return name if plain else quoted(name)


def name_pattern(name: str, behind: str, before: str = "") -> str:
    """Return a format string around a column's name, whose own braces stand for themselves."""
    return before + phrase_name(name).replace("{", "{{").replace("}", "}}") + behind


def bare_name(name: str) -> str:
    """Write a column's name where something else bounds it, such as a chip, a cell or a heading."""
    return one_line(name) if name.strip() else quoted(name)  # of a blank there is nothing to see


def phrase_value(value: Value) -> str:
    """Write a value: text in quotes only if it could be misread, dates without an idle midnight."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dt.datetime):
        midnight = value.time() == dt.time()
        return value.date().isoformat() if midnight else value.isoformat(sep=" ")
    if isinstance(value, str):
        plain = _VALUE.fullmatch(value) and not _OPERATOR_WORD.search(value) and not _is_number(value)
        return value if plain else quoted(value)
    return repr(value)


phrase_label = phrase_value


def quoted(text: str) -> str:
    """Put text in double quotes on one line, with everything that does not print as an escape."""
    return one_line(json.dumps(text, ensure_ascii=False))


def unquoted(text: str) -> str:
    """Return what :func:`quoted` has put in quotes."""
    return _ESCAPE.sub(lambda match: _unescaped(match[1]), text[1:-1])


def _unescaped(escape: str) -> str:
    return chr(int(escape[1:], 16)) if len(escape) > 1 else _LETTERS.get(escape, escape)


def phrase_share(value: float) -> str:
    """Write a share in two digits, in three where two would make it none or all."""
    if 0 < value < 0.005:
        return f"{max(value, 0.001):.3f}"
    return f"{min(value, 0.999):.3f}" if 0.995 <= value < 1 else f"{value:.2f}"


def phrase_percent(share: float) -> str:
    """Write a share as a percentage of two digits, of three where two would make it all."""
    if share >= 0.995:
        return "100" if share >= 1 else f"{min(100 * share, 99.9):.1f}"
    return f"{max(100 * share, 0.001):.2g}"


def number(value: float) -> str:
    """Write a count: without decimals if whole, else with one."""
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.1f}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_arithmetic(text: str) -> bool:
    """Whether a name reads as a number or a sum: ``2021``, ``1e5``, ``18-30``."""
    return _is_number(text) or (any(map(str.isdigit, text)) and not any(map(str.isalpha, text)))


@dataclass(frozen=True)
class Joined:
    """What several literals say of one column: it is between two values, none of some, or known."""

    column: str
    how: str  # between (above the first value, at most the second), not in or known
    values: tuple[Value, ...] = ()


Part = Literal | Joined


@dataclass(frozen=True)
class Style:
    """How one format writes names, values and signs."""

    name: Callable[[str], str] = phrase_name
    value: Callable[[Value], str] = phrase_value
    negation: str = "NOT {}"
    conjunction: str = " AND "
    counting: str = "AT LEAST {} OF ({})"
    always: str = "always"
    known: str = "{} is known"
    equal: str = "="
    unequal: str = "!="
    greater: str = ">"
    less: str = "<"
    at_most: str = "<="
    not_in: str = "not in"
    set_of: str = "{{{}}}"


PLAIN = Style()  # Plain text.
BARE = Style(name=bare_name)
"""Text on a page that bounds names by its looks, so that quotes around them would only be code."""


def parts_of(clause: Clause) -> list[Part]:
    """Cut a clause into parts: bounds join, and so do several exclusions; members of a count stay apart."""
    if clause.asks_known:
        return [Joined(clause.columns[0], "known")]
    if clause.counts:
        return list(clause)
    parts: list[Part] = []
    for column, group in groupby(clause, key=lambda literal: literal.column):
        literals = list(group)
        low, high = ([x for x in literals if x.op is op] for op in (Op.GT, Op.LE))
        excluded = [x for x in literals if x.op is Op.NE and x.kind is not Kind.BOOLEAN]
        if len(low) == len(high) == 1 and low[0].kind is high[0].kind:
            parts.append(Joined(column, "between", (low[0].value, high[0].value)))
            literals = [x for x in literals if x not in (low[0], high[0])]
        if len(excluded) > 1:
            parts.append(Joined(column, "not in", tuple(x.value for x in excluded)))
            literals = [x for x in literals if x not in excluded]
        parts.extend(literals)
    return parts


def phrase_part(part: Part, style: Style = PLAIN) -> str:
    """Write one part, such as a literal."""
    name = style.name(part.column)
    if isinstance(part, Joined):
        values = [style.value(value) for value in part.values]
        if part.how == "between":
            return f"{values[0]} {style.less} {name} {style.at_most} {values[1]}"
        listed = style.set_of.format(", ".join(values))
        return f"{name} {style.not_in} {listed}" if values else style.known.format(name)
    if part.kind is Kind.BOOLEAN:
        return name if part.positive else style.negation.format(name)
    signs = {Op.EQ: style.equal, Op.NE: style.unequal, Op.GT: style.greater, Op.LE: style.at_most}
    return f"{name} {signs[part.op]} {style.value(part.value)}"


phrase_literal = phrase_part


def phrase_clause(clause: Clause, style: Style = PLAIN) -> str:
    """Write a clause.

    >>> phrase_clause(Clause([Literal("age", Op.GT, 3), Literal("age", Op.LE, 7)]))
    '3 < age <= 7'
    >>> phrase_clause(Clause([Literal("age", Op.GT, 50), Literal("fever", Op.EQ, "yes")], at_least=1))
    'AT LEAST 1 OF (age > 50, fever = yes)'
    """
    parts = [phrase_part(part, style) for part in parts_of(clause)]
    if len(parts) > 1 and clause.counts:
        return style.counting.format(clause.at_least, ", ".join(parts))
    return style.conjunction.join(parts) or style.always
