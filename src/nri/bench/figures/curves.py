"""Accuracy over one quantity: noise, support size."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from nri.bench.figures.style import COLUMN, end_labels, is_ours, journal, look_of
from nri.bench.run import Row
from nri.bench.tables.frame import frame_of, in_order, label_of


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
            mean, spread = 100 * by_seed.groupby(over).mean(), 100 * by_seed.groupby(over).std().fillna(0)
            look, x = look_of(method), scale * mean.index.to_numpy(float)
            weight = 1.8 if is_ours(method) else 1.2
            axes.fill_between(x, mean - spread, mean + spread, color=look.colour, alpha=0.12, linewidth=0)
            axes.plot(
                x, mean, color=look.colour, marker=look.marker, linestyle=look.line, linewidth=weight,
                zorder=3 if is_ours(method) else 2, markersize=7 if is_ours(method) else 4.5,
                markeredgecolor="white", markeredgewidth=0.4,
            )  # fmt: skip
            ends.append((label_of(method), float(mean.iloc[-1]), look.colour, is_ours(method)))
        axes.set_xlabel(label)
        axes.set_ylabel("accuracy (%)")
        if logarithmic:
            axes.set_xscale("log")
            ticks = sorted(scale * frame[over].unique())
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.minorticks_off()
        figure.draw_without_rendering()
        end_labels(axes, ends)
    return figure
