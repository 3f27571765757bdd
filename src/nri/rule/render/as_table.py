"""Tables of branches: Markdown (GitHub's flavour), LaTeX without packages, HTML for a page or a notebook.

All three write the rows of :func:`rows_of`; a :class:`Markup` says how.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from nri.rule.phrase import Style, bare_name, phrase_clause, phrase_name, phrase_value
from nri.rule.render.as_text import Outline, outline_of
from nri.rule.rule import RenderOptions, Rule


@dataclass(frozen=True)
class Markup:
    """How one format writes what stands in a table."""

    escape: Callable[[str], str]
    """writes text so that no character in it is markup"""
    name: Callable[[str], str]
    """writes the name of a column"""
    style: Style
    emphasis: str
    strong: str


def rows_of(rule: Rule, outline: Outline, markup: Markup) -> list[list[str]]:
    """Return the cells of the table: the headings, then a row for each branch, the ELSE last."""
    titles = [markup.escape(title) for title in outline.titles]
    if rule.predicts.kind != "survival":
        titles[0] = markup.escape(markup.name(outline.target))
    rows = [["", "", *titles]]
    for line in outline.lines:
        if line.clause is None:
            any_row = "any other row" if line.opening == "else" else "any row"
            condition = markup.emphasis.format(any_row)
        else:
            condition = phrase_clause(line.clause, markup.style)
        first, *others = map(markup.escape, line.cells)
        rows.append([line.opening, condition, markup.strong.format(first), *others])
    return rows


def render_markdown(rule: Rule, options: RenderOptions) -> str:
    """Write the rule as a table of GitHub's Markdown."""
    outline = outline_of(rule, options)
    (_, _, *titles), *rows = rows_of(rule, outline, MARKDOWN)
    lines = [f"| | condition | {' | '.join(titles)} |", "|---" * (len(titles) + 2) + "|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    notes = [f"\n{escaped(note)}\n" for note in outline.note.splitlines()]
    return "\n".join(lines) + "\n" + "".join(notes)


def escaped(text: str) -> str:
    """Write text so that no character in it is markup of Markdown."""
    return re.sub(r"([\\`*_\[\]<>|~&#$])", r"\\\1", text)


MARKDOWN = Markup(
    escaped,
    phrase_name,
    Style(
        name=lambda name: escaped(phrase_name(name)),
        value=lambda value: escaped(phrase_value(value)),
        negation="**not** {}",
        conjunction=" **and** ",
        counting="**at least {} of** ({})",
        at_most="≤",
        unequal="≠",
        not_in="∉",
    ),
    emphasis="*{}*",
    strong="**{}**",
)


def render_latex(rule: Rule, options: RenderOptions) -> str:
    """Write the rule as one tabular; all that is special to LaTeX is escaped."""
    outline = outline_of(rule, options)
    (_, _, *titles), *rows = rows_of(rule, outline, LATEX)
    lines = [rf"\begin{{tabular}}{{ll{'r' * len(titles)}}}", rf" & & {' & '.join(titles)} \\", r"\hline"]
    lines += [rf"{' & '.join(row)} \\" for row in rows]
    table = "\n".join([*lines, r"\end{tabular}"])
    return "\n\n".join([table, *map(_latex, outline.note.splitlines())]) + "\n"


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}


def _latex(text: str) -> str:
    return "".join(_SPECIAL.get(c, c) for c in text)


LATEX = Markup(
    _latex,
    phrase_name,
    Style(
        name=lambda name: _latex(phrase_name(name)),
        value=lambda value: _latex(phrase_value(value)),
        negation=r"\emph{{not}} {}",
        conjunction=r" \emph{and} ",
        counting=r"\emph{{at least {} of}} ({})",
        greater="$>$",
        less="$<$",
        at_most=r"$\le$",
        equal="$=$",
        unequal=r"$\ne$",
        not_in=r"$\notin$",
        set_of=r"\{{{}\}}",
    ),
    emphasis=r"\emph{{{}}}",
    strong=r"\textbf{{{}}}",
)


def render_html(rule: Rule, options: RenderOptions) -> str:
    """Write a fragment with class names to style it by; all names and values are escaped."""
    outline = outline_of(rule, options)
    (_, _, *titles), *rows = rows_of(rule, outline, HTML)
    head = "".join(f"<th>{title}</th>" for title in titles)
    body = "\n".join(
        f"<tr><th>{opening}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        for opening, *cells in rows
    )
    notes = "".join(f'<p class="nri-note">{escape(note)}</p>\n' for note in outline.note.splitlines())
    return (
        f'<div class="nri-ruleset">\n<table class="nri-rule">\n'
        f"<thead><tr><td></td><td></td>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"
        f"{notes}</div>\n"
    )


HTML = Markup(
    escape,
    bare_name,
    Style(
        name=lambda name: f'<span class="nri-column">{escape(bare_name(name))}</span>',
        value=lambda value: f'<span class="nri-value">{escape(phrase_value(value))}</span>',
        negation="<em>not</em> {}",
        conjunction=" <em>and</em> ",
        counting="<em>at least {} of</em> ({})",
        greater="&gt;",
        less="&lt;",
        at_most="&le;",
        unequal="&ne;",
        not_in="&notin;",
    ),
    emphasis="<em>{}</em>",
    strong="<strong>{}</strong>",
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
