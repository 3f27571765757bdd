"""JSON: how rules are kept. What is written here is read back exactly, with its place where it is wrong.

Earlier versions had a format for each sort of outcome; their files are brought into the layout of today, and
predict what they always did.
"""

import datetime as dt
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, replace
from typing import Any, TypeVar

import numpy as np

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.rule.column import ColumnPlan
from nri.rule.estimate import QUANTILES, Mean, NumberTarget, Risk, SurvivalTarget, decimals_for
from nri.rule.labels import ClassTarget, Label, Shares, as_label, writable
from nri.rule.literal import Clause, Kind, Literal, Value
from nri.rule.rule import Branch, RenderOptions, Rule
from nri.rule.truth import deciding_order, shrink

FORMAT = "nri-rule"
VERSION = 4
"""One format for all outcomes: branches in order, each with its estimate. Versions 1 to 3 were others."""
_LARGEST = 1e101  # No value that is explained is larger, nor an end of its interval.

_KEYS = {"plan": "cells"}  # Fields whose name in a file is another one.

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
        "predicts": {"kind": rule.predicts.kind} | _plain(rule.predicts),
        "branches": [
            {**_clause_dict(branch.clause), "estimate": _plain(branch.estimate)} for branch in rule.branches
        ],
        "otherwise": _plain(rule.otherwise),
        "support": _plain(rule.support),
        **({} if rule.fit is None else {"fit": rule.fit}),
        "columns": {name: _plain(plan) for name, plan in rule.plans.items() if plan.stated},
    }


def _clause_dict(clause: Clause) -> dict[str, Any]:
    plain: dict[str, Any] = {"literals": [_literal_dict(x) for x in clause]}
    return {"at_least": clause.at_least} | plain if clause.counts else plain


def _literal_dict(literal: Literal) -> dict[str, Any]:
    value = literal.value
    plain = value.isoformat() if isinstance(value, dt.datetime) else value
    return {"column": literal.column, "op": literal.op.value, "kind": literal.kind.value, "value": plain}


def _plain(record: Any) -> dict[str, Any]:
    """Return the fields of a record; those that have a default only where they differ from it."""
    plain: dict[str, Any] = {}
    for one in _fields(record):
        value = getattr(record, one.name)
        if isinstance(value, ColumnPlan):
            value = _plain(value)
        if not (_may_lack(one) and value in (one.default, {})):
            plain[_KEYS.get(one.name, one.name)] = list(value) if isinstance(value, tuple) else value
    return plain


def _fields(record: Any) -> list[Field[Any]]:
    """Return the fields that are kept in a file; the others follow from them, or are about one use."""
    return [one for one in fields(record) if one.name not in ("decimals", "shown", "stated")]


def _may_lack(one: Field[Any]) -> bool:
    """Whether a field that is as usual is left out."""
    return one.default is not MISSING or one.default_factory is dict


# Reading


class _Node:
    """A piece of the data that knows where it was found."""

    def __init__(self, value: Any, place: str) -> None:
        self.value = value
        self.place = place

    def get(self, key: str) -> "_Node":
        if not self.has(key):
            raise InputError(f"{self.place} lacks {key!r}: was it edited by hand?")
        return self.part(self.value[key], f", {key!r}")

    def has(self, key: str) -> bool:
        return key in self.typed(dict, "an object")

    def items(self) -> list["_Node"]:
        values = self.typed(list, "a list")
        return [self.part(value, f"[{i}]") for i, value in enumerate(values)]

    def part(self, value: Any, where: str) -> "_Node":
        return value if isinstance(value, _Node) else _Node(value, self.place + where)

    def but(self, **changes: Any) -> "_Node":
        """Return the same object with some other keys; what comes from elsewhere knows its own place."""
        return _Node(self.typed(dict, "an object") | changes, self.place)

    def typed(self, wanted: type[T], description: str) -> T:
        if not isinstance(self.value, wanted) or (wanted is int and isinstance(self.value, bool)):
            raise InputError(f"{self.place} must be {description}, not {str(self.value)[:40]!r}")
        return self.value

    def text(self) -> str:
        self.typed(str, "text")
        return self.made(writable)

    def texts(self) -> tuple[str, ...]:
        return tuple(item.text() for item in self.items())

    def flag(self) -> bool:
        return self.typed(bool, "true or false")

    def number(self) -> float:
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise InputError(f"{self.place} must be a number, not {str(self.value)[:40]!r}")
        if not abs(self.value) <= sys.float_info.max:  # beyond are infinity, and integers that no float holds
            raise InputError(f"{self.place} must be a finite number, not {str(self.value)[:40]}")
        return float(self.value)

    def numbers(self) -> tuple[float, ...]:
        return tuple(item.number() for item in self.items())

    def made(self, make: Callable[[Any], T]) -> T:
        """Build something from the value; errors name the place."""
        try:
            return make(self.value)
        except (ValueError, TypeError, OverflowError) as error:
            raise InputError(f"{self.place}: {error}") from None


def _pair(node: _Node) -> tuple[str, ...]:
    both = node.texts()
    if len(both) != 2:
        raise InputError(f"{node.place} must be a list of two texts")
    return both


def _plan(node: _Node) -> ColumnPlan:
    known = {one.name for one in _fields(ColumnPlan)}
    for name in node.typed(dict, "an object"):
        if name not in known:
            raise InputError(f"{node.place} has the unknown key {name!r}: was it edited by hand?")
    return _record(node, ColumnPlan)


_READ: dict[Any, Callable[[_Node], Any]] = {
    Kind: lambda node: node.made(Kind),
    Label: lambda node: node.made(as_label),
    tuple[Label, ...]: lambda node: tuple(item.made(as_label) for item in node.items()),
    bool: _Node.flag,
    bool | None: _Node.flag,
    float: _Node.number,
    float | None: lambda node: None if node.value is None else node.number(),
    tuple[float, ...]: _Node.numbers,
    str: _Node.text,
    tuple[str, str]: _pair,
    tuple[str, ...]: _Node.texts,
    Mapping[str, str]: lambda node: {name: node.get(name).text() for name in node.typed(dict, "an object")},
    ColumnPlan: _plan,
    ColumnPlan | None: _plan,
}
"""How a field of a record is read, by its type."""


def _record(node: _Node, kind: Callable[..., T]) -> T:
    """Read a record field by field; one that is mostly the default may be absent."""
    values = {}
    for one in _fields(kind):
        key = _KEYS.get(one.name, one.name)
        if node.has(key) or not _may_lack(one):
            values[one.name] = _READ[one.type](node.get(key))
    return node.made(lambda _: kind(**values))


def from_json(text: str) -> Rule:
    """Read a rule of this or an earlier version."""
    try:
        top = _Node(json.loads(text), "the rule file")
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not a rule file: {error}; expected the JSON that nri writes") from None
    form = top.get("format").value
    if not isinstance(form, str) or form not in _FORMATS:
        raise InputError(f"this is not a rule file: its format is not {FORMAT!r}")
    latest, of_today = _FORMATS[form]
    version = top.get("version").typed(int, "a whole number")
    if not 1 <= version <= latest:
        remedy = "install a newer nri" if version > latest else "the first one is 1"
        raise InputError(f"the rule file has version {version}: {remedy}")
    return _rule(of_today(top))


_KINDS: dict[str, tuple[Any, Any]] = {
    "classes": (ClassTarget, Shares),
    "number": (NumberTarget, Mean),
    "survival": (SurvivalTarget, Risk),
}
"""What is predicted, and the estimate of a branch, by the kind of outcome."""


def _rule(top: _Node) -> Rule:
    predicts = top.get("predicts")
    outcome = predicts.get("kind").text()
    if outcome not in _KINDS:
        raise InputError(
            f"{predicts.place} has the unknown kind {outcome!r}: use classes, number or survival"
        )
    of_target, of_estimate = _KINDS[outcome]
    target = _record(predicts, of_target)
    support = _estimate(top.get("support"), of_estimate)
    if isinstance(support, Mean):
        target = replace(target, decimals=decimals_for(support))
    branches = tuple(
        Branch(_clause(node), _estimate(node.get("estimate"), of_estimate))
        for node in top.get("branches").items()
    )
    fit = top.get("fit").number() if top.has("fit") else None
    otherwise = _estimate(top.get("otherwise"), of_estimate)
    columns = top.get("columns")
    plans = {name: _plan(columns.get(name)) for name in columns.typed(dict, "an object")}
    return top.made(lambda _: Rule(target, branches, otherwise, support, fit, plans))


def _estimate(node: _Node, kind: Any) -> Any:
    estimate = _record(node, kind)
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


def _clause(node: _Node) -> Clause:
    literals = [_literal(x) for x in node.get("literals").items()]
    if not node.has("at_least"):
        return Clause(literals)
    needed = node.get("at_least").typed(int, "a whole number")
    return node.made(lambda _: Clause(literals, needed))


def _literal(node: _Node) -> Literal:
    column, op = node.get("column").text(), node.get("op").text()
    kind = node.get("kind").made(Kind)
    field = node.get("value")
    value: Value = field.made(dt.datetime.fromisoformat) if kind is Kind.DATE else field.value
    literal = node.made(lambda _: Literal(column, op, value))  # type: ignore[arg-type]
    if literal.kind is not kind:
        raise InputError(f"{field.place} is {literal.kind} where {kind} is announced")
    return literal


# Earlier formats: each is brought into the layout of today


def _ruleset(top: _Node) -> _Node:
    """Versions 1 to 3 for classes: clauses by class, of which the most precise decided."""
    predicts = top.but(kind="classes", name=top.get("target"))
    target = _record(predicts, ClassTarget)
    prior = _counts(top.get("prior"), target)
    branches, precisions, owners, ruled = [], [], [], set[Label]()
    for owner, of_class in enumerate(top.get("rules").items()):
        index = of_class.get("label").made(target.index)
        label = target.classes[index]
        if label in ruled:
            raise InputError(f"a class has two rules: {label!r}; join them into one rule")
        ruled.add(label)
        for node in of_class.get("clauses").items():
            covered = _counts(node.get("evidence"), target)
            decided = _counts(node.get("decided"), target) if node.has("decided") else covered
            branches.append(node.but(estimate=_plain(target.estimate(label, covered, decided, prior))))
            precisions.append(shrink(covered, prior)[index])
            owners.append(owner)
    order = deciding_order(np.array(precisions), np.array(owners, dtype=np.int64))
    default = top.get("default")
    rest = _counts(default.get("evidence"), target)
    label = target.classes[default.get("label").made(target.index)]
    return top.but(
        predicts=predicts,
        branches=[branches[i] for i in order],
        otherwise=_plain(target.estimate(label, rest, rest, prior)),
        support=_plain(target.support(_counts(top.get("support"), target))),
        columns=top.get("columns") if top.get("version").value > 1 else {},
    )


def _counts(node: _Node, target: ClassTarget) -> FloatArray:
    counts, n_classes = np.array(node.numbers()), len(target.classes)
    if len(counts) != n_classes:
        raise InputError(f"{node.place}: {len(counts)} counts for {n_classes} classes: give one for each")
    return counts


def _segments(top: _Node) -> _Node:
    """Version 1 for a number, or for the time until an event."""
    if top.get("format").value == "nri-segments":
        kind, estimate, fit, support = "number", _mean, "explained", _mean(top.get("support"))
    else:
        kind, estimate, fit, support = "survival", _risk, "p_value", top.get("support").but(value=1.0)
    return top.but(
        predicts=top.but(kind=kind, name=top.get("target"), cells=top.get("reading")),
        branches=[node.but(estimate=estimate(node)) for node in top.get("segments").items()],
        otherwise=estimate(top.get("rest")),
        support=support,
        fit=top.get(fit),
    )


def _mean(node: _Node) -> _Node:
    ends = node.get("interval").numbers()
    if len(ends) != 2:
        raise InputError(f"{node.place} needs two ends of its interval")
    value = node.get("value" if node.has("value") else "mean")
    return node.but(value=value, low=ends[0], high=ends[1])


def _risk(node: _Node) -> _Node:
    return node.get("curve").but(value=node.get("risk"))


_FORMATS: dict[str, tuple[int, Callable[[_Node], _Node]]] = {
    FORMAT: (VERSION, lambda top: top),
    "nri-ruleset": (3, _ruleset),
    "nri-segments": (1, _segments),
    "nri-survival": (1, _segments),
}
"""For each format its latest version, and how it is brought into the layout of today."""
