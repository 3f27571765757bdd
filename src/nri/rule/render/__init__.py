"""Rule sets in other forms: for people, for files and for other languages.

Each format is one file with one function from a rule set and options to text; :data:`FORMATS`
names them all. To add one, write such a file and register it here.
"""

from collections.abc import Callable
from dataclasses import dataclass

from nri.errors import InputError
from nri.rule.render.as_json import from_json, render_json
from nri.rule.render.as_text import render_text
from nri.rule.render.options import RenderOptions
from nri.rule.ruleset import RuleSet

__all__ = ["FORMATS", "Format", "RenderOptions", "from_json", "render"]


@dataclass(frozen=True)
class Format:
    """A way of writing a rule set."""

    name: str
    suffix: str
    """Of a file in this format."""
    about: str
    write: Callable[[RuleSet, RenderOptions], str]


FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        Format("text", ".txt", "aligned text with precision and coverage", render_text),
        Format("json", ".json", "the file format, read back exactly", render_json),
    )
}
"""Every format by its name."""


def render(
    ruleset: RuleSet,
    form: str = "text",
    *,
    note: str | None = None,
    table: str | None = None,
    function: str = "predict",
) -> str:
    """Write a rule set in the format of that name; see :class:`RenderOptions` for the rest."""
    if form not in FORMATS:
        raise InputError(f"no format {form!r}: use one of {', '.join(FORMATS)}")
    return FORMATS[form].write(ruleset, RenderOptions(note, table, function))
