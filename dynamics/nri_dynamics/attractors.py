"""Attractors: the fixed points and cycles of a system, where it ends up.

In a small system every state is tried, which gives all attractors and the share of states that lead to
each. In a larger one clingo finds all fixed points and all cycles up to a length; longer cycles may exist.
"""

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nri.errors import InputError
from nri.rule import Label
from nri_dynamics.arrays import IntArray
from nri_dynamics.influence import all_cells

if TYPE_CHECKING:
    from nri_dynamics.system import Dynamics

_MOST_STATES = 1 << 18
"""States up to which every one is tried."""
_MOST_LISTED = 1000
"""Attractors that the solver lists at most."""
MAX_LENGTH = 4
"""Longest cycle that the solver looks for by default."""

States = tuple[dict[str, Label], ...]


@dataclass(frozen=True)
class Attractors:
    """Where a system ends up."""

    fixed_points: States
    cycles: tuple[States, ...]
    """each from its first state in order, without repeating it"""
    basins: tuple[float, ...] | None
    """share of all states that lead to each fixed point and then to each cycle; None if not counted"""
    longest: int | None
    """the longest cycle that was looked for; None if all were found"""
    is_all: bool = True
    """whether all fixed points and all cycles up to that length are listed"""


def attractors_of(system: "Dynamics", max_length: int | None = None) -> Attractors:
    """Find the attractors, by trying all states or by clingo."""
    if system.n_states <= _MOST_STATES:
        return _by_all_states(system)
    if importlib.util.find_spec("clingo") is None:
        raise InputError(
            f"{system.n_states:.3g} states are too many to go through; for a solver run: pip install clingo"
        )
    return _by_solver(system, max_length or MAX_LENGTH)


def _by_all_states(system: "Dynamics") -> Attractors:
    sizes = tuple(len(one.values) for one in system.variables)
    total = system.n_states
    codes = all_cells(system.variables)
    follows = np.ravel_multi_index(tuple(system.next_codes(codes).T), sizes)
    ends = follows
    for _ in range(total.bit_length()):  # after as many steps as there are states, all are on a cycle
        ends = ends[ends]
    attractors = sorted(_cycles(follows, np.unique(ends)), key=lambda cycle: (len(cycle), cycle))
    owner = np.full(total, -1, dtype=np.int64)
    for i, cycle in enumerate(attractors):
        owner[cycle] = i
    shares = np.bincount(owner[ends], minlength=len(attractors)) / total
    named = [tuple(system.named(codes[i]) for i in cycle) for cycle in attractors]
    fixed = tuple(cycle[0] for cycle in named if len(cycle) == 1)
    cycles = tuple(cycle for cycle in named if len(cycle) > 1)
    return Attractors(fixed, cycles, tuple(shares.tolist()), None)


def _cycles(follows: IntArray, on_cycles: IntArray) -> Iterator[list[int]]:
    met: set[int] = set()
    for start in on_cycles.tolist():
        if start in met:
            continue
        cycle, state = [start], int(follows[start])
        while state != start:
            cycle.append(state)
            state = int(follows[state])
        met.update(cycle)
        yield cycle


def _by_solver(system: "Dynamics", max_length: int) -> Attractors:
    fixed = [course[0] for course in _solved(system, 1)]
    cycles: dict[bytes, IntArray] = {}
    limited = len(fixed) >= _MOST_LISTED
    for length in range(2, max_length + 1):
        courses = _solved(system, length)
        limited |= len(courses) >= _MOST_LISTED
        for course in courses:
            start = min(range(length), key=lambda i: course[i].tobytes())
            turned = np.roll(course, -start, axis=0)
            cycles[turned.tobytes()] = turned
    named = tuple(tuple(system.named(one) for one in cycle) for cycle in cycles.values())
    return Attractors(tuple(system.named(one) for one in fixed), named, None, max_length, not limited)


def _solved(system: "Dynamics", length: int) -> list[IntArray]:
    """Return the courses of so many steps that end where they began, not before."""
    import clingo

    from nri_dynamics.formats.programs import render_asp, value_term, variable_term

    divisors = [d for d in range(1, length) if length % d == 0]
    program = render_asp(system) + "\n".join(
        [
            "1 { holds(X, V, 0) : value(X, V) } 1 :- variable(X).",
            f":- holds(X, V, 0), not holds(X, V, {length}).",
            *(f"apart({d}) :- holds(X, V, 0), not holds(X, V, {d})." for d in divisors),
            *(f":- not apart({d})." for d in divisors),
        ]
    )
    control = clingo.Control(["--warn=none", f"--models={_MOST_LISTED}", f"-c steps={length}"])
    control.add("base", [], program)
    control.ground([("base", [])])
    names = {variable_term(one): i for i, one in enumerate(system.variables)}
    terms = [{value_term(one, i): i for i in range(len(one.values))} for one in system.variables]
    courses: list[IntArray] = []

    def keep(model: Any) -> None:
        course = np.zeros((length, len(system.variables)), dtype=np.int64)
        for symbol in model.symbols(atoms=True):
            if symbol.name == "holds" and symbol.arguments[2].number < length:
                variable = names[str(symbol.arguments[0])]
                course[symbol.arguments[2].number, variable] = terms[variable][str(symbol.arguments[1])]
        courses.append(course)

    control.solve(on_model=keep)
    return sorted(courses, key=lambda course: course.tobytes())
