"""JSON: how systems are kept; reading gives back what was written."""

import json
from typing import Any

from nri.dynamics.system import Contradiction, Dynamics, NeverSeen, Seen, VariableRule
from nri.dynamics.variables import Variable
from nri.errors import InputError
from nri.rule.labels import as_label
from nri.rule.render.as_json import from_dict, plan_from_dict, plan_to_dict, to_dict

FORMAT = "nri-dynamics"
VERSION = 1


def render_json(system: Dynamics) -> str:
    """Write a system as JSON."""
    seen = system.seen
    told = {
        "format": FORMAT,
        "version": VERSION,
        "variables": [_variable_to_dict(one) for one in system.variables],
        "rules": {name: _rule_to_dict(rule) for name, rule in system.rules.items()},
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
    return json.dumps(told, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _variable_to_dict(one: Variable) -> dict[str, Any]:
    plain = {
        "name": one.name,
        "values": list(one.values),
        "input": one.is_input,
        "plan": plan_to_dict(one.plan),
    }
    return plain if one.cut is None else plain | {"cut": one.cut}


def _rule_to_dict(rule: VariableRule) -> dict[str, Any]:
    unseen = rule.never_seen
    return {
        "rule": to_dict(rule.ruleset),
        "regulators": list(rule.regulators),
        "explained": rule.explained,
        "exact": rule.exact,
        "never_seen": {
            "total": unseen.total,
            "missing": unseen.missing,
            "examples": [{"state": dict(state), "says": says} for state, says in unseen.examples],
        },
        "other_regulators": [list(one) for one in rule.other_regulators],
        "others_are_all": rule.others_are_all,
    }


def read_json(text: str) -> Dynamics:
    """Read a system from what :func:`render_json` wrote."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"this is no system file: {error}; expected the JSON that nri dynamics writes"
        ) from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError(f"this is no system file: its format is not {FORMAT!r}; write one with nri dynamics")
    if not isinstance(data.get("version"), int) or data["version"] > VERSION:
        raise InputError(
            f"the system file has version {data.get('version')}, this nri reads up to {VERSION}: "
            "install a newer nri"
        )
    try:
        return _system(data)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise InputError(f"the system file lacks or garbles {error}: was it edited by hand?") from None


def _system(data: dict[str, Any]) -> Dynamics:
    variables = tuple(_variable(one) for one in data["variables"])
    rules = {str(name): _rule(one) for name, one in data["rules"].items()}
    seen = data["seen"]
    names = {one.name for one in variables}
    for name, rule in rules.items():
        unknown = {name, *rule.ruleset.columns} - names
        if unknown:
            raise InputError(
                f"the system file has a rule about {unknown.pop()!r}, which is no variable of it"
            )
    return Dynamics(
        variables,
        rules,
        Seen(
            int(seen["transitions"]),
            int(seen["states"]),
            seen["explained"],
            tuple(
                Contradiction(
                    one["state"],
                    tuple((following["state"], following["times"]) for following in one["nexts"]),
                )
                for one in seen["contradictions"]
            ),
            int(seen["n_contradictions"]),
            bool(seen["asynchronous"]),
        ),
        {str(name): int(value) for name, value in data["fixed"].items()},
    )


def _variable(data: dict[str, Any]) -> Variable:
    name = str(data["name"])
    plan = plan_from_dict(data["plan"], f"the plan of {name!r}")
    return Variable(
        name, plan, tuple(as_label(v) for v in data["values"]), data.get("cut"), bool(data["input"])
    )


def _rule(data: dict[str, Any]) -> VariableRule:
    unseen = data["never_seen"]
    examples = tuple((one["state"], as_label(one["says"])) for one in unseen["examples"])
    return VariableRule(
        from_dict(data["rule"]),
        tuple(data["regulators"]),
        float(data["explained"]),
        NeverSeen(int(unseen["total"]), int(unseen["missing"]), examples),
        tuple(tuple(one) for one in data["other_regulators"]),
        bool(data["others_are_all"]),
        bool(data["exact"]),
    )
