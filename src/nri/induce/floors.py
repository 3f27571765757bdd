"""Floors: a rule that finds at least so many of a class, or leaves at least so many of the others alone.

Errors on the class asked about are given more and more weight (or less and less), along a short grid, until
rules that were induced without a fold keep the floor on its rows: the least weight that keeps it is taken.
Rows stay rows; only what the rule is chosen by changes.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from nri.errors import InputError
from nri.induce.diagnostics import Diagnostics
from nri.induce.resample import FOLDS, HeldOut, cores, hold_out
from nri.induce.settings import Settings
from nri.table.table import Table

GRID = (1.6, 2.5, 4.0, 6.3, 10.0, 16.0, 25.0, 40.0)
"""How much more, or less, errors on the class count; each step is about 1.6 times the last."""


@dataclass(frozen=True)
class Floors:
    """What must be reached on rows that a rule was not induced from."""

    sensitivity: float = 0.0
    """of the rows of the class asked about, the share that the rule finds"""
    specificity: float = 0.0
    """of the other rows, the share that it leaves alone"""

    def __post_init__(self) -> None:
        for name in _NAMES:
            value = getattr(self, name)
            if not (isinstance(value, int | float) and 0 <= value < 1):
                raise InputError(f"min_{name} is {value!r}; give a share from 0 to below 1, e.g. 0.9")

    def __bool__(self) -> bool:
        return self.sensitivity > 0 or self.specificity > 0

    def short(self, found: Diagnostics) -> tuple[float, float]:
        """Return by how much sensitivity and specificity fall short of what is asked; 0 where they do not."""
        return (
            max(0.0, self.sensitivity - (found.sensitivity.value or 0.0)),
            max(0.0, self.specificity - (found.specificity.value or 0.0)),
        )


@dataclass(frozen=True)
class Floored:
    """How floors were met, or how near they came."""

    floors: Floors
    tilt: float
    """how much more errors on the class count than they cost"""
    found: Diagnostics
    """what is reached with it on cross-validated rows"""
    plain: Diagnostics
    """what a rule would for which no floor was asked"""

    @property
    def met(self) -> bool:
        """Whether every floor is reached on cross-validated rows."""
        return self.floors.short(self.found) == (0.0, 0.0)

    def __str__(self) -> str:
        told = []
        for name, short in zip(_NAMES, self.floors.short(self.found), strict=True):
            floor = getattr(self.floors, name)
            now, before = (getattr(one, name).value or 0.0 for one in (self.found, self.plain))
            if floor > 0:
                met = "is NOT met" if short else "is met"
                told.append(f"the floor of {floor:g} for {name} {met}: {now:.2f} on cross-validated rows")
            elif self.tilt != 1.0:
                told.append(f"the price is a {name} of {now:.2f} in place of {before:.2f}")
        return "; ".join(told)


_NAMES = ("sensitivity", "specificity")


def meet_floors(
    table: Table,
    settings: Settings,
    floors: Floors,
    *,
    rng: np.random.Generator,
    step: Callable[[], None] = lambda: None,
) -> tuple[Floored, HeldOut]:
    """Find how much more errors on the class asked about must count for a rule to keep floors.

    Returns that, and the cross-validation on which it was seen.

    Parameters
    ----------
    table
        Rows of two classes, one of which is asked about.
    settings
        What the rules may be, and what errors cost.
    floors
        What is asked for.
    rng
        Deals rows into folds, the same for every weight that is tried.
    step
        Called after each fold.
    """
    if len(table.classes) != 2 or table.positive is None:
        raise InputError(
            "floors for sensitivity and specificity are about one of two classes: name it (--positive VALUE)"
        )
    seed = int(rng.integers(2**32))

    def tried(tilt: float) -> tuple[Floored, HeldOut]:
        tilted = replace(settings, tilt=tilt)
        held = hold_out(table, tilted, rng=np.random.default_rng(seed), jobs=cores(), step=step)
        (found,) = held.diagnostics()
        return Floored(floors, tilt, found, found), held

    plain, held = tried(1.0)
    best = plain
    lacks_sensitivity, lacks_specificity = (short > 0 for short in floors.short(plain.found))
    if lacks_sensitivity != lacks_specificity:  # else there is nothing to do, or nothing that could be done
        for factor in GRID:
            one, without_folds = tried(factor if lacks_sensitivity else 1 / factor)
            if sum(floors.short(one.found)) < sum(floors.short(best.found)):
                best, held = one, without_folds
            wanted, other = floors.short(one.found)[:: 1 if lacks_sensitivity else -1]
            if wanted == 0 or other > 0:  # reached, or what is gained here is lost there
                break
    return replace(best, plain=plain.found), held


def most_steps() -> int:
    """Return how often ``step`` is called at most."""
    return FOLDS * (1 + len(GRID))
