"""Aligned text, for terminals and ``print``."""

import unicodedata

from nri.rule.evidence import Evidence
from nri.rule.labels import Label
from nri.rule.render.options import RenderOptions
from nri.rule.render.phrase import number, phrase_clause, phrase_label, phrase_name
from nri.rule.ruleset import ClassRule, RuleSet

_GAP = "     "
_WIDEST = 72
"""Clauses longer than this do not push the numbers of the others further right."""

Line = tuple[str, str]
"""What a line says, and the numbers beside it."""


def render_text(ruleset: RuleSet, options: RenderOptions) -> str:
    """Write IF, OR, THEN and ELSE lines with precision and coverage in one column."""
    ruled = [rule for rule in ruleset.rules if len(rule.rule)]
    if len(ruled) == 1:
        return _align(_single(ruleset, ruled[0], options))
    lines: list[Line] = []
    for rule in ruled:
        lines += [*_conditions(ruleset, rule), (f"THEN {_outcome(ruleset, rule.label)}", ""), ("", "")]
    opening = "ELSE" if ruled else "ALWAYS"
    numbers = _numbers(ruleset, ruleset.default_evidence, ruleset.index_of(ruleset.default))
    lines.append((f"{opening} {_outcome(ruleset, ruleset.default)}", numbers))
    if ruled:
        lines.append(("where several apply, the clause of the highest precision decides", ""))
    if options.note:
        lines.append((options.note, ""))
    return _align(lines)


def _single(ruleset: RuleSet, rule: ClassRule, options: RenderOptions) -> list[Line]:
    """One rule: the last line says THEN and ELSE."""
    otherwise = f"ELSE {phrase_label(ruleset.default)}"
    note = f"{options.note}   {otherwise}" if options.note else otherwise
    return [*_conditions(ruleset, rule), (f"THEN {_outcome(ruleset, rule.label)}", note)]


def _conditions(ruleset: RuleSet, rule: ClassRule) -> list[Line]:
    index = ruleset.index_of(rule.label)
    return [
        (f"{' OR' if i else 'IF '} ({phrase_clause(clause)})", _numbers(ruleset, evidence, index))
        for i, (clause, evidence) in enumerate(zip(rule.rule, rule.evidence, strict=True))
    ]


def _outcome(ruleset: RuleSet, label: Label) -> str:
    return f"{phrase_name(ruleset.target)} = {phrase_label(label)}"


def _numbers(ruleset: RuleSet, evidence: Evidence, index: int) -> str:
    share = evidence.share(index)
    precision = "precision    -" if share is None else f"precision {share:.2f}"
    return f"{precision}   covers {number(evidence.total)} of {number(ruleset.support.total)}"


def _align(lines: list[Line]) -> str:
    width = max((w for text, _ in lines if (w := display_width(text)) <= _WIDEST), default=0)
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
