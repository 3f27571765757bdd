"""A literal: one column compared with one value, e.g. ``age > 61`` or ``colour = red``."""

import datetime as dt
import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from nri.errors import InputError

Value = bool | int | float | str | dt.datetime
"""What a literal compares a column with, once it is built (a ``date`` becomes its midnight)."""

_EXACT_INTEGERS = 2**53
"""Up to here every integer is a float64, so ``3`` and ``3.0`` are one value."""


class Kind(StrEnum):
    """What sort of value a literal speaks about; ``True`` and ``1`` are not the same meaning."""

    BOOLEAN = "boolean"
    NUMBER = "number"
    TEXT = "text"
    DATE = "date"


class Op(StrEnum):
    """The four comparisons; each is the negation of another one."""

    EQ = "="
    NE = "!="
    GT = ">"
    LE = "<="

    @property
    def negated(self) -> "Op":
        """The comparison that holds on exactly the known cells where this one does not."""
        return _NEGATION[self]

    @property
    def positive(self) -> bool:
        """Whether this is the positive one of its pair (``=`` and ``>`` are)."""
        return self in (Op.EQ, Op.GT)

    @property
    def ordered(self) -> bool:
        """Whether the comparison needs an order (``>`` and ``<=`` do)."""
        return self in (Op.GT, Op.LE)


_NEGATION = {Op.EQ: Op.NE, Op.NE: Op.EQ, Op.GT: Op.LE, Op.LE: Op.GT}


@dataclass(frozen=True, slots=True)
class Literal:
    """A column, a comparison and a value; unknown cells make it unknown, never true.

    Boolean columns compare with ``True`` only: ``Literal("smoker", Op.EQ, True)`` reads
    "smoker", its negation ``Literal("smoker", Op.NE, True)`` reads "not smoker".
    A date column compares with a ``datetime`` (a ``date`` is taken as its midnight, a moment
    with a time zone as its UTC time). Numbers are finite float64 values.

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
        try:
            op = Op(self.op)
        except ValueError:
            known = " ".join(Op)
            raise InputError(f"no comparison {self.op!r} on {self.column!r}: use one of {known}") from None
        value = plain_value(self.value)
        kind = kind_of(value)
        if op.ordered and kind in (Kind.BOOLEAN, Kind.TEXT):
            raise InputError(
                f"a {kind} column has no order: {self.column!r} {op} {value!r}; use {Op.EQ} or {Op.NE}"
            )
        if value is False:  # one spelling for each meaning
            op, value = op.negated, True
        object.__setattr__(self, "column", str(self.column))
        object.__setattr__(self, "op", op)
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "kind", kind)

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


def kind_of(value: Value) -> Kind:
    """Return the kind a plain Python value belongs to."""
    if isinstance(value, bool):
        return Kind.BOOLEAN
    if isinstance(value, int | float):
        return Kind.NUMBER
    if isinstance(value, dt.date):  # datetime is a date too
        return Kind.DATE
    return Kind.TEXT


def plain_value(value: object) -> Value:
    """Turn numpy scalars, dates and whole floats into the one spelling that compares and hashes.

    >>> plain_value(np.float64(3.0)), plain_value(dt.date(2024, 5, 1))
    (3, datetime.datetime(2024, 5, 1, 0, 0))
    """
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int | float):
        return _plain_number(value)
    if isinstance(value, dt.datetime):
        return _plain_moment(value)
    if isinstance(value, dt.date):
        return dt.datetime(value.year, value.month, value.day)
    raise InputError(
        f"a literal cannot compare with {type(value).__name__} {value!r}: "
        "use a bool, a number, a text or a date; missing cells are unknown to every literal"
    )


def _plain_number(value: int | float) -> int | float:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
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
