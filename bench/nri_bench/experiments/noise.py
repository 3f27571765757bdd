"""``nri bench noise``: accuracy on clean rows after 0 to 30 % of the support's labels were flipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nri_bench.experiments.base import Experiment, Options, chosen_methods, method_facts
from nri_bench.experiments.synthetic import N_CAUSAL, all_rows, draw_rows, draw_truth, flip_labels
from nri_bench.methods import get_method
from nri_bench.run import Job, Measures, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("ripper", "tree", "logistic", "paper", "paper-tuned", "paper-feedback", "greedy", "seeded")
QUICK_METHOD_NAMES = ("tree", "logistic", "paper", "greedy", "seeded")
RATES = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
LIMIT = "bayes-limit"
"""The limit that no method exceeds on average; see :mod:`nri_bench.methods.bayes_limit`."""
N_ROWS = 128
EPISODES = 20


def jobs(options: Options) -> list[Job]:
    """One job for each method, noise rate and seed."""
    methods = chosen_methods(options, METHOD_NAMES, QUICK_METHOD_NAMES)
    seeds = options.seeds or ((0,) if options.quick else (0, 1, 2, 3, 4))
    rates, episodes = ((0.0, 0.15, 0.3), 2) if options.quick else (RATES, EPISODES)
    return [
        Job(
            key={
                "experiment": "noise",
                "method": method.name,
                "noise": rate,
                "M": N_ROWS,
                "N": N_CAUSAL,
                "seed": seed,
            },
            work=endure_noise,
            arguments={"method": method.name, "rate": rate, "seed": seed, "n_episodes": episodes},
            facts={"n_episodes": episodes, **method_facts(method)},
            packages=method.packages,
        )
        for rate in rates
        for seed in seeds
        for method in methods
        if method.name != LIMIT or rate == max(RATES)  # it takes minutes: only where noise is highest
    ]


def endure_noise(method: str, rate: float, seed: int, n_episodes: int) -> Measures:
    """Learn rules of 1 to 3 clauses of 1 to 3 literals from noisy labels, judge them on clean ones.

    ``accuracy`` is on all 2^N rows. ``support_accuracy`` is on the support's own rows with their clean
    labels, the only reading under which a full tree can have 100 % without noise as in the paper.
    """
    everything = all_rows(N_CAUSAL)
    accuracy, on_support = [], []
    for episode in range(n_episodes):
        rng = np.random.default_rng([seed, episode])  # the same rules and rows at every rate
        truth = draw_truth(rng, int(rng.integers(1, 4)), int(rng.integers(1, 4)), N_CAUSAL)
        X = draw_rows(rng, truth, N_ROWS)
        clean = truth.holds(X)
        model = get_method(method).make(seed)
        if method == LIMIT:  # so it may know the rate, which methods do not get
            model.set_params(familyposterior__rate=rate)
        model.fit(X, flip_labels(rng, clean, rate).astype(np.int64))
        accuracy.append(
            np.mean(np.asarray(model.predict(everything)).astype(bool) == truth.holds(everything))
        )
        on_support.append(np.mean(np.asarray(model.predict(X)).astype(bool) == clean))
    return {"accuracy": float(np.mean(accuracy)), "support_accuracy": float(np.mean(on_support))}


def table(rows: Sequence[Row]) -> str:
    """Accuracy on clean rows, a line for each method, a column for each noise rate."""
    from nri_bench.tables.curves import curve_table

    return curve_table(rows, over="noise", heading=lambda rate: f"{100 * rate:.0f} %")


STATED = {
    "paper": {0.0: 92.3, 0.3: 87.4},
    "ripper": {0.0: 98.4, 0.3: 70.3},
    "tree": {0.0: 100.0, 0.3: 69.9},
}
"""Accuracy in % that the paper states, by method and rate; it names neither M nor the rules."""


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Accuracy over the noise rate: of all methods, and of the paper's beside what it states."""
    from nri_bench.figures.curves import accuracy_curves

    shown = {*STATED, "paper-tuned", "paper-feedback"}
    parts = {"noise": (rows, None), "paper-noise": ([row for row in rows if row["method"] in shown], STATED)}
    label = "labels flipped in the support (%)"
    drawn = {
        name: accuracy_curves(part, over="noise", label=label, scale=100, stated=stated)
        for name, (part, stated) in parts.items()
    }
    return {name: figure for name, figure in drawn.items() if figure}


EXPERIMENT = Experiment("noise", "Accuracy on clean rows under 0 to 30 % label noise.", jobs, table, figures)
