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

METHOD_NAMES = ("exact", "seeded", "greedy", "paper", "tree-dnf", "ripper")
QUICK_METHOD_NAMES = ("exact", "tree-dnf", "paper", "greedy", "seeded")
CLAUSES, LITERALS = (1, 2, 3, 4), (1, 2, 3)
SUPPORT_SIZES = (48, 256)
EPISODES = 20
"""Rules for each cell and seed."""


def jobs(options: Options) -> list[Job]:
    """One job for each method, K, L, M and seed."""
    methods = chosen_methods(options, METHOD_NAMES, QUICK_METHOD_NAMES)
    seeds = options.seeds or ((0,) if options.quick else (0, 1, 2, 3, 4))
    sizes, episodes = ((48,), 2) if options.quick else (SUPPORT_SIZES, EPISODES)
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
        for seed in seeds
        for method in methods
    ]


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
    """Share of rules found exactly, a line for each method and support size, a column for each K x L."""
    from nri_bench.tables.curves import recovery_table

    return recovery_table(rows)


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw a heat map for each method, one figure for each support size."""
    from nri_bench.figures.heatmap import recovery_heatmaps

    return recovery_heatmaps(rows)


EXPERIMENT = Experiment(
    "recovery", "How often a hidden DNF is found exactly, over K x L.", jobs, table, figures
)
