"""Aligned text: a rule for each variable, how often each clause fired, and what was never seen."""

from collections.abc import Callable, Iterator

from nri_dynamics.decision_list import CountedClause
from nri_dynamics.system import Contradiction, Dynamics, Seen, State, VariableRule
from nri_dynamics.variables import Variable
from nri_dynamics.wording import conditions, display_width, plain_name, plain_value

_WIDEST = 76
"""Clauses longer than this do not push the numbers of the others to the right."""
_SHOWN = 2
"""Examples that are shown of what was never seen, and of contradictions."""

_Line = tuple[str, str]
"""The text of a line, and the numbers beside it."""


def render_text(system: Dynamics) -> str:
    """Write the rules, then what they explain."""
    lines: list[_Line] = []
    for variable in system.variables:
        lines += _variable_lines(system, variable)
    width = max((w for text, beside in lines if beside and (w := display_width(text)) <= _WIDEST), default=0)
    aligned = [
        f"{text}{' ' * max(0, width - display_width(text))}     {beside}" if beside else text
        for text, beside in lines
    ]
    return "\n".join([*aligned, *_summary(system, system.seen)]) + "\n"


def _variable_lines(system: Dynamics, variable: Variable) -> list[_Line]:
    name = plain_name(variable.name)
    if variable.name not in system.rules:
        return [(f"{name} is an input", "")]
    rule = system.rules[variable.name]
    if variable.name in system.fixed:
        value = variable.written(variable.values[system.fixed[variable.name]])
        return [(f"{name}(t+1) = {value}", "held there")]
    lines = list(_rule_lines(variable, rule))
    return lines + [(f"    {note}", "") for note in notes(system, rule)]


def _rule_lines(variable: Variable, rule: VariableRule) -> Iterator[_Line]:
    head = f"{heading(variable, plain_name)}(t+1)"
    decisions = rule.decisions
    default = plain_value(decisions.default)
    by_value = {value: clauses for value, clauses in decisions.clauses.items() if clauses}
    if not by_value:
        yield f"{head} NEVER" if decisions.default is False else f"{head} = {default}", ""
        return
    for value, clauses in by_value.items():
        is_on = variable.is_boolean and value is True
        outcome = head if is_on else f"{head} = {plain_value(value)}"
        for i, one in enumerate(clauses):
            beside = _strength(one, variable.values.index(value), sum(decisions.support))
            opening = f"{outcome} IF " if i == 0 else " " * (display_width(outcome) + 1) + "OR "
            condition = " AND ".join(conditions(one.clause))
            yield (f"{opening}({condition})" if condition else f"{outcome} ALWAYS"), beside
    if len(by_value) > 1 or not variable.is_boolean:
        yield f"{head} = {default} ELSE", ""


def heading(variable: Variable, write_name: Callable[[str], str]) -> str:
    """Write a variable's name, a measurement with its cut.

    >>> from nri.rule import ColumnPlan, Kind
    >>> heading(Variable("dose", ColumnPlan(Kind.NUMBER), (False, True), 4.5), plain_name)
    '(dose > 4.5)'
    """
    name = write_name(variable.name)
    return name if variable.cut is None else f"({name} > {variable.cut:g})"


def _strength(one: CountedClause, index: int, support: float) -> str:
    """Write how often a clause fired, and the share of its next value; nothing without transitions."""
    if not support:
        return ""
    share = one.share(index)
    probability = "-   " if share is None else f"{share:.2f}"
    return f"probability {probability}   seen {sum(one.counts):.0f} of {support:.0f}"


def notes(system: Dynamics, rule: VariableRule) -> list[str]:
    """Return what a rule leaves open: unexplained values, unseen combinations, other regulators."""
    lines = []
    if rule.explained < 1:
        lines.append(f"explains {100 * rule.explained:.1f} % of its next values")
    unseen = rule.never_seen
    if unseen.missing:
        own = system.variable(rule.decisions.target)
        shown = "; ".join(
            f"{_cell(system, state)} (the rule says {own.written(value)})"
            for state, value in unseen.examples[:_SHOWN]
        )
        more = f", e.g. {shown}" if shown else ""
        lines.append(f"never seen: {unseen.missing} of {unseen.total} combinations of its regulators{more}")
    if rule.other_regulators:
        shown = "; ".join(", ".join(one) for one in rule.other_regulators[:_SHOWN])
        many = len(rule.other_regulators) > _SHOWN or not rule.others_are_all
        lines.append(f"explained as well by: {shown}{'; and others' if many else ''}")
    return lines


def _cell(system: Dynamics, state: State) -> str:
    return " ".join(f"{plain_name(name)}={system.variable(name).written(v)}" for name, v in state.items())


def _summary(system: Dynamics, seen: Seen) -> list[str]:
    if not seen.transitions:
        return []
    share = 100 * seen.states / system.n_states
    states = (
        f"{seen.states} of {system.n_states} states" if system.n_states < 10**6 else f"{seen.states} states"
    )
    seen_share = f" ({share:.3g} %)" if system.n_states < 10**6 else ""
    lines = ["", f"learned from {seen.transitions} transitions out of {states}{seen_share}"]
    if seen.explained is not None:
        how = " (variables may also stay as they are)" if seen.asynchronous else ""
        lines.append(f"{100 * seen.explained:.4g} % of the transitions are explained whole{how}")
    if seen.n_contradictions:
        lines.append(f"{seen.n_contradictions} states lead to different next states:")
        for one in seen.contradictions[:_SHOWN]:
            lines += _contradiction_lines(system, one)
    return lines


def _contradiction_lines(system: Dynamics, one: Contradiction) -> Iterator[str]:
    """Write a state and where it led, the variables in which that differs only."""
    first = one.nexts[0][0]
    apart = [name for name in first if any(state[name] != first[name] for state, _ in one.nexts)]
    yield f"    {_cell(system, one.state)}"
    for state, count in one.nexts[:_SHOWN]:
        times = "once" if count == 1 else f"{count} times"
        yield f"        -> {_cell(system, {name: state[name] for name in apart})}   {times}"
    if len(one.nexts) > _SHOWN:
        yield f"        and {len(one.nexts) - _SHOWN} more"
