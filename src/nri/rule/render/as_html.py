"""HTML: a fragment to put into a page, with class names to style it by; and styled, for a notebook."""

from html import escape

from nri.rule.literal import Value
from nri.rule.phrase import Style, bare_name, phrase_clause, phrase_value
from nri.rule.render.outline import outline_of
from nri.rule.rule import RenderOptions, Rule


def render_html(rule: Rule, options: RenderOptions) -> str:
    """Write one table of branches; all names and values are escaped."""
    outline = outline_of(rule, options)
    titles = [_name(outline.target), *map(escape, outline.titles[1:])]
    if rule.predicts.kind == "survival":
        titles = list(map(escape, outline.titles))
    head = "".join(f"<th>{title}</th>" for title in titles)
    rows = []
    for line in outline.lines:
        condition = f"<em>any {'other ' if line.opening == 'else' else ''}row</em>"
        if line.clause is not None:
            condition = phrase_clause(line.clause, STYLE)
        first, *others = map(escape, line.cells)
        cells = "".join(f"<td>{cell}</td>" for cell in (f"<strong>{first}</strong>", *others))
        rows.append(f"<tr><th>{line.opening}</th><td>{condition}</td>{cells}</tr>")
    body = "\n".join(rows)
    note = f'<p class="nri-note">{escape(outline.note)}</p>\n' if outline.note else ""
    return (
        f'<div class="nri-ruleset">\n<table class="nri-rule">\n'
        f"<thead><tr><td></td><td></td>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"
        f"{note}</div>\n"
    )


def _name(name: str) -> str:
    return escape(bare_name(name))


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

_LOOKS = """
.nri-notebook { --ink: #1b2430; --soft: #5a6472; --line: #e4e1da; --card: #fff; --green: #1d6b5a;
  --chip: #f1f0ec;
  color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: .75rem;
  padding: .8rem 1.1rem; max-width: 60rem; overflow-x: auto;
  font: .95rem/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "Liberation Sans", sans-serif; }
@media (prefers-color-scheme: dark) {
  .nri-notebook { --ink: #e6eaee; --soft: #a2adb9; --line: #2b343d; --card: #1a2128; --green: #58bfa3;
    --chip: #252e37; }
}
.nri-notebook table.nri-rule { border-collapse: collapse; margin: .2rem 0 .6rem; border: 0; color: inherit; }
.nri-notebook .nri-rule tr, .nri-notebook .nri-rule thead { background: none; border: 0; }
.nri-notebook .nri-rule th, .nri-notebook .nri-rule td { text-align: left; padding: .35rem .9rem .35rem 0;
  border: 0; border-bottom: 1px solid var(--line); vertical-align: baseline;
  font-variant-numeric: tabular-nums; color: inherit; max-width: none; }
.nri-notebook .nri-rule :is(th, td):nth-child(n + 3) { white-space: nowrap; }
.nri-notebook .nri-rule thead th { color: var(--soft); font-weight: 500; font-size: .85rem; }
.nri-notebook .nri-rule tbody th { color: var(--green); font-weight: 650; }
.nri-notebook .nri-column { background: var(--chip); border-radius: .3rem; padding: .05rem .35rem; }
.nri-notebook .nri-value { font-weight: 650; }
.nri-notebook em { color: var(--soft); font-style: normal; }
.nri-notebook p { margin: .3rem 0; }
@media (max-width: 40rem) {
  .nri-notebook { padding: .5rem .7rem; font-size: .85rem; }
  .nri-notebook .nri-rule th, .nri-notebook .nri-rule td { padding-right: .5rem; }
}
.nri-notebook .nri-note { color: var(--soft); font-size: .875rem; }
"""


def in_notebook(fragment: str) -> str:
    """Return an HTML fragment of a rule with its style; it loads nothing and runs nothing."""
    return f'<div class="nri-notebook">\n<style>{_LOOKS}</style>\n{fragment}</div>\n'
