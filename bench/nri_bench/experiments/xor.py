"""``nri bench xor``: is an exclusive or found, of which no single column is informative?

The paper says that attention over the examples lets its network see what statistics of single literals
cannot. The rule ``a AND NOT b OR NOT a AND b`` is the plainest such case; beside it stands, as a control, a
rule of the same size whose columns are informative: two clauses of two literals over four variables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nri_bench.experiments.base import Experiment, Options, chosen_methods, method_facts
from nri_bench.experiments.synthetic import Truth, all_rows, draw_rows
from nri_bench.methods import get_method
from nri_bench.run import Job, Measures, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("ripper", "tree-dnf", "paper", "paper-tuned", "paper-feedback", "greedy", "seeded")
QUICK_METHOD_NAMES = ("tree-dnf", "paper")
COLUMNS = (4, 6, 8, 12)
N_ROWS = 256
EPISODES = 50
XOR, CONTROL = "xor", "control"


def jobs(options: Options) -> list[Job]:
    """One job for each method, kind of rule, number of columns and seed."""
    methods = chosen_methods(options, METHOD_NAMES, QUICK_METHOD_NAMES)
    seeds = options.seeds or ((0,) if options.quick else (0, 1, 2))
    columns, episodes = ((4, 6), 2) if options.quick else (COLUMNS, EPISODES)
    return [
        Job(
            key={
                "experiment": "xor", "method": method.name, "rule": kind, "N": n, "M": N_ROWS, "seed": seed,
            },
            work=find,
            arguments={
                "method": method.name, "kind": kind, "n_columns": n, "seed": seed, "n_episodes": episodes,
            },
            facts={"n_episodes": episodes, **method_facts(method)},
            packages=method.packages,
        )
        for kind in (XOR, CONTROL)
        for n in columns
        for seed in seeds
        for method in methods
    ]  # fmt: skip


def find(method: str, kind: str, n_columns: int, seed: int, n_episodes: int) -> Measures:
    """Hide rules of one kind, learn each from noise-free rows, and compare on all 2^N rows."""
    everything = all_rows(n_columns)
    accuracy = []
    for episode in range(n_episodes):
        rng = np.random.default_rng([seed, episode, n_columns])
        truth = draw_rule(rng, kind, n_columns)
        X = draw_rows(rng, truth, N_ROWS)
        model = get_method(method).make(seed).fit(X, truth.holds(X).astype(np.int64))
        answer = np.asarray(model.predict(everything)).astype(bool)
        accuracy.append(np.mean(answer == truth.holds(everything)))
    return {"equal": float(np.mean(np.array(accuracy) == 1)), "accuracy": float(np.mean(accuracy))}


def draw_rule(rng: np.random.Generator, kind: str, n_columns: int) -> Truth:
    """Draw an exclusive or of two columns, or two clauses of two literals over four of them."""
    a, b, c, d = (int(column) for column in rng.permutation(n_columns)[:4])
    if kind == XOR:
        return Truth((((a, True), (b, False)), ((a, False), (b, True))), n_columns)
    signs = [bool(sign) for sign in rng.integers(0, 2, 4)]
    return Truth((((a, signs[0]), (b, signs[1])), ((c, signs[2]), (d, signs[3]))), n_columns)


def table(rows: Sequence[Row]) -> str:
    """Share of rules found exactly and accuracy on all rows, of either kind, over the number of columns."""
    from nri_bench.tables.cell import NO_ROWS, markdown, percent
    from nri_bench.tables.frame import frame_of, in_order, label_of

    frame = frame_of(rows)
    if frame.empty:
        return NO_ROWS
    kinds = [(kind, n) for kind in (XOR, CONTROL) for n in sorted(frame["N"].unique())]
    lines = []
    for name in in_order(frame["method"].unique()):
        line = [label_of(name)]
        for kind, n in kinds:
            part = frame[(frame["method"] == name) & (frame["rule"] == kind) & (frame["N"] == n)]
            line.append(f"{percent(part['equal'].mean(), 0)} ({percent(part['score'].mean(), 0)})")
        lines.append(line)
    header = ["method", *(f"{kind}, N {n:.0f}" for kind, n in kinds)]
    words = "Found exactly, in %, and in parentheses the accuracy on all rows there are; "
    return f"{markdown(header, lines)}\n{words}{N_ROWS} support rows.\n"


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Accuracy over the number of columns, for the exclusive or."""
    from nri_bench.figures.curves import accuracy_curves

    shown = [row for row in rows if row["rule"] == XOR]
    figure = accuracy_curves(shown, over="N", label="columns N, two of which matter", scale=1)
    return {"xor": figure} if figure else {}


EXPERIMENT = Experiment(
    "xor", "Whether an exclusive or is found, which no single column tells.", jobs, table, figures
)
