"""Question: what the page asks for, read from its JSON and checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nri.errors import InputError
from nri.induce import models
from nri.induce.diagnostics import check_prevalence
from nri.induce.knowledge import Knowledge
from nri.induce.settings import Settings
from nri.rule import Dnf, Label
from nri.serve.fields import (
    MAX_LITERALS,
    as_object,
    label,
    listed,
    names,
    read_clauses,
    read_literal,
    typed,
)
from nri.serve.profile import ColumnProfile


@dataclass(frozen=True)
class Question:
    """Which column is to be explained, and what the rule may be."""

    target: str
    """a column, or a comparison such as ``price > 100``"""
    positive: Label | None
    """the class the rule is about; None leaves it open, or asks for a rule for each of several classes"""
    settings: Settings
    protect: tuple[str, ...] = ()
    """columns whose groups are told about"""
    prevalence: float | None = None
    """share of the class asked about where the rule will be used; None for the table's"""
    keep: tuple[Label, Dnf] | None = None
    """clauses that a person wants to keep, and the class that they are about"""


def read_question(data: Any, model: str = models.DEFAULT, columns: Sequence[ColumnProfile] = ()) -> Question:
    """Read a question from plain JSON data; what is left out takes the command line's defaults.

    The model is the server's choice, not the page's. Conditions are read as the columns are.

    >>> read_question({"target": "flu", "never": ["age"]}).settings.never
    ('age',)
    """
    data = as_object(data)
    plain = Settings()
    prevalence = data.get("prevalence")
    if prevalence is not None:
        prevalence = float(typed(data, "prevalence", (int, float)))
        check_prevalence(prevalence)
    profiles = {column.name: column for column in columns}
    return Question(
        target=typed(data, "target", str),
        positive=None if data.get("positive") is None else label(data, "positive"),
        prevalence=prevalence,
        protect=names(data, "protect"),
        keep=_kept(data, profiles),
        settings=Settings(
            model=model,
            max_clauses=typed(data, "max_clauses", int, plain.max_clauses),
            max_literals=typed(data, "max_literals", int, plain.max_literals),
            never=names(data, "never"),
            require=names(data, "require"),
            negations=typed(data, "negations", bool, plain.negations),
            min_precision=float(typed(data, "min_precision", (int, float), plain.min_precision)),
            counts=typed(data, "counts", str, plain.counts),
            costs=_costs(data),
            knowledge=_knowledge(data, profiles),
            stable=typed(data, "stable", bool, plain.stable),
        ),
    )


def _costs(data: Mapping[str, Any]) -> dict[Label, float] | None:
    """Read ``[{label, cost}]``."""
    found = [as_object(one) for one in listed(data.get("costs", []), "costs", 1000)]
    return {label(one, "label"): float(typed(one, "cost", (int, float))) for one in found} or None


def _knowledge(data: Mapping[str, Any], profiles: Mapping[str, ColumnProfile]) -> Knowledge:
    """Read ``forbid`` (conditions), ``cuts`` (``[{column, at}]``) and ``monotone`` (``[{column, way}]``)."""
    cuts = [as_object(one) for one in listed(data.get("cuts", []), "cuts", 1000)]
    ways = [as_object(one) for one in listed(data.get("monotone", []), "monotone", 1000)]
    return Knowledge(
        forbid=tuple(read_literal(one, profiles) for one in listed(data.get("forbid", []), "forbid", 1000)),
        cuts={typed(one, "column", str): _places(one) for one in cuts},
        monotone={typed(one, "column", str): typed(one, "way", str) for one in ways},
    )


def _places(data: Mapping[str, Any]) -> list[float]:
    places = listed(data.get("at"), "cuts of a column", MAX_LITERALS)
    if not places or not all(isinstance(one, int | float) and not isinstance(one, bool) for one in places):
        raise InputError(f"cuts of {data.get('column')!r} must be numbers, e.g. 40, 50, 65")
    return places


def _kept(data: Mapping[str, Any], profiles: Mapping[str, ColumnProfile]) -> tuple[Label, Dnf] | None:
    """Read ``{label, clauses}``."""
    if data.get("keep") is None:
        return None
    keep = as_object(data["keep"])
    clauses = read_clauses(keep.get("clauses"), profiles)
    return (label(keep, "label"), Dnf(clauses)) if clauses else None
