"""Arguments: what a caller may ask of rules is checked by its type before anything is done.

Every bad one is an :class:`~nri.errors.InputError` that names the argument, what it is and what it may be.
"""

import numbers
from collections.abc import Collection, Iterable, Mapping
from math import isfinite
from os import PathLike
from typing import Any

from nri.errors import InputError


def shown(value: Any) -> str:
    """Return a value in few characters, on one line.

    >>> shown("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # whatever a caller's object does when it is asked what it is
        text = f"a {type(value).__name__}"
    return text if len(text) <= 40 else f"{text[:37]}..."


def whole(name: str, value: Any) -> int:
    """Return a parameter that counts; a bool counts nothing, though Python takes it for a number."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InputError(f"{name} is {shown(value)}, which is no whole number: use 1 or more")
    return int(value)


def real(name: str, value: Any) -> float:
    """Return a parameter that measures."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputError(f"{name} is {shown(value)}, which is no number: use one from 0 to 1")
    return float(value)


def yes_or_no(name: str, value: Any) -> bool:
    """Return a parameter that is on or off."""
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise InputError(f"{name} is {shown(value)}: use True or False")


def one_of(name: str, value: Any, choices: Iterable[str]) -> str:
    """Return a parameter that is one of some words."""
    known = tuple(choices)
    if isinstance(value, str) and value in known:
        return value
    raise InputError(f"{name} is {shown(value)}, which is none of {', '.join(known)}: use one of them")


def names(name: str, value: Any) -> list[str]:
    """Return a parameter that lists columns."""
    if isinstance(value, str | bytes):
        raise InputError(f"{name} is the text {shown(value)}; give a list of names")
    if not isinstance(value, Iterable):
        raise InputError(f"{name} is {shown(value)}; give a list of names")
    found = list(value)
    for one in found:
        if isinstance(one, bool) or not isinstance(one, str | numbers.Integral):
            raise InputError(f"{name} lists {shown(one)}, which is no name of a column; give a list of names")
    return [str(one) for one in found]


def mapping(name: str, value: Any, what: str) -> Mapping[Any, Any]:
    """Return a parameter that says something of each of some things."""
    if not isinstance(value, Mapping):
        raise InputError(f"{name} is {shown(value)}; give {what}")
    return value


def check_settings(settings: Any) -> None:
    """Refuse settings of a type that means nothing; whether a table can meet them is seen later."""
    if not isinstance(settings.model, str | PathLike):
        raise InputError(f"model is {shown(settings.model)}; name a model, or a file NAME.onnx")
    whole("max_clauses", settings.max_clauses)
    whole("max_literals", settings.max_literals)
    if settings.use is not None:
        names("columns to use", settings.use)
    names("columns never to use", settings.never)
    names("columns to require", settings.require)
    yes_or_no("negations", settings.negations)
    yes_or_no("stable", settings.stable)
    real("min_precision", settings.min_precision)
    one_of("binarize", settings.binarize, ("auto", "paper"))
    one_of("counts", settings.counts, ("auto", "never", "only"))
    if settings.costs is not None and not isinstance(settings.costs, str):
        mapping("costs", settings.costs, "a cost for each class, or 'balanced'")
    if type(settings.knowledge).__name__ != "Knowledge":
        known = shown(settings.knowledge)
        raise InputError(f"knowledge is {known}; give a record, e.g. Knowledge(forbid=['age > 80'])")


def check_knowledge(known: Any) -> None:
    """Refuse what a person knows where its type means nothing."""
    if known.keep is not None and type(known.keep).__name__ != "RuleSet":
        raise InputError(f"keep is {shown(known.keep)}; give a rule set, e.g. read_rules('rule.json')")
    if isinstance(known.forbid, str | bytes) or not isinstance(known.forbid, Iterable):
        raise InputError(f"forbid is {shown(known.forbid)}; give a list of conditions, e.g. ['age > 80']")
    for one in known.forbid:
        if not isinstance(one, str) and type(one).__name__ != "Literal":
            raise InputError(f"forbid lists {shown(one)}; give conditions such as 'age > 80'")
    for column, cuts in mapping("cuts", known.cuts, "numbers for each column").items():
        if isinstance(cuts, str | bytes) or not isinstance(cuts, Collection):
            raise InputError(f"the cuts of {column!r} are {shown(cuts)}; give a list of numbers")
        if not len(cuts):
            raise InputError(f"no cut of {column!r} is given; give one, or leave the column out by columns")
        for cut in cuts:
            if isinstance(cut, bool) or not isinstance(cut, numbers.Real) or not isfinite(cut):
                raise InputError(f"the cuts of {column!r} list {shown(cut)}; give finite numbers")
    mapping("monotone", known.monotone, "up or down for each column")
