"""Words in a figure: names at the right edge and beside points, and below it what it does not show.

Names are moved apart as far as their real size asks for, which the renderer measures: so all figures use the
one font that matplotlib brings along (see :mod:`nri_bench.figures.style`).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nri_bench.figures.style import INK, MUTED, look_of, marker_of, marker_size, weight_of
from nri_bench.run import Row
from nri_bench.tables.frame import frame_of, in_order, label_of

SIZE = 7.0
"""Points of a name's letters."""

Box = tuple[float, float, float, float]
"""Left, low, right, high in pixels."""

SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
"""Where a name may stand, as signs of right and up, those that read best first."""
STEPS = (2.5, 8.0, 14.0, 21.0)
"""Points between a marker's edge and its name; from the second on a leader joins them."""
ROUNDS = 8
"""How often every name may move once more after the others did."""


def name_size(axes: Axes, method: str) -> tuple[float, float]:
    """Return width and height in pixels of a method's name as it will be drawn.

    The renderer measures it: bold letters are wider than a guess from their number.
    """
    text = axes.text(0, 0, label_of(method), fontsize=SIZE, fontweight=weight_of(method))
    box = text.get_window_extent()
    text.remove()
    return float(box.width), float(box.height)


def end_labels(axes: Axes, ends: Sequence[tuple[str, float, float]]) -> None:
    """Write the names of ``(method, x, y)`` beside the right edge, each with its marker and a leader.

    The figure must have been laid out, since the height of the axes decides how far names move. Leaders
    keep the order of the heights and end left of all names, so none of them crosses another or a name.
    """
    (low, high), pixels = axes.get_ylim(), axes.get_window_extent().height
    gap = 1.08 * max(name_size(axes, method)[1] for method, _, _ in ends) * (high - low) / pixels
    places = spread_out([y for _, _, y in ends], gap, low + gap / 2, high - gap / 2)
    in_axes = axes.transAxes.inverted()
    for (method, x, y), place in zip(ends, places, strict=True):
        start = float(in_axes.transform(axes.transData.transform((x, y)))[0])
        where: dict[str, Any] = {"transform": axes.get_yaxis_transform(), "clip_on": False}
        colour = look_of(method).colour
        axes.plot([start, 1.05], [y, place], color=colour, linewidth=0.5, zorder=1.5, **where)
        axes.plot([1.05], [place], linestyle="none", **marker_of(method), **where)
        axes.annotate(
            label_of(method), (1.05, place), (marker_size("seeded") / 2 + 2, 0), va="center_baseline",
            xycoords=axes.get_yaxis_transform(), textcoords="offset points", annotation_clip=False,
            fontsize=SIZE, color=INK, fontweight=weight_of(method),
        )  # fmt: skip
    axes.set_ylim(low, high)  # names do not widen the axis


def spread_out(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move labels apart until neighbours are ``gap`` apart, each as near its place as that allows.

    >>> [round(p, 2) for p in spread_out([1.0, 1.0, 5.0], gap=1.0, low=0, high=9)]
    [0.5, 1.5, 5.0]
    """
    order = np.argsort(positions, kind="stable")
    groups: list[tuple[list[float], float]] = []  # places wanted, and where the lowest label stands
    for index in order:
        wanted = [float(positions[index])]
        groups.append((wanted, _lowest(wanted, gap, low, high)))
        while len(groups) > 1 and groups[-2][1] + gap * len(groups[-2][0]) > groups[-1][1]:
            wanted = groups[-2][0] + groups[-1][0]
            groups[-2:] = [(wanted, _lowest(wanted, gap, low, high))]
    placed = [start + gap * step for wanted, start in groups for step in range(len(wanted))]
    result = [0.0] * len(positions)
    for index, place in zip(order, placed, strict=True):
        result[int(index)] = place
    return result


def _lowest(wanted: Sequence[float], gap: float, low: float, high: float) -> float:
    centred = float(np.mean(np.array(wanted) - gap * np.arange(len(wanted))))
    return max(low, min(centred, high - gap * (len(wanted) - 1)))


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


def add_note(figure: Figure, sentences: Iterable[str]) -> None:
    """Write the sentences that are not empty below a figure, in lines as wide as it."""
    text = " ".join(sentence for sentence in sentences if sentence)
    if text:
        width = int(figure.get_figwidth() * 21)  # letters of 6.5 points on an inch
        figure.supxlabel(fill(text, width), x=0.01, ha="left", fontsize=6.5)


def names_of(methods: Iterable[str]) -> str:
    """Join the names of methods, in the order of the tables."""
    return ", ".join(label_of(method) for method in in_order(methods))


def left_out(rows: Sequence[Row], protocol: str, compared: Iterable[str]) -> str:
    """Say which methods have rows of a protocol and yet are not compared, as they lack data sets."""
    missing = {str(row["method"]) for row in rows if row["protocol"] == protocol} - set(compared)
    return f"Not on all data sets, so left out: {names_of(missing)}." if missing else ""


def fewer_fits(rows: Sequence[Row], protocol: str, shown: Iterable[str]) -> str:
    """Say which methods' means are of fewer folds or seeds than the others'."""
    frame = frame_of([row for row in rows if row["protocol"] == protocol])
    counts = frame["method"].value_counts().reindex(list(shown))
    few = counts.index[counts < counts.max()]
    return f"Fewer folds or seeds than the others: {names_of(map(str, few))}." if len(few) else ""


def timed_part(rows: Sequence[Row], timed: Sequence[Row], protocol: str, shown: Iterable[str]) -> list[str]:
    """Say of which seeds the timed rows are, and which methods lack them on some data sets."""
    every, some = ({row["seed"] for row in part if row["protocol"] == protocol} for part in (rows, timed))
    missing = {str(row["method"]) for row in rows if row["protocol"] == protocol} - set(shown)
    notes = []
    if every != some:
        listed = [", ".join(str(seed) for seed in sorted(seeds)) for seeds in (some, every)]
        word = "seed" if len(some) == 1 else "seeds"
        notes.append(f"Accuracy of the timed fits only: {word} {listed[0]} of {listed[1]}.")
    if missing:
        notes.append(f"Not timed on all data sets: {names_of(missing)}.")
    return notes
