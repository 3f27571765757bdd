"""JSON: how rules are kept; reading gives back exactly what was written.

The layout is described by :data:`VERSION`; a reader refuses files of a later one. Files of all earlier
versions, which had a format for each sort of outcome, are read by :mod:`nri.rule.render.older_json`. Nothing
read is ever evaluated, and whatever is wrong with a file is reported with its place.
"""

import datetime as dt
import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from nri.errors import InputError
from nri.rule.column import ColumnPlan
from nri.rule.estimate import QUANTILES, AnyTarget, Mean, NumberTarget, Risk, SurvivalTarget, decimals_for
from nri.rule.labels import ClassTarget, Label, Shares, as_label
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
    if options.provenance is not None:
        data["provenance"] = dict(options.provenance)
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
    kind = _ESTIMATES[target.kind]
    support = read_estimate(top.get("support"), kind)
    if isinstance(target, NumberTarget):
        target = NumberTarget(target.name, target.plan, decimals_for(support))
    branches = tuple(
        Branch(read_clause(node), read_estimate(node.get("estimate"), kind))
        for node in top.get("branches").items()
    )
    fit = float(top.get("fit").number()) if top.has("fit") else None
    otherwise = read_estimate(top.get("otherwise"), kind)
    plans = read_plans(top.get("columns"))
    return top.made(lambda _: Rule(target, branches, otherwise, support, fit, plans))


_ESTIMATES: dict[str, Any] = {"classes": Shares, "number": Mean, "survival": Risk}
_LARGEST = 1e101
"""No value that is explained is larger, nor an end of its interval."""


def _target(node: "Node") -> AnyTarget:
    kind, name = node.get("kind").text(), node.get("name").text()
    if kind not in _ESTIMATES:
        raise InputError(f"{node.place} has the unknown kind {kind!r}: use classes, number or survival")
    if kind == "classes":
        return read_classes(node, name)
    plan = read_plan(node.get("cells"))
    if kind == "number":
        return NumberTarget(name, plan)
    return SurvivalTarget(name, node.get("time").text(), read_numbers(node.get("times")), plan)


def read_classes(node: "Node", name: str) -> ClassTarget:
    """Read the classes of a target."""
    classes = tuple(item.made(as_label) for item in node.get("classes").items())
    weighted = node.has("weighted") and _flag(node.get("weighted"))
    return node.made(lambda _: ClassTarget(name, classes, weighted))


def read_estimate(node: "Node", kind: Any, **given: Any) -> Any:
    """Read an estimate of a kind, but for the fields that are given."""
    values = {one.name: _READ[one.type](node.get(one.name)) for one in fields(kind) if one.name not in given}
    estimate = node.made(lambda _: kind(**values, **given))
    if isinstance(estimate, Mean):
        quantiles = estimate.quantiles
        if len(quantiles) != len(QUANTILES):
            raise InputError(f"{node.place} needs two ends of its interval and {len(QUANTILES)} quantiles")
        extremes = (*quantiles, estimate.low, estimate.high)
        if list(quantiles) != sorted(quantiles) or max(map(abs, extremes)) > _LARGEST:
            raise InputError(f"{node.place} needs quantiles in increasing order, none beyond {_LARGEST:g}")
    if isinstance(estimate, Risk):
        curves = (estimate.survival, estimate.low, estimate.high, estimate.at_risk)
        if len(set(map(len, curves))) > 1:
            raise InputError(f"{node.place} must have a value for each of the times")
    return estimate


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
    types = {one.name: one.type for one in fields(ColumnPlan) if one.name != "stated"}
    stated = {}
    for name in {"kind": None, **node.typed(dict, "an object")}:
        if name not in types:
            raise InputError(f"{node.place} has the unknown key {name!r}: was it edited by hand?")
        stated[name] = _READ[types[name]](node.get(name))
    return ColumnPlan(**stated)


def read_numbers(node: Node) -> tuple[float, ...]:
    """Read a list of numbers."""
    return tuple(float(item.number()) for item in node.items())


def _texts(node: Node) -> tuple[str, ...]:
    return tuple(item.text() for item in node.items())


def _pair(node: Node) -> tuple[str, ...]:
    both = _texts(node)
    if len(both) != 2:
        raise InputError(f"{node.place} must be a list of two texts")
    return both


def _flag(node: Node) -> bool:
    return node.typed(bool, "true or false")


_READ: dict[Any, Callable[[Node], Any]] = {
    Kind: lambda node: node.made(Kind),
    Label: lambda node: node.made(as_label),
    bool: _flag,
    bool | None: _flag,
    float: lambda node: float(node.number()),
    float | None: lambda node: None if node.value is None else float(node.number()),
    tuple[float, ...]: read_numbers,
    str: Node.text,
    tuple[str, str]: _pair,
    tuple[str, ...]: _texts,
    Mapping[str, str]: lambda node: {name: node.get(name).text() for name in node.typed(dict, "an object")},
}
"""How a field of a record is read, by its type."""
