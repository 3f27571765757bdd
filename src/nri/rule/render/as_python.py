"""Python: the source of one function that needs nothing but Python.

It takes rows as ``csv.DictReader``, a database or pandas give them: numbers, yes/no and dates may be text.
Numbers with a unit, a decimal comma or thousands set apart are read as the column's plan says, and categories
in every spelling that they had.
"""

import datetime as dt
import inspect
import keyword
from collections.abc import Callable, Mapping
from typing import Any

from nri.errors import InputError
from nri.rule.column import ColumnPlan
from nri.rule.literal import Clause, Kind, Literal, Op, Value
from nri.rule.phrase import phrase_name
from nri.rule.render import python_cells
from nri.rule.rule import Branch, RenderOptions, Rule

_SIGNS = {Op.EQ: "==", Op.NE: "!=", Op.GT: ">", Op.LE: "<="}
_WIDEST = 90
"""A longer condition gets a line for each literal."""

_READERS: dict[Kind, tuple[Callable[..., Any], ...]] = {
    Kind.NUMBER: (python_cells.number, python_cells.written_number, python_cells.stands_for_nothing),
    Kind.BOOLEAN: (
        *(python_cells.flag, python_cells.number),
        *(python_cells.written_number, python_cells.stands_for_nothing),
    ),
    Kind.DATE: (python_cells.moment, python_cells.written_moment, python_cells.stands_for_nothing),
    Kind.TEXT: (python_cells.text,),
}
"""For each kind the function that reads a cell, and those that it calls."""
_KNOWN = """
    def known(*columns):
        return all(cells[column] is not None for column in columns)
"""


def render_python(rule: Rule, options: RenderOptions) -> str:
    """Write a function from a row, a mapping from column to cell, to its label."""
    name = options.function
    if not name.isidentifier() or keyword.iskeyword(name):
        raise InputError(f"{name!r} cannot name a Python function: use letters, digits and _")
    kinds = {plan.kind for plan in rule.plans.values()}
    readers = dict.fromkeys(reader for kind in Kind if kind in kinds for reader in _READERS[kind])
    sources = [inspect.getsource(reader).strip() for reader in readers]
    modules = ("datetime", "math", "re")
    head = "\n".join(f"import {one}" for one in modules if any(f"{one}." in source for source in sources))
    lines = [
        f"# Predicts {phrase_name(rule.target)} by rules that nri induced.",
        f"def {name}(row):",
        '    """Return the label of a row, a dict from column to cell; None, NaN and \'\' are unknown."""',
    ]
    if rule.plans:
        cells = [f"        {column!r}: {_read(column, plan)}," for column, plan in rule.plans.items()]
        lines += ["    cells = {", *cells, "    }", _KNOWN]
    lines += [_branch(branch, rule) for branch in rule.branches]
    lines.append(f"    return {rule.default!r}")
    return "\n\n\n".join(filter(None, [head, *sources, "\n".join(lines)])) + "\n"


def _read(column: str, plan: ColumnPlan) -> str:
    """Write how a cell is read by its plan: what is unusual about it."""
    words = tuple(text for text in plan.missing if not text.lstrip("-").replace(".", "").isdigit())
    as_number: dict[str, Any] = {
        "decimal": plan.decimal,
        "groups": plan.thousands,
        "unit": plan.unit,
        "missing": plan.missing_values,
        "words": words,
    }
    usual: dict[str, Any] = {"decimal": ".", "groups": "", "unit": ("", ""), "missing": (), "words": ()}
    match plan.kind:
        case Kind.NUMBER:
            arguments = as_number
        case Kind.BOOLEAN:
            arguments = as_number if plan.no_and_yes == ("0", "1") else {}
            usual = {**usual, "decimal": None}  # which tells that numbers are read
        case Kind.DATE:
            arguments = {"day_first": plan.day_first, "missing": plan.missing}
            usual = {"day_first": None, "missing": ()}
        case Kind.TEXT:
            arguments = {"missing": plan.missing, "labels": dict(plan.labels), "folded": plan.folded}
            usual = {"missing": (), "labels": {}, "folded": False}
    more = "".join(f", {key}={value!r}" for key, value in arguments.items() if value != usual[key])
    return f"{_READERS[plan.kind][0].__name__}(row[{column!r}]{more})"


def _branch(branch: Branch, rule: Rule) -> str:
    comment = f"    # {rule.predicts.comment(branch.estimate)}"
    return f"{comment}\n    if {_clause(branch.clause, rule.plans)}:\n        return {branch.value!r}"


def _clause(clause: Clause, plans: Mapping[str, ColumnPlan]) -> str:
    if not clause.literals:
        return "True"
    if clause.counts:
        return _count(clause, plans)
    known = f"known({', '.join(repr(column) for column in clause.columns)})"
    tests = [known, *(_literal(literal, plans[literal.column]) for literal in clause)]
    line = " and ".join(tests)
    if len(line) <= _WIDEST:
        return line
    lines = "\n        and ".join(tests)
    return f"(\n        {lines}\n    )"


def _count(clause: Clause, plans: Mapping[str, ColumnPlan]) -> str:
    """Write how many members hold, one in a line; a cell is asked about only if it is known."""
    tests = "".join(
        f"        known({literal.column!r}) and {_literal(literal, plans[literal.column])},\n"
        for literal in clause
    )
    return f"sum((\n{tests}    )) >= {clause.at_least}"


def _literal(literal: Literal, plan: ColumnPlan) -> str:
    cell = f"cells[{literal.column!r}]"
    if literal.kind is Kind.BOOLEAN:
        return cell if literal.positive else f"not {cell}"
    if isinstance(literal.value, str) and not plan.labels:
        if plan.folded:
            return f"{cell} {_SIGNS[literal.op]} {' '.join(literal.value.split()).casefold()!r}"
        if len(spelled := plan.spelled(literal.value)) > 1:
            return f"{cell} {'in' if literal.op is Op.EQ else 'not in'} {spelled!r}"
    return f"{cell} {_SIGNS[literal.op]} {_value(literal.value)}"


def _value(value: Value) -> str:
    if isinstance(value, dt.datetime):
        fields = [*value.timetuple()[:6], value.microsecond]
        while len(fields) > 3 and fields[-1] == 0:
            fields.pop()
        return f"datetime.datetime({', '.join(map(str, fields))})"
    return repr(value)
