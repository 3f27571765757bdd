"""Survival rules in other forms: how people are told about them, and their JSON."""

from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from nri.errors import InputError
from nri.rule.clause import Clause
from nri.rule.render import as_json
from nri.rule.render.as_json import Node
from nri.rule.render.phrase import bare_name, number, phrase_name
from nri.rule.render.segments import Line, SegmentForm, Telling, numbers_of, open_file, read_parts
from nri.rule.survival import Curve, SurvivalRule, SurvivalSegment


@dataclass(frozen=True)
class Told:
    """A segment as a person is told about it."""

    clause: Clause | None
    """None for the rest"""
    median: str
    interval: str
    risk: str
    events: str


def told(rule: SurvivalRule) -> list[Told]:
    """Return the segments in their order and the rest, as texts."""

    def one(part: SurvivalSegment, clause: Clause | None) -> Told:
        curve = part.curve
        events = f"{number(curve.events)} of {number(curve.rows)}"
        ends = [curve.median_low, curve.median_high]
        interval = " to ".join("?" if end is None else rule.amount(end) for end in ends)
        if ends == [None, None]:
            interval = "-"
        return Told(clause, rule.amount(curve.median), interval, f"{part.risk:.2f}", events)

    return [*(one(part, part.clause) for part in rule.segments), one(rule.rest, None)]


def parted_line(rule: SurvivalRule) -> str:
    """Say how sure it is that the curves differ, on the rows that they were parted by."""
    if not rule.segments:
        return "no clause parts the curves"
    p = "p < 0.001" if rule.p_value < 0.001 else f"p = {rule.p_value:.3f}"
    return f"the curves differ (log-rank test on these rows, {p})"


def _tell(rule: SurvivalRule) -> Telling:
    rows = told(rule)
    wide = [max(len(getattr(row, name)) for row in rows) for name in ("median", "interval", "risk")]
    name, event = phrase_name(rule.time), phrase_name(rule.target)
    lines = [
        Line(
            row.clause,
            (row.median, row.interval, row.risk, row.events),
            f"median {name} {row.median:>{wide[0]}}   {f'({row.interval})':<{wide[1] + 2}}   "
            f"risk {row.risk:>{wide[2]}}   {event}: {row.events}",
        )
        for row in rows
    ]
    titles = (f"median {bare_name(rule.time)}", "95 % interval", "risk", f"{bare_name(rule.target)}, rows")
    return Telling(titles, tuple(lines), parted_line(rule))


def _before(rule: SurvivalRule) -> dict[str, Any]:
    return {
        "time": rule.time,
        "target": rule.target,
        "reading": as_json.plan_to_dict(rule.time_plan),
        "times": list(rule.times),
    }


def _segment(part: SurvivalSegment) -> dict[str, Any]:
    return {"risk": part.risk, "curve": _curve(part.curve)}


def _curve(curve: Curve) -> dict[str, Any]:
    found = {field.name: getattr(curve, field.name) for field in fields(curve)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


def _after(rule: SurvivalRule) -> dict[str, Any]:
    return {"support": _curve(rule.support), "p_value": rule.p_value}


SURVIVAL_FORM = SegmentForm("nri-survival", 1, _tell, _before, _segment, _after)


def survival_from_dict(data: Any) -> SurvivalRule:
    """Read a survival rule from plain data, as JSON holds it."""
    top = open_file(data, SURVIVAL_FORM.version)
    times = numbers_of(top.get("times"))
    return SurvivalRule(
        **read_parts(top, partial(_read_segment, len(times))),
        time=top.get("time").text(),
        support=_read_curve(len(times), top.get("support")),
        times=times,
        p_value=float(top.get("p_value").number()),
        time_plan=as_json.plan_of(top.get("reading")),
    )


def _read_segment(length: int, node: Node, clause: Clause) -> SurvivalSegment:
    return SurvivalSegment(clause, float(node.get("risk").number()), _read_curve(length, node.get("curve")))


def _read_curve(length: int, node: Node) -> Curve:
    lists = {name: numbers_of(node.get(name)) for name in ("survival", "low", "high", "at_risk")}
    if any(len(values) != length for values in lists.values()):
        raise InputError(f"{node.place} must have a value for each of the {length} times")
    rows, events = (float(node.get(name).number()) for name in ("rows", "events"))
    ends = (_perhaps(node.get(name)) for name in ("median", "median_low", "median_high"))
    return Curve(rows, events, lists["survival"], lists["low"], lists["high"], lists["at_risk"], *ends)


def _perhaps(node: Node) -> float | None:
    return None if node.value is None else float(node.number())
