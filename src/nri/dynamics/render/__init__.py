"""A system in other forms: for people, for other programs, and as a picture. One file for each."""

from collections.abc import Callable
from dataclasses import dataclass

from nri.dynamics.picture import influence_picture
from nri.dynamics.render.as_asp import render_asp
from nri.dynamics.render.as_bnet import render_bnet
from nri.dynamics.render.as_json import render_json
from nri.dynamics.render.as_prolog import render_prolog
from nri.dynamics.render.as_sbml import render_sbml
from nri.dynamics.render.as_text import render_text
from nri.dynamics.system import Dynamics
from nri.errors import InputError


@dataclass(frozen=True)
class SystemFormat:
    """A way of writing a system."""

    name: str
    suffix: str
    """of a file in this format"""
    write: Callable[[Dynamics], str]


FORMATS: dict[str, SystemFormat] = {
    form.name: form
    for form in (
        SystemFormat("text", ".txt", render_text),
        SystemFormat("json", ".json", render_json),
        SystemFormat("bnet", ".bnet", render_bnet),
        SystemFormat("prolog", ".pl", render_prolog),
        SystemFormat("asp", ".lp", render_asp),
        SystemFormat("sbml", ".sbml", render_sbml),
        SystemFormat("svg", ".svg", lambda system: str(influence_picture(system))),
    )
}
"""Every format by its name."""


def render_system(system: Dynamics, form: str = "text") -> str:
    """Write a system in the format of that name."""
    if form not in FORMATS:
        raise InputError(f"no format {form!r} for a system; use one of {', '.join(FORMATS)}")
    return FORMATS[form].write(system)
