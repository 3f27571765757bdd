"""Accuracy against the size of what must be read, and against the time it takes."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nri_bench.figures.style import COLUMN, INK, is_ours, journal, look_of, marker_of, plain_log
from nri_bench.figures.words import (
    Box,
    add_note,
    end_labels,
    fewer_fits,
    left_out,
    name_points,
    names_of,
    timed_part,
)
from nri_bench.run import Row
from nri_bench.tables.frame import frame_of, scores_by_set


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
        empty = names_of(map(str, points.index[points["x"] <= 0]))
        add_note(
            figure,
            (
                f"Not shown, as it reads nothing: {empty}." if empty else "",
                left_out(rows, protocol, scores.columns),
                fewer_fits(rows, protocol, map(str, shown.index)),
            ),
        )
        figure.draw_without_rendering()
        _box_lines(axes, boxes)
        figure.draw_without_rendering()  # the names at the edge have narrowed the axes
        name_points(axes, ruled, [*_box_stripes(axes, boxes), *_front_boxes(axes, ruled)])
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
        add_note(figure, timed_part(rows, timed, protocol, map(str, scores.columns)))
        name_points(axes, points)
    return figure


def _scatter(axes: Axes, points: pd.DataFrame) -> None:
    for method, point in points.iterrows():
        marker = marker_of(str(method))
        if look_of(str(method)).hollow:
            marker["markerfacecolor"] = "none"  # two boxes at one place are both seen
        axes.plot(point["x"], point["y"], linestyle="none", zorder=4, **marker)


def _unbeaten(points: pd.DataFrame) -> pd.DataFrame:
    """Methods that no other beats in both size and accuracy, the smallest first."""
    ordered = points.sort_values(["x", "y"], ascending=[True, False])
    return ordered[ordered["y"] > ordered["y"].cummax().shift(fill_value=-np.inf)]


def _front(axes: Axes, points: pd.DataFrame) -> None:
    """Join the methods that no other beats."""
    best = _unbeaten(points)
    axes.plot(best["x"], best["y"], drawstyle="steps-post", color=INK, linewidth=0.8, alpha=0.5, zorder=1)


def _limits(axes: Axes, points: pd.DataFrame) -> None:
    low, high = points["y"].min(), points["y"].max()
    axes.set_ylim(low - 0.08 * (high - low) - 0.3, high + 0.1 * (high - low) + 0.3)
    x = points["x"].dropna()
    plain_log(axes, "x", x.min() / 1.8, x.max() * 2.2)


def _front_boxes(axes: Axes, points: pd.DataFrame) -> list[Box]:
    """Boxes around the steps of the front, which names should rather not cross."""
    corners = axes.transData.transform(_unbeaten(points)[["x", "y"]].to_numpy())
    found = []
    for (x0, y0), (x1, y1) in pairwise(corners):
        found += [(x0, y0 - 1, x1, y0 + 1), (x1 - 1, min(y0, y1), x1 + 1, max(y0, y1))]
    return found


def _box_lines(axes: Axes, boxes: pd.DataFrame) -> None:
    """Mark the accuracy of models that have no rule to read by a line, named at the right edge."""
    for method, y in boxes["y"].items():
        look = look_of(str(method))
        width = 1.3 if is_ours(str(method)) else 0.7
        axes.axhline(y, color=look.colour, linewidth=width, linestyle=look.line, zorder=0)
    if len(boxes):
        right = axes.get_xlim()[1]
        end_labels(axes, [(str(method), right, float(y)) for method, y in boxes["y"].items()])


def _box_stripes(axes: Axes, boxes: pd.DataFrame) -> list[Box]:
    """Boxes around the lines of models without rules."""
    heights = [axes.transData.transform((1.0, y))[1] for y in boxes["y"]]
    return [(-np.inf, y - 1, np.inf, y + 1) for y in heights]
