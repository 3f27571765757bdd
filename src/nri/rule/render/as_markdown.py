"""Markdown: one table of branches (GitHub's flavour)."""

import re

from nri.rule.literal import Value
from nri.rule.phrase import Style, phrase_clause, phrase_name, phrase_value
from nri.rule.render.outline import outline_of
from nri.rule.rule import RenderOptions, Rule


def render_markdown(rule: Rule, options: RenderOptions) -> str:
    """Write the rule as a table: a row for each branch, the ELSE last."""
    outline = outline_of(rule, options)
    titles = (_name(outline.target), *map(escaped, outline.titles[1:]))
    if rule.predicts.kind == "survival":
        titles = tuple(map(escaped, outline.titles))
    rows = [f"| | condition | {' | '.join(titles)} |", "|---" * (len(titles) + 2) + "|"]
    for line in outline.lines:
        condition = "*any other row*" if line.opening == "else" else "*any row*"
        if line.clause is not None:
            condition = phrase_clause(line.clause, STYLE)
        first, *others = map(escaped, line.cells)
        rows.append(f"| {line.opening} | {condition} | {' | '.join((f'**{first}**', *others))} |")
    note = f"\n{escaped(outline.note)}\n" if outline.note else ""
    return "\n".join(rows) + "\n" + note


def escaped(text: str) -> str:
    """Write text so that no character in it is markup."""
    return re.sub(r"([\\`*_\[\]<>|~&#$])", r"\\\1", text)


def _name(name: str) -> str:
    return escaped(phrase_name(name))


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
