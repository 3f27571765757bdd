"""Question: what the page asks for, read from its JSON and checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from nri.errors import InputError
from nri.induce.settings import DEFAULT_MODEL, Knowledge, Settings
from nri.outcome.score import check_prevalence
from nri.rule import Clause, ColumnPlan, Kind, Label, Literal, Op, Value
from nri.rule.literal import plain_value
from nri.serve.upload import ColumnProfile
from nri.table.by_plan import read_by
from nri.table.cells import TextCells
from nri.table.table import Table
from nri.table.target import with_survival, with_target

T = TypeVar("T")

MAX_CLAUSES = 100
MAX_LITERALS = 50
"""Far more than a person reads, and few enough to be counted at once."""

Profiles = Mapping[str, ColumnProfile]


@dataclass(frozen=True)
class Question:
    """Which column is to be explained, and what the rule may be."""

    target: str
    """a column, or a comparison such as ``price > 100``; with an event, the column of the time until it"""
    settings: Settings
    positive: Label | None = None
    """the class the rule is about; None leaves it open, or asks for branches of each of several classes"""
    event: str | None = None
    """a column of yes and no, or a comparison such as ``status = dead``"""
    protect: tuple[str, ...] = ()
    """columns whose groups are listed"""
    prevalence: float | None = None
    """share of the class asked about where the rule will be used; None for the table's"""
    keep: tuple[Label | None, tuple[Clause, ...]] | None = None
    """clauses to keep, and the class that they are about; None where the target has no classes"""

    def rows_of(self, table: Table) -> Table:
        """Return the rows of a table whose target is known, with their outcome."""
        if self.event is not None:
            return with_survival(table, self.target, self.event)
        return with_target(table, self.target, self.positive)


def read_question(data: Any, model: str = DEFAULT_MODEL, columns: Sequence[ColumnProfile] = ()) -> Question:
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
        positive=None if data.get("positive") is None else read_label(data, "positive"),
        event=None if data.get("event") is None else typed(data, "event", str),
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
    return {read_label(one, "label"): float(typed(one, "cost", (int, float))) for one in found} or None


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


def _kept(
    data: Mapping[str, Any], profiles: Mapping[str, ColumnProfile]
) -> tuple[Label | None, tuple[Clause, ...]] | None:
    """Read ``{label, clauses}``."""
    if data.get("keep") is None:
        return None
    keep = as_object(data["keep"])
    clauses = read_clauses(keep.get("clauses"), profiles)
    label = None if keep.get("label") is None else read_label(keep, "label")
    return (label, tuple(clauses)) if clauses else None


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


def read_label(data: Mapping[str, Any], key: str) -> Label:
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
