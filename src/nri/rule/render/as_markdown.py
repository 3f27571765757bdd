"""Markdown: one table for each rule (GitHub's flavour)."""

import re

from nri.rule.labels import Label
from nri.rule.literal import Value
from nri.rule.render.options import RenderOptions
from nri.rule.render.phrase import (
    CONFLICTS,
    Style,
    one_line,
    outline_of,
    phrase_clause,
    phrase_name,
    phrase_value,
)
from nri.rule.ruleset import RuleSet


def render_markdown(ruleset: RuleSet, options: RenderOptions) -> str:
    """Write each rule as a table of clauses."""
    outline = outline_of(ruleset)
    target = _name(outline.target)
    blocks = []
    for rule in outline.rules:
        rows = ["| | if | precision | covers |", "|---|---|---|---|"]
        for i, (clause, strength) in enumerate(rule.clauses):
            opening = "or" if i else ""
            rows.append(
                f"| {opening} | {phrase_clause(clause, STYLE)} | {strength.precision} | {strength.covers} |"
            )
        blocks.append(f"**{target} = {_label(rule.label)}**\n\n" + "\n".join(rows))
    opening = "Otherwise" if outline.rules else "Always"
    strength = outline.default_strength
    blocks.append(
        f"{opening} **{target} = {_label(outline.default)}** "
        f"(precision {strength.precision}, covers {strength.covers})."
    )
    if len(outline.rules) > 1:
        blocks.append(f"{CONFLICTS.capitalize()}.")
    if options.note:
        blocks.append(escaped(one_line(options.note)))
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    """Write text so that no character in it is markup."""
    return re.sub(r"([\\`*_\[\]<>|~&#$])", r"\\\1", text)


def _name(name: str) -> str:
    return escaped(phrase_name(name))


def _label(label: Label) -> str:
    return escaped(phrase_value(label))


def _value(value: Value) -> str:
    return escaped(phrase_value(value))


STYLE = Style(
    name=_name,
    value=_value,
    negation="**not** {}",
    conjunction=" **and** ",
    counting="**at least {} of** ({})",
    at_most="≤",
    unequal="≠",
    not_in="∉",
)
