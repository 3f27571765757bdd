"""Answer set programs: states over time, for clingo.

``holds(X, V, T)``: variable X has value V at time T. Give a state at time 0 as facts, and
``clingo FILE STATE -c steps=1`` answers with the next one.
"""

from nri.dynamics.system import Dynamics
from nri.dynamics.variables import Variable
from nri.rule import Clause

_HEAD = """\
% holds(X, V, T): variable X has value V at time T. Facts say holds(X, V, 0), clingo finds the rest.
#const steps = 1.
time(0..steps-1).
"""


def variable_term(variable: Variable) -> str:
    """Write a variable's name as clingo does."""
    return text_term(variable.name)


def value_term(variable: Variable, index: int) -> str:
    """Write a value as clingo does: 0 and 1, or a text."""
    return str(index) if variable.is_boolean else text_term(str(variable.values[index]))


def text_term(text: str) -> str:
    r"""Put a text in quotes.

    >>> print(text_term('the "p53" gene'))
    "the \"p53\" gene"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def render_asp(system: Dynamics) -> str:
    """Write the program."""
    lines = [_HEAD]
    for one in system.variables:
        lines.append(f"variable({variable_term(one)}).")
        lines += [f"value({variable_term(one)}, {value_term(one, i)})." for i in range(len(one.values))]
    for one in system.variables:
        lines += ["", *_rules(system, one)]
    return "\n".join(lines) + "\n\n#show holds/3.\n"


def _rules(system: Dynamics, variable: Variable) -> list[str]:
    name = variable_term(variable)
    if variable.name not in system.rules:
        return [f"holds({name}, V, T+1) :- holds({name}, V, T), time(T)."]
    ruleset = system.rules[variable.name].ruleset
    lines: list[str] = []
    earlier: list[str] = []
    for number, decision in enumerate(ruleset.decisions):
        fires = f"fires({name}, {number}, T)"
        body = ", ".join([*_conditions(system, decision.clause), "time(T)"])
        value = value_term(variable, ruleset.index_of(decision.label))
        lines.append(f"{fires} :- {body}.")
        lines.append(f"holds({name}, {value}, T+1) :- {', '.join([fires, *earlier])}.")
        # clauses for one value cannot contradict each other; only those of other values must be waited for
        if len(ruleset.rules) > 1:
            earlier.append(f"not {fires}")
    fired = f"fires({name}, _, T)"
    default = value_term(variable, ruleset.index_of(ruleset.default))
    rest = f", not {fired}" if lines else ""
    return [*lines, f"holds({name}, {default}, T+1) :- time(T){rest}."]


def _conditions(system: Dynamics, clause: Clause) -> list[str]:
    """Say each condition on a variable as the values that it may have."""
    told = []
    for column in clause.columns:
        variable = system.variable(column)
        terms = [value_term(variable, i) for i in variable.allowed(clause)]
        values = terms[0] if len(terms) == 1 else f"({'; '.join(terms)})"
        told.append(f"holds({variable_term(variable)}, {values}, T)")
    return told
