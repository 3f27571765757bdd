"""Prolog: ``predict(Row, Label)`` over facts ``cell(Row, Column, Value)``.

A missing cell is one without a fact. Booleans are ``true`` and ``false`` (or 1 and 0), texts atoms,
dates atoms like ``'2024-05-01 00:00:00'``, which sort as dates do. :func:`prolog_facts` writes a
table that way.
"""

import datetime as dt
import unicodedata

from nri.rule.clause import Clause
from nri.rule.column import Columns, row_count
from nri.rule.labels import Label
from nri.rule.literal import Kind, Literal, Op, Value
from nri.rule.phrase import phrase_name
from nri.rule.rule import RenderOptions, Rule

_SIGNS = {
    Kind.NUMBER: {Op.EQ: "=:=", Op.NE: "=\\=", Op.GT: ">", Op.LE: "=<"},
    Kind.TEXT: {Op.EQ: "==", Op.NE: "\\=="},
    Kind.DATE: {Op.EQ: "==", Op.NE: "\\==", Op.GT: "@>", Op.LE: "@=<"},
}

_HIDDEN = ("Cc", "Cf", "Zl", "Zp")
"""Unicode categories of control and format characters and of line and paragraph ends."""

_HEAD = """\
% Predicts {target} by rules that nri induced.
% predict(Row, Label): the label of a given row, from facts cell(Row, Column, Value);
% a cell without a fact is missing.
:- dynamic(cell/3).

predict(Row, Label) :- once(decide(Row, Decided)), Label = Decided.

% The first clause that succeeds decides.
"""

_YES = """
yes(true).
yes(Number) :- number(Number), Number =:= 1.
"""


def render_prolog(rule: Rule, options: RenderOptions) -> str:
    """Write the program."""
    lines = [_branch(branch.clause, branch.value) for branch in rule.branches]
    lines.append(f"decide(_, {_label(rule.default)}).")
    helper = _YES if Kind.BOOLEAN in rule.kinds.values() else ""
    return _encoded(_HEAD.format(target=phrase_name(rule.target)) + "\n".join(lines) + "\n" + helper)


def prolog_facts(rule: Rule, columns: Columns, n_rows: int | None = None) -> str:
    """Write the cells that the rule set reads as facts; rows are numbered from 0."""
    facts = []
    for row in range(row_count(columns, n_rows)):
        for name, kind in rule.kinds.items():
            value = columns[name].cell(row)
            if value is not None:
                facts.append(f"cell({row}, {atom(name)}, {_cell(value, kind)}).")
    return _encoded("\n".join(facts) + "\n")


def _encoded(source: str) -> str:
    """Say that the file is UTF-8 where it matters; Prologs differ in what they expect."""
    return source if source.isascii() else f":- encoding(utf8).\n{source}"


def atom(text: str) -> str:
    r"""Quote an atom, so that no character in it can mean anything else.

    >>> atom("it's"), atom("two\nlines")
    ("'it\\'s'", "'two\\xa\\lines'")
    """
    return "'" + "".join(_character(c) for c in text) + "'"


def _character(c: str) -> str:
    if c in "'\\":
        return f"\\{c}"
    # Only what could end a line or hide: SWI-Prolog refuses the escapes of some unassigned characters.
    return f"\\x{ord(c):x}\\" if unicodedata.category(c) in _HIDDEN else c


def _branch(clause: Clause, label: Label) -> str:
    if clause.counts:
        return _count(clause, label)
    goals = []
    for i, column in enumerate(clause.columns, start=1):
        goals.append(f"cell(Row, {atom(column)}, V{i})")
        goals += [_literal(literal, f"V{i}") for literal in clause if literal.column == column]
    if not goals:
        return f"decide(_, {_label(label)})."
    body = ",\n    ".join(goals)
    return f"decide(Row, {_label(label)}) :-\n    {body}."


def _count(clause: Clause, label: Label) -> str:
    """Collect a mark for each member that holds, and count the marks."""
    members = [
        f"cell(Row, {atom(literal.column)}, V{i}), {_literal(literal, f'V{i}')}"
        for i, literal in enumerate(clause, start=1)
    ]
    marks = "\n               ; ".join(members)
    return (
        f"decide(Row, {_label(label)}) :-\n"
        f"    findall(1, ( {marks} ), Held),\n"
        f"    length(Held, Count), Count >= {clause.at_least}."
    )


def _literal(literal: Literal, variable: str) -> str:
    if literal.kind is Kind.BOOLEAN:
        return f"yes({variable})" if literal.positive else f"\\+ yes({variable})"
    return f"{variable} {_SIGNS[literal.kind][literal.op]} {_value(literal.value)}"


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return atom(value)
    if isinstance(value, dt.datetime):
        return atom(value.isoformat(sep=" "))
    return _number(value)


def _number(value: int | float) -> str:
    """Numbers need a digit on both sides of the point; an infinite cell is the function ``inf``."""
    text = repr(value)
    if "e" in text and "." not in text:
        text = text.replace("e", ".0e")
    return text


def _cell(value: Value, kind: Kind) -> str:
    if kind is Kind.NUMBER and isinstance(value, bool):
        value = int(value)
    return _value(value)


def _label(label: Label) -> str:
    return _value(label)
