"""Dots and bars, a line for each variant of a model or for each data set."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter

from nri_bench.arrays import FloatArray
from nri_bench.figures.style import COLUMN, INK, journal, look_of, marker_of
from nri_bench.run import Row
from nri_bench.tables.frame import frame_of, in_order, label_of

Rows = Sequence[Mapping[str, object]]
"""With the fields ``label``, ``method`` and the quantities."""
Quantities = Sequence[tuple[str, str, float]]
"""Field, what the axis says, and what the field is multiplied by."""


def variant_bars(rows: Rows, quantities: Quantities) -> Figure | None:
    """Draw the mean of each quantity for each ``label`` from zero, with the seeds as small dots."""
    return _figure(rows, quantities, _bar)


def variant_dots(rows: Rows, quantities: Quantities, *, one_scale: bool = False) -> Figure | None:
    """Draw means as the models' markers and the seeds as small dots, on an axis that need not hold zero.

    The length of a bar that does not start at zero would say nothing. Quantities to be compared with each
    other are drawn to ``one_scale``.
    """
    return _figure(rows, quantities, _dot, one_scale=one_scale)


def _bar(axes: Axes, place: int, values: FloatArray, method: str) -> None:
    axes.barh(place, float(np.nanmean(values)), height=0.6, color=look_of(method).colour, alpha=0.55)
    _seeds(axes, place, values)  # even of one seed: a bar of nearly zero would not be seen


def _dot(axes: Axes, place: int, values: FloatArray, method: str) -> None:
    axes.plot(float(np.nanmean(values)), place, linestyle="none", **marker_of(method))
    if len(values) > 1:  # one seed is its own mean and would only blot it
        _seeds(axes, place, values)


def _seeds(axes: Axes, place: int, values: FloatArray) -> None:
    axes.plot(values, np.full(len(values), place), ".", color=INK, markersize=3, zorder=3)


def _figure(
    rows: Rows,
    quantities: Quantities,
    draw: Callable[[Axes, int, FloatArray, str], None],
    *,
    one_scale: bool = False,
) -> Figure | None:
    frame = pd.DataFrame(list(rows))
    if frame.empty:
        return None
    labels = list(dict.fromkeys(frame["label"]))[::-1]
    with journal():
        figure = Figure(figsize=(COLUMN + 1.4 * len(quantities), 0.8 + 0.27 * len(labels)))
        panels = np.atleast_1d(figure.subplots(1, len(quantities), sharex=one_scale, sharey=True))
        for axes, (field, title, scale) in zip(panels, quantities, strict=True):
            for place, label in enumerate(labels):
                part = frame[frame["label"] == label]
                values = scale * part[field].to_numpy(np.float64)
                draw(axes, place, values, str(part["method"].iloc[0]))
            axes.set_yticks(range(len(labels)), labels)
            axes.set_ylim(-0.6, len(labels) - 0.4)
            axes.tick_params(axis="y", length=0)
            axes.set_xlabel(title)
    return figure


def rule_size_dots(rows: Sequence[Row]) -> Figure | None:
    """Draw the literals of each method's rules as dots, one line for each data set."""
    frame = frame_of(rows)
    if frame.empty or frame["literals"].isna().all():
        return None
    names = sorted(frame["dataset"].unique(), reverse=True)
    methods = in_order(frame["method"].unique())
    with journal():
        figure = Figure(figsize=(COLUMN + 0.3, 0.8 + 0.2 * len(names)))
        axes = figure.subplots()
        for offset, method in zip(np.linspace(-0.22, 0.22, len(methods)), methods, strict=True):
            size = frame[frame["method"] == method].groupby("dataset")["literals"].mean().reindex(names)
            places = np.arange(len(names)) + offset
            axes.plot(size, places, linestyle="none", label=label_of(method), **marker_of(method))
        axes.set_xscale("symlog", linthresh=1)
        axes.set_xlim(left=-0.2)
        axes.xaxis.set_major_locator(FixedLocator([0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(-0.6, len(names) - 0.4)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("literals in the rules")
        figure.legend(loc="outside upper center", ncols=min(3, len(methods)), handletextpad=0.3)
    return figure


def pattern_bars(rows: Sequence[Row], panels: Mapping[str, Sequence[str]]) -> Figure | None:
    """Draw the share of rules found exactly, a group of bars for each pattern of signs."""
    frame = frame_of(rows)
    if frame.empty:
        return None
    methods = in_order(frame["method"].unique())
    found = 100 * frame.groupby(["pattern", "method"])["equal"].mean()
    with journal():
        figure = Figure(figsize=(2 * COLUMN, 2.2))
        widths = [len(patterns) for patterns in panels.values()]
        all_axes = figure.subplots(1, len(panels), sharey=True, width_ratios=widths)
        offsets = (np.arange(len(methods)) - (len(methods) - 1) / 2) * 0.8 / len(methods)
        for axes, (shape, patterns) in zip(all_axes, panels.items(), strict=True):
            for offset, method in zip(offsets, methods, strict=True):
                heights = found.reindex([(pattern, method) for pattern in patterns]).to_numpy()
                places = np.arange(len(patterns)) + offset
                axes.bar(
                    places, heights, 0.8 / len(methods), color=look_of(method).colour, label=label_of(method)
                )
            axes.set_xticks(range(len(patterns)), patterns)
            axes.set_title(shape)
            axes.tick_params(axis="x", length=0)
        all_axes[0].set_ylabel("found exactly (%)")
        all_axes[0].set_ylim(0, 102)
        handles, labels = all_axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(methods))
    return figure
