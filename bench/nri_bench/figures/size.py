"""The figure of ``nri bench size``."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from nri_bench.figures.style import PAGE, journal
from nri_bench.run import Row
from nri_bench.tables.frame import label_of

_LOOKS = {"nri": "o-", "duckdb": "s:", "tree": "^--", "xgboost": "v-."}
_NAMES = {"nri": "nri induce", "duckdb": "one aggregate by DuckDB"}


def size_figure(rows: Sequence[Row]) -> Figure | None:
    """Draw processor seconds and peak memory of whole processes over the rows of the planted table."""
    known = [row for row in rows if row["status"] == "ok" and row["table"] == "planted"]
    if not known:
        return None
    with journal():
        figure = Figure(figsize=(PAGE * 0.85, 2.6))
        panels = figure.subplots(1, 2)
        sides = (("cpu_seconds", "processor seconds"), ("process_mb", "peak memory (MB)"))
        for axes, (value, label) in zip(panels, sides, strict=True):
            for method, look in _LOOKS.items():
                points = sorted((row["M"], row[value]) for row in known if row["method"] == method)
                if points:
                    name = _NAMES.get(method) or label_of(method)
                    axes.plot(*zip(*points, strict=True), look, color="black", markersize=4, label=name)
            axes.set(xscale="log", yscale="log", xlabel="rows", ylabel=label)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=4, handlelength=2.6)
    return figure
