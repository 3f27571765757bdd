"""Prolog: the next state as a predicate over facts about the present one."""

from nri.dynamics.system import Dynamics
from nri.dynamics.variables import Variable
from nri.rule import Clause
from nri.rule.render.as_prolog import atom

_HEAD = """\
% now(Variable, Value) are facts about the present state; next(Variable, Value) is the next one.
:- dynamic(now/2).

next(Variable, Value) :- variable(Variable), once(decide(Variable, Decided)), Value = Decided.

"""


def render_prolog(system: Dynamics) -> str:
    """Write the program: for each variable the first clause that succeeds decides."""
    lines = [f"variable({atom(one.name)})." for one in system.variables]
    for one in system.variables:
        lines += ["", *_decisions(system, one)]
    source = _HEAD + "\n".join(lines) + "\n"
    return source if source.isascii() else f":- encoding(utf8).\n{source}"


def value_of(variable: Variable, index: int) -> str:
    """Write a value: 0 and 1, or an atom."""
    return str(index) if variable.is_boolean else atom(str(variable.values[index]))


def _decisions(system: Dynamics, variable: Variable) -> list[str]:
    name = atom(variable.name)
    if variable.name not in system.rules:
        return [f"decide({name}, Value) :- now({name}, Value)."]
    ruleset = system.rules[variable.name].ruleset
    lines = []
    for decision in ruleset.decisions:
        head = f"decide({name}, {value_of(variable, ruleset.index_of(decision.label))})"
        goals = ", ".join(_goals(system, decision.clause))
        lines.append(f"{head} :- {goals}." if goals else f"{head}.")
    return [*lines, f"decide({name}, {value_of(variable, ruleset.index_of(ruleset.default))})."]


def _goals(system: Dynamics, clause: Clause) -> list[str]:
    goals = []
    for number, column in enumerate(clause.columns, start=1):
        variable = system.variable(column)
        values = [value_of(variable, i) for i in variable.allowed(clause)]
        if len(values) == 1:
            goals.append(f"now({atom(column)}, {values[0]})")
        else:
            goals += [f"now({atom(column)}, V{number})", f"member(V{number}, [{', '.join(values)}])"]
    return goals
