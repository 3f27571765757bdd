"""All figures of the comparison on data sets, for each protocol there are rows of."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from nri_bench.figures.pareto import pareto_figure, time_figure
from nri_bench.figures.ranks import critical_difference_figure, win_tie_loss_figure
from nri_bench.run import Row


def overview_figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw what the rows suffice for."""
    found: dict[str, Figure] = {}
    for protocol in dict.fromkeys(str(row["protocol"]) for row in rows):
        figures = {
            f"pareto-{protocol}": pareto_figure(rows, protocol),
            f"ranks-{protocol}": critical_difference_figure(rows, protocol),
            f"wins-{protocol}": win_tie_loss_figure(rows, protocol),
            f"time-{protocol}": time_figure(rows, protocol),
        }
        found |= {name: figure for name, figure in figures.items() if figure is not None}
    return found
