"""One look for all figures: a journal column, colour-blind safe, and readable in grey.

Every method has its own colour, marker and line, the same in every figure; our own stand out by
vermilion and orange, black boxes are grey.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from nri.bench.methods import METHODS

COLUMN, PAGE = 3.5, 7.2
"""Widths in inches of one column and of the page."""

RC: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["Helvetica", "Arial", "Liberation Sans", "DejaVu Sans"],
    "font.size": 7.5,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 7,
    "figure.constrained_layout.use": True,
    "savefig.bbox": "tight",
    "pdf.fonttype": 42,
}

INK, MUTED = "#222222", "#767676"


@dataclass(frozen=True)
class Look:
    """How a method is drawn."""

    colour: str
    marker: str
    line: str | tuple[int, tuple[float, ...]]


_LOOKS = {
    "seeded": Look("#D55E00", "*", "-"),
    "greedy": Look("#E69F00", "P", (0, (5, 1.5))),
    "paper": Look("#CC79A7", "X", (0, (3, 1, 1, 1))),
    "exact": Look("#000000", "D", (0, (1, 1))),
    "ripper": Look("#0072B2", "o", "--"),
    "rulefit": Look("#56B4E9", "s", "-."),
    "figs": Look("#009E73", "^", (0, (4, 1, 1, 1, 1, 1))),
    "boosted-rules": Look("#44AA99", "v", ":"),
    "tree": Look("#117733", "<", (0, (1, 1.5))),
    "tree-dnf": Look("#999933", ">", (0, (6, 2))),
    "neural-dnf": Look("#332288", "p", (0, (2, 1))),
    "logistic": Look("#777777", "d", "-."),
    "random-forest": Look("#555555", "h", "--"),
    "xgboost": Look("#222222", "H", "-"),
    "lightgbm": Look("#888888", "8", ":"),
    "ebm": Look("#444444", "D", (0, (5, 1, 1, 1))),
    "best-literal": Look("#AA9977", "1", ":"),
    "majority": Look("#BBBBBB", "x", ":"),
}


def look_of(method: str) -> Look:
    """Return a method's look, grey for one that has none."""
    return _LOOKS.get(method, Look(MUTED, "o", "-"))


def is_ours(method: str) -> bool:
    """Whether the method is one of this package's own."""
    return method in METHODS and METHODS[method].family == "ours"


def journal() -> AbstractContextManager[None]:
    """Return the context in which a figure is drawn."""
    return rc_context(RC)


def plain_log(axes: Axes, side: str, low: float, high: float) -> None:
    """Make the ``x`` or ``y`` axis logarithmic from low to high, its ticks written as plain numbers."""
    axes.set(**{f"{side}scale": "log", f"{side}lim": (low, high)})
    axis = axes.xaxis if side == "x" else axes.yaxis
    decades = np.log10(high / low)
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades < 2.5 else (1,), numticks=20))
    axis.set_minor_locator(LogLocator(subs=range(1, 10), numticks=20) if decades < 6 else NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def spread_out(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move labels apart until neighbours are ``gap`` apart, each as near its place as that allows.

    >>> [round(p, 2) for p in spread_out([1.0, 1.0, 5.0], gap=1.0, low=0, high=9)]
    [0.5, 1.5, 5.0]
    """
    order = np.argsort(positions, kind="stable")
    groups: list[tuple[list[float], float]] = []  # places wanted, and where the lowest label stands
    for index in order:
        groups.append(([float(positions[index])], float(positions[index])))
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


def end_labels(axes: Axes, labels: Sequence[tuple[str, float, str, bool]], size: float = 7) -> None:
    """Write names beside the right edge at the heights given: ``(text, y, colour, bold)``."""
    low, high = axes.get_ylim()
    inches = axes.get_window_extent().height / axes.figure.dpi
    gap = (high - low) * (size * 1.25 / 72) / inches
    for (text, y, colour, bold), place in zip(
        labels, spread_out([label[1] for label in labels], gap, low, high), strict=True
    ):
        axes.annotate(
            text,
            xy=(1, y),
            xytext=(1.05, place),
            xycoords=("axes fraction", "data"),
            textcoords=("axes fraction", "data"),
            color=colour,
            fontsize=size,
            fontweight="bold" if bold else "normal",
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.4, "shrinkA": 1, "shrinkB": 1},
        )
