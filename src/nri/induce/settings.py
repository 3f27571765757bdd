"""Settings: what a user can ask of the rules, as one record that every face of the product fills."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from nri.induce import models
from nri.induce.arguments import check_settings
from nri.induce.costs import Costs
from nri.induce.knowledge import NOTHING, Knowledge


@dataclass(frozen=True)
class Settings:
    """What a user can ask of the rules."""

    model: str = models.DEFAULT
    """Which model finds them; see :mod:`nri.induce.models`."""
    max_clauses: int = 8
    """Most clauses in the rule of one class."""
    max_literals: int = 6
    """Most literals in one clause."""
    use: Collection[str] | None = None
    """The only columns that rules may speak about; None for all."""
    never: Collection[str] = ()
    """Columns that rules never speak about."""
    require: Collection[str] = ()
    """Columns that every clause speaks about."""
    negations: bool = True
    """Whether ``NOT x`` and ``x != a`` may occur; ``x <= 3`` always may."""
    min_precision: float = 0.0
    """Least share of its class among the rows that a clause covers."""
    binarize: Literal["auto", "paper"] = "auto"
    """How columns become boolean variables; see :class:`nri.table.binarizer.Binarizer`."""
    costs: Costs = None
    """What it costs to take a row of a class for another one; 1 where nothing is said. ``balanced`` makes all
    classes weigh the same together."""
    tilt: float = 1.0
    """How much more errors on the class asked about count than they cost: what a floor for sensitivity or
    specificity takes, see :func:`nri.induce.floors.meet_floors`."""
    counts: Literal["auto", "never", "only"] = "auto"
    """Whether clauses may ask for at least so many of their literals: where it is worth it, never, always."""
    knowledge: Knowledge = NOTHING
    """What a person knows."""
    stable: bool = False
    """Whether the rule is to be one that other rows would give too; see :func:`nri.induce.models.steady`."""

    def __post_init__(self) -> None:
        check_settings(self)
