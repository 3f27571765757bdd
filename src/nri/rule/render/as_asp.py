"""Answer set programming (clingo): ``predict(Row, Label)`` over facts about rows and cells.

Facts are ``row(Row)`` and ``cell(Row, Column, Value)``.
A missing cell is one without a fact. Booleans are ``true`` and ``false``, texts strings, dates strings
like ``"2024-05-01 00:00:00"``, which sort as dates do. Numbers are explained in
:mod:`nri.rule.render.as_asp`; the program's comments say for each column how it wants
them, and :func:`asp_facts` writes a table that way.
"""

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from nri.errors import InputError
from nri.rule.clause import Clause
from nri.rule.column import Columns, row_count
from nri.rule.labels import Label
from nri.rule.literal import Kind, Literal, Value
from nri.rule.phrase import phrase_name, quoted
from nri.rule.rule import RenderOptions, Rule

_GROUP = 9
_BASE = 10**_GROUP


@dataclass(frozen=True)
class NumberCode:
    """How one column's numbers are written."""

    ordered: bool
    digits: int
    """Decimal digits kept, i.e. numbers are multiplied by 10 to this power."""
    groups: int
    """How many groups of nine digits a number needs."""
    apart: bool
    """Whether a rounded number must differ from every number with one digit less."""

    @property
    def about(self) -> str:
        """What somebody who writes facts must know, empty if numbers are as they are."""
        if not self.ordered or (self.digits == 0 and self.groups == 1):
            return ""
        scaled = f"numbers times 10^{self.digits}"
        grouped = f", as {self.groups} groups of {_GROUP} digits" if self.groups > 1 else ""
        return scaled + grouped

    def term(self, value: float) -> str:
        """Write a number as a clingo term."""
        if not self.ordered:
            whole = float(value).is_integer() and abs(value) < _BASE
            return str(int(value)) if whole else f'"{float(value)!r}"'
        most = _BASE**self.groups - 1
        key = most if value > 0 else -most
        if math.isfinite(value):
            key = max(-most, min(most, self._key(value)))
        return _digits(key, self.groups)

    def _key(self, value: float) -> int:
        scaled = _shift(value, self.digits)
        key, exact = int(scaled), scaled == int(scaled)
        if exact:
            return key
        low = key if scaled > 0 else key - 1
        if not self.apart:
            return low + 1
        return low + 1 if low % 10 == 0 else low


def number_code(literals: Sequence[Literal]) -> NumberCode:
    """Choose how to write a column that is compared as these literals do."""
    ordered = any(literal.op.ordered for literal in literals)
    if not ordered:
        return NumberCode(ordered=False, digits=0, groups=1, apart=False)
    apart = not all(literal.op.ordered for literal in literals)
    values = [float(literal.value) for literal in literals]  # type: ignore[arg-type]
    digits = max(_decimals(value) for value in values) + apart
    largest = max(abs(int(_shift(value, digits))) for value in values)
    groups = 1
    while largest >= _BASE**groups - 1:  # the ends are for cells beyond all thresholds
        groups += 1
    return NumberCode(ordered=True, digits=digits, groups=groups, apart=apart)


def _exact(value: float) -> Decimal:
    """Return the shortest decimal that is this float and no other; it sorts as floats do."""
    return Decimal(repr(float(value)))


def _shift(value: float, digits: int) -> Decimal:
    sign, figures, exponent = _exact(value).as_tuple()
    assert isinstance(exponent, int), "the value is finite"
    return Decimal((sign, figures, exponent + digits))


def _decimals(value: float) -> int:
    exponent = _exact(value).normalize().as_tuple().exponent
    assert isinstance(exponent, int), "the value is finite"
    return max(0, -exponent)


def _digits(key: int, groups: int) -> str:
    if groups == 1:
        return str(key)
    figures = []
    for _ in range(groups - 1):
        key, rest = divmod(key, _BASE)
        figures.append(rest)
    return f"({','.join(map(str, [key, *reversed(figures)]))})"


_HEAD = """\
% Predicts {target} by rules that nri induced.
% predict(Row, Label): the label of each row(Row), from facts cell(Row, Column, Value);
% a cell without a fact is missing.
"""

_INTEGERS = 2**31 - 1


def render_asp(rule: Rule, options: RenderOptions) -> str:
    """Write the program."""
    codes = _codes(rule)
    lines = [_HEAD.format(target=phrase_name(rule.target))]
    lines[0] += "".join(f"% {quoted(name)}: {code.about}\n" for name, code in codes.items() if code.about)
    for rank, branch in enumerate(rule.branches, start=1):
        lines.append(f"fires(R, {rank}) :- {_body(branch.clause, codes)}.")
        lines.append(f"decides({rank}, {_label(branch.value)}).")
    last = len(rule.branches) + 1
    lines.append(f"decides({last}, {_label(rule.default)}).")
    lines.append("")
    lines.append("% The firing clause of the lowest number decides.")
    if rule.branches:
        lines.append(f"predict(R, L) :- row(R), K = #min {{ J : fires(R, J) ; {last} }}, decides(K, L).")
    else:
        lines.append("predict(R, L) :- row(R), decides(1, L).")
    return "\n".join(lines) + "\n"


def asp_facts(rule: Rule, columns: Columns, n_rows: int | None = None) -> str:
    """Write the rows, and the cells that the rule set reads, as facts; rows are numbered from 0."""
    n = row_count(columns, n_rows)
    codes = _codes(rule)
    facts = [f"row(0..{n - 1})."] if n else []
    for row in range(n):
        for name, kind in rule.kinds.items():
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


def _codes(rule: Rule) -> dict[str, NumberCode]:
    """How each numeric column is written, which depends on what it is compared with."""
    numeric: dict[str, list[Literal]] = {}
    for branch in rule.branches:
        for literal in branch.clause:
            if literal.kind is Kind.NUMBER:
                numeric.setdefault(literal.column, []).append(literal)
    return {name: number_code(literals) for name, literals in numeric.items()}


def _body(clause: Clause, codes: dict[str, NumberCode]) -> str:
    if not clause.literals:
        return "row(R)"
    if clause.counts:
        members = " ; ".join(
            f"{i} : cell(R, {string(literal.column)}, V), {_comparison(literal, 'V', codes)}"
            for i, literal in enumerate(clause, start=1)
        )
        return f"row(R), {clause.at_least} <= #count {{ {members} }}"
    goals = []
    for i, column in enumerate(clause.columns, start=1):
        goals.append(f"cell(R, {string(column)}, V{i})")
        goals += [_comparison(literal, f"V{i}", codes) for literal in clause if literal.column == column]
    return ", ".join(goals)


def _comparison(literal: Literal, variable: str, codes: dict[str, NumberCode]) -> str:
    value = _cell(literal.value, literal.kind, codes.get(literal.column))
    return f"{variable} {literal.op} {value}"


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
