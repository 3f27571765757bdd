"""Floors: a rule that finds at least so many of a class, or leaves at least so many of the others alone.

Errors on the class get more and more weight (or less and less), along a short grid, until rules induced
without a fold keep the floor on its rows; then a few weights below are tried. Of those that keep the floor
the one that costs least elsewhere is taken. The weights change the choice of the rule, not its counts.
"""

import math
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nri.errors import InputError
from nri.induce.settings import Settings
from nri.induce.validate import FOLDS, HeldOut, cores, hold_out
from nri.outcome.score import Diagnostics
from nri.table.table import Table

GRID = (1.6, 2.5, 4.0, 6.3, 10.0, 16.0, 25.0, 40.0)
"""How much more, or less, errors on the class count; each step is about 1.6 times the last."""
HALVINGS = 3  # How often the last step is halved: a whole step can give away twice what the floor needs.

_USELESS = {"sensitivity": "finds no row of the class", "specificity": "leaves no other row alone"}
"""What a rule does that reaches nothing of a measure."""
_NAMES = tuple(_USELESS)


@dataclass(frozen=True)
class Floors:
    """What must be reached on rows that a rule was not induced from."""

    sensitivity: float = 0.0  # of the rows of the class, the share that the rule finds
    specificity: float = 0.0  # of the other rows, the share that it leaves alone

    def __post_init__(self) -> None:
        for name in _NAMES:
            value = getattr(self, name)
            if not (isinstance(value, int | float) and 0 <= value < 1):
                raise InputError(f"min_{name} is {value!r}; give a share from 0 to below 1, e.g. 0.9")

    def __bool__(self) -> bool:
        return self.sensitivity > 0 or self.specificity > 0

    def lacking(self, reached: Diagnostics) -> tuple[float, float]:
        """Return by how much sensitivity and specificity fall short of the floors; 0 where they do not."""
        sensitivity = max(0.0, self.sensitivity - (reached.sensitivity.value or 0.0))
        return sensitivity, max(0.0, self.specificity - (reached.specificity.value or 0.0))


@dataclass(frozen=True)
class Floored:
    """How floors were met, or how near they came."""

    floors: Floors
    tilt: float  # how much more errors on the class count than they cost
    diagnostics: Diagnostics  # what is reached with it on cross-validated rows
    plain: Diagnostics  # the same of the rule without floors

    @property
    def met(self) -> bool:
        """Whether every floor is reached on cross-validated rows."""
        return not any(self.floors.lacking(self.diagnostics))

    def reached(self, name: str) -> float:
        """Return the sensitivity or the specificity on cross-validated rows."""
        return float(getattr(self.diagnostics, name).value or 0.0)

    def __str__(self) -> str:
        kept, paid, useless = [], [], []
        for name, lacking in zip(_NAMES, self.floors.lacking(self.diagnostics), strict=True):
            floor, now = getattr(self.floors, name), self.reached(name)
            if now == 0:
                useless.append(f"such a rule {_USELESS[name]}")
            if floor > 0:
                met = "is NOT met" if lacking else "is met"
                kept.append(f"the floor of {floor:g} for {name} {met}: {now:.2f} on cross-validated rows")
            elif self.tilt != 1.0:
                before = getattr(self.plain, name).value or 0.0
                paid.append(f"the price is a {name} of {now:.2f} in place of {before:.2f}")
        return "; ".join([*kept, *paid, *useless])

    @property
    def data(self) -> dict[str, Any]:
        """The same for other programs."""
        return {
            name: {"asked": floor, "reached": self.reached(name), "met": self.reached(name) >= floor}
            for name in _NAMES
            if (floor := getattr(self.floors, name)) > 0
        }


def meet_floors(
    table: Table,
    settings: Settings,
    floors: Floors,
    *,
    rng: np.random.Generator,
    step: Callable[[], None] = lambda: None,
) -> tuple[Floored, HeldOut]:
    """Find how much more errors on the class must count for a rule to keep floors, by cross-validation."""
    if len(table.classes) != 2 or table.positive is None:
        about = "floors for sensitivity and specificity are about one of two classes"
        raise InputError(f"{about}: name it (positive=..., or --positive VALUE)")
    tries: list[tuple[Floored, HeldOut]] = []

    def try_tilt(tilt: float) -> tuple[float, float]:
        """Cross-validate; return by how much sensitivity and specificity fall short of the floors."""
        held = hold_out(table, replace(settings, tilt=tilt), rng=deepcopy(rng), jobs=cores(), step=step)
        (reached,) = held.diagnostics()
        tries.append((Floored(floors, tilt, reached, tries[0][0].diagnostics if tries else reached), held))
        return floors.lacking(reached)

    def try_inverse(factor: float) -> tuple[float, float]:
        sensitivity, specificity = try_tilt(1 / factor)
        return specificity, sensitivity

    lacks_sensitivity, lacks_specificity = (lack > 0 for lack in try_tilt(1.0))
    if lacks_sensitivity != lacks_specificity:  # else there is nothing to do, or nothing that could be done
        _search_factor(try_tilt if lacks_sensitivity else try_inverse)
    return min(tries, key=lambda one: _preference(one[0]))


def _search_factor(attempt: Callable[[float], tuple[float, float]]) -> None:
    """Try factors until the wanted floor is met, then between; ``attempt`` returns what both floors lack."""
    low = high = 1.0
    for high in GRID:
        wanted, other = attempt(high)
        if wanted == 0:
            break
        if other > 0:  # what is gained here is lost there
            return
        low = high
    else:
        return
    for _ in range(HALVINGS):
        middle = (low * high) ** 0.5
        if attempt(middle)[0] == 0:
            high = middle
        else:
            low = middle


def _preference(one: Floored) -> tuple[float, float, float]:
    """Order of preference: what is missing to the floors, then what is lost elsewhere, then the weight."""
    lost = 2.0 - one.reached("sensitivity") - one.reached("specificity")
    return round(sum(one.floors.lacking(one.diagnostics)), 9), round(lost, 9), abs(math.log(one.tilt))


def most_steps() -> int:
    """Return how often ``step`` is called at most."""
    return FOLDS * (1 + len(GRID) + HALVINGS)
