"""Fields: parts of the plain JSON data that the page sends, each checked to be of its kind.

Conditions and clauses are among them; their values are read as the columns are read.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from nri.errors import InputError
from nri.rule import Clause, ColumnPlan, Kind, Label, Literal, Op, Value
from nri.rule.literal import plain_value
from nri.serve.profile import ColumnProfile
from nri.table.cells import TextCells
from nri.table.reading import read_by

T = TypeVar("T")

MAX_CLAUSES = 100
MAX_LITERALS = 50
"""Far more than anybody reads, and few enough to be counted at once."""

Profiles = Mapping[str, ColumnProfile]


def as_object(data: Any) -> Mapping[str, Any]:
    """Return JSON data that must be an object."""
    if not isinstance(data, dict):
        raise InputError("the page sent something that is no JSON object; reload the page")
    return data


def typed(data: Mapping[str, Any], key: str, wanted: Any, default: T | None = None) -> Any:
    """Return a field that must be of some type; a truth value is no number."""
    value = data.get(key, default)
    wrong = not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool)
    if wrong:
        raise InputError(f"{key!r} is missing or of the wrong kind; reload the page")
    return value


def names(data: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return a field that must be a list of column names; none by default."""
    found = typed(data, key, list, [])
    if not all(isinstance(name, str) for name in found):
        raise InputError(f"{key!r} must be a list of column names; reload the page")
    return tuple(found)


def label(data: Mapping[str, Any], key: str) -> Label:
    """Return a field that must be a class."""
    found = data.get(key)
    if not isinstance(found, str | int | float):
        raise InputError(f"{key!r} must be a class, not {type(found).__name__}; reload the page")
    return found


def listed(data: Any, what: str, most: int) -> list[Any]:
    """Return JSON data that must be a list of so many parts at most."""
    if not isinstance(data, list):
        raise InputError(f"{what} must be a list; reload the page")
    if len(data) > most:
        raise InputError(f"{what} has {len(data)} parts; use at most {most}")
    return data


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
