"""``nri bench recovery``: how often is a hidden DNF found exactly? (the paper's K x L heat map, N = 12)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nri_bench.experiments.base import Experiment, Options, chosen_methods, method_facts
from nri_bench.experiments.synthetic import N_CAUSAL, all_rows, draw_rows, draw_truth
from nri_bench.methods import get_method, rule_size
from nri_bench.run import Job, Measures, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("exact", "seeded", "greedy", "paper", "paper-tuned", "paper-feedback", "tree-dnf", "ripper")
QUICK_METHOD_NAMES = ("exact", "tree-dnf", "paper", "greedy", "seeded")
CLAUSES, LITERALS = (1, 2, 3, 4), (1, 2, 3)
SUPPORT_SIZES = (48, 256)
EPISODES = 20
"""Rules for each cell and seed."""
NETWORK_SEEDS, NETWORK_EPISODES = tuple(range(10)), 200
"""The paper's own: 2000 rules a cell, which its network does in minutes and a search in days."""
NETWORKS = ("paper", "paper-tuned", "paper-feedback")


def jobs(options: Options) -> list[Job]:
    """One job for each method, K, L, M and seed."""
    methods = chosen_methods(options, METHOD_NAMES, QUICK_METHOD_NAMES)
    sizes = (48,) if options.quick else SUPPORT_SIZES
    clauses, literals = ((1, 2), (1, 2)) if options.quick else (CLAUSES, LITERALS)
    return [
        Job(
            key={
                "experiment": "recovery",
                "method": method.name,
                "K": k,
                "L": n,
                "M": m,
                "N": N_CAUSAL,
                "seed": seed,
            },
            work=recover,
            arguments={"method": method.name, "shape": (k, n, m), "seed": seed, "n_episodes": episodes},
            facts={"n_episodes": episodes, **method_facts(method)},
            packages=method.packages,
        )
        for m in sizes
        for k in clauses
        for n in literals
        for method in methods
        for seeds, episodes in [_repeats(method.name, options)]
        for seed in seeds
    ]


def _repeats(method: str, options: Options) -> tuple[Sequence[int], int]:
    """Return the seeds of a method, and its rules for each cell and seed."""
    if options.quick:
        return options.seeds or (0,), 2
    if method in NETWORKS:
        return options.seeds or NETWORK_SEEDS, NETWORK_EPISODES
    return options.seeds or (0, 1, 2, 3, 4), EPISODES


def recover(method: str, shape: tuple[int, int, int], seed: int, n_episodes: int) -> Measures:
    """Hide rules, learn each one from M noise-free rows, and compare on all 2^N rows."""
    n_clauses, n_literals, n_rows = shape
    rng = np.random.default_rng([seed, n_clauses, n_literals, n_rows])
    everything = all_rows(N_CAUSAL)
    accuracy, clauses, literals = [], [], []
    for _ in range(n_episodes):
        truth = draw_truth(rng, n_clauses, n_literals, N_CAUSAL)
        X = draw_rows(rng, truth, n_rows)
        model = get_method(method).make(seed).fit(X, truth.holds(X).astype(np.int64))
        answer = np.asarray(model.predict(everything)).astype(bool)
        accuracy.append(np.mean(answer == truth.holds(everything)))
        size = rule_size(model)
        if size is not None:
            clauses.append(size.clauses)
            literals.append(size.literals)
    return {
        "equal": float(np.mean(np.array(accuracy) == 1)),
        "accuracy": float(np.mean(accuracy)),
        "clauses": float(np.mean(clauses)) if clauses else None,
        "literals": float(np.mean(literals)) if literals else None,
    }


def table(rows: Sequence[Row]) -> str:
    """Share of rules found exactly, and the networks' accuracy, over methods, support sizes and K x L."""
    from nri_bench.tables.curves import clauses_against_literals, recovery_accuracy_table, recovery_table

    if not any(row["method"] in NETWORKS for row in rows):
        return recovery_table(rows)
    accuracy = recovery_accuracy_table(rows, NETWORKS)
    words = "Accuracy on all rows there are, in %, whether or not the hidden rule is found:"
    pairs = "K against L: rules of as many literals, as more clauses and as longer ones, found exactly in %:"
    shapes = clauses_against_literals(rows, NETWORKS)
    return f"{recovery_table(rows)}\n{words}\n\n{accuracy}\n{pairs}\n\n{shapes}"


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw a heat map for each method, one figure for each support size."""
    from nri_bench.figures.heatmap import recovery_heatmaps

    return recovery_heatmaps(rows)


EXPERIMENT = Experiment(
    "recovery", "How often a hidden DNF is found exactly, over K x L.", jobs, table, figures
)
