"""Survival rules in other forms: text, Markdown, HTML and JSON here, SQL and Python as those of any rule.

Reading JSON gives back exactly what was written.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, fields
from html import escape
from typing import Any

from nri.errors import InputError
from nri.rule.clause import ALWAYS, Clause
from nri.rule.render import as_json
from nri.rule.render.as_html import STYLE as HTML_STYLE
from nri.rule.render.as_json import Node
from nri.rule.render.as_markdown import STYLE as MARKDOWN_STYLE
from nri.rule.render.as_markdown import escaped
from nri.rule.render.as_python import render_python
from nri.rule.render.as_sql import render_sql
from nri.rule.render.as_text import aligned, wrapped
from nri.rule.render.options import RenderOptions
from nri.rule.render.phrase import number, one_line, phrase_clause, phrase_name
from nri.rule.survival import Curve, SurvivalRule, SurvivalSegment

FORMAT = "nri-survival"
VERSION = 1


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


def _text(rule: SurvivalRule, options: RenderOptions) -> str:
    rows = told(rule)
    wide = [max(len(getattr(row, name)) for row in rows) for name in ("median", "interval", "risk")]
    name, event = phrase_name(rule.time), phrase_name(rule.target)
    lines = []
    for i, row in enumerate(rows):
        beside = (
            f"median {name} {row.median:>{wide[0]}}   {f'({row.interval})':<{wide[1] + 2}}   "
            f"risk {row.risk:>{wide[2]}}   {event}: {row.events}"
        )
        if row.clause is None:
            lines.append(("ELSE" if i else "ALWAYS", beside))
            continue
        first, *rest = wrapped(row.clause)
        lines.append((f"{'ELSE IF' if i else 'IF     '} {first}", beside))
        lines += [(f"{'':>9}{more}", "") for more in rest]
    return aligned(lines) + f"\n{one_line(options.note or '') or parted_line(rule)}"


def _titles(rule: SurvivalRule) -> tuple[str, ...]:
    return (f"median {phrase_name(rule.time)}", "95 % interval", "risk", f"{phrase_name(rule.target)}, rows")


def _cells(row: Told) -> tuple[str, ...]:
    return (row.median, row.interval, row.risk, row.events)


def _markdown(rule: SurvivalRule, options: RenderOptions) -> str:
    lines = [f"| | if | {' | '.join(map(escaped, _titles(rule)))} |", "|---|---|---|---|---|---|"]
    for i, row in enumerate(told(rule)):
        clause = "*any other row*" if row.clause is None else phrase_clause(row.clause, MARKDOWN_STYLE)
        lines.append(f"| {'else' if i else ''} | {clause} | {' | '.join(map(escaped, _cells(row)))} |")
    note = escaped(one_line(options.note or "") or parted_line(rule))
    return "\n".join(lines) + f"\n\n{note[:1].upper()}{note[1:]}.\n"


def _html(rule: SurvivalRule, options: RenderOptions) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in _titles(rule))
    rows = []
    for i, row in enumerate(told(rule)):
        opening = "if" if i == 0 and row.clause is not None else "else"
        clause = "<em>any other row</em>" if row.clause is None else phrase_clause(row.clause, HTML_STYLE)
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in _cells(row))
        rows.append(f"<tr><th>{opening}</th><td>{clause}</td>{cells}</tr>")
    note = escape(one_line(options.note or "") or parted_line(rule))
    return (
        f'<div class="nri-ruleset">\n<table class="nri-rule nri-segments">\n'
        f"<thead><tr><td></td><td></td>{head}</tr></thead>\n<tbody>\n{chr(10).join(rows)}\n</tbody>\n</table>\n"
        f'<p class="nri-note">{note[:1].upper()}{note[1:]}.</p>\n</div>\n'
    )


def _json(rule: SurvivalRule, options: RenderOptions) -> str:
    plans = {name: as_json.plan_to_dict(plan) for name, plan in rule.plans.items() if plan.stated}
    data = {
        "format": FORMAT,
        "version": VERSION,
        "time": rule.time,
        "target": rule.target,
        "reading": as_json.plan_to_dict(rule.time_plan),
        "times": list(rule.times),
        "segments": [
            {"literals": as_json.clause_to_list(part.clause), **_segment(part)} for part in rule.segments
        ],
        "rest": _segment(rule.rest),
        "support": _curve(rule.support),
        "p_value": rule.p_value,
        "columns": plans,
        **({} if options.validation is None else {"validation": dict(options.validation)}),
    }
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _segment(part: SurvivalSegment) -> dict[str, Any]:
    return {"risk": part.risk, "curve": _curve(part.curve)}


def _curve(curve: Curve) -> dict[str, Any]:
    found = {field.name: getattr(curve, field.name) for field in fields(curve)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


def survival_from_dict(data: Any) -> SurvivalRule:
    """Read a survival rule from plain data, as JSON holds it."""
    top = Node(data, "the rule file")
    version = top.get("version").typed(int, "a whole number")
    if not 1 <= version <= VERSION:
        raise InputError(
            f"the rule file has version {version}, this nri reads up to {VERSION}: install a newer nri"
        )
    times = _numbers(top.get("times"))
    return SurvivalRule(
        time=top.get("time").text(),
        target=top.get("target").text(),
        segments=tuple(
            _read_segment(node, as_json.clause_of(node.get("literals")), len(times))
            for node in top.get("segments").items()
        ),
        rest=_read_segment(top.get("rest"), ALWAYS, len(times)),
        support=_read_curve(top.get("support"), len(times)),
        times=times,
        p_value=float(top.get("p_value").number()),
        plans=as_json.plans_of(top.get("columns")),
        time_plan=as_json.plan_of(top.get("reading")),
    )


def _read_segment(node: Node, clause: Clause, length: int) -> SurvivalSegment:
    return SurvivalSegment(clause, float(node.get("risk").number()), _read_curve(node.get("curve"), length))


def _read_curve(node: Node, length: int) -> Curve:
    lists = {name: _numbers(node.get(name)) for name in ("survival", "low", "high", "at_risk")}
    if any(len(values) != length for values in lists.values()):
        raise InputError(f"{node.place} must have a value for each of the {length} times")
    rows, events = (float(node.get(name).number()) for name in ("rows", "events"))
    ends = (_perhaps(node.get(name)) for name in ("median", "median_low", "median_high"))
    return Curve(rows, events, lists["survival"], lists["low"], lists["high"], lists["at_risk"], *ends)


def _numbers(node: Node) -> tuple[float, ...]:
    return tuple(float(item.number()) for item in node.items())


def _perhaps(node: Node) -> float | None:
    return None if node.value is None else float(node.number())


SURVIVAL_FORMATS: dict[str, Callable[[SurvivalRule, RenderOptions], str]] = {
    "text": _text,
    "markdown": _markdown,
    "html": _html,
    "json": _json,
    "sql": render_sql,
    "python": render_python,
}
"""How a survival rule can be written."""


def render_survival(rule: SurvivalRule, form: str, options: RenderOptions) -> str:
    """Write a survival rule in the format of that name."""
    if form not in SURVIVAL_FORMATS:
        raise InputError(
            f"a survival rule cannot be written as {form!r}: use one of {', '.join(SURVIVAL_FORMATS)}"
        )
    return SURVIVAL_FORMATS[form](rule, options)
