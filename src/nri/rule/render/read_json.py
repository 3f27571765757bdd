"""Rule files: reading what :mod:`nri.rule.render.as_json` writes, and what earlier versions wrote.

Whatever is wrong with a file is reported with its place. Earlier versions had a format for each sort of
outcome; their files are read into the one rule of today and predict what they always did.
"""

import datetime as dt
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.rule.column import ColumnPlan
from nri.rule.estimate import QUANTILES, AnyTarget, Mean, NumberTarget, Risk, SurvivalTarget, decimals_for
from nri.rule.labels import ClassTarget, Label, Shares, as_label
from nri.rule.literal import Clause, Kind, Literal, Value
from nri.rule.render.as_json import FORMAT, VERSION
from nri.rule.rule import Branch, Rule
from nri.rule.truth import deciding_order, estimated_precision, favour, shrink

_LARGEST = 1e101  # No value that is explained is larger, nor an end of its interval.
_PULL = 20.0
"""Weight, in rows, of all that a clause of earlier versions covers among the rows that were left to it."""

T = TypeVar("T")


class _Node:
    """A piece of the data that knows where it was found."""

    def __init__(self, value: Any, place: str) -> None:
        self.value = value
        self.place = place

    def get(self, key: str) -> "_Node":
        if not self.has(key):
            raise InputError(f"{self.place} lacks {key!r}: was it edited by hand?")
        return _Node(self.value[key], f"{self.place}, {key!r}")

    def has(self, key: str) -> bool:
        return key in self.typed(dict, "an object")

    def items(self) -> list["_Node"]:
        values = self.typed(list, "a list")
        return [_Node(value, f"{self.place}[{i}]") for i, value in enumerate(values)]

    def typed(self, wanted: type[T], words: str) -> T:
        if not isinstance(self.value, wanted) or (wanted is int and isinstance(self.value, bool)):
            raise InputError(f"{self.place} must be {words}, not {str(self.value)[:40]!r}")
        return self.value

    def text(self) -> str:
        text = self.typed(str, "text")
        if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise InputError(f"{self.place} holds half a character, which no file can hold; correct it")
        return text

    def texts(self) -> tuple[str, ...]:
        return tuple(item.text() for item in self.items())

    def pair(self) -> tuple[str, ...]:
        both = self.texts()
        if len(both) != 2:
            raise InputError(f"{self.place} must be a list of two texts")
        return both

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


_READ: dict[Any, Callable[[_Node], Any]] = {
    Kind: lambda node: node.made(Kind),
    Label: lambda node: node.made(as_label),
    bool: _Node.flag,
    bool | None: _Node.flag,
    float: _Node.number,
    float | None: lambda node: None if node.value is None else node.number(),
    tuple[float, ...]: _Node.numbers,
    str: _Node.text,
    tuple[str, str]: _Node.pair,
    tuple[str, ...]: _Node.texts,
    Mapping[str, str]: lambda node: {name: node.get(name).text() for name in node.typed(dict, "an object")},
}
"""How a field of a record is read, by its type."""


def from_json(text: str) -> Rule:
    """Read a rule of this or an earlier version."""
    try:
        top = _Node(json.loads(text), "the rule file")
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not a rule file: {error}; expected the JSON that nri writes") from None
    form = top.get("format").value
    if not isinstance(form, str) or form not in _FORMATS:
        raise InputError(f"this is not a rule file: its format is not {FORMAT!r}")
    latest, read = _FORMATS[form]
    version = top.get("version").typed(int, "a whole number")
    if version > latest:
        raise InputError(f"the rule file has version {version}: install a newer nri")
    if version < 1:
        raise InputError(f"the rule file has version {version}: the first one is 1")
    return read(top)


# The format of today

_ESTIMATES: dict[str, Any] = {"classes": Shares, "number": Mean, "survival": Risk}


def _rule(top: _Node) -> Rule:
    target = _target(top.get("predicts"))
    kind = _ESTIMATES[target.kind]
    support = _estimate(top.get("support"), kind)
    if isinstance(target, NumberTarget):
        target = NumberTarget(target.name, target.plan, decimals_for(support))
    branches = tuple(
        Branch(_clause(node), _estimate(node.get("estimate"), kind)) for node in top.get("branches").items()
    )
    fit = top.get("fit").number() if top.has("fit") else None
    otherwise = _estimate(top.get("otherwise"), kind)
    plans = _plans(top)
    return top.made(lambda _: Rule(target, branches, otherwise, support, fit, plans))


def _target(node: _Node) -> AnyTarget:
    kind, name = node.get("kind").text(), node.get("name").text()
    if kind not in _ESTIMATES:
        raise InputError(f"{node.place} has the unknown kind {kind!r}: use classes, number or survival")
    if kind == "classes":
        return _classes(node, name)
    plan = _plan(node.get("cells"))
    if kind == "number":
        return NumberTarget(name, plan)
    return SurvivalTarget(name, node.get("time").text(), node.get("times").numbers(), plan)


def _classes(node: _Node, name: str) -> ClassTarget:
    classes = tuple(item.made(as_label) for item in node.get("classes").items())
    weighted = node.has("weighted") and node.get("weighted").flag()
    plan = _plan(node.get("cells")) if node.has("cells") else None
    return node.made(lambda _: ClassTarget(name, classes, weighted, plan=plan))


def _estimate(node: _Node, kind: Any, **given: Any) -> Any:
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


def _plans(top: _Node) -> dict[str, ColumnPlan]:
    node = top.get("columns")
    return {name: _plan(node.get(name)) for name in node.typed(dict, "an object")}


def _plan(node: _Node) -> ColumnPlan:
    types = {one.name: one.type for one in fields(ColumnPlan) if one.name != "stated"}
    stated = {}
    for name in {"kind": None, **node.typed(dict, "an object")}:
        if name not in types:
            raise InputError(f"{node.place} has the unknown key {name!r}: was it edited by hand?")
        stated[name] = _READ[types[name]](node.get(name))
    return ColumnPlan(**stated)


# Earlier formats


def _ruleset(top: _Node) -> Rule:
    """Read a rule for classes, format versions 1 to 3: clauses by class; the most precise decided."""
    target = _classes(top, top.get("target").text())
    classes = target.classes
    prior = np.array(top.get("prior").numbers())
    branches, precisions, owners, ruled = [], [], [], set()
    for owner, of_class in enumerate(top.get("rules").items()):
        label: Label = of_class.get("label").made(as_label)
        index = of_class.made(lambda _, label=label: target.index(label))  # type: ignore[misc]
        if index in ruled:
            raise InputError(f"a class has two rules: {label!r}; join them into one rule")
        ruled.add(index)
        for node in of_class.get("clauses").items():
            covered = _counts(node.get("evidence"), classes)
            decided = _counts(node.get("decided"), classes) if node.has("decided") else covered
            estimate = _shares(label, index, covered, decided, prior)
            branches.append(Branch(_clause(node), estimate))
            precisions.append(_precision(index, covered, prior))
            owners.append(owner)
    order = deciding_order(np.array(precisions), np.array(owners, dtype=np.int64))
    default = top.get("default")
    label = default.get("label").made(as_label)
    rest = _counts(default.get("evidence"), classes)
    support = _counts(top.get("support"), classes)
    index = default.made(lambda _: target.index(label))
    most = int(np.argmax(support))
    return top.made(
        lambda _: Rule(
            target,
            tuple(branches[i] for i in order),
            _shares(label, index, rest, rest, prior),
            Shares(classes[most], tuple(support), tuple(shrink(support, np.zeros_like(support)).tolist())),
            plans=_plans(top) if top.get("version").value > 1 else {},
        )
    )


def _counts(node: _Node, classes: tuple[Label, ...]) -> FloatArray:
    counts = np.array(node.numbers())
    if len(counts) != len(classes):
        raise InputError(f"{node.place}: {len(counts)} counts for {len(classes)} classes: give one for each")
    return counts


def _precision(index: int, covered: FloatArray, prior: FloatArray) -> float:
    strength = round(float(prior.sum()), 9)
    share = float(prior[index]) / strength if strength > 0 else 0.0
    if covered.sum() + strength > 0:
        return estimated_precision(float(covered[index]), float(covered.sum()), share, strength)
    return 1.0 / len(covered)  # nothing is known of it: every class is as likely as any other


def _shares(label: Label, index: int, covered: FloatArray, decided: FloatArray, prior: FloatArray) -> Shares:
    chances = shrink(covered, prior)
    if (decided != covered).any():
        chances = shrink(decided, chances * _PULL)
    return Shares(label, tuple(decided), tuple(favour(chances, index).tolist()))


def _segments(top: _Node) -> Rule:
    """Read a rule for a number, or for the time until an event."""
    name, plan = top.get("target").text(), _plan(top.get("reading"))
    if top.get("format").value == "nri-segments":
        estimate, fit, support = _mean, "explained", _mean(top.get("support"))
        target: AnyTarget = NumberTarget(name, plan, decimals_for(support))
    else:
        estimate, fit, support = _risk, "p_value", _estimate(top.get("support"), Risk, value=1.0)
        target = SurvivalTarget(name, top.get("time").text(), top.get("times").numbers(), plan)
    branches = tuple(Branch(_clause(node), estimate(node)) for node in top.get("segments").items())
    quality, plans = top.get(fit).number(), _plans(top)
    return top.made(lambda _: Rule(target, branches, estimate(top.get("rest")), support, quality, plans))


def _mean(node: _Node) -> Any:
    ends = node.get("interval").numbers()
    if len(ends) != 2:
        raise InputError(f"{node.place} needs two ends of its interval")
    value = {} if node.has("value") else {"value": node.get("mean").number()}
    return _estimate(node, Mean, low=ends[0], high=ends[1], **value)


def _risk(node: _Node) -> Any:
    return _estimate(node.get("curve"), Risk, value=node.get("risk").number())


_FORMATS: dict[str, tuple[int, Callable[[_Node], Rule]]] = {
    FORMAT: (VERSION, _rule),
    "nri-ruleset": (3, _ruleset),
    "nri-segments": (1, _segments),
    "nri-survival": (1, _segments),
}
"""For each format its latest version and its reader."""
