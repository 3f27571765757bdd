"""Comparison: a column and a value as a person writes them, e.g. ``price > 100``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nri.arrays import BoolArray
from nri.errors import InputError, UnknownColumnError
from nri.rule.column import Column
from nri.rule.literal import Kind, Literal, Op
from nri.rule.phrase import unquoted
from nri.rule.plan import ColumnPlan
from nri.table.cells import ZERO_ONE, TextCells
from nri.table.source import as_numbers, read_by
from nri.table.table import Table

_COMPARISON = re.compile(r"\s*(<=|>=|==|!=|<|>|=)\s*")


@dataclass(frozen=True, slots=True)
class Comparison:
    """``column operator value``, as the caller wrote it."""

    operator: str
    value: str
    written: str
    """the whole, with what it is to serve as"""

    def truth(self, column: Column, plan: ColumnPlan, name: str) -> BoolArray:
        """[M]: where it holds, as far as cells are known."""
        if column.kind is Kind.BOOLEAN and plan.no_and_yes == ZERO_ONE.no_and_yes:
            column, plan = Column(as_numbers(column), column.known), ColumnPlan(Kind.NUMBER)
        ordered = self.operator not in ("=", "==", "!=")
        if ordered and column.kind in (Kind.TEXT, Kind.BOOLEAN):
            raise InputError(
                f"{self.written}: the {column.kind} cells of {name!r} have no order; use = or !="
            )
        value = self.parsed_value(plan, name)
        values = column.texts if column.kind is Kind.TEXT else column.values
        match self.operator:
            case ">":
                truth = values > value
            case ">=":
                truth = values >= value
            case "<":
                truth = values < value
            case "<=":
                truth = values <= value
            case "!=":
                truth = values != value
            case _:
                truth = values == value
        return np.asarray(truth, dtype=bool)

    def parsed_value(self, plan: ColumnPlan, name: str) -> Any:
        """Read the value as the column's cells are read; a number may also be written plainly."""
        cells = TextCells(np.zeros(1, dtype=np.int64), (self.value,))
        for tried in (plan, ColumnPlan(plan.kind, stated=False)):
            try:
                read = read_by(cells, tried, name).column
            except InputError:
                continue
            return read.texts[0] if read.kind is Kind.TEXT else read.values[0]
        raise InputError(
            f"{self.written}: {self.value!r} is no {plan.kind}, as the cells of {name!r} are; "
            "compare with one"
        )


def comparison_of(query: str, names: Sequence[str], what: str = "target") -> tuple[str, Comparison | None]:
    """Tell a column's name from a comparison; a name that contains an operator goes first.

    A name or a value may stand in quotes, as rules write those that could be misread.

    >>> comparison_of("price > 100", ["price", "size"])[0], comparison_of('"2021" > 100', ["2021"])[0]
    ('price', '2021')
    """
    for name in (query, *_readings(query)):
        if name in names:
            return name, None
    parts = [
        (_readings(query[: match.start()]), match[1], _readings(query[match.end() :])[0])
        for match in _COMPARISON.finditer(query)
    ]
    for columns, operator, value in reversed(parts):  # the longest name first
        for column in columns:
            if column in names and value:
                return column, Comparison(operator, value, f"{what} {query!r}")
    name = parts[0][0][0] if parts and parts[0][0][0] else query
    if what == "target":
        raise UnknownColumnError(name, tuple(names), "target column")
    raise UnknownColumnError(name, tuple(names), where=what)


def _readings(text: str) -> tuple[str, ...]:
    """Return what a text may mean: as rules write it, with escapes in double quotes, or as it stands."""
    text = text.strip()
    if len(text) < 2 or text[0] != text[-1] or text[0] not in "'\"`":
        return (text,)
    return (unquoted(text), text[1:-1]) if text[0] == '"' else (text[1:-1],)


def read_condition(table: Table, text: str) -> Literal:
    """Read a condition such as ``age > 80`` or ``colour = red``, its value as the column's cells are read.

    >>> from nri.table.source import table_of
    >>> read_condition(table_of({"age": [20, 90]}), "age > 80")
    Literal(column='age', op=<Op.GT: '>'>, value=80)
    """
    name, comparison = comparison_of(text, table.names, "condition")
    plan = table.plans[name]
    if comparison is None:
        if plan.kind is not Kind.BOOLEAN:
            raise InputError(f"condition {text!r} names a column only; compare it, e.g. {name} > 80")
        return Literal(name, Op.EQ, True)
    value = comparison.parsed_value(plan, name)
    operator = {"==": "=", ">=": ">", "<": "<="}.get(comparison.operator, comparison.operator)
    return Literal(name, Op(operator), bool(value) if plan.kind is Kind.BOOLEAN else value)
