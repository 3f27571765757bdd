"""Conditions and clauses as the page sends them, their values read as the columns are read."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from nri.errors import InputError
from nri.rule import Clause, ColumnPlan, Kind, Literal, Op, Value
from nri.rule.literal import plain_value
from nri.serve.fields import as_object, listed
from nri.serve.profile import ColumnProfile
from nri.table.cells import TextCells
from nri.table.reading import read_by

MAX_CLAUSES = 100
MAX_LITERALS = 50
"""Far more than anybody reads, and few enough to be counted at once."""

Profiles = Mapping[str, ColumnProfile]


def read_clauses(data: Any, profiles: Profiles) -> list[Clause]:
    """Read ``[{literals, at_least}]``; where ``at_least`` is null all literals of the clause must hold."""
    return [_clause(one, profiles) for one in listed(data, "clauses", MAX_CLAUSES)]


def read_literal(data: Any, profiles: Profiles) -> Literal:
    """Read ``{column, op, value}``."""
    fields = as_object(data)
    name = fields.get("column")
    if not isinstance(name, str) or name not in profiles:
        raise InputError(f"no column {name!r} to compare; choose one of the list")
    try:
        op = Op(str(fields.get("op")))
    except ValueError:
        raise InputError(f"no comparison {fields.get('op')!r}; use one of {' '.join(Op)}") from None
    return Literal(name, op, _value(fields.get("value"), profiles[name]))


def _clause(data: Any, profiles: Profiles) -> Clause:
    fields = as_object(data)
    literals = [
        read_literal(one, profiles) for one in listed(fields.get("literals"), "a clause", MAX_LITERALS)
    ]
    needed = fields.get("at_least")
    if needed is not None and (isinstance(needed, bool) or not isinstance(needed, int)):
        raise InputError(f"at least {needed!r} conditions cannot be asked for; use a whole number")
    return Clause(literals, needed)


def _value(value: Any, profile: ColumnProfile) -> Value:
    """Read a value as the kind of its column; numbers and dates may come as somebody typed them."""
    if profile.kind is Kind.BOOLEAN:
        return True  # "not" is said by the comparison
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        raise InputError(f"column {profile.name!r} needs a value to compare with")
    if profile.kind is Kind.TEXT:
        return str(value)
    if isinstance(value, int | float) and profile.kind is Kind.NUMBER:
        return plain_value(value)
    asked = TextCells(np.zeros(1, dtype=np.int64), (str(value).strip(),))
    try:
        read = read_by(asked, ColumnPlan(profile.kind, stated=False), profile.name)
    except InputError:
        raise InputError(
            f"{value!r} is no {profile.kind}, as the cells of {profile.name!r} are; type one"
        ) from None
    return plain_value(read.column.values[0])
