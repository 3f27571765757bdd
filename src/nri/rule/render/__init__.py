"""Rules in other forms: for people, for files and for other languages.

Each format is a function from a rule and options to text, with a template for what stands around the
conditions; :data:`FORMATS` names them all. To add one, write such a function and register it here.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nri.errors import InputError
from nri.rule.render.as_json import render_json
from nri.rule.render.as_logic import render_asp, render_prolog
from nri.rule.render.as_python import render_python
from nri.rule.render.as_table import HTML, LATEX, MARKDOWN, in_notebook
from nri.rule.render.as_text import render_points, render_text
from nri.rule.rule import RenderOptions, Rule, extend


@dataclass(frozen=True)
class Format:
    """A way of writing a rule."""

    suffix: str  # Of a file in this format.
    write: Callable[[Rule, RenderOptions], str]
    reduces: bool = True
    """Whether a rule that always says the same is written as that; not where it is read back by branch."""


def render_sql(rule: Rule, options: RenderOptions) -> str:
    """Write a rule as SQL; sqlglot is imported only then."""
    from nri.rule.render import sql

    return sql.render_sql(rule, options)


FORMATS = {
    "text": Format(".txt", render_text),
    "points": Format(".txt", render_points),
    "markdown": Format(".md", MARKDOWN.write),
    "html": Format(".html", HTML.write),
    "latex": Format(".tex", LATEX.write),
    "json": Format(".json", render_json, reduces=False),
    "sql": Format(".sql", render_sql),
    "python": Format(".py", render_python),
    "prolog": Format(".pl", render_prolog),
    "asp": Format(".lp", render_asp),
}
"""Every format by its name; of several with one ending the first is meant by it."""


def format_by_ending(path: Path) -> str | None:
    """Return the format whose files end so; None if the name has no ending."""
    names: dict[str, str] = {}
    for name, form in FORMATS.items():
        names.setdefault(form.suffix, name)
    suffix = path.suffix.lower()
    if suffix and suffix not in names:
        raise InputError(f"{path}: no format ends in {suffix!r}; end the name in {', '.join(names)}")
    return names.get(suffix)


def push_down(rule: Rule, table: Any) -> Any:
    """Return an ibis table with the rule's predictions beside its columns."""
    from nri.rule.render import sql

    return sql.push_down(rule, table)


extend(formats=FORMATS, in_notebook=in_notebook, push_down=push_down)
