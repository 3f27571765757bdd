"""Question: what the page asks for, read from its JSON and checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from nri.errors import InputError
from nri.induce import models
from nri.induce.diagnostics import check_prevalence
from nri.induce.path import Settings
from nri.rule import Label

T = TypeVar("T")


@dataclass(frozen=True)
class Question:
    """Which column is to be explained, and what the rule may be."""

    target: str
    """a column, or a comparison such as ``price > 100``"""
    positive: Label | None
    """the class the rule is about; None leaves it open, or asks for a rule for each of several classes"""
    settings: Settings
    all_rows: bool = False
    """whether a rule for a long table is looked for in all rows rather than in a sample"""
    protect: tuple[str, ...] = ()
    """columns whose groups are told about"""
    prevalence: float | None = None
    """share of the class asked about where the rule will be used; None for the table's"""


def read_question(data: Any, model: str = models.DEFAULT) -> Question:
    """Read a question from plain JSON data; what is left out takes the command line's defaults.

    The model is the server's choice, not the page's.

    >>> read_question({"target": "flu", "never": ["age"]}).settings.never
    ('age',)
    """
    data = as_object(data)
    plain = Settings()
    positive = data.get("positive")
    if positive is not None and not isinstance(positive, str | int | float):
        raise InputError(f"'positive' must be a class, not {type(positive).__name__}; reload the page")
    prevalence = data.get("prevalence")
    if prevalence is not None:
        prevalence = float(_typed(data, "prevalence", (int, float)))
        check_prevalence(prevalence)
    return Question(
        target=_typed(data, "target", str),
        positive=positive,
        all_rows=_typed(data, "all_rows", bool, False),
        prevalence=prevalence,
        protect=_names(data, "protect"),
        settings=Settings(
            model=model,
            max_clauses=_typed(data, "max_clauses", int, plain.max_clauses),
            max_literals=_typed(data, "max_literals", int, plain.max_literals),
            never=_names(data, "never"),
            require=_names(data, "require"),
            negations=_typed(data, "negations", bool, plain.negations),
            min_precision=float(_typed(data, "min_precision", (int, float), plain.min_precision)),
            counts=_typed(data, "counts", str, plain.counts),
        ),
    )


def as_object(data: Any) -> Mapping[str, Any]:
    """Return JSON data that must be an object."""
    if not isinstance(data, dict):
        raise InputError("the page sent something that is no JSON object; reload the page")
    return data


def _typed(data: Mapping[str, Any], key: str, wanted: Any, default: T | None = None) -> Any:
    value = data.get(key, default)
    wrong = not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool)
    if wrong:
        raise InputError(f"{key!r} is missing or of the wrong kind; reload the page")
    return value


def _names(data: Mapping[str, Any], key: str) -> tuple[str, ...]:
    names = _typed(data, key, list, [])
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"{key!r} must be a list of column names; reload the page")
    return tuple(names)
