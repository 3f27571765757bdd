"""Rules in other forms: for people, for files and for other languages.

Each format is a function from a rule and options to text, with a template for what stands around the
conditions; :data:`FORMATS` names them all. To add one, write such a function and register it here.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from nri.errors import InputError
from nri.rule.render.as_json import render_json
from nri.rule.render.as_logic import render_asp, render_prolog
from nri.rule.render.as_python import render_python
from nri.rule.render.as_table import HTML, LATEX, MARKDOWN
from nri.rule.render.as_text import render_points, render_text
from nri.rule.rule import RenderOptions, Rule


@dataclass(frozen=True)
class Format:
    """A way of writing a rule."""

    name: str
    suffix: str  # Of a file in this format.
    about: str
    write: Callable[[Rule, RenderOptions], str]
    settles: bool = True
    """Whether a rule that always says the same is written as that; not where it is read back by branch."""


def render_sql(rule: Rule, options: RenderOptions) -> str:
    """Write a rule as SQL; sqlglot is imported only then."""
    from nri.rule.render import sql

    return sql.render_sql(rule, options)


FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        Format("text", ".txt", "aligned text with shares and rows", render_text),
        Format("points", ".txt", "the same with each count as points to add up", render_points),
        Format("markdown", ".md", "a table of branches", MARKDOWN.write),
        Format("html", ".html", "a fragment to put into a page", HTML.write),
        Format("latex", ".tex", "a tabular of branches", LATEX.write),
        Format("json", ".json", "the file that nri reads back", render_json, settles=False),
        Format("sql", ".sql", "a CASE expression or a statement, in ten dialects", render_sql),
        Format("python", ".py", "a function that needs nothing but Python", render_python),
        Format("prolog", ".pl", "a predicate over facts about cells", render_prolog),
        Format("asp", ".lp", "a clingo program over facts about cells", render_asp),
    )
}
"""Every format by its name."""


def format_by_ending(path: Path, formats: Iterable[Format] = FORMATS.values()) -> str | None:
    """Return the first format whose files end so; None if the name has no ending."""
    names: dict[str, str] = {}
    for form in formats:
        names.setdefault(form.suffix, form.name)
    suffix = path.suffix.lower()
    if suffix and suffix not in names:
        raise InputError(f"{path}: no format ends in {suffix!r}; end the name in {', '.join(names)}")
    return names.get(suffix)
