"""The pictures of a report as SVG, in which no name can break the page. Charts are as wide as it."""

import math
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from markupsafe import Markup, escape

from nri.outcome.score import wilson
from nri.report.gather import Curve, CurvePoint, Pattern, Report
from nri.rule import ClassTarget, Mean, Risk, Shares, SurvivalTarget
from nri.rule.estimate import AnyTarget, Estimate
from nri.rule.phrase import number

MOST_PATTERNS = 12
"""Combinations of branches that are drawn; the others are counted in a note."""
_WIDE = 920.0
"""Width of a chart."""
_TICKS = 5
"""Times below a survival curve."""


def element(name: str, *content: object, **attributes: object) -> Markup:
    """Return an SVG element; plain text inside is escaped, elements are kept.

    Underscores in attribute names become hyphens, a trailing one is dropped (``class_``).

    >>> print(element("text", "a < b", x=1.5, class_="note"))
    <text x="1.5" class="note">a &lt; b</text>
    """
    attached = Markup("").join(
        Markup(' {}="{}"').format(key.rstrip("_").replace("_", "-"), _plain(value))
        for key, value in attributes.items()
    )
    inside = Markup("").join(escape(part) for part in content)
    return Markup("<{0}{1}>{2}</{0}>").format(Markup(name), attached, inside)


def picture(
    width: float, height: float, about: str, content: Iterable[object], class_: str, least: float = 0.0
) -> Markup:
    """Return a whole picture that shrinks with the page and tells a screen reader what it shows."""
    return element(
        "svg",
        element("title", about),
        *content,
        viewBox=f"0 0 {_plain(width)} {_plain(height)}",
        role="img",
        aria_label=about,
        class_=class_,
        style=f"max-width:{_plain(width)}px;min-width:{_plain(least * width)}px",
    )


def rect(x: float, y: float, width: float, height: float, class_: str, *content: object) -> Markup:
    """Return a rectangle; a width or height below zero counts as zero."""
    return element("rect", *content, x=x, y=y, width=max(0.0, width), height=max(0.0, height), class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """Return a line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def circle(x: float, y: float, radius: float, class_: str, *content: object) -> Markup:
    """Return a circle."""
    return element("circle", *content, cx=x, cy=y, r=radius, class_=class_)


def text(x: float, y: float, content: object, class_: str = "", anchor: str = "start") -> Markup:
    """Return text whose start, middle or end is at a point."""
    return element("text", content, x=x, y=y, class_=class_, text_anchor=anchor)


def _plain(value: object) -> object:
    """Write coordinates with at most two decimals: finer ones cannot be seen."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value


def estimate_bar(report: Report, estimate: Estimate) -> Markup:
    """Draw the estimate of a branch: a share with its interval, values on their axis, or a survival curve."""
    target = report.rule.predicts
    if isinstance(estimate, Shares) and isinstance(target, ClassTarget):
        share = target.share(estimate)
        if share is None:
            return Markup("")
        interval = wilson(share, estimate.rows)
        about = f"{share:.2f}, 95 % interval {interval.low:.2f} to {interval.high:.2f}"
        return bar(about, share, (interval.low, interval.high))
    if isinstance(estimate, Mean):
        if estimate.rows <= 0:
            return Markup("")
        low, high = report.span
        span = high - low
        inner, outer = (
            tuple(min(max((x - low) / span, 0.0), 1.0) for x in ends)
            for ends in ((estimate.low, estimate.high), (estimate.quantiles[0], estimate.quantiles[-1]))
        )
        middle = min(max((estimate.value - low) / span, 0.0), 1.0)
        about = " ".join(target.cells(estimate)[:2])  # type: ignore[arg-type]
        return bar(about, middle, (inner[0], inner[1]), (outer[0], outer[1]))
    assert isinstance(estimate, Risk)
    assert isinstance(target, SurvivalTarget)
    return _small_curve(target, estimate, report.rule.support)


def bar(
    about: str, value: float, interval: tuple[float, float], usual: tuple[float, float] | None = None
) -> Markup:
    """Draw a dot with its interval on a line from 0 to 1, and a thin line from where to where most lie."""
    width, middle, radius = 150.0, 9.0, 5.0
    left, right = radius + 1, width - radius - 1  # a dot at either end is drawn whole

    def at(share: float) -> float:
        return left + share * (right - left)

    marks: list[Markup] = [line(left, middle, right, middle, "axis")]
    if usual is None:
        marks += [line(at(share), middle - 3, at(share), middle + 3, "axis") for share in (0.0, 0.5, 1.0)]
    else:
        marks.append(line(at(usual[0]), middle, at(usual[1]), middle, "usual"))
    marks.append(rect(at(interval[0]), middle - 4, at(interval[1]) - at(interval[0]), 8.0, "range"))
    marks.append(circle(at(value), middle, radius, "point"))
    return picture(width, 18.0, about, marks, "interval")


def share_bar(share: float, about: str) -> Markup:
    """Draw a share as a filled part of a bar."""
    marks = [rect(0.0, 1.0, 120.0, 8.0, "rest"), rect(0.0, 1.0, 120.0 * share, 8.0, "fill")]
    return picture(120.0, 10.0, about, marks, "share")


def upset(patterns: Sequence[Pattern], branches: int, total: float) -> Markup:
    """Draw which branches fire together: a bar of rows for each combination, and below it its branches."""
    shown = patterns[:MOST_PATTERNS]
    left, row, bars, top = 92.0, 24.0, 150.0, 22.0
    column = min((_WIDE - left - 8) / max(len(shown), 1), 150.0)
    highest = max((pattern.rows for pattern in shown), default=1.0) or 1.0
    base = top + bars
    width = _WIDE
    height = base + 18 + row * (branches + 1)
    marks: list[Markup] = []
    for number_ in range(branches + 1):
        y = base + 22 + row * number_
        name = f"branch {number_ + 1}" if number_ < branches else "else"
        if number_ % 2 == 0:
            marks.append(rect(0.0, y - row / 2, width, row, "stripe"))
        marks.append(text(left - 18, y + 4, name, "label", "end"))
    for i, pattern in enumerate(shown):
        x = left + column * i + column / 2
        marks += _pattern_bar(pattern, x, base, bars / highest, total)
        marks += _pattern_dots(pattern, x, base + 22, row, branches)
    marks.append(line(left, base, width - 8, base, "axis"))
    return picture(width, height, _about_patterns(shown, total), marks, "upset", least=0.55)


def _pattern_bar(pattern: Pattern, x: float, base: float, scale: float, total: float) -> list[Markup]:
    right_rows = pattern.right or 0.0
    full, right, wrong = pattern.rows * scale, right_rows * scale, pattern.rows - right_rows
    about = element("title", f"{number(pattern.rows)} of {number(total)} rows, {number(wrong)} wrong")
    return [
        rect(x - 22, base - right, 44.0, right, "right", about),
        rect(x - 22, base - full, 44.0, full - right, "wrong", about),
        text(x, base - full - 6, number(pattern.rows), "value", "middle"),
    ]


def _pattern_dots(pattern: Pattern, x: float, top: float, row: float, branches: int) -> list[Markup]:
    on = [i - 1 for i in pattern.branches] or [branches]
    marks = [circle(x, top + row * i, 6.0, "dot" if i in on else "hole") for i in range(branches + 1)]
    if len(on) > 1:
        marks.insert(0, line(x, top + row * min(on), x, top + row * max(on), "link"))
    return marks


def _about_patterns(patterns: Sequence[Pattern], total: float) -> str:
    parts = [
        f"{' and '.join(f'branch {i}' for i in pattern.branches) or 'none'}: {number(pattern.rows)}"
        for pattern in patterns
    ]
    return f"Rows by the branches that fire on them, of {number(total)}. " + "; ".join(parts)


def curve(found: Curve, axis: str) -> Markup:
    """Draw the score with its standard error against the size of the rule."""
    axes = _Axes(found.points, axis)
    best = found.best.score
    enough = axes.y(best.value - best.error)
    path = " ".join(f"{axes.x(point.clauses):.1f},{axes.y(point.score.value):.1f}" for point in found.points)
    marks = [
        *axes.grid(),
        line(axes.left, enough, axes.right, enough, "threshold"),
        text(axes.right, enough + 15, "best less one standard error", "note", "end"),
        element("polyline", points=path, class_="curve"),
    ]
    for point in found.points:
        marks += _curve_point(point, axes, chosen=point == found.simplest)
    scores = "; ".join(f"{point.clauses}: {point.score}" for point in found.points)
    about = f"Cross-validated {best.measure} by {axis}. {scores}"
    return picture(axes.width, axes.height, about, marks, "curve-picture", least=0.5)


def _curve_point(point: CurvePoint, axes: "_Axes", *, chosen: bool) -> list[Markup]:
    x, mean, error = axes.x(point.clauses), point.score.value, point.score.error
    about = element("title", f"at most {point.clauses}: {point.score}")
    marks = [
        line(x, axes.y(mean - error), x, axes.y(mean + error), "error"),
        circle(x, axes.y(mean), 7.0 if chosen else 4.5, "chosen" if chosen else "point", about),
        text(x, axes.bottom + 18, str(point.clauses), "label", "middle"),
    ]
    if chosen:
        marks.append(text(x, axes.y(mean + error) - 8, "simplest", "value", "middle"))
    return marks


class _Axes:
    """Where sizes and scores lie on the picture of a curve."""

    width, height, left, right, top, bottom = _WIDE, 250.0, 52.0, _WIDE - 40, 30.0, 206.0

    def __init__(self, points: Sequence[CurvePoint], title: str) -> None:
        self.title = title
        lows = [point.score.value - point.score.error for point in points]
        highs = [point.score.value + point.score.error for point in points]
        self.floor, self.ceiling = scale(min(lows), max(highs))
        self.step = (self.right - self.left) / points[-1].clauses

    def x(self, clauses: int) -> float:
        return self.left + self.step * clauses

    def y(self, score: float) -> float:
        inside = min(max(score, self.floor), self.ceiling)
        share = (inside - self.floor) / (self.ceiling - self.floor)
        return self.bottom - share * (self.bottom - self.top)

    def grid(self) -> list[Markup]:
        span = self.ceiling - self.floor
        twentieths = 1 if span <= 0.3 else 2 if span <= 0.6 else 4
        marks = [text((self.left + self.right) / 2, self.height - 6, self.title, "label", "middle")]
        for tick in range(round(self.floor * 20), round(self.ceiling * 20) + 1):
            if tick % twentieths == 0:
                y = self.y(tick / 20)
                marks.append(line(self.left, y, self.right, y, "grid"))
                marks.append(text(self.left - 8, y + 4, f"{tick / 20:.2f}", "label", "end"))
        return marks


def scale(low: float, high: float) -> tuple[float, float]:
    """Return where an axis of shares begins and ends: at twentieths, not too close to each other.

    >>> scale(0.43, 0.952)
    (0.4, 1.0)
    """
    floor = max(0.0, math.floor(low * 20 - 1e-9) / 20)
    ceiling = min(1.0, math.ceil(high * 20 + 1e-9) / 20)
    return (floor, ceiling) if ceiling - floor >= 0.15 else (max(0.0, ceiling - 0.15), max(ceiling, 0.15))


def scale_of_times(latest: float, most: int) -> list[float]:
    """Return round times from 0 on for an axis, so many at most beside 0.

    >>> scale_of_times(2659.0, 5)
    [0.0, 1000.0, 2000.0]
    """
    rough = latest / most
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
    return [step * i for i in range(math.floor(latest / step + 1e-9) + 1)]


def distributions(report: Report) -> Markup:
    """Draw how a number is spread in each branch, one line below the other on one axis."""
    left, right, row, top = 84.0, _WIDE - 30, 46.0, 12.0
    estimates, target = report.rule.estimates, report.rule.predicts
    base = top + row * len(estimates)
    low, high = report.span
    span = high - low

    def at(value: float) -> float:
        return left + (right - left) * min(max((value - low) / span, 0.0), 1.0)

    marks: list[Markup] = []
    for tick in np.linspace(low, high, 5).tolist():
        marks.append(line(at(tick), top, at(tick), base, "grid"))
        marks.append(text(at(tick), base + 16, target.amount(tick), "label", "middle"))  # type: ignore[union-attr]
    highest = max((share for one in report.distributions for share in one), default=0.0) or 1.0
    step = (right - left) / max(len(report.distributions[0]), 1)
    for i, (estimate, shares) in enumerate(zip(estimates, report.distributions, strict=True)):
        floor = top + row * (i + 1) - 8
        marks.append(text(left - 12, floor - 8, _name(i, len(estimates)), "label", "end"))
        marks += [
            rect(left + step * j + 0.5, floor - 30 * share / highest, step - 1, 30 * share / highest, "bar")
            for j, share in enumerate(shares)
            if share > 0
        ]
        marks.append(line(left, floor, right, floor, "axis"))
        if isinstance(estimate, Mean) and estimate.rows > 0:
            width = at(estimate.high) - at(estimate.low)
            marks.append(rect(at(estimate.low), floor - 3, width, 6.0, "range"))
            marks.append(circle(at(estimate.value), floor, 5.0, "point"))
    about = f"Distribution of {target.name} in each branch. " + _about_branches(report)
    return picture(_WIDE, base + 26, about, marks, "segments-picture", least=0.6)


def _name(index: int, count: int) -> str:
    return f"branch {index + 1}" if index < count - 1 else "else"


def _about_branches(report: Report) -> str:
    estimates, target = report.rule.estimates, report.rule.predicts
    parts = (f"{_name(i, len(estimates))}: {_first(target, one)}" for i, one in enumerate(estimates))
    return "; ".join(parts)


def _first(target: AnyTarget, estimate: Estimate) -> str:
    return f"{target.cells(estimate)[0]} on {number(estimate.rows)} rows"  # type: ignore[arg-type]


_Place = Callable[[float, float], tuple[float, float]]


def _stairs(times: Sequence[float], shares: Sequence[float], at: _Place) -> str:
    points = [at(times[0], shares[0])]
    for i in range(1, len(shares)):
        points += [at(times[i], shares[i - 1]), at(times[i], shares[i])]
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _small_curve(target: SurvivalTarget, risk: Risk, support: Risk) -> Markup:
    width, height, latest = 150.0, 34.0, target.times[-1]

    def at(time: float, share: float) -> tuple[float, float]:
        return 2 + (width - 4) * time / latest, height - 2 - (height - 4) * share

    marks = [
        element("polyline", points=_stairs(target.times, support.survival, at), class_="all-rows"),
        element("polyline", points=_stairs(target.times, risk.survival, at), class_="curve"),
    ]
    return picture(width, height, f"median {target.amount(risk.median)}", marks, "interval")


def kaplan_meier(report: Report, index: int) -> Markup:
    """Draw the curve of a branch with its band, that of all rows, and below how many are still followed."""
    left, right, top, bottom = 66.0, 460.0, 14.0, 190.0
    target, curve_ = report.rule.predicts, report.rule.estimates[index]
    assert isinstance(target, SurvivalTarget)
    assert isinstance(curve_, Risk)
    times, latest = target.times, target.times[-1]

    def at(time: float, share: float) -> tuple[float, float]:
        return left + (right - left) * time / latest, bottom - (bottom - top) * share

    marks: list[Markup] = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        _, y = at(0.0, share)
        marks.append(line(left, y, right, y, "grid"))
        marks.append(text(left - 8, y + 4, f"{share:.0%}", "label", "end"))
    for tick in scale_of_times(latest, _TICKS):
        x, _ = at(tick, 0.0)
        place = int(np.searchsorted(np.array(times), tick * (1 - 1e-9)))
        marks.append(text(x, bottom + 16, f"{tick:g}", "label", "middle"))
        marks.append(text(x, bottom + 34, number(curve_.at_risk[place]), "label", "middle"))
    marks.append(text(left - 22, bottom + 34, "at risk", "label", "end"))
    lower = _stairs(times, curve_.low, at).split()[::-1]
    band = " ".join([_stairs(times, curve_.high, at), *lower])
    marks.append(element("polygon", points=band, class_="band"))
    marks.append(
        element("polyline", points=_stairs(times, report.rule.support.survival, at), class_="all-rows")
    )
    marks.append(element("polyline", points=_stairs(times, curve_.survival, at), class_="curve"))
    name = _name(index, len(report.rule.estimates))
    about = (
        f"Share of {name} without {target.name}, by {target.time}: median {target.amount(curve_.median)}; "
        f"{number(curve_.events)} events in {number(curve_.rows)} rows. Thin line: all rows."
    )
    return picture(right + 20, bottom + 42, about, marks, "km-picture", least=0.6)
