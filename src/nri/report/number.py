"""The report on a rule for a number: its segments, their values and how near they come on new rows."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from nri.arrays import FloatArray
from nri.induce.resample import some_rows
from nri.induce.settings import Settings
from nri.regress.count import weighted_quantiles
from nri.regress.path import NumberInduction
from nri.regress.validate import Fit, fit_of, hold_out_numbers
from nri.report.counts import about_table, gap_columns
from nri.report.page import fill
from nri.report.records import GapColumn, ReportOptions, TableReport
from nri.rule.render.numbers import explained_line, told
from nri.rule.phrase import bare_name, number
from nri.rule.segments import Segments
from nri.svg import circle, line, picture, rect, text
from nri.table.table import Table

_BINS = 40
"""Bars in the picture of a distribution."""


@dataclass(frozen=True, eq=False)
class Distribution:
    """How the values of the rows of a segment are spread over the range of all."""

    shares: tuple[float, ...]
    """of its rows in each of equal parts of the range"""


@dataclass(frozen=True, eq=False)
class NumberReport(TableReport):
    """Everything that the page shows."""

    rule: Segments
    low: float
    high: float
    """the range of the pictures; single values may lie beyond"""
    distributions: tuple[Distribution, ...]
    """of each segment and the rest"""
    seen: Fit
    held_out: Fit | None
    rows_held_out: int
    gaps: tuple[GapColumn, ...]
    """columns that the rule reads and that have missing cells, most first"""

    @property
    def doubtful(self) -> bool:
        """Whether the mean would do as well on held-out rows."""
        return bool(self.rule.segments) and self.held_out is not None and self.held_out.explained <= 0


def gather_number_report(
    table: Table,
    found: NumberInduction,
    settings: Settings | None = None,
    *,
    options: ReportOptions | None = None,
    step: Callable[[], None] = lambda: None,
) -> NumberReport:
    """Count and cross-validate; see :func:`nri.report.gather.gather_report`."""
    settings, options = settings or Settings(), options or ReportOptions()
    if not (table.weights > 0).all():
        table = table.take(table.weights > 0)
    rule, values = found.segments, table.outcome.values
    low, high = (float(end) for end in weighted_quantiles(values, table.weights, (0.005, 0.995)))
    deciding = rule.decide(table.columns, len(table))
    held, rows = _held_out(table, settings, options, step)
    return NumberReport(
        **vars(about_table(table, options, settings, rule.columns, found.left_out)),
        rule=rule,
        low=low,
        high=high,
        distributions=tuple(
            _distribution(values[deciding == i], table.weights[deciding == i], low, high)
            for i in range(len(rule.parts))
        ),
        seen=fit_of(values, rule.values[deciding], table.weights),
        held_out=held,
        rows_held_out=rows,
        gaps=gap_columns({name: table.columns[name] for name in rule.columns}),
    )


def _held_out(
    table: Table, settings: Settings, options: ReportOptions, step: Callable[[], None]
) -> tuple[Fit | None, int]:
    table = some_rows(table, options.max_rows, np.random.default_rng(options.seed))
    if options.folds < 2 or len(table) < 2:
        return None, 0
    rng = np.random.default_rng(options.seed)
    held = hold_out_numbers(table, settings, rng=rng, folds=options.folds, step=step)
    return held.fit, len(table)


def _distribution(values: FloatArray, weights: FloatArray, low: float, high: float) -> Distribution:
    inside = np.clip(values, low, high)
    counts, _ = np.histogram(
        inside, bins=_BINS, range=(low, high if high > low else low + 1), weights=weights
    )
    total = float(counts.sum())
    return Distribution(tuple((counts / total if total > 0 else counts).tolist()))


def render_number_report(report: NumberReport) -> str:
    """Write the page of a report; whole, without scripts, and with no row of the table in it."""
    return fill(
        "number.html",
        report.options.title or f"Rule for {bare_name(report.rule.target)}",
        report=report,
        rows=told(report.rule),
        explained=explained_line(report.rule),
        distributions=distributions(report),
    )


def distributions(report: NumberReport) -> Markup:
    """Draw how values are spread in each segment, one line below the other on one axis."""
    left, right, row, top = 84.0, 640.0, 46.0, 12.0
    segments = report.rule.parts
    width = right + 20
    base = top + row * len(segments)
    span = (report.high - report.low) or 1.0

    def at(value: float) -> float:
        return left + (right - left) * min(max((value - report.low) / span, 0.0), 1.0)

    marks: list[Markup] = []
    for tick in np.linspace(report.low, report.high, 5).tolist():
        marks.append(line(at(tick), top, at(tick), base, "grid"))
        marks.append(text(at(tick), base + 16, report.rule.amount(tick), "label", "middle"))
    highest = max((share for one in report.distributions for share in one.shares), default=0.0) or 1.0
    step = (right - left) / _BINS
    for i, (segment, one) in enumerate(zip(segments, report.distributions, strict=True)):
        floor = top + row * (i + 1) - 8
        name = f"segment {i + 1}" if i < len(segments) - 1 else "any other"
        marks.append(text(left - 12, floor - 8, name, "label", "end"))
        marks += [
            rect(left + step * j + 0.5, floor - 30 * share / highest, step - 1, 30 * share / highest, "bar")
            for j, share in enumerate(one.shares)
            if share > 0
        ]
        marks.append(line(left, floor, right, floor, "axis"))
        if segment.spread.rows > 0:
            marks.append(
                rect(
                    at(segment.spread.low),
                    floor - 3,
                    at(segment.spread.high) - at(segment.spread.low),
                    6.0,
                    "range",
                )
            )
            marks.append(circle(at(segment.value), floor, 5.0, "point"))
    parts = [
        f"{'segment ' + str(i + 1) if i < len(segments) - 1 else 'any other row'}: "
        f"{report.rule.amount(one.value)} on {number(one.spread.rows)} rows"
        for i, one in enumerate(segments)
    ]
    about = f"Distribution of {report.rule.target} in each segment. " + "; ".join(parts)
    return picture(width, base + 26, about, marks, "segments-picture", least=0.6)
