"""The report of a system: its influence graph, its rules, what they rest on, and where it ends up."""

from functools import partial

from markupsafe import Markup

from nri.dynamics.attractors import Attractors
from nri.dynamics.picture import influence_picture
from nri.dynamics.render.as_text import heading, notes
from nri.dynamics.system import Dynamics
from nri.report.page import fill
from nri.rule.phrase import BARE, one_line

_MOST_STATES = 1 << 16
"""States of a system whose attractors are worked out for a report, where nobody waits for a solver."""
_SHOWN = 24
"""Attractors that are shown."""


def render_dynamics_report(system: Dynamics, source: str | None = None) -> str:
    """Write the page: one file that loads nothing from anywhere, without any row of the table.

    Parameters
    ----------
    system
        What was learned.
    source
        Where the transitions came from.
    """
    found = system.attractors() if system.n_states <= _MOST_STATES else None
    return fill(
        "dynamics.html",
        f"How {len(system.variables)} variables move",
        system=system,
        source=one_line(source or ""),
        picture=Markup(influence_picture(system)),
        rule_heading=partial(heading, style=BARE),
        notes=notes,
        attractors=None if found is None else _shown(system, found),
        n_attractors=None if found is None else (len(found.fixed_points), len(found.cycles)),
    )


def _shown(system: Dynamics, found: Attractors) -> list[tuple[str, float, list[list[str]]]]:
    """Return for each attractor what it is, the share of states that lead to it, and its states."""
    told = []
    basins = found.basins or ()
    every = [*((state,) for state in found.fixed_points), *found.cycles]
    for states, share in zip(every, basins, strict=True):
        name = "fixed point" if len(states) == 1 else f"cycle of {len(states)} states"
        values = [[one.written(state[one.name]) for one in system.variables] for state in states]
        told.append((name, share, values))
    return sorted(told, key=lambda one: -one[1])[:_SHOWN]
