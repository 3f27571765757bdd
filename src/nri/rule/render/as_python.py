"""Python: the source of one function that needs nothing but Python.

It takes rows as ``csv.DictReader``, a database or pandas give them: numbers, yes/no and dates may be text.
What it takes for text of a yes/no column is what :mod:`nri.table.coerce` takes for it.
"""

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
        cells = [row[column] for column in columns]
        return not any(cell is None or repr(cell) == '<NA>' or cell != cell or cell == '' for cell in cells)
"""

_NUMBER = """
    def number(cell):
        return float(cell) if isinstance(cell, str) else cell
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


def render_python(ruleset: RuleSet, options: RenderOptions) -> str:
    """Write a function from a row, a mapping from column to cell, to its label."""
    name = options.function
    if not name.isidentifier() or keyword.iskeyword(name):
        raise InputError(f"{name!r} cannot name a Python function: use letters, digits and _")
    kinds = set(ruleset.kinds.values())
    head = "import datetime\n\n\n" if Kind.DATE in kinds else ""
    target = phrase_name(ruleset.target)
    lines = [
        f"{head}# Predicts {target} by rules that nri induced.",
        f"def {name}(row):",
        '    """Return the label of a row, a dict from column to cell; None, NaN and \'\' are unknown."""',
    ]
    readers = [source for kind, (_, source) in _READERS.items() if kind in kinds]
    helpers = "".join([_KNOWN, *readers]) if kinds else ""
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
    if literal.kind in _READERS:
        cell = f"{_READERS[literal.kind][0]}({cell})"
    if literal.kind is Kind.BOOLEAN:
        return cell if literal.positive else f"not {cell}"
    return f"{cell} {_SIGNS[literal.op]} {_value(literal.value)}"


def _value(value: Value) -> str:
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
