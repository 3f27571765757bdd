"""``nri bench spurious``: accuracy when D columns follow the label without taking part in the rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nri_bench.experiments.base import Experiment, Options, chosen_methods, method_facts
from nri_bench.experiments.synthetic import N_CAUSAL, all_rows, distractors, draw_rows, draw_truth
from nri_bench.methods import get_method
from nri_bench.run import Job, Measures, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("ripper", "tree", "logistic", "paper", "paper-tuned", "paper-feedback", "greedy", "seeded")
QUICK_METHOD_NAMES = ("tree", "logistic", "paper", "greedy", "seeded")
COUNTS = (0, 4, 8, 16, 32)
RHOS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""The paper's nine."""
N_ROWS = 128
EPISODES = 20


def jobs(options: Options) -> list[Job]:
    """One job for each method, number of distractors, strength and seed."""
    methods = chosen_methods(options, METHOD_NAMES, QUICK_METHOD_NAMES)
    seeds = options.seeds or ((0,) if options.quick else (0, 1, 2, 3, 4))
    counts, rhos, episodes = ((0, 8), (0.5, 0.9), 2) if options.quick else (COUNTS, RHOS, EPISODES)
    return [
        Job(
            key={
                "experiment": "spurious", "method": method.name, "D": count, "rho": rho,
                "M": N_ROWS, "N": N_CAUSAL, "seed": seed,
            },
            work=resist,
            arguments={
                "method": method.name, "count": count, "rho": rho, "seed": seed, "n_episodes": episodes,
            },
            facts={"n_episodes": episodes, **method_facts(method)},
            packages=method.packages,
        )
        for count in counts
        for rho in rhos
        for seed in seeds
        for method in methods
    ]  # fmt: skip


def resist(method: str, count: int, rho: float, seed: int, n_episodes: int) -> Measures:
    """Learn rules beside distractors that are 1 with chance rho on positive rows and 1 - rho on others.

    ``accuracy`` is on all 2^12 causal rows with distractors drawn as in the support;
    ``shifted_accuracy`` on the same rows with distractors that are fair coins, where every reliance on
    them shows.
    """
    causal = all_rows(N_CAUSAL)
    accuracy: list[float] = []
    shifted: list[float] = []
    for episode in range(n_episodes):
        rng = np.random.default_rng([seed, episode])
        truth = draw_truth(rng, int(rng.integers(1, 4)), int(rng.integers(1, 4)), N_CAUSAL)
        X = draw_rows(rng, truth, N_ROWS)
        y, y_all = truth.holds(X), truth.holds(causal)
        model = get_method(method).make(seed)
        model.fit(np.hstack([X, distractors(rng, y, count, rho)]), y.astype(np.int64))
        for chance, scores in ((rho, accuracy), (0.5, shifted)):
            rows = np.hstack([causal, distractors(rng, y_all, count, chance)])
            scores.append(float(np.mean(np.asarray(model.predict(rows)).astype(bool) == y_all)))
    return {"accuracy": float(np.mean(accuracy)), "shifted_accuracy": float(np.mean(shifted))}


def table(rows: Sequence[Row]) -> str:
    """Least, mean and shifted accuracy over all settings, and the two corners the paper names."""
    from nri_bench.tables.curves import spurious_table

    return spurious_table(rows)


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw a D x rho heat map for each method."""
    from nri_bench.figures.heatmap import spurious_heatmaps

    return spurious_heatmaps(rows)


EXPERIMENT = Experiment(
    "spurious", "Accuracy beside columns that only follow the label.", jobs, table, figures
)
