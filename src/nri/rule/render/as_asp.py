"""Answer set programming (clingo): ``predict(Row, Label)`` over facts about rows and cells.

Facts are ``row(Row)`` and ``cell(Row, Column, Value)``.
A missing cell is one without a fact. Booleans are ``true`` and ``false``, texts strings, dates strings
like ``"2024-05-01 00:00:00"``, which sort as dates do. Numbers are explained in
:mod:`nri.rule.render.asp_numbers`; the program's comments say for each column how it wants
them, and :func:`asp_facts` writes a table that way.
"""

import datetime as dt

from nri.errors import InputError
from nri.rule.clause import Clause
from nri.rule.columns import Columns, row_count
from nri.rule.labels import Label
from nri.rule.literal import Kind, Literal, Value
from nri.rule.render.asp_numbers import NumberCode, number_code
from nri.rule.render.options import RenderOptions
from nri.rule.render.phrase import phrase_name, quoted
from nri.rule.ruleset import RuleSet

_HEAD = """\
% Predicts {target} by rules that nri induced.
% predict(Row, Label): the label of each row(Row), from facts cell(Row, Column, Value);
% a cell without a fact is missing.
"""

_INTEGERS = 2**31 - 1


def render_asp(ruleset: RuleSet, options: RenderOptions) -> str:
    """Write the program."""
    codes = _codes(ruleset)
    lines = [_HEAD.format(target=phrase_name(ruleset.target))]
    lines[0] += "".join(f"% {quoted(name)}: {code.about}\n" for name, code in codes.items() if code.about)
    for rank, decision in enumerate(ruleset.decisions, start=1):
        lines.append(f"fires(R, {rank}) :- {_body(decision.clause, codes)}.")
        lines.append(f"decides({rank}, {_label(decision.label)}).")
    last = len(ruleset.decisions) + 1
    lines.append(f"decides({last}, {_label(ruleset.default)}).")
    lines.append("")
    lines.append("% The firing clause of the lowest number decides.")
    if ruleset.decisions:
        lines.append(f"predict(R, L) :- row(R), K = #min {{ J : fires(R, J) ; {last} }}, decides(K, L).")
    else:
        lines.append("predict(R, L) :- row(R), decides(1, L).")
    return "\n".join(lines) + "\n"


def asp_facts(ruleset: RuleSet, columns: Columns, n_rows: int | None = None) -> str:
    """Write the rows, and the cells that the rule set reads, as facts; rows are numbered from 0."""
    n = row_count(columns, n_rows)
    codes = _codes(ruleset)
    facts = [f"row(0..{n - 1})."] if n else []
    for row in range(n):
        for name, kind in ruleset.kinds.items():
            value = columns[name].cell(row)
            if value is not None:
                facts.append(f"cell({row}, {string(name)}, {_cell(value, kind, codes.get(name))}).")
    return "\n".join(facts) + "\n"


def string(text: str) -> str:
    r"""Quote a string, so that no character in it can mean anything else.

    >>> string('say "hi"\n')
    '"say \\"hi\\"\\n"'
    """
    if "\0" in text:
        raise InputError(f"an ASP string cannot hold the character NUL: remove it from {text!r}")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _codes(ruleset: RuleSet) -> dict[str, NumberCode]:
    """How each numeric column is written, which depends on what it is compared with."""
    numeric: dict[str, list[Literal]] = {}
    for decision in ruleset.decisions:
        for literal in decision.clause:
            if literal.kind is Kind.NUMBER:
                numeric.setdefault(literal.column, []).append(literal)
    return {name: number_code(literals) for name, literals in numeric.items()}


def _body(clause: Clause, codes: dict[str, NumberCode]) -> str:
    if not clause.literals:
        return "row(R)"
    goals = []
    for i, column in enumerate(clause.columns, start=1):
        goals.append(f"cell(R, {string(column)}, V{i})")
        goals += [
            f"V{i} {literal.op} {_cell(literal.value, literal.kind, codes.get(column))}"
            for literal in clause
            if literal.column == column
        ]
    return ", ".join(goals)


def _cell(value: Value, kind: Kind, code: NumberCode | None) -> str:
    if isinstance(value, str):
        return string(value)
    if isinstance(value, dt.datetime):
        return string(value.isoformat(sep=" "))
    if kind is Kind.BOOLEAN:
        return "true" if value == 1 else "false"
    assert code is not None, "every number column has a code"
    return code.term(value)


def _label(label: Label) -> str:
    """Labels that are no 32-bit integer are strings."""
    if isinstance(label, bool):
        return "true" if label else "false"
    if isinstance(label, int) and abs(label) <= _INTEGERS:
        return str(label)
    return string(label if isinstance(label, str) else repr(label))
