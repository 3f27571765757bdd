"""A clause: a conjunction of literals."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nri.rule.literal import Literal


@dataclass(frozen=True, slots=True)
class Clause:
    """Literals that must all hold, without repetition and in one canonical order.

    The empty clause holds on every row: it is :data:`ALWAYS`.
    """

    literals: tuple[Literal, ...] = ()

    def __init__(self, literals: Iterable[Literal] = ()) -> None:
        unique = sorted(set(literals), key=lambda literal: literal.sort_key)
        object.__setattr__(self, "literals", tuple(unique))

    def __iter__(self) -> Iterator[Literal]:
        return iter(self.literals)

    def __len__(self) -> int:
        return len(self.literals)

    def __str__(self) -> str:
        return " AND ".join(map(str, self.literals)) or "always"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns the clause reads, each once."""
        return tuple(dict.fromkeys(literal.column for literal in self.literals))

    def subsumes(self, other: "Clause") -> bool:
        """Whether this clause's literals are a subset of the other's, so that it fires more often."""
        return set(self.literals) <= set(other.literals)


ALWAYS = Clause()
"""The clause with no literal: it holds on every row."""
