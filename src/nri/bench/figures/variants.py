"""Bars of one or more quantities, a bar for each variant of a model."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from nri.bench.figures.style import COLUMN, INK, journal, look_of


def variant_bars(
    rows: Sequence[Mapping[str, object]],
    quantities: Sequence[tuple[str, str, float]],
    *,
    zoom: bool = False,
) -> Figure | None:
    """Draw the mean of each quantity for each ``label`` of the rows, with the seeds as dots.

    Parameters
    ----------
    rows
        With the fields ``label``, ``method`` and the quantities.
    quantities
        Field, what the axis says, and what the field is multiplied by.
    zoom
        Whether the axis starts near the smallest value instead of at zero.
    """
    frame = pd.DataFrame(list(rows))
    if frame.empty:
        return None
    labels = list(dict.fromkeys(frame["label"]))[::-1]
    with journal():
        figure = Figure(figsize=(COLUMN + 1.4 * len(quantities), 0.8 + 0.27 * len(labels)))
        for axes, (field, title, scale) in zip(
            np.atleast_1d(figure.subplots(1, len(quantities), sharey=True)), quantities, strict=True
        ):
            lowest = np.inf
            for place, label in enumerate(labels):
                part = frame[frame["label"] == label]
                values = scale * part[field].to_numpy(float)
                lowest = min(lowest, float(np.nanmin(values)))
                colour = look_of(str(part["method"].iloc[0])).colour
                axes.barh(place, np.nanmean(values), height=0.6, color=colour, alpha=0.55)
                axes.plot(values, np.full(len(values), place), ".", color=INK, markersize=3)
            axes.set_yticks(range(len(labels)), labels)
            axes.tick_params(axis="y", length=0)
            axes.set_xlabel(title)
            if zoom:
                axes.set_xlim(left=max(0.0, lowest - 5))
    return figure
