"""Question: what the page asks for, read from its JSON and checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any

import numpy as np

from nri.errors import InputError
from nri.induce.settings import DEFAULT_MODEL, Knowledge, Settings
from nri.outcome.score import check_prevalence
from nri.rule import Clause, ColumnPlan, Kind, Label, Literal, Op, Value
from nri.rule.literal import plain_value
from nri.table.by_plan import read_by
from nri.table.cells import TextCells
from nri.table.table import Table
from nri.table.target import with_survival, with_target

MAX_CLAUSES = 100
MAX_LITERALS = 50  # Far more than a person reads, and few enough to be counted at once.

Kinds = Mapping[str, Kind]  # How conditions compare each column.
Json = Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """Which column is to be explained, and what the rule may be."""

    target: str
    """a column, or a comparison such as ``price > 100``; with an event, the column of the time until it"""
    settings: Settings
    positive: Label | None = None
    """the class the rule is about; None leaves it open, or asks for branches of each of several classes"""
    event: str | None = None  # a column of yes and no, or a comparison such as ``status = dead``
    protect: tuple[str, ...] = ()  # columns whose groups are listed
    prevalence: float | None = None
    """share of the class asked about where the rule will be used; None for the table's"""
    groups: str | None = None  # a column that says which rows belong together; it is no feature
    time_order: str | None = None
    """a column that says when rows came: later ones judge rules from earlier ones"""
    keep: tuple[Label | None, tuple[Clause, ...]] | None = None
    """clauses to keep, and the class that they are about; None where the target has no classes"""

    def rows_of(self, table: Table) -> Table:
        """Return the rows of a table whose target is known, with their outcome."""
        table = table.arranged(self.groups, self.time_order)
        if self.event is not None:
            return with_survival(table, self.target, self.event)
        return with_target(table, self.target, self.positive)


def read_question(data: Any, kinds: Kinds, model: str = DEFAULT_MODEL) -> Question:
    """Read a question from plain JSON data; what is left out takes the command line's defaults.

    ``costs`` are ``[{label, cost}]``, ``ordered`` labels, ``forbid`` conditions, ``cuts`` ``[{column, at}]``,
    ``monotone`` ``[{column, way}]``, ``keep`` ``{label, clauses}``. The model is the server's choice, not the
    page's. Conditions are read as the columns are.
    """
    data, usual = as_object(data), Settings()
    named = ("groups", "time_order", "event")
    groups, time_order, event = (_typed(data, key, (str, NoneType)) for key in named)
    prevalence = _typed(data, "prevalence", (int, float, NoneType))
    check_prevalence(prevalence)
    plain = {"max_clauses": int, "max_literals": int, "negations": bool, "counts": str, "stable": bool}
    return Question(
        groups=groups,
        time_order=time_order,
        target=_text(data, "target"),
        positive=None if data.get("positive") is None else read_label(data, "positive"),
        event=event,
        prevalence=prevalence,
        protect=_names(data, "protect"),
        keep=None if data.get("keep") is None else _kept(as_object(data["keep"]), kinds),
        settings=Settings(
            model=model,
            never=tuple(name for name in _names(data, "never") if name not in (groups, time_order)),
            require=_names(data, "require"),
            min_precision=_number(data, "min_precision", usual.min_precision),
            costs={read_label(one, "label"): _number(one, "cost") for one in _objects(data, "costs")} or None,
            ordered=listed(data.get("ordered", []), "ordered", 1000),
            knowledge=Knowledge(
                forbid=tuple(read_literal(one, kinds) for one in _objects(data, "forbid")),
                cuts={_text(one, "column"): _places(one) for one in _objects(data, "cuts")},
                monotone={_text(one, "column"): _text(one, "way") for one in _objects(data, "monotone")},
            ),
            **{key: _typed(data, key, kind, getattr(usual, key)) for key, kind in plain.items()},
        ),
    )


def _objects(data: Json, key: str) -> list[Json]:
    """Return a field that must be a list of objects; none by default."""
    return [as_object(one) for one in listed(data.get(key, []), key, 1000)]


def _places(data: Json) -> list[float]:
    places = listed(data.get("at"), "cuts of a column", MAX_LITERALS)
    if not places or not all(isinstance(one, int | float) and not isinstance(one, bool) for one in places):
        raise InputError(f"cuts of {data.get('column')!r} must be numbers, e.g. 40, 50, 65")
    return places


def _kept(keep: Json, kinds: Kinds) -> tuple[Label | None, tuple[Clause, ...]] | None:
    clauses = read_clauses(keep.get("clauses"), kinds)
    label = None if keep.get("label") is None else read_label(keep, "label")
    return (label, tuple(clauses)) if clauses else None


def as_object(data: Any) -> Json:
    """Return JSON data that must be an object."""
    if not isinstance(data, dict):
        raise InputError("the page sent something that is no JSON object; reload the page")
    return data


def _typed(data: Json, key: str, wanted: Any, default: Any = None) -> Any:
    """Return a field that must be of some type; a truth value is no number."""
    value = data.get(key, default)
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        raise InputError(f"{key!r} is missing or of the wrong kind; reload the page")
    return value


def _text(data: Json, key: str) -> str:
    return str(_typed(data, key, str))


def _number(data: Json, key: str, default: float | None = None) -> float:
    return float(_typed(data, key, (int, float), default))


def _names(data: Json, key: str) -> tuple[str, ...]:
    """Return a field that must be a list of column names; none by default."""
    found = _typed(data, key, list, [])
    if not all(isinstance(name, str) for name in found):
        raise InputError(f"{key!r} must be a list of column names; reload the page")
    return tuple(found)


def read_label(data: Json, key: str) -> Label:
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


def read_clauses(data: Any, kinds: Kinds) -> list[Clause]:
    """Read ``[{literals, at_least}]``; where ``at_least`` is null all literals of the clause must hold."""
    clauses = []
    for one in listed(data, "clauses", MAX_CLAUSES):
        fields = as_object(one)
        literals = listed(fields.get("literals"), "a clause", MAX_LITERALS)
        needed = fields.get("at_least")
        if needed is not None and (isinstance(needed, bool) or not isinstance(needed, int)):
            raise InputError(f"at least {needed!r} conditions cannot be asked for; use a whole number")
        clauses.append(Clause([read_literal(literal, kinds) for literal in literals], needed))
    return clauses


def read_literal(data: Any, kinds: Kinds) -> Literal:
    """Read ``{column, op, value}``."""
    fields = as_object(data)
    name = fields.get("column")
    if not isinstance(name, str) or name not in kinds:
        raise InputError(f"no column {name!r} to compare; choose one of the list")
    try:
        op = Op(str(fields.get("op")))
    except ValueError:
        raise InputError(f"no comparison {fields.get('op')!r}; use one of {' '.join(Op)}") from None
    return Literal(name, op, _value(fields.get("value"), kinds[name], name))


def _value(value: Any, kind: Kind, column: str) -> Value:
    """Read a value as the kind of its column; numbers and dates may come as the user typed them."""
    if kind is Kind.BOOLEAN:
        return True  # "not" is said by the comparison
    if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
        raise InputError(f"column {column!r} needs a value to compare with")
    if kind is Kind.TEXT:
        return str(value)
    if isinstance(value, int | float) and kind is Kind.NUMBER:
        return plain_value(value)
    cell = TextCells(np.zeros(1, dtype=np.int64), (str(value).strip(),))
    try:
        read = read_by(cell, ColumnPlan(kind, stated=False), column)
    except InputError:
        raise InputError(f"{value!r} is no {kind}, as the cells of {column!r} are; type one") from None
    return plain_value(read.column.values[0])
