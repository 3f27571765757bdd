"""Logic: programs in Prolog and in answer set programming (clingo).

Programs are ``predict(Row, Label)`` over facts ``cell(Row, Column, Value)``, in ASP also ``row(Row)``; a
missing cell is one without a fact. Booleans are ``true`` and ``false`` (in Prolog also 1 and 0), texts atoms
or strings, dates texts like ``2024-05-01 00:00:00``. clingo has only small integers: :class:`NumberCode` and
the program's comments say how numbers are written for it.
"""

import datetime as dt
import math
import unicodedata
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import groupby

from nri.errors import InputError
from nri.rule.column import Columns, row_count
from nri.rule.labels import Label
from nri.rule.literal import Clause, Kind, Literal, Op, Value
from nri.rule.phrase import phrase_name, quoted
from nri.rule.render.as_table import fill
from nri.rule.rule import RenderOptions, Rule

Writer = Callable[[str], str]  # Writes the name of a column.


def _facts(rule: Rule, columns: Columns, n_rows: int, name: Writer, cell: Callable[[Value, str], str]) -> str:
    """Write the known cells that the rule reads."""
    return "".join(
        f"cell({row}, {name(column)}, {cell(value, column)}).\n"
        for row in range(n_rows)
        for column in rule.kinds
        if (value := columns[column].cell(row)) is not None
    )


def _branches(
    rule: Rule, row: str, name: Writer, compare: Callable[[Literal, str], str], value: Callable[[Label], str]
) -> list[tuple[str, Clause, list[list[str]]]]:
    """Write for each branch what it predicts, and the goals that hold for the cells of a row.

    Goals are in groups with a variable each: one for each column, or of a count one for each member.
    """
    branches = []
    for branch in rule.branches:
        clause, groups = branch.clause, []
        by_column = (list(group) for _, group in groupby(clause, key=lambda one: one.column))
        for i, literals in enumerate([[x] for x in clause] if clause.counts else by_column, start=1):
            cell = f"cell({row}, {name(literals[0].column)}, V{i})"
            groups.append([cell, *(compare(literal, f"V{i}") for literal in literals)])
        branches.append((value(branch.value), clause, groups))
    return branches


def _written(value: Value, quote: Writer, number: Callable[[float], str]) -> str:
    """Write a value: booleans as words, texts and dates in quotes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote(value)
    return quote(value.isoformat(sep=" ")) if isinstance(value, dt.datetime) else number(value)


# Prolog

_SIGNS = {
    Kind.NUMBER: {Op.EQ: "=:=", Op.NE: "=\\=", Op.GT: ">", Op.LE: "=<"},
    Kind.TEXT: {Op.EQ: "==", Op.NE: "\\=="},
    Kind.DATE: {Op.EQ: "==", Op.NE: "\\==", Op.GT: "@>", Op.LE: "@=<"},
}

_HIDDEN = ("Cc", "Cf", "Zl", "Zp")  # Unicode categories of control characters and of ends of lines.


def render_prolog(rule: Rule, options: RenderOptions) -> str:
    """Write the program."""
    program = fill(
        "prolog.jinja",
        target=phrase_name(rule.target),
        branches=_branches(rule, "Row", atom, _test, _term),
        default=_term(rule.default),
        booleans=Kind.BOOLEAN in rule.kinds.values(),
    )
    return _encoded(program)


def prolog_facts(rule: Rule, columns: Columns, n_rows: int | None = None) -> str:
    """Write the cells that the rule reads as facts; rows are numbered from 0."""

    def cell(value: Value, column: str) -> str:
        numeric = rule.kinds[column] is Kind.NUMBER and isinstance(value, bool)
        return _term(int(value) if numeric else value)  # type: ignore[arg-type]

    return _encoded(_facts(rule, columns, row_count(columns, n_rows), atom, cell) or "\n")


def _encoded(source: str) -> str:
    """Say that the file is UTF-8 where it matters; Prologs differ in what they expect."""
    return source if source.isascii() else f":- encoding(utf8).\n{source}"


def atom(text: str) -> str:
    """Quote an atom, so that no character in it can mean anything else."""
    # of others only what could end a line or hide: SWI-Prolog refuses escapes of some unassigned characters
    escapes: dict[str, str | int | None] = {
        c: f"\\x{ord(c):x}\\" for c in text if unicodedata.category(c) in _HIDDEN
    }
    escapes |= {"'": "\\'", "\\": "\\\\"}
    return f"'{text.translate(str.maketrans(escapes))}'"


def _test(literal: Literal, variable: str) -> str:
    if literal.kind is Kind.BOOLEAN:
        return f"yes({variable})" if literal.positive else f"\\+ yes({variable})"
    return f"{variable} {_SIGNS[literal.kind][literal.op]} {_term(literal.value)}"


def _term(value: Value) -> str:
    return _written(value, atom, _number)


def _number(value: float) -> str:
    text = repr(value)  # an infinite cell is the function inf
    return text.replace("e", ".0e") if "e" in text and "." not in text else text  # digits around the point


# Answer set programming

_GROUP = 9
_BASE = 10**_GROUP


class NumberCode:
    """How the numbers of a column are written that is compared as some literals do."""

    def __init__(self, literals: Sequence[Literal]) -> None:
        values = [_exact(literal.value) for literal in literals]
        self.ordered = any(literal.op.ordered for literal in literals)
        # whether a rounded number must differ from every number with one digit less
        self.apart = not all(literal.op.ordered for literal in literals)
        # decimals that are kept: numbers are multiplied by 10 to this power
        self.digits = max(max(0, -int(value.as_tuple().exponent)) for value in values) + self.apart
        largest = max(abs(int(value.scaleb(self.digits))) for value in values)
        # how many groups of nine digits a number needs; the ends are for cells beyond all thresholds
        self.groups = -(-len(str(largest + 1)) // _GROUP)

    @property
    def about(self) -> str:
        """A note for writers of facts, empty if numbers are written as they are."""
        if not self.ordered or (self.digits == 0 and self.groups == 1):
            return ""
        grouped = f", as {self.groups} groups of {_GROUP} digits" if self.groups > 1 else ""
        return f"numbers times 10^{self.digits}{grouped}"

    def term(self, value: float) -> str:
        """Write a number as a clingo term."""
        if not self.ordered:
            whole = float(value).is_integer() and abs(value) < _BASE
            return str(int(value)) if whole else f'"{float(value)!r}"'
        most = _BASE**self.groups - 1
        scaled = max(-most, min(most, _exact(value).scaleb(self.digits)))
        key = math.floor(scaled)
        # rounded up; where it must stay apart, not onto a number with a digit less
        if key != scaled and not (self.apart and key % 10):
            key += 1
        first, *others = (key // _BASE**i for i in reversed(range(self.groups)))
        groups = ",".join(map(str, [first, *(one % _BASE for one in others)]))
        return f"({groups})" if others else groups


def _exact(value: Value) -> Decimal:
    """Return the shortest decimal that is this float and no other; it sorts as floats do."""
    return Decimal(repr(float(value))).normalize()  # type: ignore[arg-type]


_INTEGERS = 2**31 - 1


def render_asp(rule: Rule, options: RenderOptions) -> str:
    """Write the program."""
    codes = _codes(rule)

    def compare(literal: Literal, variable: str) -> str:
        return f"{variable} {literal.op} {_cell(literal.value, literal.kind, codes.get(literal.column))}"

    return fill(
        "asp.jinja",
        target=phrase_name(rule.target),
        scaled=[(quoted(name), code.about) for name, code in codes.items() if code.about],
        branches=_branches(rule, "R", string, compare, _label),
        default=_label(rule.default),
    )


def asp_facts(rule: Rule, columns: Columns, n_rows: int | None = None) -> str:
    """Write the rows, and the cells that the rule reads, as facts; rows are numbered from 0."""
    n, codes = row_count(columns, n_rows), _codes(rule)

    def cell(value: Value, column: str) -> str:
        return _cell(value, rule.kinds[column], codes.get(column))

    return f"row(0..{n - 1}).\n{_facts(rule, columns, n, string, cell)}" if n else "\n"


def string(text: str) -> str:
    """Quote a string, so that no character in it can mean anything else."""
    if "\0" in text:
        raise InputError(f"an ASP string cannot hold the character NUL: remove it from {text!r}")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _codes(rule: Rule) -> dict[str, NumberCode]:
    """How each numeric column is written, which depends on what it is compared with."""
    literals = [literal for clause in rule.clauses for literal in clause]
    numeric = [name for name, kind in rule.kinds.items() if kind is Kind.NUMBER]
    return {name: NumberCode([one for one in literals if one.column == name]) for name in numeric}


def _cell(value: Value, kind: Kind, code: NumberCode | None) -> str:
    if code is not None:
        return code.term(value)  # type: ignore[arg-type]
    return _written(value == 1 if kind is Kind.BOOLEAN else value, string, str)


def _label(label: Label) -> str:
    """Labels that are no 32-bit integer are strings."""
    fits = isinstance(label, str) or (isinstance(label, int) and abs(label) <= _INTEGERS)
    return _written(label if fits else repr(label), string, str)
