"""Accuracy over one quantity: noise, support size."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from nri_bench.figures.labels import end_labels
from nri_bench.figures.notes import add_note
from nri_bench.figures.style import COLUMN, journal, line_of, look_of
from nri_bench.run import Row
from nri_bench.tables.frame import frame_of, in_order


def accuracy_curves(
    rows: Sequence[Row], over: str, label: str, scale: float, logarithmic: bool = False
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
        axes.set_xlabel(label)
        axes.set_ylabel(f"mean accuracy over {_averaged(frame, over)} (%)")
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
