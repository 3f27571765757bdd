"""Python: the source of one function that needs nothing but Python."""

import datetime as dt
import keyword

from nri.errors import InputError
from nri.rule.clause import Clause
from nri.rule.literal import Kind, Literal, Op, Value
from nri.rule.render.options import RenderOptions
from nri.rule.render.phrase import phrase_label, phrase_name
from nri.rule.ruleset import Decision, RuleSet

_SIGNS = {Op.EQ: "==", Op.NE: "!=", Op.GT: ">", Op.LE: "<="}
_WIDEST = 90
"""A longer condition gets a line for each literal."""

_KNOWN = """
    def known(*columns):
        return all(row[column] is not None and row[column] == row[column] for column in columns)
"""

_MOMENT = """
    def moment(cell):
        if not isinstance(cell, datetime.datetime):
            cell = datetime.datetime.combine(cell, datetime.time())
        return cell if cell.tzinfo is None else cell.astimezone(datetime.timezone.utc).replace(tzinfo=None)
"""


def render_python(ruleset: RuleSet, options: RenderOptions) -> str:
    """Write a function from a row, a mapping from column to cell, to its label."""
    name = options.function
    if not name.isidentifier() or keyword.iskeyword(name):
        raise InputError(f"{name!r} cannot name a Python function: use letters, digits and _")
    has_dates = Kind.DATE in ruleset.kinds.values()
    head = "import datetime\n\n\n" if has_dates else ""
    target = phrase_name(ruleset.target)
    lines = [
        f"{head}# Predicts {target} by rules that nri induced.",
        f"def {name}(row):",
        '    """Return the label of a row, a dict from column to cell; None and NaN are unknown."""',
    ]
    helpers = (_KNOWN if ruleset.columns else "") + (_MOMENT if has_dates else "")
    body = [_branch(decision) for decision in ruleset.decisions]
    body.append(f"    return {ruleset.default!r}")
    return "\n".join(lines) + "\n" + helpers + "\n" * bool(helpers) + "\n".join(body) + "\n"


def _branch(decision: Decision) -> str:
    comment = f"    # {phrase_label(decision.label)}: estimated precision {decision.precision:.2f}"
    return f"{comment}\n    if {_clause(decision.clause)}:\n        return {decision.label!r}"


def _clause(clause: Clause) -> str:
    if not clause.literals:
        return "True"
    known = f"known({', '.join(repr(column) for column in clause.columns)})"
    tests = [known, *(_literal(literal) for literal in clause)]
    line = " and ".join(tests)
    if len(line) <= _WIDEST:
        return line
    lines = "\n        and ".join(tests)
    return f"(\n        {lines}\n    )"


def _literal(literal: Literal) -> str:
    cell = f"row[{literal.column!r}]"
    if literal.kind is Kind.DATE:
        cell = f"moment({cell})"
    return f"{cell} {_SIGNS[literal.op]} {_value(literal.value)}"


def _value(value: Value) -> str:
    if value is True:
        return "1"  # equal to True and to 1.0 as well
    if isinstance(value, dt.datetime):
        fields = [
            value.year,
            value.month,
            value.day,
            value.hour,
            value.minute,
            value.second,
            value.microsecond,
        ]
        while len(fields) > 3 and fields[-1] == 0:
            fields.pop()
        return f"datetime.datetime({', '.join(map(str, fields))})"
    return repr(value)
