"""``nri bench missing``: accuracy on whole rows after a share of the support's cells was lost.

The paper says that the observation rates among its statistics make the network robust to unknown cells. So
each model that reads unknown cells is also given the same tables with the gaps filled, as its rivals are:
what knowing that a cell is unknown is worth is the difference of the two lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nri_bench.arrays import FloatArray
from nri_bench.experiments.base import Experiment, Options, chosen_methods, method_facts
from nri_bench.experiments.synthetic import N_CAUSAL, all_rows, draw_rows, draw_truth
from nri_bench.methods import Method, get_method
from nri_bench.run import Job, Measures, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("ripper", "tree", "logistic", "paper", "paper-tuned", "paper-feedback", "greedy", "seeded")
QUICK_METHOD_NAMES = ("tree", "paper")
RATES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
N_ROWS = 128
EPISODES = 20
UNKNOWN, FILLED = "unknown", "filled"
"""How a model is shown the gaps: as such, or with the column's most frequent value."""


def jobs(options: Options) -> list[Job]:
    """One job for each method, way to show the gaps, share of them and seed."""
    methods = chosen_methods(options, METHOD_NAMES, QUICK_METHOD_NAMES)
    seeds = options.seeds or ((0,) if options.quick else (0, 1, 2, 3, 4))
    rates, episodes = ((0.0, 0.3), 2) if options.quick else (RATES, EPISODES)
    return [
        Job(
            key={
                "experiment": "missing", "method": method.name, "gaps": gaps, "missing": rate,
                "M": N_ROWS, "N": N_CAUSAL, "seed": seed,
            },
            work=endure_gaps,
            arguments={
                "method": method.name, "gaps": gaps, "rate": rate, "seed": seed, "n_episodes": episodes,
            },
            facts={"n_episodes": episodes, **method_facts(method)},
            packages=method.packages,
        )
        for rate in rates
        for seed in seeds
        for method in methods
        for gaps in ways(method)
    ]  # fmt: skip


def ways(method: Method) -> tuple[str, ...]:
    """Return how a method can be shown gaps."""
    return (UNKNOWN, FILLED) if method.keeps_missing else (FILLED,)


def endure_gaps(method: str, gaps: str, rate: float, seed: int, n_episodes: int) -> Measures:
    """Learn rules of 1 to 3 clauses of 1 to 3 literals from rows with gaps, judge them on all whole rows."""
    everything = all_rows(N_CAUSAL)
    accuracy = []
    for episode in range(n_episodes):
        rng = np.random.default_rng([seed, episode])  # the same rules and rows at every rate
        truth = draw_truth(rng, int(rng.integers(1, 4)), int(rng.integers(1, 4)), N_CAUSAL)
        X = draw_rows(rng, truth, N_ROWS)
        shown = np.where(rng.random(X.shape) < rate, np.nan, X)
        if gaps == FILLED:
            shown = filled(shown)
        model = get_method(method).make(seed).fit(shown, truth.holds(X).astype(np.int64))
        answer = np.asarray(model.predict(everything)).astype(bool)
        accuracy.append(np.mean(answer == truth.holds(everything)))
    return {"accuracy": float(np.mean(accuracy))}


def filled(X: FloatArray) -> FloatArray:
    """[M, N] with the more frequent value of each column in its gaps.

    >>> filled(np.array([[1.0], [1.0], [np.nan], [0.0]])).ravel()
    array([1., 1., 1., 0.])
    """
    ones, known = np.nansum(X, axis=0), (~np.isnan(X)).sum(axis=0)
    return np.where(np.isnan(X), (2 * ones > known).astype(np.float64), X)


def table(rows: Sequence[Row]) -> str:
    """Accuracy on whole rows: a column for each share of gaps, the models that read them first."""
    from nri_bench.tables.cell import NO_ROWS
    from nri_bench.tables.curves import curve_table

    parts = []
    for gaps, words in ((UNKNOWN, "Gaps shown as unknown cells"), (FILLED, "Gaps filled first")):
        part = [row for row in rows if row["gaps"] == gaps]
        if part:
            text = curve_table(part, over="missing", heading=lambda rate: f"{100 * rate:.0f} %")
            parts.append(f"{words}:\n\n{text}")
    return "\n".join(parts) or NO_ROWS


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Accuracy over the share of gaps, every model as it takes them best: unknown where it can read that."""
    from nri_bench.figures.curves import accuracy_curves

    reads = {row["method"] for row in rows if row["gaps"] == UNKNOWN}
    shown = [row for row in rows if row["gaps"] == UNKNOWN or row["method"] not in reads]
    figure = accuracy_curves(shown, over="missing", label="cells lost in the support (%)", scale=100)
    return {"missing": figure} if figure else {}


EXPERIMENT = Experiment(
    "missing", "Accuracy on whole rows when up to half of the cells are unknown.", jobs, table, figures
)
