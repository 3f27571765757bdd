"""The report on a survival rule: its segments, their Kaplan-Meier curves, and how well it orders events."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from nri.induce.settings import Settings
from nri.report.counts import about_table, gap_columns
from nri.report.page import fill
from nri.report.pictures import scale_of_times
from nri.report.records import GapColumn, ReportOptions, TableReport
from nri.rule.phrase import bare_name, number
from nri.rule.render.survival import parted_line, told
from nri.rule.survival import Curve, SurvivalRule
from nri.survival.path import Concordance, Followed, SurvivalInduction, cross_validate_survival
from nri.svg import element, line, picture, text

_TICKS = 5
"""Times below a picture."""


@dataclass(frozen=True, eq=False)
class SurvivalReport(TableReport):
    """Everything that the page shows."""

    rule: SurvivalRule
    held_out: Concordance | None
    gaps: tuple[GapColumn, ...]
    """columns that the rule reads and that have missing cells, most first"""

    @property
    def doubtful(self) -> bool:
        """Whether chance would order events as well, on held-out rows."""
        return bool(self.rule.segments) and self.held_out is not None and self.held_out.mean <= 0.5


def gather_survival_report(
    rows: Followed,
    found: SurvivalInduction,
    settings: Settings | None = None,
    *,
    options: ReportOptions | None = None,
    step: Callable[[], None] = lambda: None,
) -> SurvivalReport:
    """Count and cross-validate; see :func:`nri.report.gather.gather_report`."""
    settings, options = settings or Settings(), options or ReportOptions()
    table, rule = rows.table, found.rule
    held = None
    if options.folds >= 2 and len(rows) >= options.folds:
        rng = np.random.default_rng(options.seed)
        held = cross_validate_survival(rows, settings, rng=rng, folds=options.folds, step=step)
    return SurvivalReport(
        **vars(about_table(table, options, settings, rule.columns, found.left_out)),
        rule=rule,
        held_out=held,
        gaps=gap_columns({name: table.columns[name] for name in rule.columns}),
    )


def render_survival_report(report: SurvivalReport) -> str:
    """Write the page of a report; whole, without scripts, and with no row of the table in it."""
    rule = report.rule
    return fill(
        "survival.html",
        report.options.title or f"Time until {bare_name(rule.target)}",
        report=report,
        rows=told(rule),
        parted=parted_line(rule),
        pictures=[kaplan_meier_picture(rule, part.curve, i) for i, part in enumerate(rule.parts)],
    )


def kaplan_meier_picture(rule: SurvivalRule, curve: Curve, index: int) -> Markup:
    """Draw the curve of a segment with its band, that of all rows, and below how many are still followed."""
    left, right, top, bottom = 66.0, 520.0, 14.0, 190.0
    latest = rule.times[-1]

    def at(time: float, share: float) -> tuple[float, float]:
        return left + (right - left) * time / latest, bottom - (bottom - top) * share

    def stairs(shares: tuple[float, ...]) -> list[tuple[float, float]]:
        points = [at(rule.times[0], shares[0])]
        for i in range(1, len(shares)):
            points += [at(rule.times[i], shares[i - 1]), at(rule.times[i], shares[i])]
        return points

    def path(points: list[tuple[float, float]]) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)

    marks: list[Markup] = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        _, y = at(0.0, share)
        marks.append(line(left, y, right, y, "grid"))
        marks.append(text(left - 8, y + 4, f"{share:.0%}", "label", "end"))
    for time in scale_of_times(latest, _TICKS):
        x, _ = at(time, 0.0)
        place = int(np.searchsorted(np.array(rule.times), time * (1 - 1e-9)))
        marks.append(text(x, bottom + 16, f"{time:g}", "label", "middle"))
        marks.append(text(x, bottom + 34, number(curve.at_risk[place]), "label", "middle"))
    marks.append(text(left - 22, bottom + 34, "at risk", "label", "end"))
    band = [*stairs(curve.high), *reversed(stairs(curve.low))]
    marks.append(element("polygon", points=path(band), class_="band"))
    marks.append(element("polyline", points=path(stairs(rule.support.survival)), class_="all-rows"))
    marks.append(element("polyline", points=path(stairs(curve.survival)), class_="curve"))
    name = f"segment {index + 1}" if index < len(rule.segments) else "any other row"
    about = (
        f"Share of {name} without {rule.target}, by {rule.time}: median {rule.amount(curve.median)}; "
        f"{number(curve.events)} events in {number(curve.rows)} rows. Thin line: all rows."
    )
    return picture(right + 20, bottom + 42, about, marks, "km-picture", least=0.6)
