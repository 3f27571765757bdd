"""Accuracy against the size of what must be read, and against the time it takes."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nri.bench.figures.style import COLUMN, INK, MUTED, is_ours, journal, look_of, plain_log, spread_out
from nri.bench.run import Row
from nri.bench.tables.frame import frame_of, label_of, scores_by_set


def pareto_figure(rows: Sequence[Row], protocol: str) -> Figure | None:
    """Draw mean accuracy over the number of literals; models without rules are lines at their accuracy.

    The size is a geometric mean over data sets (of one plus the mean number of literals, less one), so
    that one set with a huge tree does not decide. Methods that read nothing have no place on the axis.
    """
    scores = scores_by_set(rows, protocol)
    if scores.empty:
        return None
    frame = frame_of(rows)
    frame = frame[(frame["protocol"] == protocol) & frame["dataset"].isin(scores.index)]
    sizes = frame.groupby(["method", "dataset"])["literals"].mean().unstack("dataset")
    size = sizes.map(np.log1p).mean(axis=1, skipna=False).map(np.expm1)
    points = pd.DataFrame({"x": size, "y": 100 * scores.mean()}).loc[list(scores.columns)]
    shown = points[~(points["x"] <= 0)]
    ruled, boxes = shown.dropna(), shown[shown["x"].isna()]
    if ruled.empty:
        return None
    with journal():
        figure = Figure(figsize=(COLUMN + 0.9, 3.1))
        axes = figure.subplots()
        _front(axes, ruled)
        _scatter(axes, ruled)
        _limits(axes, shown)
        axes.set_xlabel("literals in the model (geometric mean over data sets)")
        axes.set_ylabel(f"mean accuracy over {len(scores)} data sets (%)")
        figure.draw_without_rendering()
        _name_points(axes, ruled)
        _box_lines(axes, boxes)
    return figure


def time_figure(rows: Sequence[Row], protocol: str) -> Figure | None:
    """Draw mean accuracy over the geometric mean of fit seconds, of rows from a quiet machine only."""
    timed = [row for row in rows if row.get("timed") and row["status"] == "ok"]
    scores = scores_by_set(timed, protocol)
    if scores.empty:
        return None
    frame = frame_of(timed)
    frame = frame[(frame["protocol"] == protocol) & frame["dataset"].isin(scores.index)]
    seconds = frame.groupby(["method", "dataset"])["fit_seconds"].mean().unstack("dataset")
    points = pd.DataFrame(
        {"x": seconds.map(np.log).mean(axis=1).map(np.exp), "y": 100 * scores.mean()}
    ).dropna()
    with journal():
        figure = Figure(figsize=(COLUMN + 0.9, 3.1))
        axes = figure.subplots()
        _scatter(axes, points)
        _limits(axes, points)
        axes.set_xlabel("seconds to fit, one thread (geometric mean over data sets)")
        axes.set_ylabel(f"mean accuracy over {len(scores)} data sets (%)")
        figure.draw_without_rendering()
        _name_points(axes, points)
    return figure


def _scatter(axes: Axes, points: pd.DataFrame) -> None:
    for method, point in points.iterrows():
        look = look_of(str(method))
        thin = look.marker in "1x"  # markers that have no inside
        axes.scatter(
            point["x"], point["y"], color=look.colour, marker=look.marker, zorder=4,
            s=90 if is_ours(str(method)) else 34,
            edgecolors=None if thin else "white", linewidths=1.2 if thin else 0.5,
        )  # fmt: skip


def _front(axes: Axes, points: pd.DataFrame) -> None:
    """Join the methods that no other beats in both size and accuracy."""
    ordered = points.sort_values(["x", "y"], ascending=[True, False])
    best = ordered[ordered["y"] > ordered["y"].cummax().shift(fill_value=-np.inf)]
    axes.plot(best["x"], best["y"], drawstyle="steps-post", color=INK, linewidth=0.8, alpha=0.5, zorder=1)


def _limits(axes: Axes, points: pd.DataFrame) -> None:
    low, high = points["y"].min(), points["y"].max()
    axes.set_ylim(low - 0.08 * (high - low) - 0.3, high + 0.1 * (high - low) + 0.3)
    x = points["x"].dropna()
    plain_log(axes, "x", x.min() / 1.8, x.max() * 2.2)


def _name_points(axes: Axes, points: pd.DataFrame) -> None:
    """Write each name beside its point: right of it, or left of it where the right is taken."""
    where = axes.transData.transform(points[["x", "y"]].to_numpy())
    taken = [_box(x - 4, y, 8) for x, y in where]
    frame = axes.get_window_extent()
    taken.append((-np.inf, frame.y0 - 1e4, frame.x0, frame.y0 + 1e4))  # names do not cross the left axis
    scale = axes.figure.dpi / 72
    for (method, point), (x, y) in zip(points.iterrows(), where, strict=True):
        text = label_of(str(method))
        width = 3.9 * len(text) * scale
        places = [(7, 0), (-7, 0), (7, 7), (-7, 7), (7, -7), (-7, -7), (0, 10), (0, -10)]
        dx, dy = min(places, key=lambda p: _crowding(taken, _label_box(x, y, p, width, scale)))
        taken.append(_label_box(x, y, (dx, dy), width, scale))
        side = "left" if dx > 0 else "right" if dx < 0 else "center"
        axes.annotate(
            text, (point["x"], point["y"]), (dx, dy), textcoords="offset points", ha=side, va="center",
            fontsize=7, color=INK, fontweight="bold" if is_ours(str(method)) else "normal", zorder=5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.3, "alpha": 0.8},
        )  # fmt: skip


Box = tuple[float, float, float, float]


def _box(left: float, middle: float, width: float, height: float = 9.0) -> Box:
    return left, middle - height / 2, left + width, middle + height / 2


def _label_box(x: float, y: float, place: tuple[int, int], width: float, scale: float) -> Box:
    left = x + place[0] * scale - (width if place[0] < 0 else width / 2 if place[0] == 0 else 0)
    return _box(left, y + place[1] * scale, width, 8 * scale)


def _crowding(taken: Sequence[Box], box: Box) -> float:
    """Area of the box that is taken already."""
    area = 0.0
    for left, low, right, high in taken:
        width, height = min(right, box[2]) - max(left, box[0]), min(high, box[3]) - max(low, box[1])
        area += width * height if width > 0 and height > 0 else 0.0
    return area


def _box_lines(axes: Axes, boxes: pd.DataFrame) -> None:
    """Mark the accuracy of models that have no rule to read by a line, named at the right edge."""
    low, high = axes.get_ylim()
    gap = (high - low) * 0.042
    order = boxes.sort_values("y")
    for (method, point), place in zip(
        order.iterrows(), spread_out(list(order["y"]), gap, low, high), strict=True
    ):
        axes.axhline(point["y"], color=MUTED, linewidth=0.6, linestyle=look_of(str(method)).line, zorder=0)
        axes.annotate(
            label_of(str(method)), (1, point["y"]), (1.04, place), xycoords=("axes fraction", "data"),
            textcoords=("axes fraction", "data"), va="center", fontsize=7, color=MUTED, annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": MUTED, "linewidth": 0.4, "shrinkA": 1, "shrinkB": 1},
        )  # fmt: skip
