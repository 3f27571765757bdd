"""Logic programs: an answer set program of states over time for clingo, and the next state in Prolog."""

import unicodedata

from nri.rule import Clause
from nri_dynamics.system import Dynamics
from nri_dynamics.variables import Variable

_ASP_HEAD = """\
% holds(X, V, T): variable X has value V at time T. Facts say holds(X, V, 0), clingo finds the rest.
#const steps = 1.
time(0..steps-1).
"""


def variable_term(variable: Variable) -> str:
    """Write a variable's name for clingo."""
    return _quoted(variable.name)


def value_term(variable: Variable, index: int) -> str:
    """Write a value for clingo: 0 and 1, or a text."""
    return str(index) if variable.is_boolean else _quoted(str(variable.values[index]))


def _quoted(text: str) -> str:
    r"""Put a text in quotes.

    >>> print(_quoted('the "p53" gene'))
    "the \"p53\" gene"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def render_asp(system: Dynamics) -> str:
    """Write the program for clingo.

    ``holds(X, V, T)``: variable X has value V at time T. With a state at time 0 as facts,
    ``clingo FILE STATE -c steps=1`` prints the next one.
    """
    lines = [_ASP_HEAD]
    for one in system.variables:
        lines.append(f"variable({variable_term(one)}).")
        lines += [f"value({variable_term(one)}, {value_term(one, i)})." for i in range(len(one.values))]
    for one in system.variables:
        lines += ["", *_asp_rules(system, one)]
    return "\n".join(lines) + "\n\n#show holds/3.\n"


def _asp_rules(system: Dynamics, variable: Variable) -> list[str]:
    name = variable_term(variable)
    if variable.name not in system.rules:
        return [f"holds({name}, V, T+1) :- holds({name}, V, T), time(T)."]
    rule = system.rules[variable.name].decisions
    lines: list[str] = []
    earlier: list[str] = []
    for number, (next_value, clause) in enumerate(rule.ordered):
        fires = f"fires({name}, {number}, T)"
        body = ", ".join([*_asp_conditions(system, clause), "time(T)"])
        value = value_term(variable, variable.values.index(next_value))
        lines.append(f"{fires} :- {body}.")
        lines.append(f"holds({name}, {value}, T+1) :- {', '.join([fires, *earlier])}.")
        if len(rule.clauses) > 1:  # clauses for one value cannot contradict each other
            earlier.append(f"not {fires}")
    fired = f"fires({name}, _, T)"
    default = value_term(variable, variable.values.index(rule.default))
    rest = f", not {fired}" if lines else ""
    return [*lines, f"holds({name}, {default}, T+1) :- time(T){rest}."]


def _asp_conditions(system: Dynamics, clause: Clause) -> list[str]:
    """Write each condition on a variable as the values that it may have."""
    conditions = []
    for column in clause.columns:
        variable = system.variable(column)
        terms = [value_term(variable, i) for i in variable.allowed(clause)]
        values = terms[0] if len(terms) == 1 else f"({'; '.join(terms)})"
        conditions.append(f"holds({variable_term(variable)}, {values}, T)")
    return conditions


_PROLOG_HEAD = """\
% now(Variable, Value) are facts about the present state; next(Variable, Value) is the next one.
:- dynamic(now/2).

next(Variable, Value) :- variable(Variable), once(decide(Variable, Decided)), Value = Decided.

"""


def render_prolog(system: Dynamics) -> str:
    """Write the program in Prolog: for each variable the first clause that succeeds decides."""
    lines = [f"variable({atom(one.name)})." for one in system.variables]
    for one in system.variables:
        lines += ["", *_prolog_rules(system, one)]
    source = _PROLOG_HEAD + "\n".join(lines) + "\n"
    return source if source.isascii() else f":- encoding(utf8).\n{source}"


def atom(text: str) -> str:
    r"""Quote an atom, so that no character in it can mean anything else.

    >>> atom("it's"), atom("two\nlines")
    ("'it\\'s'", "'two\\xa\\lines'")
    """
    hidden = ("Cc", "Cf", "Zl", "Zp")
    escaped = (f"\\x{ord(c):x}\\" if unicodedata.category(c) in hidden else c for c in text)
    return "'" + "".join(f"\\{c}" if c in "'\\" else c for c in escaped) + "'"


def value_atom(variable: Variable, index: int) -> str:
    """Write a value in Prolog: 0 and 1, or an atom."""
    return str(index) if variable.is_boolean else atom(str(variable.values[index]))


def _prolog_rules(system: Dynamics, variable: Variable) -> list[str]:
    name = atom(variable.name)
    if variable.name not in system.rules:
        return [f"decide({name}, Value) :- now({name}, Value)."]
    rule = system.rules[variable.name].decisions
    lines = []
    for value, clause in rule.ordered:
        head = f"decide({name}, {value_atom(variable, variable.values.index(value))})"
        goals = ", ".join(_prolog_goals(system, clause))
        lines.append(f"{head} :- {goals}." if goals else f"{head}.")
    return [*lines, f"decide({name}, {value_atom(variable, variable.values.index(rule.default))})."]


def _prolog_goals(system: Dynamics, clause: Clause) -> list[str]:
    goals = []
    for number, column in enumerate(clause.columns, start=1):
        variable = system.variable(column)
        values = [value_atom(variable, i) for i in variable.allowed(clause)]
        if len(values) == 1:
            goals.append(f"now({atom(column)}, {values[0]})")
        else:
            goals += [f"now({atom(column)}, V{number})", f"member(V{number}, [{', '.join(values)}])"]
    return goals
