"""Who is better than whom: the critical-difference diagram and win-tie-loss bars."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from nri_bench.figures.style import COLUMN, INK, PAGE, is_ours, journal, look_of, marker_of, weight_of
from nri_bench.figures.words import add_note, fewer_fits, left_out, spread_out
from nri_bench.run import Row
from nri_bench.tables.frame import label_of, scores_by_set
from nri_bench.tables.statistics import Ranking, rank_methods, win_tie_loss

GAP = 0.16
"""Least distance of two methods' lines, in ranks; nearer ones are bent apart right below the axis."""
KNEE = 0.45
"""How far below the axis lines have come apart."""


def critical_difference_figure(rows: Sequence[Row], protocol: str) -> Figure | None:
    """Draw average ranks on a line, with bars over the methods that do not differ significantly."""
    scores = scores_by_set(rows, protocol)
    if scores.shape[0] < 2 or scores.shape[1] < 3:
        return None
    ranking = rank_methods(scores)
    n_methods = len(ranking.methods)
    half = -(-n_methods // 2)
    cliques = ranking.cliques()
    depth = KNEE + 0.5 + 0.42 * len(cliques)
    places = spread_out(ranking.ranks.tolist(), GAP, 1.0, float(n_methods))
    with journal():
        figure = Figure(figsize=(PAGE * 0.8, 0.85 + 0.19 * half + 0.1 * len(cliques)))
        axes = figure.subplots()
        axes.axis("off")
        axes.set_xlim(n_methods + 0.3, 0.7)  # the best on the right
        axes.set_ylim(-depth - 0.95 * half, 2.4)
        _rank_axis(axes, n_methods)
        _distance(axes, ranking, n_methods)
        for level, (first, last) in enumerate(cliques):
            y = -KNEE - 0.25 - 0.42 * level
            ends = [places[first] - 0.06, places[last] + 0.06]
            axes.plot(ends, [y, y], color=INK, linewidth=2.4, solid_capstyle="butt", zorder=1)
        _names(axes, ranking, places, half, depth)
        left = left_out(rows, protocol, scores.columns)
        add_note(figure, (left, fewer_fits(rows, protocol, scores.columns)))
    return figure


def _rank_axis(axes: Axes, n_methods: int) -> None:
    axes.plot([1, n_methods], [0, 0], color=INK, linewidth=0.8)
    for rank in range(1, n_methods + 1):
        axes.plot([rank, rank], [0, 0.25], color=INK, linewidth=0.8)
        axes.text(rank, 0.4, str(rank), ha="center", va="bottom", fontsize=7)


def _distance(axes: Axes, ranking: Ranking, n_methods: int) -> None:
    left, right = n_methods, n_methods - ranking.critical_difference
    axes.plot([left, right], [1.75, 1.75], color=INK, linewidth=1)
    for end in (left, right):
        axes.plot([end, end], [1.6, 1.9], color=INK, linewidth=1)
    text = f"critical difference {ranking.critical_difference:.2f} (Nemenyi, {100 * ranking.alpha:g} % level)"
    axes.text(left, 2.0, text, ha="left", va="bottom", fontsize=7)
    p = "p < 0.001" if ranking.friedman_p < 0.001 else f"p = {ranking.friedman_p:.3f}"
    note = f"average rank over {ranking.n_datasets} data sets, 1 is best; Friedman {p}"
    axes.annotate(
        note, (0.5, 0), (0, -4), "axes fraction", "offset points", ha="center", va="top", fontsize=7
    )


def _names(axes: Axes, ranking: Ranking, places: Sequence[float], half: int, depth: float) -> None:
    """Lead a line from each rank to its name, in the method's colour and with its marker beside the name."""
    n_methods = len(ranking.methods)
    for index, (method, rank) in enumerate(zip(ranking.methods, ranking.ranks, strict=True)):
        right = index < half
        line = index if right else n_methods - 1 - index
        y, edge = -depth - 0.9 * line, 0.7 if right else n_methods + 0.3
        way = [(rank, 0.0), (places[index], -KNEE), (places[index], y), (edge, y)]
        axes.plot(*zip(*way, strict=True), color=look_of(method).colour, linewidth=_width(method), zorder=2)
        axes.plot(edge, y, linestyle="none", clip_on=False, zorder=3, **marker_of(method))
        text = f"{label_of(method)}  {rank:.1f}" if right else f"{rank:.1f}  {label_of(method)}"
        axes.annotate(
            text, (edge, y), (7 if right else -7, 0), textcoords="offset points", va="center",
            ha="left" if right else "right", fontsize=7.5, color=INK, fontweight=weight_of(method),
        )  # fmt: skip


def _width(method: str) -> float:
    return 1.3 if is_ours(method) else 0.8


def win_tie_loss_figure(rows: Sequence[Row], protocol: str) -> Figure | None:
    """Draw on how many data sets a method wins, ties (to 0.1 point) and loses against every other one.

    The method is the first of seeded, greedy, paper that has rows, else the one of the best mean.
    """
    scores = scores_by_set(rows, protocol)
    if scores.shape[1] < 2:
        return None
    ours = [name for name in ("seeded", "greedy", "paper") if name in scores.columns]
    hero = ours[0] if ours else str(scores.mean().idxmax())
    counts = win_tie_loss(scores).loc[hero].drop(hero)
    order = sorted(counts.index, key=lambda name: (counts[name][0] - counts[name][2], counts[name][0]))
    wins, ties, losses = np.array([counts[name] for name in order], dtype=np.float64).T
    with journal():
        figure = Figure(figsize=(COLUMN, 0.7 + 0.19 * len(order)))
        axes = figure.subplots()
        y = np.arange(len(order))
        parts = (
            (wins, np.zeros_like(wins), "wins", "#0072B2", "white", None),
            (ties, wins, "ties", "#dddddd", INK, None),
            (losses, wins + ties, "losses", "#E69F00", INK, "////"),
        )
        for count, left, name, colour, ink, hatch in parts:
            axes.barh(
                y,
                count,
                left=left,
                height=0.74,
                color=colour,
                edgecolor="white",
                hatch=hatch,
                linewidth=0.6,
                label=name,
            )
            for line in np.flatnonzero(count).tolist():
                box = {"facecolor": colour, "edgecolor": "none", "pad": 0.8}
                axes.text(
                    left[line] + count[line] / 2, line, f"{count[line]:.0f}", color=ink, bbox=box,
                    ha="center", va="center", fontsize=6.5,
                )  # fmt: skip
        axes.set_yticks(y, [label_of(str(name)) for name in order])
        axes.tick_params(axis="y", length=0)
        axes.set_xlim(0, len(scores))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlabel(f"data sets: {label_of(hero)} against each")
        axes.grid(False)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, handlelength=1.2, borderpad=0)
    return figure
