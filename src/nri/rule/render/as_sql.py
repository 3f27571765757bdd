"""SQL: one CASE expression, or a SELECT around it, for SQLite and DuckDB.

Missing cells are NULL: a comparison with NULL is not true, so a clause that meets one does not
fire, just as here. DuckDB takes NaN for the largest number, so store NULL instead. Dates in SQLite are
text like ``2024-05-01 00:00:00``, which sorts as dates do. A yes is written 1, which both take for true:
the word TRUE is a column in SQLite if the table has one of that name. Loaded as text ``TRUE`` into SQLite it
would equal neither, without an error, so a comment says which columns must not be text.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from itertools import groupby

from nri.errors import InputError
from nri.rule.clause import Clause
from nri.rule.decision_list import DecisionList
from nri.rule.labels import Label
from nri.rule.literal import Kind, Literal, Op, Value
from nri.rule.plan import ColumnPlan
from nri.rule.render.options import RenderOptions
from nri.rule.render.phrase import one_line

_SIGNS = {Op.EQ: "=", Op.NE: "<>", Op.GT: ">", Op.LE: "<="}
_ALIAS = "t"


def render_sql(ruleset: DecisionList, options: RenderOptions) -> str:
    """Write the expression of the predicted label, or with a table's name the whole query."""
    _check_names(ruleset.columns)
    comment = _expected(ruleset)
    if options.table is None:
        return comment + _case(ruleset) + "\n"
    # With a prefix, SQLite reports a misspelt column; without, it would take the name for a text.
    expression = _case(ruleset, prefix=f"{_ALIAS}.", indent="  ")
    predicted = identifier(f"predicted_{ruleset.target}")
    source = f"{identifier(options.table)} AS {_ALIAS}"
    return f"{comment}SELECT {_ALIAS}.*,\n  {expression} AS {predicted}\nFROM {source}\n"


def identifier(name: str) -> str:
    """Quote a name, so that no character in it can mean anything else.

    >>> identifier('a"b')
    '"a""b"'
    """
    if not name:
        raise InputError("SQL has no columns without a name: name the column")
    return '"' + _printable(name).replace('"', '""') + '"'


def text_literal(text: str) -> str:
    """Quote a text."""
    return "'" + _printable(text).replace("'", "''") + "'"


def _printable(text: str) -> str:
    if "\0" in text:
        raise InputError(f"SQL text cannot hold the character NUL: remove it from {text!r}")
    return text


def _check_names(columns: Iterable[str]) -> None:
    seen: dict[str, str] = {}
    for name in columns:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise InputError(
                f"columns {other!r} and {name!r} differ in case only, which SQL does not see: rename one"
            )


_EXPECTED = {
    Kind.BOOLEAN: "1 or 0, true or false; not text",
    Kind.DATE: "a date or time; in SQLite text like 2024-05-01 00:00:00",
}
"""What the type of a column must be where another one gives wrong answers instead of an error."""


def _expected(ruleset: DecisionList) -> str:
    dressed = [
        one_line(identifier(name))
        for name, plan in ruleset.plans.items()
        if plan.kind is Kind.NUMBER and (any(plan.unit) or plan.thousands or plan.decimal != ".")
    ]
    lines = [f"-- {', '.join(dressed)}: numbers, without unit and separators\n"] if dressed else []
    for kind, what in _EXPECTED.items():
        names = [one_line(identifier(name)) for name, found in ruleset.kinds.items() if found is kind]
        if names:
            lines.append(f"-- {', '.join(names)}: {what}\n")
    return "".join(lines)


def _case(ruleset: DecisionList, prefix: str = "", indent: str = "") -> str:
    """Write the expression; consecutive clauses for one label share a WHEN."""
    branches = []
    for label, group in groupby(ruleset.decisions, key=lambda decision: decision.label):
        condition = f"\n{indent}    OR ".join(
            _clause(decision.clause, prefix, ruleset.plans) for decision in group
        )
        branches.append(f"{indent}  WHEN {condition}\n{indent}    THEN {_label(label)}")
    if not branches:
        return _label(ruleset.default)
    return "\n".join(["CASE", *branches, f"{indent}  ELSE {_label(ruleset.default)}", f"{indent}END"])


def _clause(clause: Clause, prefix: str, plans: Mapping[str, ColumnPlan]) -> str:
    conditions = [_literal(literal, prefix, plans[literal.column]) for literal in clause]
    return f"({' AND '.join(conditions) or '1 = 1'})"


def _literal(literal: Literal, prefix: str, plan: ColumnPlan) -> str:
    column = f"{prefix}{identifier(literal.column)}"
    if isinstance(literal.value, str) and len(spelled := plan.spelled(literal.value)) > 1:
        sign = "IN" if literal.op is Op.EQ else "NOT IN"
        return f"{column} {sign} ({', '.join(map(text_literal, spelled))})"
    return f"{column} {_SIGNS[literal.op]} {_value(literal.value)}"


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, str):
        return text_literal(value)
    if isinstance(value, dt.datetime):
        return text_literal(value.isoformat(sep=" "))
    return repr(value)


def _label(label: Label) -> str:
    if isinstance(label, bool):
        return "(1 = 1)" if label else "(1 = 0)"
    if isinstance(label, float):
        text = repr(label)
        return text if "e" in text else f"{text}e0"  # without an exponent DuckDB makes it a decimal
    return _value(label)
