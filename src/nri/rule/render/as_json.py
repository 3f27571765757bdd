"""JSON: how rule sets are kept; reading gives back exactly what was written.

The layout is described by :data:`VERSION`; a reader refuses files of a later one. Nothing read is
ever evaluated, and whatever is wrong with a file is said with the place where it was found.
"""

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeAlias, TypeVar

from nri.errors import InputError
from nri.rule.clause import Clause, Dnf
from nri.rule.decide import Evidence
from nri.rule.labels import Label, as_label
from nri.rule.literal import Kind, Literal, Value
from nri.rule.plan import ColumnPlan
from nri.rule.render.options import RenderOptions
from nri.rule.ruleset import ClassRule, RuleSet

FORMAT = "nri-ruleset"
VERSION = 3
"""2: how the columns are read (``columns``). 3: clauses that count (``at_least``). Files of earlier versions
are read as they always were.
"""

T = TypeVar("T")


def render_json(ruleset: RuleSet, options: RenderOptions) -> str:
    """Write a rule set as JSON."""
    data = to_dict(ruleset)
    if options.validation is not None:
        data["validation"] = dict(options.validation)
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def from_json(text: str) -> RuleSet:
    """Read a rule set from what :func:`render_json` wrote."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"this is not a rule file: {error}; expected the JSON that nri writes") from None
    return from_dict(data)


def to_dict(ruleset: RuleSet) -> dict[str, Any]:
    """Return the rule set as the plain lists, dicts and values that become JSON."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": ruleset.target,
        "classes": list(ruleset.classes),
        "rules": [_class_rule_to_dict(rule) for rule in ruleset.rules],
        "default": {"label": ruleset.default, "evidence": list(ruleset.default_evidence.counts)},
        "support": list(ruleset.support.counts),
        "prior": list(ruleset.prior),
        "columns": {name: plan_to_dict(plan) for name, plan in ruleset.plans.items() if plan.stated},
        **({"weighted": True} if ruleset.weighted else {}),
    }


def from_dict(data: Any) -> RuleSet:
    """Read a rule set from the plain data of :func:`to_dict`."""
    top = _Node(data, "the rule file")
    if top.get("format").value != FORMAT:
        raise InputError(f"this is not a rule file: its format is not {FORMAT!r}")
    version = top.get("version").typed(int, "a whole number")
    if version > VERSION:
        raise InputError(
            f"the rule file has version {version}, this nri reads up to {VERSION}: install a newer nri"
        )
    if version < 1:
        raise InputError(f"the rule file has version {version}: the first one is 1")
    default = top.get("default")
    return RuleSet(
        target=top.get("target").text(),
        classes=tuple(node.made(as_label) for node in top.get("classes").items()),
        rules=tuple(_class_rule(node) for node in top.get("rules").items()),
        default=default.get("label").made(as_label),
        default_evidence=_evidence(default.get("evidence")),
        support=_evidence(top.get("support")),
        prior=_evidence(top.get("prior")).counts,
        plans=_plans(top.get("columns")) if version > 1 else {},
        weighted=top.has("weighted") and _flag(top.get("weighted")),
    )


def _class_rule_to_dict(rule: ClassRule) -> dict[str, Any]:
    clauses = [_clause_to_dict(*parts) for parts in zip(rule.rule, rule.evidence, rule.decided, strict=True)]
    return {"label": rule.label, "clauses": clauses}


def _clause_to_dict(clause: Clause, evidence: Evidence, decided: Evidence) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "literals": [_literal_to_dict(x) for x in clause],
        "evidence": list(evidence.counts),
    }
    if clause.counts:
        plain = {"at_least": clause.at_least} | plain
    return plain if decided == evidence else plain | {"decided": list(decided.counts)}


def _literal_to_dict(literal: Literal) -> dict[str, Any]:
    value = literal.value
    plain = value.isoformat() if isinstance(value, dt.datetime) else value
    return {"column": literal.column, "op": literal.op.value, "kind": literal.kind.value, "value": plain}


def plan_to_dict(plan: ColumnPlan) -> dict[str, Any]:
    """Return what a plan says beyond the usual, and its kind."""
    usual = ColumnPlan(plan.kind)
    said = {
        f.name: getattr(plan, f.name) for f in fields(plan) if getattr(plan, f.name) != getattr(usual, f.name)
    }
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in said.items()}
    return {"kind": plan.kind.value} | plain


_MOST = 1.7976931348623157e308
"""The largest number of a file: beyond it are integers that no float holds, and infinity."""


class _Node:
    """A piece of the data that knows where it was found."""

    def __init__(self, value: Any, place: str) -> None:
        self.value = value
        self.place = place

    def get(self, key: str) -> "_Node":
        fields = self.typed(dict, "an object")
        if key not in fields:
            raise InputError(f"{self.place} lacks {key!r}: was it edited by hand?")
        return _Node(fields[key], f"{self.place}, {key!r}")

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

    def number(self) -> float:
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise InputError(f"{self.place} must be a number, not {str(self.value)[:40]!r}")
        if not abs(self.value) <= _MOST:
            raise InputError(f"{self.place} must be a finite number, not {str(self.value)[:40]}")
        return self.value

    def made(self, make: Callable[[Any], T]) -> T:
        """Build something from the value; what is wrong with it is told with the place."""
        try:
            return make(self.value)
        except (ValueError, TypeError, OverflowError) as error:
            raise InputError(f"{self.place}: {error}") from None


def _class_rule(node: _Node) -> ClassRule:
    clauses = node.get("clauses").items()
    rule = Dnf(_clause(clause) for clause in clauses)
    evidence = [_evidence(clause.get("evidence")) for clause in clauses]
    decided = [
        _evidence(clause.get("decided")) if clause.has("decided") else covered
        for clause, covered in zip(clauses, evidence, strict=True)
    ]
    label: Label = node.get("label").made(as_label)
    return node.made(lambda _: ClassRule(label, rule, evidence, decided))


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


def _plans(node: _Node) -> dict[str, ColumnPlan]:
    names = node.typed(dict, "an object")
    return {name: _plan(node.get(name)) for name in names}


def _plan(node: _Node) -> ColumnPlan:
    said: dict[str, Any] = {}
    for name in node.typed(dict, "an object"):
        if name == "kind":
            said[name] = node.get(name).made(Kind)
        elif name in _PLAN_FIELDS:
            said[name] = _PLAN_FIELDS[name](node.get(name))
        else:
            raise InputError(f"{node.place} has the unknown key {name!r}: was it edited by hand?")
    if "kind" not in said:
        node.get("kind")  # raises, and says where
    return ColumnPlan(**said)


def plan_from_dict(data: Any, place: str) -> ColumnPlan:
    """Read a plan from the plain data of :func:`plan_to_dict`; errors name the place."""
    return _plan(_Node(data, place))


def _texts(node: _Node) -> tuple[str, ...]:
    return tuple(item.text() for item in node.items())


def _pair(node: _Node) -> tuple[str, str]:
    both = _texts(node)
    if len(both) != 2:
        raise InputError(f"{node.place} must be a list of two texts")
    return both[0], both[1]


def _spellings(node: _Node) -> dict[str, str]:
    return {name: node.get(name).text() for name in node.typed(dict, "an object")}


def _flag(node: _Node) -> bool:
    return node.typed(bool, "true or false")


_PLAN_FIELDS: dict[str, Callable[[_Node], Any]] = {
    "decimal": _Node.text,
    "thousands": _Node.text,
    "unit": _pair,
    "whole": _flag,
    "day_first": _flag,
    "missing": _texts,
    "no_and_yes": _pair,
    "categories": _texts,
    "spellings": _spellings,
    "folded": _flag,
}


def _evidence(node: _Node) -> Evidence:
    counts = [item.number() for item in node.items()]
    return node.made(lambda _: Evidence(counts))


def clause_to_list(clause: Clause) -> list[dict[str, Any]]:
    """Return the literals of a clause as plain data."""
    return [_literal_to_dict(literal) for literal in clause]


def clause_of(node: _Node) -> Clause:
    """Read a clause from a list of literals."""
    return Clause(_literal(item) for item in node.items())


# rules for a number are kept by the same means
Node: TypeAlias = _Node
plan_of, plans_of = _plan, _plans
