"""Clauses and rules: literals of which enough must hold, and a disjunction of clauses.

Most clauses are conjunctions: every literal must hold. A *counting clause* asks for fewer, as scores at the
bedside do: at least 2 of (confused, urea > 7, fast breathing). Its literals are then called *members*.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

from nri.errors import InputError
from nri.rule.literal import Literal


@dataclass(frozen=True, slots=True)
class Clause:
    """Literals of which at least so many must hold, without repetition and in one canonical order.

    A literal on an unknown cell does not hold. The empty clause holds on every row: it is :data:`ALWAYS`.

    >>> from nri.rule.literal import Op
    >>> signs = [Literal("confused", Op.EQ, True), Literal("urea", Op.GT, 7), Literal("age", Op.GT, 65)]
    >>> print(Clause(signs, at_least=2))
    AT LEAST 2 OF (age > 65, confused, urea > 7)
    """

    literals: tuple[Literal, ...]
    at_least: int
    """How many literals must hold; as many as there are in a conjunction."""

    def __init__(self, literals: Iterable[Literal] = (), at_least: int | None = None) -> None:
        unique = sorted(set(literals), key=lambda literal: literal.sort_key)
        needed = len(unique) if at_least is None else int(at_least)
        if not min(1, len(unique)) <= needed <= len(unique):
            raise InputError(
                f"at least {needed} of {len(unique)} different conditions cannot be asked for: "
                + (f"use a number from 1 to {len(unique)}" if unique else "name conditions")
            )
        object.__setattr__(self, "literals", tuple(unique))
        object.__setattr__(self, "at_least", needed)

    def __iter__(self) -> Iterator[Literal]:
        return iter(self.literals)

    def __len__(self) -> int:
        return len(self.literals)

    def __str__(self) -> str:
        if self.counts:
            return f"AT LEAST {self.at_least} OF ({', '.join(map(str, self.literals))})"
        return " AND ".join(map(str, self.literals)) or "always"

    @property
    def counts(self) -> bool:
        """Whether this is a counting clause: fewer than all of its literals need to hold."""
        return self.at_least < len(self.literals)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns the clause reads, each once."""
        return tuple(dict.fromkeys(literal.column for literal in self.literals))

    @property
    def criteria(self) -> Hashable:
        """Columns, comparisons and categories of the literals, without thresholds."""
        return tuple((x.column, x.op, None if x.op.ordered else x.value) for x in self.literals)

    @property
    def shape(self) -> Hashable:
        """The criteria and how many of them must hold.

        >>> from nri.rule.literal import Op
        >>> Clause([Literal("age", Op.GT, 61)]).shape == Clause([Literal("age", Op.GT, 57)]).shape
        True
        """
        return self.at_least, self.criteria

    def subsumes(self, other: "Clause") -> bool:
        """Whether this clause fires wherever the other does, as can be told without looking at values.

        Of the other's literals that hold, those that are not of this clause may be wasted on it. For two
        conjunctions it means that the literals of this one are among those of the other.
        """
        wasted = len(set(other.literals) - set(self.literals))
        return other.at_least - wasted >= self.at_least


ALWAYS = Clause()
"""The clause with no literal: it holds on every row."""


@dataclass(frozen=True, slots=True)
class Dnf:
    """A disjunction of clauses (disjunctive normal form); clauses are kept once, in the order given.

    The order of clauses carries no meaning (a disjunction has none) and does not take part in
    equality; it is the order of reading, best clause first.
    """

    clauses: tuple[Clause, ...] = ()

    def __init__(self, clauses: Iterable[Clause] = ()) -> None:
        object.__setattr__(self, "clauses", tuple(dict.fromkeys(clauses)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dnf) and set(self.clauses) == set(other.clauses)

    def __hash__(self) -> int:
        return hash(frozenset(self.clauses))

    def __iter__(self) -> Iterator[Clause]:
        return iter(self.clauses)

    def __len__(self) -> int:
        return len(self.clauses)

    def __str__(self) -> str:
        told = (str(clause) if clause.counts else f"({clause})" for clause in self.clauses)
        return " OR ".join(told) or "never"

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
        """Literals over all clauses; a counting clause has as many as it has members."""
        return sum(len(clause) for clause in self.clauses)


TRUE = Dnf([ALWAYS])
"""The rule that holds on every row."""

FALSE = Dnf([])
"""The rule that holds on no row."""
