"""Names beside points, placed where they cover neither each other nor a marker."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nri_bench.figures.labels import SIZE, name_size
from nri_bench.figures.style import INK, MUTED, marker_size, weight_of
from nri_bench.tables.frame import label_of

Box = tuple[float, float, float, float]
"""Left, low, right, high in pixels."""

SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
"""Where a name may stand, as signs of right and up, those that read best first."""
STEPS = (2.5, 8.0, 14.0, 21.0)
"""Points between a marker's edge and its name; from the second on a leader joins them."""
ROUNDS = 8
"""How often every name may move once more after the others did."""


@dataclass(frozen=True)
class Spot:
    """One place a name could take."""

    box: Box
    shift: tuple[float, float]
    """from the point to the name's middle, in points"""
    rank: float
    """0 for the place one would like best"""
    far: bool


def name_points(axes: Axes, points: pd.DataFrame, lines: Sequence[Box] = ()) -> None:
    """Write each name of ``points`` (x and y, by method) beside its point.

    ``lines`` are boxes around lines already drawn: names cross them only where there is no better place.
    The layout is frozen afterwards, since places found for one layout may collide in another.
    """
    figure = axes.get_figure()
    assert isinstance(figure, Figure)
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    scale = figure.dpi / 72
    where = axes.transData.transform(points[["x", "y"]].to_numpy())
    methods = [str(method) for method in points.index]
    markers = {
        method: _around(x, y, marker_size(method) * scale, marker_size(method) * scale)
        for method, (x, y) in zip(methods, where, strict=True)
    }
    spots = {
        method: _spots((x, y), name_size(axes, method), marker_size(method) / 2, scale)
        for method, (x, y) in zip(methods, where, strict=True)
    }
    frame = axes.get_window_extent()
    inside = (frame.x0, frame.y0, frame.x1, frame.y1)
    for method, spot in choose_spots(spots, markers, lines, inside).items():
        point = (points.loc[method, "x"], points.loc[method, "y"])
        leader = {"arrowstyle": "-", "color": MUTED, "linewidth": 0.4, "shrinkA": 0, "shrinkB": 3}
        axes.annotate(
            label_of(method), point, spot.shift, textcoords="offset points", ha="center", va="center",
            fontsize=SIZE, color=INK, fontweight=weight_of(method), zorder=5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.3, "alpha": 0.8},
            arrowprops=leader if spot.far else None,
        )  # fmt: skip


def choose_spots(
    spots: Mapping[str, Sequence[Spot]], markers: Mapping[str, Box], lines: Sequence[Box], inside: Box
) -> dict[str, Spot]:
    """Choose a spot for each name, again and again until none would rather move."""
    fixed = {
        method: [_fixed_cost(spot, method, markers, lines, inside) for spot in places]
        for method, places in spots.items()
    }
    chosen: dict[str, Spot] = {}
    for _ in range(ROUNDS):
        before = dict(chosen)
        for method, places in spots.items():
            others = [spot.box for name, spot in chosen.items() if name != method]
            costs = [
                cost + 100 * _covered(spot.box, others)
                for spot, cost in zip(places, fixed[method], strict=True)
            ]
            chosen[method] = places[int(np.argmin(costs))]
        if chosen == before:
            break
    return chosen


def _fixed_cost(
    spot: Spot, method: str, markers: Mapping[str, Box], lines: Sequence[Box], inside: Box
) -> float:
    """Price a spot whatever the other names do: taste, lines crossed, and a great deal for markers."""
    strange = [box for name, box in markers.items() if name != method]
    outside = 1.0 - _covered(spot.box, [inside])
    crossed = any(_covered(spot.box, [line]) > 0 for line in lines)
    return spot.rank + 2.5 * crossed + 100 * (_covered(spot.box, strange) + outside)


def _spots(point: tuple[float, float], size: tuple[float, float], radius: float, scale: float) -> list[Spot]:
    """All spots around a point; a diagonal one begins nearer, where a round marker leaves room."""
    found = []
    for far, step in enumerate(STEPS):
        for taste, (right, up) in enumerate(SIDES):
            reach = scale * (radius + step) * (0.75 if right and up else 1.0)
            dx, dy = right * (reach + size[0] / 2), up * (reach + size[1] / 2)
            box = _around(point[0] + dx, point[1] + dy, size[0] + 6 * scale, size[1] + scale)
            found.append(Spot(box, (dx / scale, dy / scale), 0.3 * taste + 4 * far, far > 0))
    return found


def _around(x: float, y: float, width: float, height: float) -> Box:
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _covered(box: Box, others: Sequence[Box]) -> float:
    """Share of a box that others cover."""
    area = (box[2] - box[0]) * (box[3] - box[1])
    share = 0.0
    for left, low, right, high in others:
        width, height = min(right, box[2]) - max(left, box[0]), min(high, box[3]) - max(low, box[1])
        if width > 0 and height > 0:
            share += width * height / area
    return share
