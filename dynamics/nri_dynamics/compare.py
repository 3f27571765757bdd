"""Compare: two systems of the same variables, exactly: on which states they move differently."""

from dataclasses import dataclass
from math import prod

import numpy as np

from nri.errors import InputError
from nri.rule import BOOLEAN, Label, difference
from nri_dynamics.influence import Influence, all_cells
from nri_dynamics.system import Dynamics, State
from nri_dynamics.variables import Variable

_MOST_CELLS = 1 << 20
"""Combinations of values up to which rules for several values are compared on all of them."""


@dataclass(frozen=True)
class VariableDifference:
    """A variable whose next values differ between two systems."""

    name: str
    example: State
    """the values of the regulators in a state where they differ"""
    old: Label
    new: Label
    """the next value in each"""


@dataclass(frozen=True)
class SystemComparison:
    """What differs between two systems; nothing here is estimated."""

    same: tuple[str, ...]
    """variables that always move alike"""
    different: tuple[VariableDifference, ...]
    only_old: tuple[str, ...]
    only_new: tuple[str, ...]
    """variables with a rule in one system only"""
    influences_dropped: tuple[Influence, ...]
    influences_added: tuple[Influence, ...]

    @property
    def equal(self) -> bool:
        """Whether the two systems are one."""
        return not (self.different or self.only_old or self.only_new)


def compare_systems(old: Dynamics, new: Dynamics) -> SystemComparison:
    """Compare the rules of each variable by their truth, not by their clauses."""
    same, different = [], []
    for name in (name for name in old.rules if name in new.rules):
        differs = _difference(old, new, name)
        if differs is None:
            same.append(name)
        else:
            different.append(differs)
    return SystemComparison(
        tuple(same),
        tuple(different),
        tuple(name for name in old.rules if name not in new.rules),
        tuple(name for name in new.rules if name not in old.rules),
        tuple(one for one in old.influences if one not in new.influences),
        tuple(one for one in new.influences if one not in old.influences),
    )


def _difference(old: Dynamics, new: Dynamics, name: str) -> VariableDifference | None:
    first, second = old.rules[name], new.rules[name]
    columns = dict.fromkeys((*first.decisions.columns, *second.decisions.columns))
    involved = [_shared(old, new, one) for one in (name, *columns)]
    readable = involved[1:]
    if all(one.is_boolean and one.cut is None for one in involved):
        row = difference(first.on_rule, second.on_rule, dict.fromkeys(columns, BOOLEAN))
        if row is None:
            return None
        state: dict[str, Label] = {one.name: bool(row.get(one.name)) for one in readable}
    else:
        if prod(len(one.values) for one in readable) > _MOST_CELLS:
            raise InputError(f"the rules of {name!r} read too many values to be compared on all of them")
        cells = all_cells(readable)
        typed = {one.name: one.column(cells[:, i]) for i, one in enumerate(readable)}
        predicted = [one.decisions.predict_index(typed, len(cells)) for one in (first, second)]
        differs = predicted[0] != predicted[1]
        if not differs.any():
            return None
        state = {
            one.name: one.values[int(c)] for one, c in zip(readable, cells[differs.argmax()], strict=True)
        }
    typed = {one.name: one.column(np.array([one.values.index(state[one.name])])) for one in readable}
    values = [one.decisions.predict(typed, 1)[0].item() for one in (first, second)]
    return VariableDifference(name, state, *values)


def _shared(old: Dynamics, new: Dynamics, name: str) -> Variable:
    """Return a variable that both systems have, with the values of both."""
    in_both = [system.variable(name) for system in (old, new) if name in system.names]
    if len(in_both) == 2 and (in_both[0].values, in_both[0].cut) != (in_both[1].values, in_both[1].cut):
        raise InputError(
            f"{name!r} has other values in the two systems, {in_both[0].values} and {in_both[1].values}; "
            "learn both from columns that are read alike"
        )
    return in_both[0]
