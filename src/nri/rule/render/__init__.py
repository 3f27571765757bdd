"""Rule sets in other forms: for people, for files and for other languages.

Each format is one file with one function from a rule set and options to text; :data:`FORMATS`
names them all. To add one, write such a file and register it here.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nri.errors import InputError
from nri.rule.decision_list import DecisionList
from nri.rule.render.as_asp import asp_facts, render_asp
from nri.rule.render.as_html import render_html
from nri.rule.render.as_json import from_dict, from_json, render_json
from nri.rule.render.as_latex import render_latex
from nri.rule.render.as_markdown import render_markdown
from nri.rule.render.as_prolog import prolog_facts, render_prolog
from nri.rule.render.as_python import render_python
from nri.rule.render.as_sympy import render_sympy, to_sympy
from nri.rule.render.as_text import render_text
from nri.rule.render.numbers import NUMBER_FORM, segments_from_dict
from nri.rule.render.options import RenderOptions, settled
from nri.rule.render.segments import render_segments
from nri.rule.render.survival import SURVIVAL_FORM, survival_from_dict
from nri.rule.ruleset import RuleSet
from nri.rule.segments import Segments
from nri.rule.survival import SurvivalRule
from nri.rule.written import WrittenRule

__all__ = [
    "FORMATS",
    "Format",
    "RenderOptions",
    "any_rule_from_json",
    "asp_facts",
    "from_json",
    "prolog_facts",
    "render",
    "to_sympy",
]


@dataclass(frozen=True)
class Format:
    """A way of writing a rule set."""

    name: str
    suffix: str
    """Of a file in this format."""
    about: str
    write: Callable[[RuleSet, RenderOptions], str]


def render_sql(rule: DecisionList, options: RenderOptions) -> str:
    """Write a rule as SQL; sqlglot is imported only then."""
    from nri.rule.render import sql

    return sql.render_sql(rule, options)


FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        Format("text", ".txt", "aligned text with precision and coverage", render_text),
        Format("markdown", ".md", "a table for each rule", render_markdown),
        Format("html", ".html", "a fragment to put into a page", render_html),
        Format("latex", ".tex", "a tabular for each rule", render_latex),
        Format("json", ".json", "the file that nri reads back", render_json),
        Format("sql", ".sql", "a CASE expression or a statement, in ten dialects", render_sql),
        Format("python", ".py", "a function that needs nothing but Python", render_python),
        Format("prolog", ".pl", "a predicate over facts about cells", render_prolog),
        Format("asp", ".lp", "a clingo program over facts about cells", render_asp),
        Format("sympy", ".py", "source of a formula for each class", render_sympy),
    )
}
"""Every format by its name."""


_LITERAL = ("json", "sympy")
"""Formats that are read back clause by clause: they keep also a clause that always holds."""


def render(rule: WrittenRule, form: str = "text", **options: Any) -> str:
    """Write a rule in the format of that name; see :class:`RenderOptions` for the rest."""
    if isinstance(rule, Segments):
        return render_segments(NUMBER_FORM, rule, form, RenderOptions(**options))
    if isinstance(rule, SurvivalRule):
        return render_segments(SURVIVAL_FORM, rule, form, RenderOptions(**options))
    assert isinstance(rule, RuleSet)
    if form not in FORMATS:
        raise InputError(f"no format {form!r}: use one of {', '.join(FORMATS)}")
    told = rule if form in _LITERAL else settled(rule)
    return FORMATS[form].write(told, RenderOptions(**options))


def any_rule_from_json(text: str) -> RuleSet | Segments | SurvivalRule:
    """Read a rule for classes, for a number or for a time, whichever the text holds."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return from_json(text)  # says what is wrong
    if isinstance(data, dict) and data.get("format") == NUMBER_FORM.format:
        return segments_from_dict(data)
    if isinstance(data, dict) and data.get("format") == SURVIVAL_FORM.format:
        return survival_from_dict(data)
    return from_dict(data)
