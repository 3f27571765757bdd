"""Question: what the page asks for, read from its JSON and checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any

from nri.errors import InputError
from nri.induce.settings import DEFAULT_MODEL, Knowledge, Settings
from nri.outcome.score import check_prevalence
from nri.rule import Clause, ColumnPlan, Kind, Label, Literal
from nri.table.by_plan import Comparison
from nri.table.table import Table
from nri.table.target import with_survival, with_target

LABELS = (str, int, float, bool)  # What a class can be in JSON.
MAX_CLAUSES = 100
MAX_LITERALS = 50  # Far more than a person reads, and few enough to be counted at once.
_LIMITS = ("max_clauses", "max_literals", "min_precision", "negations", "counts", "stable", "ordered")
"""Settings that are the same in JSON; they check themselves."""

Plans = Mapping[str, ColumnPlan]  # How the cells of each column are read.


@dataclass(frozen=True)
class Question:
    """Which column is to be explained, and what the rule may be."""

    target: str  # a column, or a comparison such as ``price > 100``; with an event, the time until it
    settings: Settings
    positive: Label | None = None
    """the class the rule is about; None leaves it open, or asks for branches of each of several classes"""
    event: str | None = None  # a column of yes and no, or a comparison such as ``status = dead``
    protect: tuple[str, ...] = ()  # columns whose groups are listed
    prevalence: float | None = None  # share of the class where the rule will be used; None for the table's
    groups: str | None = None  # a column that says which rows belong together; it is no feature
    time_order: str | None = None  # when rows came: later ones judge rules from earlier ones
    keep: tuple[Label | None, tuple[Clause, ...]] | None = None
    """clauses to keep, and the class that they are about; None where the target has no classes"""

    def rows_of(self, table: Table) -> Table:
        """Return the rows of a table whose target is known, with their outcome."""
        table = table.arranged(self.groups, self.time_order)
        if self.event is not None:
            return with_survival(table, self.target, self.event)
        return with_target(table, self.target, self.positive)


def read_question(data: Any, plans: Plans, model: str = DEFAULT_MODEL) -> Question:
    """Read a question from plain JSON data; what is left out takes the command line's defaults.

    ``costs`` are ``[{label, cost}]``, ``ordered`` labels, ``forbid`` conditions, ``cuts`` ``[{column, at}]``,
    ``monotone`` ``[{column, way}]``, ``keep`` ``{label, clauses}``. The model is the server's choice, not the
    page's. Conditions are read as the columns are.
    """
    groups, time_order, event = (read(data, key, str, NoneType) for key in ("groups", "time_order", "event"))
    prevalence = read(data, "prevalence", int, float, NoneType)
    check_prevalence(prevalence)
    keep = data.get("keep")
    clauses = () if keep is None else tuple(read_clauses(keep, "clauses", plans))
    protect, never, require = (tuple(read_list(data, key, str)) for key in ("protect", "never", "require"))
    costs, cuts, monotone = (read_list(data, key, dict) for key in ("costs", "cuts", "monotone"))
    return Question(
        groups=groups,
        time_order=time_order,
        target=read(data, "target", str),
        positive=read(data, "positive", *LABELS, NoneType),
        event=event,
        prevalence=prevalence,
        protect=protect,
        keep=(read(keep, "label", *LABELS, NoneType), clauses) if clauses else None,
        settings=Settings(
            model=model,
            never=tuple(name for name in never if name not in (groups, time_order)),
            require=require,
            costs={read(one, "label", *LABELS): read(one, "cost", int, float) for one in costs} or None,
            knowledge=Knowledge(
                forbid=[read_literal(one, plans) for one in read_list(data, "forbid", dict)],
                cuts={read(one, "column", str): one.get("at") for one in cuts},
                monotone={read(one, "column", str): read(one, "way", str) for one in monotone},
            ),
            **{key: data[key] for key in _LIMITS if key in data},
        ),
    )


def read(data: Any, key: str, *types: type, default: Any = None) -> Any:
    """Return a field of a JSON object that must be of one of some types; a truth value is no number."""
    if not isinstance(data, dict):
        raise InputError("the page sent something that is no JSON object; reload the page")
    value = data.get(key, default)
    if type(value) not in types:
        raise InputError(f"{key!r} is missing or of the wrong kind; reload the page")
    return value


def read_list(data: Any, key: str, wanted: type, most: int = 1000) -> list[Any]:
    """Return a field that must be a list of so many parts at most, all of one type; none by default."""
    parts: list[Any] = read(data, key, list, default=[])
    if len(parts) > most:
        raise InputError(f"{key!r} has {len(parts)} parts; use at most {most}")
    if any(type(part) is not wanted for part in parts):
        raise InputError(f"a part of {key!r} is of the wrong kind; reload the page")
    return parts


def read_clauses(data: Any, key: str, plans: Plans) -> list[Clause]:
    """Read ``[{literals, at_least}]``; where ``at_least`` is null all literals of the clause must hold."""
    return [
        Clause(
            [read_literal(one, plans) for one in read_list(clause, "literals", dict, most=MAX_LITERALS)],
            read(clause, "at_least", int, NoneType),
        )
        for clause in read_list(data, key, dict, most=MAX_CLAUSES)
    ]


def read_literal(data: Any, plans: Plans) -> Literal:
    """Read ``{column, op, value}``; numbers and dates may come as the user typed them."""
    name, op, value = read(data, "column", str), read(data, "op", str), data.get("value")
    if name not in plans:
        raise InputError(f"no column {name!r} to compare; choose one of the list")
    kind = plans[name].kind
    if kind is Kind.BOOLEAN:
        return Literal(name, op, True)  # the comparison has the "not"
    if type(value) not in (str, int, float) or value == "":
        raise InputError(f"column {name!r} needs a value to compare with")
    if kind is Kind.TEXT:
        value = str(value)
    elif kind is Kind.DATE or isinstance(value, str):
        typed = Comparison(op, str(value).strip(), f"condition '{name} {op} {value}'")
        value = typed.parsed_value(ColumnPlan(kind, stated=False), name)
    return Literal(name, op, value)
