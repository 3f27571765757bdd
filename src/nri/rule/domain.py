"""Domains: which cells a column can have, as far as anybody knows.

A rule can only be simplified, or two be called equivalent, with respect to the rows that can occur.
A column that no domain mentions can hold any value that suits its literals, and can be unknown.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nri.errors import InputError
from nri.rule.literal import Kind, Value, kind_of, plain_value


@dataclass(frozen=True)
class ColumnDomain:
    """What the cells of one column can be.

    >>> ColumnDomain(["red", "blue"]).values
    ('blue', 'red')
    """

    values: tuple[Value, ...] | None
    """All values that known cells can have (a closed set), None if any can occur."""
    complete: bool
    """Whether cells are never unknown."""

    def __init__(self, values: Iterable[object] | None = None, *, complete: bool = False) -> None:
        closed = None if values is None else _ordered({plain_value(value) for value in values})
        object.__setattr__(self, "values", closed)
        object.__setattr__(self, "complete", complete)


def _ordered(values: set[Value]) -> tuple[Value, ...]:
    kinds = {kind_of(value) for value in values}
    if len(kinds) > 1:
        raise InputError(f"a column's values mix {' and '.join(sorted(kinds))}: use one kind")
    if kinds == {Kind.TEXT}:
        return tuple(sorted(values, key=str))
    return tuple(sorted(values))


BOOLEAN = ColumnDomain([False, True])
"""A column of yes and no, with unknown cells."""

OPEN = ColumnDomain()
"""A column of any numbers, dates or texts, with unknown cells."""

Domain = Mapping[str, ColumnDomain]
"""What is known about columns; those that are not mentioned are :data:`OPEN`."""
