"""``nri bench scaling``: seconds and peak memory over columns N and rows M."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nri_bench.experiments.base import Experiment, Options, chosen_methods, method_facts
from nri_bench.experiments.synthetic import draw_rows, draw_truth, flip_labels
from nri_bench.run import Job, Measures, Row
from nri_bench.run.score import Problem, fit_and_score

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("tree", "ripper", "xgboost", "paper", "paper-tuned", "paper-feedback", "greedy", "seeded")
QUICK_METHOD_NAMES = ("tree", "logistic", "paper", "greedy", "seeded")
COLUMNS = (16, 32, 64, 128, 256, 512, 1024)
ROWS = (32, 64, 128, 256, 512, 1024, 2048)
BASE_COLUMNS, BASE_ROWS = 64, 128


def jobs(options: Options) -> list[Job]:
    """One job for each method, table size and seed: N varied at M = 128, M varied at N = 64."""
    methods = chosen_methods(options, METHOD_NAMES, QUICK_METHOD_NAMES)
    seeds = options.seeds or ((0,) if options.quick else (0, 1, 2))
    columns, rows = ((16, 64), (32, 128)) if options.quick else (COLUMNS, ROWS)
    shapes = [(BASE_ROWS, n) for n in columns] + [(m, BASE_COLUMNS) for m in rows]
    return [
        Job(
            key={"experiment": "scaling", "method": method.name, "M": m, "N": n, "seed": seed},
            work=measure,
            arguments={"method": method.name, "n_rows": m, "n_columns": n, "seed": seed},
            facts=method_facts(method),
            packages=method.packages,
        )
        for m, n in dict.fromkeys(shapes)
        for seed in seeds
        for method in methods
    ]


def measure(method: str, n_rows: int, n_columns: int, seed: int) -> Measures:
    """Fit once on a table of that size: three clauses of three literals, one label in twenty flipped."""
    rng = np.random.default_rng([seed, n_rows, n_columns])
    truth = draw_truth(rng, 3, 3, n_columns)
    X, fresh = draw_rows(rng, truth, n_rows), draw_rows(rng, truth, 1000)
    y = flip_labels(rng, truth.holds(X), 0.05).astype(np.int64)
    return fit_and_score(method, Problem(X, y, fresh, truth.holds(fresh).astype(np.int64)), seed)


def table(rows: Sequence[Row]) -> str:
    """Fit seconds and peak memory at each size, a line for each method."""
    from nri_bench.tables.curves import scaling_table

    return scaling_table(rows)


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Seconds and memory over N and over M: of all methods, and of the networks beside what is stated."""
    from nri_bench.figures.curves import scaling_figure

    networks = [row for row in rows if str(row["method"]).startswith("paper")]
    drawn = {
        "scaling": scaling_figure(rows, BASE_ROWS, BASE_COLUMNS),
        "paper-scaling": scaling_figure(networks, BASE_ROWS, BASE_COLUMNS, stated=True),
    }
    return {name: figure for name, figure in drawn.items() if figure}


EXPERIMENT = Experiment(
    "scaling", "Seconds (with --timed) and peak memory over columns and rows.", jobs, table, figures
)
