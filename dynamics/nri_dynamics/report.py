"""Report: one HTML page with the influence graph of a system, its rules, and where it ends up."""

from importlib.metadata import version

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from nri.errors import one_line
from nri.rule import Clause
from nri_dynamics.attractors import Attractors
from nri_dynamics.formats.text import heading, notes
from nri_dynamics.picture import influence_picture
from nri_dynamics.system import Dynamics
from nri_dynamics.wording import PAGE, conditions, page_name, plain_value

_MOST_STATES = 1 << 16
"""States up to which the attractors of a system are computed for its report."""
_SHOWN = 24
"""Attractors that are shown."""


def render_report(system: Dynamics, source: str | None = None) -> str:
    """Write the page: one file that loads nothing, without any row of the table.

    ``source`` names the file of the transitions.
    """
    attractors = system.attractors() if system.n_states <= _MOST_STATES else None
    environment = Environment(
        loader=PackageLoader("nri_dynamics"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "percent": _percent,
        "label": plain_value,
        "name": page_name,
        "heading": lambda variable: heading(variable, page_name),
        "conditions": _conditions,
    }
    return environment.get_template("report.html").render(
        title=f"How {len(system.variables)} variables move",
        version=version("nri"),
        system=system,
        source=one_line(source or ""),
        picture=influence_picture(system),
        notes=notes,
        attractors=None if attractors is None else _shown(system, attractors),
        n_attractors=None if attractors is None else (len(attractors.fixed_points), len(attractors.cycles)),
    )


def _percent(share: float) -> str:
    """Write a share in percent; only a whole share is written as 0 or 100."""
    if 0.995 <= share < 1:
        return f"{min(share * 100, 99.9):.1f}\u00a0%"
    if 0 < share < 0.005:
        return f"{max(share * 100, 0.1):.1f}\u00a0%"
    return f"{share * 100:.0f}\u00a0%"


def _conditions(clause: Clause) -> Markup:
    parts = [f'<span class="condition">{one}</span>' for one in conditions(clause, PAGE) or ["always"]]
    return Markup(' <span class="and">and</span> '.join(parts))


def _shown(system: Dynamics, attractors: Attractors) -> list[tuple[str, float, list[list[str]]]]:
    """Return the kind of each attractor, the share of states that lead to it, and its states."""
    rows = []
    every = [*((state,) for state in attractors.fixed_points), *attractors.cycles]
    for states, share in zip(every, attractors.basins or (), strict=True):
        kind = "fixed point" if len(states) == 1 else f"cycle of {len(states)} states"
        values = [[one.written(state[one.name]) for one in system.variables] for state in states]
        rows.append((kind, share, values))
    return sorted(rows, key=lambda one: -one[1])[:_SHOWN]
