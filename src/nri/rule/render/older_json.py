"""Rule files of earlier versions: one format for classes, one for numbers, one for survival.

They are read into the one rule of today and predict what they always did. A file about classes listed
clauses by class; the one with the highest estimated precision decided, and its probabilities were made of
the rows that it covered and of those that were left to it.
"""

from typing import Any

import numpy as np

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.rule.estimate import Mean, NumberTarget, Risk, SurvivalTarget, decimals_for
from nri.rule.labels import Label, Shares, as_label
from nri.rule.render.as_json import (
    READERS,
    Node,
    read_classes,
    read_clause,
    read_estimate,
    read_numbers,
    read_plan,
    read_plans,
)
from nri.rule.rule import Branch, Rule
from nri.rule.truth import deciding_order, estimated_precision, favour, shrink

_PULL = 20.0
"""Weight, in rows, of all that a clause covers among the rows that were left to it."""


def _ruleset(top: Node) -> Rule:
    """Read a rule for classes, format versions 1 to 3."""
    target = read_classes(top, top.get("target").text())
    classes = target.classes
    prior = np.array(read_numbers(top.get("prior")))
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
            branches.append(Branch(read_clause(node), estimate))
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
            plans=read_plans(top.get("columns")) if top.get("version").value > 1 else {},
        )
    )


def _counts(node: Node, classes: tuple[Label, ...]) -> FloatArray:
    counts = np.array(read_numbers(node))
    if len(counts) != len(classes):
        raise InputError(
            f"{node.place}: evidence has {len(counts)} counts for {len(classes)} classes: give one for each"
        )
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


def _segments(top: Node) -> Rule:
    """Read a rule for a number."""

    def mean(node: Node) -> Any:
        ends = read_numbers(node.get("interval"))
        if len(ends) != 2:
            raise InputError(f"{node.place} needs two ends of its interval")
        value = {} if node.has("value") else {"value": float(node.get("mean").number())}
        return read_estimate(node, Mean, low=ends[0], high=ends[1], **value)

    support = mean(top.get("support"))
    target = NumberTarget(top.get("target").text(), read_plan(top.get("reading")), decimals_for(support))
    branches = tuple(Branch(read_clause(node), mean(node)) for node in top.get("segments").items())
    explained = float(top.get("explained").number())
    plans = read_plans(top.get("columns"))
    return top.made(lambda _: Rule(target, branches, mean(top.get("rest")), support, explained, plans))


def _survival(top: Node) -> Rule:
    """Read a rule for the time until an event."""

    def risk(node: Node) -> Any:
        return read_estimate(node.get("curve"), Risk, value=float(node.get("risk").number()))

    times = read_numbers(top.get("times"))
    target = SurvivalTarget(
        top.get("target").text(), top.get("time").text(), times, read_plan(top.get("reading"))
    )
    branches = tuple(Branch(read_clause(node), risk(node)) for node in top.get("segments").items())
    p_value = float(top.get("p_value").number())
    support, plans = read_estimate(top.get("support"), Risk, value=1.0), read_plans(top.get("columns"))
    return top.made(lambda _: Rule(target, branches, risk(top.get("rest")), support, p_value, plans))


READERS.update({"nri-ruleset": (3, _ruleset), "nri-segments": (1, _segments), "nri-survival": (1, _survival)})
