"""Fields: parts of the plain JSON data that the page sends, each checked to be of its kind."""

from collections.abc import Mapping
from typing import Any, TypeVar

from nri.errors import InputError
from nri.rule import Label

T = TypeVar("T")


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
