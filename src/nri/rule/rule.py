"""A rule: a disjunction of clauses (DNF)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nri.rule.clause import ALWAYS, Clause


@dataclass(frozen=True, slots=True)
class Rule:
    """Clauses of which one must hold; clauses are kept once, in the order given.

    The order of clauses carries no meaning (a disjunction has none) and does not take part in
    equality; it is the order of reading, best clause first.
    """

    clauses: tuple[Clause, ...] = ()

    def __init__(self, clauses: Iterable[Clause] = ()) -> None:
        object.__setattr__(self, "clauses", tuple(dict.fromkeys(clauses)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rule) and set(self.clauses) == set(other.clauses)

    def __hash__(self) -> int:
        return hash(frozenset(self.clauses))

    def __iter__(self) -> Iterator[Clause]:
        return iter(self.clauses)

    def __len__(self) -> int:
        return len(self.clauses)

    def __str__(self) -> str:
        return " OR ".join(f"({clause})" for clause in self.clauses) or "never"

    @property
    def is_true(self) -> bool:
        """Whether the rule holds on every row by its form: it contains the empty clause."""
        return ALWAYS in self.clauses

    @property
    def is_false(self) -> bool:
        """Whether the rule holds on no row by its form: it has no clause."""
        return not self.clauses

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns the rule reads, each once, in the order of reading."""
        return tuple(dict.fromkeys(column for clause in self.clauses for column in clause.columns))

    @property
    def n_literals(self) -> int:
        """Literals over all clauses."""
        return sum(len(clause) for clause in self.clauses)


TRUE = Rule([ALWAYS])
"""The rule that holds on every row."""

FALSE = Rule([])
"""The rule that holds on no row."""
