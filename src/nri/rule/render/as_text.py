"""Aligned text, for terminals and ``print``."""

import unicodedata

from nri.rule.clause import Clause
from nri.rule.labels import Label
from nri.rule.render.options import RenderOptions
from nri.rule.render.phrase import (
    CONFLICTS,
    PLAIN,
    Outline,
    OutlineRule,
    Strength,
    one_line,
    outline_of,
    parts_of,
    phrase_label,
    phrase_name,
    phrase_part,
)
from nri.rule.ruleset import RuleSet

_GAP = "     "
_WIDEST = 64
"""Clauses longer than this go on in the next line, so that the numbers stay in sight."""

Line = tuple[str, str]
"""What a line says, and the numbers beside it."""


def render_text(ruleset: RuleSet, options: RenderOptions) -> str:
    """Write IF, OR, THEN and ELSE lines with precision and coverage in one column."""
    outline = outline_of(ruleset)
    note = one_line(options.note or "")
    if len(outline.rules) == 1:
        return aligned(_single(outline, note))
    lines: list[Line] = []
    for rule in outline.rules:
        lines += [*_conditions(rule), (f"THEN {_outcome(outline, rule.label)}", ""), ("", "")]
    opening = "ELSE" if outline.rules else "ALWAYS"
    lines.append((f"{opening} {_outcome(outline, outline.default)}", _numbers(outline.default_strength)))
    if outline.rules:
        lines.append((f"({CONFLICTS})", ""))
    if note:
        lines.append((note, ""))
    return aligned(lines)


def _single(outline: Outline, note: str) -> list[Line]:
    """One rule: the last line says THEN and ELSE."""
    (rule,) = outline.rules
    otherwise = f"ELSE {phrase_label(outline.default)}"
    beside = f"{note}   {otherwise}" if note else otherwise
    return [*_conditions(rule), (f"THEN {_outcome(outline, rule.label)}", beside)]


def _conditions(rule: OutlineRule) -> list[Line]:
    lines: list[Line] = []
    for i, (clause, strength) in enumerate(rule.clauses):
        first, *rest = wrapped(clause)
        lines.append((f"{' OR' if i else 'IF '} {first}", _numbers(strength)))
        lines += [(f"     {more}", "") for more in rest]
    return lines


def wrapped(clause: Clause) -> list[str]:
    """Write a clause and its brackets in lines that are broken after an AND, or after a member."""
    *parts, last = [phrase_part(part, PLAIN) for part in parts_of(clause)] or [PLAIN.always]
    opening, between = "(", " AND"
    if clause.counts:
        opening, between = PLAIN.counting.rpartition("{}")[0].format(clause.at_least), ","
    lines = [opening]
    for part in (*(f"{part}{between}" for part in parts), f"{last})"):
        longer = lines[-1] + part if lines == [opening] else f"{lines[-1]} {part}"
        indent = 4 if len(lines) == 1 else 5
        if lines != [opening] and display_width(longer) > _WIDEST - indent:
            lines.append(part)
        else:
            lines[-1] = longer
    return lines


def _outcome(outline: Outline, label: Label) -> str:
    return f"{phrase_name(outline.target)} = {phrase_label(label)}"


def _numbers(strength: Strength) -> str:
    return f"precision {strength.precision:<4}   covers {strength.covers}"


def aligned(lines: list[Line]) -> str:
    """Write lines with what stands beside them in one column."""
    width = max((w for text, beside in lines if beside and (w := display_width(text)) <= _WIDEST), default=0)
    return "\n".join(
        f"{text}{' ' * (width - display_width(text))}{_GAP}{beside}" if beside else text
        for text, beside in lines
    )


def display_width(text: str) -> int:
    """Return how many terminal cells a text takes: wide letters take two, combining marks none.

    >>> display_width("fever"), display_width("発熱")
    (5, 4)
    """
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    marks = sum(unicodedata.combining(c) != 0 for c in text)
    return len(text) + wide - marks
