"""The .bnet format: a Boolean formula for each variable, as PyBoolNet and BoolNet's converters read it."""

import re
from collections.abc import Sequence

from nri.errors import InputError
from nri.rule import ALWAYS, FALSE, TRUE, Clause, ColumnPlan, Dnf, Kind, Literal, Op, clause_matrix
from nri_dynamics.decision_list import uncounted
from nri_dynamics.influence import all_cells
from nri_dynamics.shortest_rule import shortest_rule
from nri_dynamics.system import Dynamics, VariableRule
from nri_dynamics.variables import Variable

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\[\]]*")
_TOKEN = re.compile(r"\s*(?:(?P<name>[\w.\-\[\]/:@#$%]+)|(?P<sign>[&|!()~*+]))")
_SHORTENED = 7
"""Variables in a formula up to which it is read as the shortest equal rule; more take long."""


def render_bnet(system: Dynamics) -> str:
    """Write the formulas; a name that the format does not allow is changed, with a comment."""
    for one in system.variables:
        if not one.is_boolean:
            raise InputError(
                f"{one.name!r} has {len(one.values)} values and .bnet knows 0 and 1 only; use json"
            )
    names = plain_names(system.names)
    lines = [f"# {names[one]} is {one!r}" for one in system.names if names[one] != one]
    lines += [f"# {names[v.name]} is on above {v.cut:g}" for v in system.variables if v.cut is not None]
    lines.append("targets, factors")
    for one in system.variables:
        formula = names[one.name] if one.is_input else _formula(system.rules[one.name].on_rule, names)
        lines.append(f"{names[one.name]}, {formula}")
    return "\n".join(lines) + "\n"


def plain_names(names: Sequence[str]) -> dict[str, str]:
    """Return names of letters, digits and underscores, all different.

    >>> plain_names(["p53", "IL-6", "IL 6"])
    {'p53': 'p53', 'IL-6': 'IL_6', 'IL 6': 'IL_6_2'}
    """
    used = {name for name in names if _NAME.fullmatch(name)}
    by_name = {}
    for name in names:
        plain = name
        if not _NAME.fullmatch(name):
            stem = re.sub(r"\W", "_", name, flags=re.ASCII)
            stem = stem if re.match(r"[A-Za-z_]", stem) else f"v_{stem}"
            plain, i = stem, 2
            while plain in used:
                plain, i = f"{stem}_{i}", i + 1
            used.add(plain)
        by_name[name] = plain
    return by_name


def _formula(rule: Dnf, names: dict[str, str]) -> str:
    if ALWAYS in rule.clauses:
        return "1"
    terms = [
        "&".join(names[x.column] if x.positive else f"!{names[x.column]}" for x in clause) for clause in rule
    ]
    return " | ".join(terms) or "0"


def read_bnet(text: str) -> Dynamics:
    r"""Read a network; each formula becomes the shortest rule that is equal to it.

    >>> system = read_bnet("targets, factors\na, !(b | !a)\nb, a")
    >>> print(system.rules["a"].on_rule)
    (a AND NOT b)
    """
    formulas: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.split("#", 1)[0].strip()
        if not content or re.sub(r"\s", "", content).lower() in ("targets,factors", "target,factors"):
            continue
        name, comma, formula = content.partition(",")
        if not comma or not formula.strip():
            raise InputError(f"line {number} of the network is no 'name, formula': {content[:60]!r}")
        if name.strip() in formulas:
            raise InputError(f"line {number} of the network: {name.strip()!r} has a formula already")
        formulas[name.strip()] = formula.strip()
    if not formulas:
        raise InputError("the network has no line 'name, formula'; give a .bnet file")
    rules = {name: _Formula(formula, name).dnf() for name, formula in formulas.items()}
    mentioned = dict.fromkeys(column for rule in rules.values() for column in rule.columns)
    plan = ColumnPlan(Kind.BOOLEAN, no_and_yes=("0", "1"))
    names = [*formulas, *(name for name in mentioned if name not in formulas)]
    inputs = {name for name in names if name not in formulas}
    variables = tuple(Variable(name, plan, (False, True), is_input=name in inputs) for name in names)
    return Dynamics(
        variables,
        {
            name: VariableRule(uncounted(name, (False, True), rule, False), tuple(sorted(rule.columns)))
            for name, rule in rules.items()
        },
    )


class _Formula:
    """A reader of formulas with ! & | ( ) 0 and 1."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name, self.place = text, name, 0
        self.tokens: list[str] = []
        at = 0
        while text[at:].strip():
            match = _TOKEN.match(text, at)
            if match is None:
                raise InputError(
                    f"the formula of {name!r} cannot be read at {text[at:][:20]!r}; use ! & | ( )"
                )
            self.tokens.append((match["name"] or match["sign"]).translate(str.maketrans("~*+", "!&|")))
            at = match.end()

    def dnf(self) -> Dnf:
        rule = self._or(True)
        if self.place != len(self.tokens):
            raise InputError(f"the formula of {self.name!r} goes on after its end: {self.text[:60]!r}")
        return _shortest(rule)

    def _next(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def _or(self, positive: bool) -> Dnf:
        rule = self._and(positive)
        while self._next() == "|":
            self.place += 1
            other = self._and(positive)
            rule = _either(rule, other) if positive else _both(rule, other)
        return rule

    def _and(self, positive: bool) -> Dnf:
        rule = self._not(positive)
        while self._next() == "&":
            self.place += 1
            other = self._not(positive)
            rule = _both(rule, other) if positive else _either(rule, other)
        return rule

    def _not(self, positive: bool) -> Dnf:
        token = self._next()
        self.place += 1
        if token == "!":
            return self._not(not positive)
        if token == "(":
            rule = self._or(positive)
            if self._next() != ")":
                raise InputError(f"the formula of {self.name!r} lacks a bracket: {self.text[:60]!r}")
            self.place += 1
            return rule
        if token in ("0", "1", "True", "False", "true", "false"):
            return TRUE if (token in ("1", "True", "true")) is positive else FALSE
        if not token or token in "&|)":
            raise InputError(f"the formula of {self.name!r} breaks off: {self.text[:60]!r}")
        return Dnf([Clause([Literal(token, Op.EQ if positive else Op.NE, True)])])


def _either(first: Dnf, second: Dnf) -> Dnf:
    """Join two rules by OR, without clauses that another contains."""
    return _absorbed([*first, *second])


def _both(first: Dnf, second: Dnf) -> Dnf:
    """Join two rules by AND, as a rule again."""
    joined = [Clause([*one, *other]) for one in first for other in second]
    return _absorbed([clause for clause in joined if len(clause.columns) == len(clause)])


def _absorbed(clauses: Sequence[Clause]) -> Dnf:
    kept: list[Clause] = []
    for clause in sorted(dict.fromkeys(clauses), key=len):
        if not any(set(other) <= set(clause) for other in kept):
            kept.append(clause)
    return Dnf(kept)


def _shortest(rule: Dnf) -> Dnf:
    if len(rule.columns) > _SHORTENED:
        return rule
    plan = ColumnPlan(Kind.BOOLEAN)
    variables = [Variable(name, plan, (False, True)) for name in sorted(rule.columns)]
    if not variables:
        return rule
    cells = all_cells(variables)
    columns = {one.name: one.column(cells[:, i]) for i, one in enumerate(variables)}
    holds = clause_matrix(rule, columns, len(cells)).any(axis=1)
    return shortest_rule(variables, cells[holds], cells[~holds])
