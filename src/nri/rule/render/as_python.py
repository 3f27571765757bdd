"""Python: the source of one function that needs nothing but Python.

It takes rows as ``csv.DictReader``, a database or pandas give them: numbers, yes/no and dates may be text.
Numbers with a unit, a decimal comma or thousands set apart are read as the column's plan says, and categories
in every spelling that they had.
"""

import datetime as dt
import keyword
from collections.abc import Mapping

from nri.errors import InputError
from nri.rule.column import ColumnPlan
from nri.rule.literal import Clause, Kind, Literal, Op, Value
from nri.rule.phrase import phrase_name
from nri.rule.rule import Branch, RenderOptions, Rule

_SIGNS = {Op.EQ: "==", Op.NE: "!=", Op.GT: ">", Op.LE: "<="}
_WIDEST = 90
"""A longer condition gets a line for each literal."""

_KNOWN = """
    def known(*columns):
        cells = [row[column] for column in columns]
        return not any(
            cell is None or repr(cell) == '<NA>' or cell != cell or cell in nothing for cell in cells
        )
"""

_KNOWN_WORDS = """
    def known(*columns):
        cells = [row[column] for column in columns if row[column] not in missing.get(column, ())]
        return len(cells) == len(columns) and not any(
            cell is None or repr(cell) == '<NA>' or cell != cell or cell in nothing for cell in cells
        )
"""

_NUMBER = """
    def number(cell):
        return float(cell) if isinstance(cell, str) else cell
"""

_DRESSED = """
    def number(cell, decimal='.', *idle):
        if isinstance(cell, str):
            for text in idle:
                cell = cell.replace(text, '')
            cell = float(cell.strip().replace(decimal, '.'))
        return cell
"""

_FLAG = """
    def flag(cell):
        if isinstance(cell, str):
            cell = {'true': 1, '1': 1, '1.0': 1, 'false': 0, '0': 0, '0.0': 0}[cell.strip().lower()]
        return cell == 1
"""

_MOMENT = """
    def moment(cell):
        if isinstance(cell, str):
            cell = datetime.datetime.fromisoformat(cell.strip())
        if not isinstance(cell, datetime.datetime):
            cell = datetime.datetime.combine(cell, datetime.time())
        return cell if cell.tzinfo is None else cell.astimezone(datetime.timezone.utc).replace(tzinfo=None)
"""


_READERS = {Kind.NUMBER: ("number", _NUMBER), Kind.BOOLEAN: ("flag", _FLAG), Kind.DATE: ("moment", _MOMENT)}
"""For each kind that a cell may be written as text of, the function that reads it; text is as it is."""


def render_python(rule: Rule, options: RenderOptions) -> str:
    """Write a function from a row, a mapping from column to cell, to its label."""
    name = options.function
    if not name.isidentifier() or keyword.iskeyword(name):
        raise InputError(f"{name!r} cannot name a Python function: use letters, digits and _")
    kinds = set(rule.kinds.values())
    head = "import datetime\n\n\n" if Kind.DATE in kinds else ""
    target = phrase_name(rule.target)
    lines = [
        f"{head}# Predicts {target} by rules that nri induced.",
        f"def {name}(row):",
        '    """Return the label of a row, a dict from column to cell; None, NaN and \'\' are unknown."""',
    ]
    readers = [source for kind, (_, source) in _READERS.items() if kind in kinds]
    if any(_dress(plan) for plan in rule.plans.values()):
        readers = [_DRESSED if source is _NUMBER else source for source in readers]
    missing = {name: plan.missing for name, plan in rule.plans.items() if plan.missing}
    known = f"\n    missing = {missing!r}\n{_KNOWN_WORDS}" if missing else _KNOWN
    nothing = "('', float('inf'), -float('inf'))" if Kind.NUMBER in kinds else "('',)"
    helpers = "".join([f"\n    nothing = {nothing}\n", known, *readers]) if kinds else ""
    body = [_branch(branch, rule) for branch in rule.branches]
    body.append(f"    return {rule.default!r}")
    return "\n".join(lines) + "\n" + helpers + "\n" * bool(helpers) + "\n".join(body) + "\n"


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
    cell = f"row[{literal.column!r}]"
    if literal.kind in _READERS:
        cell = f"{_READERS[literal.kind][0]}({cell}{_dress(plan)})"
    if literal.kind is Kind.BOOLEAN:
        return cell if literal.positive else f"not {cell}"
    if isinstance(literal.value, str) and len(spelled := plan.spelled(literal.value)) > 1:
        return f"{cell} {'in' if literal.op is Op.EQ else 'not in'} {spelled!r}"
    return f"{cell} {_SIGNS[literal.op]} {_value(literal.value)}"


def _dress(plan: ColumnPlan) -> str:
    """Return further arguments of a column's numbers: their decimal mark, and what goes before reading."""
    idle = [text for text in (*plan.unit, *plan.thousands) if text]
    if plan.kind is not Kind.NUMBER or (plan.decimal == "." and not idle):
        return ""
    return "".join(f", {text!r}" for text in (plan.decimal, *idle))


def _value(value: Value) -> str:
    if isinstance(value, dt.datetime):
        fields = [*value.timetuple()[:6], value.microsecond]
        while len(fields) > 3 and fields[-1] == 0:
            fields.pop()
        return f"datetime.datetime({', '.join(map(str, fields))})"
    return repr(value)
