"""Column plans: how the cells of a column are to be read, decided once and kept with the rule.

A plan is data, no code: :mod:`nri.table.source` reads cells by it. With it, what was fitted is what is
predicted, exported and explained, whatever the cells at hand happen to look like.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from nri.rule.literal import Kind

_KEPT_CATEGORIES = 100
"""Most categories of a column that are kept with a rule."""


@dataclass(frozen=True)
class ColumnPlan:
    """What the cells of one column mean."""

    kind: Kind
    decimal: str = "."
    """what stands before the decimals of a number"""
    thousands: str = ""
    """characters that may stand between the thousands of a number"""
    unit: tuple[str, str] = ("", "")
    """the currency in front of numbers and the unit behind them, each empty if there is none"""
    whole: bool = False
    """whether all numbers were whole by their type or their writing"""
    day_first: bool | None = None
    """of dates like ``02/03/2024``, whether the day comes first; None where dates tell it themselves"""
    missing: tuple[str, ...] = ()
    """words that stand for nothing in this column"""
    no_and_yes: tuple[str, str] = ("false", "true")
    """how no and yes are written in a boolean column"""
    categories: tuple[str, ...] = ()
    """the texts that cells were, in sorted order, by the spelling that is used"""
    spellings: Mapping[str, str] = field(default_factory=dict, hash=False)
    """for categories that were written in several ways, from each other way to the one that is used"""
    folded: bool = False
    """whether texts that differ only in case and blanks are one category"""
    stated: bool = True
    """False in rules that older versions wrote: then the cells at hand say how they are written"""

    @property
    def is_plain_number(self) -> bool:
        """Whether cells are numbers with a point before the decimals and nothing between thousands."""
        return self.kind is Kind.NUMBER and self.stated and (self.decimal, self.thousands) == (".", "")

    def spelled(self, category: str) -> tuple[str, ...]:
        """Return every way in which a category was written, the one that is used first.

        >>> ColumnPlan(Kind.TEXT, spellings={"YES": "yes"}).spelled("yes")
        ('yes', 'YES')
        """
        return (category, *(other for other, used in self.spellings.items() if used == category))

    def kept_with(self, mentioned: Collection[str]) -> "ColumnPlan":
        """Return the plan as a rule keeps it: of very many categories only those that it mentions."""
        if len(self.categories) <= _KEPT_CATEGORIES:
            return self
        kept = tuple(text for text in self.categories if text in mentioned)
        spellings = {other: used for other, used in self.spellings.items() if used in mentioned}
        return replace(self, categories=kept, spellings=spellings)


def unstated(kind: Kind) -> ColumnPlan:
    """Return the plan of a column of which only the kind is known."""
    return ColumnPlan(kind, stated=False)
