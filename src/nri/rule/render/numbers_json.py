"""JSON of rules for a number: reading gives back exactly what was written."""

import json
from typing import Any

from nri.errors import InputError
from nri.rule.clause import ALWAYS, Clause
from nri.rule.render import as_json, survival
from nri.rule.render.as_json import Node
from nri.rule.render.options import RenderOptions
from nri.rule.ruleset import RuleSet
from nri.rule.segments import SHARES, Segment, Segments, Spread
from nri.rule.survival import SurvivalRule

FORMAT = "nri-segments"
VERSION = 1


def render_segments_json(segments: Segments, options: RenderOptions) -> str:
    """Write a rule for a number as JSON."""
    plans = {name: as_json.plan_to_dict(plan) for name, plan in segments.plans.items() if plan.stated}
    data = {
        "format": FORMAT,
        "version": VERSION,
        "target": segments.target,
        "reading": as_json.plan_to_dict(segments.target_plan),
        "segments": [
            {"literals": as_json.clause_to_list(one.clause), **_segment(one)} for one in segments.segments
        ],
        "rest": _segment(segments.rest),
        "support": _spread(segments.support),
        "explained": segments.explained,
        "columns": plans,
    }
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _segment(segment: Segment) -> dict[str, Any]:
    return {"value": segment.value, **_spread(segment.spread)}


def _spread(spread: Spread) -> dict[str, Any]:
    return {
        "rows": spread.rows,
        "mean": spread.mean,
        "interval": [spread.low, spread.high],
        "quantiles": list(spread.quantiles),
    }


def any_rule_from_json(text: str) -> RuleSet | Segments | SurvivalRule:
    """Read a rule for classes, for a number or for a time, whichever the text holds."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return as_json.from_json(text)  # says what is wrong
    if isinstance(data, dict) and data.get("format") == FORMAT:
        return segments_from_dict(data)
    if isinstance(data, dict) and data.get("format") == survival.FORMAT:
        return survival.survival_from_dict(data)
    return as_json.from_dict(data)


def segments_from_dict(data: Any) -> Segments:
    """Read a rule for a number from plain data, as JSON holds it."""
    top = Node(data, "the rule file")
    version = top.get("version").typed(int, "a whole number")
    if not 1 <= version <= VERSION:
        raise InputError(
            f"the rule file has version {version}, this nri reads up to {VERSION}: install a newer nri"
        )
    rest = top.get("rest")
    return Segments(
        target=top.get("target").text(),
        segments=tuple(
            _read_segment(node, as_json.clause_of(node.get("literals")))
            for node in top.get("segments").items()
        ),
        rest=_read_segment(rest, ALWAYS),
        support=_read_spread(top.get("support")),
        explained=top.get("explained").number(),
        plans=as_json.plans_of(top.get("columns")),
        target_plan=as_json.plan_of(top.get("reading")),
    )


_LARGEST = 1e101
"""No value that is explained is larger, nor an end of its interval."""


def _read_segment(node: Node, clause: Clause) -> Segment:
    return Segment(clause, float(node.get("value").number()), _read_spread(node))


def _read_spread(node: Node) -> Spread:
    interval = [item.number() for item in node.get("interval").items()]
    quantiles = tuple(float(item.number()) for item in node.get("quantiles").items())
    if len(interval) != 2 or len(quantiles) != len(SHARES):
        raise InputError(f"{node.place} needs two ends of its interval and {len(SHARES)} quantiles")
    if list(quantiles) != sorted(quantiles) or max(map(abs, (*quantiles, *interval))) > _LARGEST:
        raise InputError(f"{node.place} needs quantiles in increasing order, none beyond {_LARGEST:g}")
    rows, mean = float(node.get("rows").number()), float(node.get("mean").number())
    return Spread(rows, mean, float(interval[0]), float(interval[1]), quantiles)
