"""JSON: how rules are kept; :mod:`nri.rule.render.read_json` gives back exactly what is written here."""

import datetime as dt
import json
from dataclasses import fields
from typing import Any

from nri.rule.column import ColumnPlan
from nri.rule.estimate import AnyTarget, SurvivalTarget
from nri.rule.labels import ClassTarget
from nri.rule.literal import Clause, Literal
from nri.rule.rule import RenderOptions, Rule

FORMAT = "nri-rule"
VERSION = 4
"""One format for all outcomes: branches in order, each with its estimate. Versions 1 to 3 were others."""


def render_json(rule: Rule, options: RenderOptions) -> str:
    """Write a rule as JSON."""
    data = to_dict(rule)
    if options.validation is not None:
        data["validation"] = dict(options.validation)
    if options.provenance is not None:
        data["provenance"] = dict(options.provenance)
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_dict(rule: Rule) -> dict[str, Any]:
    """Return the rule as the plain lists, dicts and values that become JSON."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "predicts": _target(rule.predicts),
        "branches": [
            {**_clause(branch.clause), "estimate": _plain(branch.estimate)} for branch in rule.branches
        ],
        "otherwise": _plain(rule.otherwise),
        "support": _plain(rule.support),
        **({} if rule.fit is None else {"fit": rule.fit}),
        "columns": {name: _plan(plan) for name, plan in rule.plans.items() if plan.stated},
    }


def _target(target: AnyTarget) -> dict[str, Any]:
    plain: dict[str, Any] = {"kind": target.kind, "name": target.name}
    if isinstance(target, ClassTarget):
        plain |= {"classes": list(target.classes)} | ({"weighted": True} if target.weighted else {})
    if isinstance(target, SurvivalTarget):
        plain |= {"time": target.time, "times": list(target.times)}
    return plain if target.plan is None else plain | {"cells": _plan(target.plan)}


def _clause(clause: Clause) -> dict[str, Any]:
    plain: dict[str, Any] = {"literals": [_literal(x) for x in clause]}
    return {"at_least": clause.at_least} | plain if clause.counts else plain


def _literal(literal: Literal) -> dict[str, Any]:
    value = literal.value
    plain = value.isoformat() if isinstance(value, dt.datetime) else value
    return {"column": literal.column, "op": literal.op.value, "kind": literal.kind.value, "value": plain}


def _plan(plan: ColumnPlan) -> dict[str, Any]:
    """Return what a plan has beyond the usual, and its kind."""
    usual = _plain(ColumnPlan(plan.kind))
    unusual = {name: value for name, value in _plain(plan).items() if value != usual[name]}
    return {"kind": plan.kind.value} | unusual


def _plain(record: Any) -> dict[str, Any]:
    values = {one.name: getattr(record, one.name) for one in fields(record)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
