"""Tables of the experiments that vary one or two quantities."""

from collections.abc import Callable, Sequence

import pandas as pd

from nri.bench.run import Row
from nri.bench.tables.frame import frame_of, in_order, label_of
from nri.bench.tables.markdown import markdown

EMPTY = "No rows yet.\n"


def curve_table(rows: Sequence[Row], over: str, heading: Callable[[float], str]) -> str:
    """Mean accuracy in percent: a line for each method, a column for each value of ``over``."""
    frame = frame_of(rows)
    if frame.empty:
        return EMPTY
    means = frame.groupby(["method", over])["score"].mean().unstack(over)
    lines = [[label_of(name), *map(_percent, means.loc[name])] for name in in_order(means.index)]
    return markdown(["method", *(heading(float(value)) for value in means.columns)], lines)


def spurious_table(rows: Sequence[Row]) -> str:
    """Accuracy over all D and rho, at the corners the paper names, and with the distractors gone idle."""
    frame = frame_of(rows)
    if frame.empty:
        return EMPTY
    lines = []
    for name in in_order(frame["method"].unique()):
        cells = frame[frame["method"] == name].groupby(["D", "rho"])[["score", "shifted_accuracy"]].mean()
        most = cells.index.get_level_values("D").max()
        weak, strong = cells.loc[most].iloc[0], cells.loc[most].iloc[-1]
        shares = [cells["score"].mean(), cells["score"].min(), weak["score"], strong["score"]]
        lines.append([label_of(name), *map(_percent, shares), _percent(cells["shifted_accuracy"].min())])
    most, rhos = int(frame["D"].max()), sorted(frame["rho"].unique())
    corners = [f"D {most}, ρ {rhos[0]:g}", f"D {most}, ρ {rhos[-1]:g}"]  # noqa: RUF001
    return markdown(["method", "mean", "least", *corners, "least, distractors idle"], lines)


def scaling_table(rows: Sequence[Row]) -> str:
    """Milliseconds to fit, of rows measured on a quiet machine, and peak megabytes, for each table size."""
    frame = frame_of(rows)
    if frame.empty:
        return EMPTY
    frame["size"] = list(zip(frame["M"], frame["N"], strict=True))
    frame["ms"] = (1000 * frame["fit_seconds"]).where(frame["timed"])
    lines = []
    for name in in_order(frame["method"].unique()):
        for value, unit in (("ms", "ms"), ("peak_mb", "MB")):
            means = frame[frame["method"] == name].groupby("size")[value].median()
            cells = ["–" if pd.isna(mean) else f"{mean:.3g}" for mean in means]  # noqa: RUF001
            lines.append([label_of(name), unit, *cells])
    sizes = [f"{m}x{n}" for m, n in sorted(frame["size"].unique())]
    return markdown(["method (M x N)", "", *sizes], lines)


def _percent(share: float) -> str:
    return "–" if pd.isna(share) else f"{100 * share:.1f}"  # noqa: RUF001
