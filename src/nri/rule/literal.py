"""A literal: one column compared with one value, e.g. ``age > 61`` or ``colour = red``."""

import datetime as dt
import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Value = bool | int | float | str | dt.date | dt.datetime
"""What a literal can compare a column with."""


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


_NEGATION = {Op.EQ: Op.NE, Op.NE: Op.EQ, Op.GT: Op.LE, Op.LE: Op.GT}


@dataclass(frozen=True, slots=True)
class Literal:
    """A column, a comparison and a value; unknown cells make it unknown, never true.

    Boolean columns compare with ``True`` only: ``Literal("smoker", Op.EQ, True)`` reads
    "smoker", its negation ``Literal("smoker", Op.NE, True)`` reads "not smoker".
    A date column compares with a ``datetime`` (a ``date`` is taken as its midnight).

    >>> Literal("age", Op.GT, 61).negate()
    Literal(column='age', op=<Op.LE: '<='>, value=61)
    """

    column: str
    op: Op
    value: Value
    kind: Kind = field(init=False, repr=False)

    def __post_init__(self) -> None:
        value = _plain(self.value)
        op = Op(self.op)
        kind = kind_of(value)
        if kind is Kind.BOOLEAN:
            if op not in (Op.EQ, Op.NE):
                raise ValueError(f"a boolean column has no order: {self.column!r} {op} {value!r}")
            if value is False:  # one spelling for each meaning
                op, value = op.negated, True
        if kind is Kind.TEXT and op not in (Op.EQ, Op.NE):
            raise ValueError(f"text has no order here: {self.column!r} {op} {value!r}")
        object.__setattr__(self, "op", op)
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "kind", kind)

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


def _plain(value: Any) -> Value:
    """Turn numpy scalars and dates into the one Python spelling that compares and hashes."""
    if hasattr(value, "item") and not isinstance(value, str | dt.date):
        value = value.item()
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        if math.isnan(value):
            raise ValueError("a literal cannot compare with NaN; missing cells are unknown")
        return int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(value, dt.datetime):
        return dt.datetime.fromisoformat(value.isoformat())  # a pandas Timestamp becomes plain
    if isinstance(value, dt.date):
        return dt.datetime(value.year, value.month, value.day)
    raise TypeError(f"a literal cannot compare with {type(value).__name__} {value!r}")
