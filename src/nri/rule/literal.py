"""Conditions: literals, clauses and disjunctions of clauses.

A literal compares one column with one value, e.g. ``age > 61``. Most clauses are conjunctions. A *counting
clause* asks for fewer of its literals, then called *members*: at least 2 of (confused, urea > 7, old).
"""

import datetime as dt
import math
import sys
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Any

import numpy as np

from nri.errors import InputError

Value = bool | int | float | str | dt.datetime
"""What a literal compares a column with, once it is built (a ``date`` becomes its midnight)."""

_EXACT_INTEGERS = 2**53  # Up to here every integer is a float64, so ``3`` and ``3.0`` are one value.


class Kind(StrEnum):
    """What sort of value a literal speaks about; ``True`` and ``1`` are not the same meaning."""

    BOOLEAN = "boolean"
    NUMBER = "number"
    TEXT = "text"
    DATE = "date"


_TYPES: dict[Kind, tuple[type, ...]] = {
    Kind.BOOLEAN: (bool, np.bool_),  # before numbers: in Python a bool is an int
    Kind.NUMBER: (int, float, np.number),
    Kind.TEXT: (str,),
    Kind.DATE: (dt.date, np.datetime64),
}


class Op(StrEnum):
    """The four comparisons; each is the negation of another one."""

    EQ = "="
    NE = "!="
    GT = ">"
    LE = "<="

    @property
    def negated(self) -> "Op":
        """The comparison that holds on exactly the known cells where this one does not."""
        return {Op.EQ: Op.NE, Op.NE: Op.EQ, Op.GT: Op.LE, Op.LE: Op.GT}[self]

    @property
    def positive(self) -> bool:
        """Whether this is the positive one of its pair (``=`` and ``>`` are)."""
        return self in (Op.EQ, Op.GT)

    @property
    def ordered(self) -> bool:
        """Whether the comparison needs an order (``>`` and ``<=`` do)."""
        return self in (Op.GT, Op.LE)


@dataclass(frozen=True, slots=True)
class Literal:
    """A column, a comparison and a value; unknown cells make it unknown, never true.

    Boolean columns compare with ``True`` only: ``Literal("smoker", Op.NE, True)`` reads "not smoker". A date
    column compares with a ``datetime`` (a ``date`` is taken as its midnight, a moment with a time zone as its
    UTC time). Numbers are finite float64 values.

    >>> Literal("age", Op.GT, 61).negate()
    Literal(column='age', op=<Op.LE: '<='>, value=61)
    >>> str(Literal("smoker", Op.EQ, False))
    'NOT smoker'
    """

    column: str
    op: Op
    value: Value
    kind: Kind = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.column, str):
            raise InputError(f"a literal's column is named by text, not {self.column!r}: use str()")
        if self.op not in [*Op]:
            raise InputError(f"no comparison {self.op!r} on {self.column!r}: use one of {' '.join(Op)}")
        op, value = Op(self.op), plain_value(self.value)
        kind = kind_of(value)
        if op.ordered and kind in (Kind.BOOLEAN, Kind.TEXT):
            raise InputError(f"a {kind} column has no order: {self.column!r} {op} {value!r}; use = or !=")
        if value is False:  # one spelling for each meaning
            op, value = op.negated, True
        for name, one in (("column", str(self.column)), ("op", op), ("value", value), ("kind", kind)):
            object.__setattr__(self, name, one)

    def __str__(self) -> str:
        if self.kind is Kind.BOOLEAN:
            return self.column if self.positive else f"NOT {self.column}"
        return f"{self.column} {self.op} {self.value}"

    def negate(self) -> "Literal":
        """Return the literal that holds on exactly the known cells where this one does not."""
        return Literal(self.column, self.op.negated, self.value)

    @property
    def positive(self) -> bool:
        """Whether the comparison is ``=`` or ``>``."""
        return self.op.positive

    @property
    def sort_key(self) -> tuple[Any, ...]:
        """Order by column, then kind, value and comparison: total, also over mixed kinds."""
        return (self.column, self.kind.value, self.value, self.op.value)


def kind_of(value: object) -> Kind:
    """Return the kind that a value of Python or numpy belongs to."""
    for kind, types in _TYPES.items():
        if isinstance(value, types):
            return kind
    raise InputError(f"a column cannot hold {type(value).__name__} {value!r}: use a plain value")


def plain_value(value: object) -> Value:
    """Turn numpy scalars, dates and whole floats into the one spelling that compares and hashes."""
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | str):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, int | float):
        return _plain_number(value)
    if isinstance(value, dt.datetime):
        return _plain_moment(value)
    if isinstance(value, dt.date):
        return dt.datetime(value.year, value.month, value.day)
    raise InputError(
        f"a literal cannot compare with {type(value).__name__} {value!r}: use bool, number, text or date"
    )


def _plain_number(value: int | float) -> int | float:
    number = math.inf if abs(value) > sys.float_info.max else float(value)
    if not math.isfinite(number):
        raise InputError(f"a literal cannot compare with {number}: use a finite number")
    exact = number.is_integer() and abs(number) <= _EXACT_INTEGERS
    return int(number) if exact else number


def _plain_moment(value: dt.datetime) -> dt.datetime:
    if value.tzinfo is not None:
        value = value.astimezone(dt.UTC).replace(tzinfo=None)
    try:
        return dt.datetime.fromisoformat(value.isoformat())  # a pandas Timestamp becomes plain
    except ValueError:
        raise InputError(f"a literal cannot compare with the date {value!r}: use a known date") from None


@dataclass(frozen=True, slots=True)
class Clause:
    """Literals of which at least so many must hold, without repetition and in one canonical order.

    A literal on an unknown cell does not hold. The empty clause holds on every row: it is :data:`ALWAYS`.

    >>> signs = [Literal("confused", Op.EQ, True), Literal("urea", Op.GT, 7), Literal("age", Op.GT, 65)]
    >>> print(Clause(signs, at_least=2))
    AT LEAST 2 OF (age > 65, confused, urea > 7)
    """

    literals: tuple[Literal, ...]
    at_least: int  # How many literals must hold; as many as there are in a conjunction

    def __init__(self, literals: Iterable[Literal] = (), at_least: int | None = None) -> None:
        unique = sorted(set(literals), key=lambda literal: literal.sort_key)
        needed = len(unique) if at_least is None else int(at_least)
        if not min(1, len(unique)) <= needed <= len(unique):
            conditions = f"{len(unique)} different conditions"
            raise InputError(f"at least {needed} of {conditions} cannot be asked for; use 1 to {len(unique)}")
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
    def asks_known(self) -> bool:
        """Whether it holds wherever its one column is known: at least 1 of (days <= 9, days > 9)."""
        return self.at_least == 1 and self.literals[1:] == tuple(x.negate() for x in self.literals[:1])

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
        """The criteria and how many of them must hold."""
        return self.at_least, self.criteria


ALWAYS = Clause()  # The clause with no literal: it holds on every row.


@dataclass(frozen=True, slots=True)
class Dnf:
    """A disjunction of clauses, each once; their order is that of reading and has no part in equality."""

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
        texts = (str(clause) if clause.counts else f"({clause})" for clause in self.clauses)
        return " OR ".join(texts) or "never"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns the rule reads, each once, in the order of reading."""
        return tuple(dict.fromkeys(column for clause in self.clauses for column in clause.columns))


def is_card(clauses: Sequence[Clause]) -> bool:
    """Whether several clauses ask for so many of the same literals, one after the other for fewer."""
    falls = all(one.at_least > other.at_least for one, other in pairwise(clauses))
    return falls and len({one.literals for one in clauses}) == 1 < len(clauses)


TRUE = Dnf([ALWAYS])  # The rule that holds on every row.

FALSE = Dnf([])  # The rule that holds on no row.
