"""A decision list: what every rule is to those who only apply it, whether it says classes or numbers."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from nri.rule.clause import Clause
from nri.rule.labels import Label
from nri.rule.literal import Kind
from nri.rule.plan import ColumnPlan


class Branch(Protocol):
    """A clause, and what is said where it is the first to fire."""

    @property
    def clause(self) -> Clause:
        """When."""

    @property
    def label(self) -> Label:
        """What is said."""

    @property
    def remark(self) -> str:
        """What a reader of the program may want to know about it."""


class DecisionList(Protocol):
    """Branches to try in order, and what is said where none fires: all that an exported program needs."""

    @property
    def target(self) -> str:
        """Name of what is predicted."""

    @property
    def decisions(self) -> Sequence[Branch]:
        """The branches in the order in which they get their say."""

    @property
    def default(self) -> Label:
        """What is said where none fires."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """What sort of value each is compared with."""

    @property
    def plans(self) -> Mapping[str, ColumnPlan]:
        """How its cells are read."""
