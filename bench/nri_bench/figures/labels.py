"""Names at the right edge, moved apart as far as their real height asks for."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nri_bench.figures.style import INK, look_of, marker_of, marker_size, weight_of
from nri_bench.tables.frame import label_of

SIZE = 7.0
"""Points of a name's letters."""


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
