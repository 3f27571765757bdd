"""Curves: accuracy over noise or support size, seconds and memory over the size of the table."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nri_bench.figures.style import COLUMN, INK, PAGE, journal, line_of, look_of, plain_log
from nri_bench.figures.words import add_note, end_labels
from nri_bench.run import Row
from nri_bench.tables.frame import frame_of, in_order, label_of

PLUS: dict[str, Any] = {"linestyle": "none", "marker": "+", "markersize": 8, "zorder": 4}
PLUS |= {"markeredgewidth": 1.6}
"""The mark of what the paper states."""


def accuracy_curves(
    rows: Sequence[Row],
    over: str,
    label: str,
    scale: float,
    logarithmic: bool = False,
    stated: Mapping[str, Mapping[float, float]] | None = None,
) -> Figure | None:
    """Draw mean accuracy over a quantity, with a band of one standard deviation over the seeds.

    Parameters
    ----------
    rows
        Rows that have the field ``over``.
    over, label, scale
        The field, what the axis says, and what the field is multiplied by for it.
    logarithmic
        Whether the quantity's axis is logarithmic.
    stated
        Points that the paper states for some methods: the quantity, and accuracy in %.
    """
    frame = frame_of(rows)
    if frame.empty:
        return None
    with journal():
        figure = Figure(figsize=(COLUMN + 0.7, 2.7))
        axes = figure.subplots()
        ends = []
        for method in in_order(frame["method"].unique()):
            by_seed = frame[frame["method"] == method].groupby([over, "seed"])["score"].mean()
            mean, spread = (
                100 * by_seed.groupby(over).mean(),
                100 * by_seed.groupby(over).std(ddof=1),  # unknown for one seed, and then there is no band
            )
            x = scale * mean.index.to_numpy(float)
            axes.fill_between(
                x, mean - spread, mean + spread, color=look_of(method).colour, alpha=0.12, linewidth=0
            )
            axes.plot(x, mean, **line_of(method))
            ends.append((method, float(x[-1]), float(mean.iloc[-1])))
        for method, points in (stated or {}).items():
            places, colour = [scale * place for place in points], look_of(method).colour
            axes.plot(places, list(points.values()), color=colour, **PLUS)
        if stated:
            axes.plot([], [], color=INK, label="stated by the paper", **PLUS)
            axes.legend(loc="lower left")
        axes.set_xlabel(label)
        axes.set_ylabel(f"mean accuracy (%)\nover {_averaged(frame, over)}")
        if logarithmic:
            axes.set_xscale("log")
            ticks = sorted(scale * frame[over].unique())
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.minorticks_off()
        n_seeds = frame["seed"].nunique()
        add_note(figure, [f"Bands: one standard deviation over {n_seeds} seeds."] if n_seeds > 1 else [])
        figure.draw_without_rendering()
        end_labels(axes, ends)
    return figure


def _averaged(frame: pd.DataFrame, over: str) -> str:
    """Say what and how many a point is the mean of: data sets, else rules that were drawn, else fits."""
    points = frame.groupby(["method", over])
    if "dataset" in frame:
        counts, what = points["dataset"].nunique(), "data sets"
    elif "n_episodes" in frame:
        counts, what = points["n_episodes"].sum(), "rules"
    else:
        counts, what = points.size(), "fits"
    low, high = int(counts.min()), int(counts.max())
    return f"{high} {what}" if low == high else f"{low} to {high} {what}"


SCALING: dict[tuple[str, str], dict[int, float]] = {
    ("ms", "N"): {16: 4.2, 512: 11.8},
    ("ms", "M"): {32: 7.5, 512: 7.5},
    ("peak_mb", "N"): {512: 593},
}
"""Milliseconds and megabytes that the paper states over N and over M."""


def scaling_figure(
    rows: Sequence[Row], base_rows: int, base_columns: int, *, stated: bool = False
) -> Figure | None:
    """Draw fit time (of rows from a quiet machine) and peak memory over N and over M.

    Without such rows only the memory is drawn. ``stated`` adds what the paper states.
    """
    frame = frame_of(rows)
    if frame.empty:
        return None
    frame["ms"] = (1000 * frame["fit_seconds"]).where(frame["timed"] & frame["ok"])
    values = [("ms", "time to fit (ms)"), ("peak_mb", "peak memory (MB)")]
    if frame["ms"].isna().all():
        values = values[1:]
    sides = [("N", frame[frame["M"] == base_rows], f"columns N (M = {base_rows})")]
    sides.append(("M", frame[frame["N"] == base_columns], f"rows M (N = {base_columns})"))
    with journal():
        figure = Figure(figsize=(PAGE * 0.85, 0.5 + 1.9 * len(values)))
        panels = figure.subplots(len(values), 2, squeeze=False, sharex="col", sharey="row")
        for line, (value, label) in enumerate(values):
            for axes, (over, part, where) in zip(panels[line], sides, strict=True):
                _lines(axes, part, over, value)
                if stated:
                    points = SCALING.get((value, over), {})
                    axes.plot(
                        list(points), list(points.values()), color=INK, label="stated by the paper", **PLUS
                    )
                axes.set_xlabel(where if line == len(values) - 1 else "")
            panels[line][0].set_ylabel(label)
            known = [*frame[value].clip(lower=1e-3).dropna()]
            if stated:
                known += [
                    number for (name, _), p in SCALING.items() if name == value for number in p.values()
                ]
            plain_log(panels[line][0], "y", min(known) / 1.5, max(known) * 1.5)
        handles, labels = panels[0][0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside upper center", ncols=min(6, len(labels)), handlelength=2.6
        )
    return figure


def _lines(axes: Axes, frame: pd.DataFrame, over: str, value: str) -> None:
    axes.set_xscale("log", base=2)
    ticks = sorted(int(tick) for tick in frame[over].unique())
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    for method in in_order(frame["method"].unique()):
        middle = frame[frame["method"] == method].groupby(over)[value].median().dropna()
        axes.plot(middle.index, middle, label=label_of(method), **line_of(method))
