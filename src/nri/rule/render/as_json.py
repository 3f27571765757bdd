"""JSON: how rules are kept; reading gives back exactly what was written.

The layout is described by :data:`VERSION`; a reader refuses files of a later one. Files of all earlier
versions, which had a format for each sort of outcome, are read by :mod:`nri.rule.render.older_json`. Nothing
read is ever evaluated, and whatever is wrong with a file is reported with its place.
"""

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

from nri.errors import InputError
from nri.rule.column import ColumnPlan
from nri.rule.estimate import QUANTILES, AnyTarget, Mean, NumberTarget, Risk, SurvivalTarget, decimals_for
from nri.rule.labels import ClassTarget, Shares, as_label
from nri.rule.literal import Clause, Kind, Literal, Value
from nri.rule.rule import Branch, RenderOptions, Rule

FORMAT = "nri-rule"
VERSION = 4
"""One format for all outcomes: branches in order, each with its estimate. Versions 1 to 3 were others."""

T = TypeVar("T")


def render_json(rule: Rule, options: RenderOptions) -> str:
    """Write a rule as JSON."""
    data = to_dict(rule)
    if options.validation is not None:
        data["validation"] = dict(options.validation)
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_dict(rule: Rule) -> dict[str, Any]:
    """Return the rule as the plain lists, dicts and values that become JSON."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "predicts": _target_to_dict(rule.predicts),
        "branches": [
            {**_clause_to_dict(branch.clause), "estimate": _plain(branch.estimate)}
            for branch in rule.branches
        ],
        "otherwise": _plain(rule.otherwise),
        "support": _plain(rule.support),
        **({} if rule.fit is None else {"fit": rule.fit}),
        "columns": {name: plan_to_dict(plan) for name, plan in rule.plans.items() if plan.stated},
    }


def _target_to_dict(target: AnyTarget) -> dict[str, Any]:
    plain: dict[str, Any] = {"kind": target.kind, "name": target.name}
    if isinstance(target, ClassTarget):
        return plain | {"classes": list(target.classes)} | ({"weighted": True} if target.weighted else {})
    if isinstance(target, SurvivalTarget):
        plain |= {"time": target.time, "times": list(target.times)}
    return plain | {"cells": plan_to_dict(target.plan)}


def _plain(record: Any) -> dict[str, Any]:
    values = {one.name: getattr(record, one.name) for one in fields(record)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _clause_to_dict(clause: Clause) -> dict[str, Any]:
    plain: dict[str, Any] = {"literals": [_literal_to_dict(x) for x in clause]}
    return {"at_least": clause.at_least} | plain if clause.counts else plain


def _literal_to_dict(literal: Literal) -> dict[str, Any]:
    value = literal.value
    plain = value.isoformat() if isinstance(value, dt.datetime) else value
    return {"column": literal.column, "op": literal.op.value, "kind": literal.kind.value, "value": plain}


def plan_to_dict(plan: ColumnPlan) -> dict[str, Any]:
    """Return what a plan has beyond the usual, and its kind."""
    usual = ColumnPlan(plan.kind)
    unusual = {
        f.name: getattr(plan, f.name) for f in fields(plan) if getattr(plan, f.name) != getattr(usual, f.name)
    }
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in unusual.items()}
    return {"kind": plan.kind.value} | plain


def from_json(text: str) -> Rule:
    """Read a rule of this or an earlier version."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not a rule file: {error}; expected the JSON that nri writes") from None
    return from_dict(data)


READERS: dict[str, tuple[int, "Callable[[Node], Rule]"]] = {}
"""For each earlier format its latest version and its reader; :mod:`nri.rule.render.older_json` fills it."""


def from_dict(data: Any) -> Rule:
    """Read a rule from the plain data of :func:`to_dict`, or of an earlier version."""
    top = Node(data, "the rule file")
    form = top.get("format").value
    if not isinstance(form, str) or (form != FORMAT and form not in READERS):
        raise InputError(f"this is not a rule file: its format is not {FORMAT!r}")
    latest, read = (VERSION, _read) if form == FORMAT else READERS[form]
    version = top.get("version").typed(int, "a whole number")
    if version > latest:
        raise InputError(
            f"the rule file has version {version}, this nri reads up to {latest}: install a newer nri"
        )
    if version < 1:
        raise InputError(f"the rule file has version {version}: the first one is 1")
    return read(top)


def _read(top: "Node") -> Rule:
    target = _target(top.get("predicts"))
    readers: dict[str, Callable[[Node], Any]]
    readers = {"classes": _shares, "number": read_mean, "survival": _risk}
    read = readers[target.kind]
    support = read(top.get("support"))
    if isinstance(target, NumberTarget):
        target = NumberTarget(target.name, target.plan, decimals_for(support))
    branches = [Branch(read_clause(node), read(node.get("estimate"))) for node in top.get("branches").items()]
    fit = float(top.get("fit").number()) if top.has("fit") else None
    otherwise = read(top.get("otherwise"))
    plans = read_plans(top.get("columns"))
    return top.made(lambda _: Rule(target, tuple(branches), otherwise, support, fit, plans))


def _target(node: "Node") -> AnyTarget:
    kind, name = node.get("kind").text(), node.get("name").text()
    if kind == "classes":
        classes = tuple(item.made(as_label) for item in node.get("classes").items())
        weighted = node.has("weighted") and _flag(node.get("weighted"))
        return node.made(lambda _: ClassTarget(name, classes, weighted))
    if kind not in ("number", "survival"):
        raise InputError(f"{node.place} has the unknown kind {kind!r}: use classes, number or survival")
    plan = read_plan(node.get("cells"))
    if kind == "number":
        return NumberTarget(name, plan)
    return SurvivalTarget(name, node.get("time").text(), read_numbers(node.get("times")), plan)


def _shares(node: "Node") -> Shares:
    counts, expected = read_numbers(node.get("counts")), read_numbers(node.get("expected"))
    return node.made(lambda _: Shares(node.get("value").made(as_label), counts, expected))


_LARGEST = 1e101
"""No value that is explained is larger, nor an end of its interval."""


def read_mean(node: "Node", ends: tuple[float, ...] | None = None) -> Mean:
    """Read the estimate of a number; older files have the ends of the interval in one list."""
    if ends is None:
        ends = (float(node.get("low").number()), float(node.get("high").number()))
    quantiles = read_numbers(node.get("quantiles"))
    if len(ends) != 2 or len(quantiles) != len(QUANTILES):
        raise InputError(f"{node.place} needs two ends of its interval and {len(QUANTILES)} quantiles")
    if list(quantiles) != sorted(quantiles) or max(map(abs, (*quantiles, *ends))) > _LARGEST:
        raise InputError(f"{node.place} needs quantiles in increasing order, none beyond {_LARGEST:g}")
    rows, mean = float(node.get("rows").number()), float(node.get("mean").number())
    value = float(node.get("value").number()) if node.has("value") else mean
    return Mean(value, rows, mean, *ends, quantiles)


def _risk(node: "Node") -> Risk:
    return read_risk(node, float(node.get("value").number()))


def read_risk(node: "Node", risk: float) -> Risk:
    """Read the curve of an estimate of survival."""
    survival, low, high, at_risk = (
        read_numbers(node.get(name)) for name in ("survival", "low", "high", "at_risk")
    )
    if len({len(values) for values in (survival, low, high, at_risk)}) > 1:
        raise InputError(f"{node.place} must have a value for each of the times")
    rows, events = (float(node.get(name).number()) for name in ("rows", "events"))
    medians = [node.get(name) for name in ("median", "median_low", "median_high")]
    ends = (None if one.value is None else float(one.number()) for one in medians)
    return Risk(risk, rows, events, survival, low, high, at_risk, *ends)


def read_numbers(node: "Node") -> tuple[float, ...]:
    """Read a list of numbers."""
    return tuple(float(item.number()) for item in node.items())


_MOST = 1.7976931348623157e308
"""The largest number of a file: beyond it are integers that no float holds, and infinity."""


class Node:
    """A piece of the data that knows where it was found."""

    def __init__(self, value: Any, place: str) -> None:
        self.value = value
        self.place = place

    def get(self, key: str) -> "Node":
        """Return the piece at a key."""
        fields = self.typed(dict, "an object")
        if key not in fields:
            raise InputError(f"{self.place} lacks {key!r}: was it edited by hand?")
        return Node(fields[key], f"{self.place}, {key!r}")

    def has(self, key: str) -> bool:
        """Whether there is such a key."""
        return key in self.typed(dict, "an object")

    def items(self) -> list["Node"]:
        """Return the pieces of a list."""
        values = self.typed(list, "a list")
        return [Node(value, f"{self.place}[{i}]") for i, value in enumerate(values)]

    def typed(self, wanted: type[T], words: str) -> T:
        """Return the value if it is of a type."""
        if not isinstance(self.value, wanted) or (wanted is int and isinstance(self.value, bool)):
            raise InputError(f"{self.place} must be {words}, not {str(self.value)[:40]!r}")
        return self.value

    def text(self) -> str:
        """Return the value if it is text."""
        text = self.typed(str, "text")
        if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise InputError(f"{self.place} holds half a character, which no file can hold; correct it")
        return text

    def number(self) -> float:
        """Return the value if it is a finite number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise InputError(f"{self.place} must be a number, not {str(self.value)[:40]!r}")
        if not abs(self.value) <= _MOST:
            raise InputError(f"{self.place} must be a finite number, not {str(self.value)[:40]}")
        return self.value

    def made(self, make: Callable[[Any], T]) -> T:
        """Build something from the value; errors name the place."""
        try:
            return make(self.value)
        except (ValueError, TypeError, OverflowError) as error:
            raise InputError(f"{self.place}: {error}") from None


def read_clause(node: Node) -> Clause:
    """Read a condition: its literals, and how many of them must hold."""
    literals = [_literal(x) for x in node.get("literals").items()]
    if not node.has("at_least"):
        return Clause(literals)
    needed = node.get("at_least").typed(int, "a whole number")
    return node.made(lambda _: Clause(literals, needed))


def _literal(node: Node) -> Literal:
    column, op = node.get("column").text(), node.get("op").text()
    kind = node.get("kind").made(Kind)
    field = node.get("value")
    value: Value = field.made(dt.datetime.fromisoformat) if kind is Kind.DATE else field.value
    literal = node.made(lambda _: Literal(column, op, value))  # type: ignore[arg-type]
    if literal.kind is not kind:
        raise InputError(f"{field.place} is {literal.kind} where {kind} is announced")
    return literal


def read_plans(node: Node) -> dict[str, ColumnPlan]:
    """Read how the cells of columns are read."""
    names = node.typed(dict, "an object")
    return {name: read_plan(node.get(name)) for name in names}


def read_plan(node: Node) -> ColumnPlan:
    """Read how the cells of one column are read."""
    stated: dict[str, Any] = {}
    for name in node.typed(dict, "an object"):
        if name == "kind":
            stated[name] = node.get(name).made(Kind)
        elif name in _PLAN_FIELDS:
            stated[name] = _PLAN_FIELDS[name](node.get(name))
        else:
            raise InputError(f"{node.place} has the unknown key {name!r}: was it edited by hand?")
    if "kind" not in stated:
        node.get("kind")  # raises, and says where
    return ColumnPlan(**stated)


def _texts(node: Node) -> tuple[str, ...]:
    return tuple(item.text() for item in node.items())


def _pair(node: Node) -> tuple[str, str]:
    both = _texts(node)
    if len(both) != 2:
        raise InputError(f"{node.place} must be a list of two texts")
    return both[0], both[1]


def _spellings(node: Node) -> dict[str, str]:
    return {name: node.get(name).text() for name in node.typed(dict, "an object")}


def _flag(node: Node) -> bool:
    return node.typed(bool, "true or false")


_PLAN_FIELDS: dict[str, Callable[[Node], Any]] = {
    "decimal": Node.text,
    "thousands": Node.text,
    "unit": _pair,
    "whole": _flag,
    "day_first": _flag,
    "missing": _texts,
    "no_and_yes": _pair,
    "categories": _texts,
    "spellings": _spellings,
    "folded": _flag,
}
