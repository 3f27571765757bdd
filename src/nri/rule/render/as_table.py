"""Tables of branches: Markdown (GitHub's flavour), LaTeX without packages, HTML for a page or a notebook.

A :class:`Markup` says how each writes names, values and signs, and a template what stands around them.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any

from nri.rule.phrase import Style, bare_name, phrase_clause, phrase_name, phrase_value
from nri.rule.render.as_text import outline_of
from nri.rule.rule import RenderOptions, Rule


@dataclass(frozen=True)
class Markup:
    """How one format writes what stands in a table."""

    template: str
    escape: Callable[[str], str]
    """writes text so that no character in it is markup"""
    name: Callable[[str], str]
    """writes the name of a column"""
    style: Style

    def write(self, rule: Rule, options: RenderOptions) -> str:
        """Write a table: headings, a line for each branch, the ELSE last, and notes."""
        outline = outline_of(rule, options)
        titles = list(outline.titles)
        if rule.predicts.kind != "survival":
            titles[0] = self.name(outline.target)
        lines = []
        for line in outline.lines:
            first, *others = map(self.escape, line.cells)
            condition = "" if line.clause is None else phrase_clause(line.clause, self.style)
            lines.append((line.opening, condition, first, others))
        return fill(
            self.template,
            titles=[self.escape(title) for title in titles],
            lines=lines,
            other="other " if rule.branches else "",
            notes=[self.escape(note) for note in outline.note.splitlines()],
        )


def escaped(text: str) -> str:
    """Write text so that no character in it is markup of Markdown."""
    return re.sub(r"([\\`*_\[\]<>|~&#$])", r"\\\1", text)


MARKDOWN = Markup(
    "markdown.jinja",
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
)


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
    "latex.jinja",
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
)


HTML = Markup(
    "html.jinja",
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
)


def in_notebook(fragment: str) -> str:
    """Return an HTML fragment of a rule with its style; it loads nothing and runs nothing."""
    style = (files("nri.rule.render") / "notebook.css").read_text(encoding="utf-8")
    return f'<div class="nri-notebook">\n<style>\n{style}</style>\n{fragment}</div>\n'


def fill(name: str, **values: Any) -> str:
    """Return the text of a template with its values, which are written as they are."""
    from jinja2 import Template

    source = (files("nri.rule.render") / name).read_text(encoding="utf-8")
    template = Template(source, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    return str(template.render(values))
