"""Rules for a number in other forms: how people are told about them, and their JSON."""

from dataclasses import dataclass
from typing import Any

from nri.errors import InputError
from nri.rule.clause import Clause
from nri.rule.render import as_json
from nri.rule.render.as_json import Node
from nri.rule.render.phrase import bare_name, number, phrase_name
from nri.rule.render.segments import Line, SegmentForm, Telling, numbers_of, open_file, read_parts
from nri.rule.segments import SHARES, Segment, Segments, Spread


@dataclass(frozen=True)
class Told:
    """A segment as a person is told about it."""

    clause: Clause | None
    """None for the rest"""
    value: str
    interval: str
    """of the mean"""
    usual: str
    """where four fifths of its rows are"""
    covers: str


def told(segments: Segments) -> list[Told]:
    """Return the segments in their order and the rest, as texts."""

    def one(segment: Segment, clause: Clause | None) -> Told:
        spread, amount = segment.spread, segments.amount
        covers = f"{number(spread.rows)} of {number(segments.support.rows)}"
        if spread.rows <= 0:
            return Told(clause, amount(segment.value), "-", "-", covers)
        interval = f"{amount(spread.low)} to {amount(spread.high)}"
        usual = f"{amount(spread.quantiles[0])} to {amount(spread.quantiles[-1])}"
        return Told(clause, amount(segment.value), interval, usual, covers)

    return [*(one(segment, segment.clause) for segment in segments.segments), one(segments.rest, None)]


def explained_line(segments: Segments) -> str:
    """Say how much of the variance the rule explains on the rows that it was induced from."""
    return f"explains {100 * max(segments.explained, 0.0):.0f} % of the variance of these rows"


def _tell(segments: Segments) -> Telling:
    rows, name = told(segments), phrase_name(segments.target)
    width = max(len(row.value) for row in rows)
    wide = max(len(row.interval) + 2 for row in rows)
    lines = [
        Line(
            row.clause,
            (row.value, row.interval, row.usual, row.covers),
            f"{name} {row.value:>{width}}   {f'({row.interval})':<{wide}}   covers {row.covers}",
        )
        for row in rows
    ]
    titles = (bare_name(segments.target), "mean, 95 % interval", "four fifths of rows", "covers")
    return Telling(titles, tuple(lines), explained_line(segments))


def _before(segments: Segments) -> dict[str, Any]:
    return {"target": segments.target, "reading": as_json.plan_to_dict(segments.target_plan)}


def _segment(segment: Segment) -> dict[str, Any]:
    return {"value": segment.value, **_spread(segment.spread)}


def _spread(spread: Spread) -> dict[str, Any]:
    return {
        "rows": spread.rows,
        "mean": spread.mean,
        "interval": [spread.low, spread.high],
        "quantiles": list(spread.quantiles),
    }


def _after(segments: Segments) -> dict[str, Any]:
    return {"support": _spread(segments.support), "explained": segments.explained}


NUMBER_FORM = SegmentForm("nri-segments", 1, _tell, _before, _segment, _after)


def segments_from_dict(data: Any) -> Segments:
    """Read a rule for a number from plain data, as JSON holds it."""
    top = open_file(data, NUMBER_FORM.version)
    return Segments(
        **read_parts(top, _read_segment),
        support=_read_spread(top.get("support")),
        explained=top.get("explained").number(),
        target_plan=as_json.plan_of(top.get("reading")),
    )


_LARGEST = 1e101
"""No value that is explained is larger, nor an end of its interval."""


def _read_segment(node: Node, clause: Clause) -> Segment:
    return Segment(clause, float(node.get("value").number()), _read_spread(node))


def _read_spread(node: Node) -> Spread:
    interval, quantiles = numbers_of(node.get("interval")), numbers_of(node.get("quantiles"))
    if len(interval) != 2 or len(quantiles) != len(SHARES):
        raise InputError(f"{node.place} needs two ends of its interval and {len(SHARES)} quantiles")
    if list(quantiles) != sorted(quantiles) or max(map(abs, (*quantiles, *interval))) > _LARGEST:
        raise InputError(f"{node.place} needs quantiles in increasing order, none beyond {_LARGEST:g}")
    rows, mean = float(node.get("rows").number()), float(node.get("mean").number())
    return Spread(rows, mean, *interval, quantiles)
