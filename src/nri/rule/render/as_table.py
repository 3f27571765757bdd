"""Tables of branches: Markdown (GitHub's flavour), LaTeX without packages, HTML for a page or a notebook.

Each has a template, ``signs.toml`` says how it writes names, values and signs.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from html import escape
from importlib.resources import files
from typing import Any

from nri.rule.phrase import Style, bare_name, phrase_clause, phrase_name, phrase_value
from nri.rule.render.as_text import outline_of
from nri.rule.rule import RenderOptions, Rule


@dataclass(frozen=True)
class Markup:
    """How one format writes what stands in a table."""

    form: str
    escape: Callable[[str], str]  # writes text so that no character in it is markup
    name: Callable[[str], str] = phrase_name  # writes the name of a column

    @cached_property
    def style(self) -> Style:
        """How conditions are written."""
        import tomllib

        signs = tomllib.loads(packaged("signs.toml"))[self.form]
        column, value = signs.pop("column", "{}"), signs.pop("value", "{}")
        return Style(
            name=lambda name: column.format(self.escape(self.name(name))),
            value=lambda one: value.format(self.escape(phrase_value(one))),
            **signs,
        )

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
            f"{self.form}.jinja",
            titles=[self.escape(title) for title in titles],
            lines=lines,
            other="other " if rule.branches else "",
            notes=[self.escape(note) for note in outline.note.splitlines()],
        )


_NAMED = {"\\": "backslash", "~": "asciitilde", "^": "asciicircum", "<": "less", ">": "greater", "|": "bar"}
_SPECIAL = {ord(c): rf"\text{name}{{}}" for c, name in (_NAMED | {'"': "quotedbl"}).items()}
_SPECIAL |= {ord(c): f"\\{c}" for c in "&%$#_{}"}

MARKDOWN = Markup("markdown", lambda text: re.sub(r"([\\`*_\[\]<>|~&#$])", r"\\\1", text))
LATEX = Markup("latex", lambda text: text.translate(_SPECIAL))
HTML = Markup("html", escape, bare_name)


def in_notebook(fragment: str) -> str:
    """Return an HTML fragment of a rule with its style; it loads nothing and runs nothing."""
    return f'<div class="nri-notebook">\n<style>\n{packaged("notebook.css")}</style>\n{fragment}</div>\n'


def fill(name: str, **values: Any) -> str:
    """Return the text of a template with its values, which are written as they are."""
    from jinja2 import Template

    template = Template(packaged(name), trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    return str(template.render(values))


def packaged(name: str) -> str:
    """Return the text of a file that lies beside this one."""
    return (files("nri.rule.render") / name).read_text(encoding="utf-8")
