"""By plan: read the cells of a column by its plan, and what they are compared with: ``price > 100``."""

import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nri.arrays import BoolArray
from nri.errors import InputError, UnknownColumnError
from nri.rule import Column, ColumnPlan, Kind, Literal, Op, empty_column
from nri.rule.phrase import unquoted
from nri.table import date, number
from nri.table.cells import (
    Cells,
    ParsedTexts,
    ReadColumn,
    TextCells,
    TypedCells,
    as_code,
    as_numbers,
    example,
    fold,
    number_as_text,
    spelling_note,
    spread,
    without_codes,
)
from nri.table.table import Table


def read_by(cells: Cells, plan: ColumnPlan, name: str) -> ReadColumn:
    """Read cells by a plan; those that do not fit it are missing, with a note.

    The returned plan adds what all cells decide together: a unit, the order of day and month. If most cells
    do not fit, an InputError names column, row and cell.
    """
    if isinstance(cells, TypedCells):
        return ReadColumn(recast(cells.column, plan, name), plan, cells.note)
    cells = cells.without(plan.missing)
    readers = {Kind.BOOLEAN: number.read_boolean, Kind.NUMBER: number.read, Kind.DATE: date.read}
    reader = readers.get(plan.kind, _read_categories)
    try:
        parsed = reader(cells.texts, cells.counts, plan) if cells.texts else ParsedTexts(np.zeros(0), plan)
    except InputError as error:
        raise InputError(f"column {name!r}: {error}") from None
    column = spread(parsed, cells)
    filled = [not number.is_missing_word(text) for text in cells.texts]
    meant = np.array([*filled, False], dtype=bool)[cells.codes]  # code -1 is the last
    lost = meant & ~column.known
    if 2 * int(lost.sum()) > int(meant.sum()):
        row = int(np.flatnonzero(lost)[0])
        cell = example(cells.texts[cells.codes[row]])
        raise InputError(f"column {name!r}, row {row + 1}: {cell} is no {plan.kind}; correct it, or empty it")
    return ReadColumn(column, parsed.plan, parsed.note)


def _read_categories(texts: Sequence[str], _: object, plan: ColumnPlan) -> ParsedTexts:
    """Read texts as the categories of a plan; one that is known by another spelling gets the one in use."""
    if plan.labels:
        return ParsedTexts(np.array([plan.labels.get(as_code(x), x) for x in texts], dtype=object), plan)
    known = {fold(text): text for text in plan.categories} if plan.folded else {}
    spellings = {text: plan.spellings.get(text, known.get(fold(text), text)) for text in texts}
    spellings |= {text: text for text in plan.categories}
    new = {other: used for other, used in spellings.items() if other != used and other not in plan.spellings}
    return ParsedTexts(np.array([spellings[text] for text in texts], dtype=object), plan, spelling_note(new))


def recast(column: Column, plan: ColumnPlan, name: str) -> Column:
    """Return typed cells as the kind of a plan, where they can be nothing else."""
    column = without_codes(column, plan)
    kind, present = plan.kind, column.kind
    if not column.known.any():
        return empty_column(kind, len(column))
    if kind is Kind.TEXT:
        return _respelled(column, plan)
    if present is kind:
        return column
    if kind is Kind.BOOLEAN and present is Kind.NUMBER:
        return Column(column.values == 1, column.known)
    if kind is Kind.NUMBER and present is Kind.BOOLEAN:
        return Column(as_numbers(column), column.known)
    row = int(np.flatnonzero(column.known)[0])
    cell = f"{example(str(column.values[row]))} in row {row + 1}"
    raise InputError(f"column {name!r} holds a {present} ({cell}) where a {kind} is expected; convert it")


def _respelled(column: Column, plan: ColumnPlan) -> Column:
    """Return cells as texts, in the spellings that a plan uses."""
    if column.categories is None:
        texts = np.full(len(column), None, dtype=object)
        write: Any = number_as_text if column.kind is Kind.NUMBER else str
        texts[column.known] = [write(cell) for cell in column.values[column.known]]
        column = Column(texts, column.known)
    assert column.categories is not None, "texts have categories"
    cells = TextCells(column.values, column.categories).without(plan.missing)
    parsed = _read_categories(cells.texts, None, plan)
    return column if tuple(parsed.values) == column.categories else spread(parsed, cells)


_ORDERED = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
_OPERATORS = {**_ORDERED, "=": operator.eq, "==": operator.eq, "!=": operator.ne}
_COMPARISON = re.compile(r"\s*(<=|>=|==|!=|<|>|=)\s*")


@dataclass(frozen=True, slots=True)
class Comparison:
    """``column operator value``, as the caller wrote it."""

    operator: str
    value: str
    written: str  # the whole, with what it is to serve as

    def truth(self, column: Column, plan: ColumnPlan, name: str) -> BoolArray:
        """[M]: where it holds, as far as cells are known."""
        if column.kind is Kind.BOOLEAN and plan.is_zero_one:
            column, plan = Column(as_numbers(column), column.known), ColumnPlan(Kind.NUMBER)
        if self.operator in _ORDERED and column.kind in (Kind.TEXT, Kind.BOOLEAN):
            raise InputError(f"{self.written}: {column.kind} cells of {name!r} have no order; use = or !=")
        value = self.parsed_value(plan, name)
        values = column.texts if column.kind is Kind.TEXT else column.values
        return np.asarray(_OPERATORS[self.operator](values, value), dtype=bool)

    def parsed_value(self, plan: ColumnPlan, name: str) -> Any:
        """Read the value as the column's cells are read; a number may also be written plainly."""
        cells = TextCells(np.zeros(1, dtype=np.int64), (self.value,))
        # the cells of a column may be "> 3", but what follows a sign is no bound of its own
        is_bound = plan.kind is not Kind.TEXT and _COMPARISON.match(self.value)
        for tried in () if is_bound else (plan, ColumnPlan(plan.kind, stated=False)):
            try:
                read = read_by(cells, tried, name).column
            except InputError:
                continue
            if read.known[0]:
                return read.texts[0] if read.kind is Kind.TEXT else read.values[0]
        cause = f"{self.value!r} is no {plan.kind}, as the cells of {name!r} are"
        raise InputError(f"{self.written}: {cause}; compare with one")


def comparison_of(query: str, names: Sequence[str], what: str = "target") -> tuple[str, Comparison | None]:
    """Separate a column's name from a comparison; names and values may be quoted, as rules write them.

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
    for columns, sign, value in reversed(parts):  # the longest name first
        for column in columns:
            if column in names:
                if not value:
                    raise InputError(f"{what} {query!r} compares with nothing; give a value after {sign}")
                return column, Comparison(sign, value, f"{what} {query!r}")
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


def read_condition(table: Table, text: str, what: str = "condition") -> Literal:
    """Read a condition such as ``age > 80`` or ``colour = red``, its value as the column's cells are read."""
    name, comparison = comparison_of(text, table.names, what)
    plan = table.plans[name]
    if comparison is None:
        if plan.kind is not Kind.BOOLEAN:
            raise InputError(f"{what} {text!r} names a column only; compare it, e.g. {name} > 80")
        return Literal(name, Op.EQ, True)
    value = comparison.parsed_value(plan, name)
    op = {"==": "=", ">=": ">", "<": "<="}.get(comparison.operator, comparison.operator)
    if comparison.operator in (">=", "<") and plan.whole:  # age >= 80 is age > 79, age < 80 is age <= 79
        value = np.ceil(value) - 1
    return Literal(name, Op(op), bool(value) if plan.kind is Kind.BOOLEAN else value)
