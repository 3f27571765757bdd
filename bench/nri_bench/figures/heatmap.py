"""Heat maps, one small panel for each method, every cell with its number."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from nri_bench.figures.style import MUTED, NETWORKS, PAGE, ink_on, journal, weight_of
from nri_bench.run import Row
from nri_bench.tables.frame import frame_of, in_order, label_of

PANELS = 3
"""Most panels side by side."""

STATED = "stated by the paper"
Stated = Mapping[tuple[float, float], float]
RECOVERED: Stated = {(1, 1): 99.5, (1, 2): 91.5, (1, 3): 81.7, (4, 1): 34.2, (4, 3): 24.0}
"""Recovery in % that the paper's text states, by clauses and literals; it names no M."""
ACCURATE: Stated = {(32, 0.1): 96.7, (32, 0.9): 97.6}
"""Accuracy in % beside distractors that it states, by their number and rho; every other cell is above 92."""


def recovery_heatmaps(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Share of rules found exactly over clauses K and literals L, a figure for each support size M.

    The networks are drawn once more, beside what the paper states.
    """
    frame = frame_of(rows)
    if frame.empty:
        return {}
    frame["equal"] = frame["equal"].fillna(0.0)
    axes = ("clauses K", "literals in each clause L")
    figures = {}
    for size, part in frame.groupby("M"):
        title = f"rules found exactly (%), M = {size:.0f}"
        figures[f"recovery-m{size:.0f}"] = _panels(part, ("K", "L"), "equal", axes, (0, 100), title)
        networks = part[part["method"].isin(NETWORKS)]
        if not networks.empty:
            title = f"found (%), M = {size:.0f}"
            drawn = _panels(networks, ("K", "L"), "equal", axes, (0, 100), title, RECOVERED, "–")  # noqa: RUF001
            figures[f"paper-recovery-m{size:.0f}"] = drawn
    return figures


def spurious_heatmaps(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Accuracy over the number and strength of distractors, as they were and gone idle."""
    frame = frame_of(rows)
    if frame.empty:
        return {}
    fields, axes = ("D", "rho"), ("distractors D", "ρ = P(d = 1 | y = 1)")  # noqa: RUF001
    limits = (10 * np.floor(10 * frame[["score", "shifted_accuracy"]].min().min()), 100)
    idle = "accuracy (%), distractors idle in the query"
    figures = {
        "spurious": _panels(frame, fields, "score", axes, limits, "accuracy (%)"),
        "spurious-shifted": _panels(frame, fields, "shifted_accuracy", axes, limits, idle),
    }
    networks = frame[frame["method"].isin(NETWORKS)]
    if not networks.empty:
        limits = (10 * np.floor(10 * networks["score"].min()), 100)
        drawn = _panels(networks, fields, "score", axes, limits, "accuracy (%)", ACCURATE, "> 92")
        figures["paper-spurious"] = drawn
    return figures


def _panels(
    frame: pd.DataFrame,
    fields: tuple[str, str],
    value: str,
    labels: tuple[str, str],
    limits: tuple[float, float],
    title: str,
    stated: Stated | None = None,
    elsewhere: str = "",
) -> Figure:
    """Draw a panel for each method, before them one of what the paper states, in few cells or everywhere."""
    methods = ([STATED] if stated else []) + in_order(frame["method"].unique())
    n_columns = min(len(methods), 4 if stated else PANELS)
    n_lines = -(-len(methods) // n_columns)
    across, up = (sorted(frame[field].unique()) for field in fields)
    grids = {  # all on one grid, so that cells not measured yet are empty instead of shifting the rest
        method: 100 * part.groupby(list(fields))[value].mean().unstack(fields[0]).reindex(up, columns=across)
        for method, part in frame.groupby("method")
    }
    if stated:
        cells = [[stated.get((column, line), np.nan) for column in across] for line in up]
        grids[STATED] = pd.DataFrame(cells, index=up, columns=across)
    height = 0.75 + n_lines * (0.45 + 0.27 * len(up))
    with journal():
        figure = Figure(figsize=(PAGE * min(1.15, 0.1 + 0.3 * n_columns), height))
        panels = figure.subplots(n_lines, n_columns, squeeze=False)
        for axes in panels.flat[len(methods) :]:
            axes.remove()
        for method, axes in zip(methods, panels.flat, strict=False):
            image = _panel(axes, grids[method], limits, elsewhere if method == STATED else "")
            axes.set_title(label_of(method), fontweight=weight_of(method), pad=4)
        figure.supxlabel(labels[0], fontsize=8)
        figure.supylabel(labels[1], fontsize=8)
        bar = figure.colorbar(image, ax=list(panels.flat[: len(methods)]), shrink=0.9, aspect=25, pad=0.02)
        bar.set_label(title)
        bar.outline.set_visible(False)
    return figure


def _panel(axes, grid: pd.DataFrame, limits: tuple[float, float], elsewhere: str):  # type: ignore[no-untyped-def]
    image = axes.imshow(
        grid.to_numpy(), cmap="cividis", vmin=limits[0], vmax=limits[1], aspect="auto", origin="lower"
    )
    axes.set_xticks(range(grid.shape[1]), [f"{value:g}" for value in grid.columns])
    axes.set_yticks(range(grid.shape[0]), [f"{value:g}" for value in grid.index])
    axes.tick_params(length=0)
    axes.set_xticks(np.arange(grid.shape[1] - 1) + 0.5, minor=True)
    axes.set_yticks(np.arange(grid.shape[0] - 1) + 0.5, minor=True)
    axes.tick_params(which="minor", length=0)
    axes.grid(False)
    axes.grid(which="minor", color="white", linewidth=1)
    axes.set_axisbelow(False)
    for side in axes.spines.values():
        side.set_visible(False)
    for (line, column), percent in np.ndenumerate(grid.to_numpy()):
        ink = MUTED if np.isnan(percent) else ink_on(image.to_rgba(percent)[:3])
        words = elsewhere if np.isnan(percent) else f"{percent:.0f}"
        axes.text(column, line, words, ha="center", va="center", color=ink, fontsize=7)
    return image
