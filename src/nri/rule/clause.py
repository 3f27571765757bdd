"""Clauses and rules: a conjunction of literals, and a disjunction of clauses (DNF)."""

from collections.abc import Hashable, Iterable, Iterator
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

    @property
    def shape(self) -> Hashable:
        """Columns, comparisons and categories of the clause, without its thresholds.

        >>> from nri.rule.literal import Op
        >>> Clause([Literal("age", Op.GT, 61)]).shape == Clause([Literal("age", Op.GT, 57)]).shape
        True
        """
        return tuple((x.column, x.op, None if x.op.ordered else x.value) for x in self.literals)

    def subsumes(self, other: "Clause") -> bool:
        """Whether this clause's literals are a subset of the other's, so that it fires more often."""
        return set(self.literals) <= set(other.literals)


ALWAYS = Clause()
"""The clause with no literal: it holds on every row."""


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
