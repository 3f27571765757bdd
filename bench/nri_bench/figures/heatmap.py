"""Heat maps, one small panel for each method, every cell with its number."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from nri_bench.figures.style import PAGE, ink_on, journal, weight_of
from nri_bench.run import Row
from nri_bench.tables.frame import frame_of, in_order, label_of

PANELS = 3
"""Most panels side by side."""

STATED: dict[tuple[float, float], float] = {
    (1, 1): 99.5,
    (1, 2): 91.5,
    (1, 3): 81.7,
    (4, 1): 34.2,
    (4, 3): 24.0,
}
"""Recovery in % that the paper's text states, by clauses and literals; it names no M."""


def recovery_heatmaps(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Share of rules found exactly over clauses K and literals L, a figure for each support size M."""
    frame = frame_of(rows)
    if frame.empty:
        return {}
    frame["equal"] = frame["equal"].fillna(0.0)
    return {
        f"recovery-m{int(size)}": _panels(
            part, ("K", "L"), "equal", ("clauses K", "literals in each clause L"), (0, 100),
            f"rules found exactly (%), M = {int(size)}", STATED,
        )
        for size, part in ((size, frame[frame["M"] == size]) for size in sorted(frame["M"].unique()))
    }  # fmt: skip


def spurious_heatmaps(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Accuracy over the number and strength of distractors, as they were and gone idle."""
    frame = frame_of(rows)
    if frame.empty:
        return {}
    axes = ("distractors D", "ρ = P(d = 1 | y = 1)")  # noqa: RUF001
    least = 10 * np.floor(10 * frame[["score", "shifted_accuracy"]].min().min())
    found = {"spurious": _panels(frame, ("D", "rho"), "score", axes, (least, 100), "accuracy (%)")}
    found["spurious-shifted"] = _panels(
        frame,
        ("D", "rho"),
        "shifted_accuracy",
        axes,
        (least, 100),
        "accuracy (%), distractors idle in the query",
    )
    return found


def _panels(
    frame: pd.DataFrame,
    fields: tuple[str, str],
    value: str,
    labels: tuple[str, str],
    limits: tuple[float, float],
    title: str,
    stated: Mapping[tuple[float, float], float] | None = None,
) -> Figure:
    """Draw a panel for each method, and one for what the paper states."""
    methods = in_order(frame["method"].unique()) + (["paper, stated"] if stated else [])
    n_columns = min(PANELS, len(methods))
    n_lines = -(-len(methods) // n_columns)
    across, up = (sorted(frame[field].unique()) for field in fields)
    grids = {  # all on one grid, so that cells not measured yet are empty instead of shifting the rest
        method: 100 * part.groupby(list(fields))[value].mean().unstack(fields[0]).reindex(up, columns=across)
        for method, part in frame.groupby("method")
    }
    if stated:
        cells = [[stated.get((column, line), np.nan) for column in across] for line in up]
        grids["paper, stated"] = pd.DataFrame(cells, index=up, columns=across)
    height = 0.75 + n_lines * (0.45 + 0.27 * len(up))
    with journal():
        figure = Figure(figsize=(PAGE * (0.1 + 0.3 * n_columns), height))
        panels = figure.subplots(n_lines, n_columns, squeeze=False)
        for axes in panels.flat[len(methods) :]:
            axes.remove()
        for method, axes in zip(methods, panels.flat, strict=False):
            image = _panel(axes, grids[method], limits)
            axes.set_title(label_of(method), fontweight=weight_of(method), pad=4)
        figure.supxlabel(labels[0], fontsize=8)
        figure.supylabel(labels[1], fontsize=8)
        bar = figure.colorbar(image, ax=list(panels.flat[: len(methods)]), shrink=0.9, aspect=25, pad=0.02)
        bar.set_label(title)
        bar.outline.set_visible(False)
    return figure


def _panel(axes, grid: pd.DataFrame, limits: tuple[float, float]):  # type: ignore[no-untyped-def]
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
        if not np.isnan(percent):
            ink = ink_on(image.to_rgba(percent)[:3])
            axes.text(column, line, f"{percent:.0f}", ha="center", va="center", color=ink, fontsize=7)
    return image
