"""HTML: a fragment to put into a page, with class names to style it by."""

from html import escape

from nri.rule.literal import Value
from nri.rule.render.options import RenderOptions
from nri.rule.render.phrase import (
    CONFLICTS,
    OutlineRule,
    Strength,
    Style,
    one_line,
    outline_of,
    phrase_clause,
    phrase_label,
    phrase_name,
    phrase_value,
)
from nri.rule.ruleset import RuleSet


def render_html(ruleset: RuleSet, options: RenderOptions) -> str:
    """Write a table for each rule; all names and values are escaped."""
    outline = outline_of(ruleset)
    target = _name(outline.target)
    parts = ['<div class="nri-ruleset">']
    for rule in outline.rules:
        parts.append(_table(rule, f"{target} = {escape(phrase_label(rule.label))}"))
    opening = "Otherwise" if outline.rules else "Always"
    strength, default = outline.default_strength, escape(phrase_label(outline.default))
    parts.append(
        f'<p class="nri-default">{opening} <strong>{target} = {default}</strong> '
        f"(precision {strength.precision}, covers {strength.covers})</p>"
    )
    if len(outline.rules) > 1:
        parts.append(f'<p class="nri-conflicts">{CONFLICTS.capitalize()}.</p>')
    if options.note:
        parts.append(f'<p class="nri-note">{escape(one_line(options.note))}</p>')
    parts.append("</div>")
    return "\n".join(parts) + "\n"


def _table(rule: OutlineRule, outcome: str) -> str:
    rows = [
        _row("or" if i else "if", phrase_clause(clause, STYLE), strength)
        for i, (clause, strength) in enumerate(rule.clauses)
    ]
    head = "<tr><td></td><td></td><th>precision</th><th>covers</th></tr>"
    last = f'<tr class="nri-outcome"><th>then</th><td colspan="3"><strong>{outcome}</strong></td></tr>'
    body = "\n".join([*rows, last])
    return f'<table class="nri-rule">\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>\n</table>'


def _row(opening: str, clause: str, strength: Strength) -> str:
    return (
        f"<tr><th>{opening}</th><td>{clause}</td><td>{strength.precision}</td><td>{strength.covers}</td></tr>"
    )


def _name(name: str) -> str:
    return escape(phrase_name(name))


def _value(value: Value) -> str:
    return escape(phrase_value(value))


STYLE = Style(
    name=lambda name: f'<span class="nri-column">{_name(name)}</span>',
    value=lambda value: f'<span class="nri-value">{_value(value)}</span>',
    negation="<em>not</em> {}",
    conjunction=" <em>and</em> ",
    counting="<em>at least {} of</em> ({})",
    greater="&gt;",
    less="&lt;",
    at_most="&le;",
    unequal="&ne;",
    not_in="&notin;",
)
