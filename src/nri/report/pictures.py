"""The pictures of a report, drawn from its records."""

import math
from collections.abc import Sequence

from markupsafe import Markup

from nri.report.records import Curve, CurvePoint, Pattern, Tally
from nri.rule.phrase import number
from nri.svg import circle, element, line, picture, rect, text

MOST_PATTERNS = 12
"""Combinations of clauses that are drawn; the rest is told as one number."""


def interval_bar(tally: Tally, about: str) -> Markup:
    """Draw a precision on a line from 0 to 1, with its confidence interval."""
    width, middle, radius = 220.0, 12.0, 5.0
    left, right = radius + 1, width - radius - 1  # a dot at either end is drawn whole

    def at(share: float) -> float:
        return left + share * (right - left)

    marks: list[Markup] = [line(left, middle, right, middle, "axis")]
    marks += [line(at(share), middle - 3, at(share), middle + 3, "axis") for share in (0.0, 0.5, 1.0)]
    if tally.precision is not None:
        low, high = at(tally.interval.low), at(tally.interval.high)
        marks.append(rect(low, middle - 4, high - low, 8.0, "range"))
        marks.append(circle(at(tally.precision), middle, radius, "point"))
    return picture(width, 24.0, about, marks, "interval")


def share_bar(share: float, about: str) -> Markup:
    """Draw a share as a filled part of a bar."""
    return picture(
        120.0,
        10.0,
        about,
        [rect(0.0, 1.0, 120.0, 8.0, "rest"), rect(0.0, 1.0, 120.0 * share, 8.0, "fill")],
        "share",
    )


def upset(patterns: Sequence[Pattern], clauses: int, total: float) -> Markup:
    """Draw which clauses fire together: a bar of rows for each combination, and below it its clauses.

    Parameters
    ----------
    patterns
        Combinations with the rows they hold, most rows first.
    clauses
        How many clauses there are.
    total
        Rows of all combinations.
    """
    shown = patterns[:MOST_PATTERNS]
    left, column, row, bars, top = 92.0, 46.0, 24.0, 150.0, 22.0
    highest = max((pattern.rows for pattern in shown), default=1.0) or 1.0
    base = top + bars
    width = left + column * max(len(shown), 1) + 8
    height = base + 18 + row * (clauses + 1)
    marks: list[Markup] = []
    for number_ in range(clauses + 1):
        y = base + 22 + row * number_
        name = f"clause {number_ + 1}" if number_ < clauses else "none"
        if number_ % 2 == 0:
            marks.append(rect(0.0, y - row / 2, width, row, "stripe"))
        marks.append(text(left - 18, y + 4, name, "label", "end"))
    for i, pattern in enumerate(shown):
        x = left + column * i + column / 2
        marks += _pattern_bar(pattern, x, base, bars / highest, total)
        marks += _pattern_dots(pattern, x, base + 22, row, clauses)
    marks.append(line(left, base, width - 8, base, "axis"))
    return picture(width, height, _told(shown, total), marks, "upset", least=0.85)


def _pattern_bar(pattern: Pattern, x: float, base: float, scale: float, total: float) -> list[Markup]:
    full, right = pattern.rows * scale, pattern.right * scale
    wrong = pattern.rows - pattern.right
    about = element(
        "title", f"{number(pattern.rows)} of {number(total)} rows, {number(wrong)} decided wrongly"
    )
    return [
        rect(x - 14, base - right, 28.0, right, "right", about),
        rect(x - 14, base - full, 28.0, full - right, "wrong", about),
        text(x, base - full - 6, number(pattern.rows), "value", "middle"),
    ]


def _pattern_dots(pattern: Pattern, x: float, top: float, row: float, clauses: int) -> list[Markup]:
    on = [i - 1 for i in pattern.clauses] or [clauses]
    marks = [circle(x, top + row * i, 6.0, "dot" if i in on else "hole") for i in range(clauses + 1)]
    if len(on) > 1:
        marks.insert(0, line(x, top + row * min(on), x, top + row * max(on), "link"))
    return marks


def _told(patterns: Sequence[Pattern], total: float) -> str:
    parts = [
        f"{' and '.join(f'clause {i}' for i in pattern.clauses) or 'no clause'}: {number(pattern.rows)}"
        for pattern in patterns
    ]
    return f"Rows by the clauses that fire on them, of {number(total)}. " + "; ".join(parts)


def curve(found: Curve) -> Markup:
    """Draw accuracy with its standard error against the number of clauses."""
    axes = _Axes(found.points)
    best = found.best.accuracy
    enough = axes.y(best.mean - best.error)
    path = " ".join(
        f"{axes.x(point.clauses):.1f},{axes.y(point.accuracy.mean):.1f}" for point in found.points
    )
    marks = [
        *axes.grid(),
        line(axes.left, enough, axes.right, enough, "threshold"),
        text(axes.right, enough + 15, "best less one standard error", "note", "end"),
        element("polyline", points=path, class_="curve"),
    ]
    for point in found.points:
        marks += _curve_point(point, axes, chosen=point == found.simplest)
    told = "; ".join(f"{point.clauses}: {point.accuracy}" for point in found.points)
    about = f"Cross-validated accuracy by number of clauses. {told}"
    return picture(axes.width, axes.height, about, marks, "curve-picture", least=0.62)


def _curve_point(point: CurvePoint, axes: "_Axes", *, chosen: bool) -> list[Markup]:
    x, mean, error = axes.x(point.clauses), point.accuracy.mean, point.accuracy.error
    about = element("title", f"at most {point.clauses} clauses: {point.accuracy}")
    marks = [
        line(x, axes.y(mean - error), x, axes.y(mean + error), "error"),
        circle(x, axes.y(mean), 7.0 if chosen else 4.5, "chosen" if chosen else "point", about),
        text(x, axes.bottom + 18, str(point.clauses), "label", "middle"),
    ]
    if chosen:
        marks.append(text(x, axes.y(mean + error) - 8, "simplest", "value", "middle"))
    return marks


class _Axes:
    """Where clauses and accuracies lie on the picture of a curve."""

    width, height, left, right, top, bottom = 560.0, 250.0, 52.0, 530.0, 30.0, 206.0

    def __init__(self, points: Sequence[CurvePoint]) -> None:
        lows = [point.accuracy.mean - point.accuracy.error for point in points]
        highs = [point.accuracy.mean + point.accuracy.error for point in points]
        self.floor, self.ceiling = scale(min(lows), max(highs))
        self.step = (self.right - self.left) / points[-1].clauses

    def x(self, clauses: int) -> float:
        return self.left + self.step * clauses

    def y(self, accuracy: float) -> float:
        inside = min(max(accuracy, self.floor), self.ceiling)
        share = (inside - self.floor) / (self.ceiling - self.floor)
        return self.bottom - share * (self.bottom - self.top)

    def grid(self) -> list[Markup]:
        span = self.ceiling - self.floor
        twentieths = 1 if span <= 0.3 else 2 if span <= 0.6 else 4
        marks = [
            text((self.left + self.right) / 2, self.height - 6, "most clauses for a class", "label", "middle")
        ]
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
