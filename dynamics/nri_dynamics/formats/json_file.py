"""JSON: how systems are kept; reading gives back what was written.

The rule of each variable is the rule of ``nri induce`` in its third version, so that files of all
versions are read alike.
"""

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from nri.errors import InputError
from nri.rule import Clause, ColumnPlan, Kind, Label, Literal, Op
from nri_dynamics.decision_list import CountedClause, DecisionList
from nri_dynamics.system import Contradiction, Dynamics, NeverSeen, Seen, VariableRule
from nri_dynamics.variables import Variable

_FORMAT, _VERSION = "nri-dynamics", 1
_RULE_FORMAT, _RULE_VERSION = "nri-ruleset", 3


def render_json(system: Dynamics) -> str:
    """Write a system as JSON."""
    seen = system.seen
    data = {
        "format": _FORMAT,
        "version": _VERSION,
        "variables": [_variable_to_dict(one) for one in system.variables],
        "rules": {name: _rule_to_dict(system, rule) for name, rule in system.rules.items()},
        "fixed": dict(system.fixed),
        "seen": {
            "transitions": seen.transitions,
            "states": seen.states,
            "explained": seen.explained,
            "asynchronous": seen.asynchronous,
            "n_contradictions": seen.n_contradictions,
            "contradictions": [
                {"state": dict(one.state), "nexts": [{"state": dict(s), "times": n} for s, n in one.nexts]}
                for one in seen.contradictions
            ],
        },
        "influences": [
            {"source": one.source, "target": one.target, "effect": one.effect.value}
            for one in system.influences
        ],
    }
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _variable_to_dict(one: Variable) -> dict[str, Any]:
    data = {
        "name": one.name,
        "values": list(one.values),
        "input": one.is_input,
        "plan": _plan_to_dict(one.plan),
    }
    return data if one.cut is None else data | {"cut": one.cut}


def _plan_to_dict(plan: ColumnPlan) -> dict[str, Any]:
    """Return the kind of a plan and whatever differs from the usual plan of that kind."""
    usual = ColumnPlan(plan.kind)
    values = {one.name: getattr(plan, one.name) for one in fields(plan)}
    unusual = {name: value for name, value in values.items() if value != getattr(usual, name)}
    lists = {name: list(value) if isinstance(value, tuple) else value for name, value in unusual.items()}
    return {"kind": plan.kind.value} | lists


def _rule_to_dict(system: Dynamics, rule: VariableRule) -> dict[str, Any]:
    unseen = rule.never_seen
    return {
        "rule": _decisions_to_dict(system, rule.decisions),
        "regulators": list(rule.regulators),
        "explained": rule.explained,
        "exact": rule.exact,
        "never_seen": {
            "total": unseen.total,
            "missing": unseen.missing,
            "examples": [{"state": dict(state), "says": value} for state, value in unseen.examples],
        },
        "other_regulators": [list(one) for one in rule.other_regulators],
        "others_are_all": rule.others_are_all,
    }


def _decisions_to_dict(system: Dynamics, rule: DecisionList) -> dict[str, Any]:
    read = rule.columns if any(rule.support) else ()  # a rule without transitions was not read from a table
    return {
        "format": _RULE_FORMAT,
        "version": _RULE_VERSION,
        "target": rule.target,
        "classes": list(rule.values),
        "rules": [
            {"label": value, "clauses": [_clause_to_dict(one) for one in clauses]}
            for value, clauses in rule.clauses.items()
        ],
        "default": {"label": rule.default, "evidence": list(rule.default_counts)},
        "support": list(rule.support),
        "prior": list(rule.prior),
        "columns": {name: _plan_to_dict(system.variable(name).plan) for name in read},
    }


def _clause_to_dict(one: CountedClause) -> dict[str, Any]:
    literals = [
        {"column": x.column, "op": x.op.value, "kind": x.kind.value, "value": x.value} for x in one.clause
    ]
    data = {"literals": literals, "evidence": list(one.counts)}
    return data if one.decided == one.counts else data | {"decided": list(one.decided)}


def read_json(text: str) -> Dynamics:
    """Read a system from the text of :func:`render_json`."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"this is no system file: {error}; expected the JSON that nri dynamics writes"
        ) from None
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        raise InputError(
            f"this is no system file: its format is not {_FORMAT!r}; write one with nri dynamics"
        )
    if not isinstance(data.get("version"), int) or data["version"] > _VERSION:
        raise InputError(
            f"the system file has version {data.get('version')}, this nri reads up to {_VERSION}: "
            "install a newer nri"
        )
    try:
        return _system(data)
    except InputError as error:
        raise InputError(f"the system file cannot be used: {error}") from None
    except (KeyError, TypeError, AttributeError, IndexError, ValueError, OverflowError) as error:
        raise InputError(f"the system file lacks or garbles {error}: was it edited by hand?") from None


def _system(data: dict[str, Any]) -> Dynamics:
    variables = tuple(_variable(one) for one in data["variables"])
    rules = {str(name): _rule(one) for name, one in data["rules"].items()}
    by_name = {one.name: one for one in variables}
    for name, rule in rules.items():
        unknown = {name, *rule.decisions.columns} - set(by_name)
        if unknown:
            raise InputError(f"it has a rule about {unknown.pop()!r}, which is no variable of it")
        if rule.decisions.values != by_name[name].values:
            raise InputError(f"the rule of {name!r} is about other values than the variable has")
    seen = data["seen"]
    contradictions = tuple(
        Contradiction(
            dict(one["state"]), tuple((dict(after["state"]), int(after["times"])) for after in one["nexts"])
        )
        for one in seen["contradictions"]
    )
    return Dynamics(
        variables,
        rules,
        Seen(
            int(seen["transitions"]),
            int(seen["states"]),
            None if seen["explained"] is None else float(seen["explained"]),
            contradictions,
            int(seen["n_contradictions"]),
            bool(seen["asynchronous"]),
        ),
        {str(name): int(value) for name, value in data["fixed"].items()},
    )


def _variable(data: dict[str, Any]) -> Variable:
    values = tuple(_value(one) for one in data["values"])
    cut = None if data.get("cut") is None else float(data["cut"])
    return Variable(str(data["name"]), _plan(data["plan"]), values, cut, bool(data["input"]))


def _plan(data: dict[str, Any]) -> ColumnPlan:
    plan: dict[str, Any] = {
        n: tuple(value) if isinstance(value, list) else value for n, value in data.items()
    }
    return ColumnPlan(**plan | {"kind": Kind(data["kind"])})


def _value(value: Any) -> Label:
    if not isinstance(value, bool | int | float | str) or not (isinstance(value, str) or abs(value) < 1e300):
        raise InputError(f"a value cannot be {value!r}")
    return value


def _rule(data: dict[str, Any]) -> VariableRule:
    unseen = data["never_seen"]
    examples = tuple((one["state"], _value(one["says"])) for one in unseen["examples"])
    return VariableRule(
        _decisions(data["rule"]),
        tuple(data["regulators"]),
        float(data["explained"]),
        NeverSeen(int(unseen["total"]), int(unseen["missing"]), examples),
        tuple(tuple(one) for one in data["other_regulators"]),
        bool(data["others_are_all"]),
        bool(data["exact"]),
    )


def _decisions(data: dict[str, Any]) -> DecisionList:
    if data["format"] != _RULE_FORMAT or not 1 <= data["version"] <= _RULE_VERSION:
        raise InputError(f"a rule has format {data['format']!r} and version {data['version']}")
    return DecisionList(
        str(data["target"]),
        tuple(_value(one) for one in data["classes"]),
        {_value(one["label"]): tuple(map(_clause, one["clauses"])) for one in data["rules"]},
        _value(data["default"]["label"]),
        _counts(data["default"]["evidence"]),
        _counts(data["support"]),
    )


def _clause(data: dict[str, Any]) -> CountedClause:
    literals = [Literal(str(one["column"]), Op(one["op"]), _value(one["value"])) for one in data["literals"]]
    counts = _counts(data["evidence"])
    return CountedClause(Clause(literals), counts, _counts(data.get("decided", counts)))


def _counts(data: Sequence[Any]) -> tuple[float, ...]:
    return tuple(float(one) for one in data)
