"""How long the rules are, data set by data set."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter

from nri_bench.figures.style import COLUMN, journal, marker_of
from nri_bench.run import Row
from nri_bench.tables.frame import frame_of, in_order, label_of


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
        figure.legend(loc="outside upper center", ncols=min(4, len(methods)), handletextpad=0.3)
    return figure
