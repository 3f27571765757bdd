"""Python: the source of one function that needs nothing but Python.

It takes rows as ``csv.DictReader``, a database or pandas give them: texts are read as the plans say.
"""

import datetime as dt
import keyword
from collections.abc import Mapping
from typing import Any

from nri.errors import InputError
from nri.rule.column import ColumnPlan
from nri.rule.literal import Clause, Kind, Literal, Op, Value
from nri.rule.phrase import phrase_name
from nri.rule.render.as_table import fill
from nri.rule.rule import RenderOptions, Rule

_SIGNS = {Op.EQ: "==", Op.NE: "!=", Op.GT: ">", Op.LE: "<="}
_READERS = {Kind.NUMBER: "number", Kind.BOOLEAN: "flag", Kind.DATE: "moment", Kind.TEXT: "text"}
"""For each kind the function of the template that reads a cell."""


def render_python(rule: Rule, options: RenderOptions) -> str:
    """Write a function from a row, a mapping from column to cell, to its label."""
    name = options.function
    if not name.isidentifier() or keyword.iskeyword(name):
        raise InputError(f"{name!r} cannot name a Python function: use letters, digits and _")
    return fill(
        "python.jinja",
        kinds={plan.kind for plan in rule.plans.values()},
        target=phrase_name(rule.target),
        function=name,
        cells={repr(column): _read(column, plan) for column, plan in rule.plans.items()},
        branches=[
            (rule.predicts.comment(one.estimate), one.clause, _tests(one.clause, rule.plans), repr(one.value))
            for one in rule.branches
        ],
        default=repr(rule.default),
    )


def _read(column: str, plan: ColumnPlan) -> str:
    """Write how a cell is read by its plan: what is unusual about it."""
    usual = _arguments(ColumnPlan(plan.kind, no_and_yes=plan.no_and_yes))
    if plan.kind is Kind.BOOLEAN:
        usual["decimal"] = None  # it is always written: it shows that numbers are read
    unusual = {key: value for key, value in _arguments(plan).items() if value != usual[key]}
    more = "".join(f", {key}={value!r}" for key, value in unusual.items())
    return f"{_READERS[plan.kind]}(row[{column!r}]{more})"


def _arguments(plan: ColumnPlan) -> dict[str, Any]:
    match plan.kind:
        case Kind.TEXT:
            return {"missing": plan.missing, "labels": dict(plan.labels), "folded": plan.folded}
        case Kind.DATE:
            return {"day_first": plan.day_first, "missing": plan.missing}
        case Kind.BOOLEAN if not plan.is_zero_one:
            return {}
    return {
        "decimal": plan.decimal,
        "groups": plan.thousands,
        "unit": plan.unit,
        "missing": plan.missing_values,
        "words": tuple(text for text in plan.missing if not text.lstrip("-").replace(".", "").isdigit()),
    }


def _tests(clause: Clause, plans: Mapping[str, ColumnPlan]) -> list[str]:
    """Write the literals; a cell is tested only if it is known, in a count each by itself."""
    tests = [_literal(literal, plans[literal.column]) for literal in clause]
    if clause.counts:
        return [f"known({one.column!r}) and {test}" for one, test in zip(clause, tests, strict=True)]
    return [f"known({', '.join(map(repr, clause.columns))})", *tests] if tests else ["True"]


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
