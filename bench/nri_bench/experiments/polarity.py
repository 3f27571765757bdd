"""``nri bench polarity``: how often is a disjunction found, by the signs of its literals?

Literals with equal statistics have equal gates in every slot of the paper's network (docs/paper-results.md).
Clauses of a disjunction over fair coins have equal statistics but for the polarity bit and for chance, so
what the network finds depends on the signs of the rule. Without that symmetry all patterns are found alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nri_bench.experiments.base import Experiment, Options, chosen_methods, method_facts
from nri_bench.experiments.synthetic import N_CAUSAL, Truth, all_rows, draw_rows
from nri_bench.methods import get_method
from nri_bench.run import Job, Measures, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("paper", "paper-tuned", "paper-feedback", "greedy")
QUICK_METHOD_NAMES = ("paper",)
PATTERNS = (
    *("+ +", "+ -", "- -"),
    *("+ + +", "+ + -", "+ - -", "- - -"),
    *("++ ++", "++ +-", "++ --", "+- +-", "+- --", "-- --"),
)
"""Signs of the literals, clause by clause."""
N_ROWS = 256
EPISODES = 50


def jobs(options: Options) -> list[Job]:
    """One job for each method, pattern of signs and seed."""
    methods = chosen_methods(options, METHOD_NAMES, QUICK_METHOD_NAMES)
    seeds = options.seeds or ((0,) if options.quick else (0, 1, 2, 3))
    patterns, episodes = (PATTERNS[:2], 2) if options.quick else (PATTERNS, EPISODES)
    return [
        Job(
            key={
                "experiment": "polarity", "method": method.name, "pattern": pattern, "M": N_ROWS,
                "N": N_CAUSAL, "seed": seed,
            },
            work=find,
            arguments={"method": method.name, "pattern": pattern, "seed": seed, "n_episodes": episodes},
            facts={"n_episodes": episodes, **method_facts(method)},
            packages=method.packages,
        )
        for pattern in patterns
        for seed in seeds
        for method in methods
    ]  # fmt: skip


def find(method: str, pattern: str, seed: int, n_episodes: int) -> Measures:
    """Hide rules of one pattern, each over columns of its own, and compare on all 2^N rows."""
    everything = all_rows(N_CAUSAL)
    accuracy = []
    for episode in range(n_episodes):
        rng = np.random.default_rng([seed, episode, PATTERNS.index(pattern)])
        truth = draw_rule(rng, pattern)
        X = draw_rows(rng, truth, N_ROWS)
        model = get_method(method).make(seed).fit(X, truth.holds(X).astype(np.int64))
        answer = np.asarray(model.predict(everything)).astype(bool)
        accuracy.append(np.mean(answer == truth.holds(everything)))
    return {"equal": float(np.mean(np.array(accuracy) == 1)), "accuracy": float(np.mean(accuracy))}


def draw_rule(rng: np.random.Generator, pattern: str) -> Truth:
    """Draw a rule of these signs, no column twice."""
    columns = iter(rng.permutation(N_CAUSAL))
    clauses = [tuple((int(next(columns)), sign == "+") for sign in clause) for clause in pattern.split()]
    return Truth(tuple(clauses), N_CAUSAL)


def table(rows: Sequence[Row]) -> str:
    """Share of rules found exactly, a line for each pattern, a column for each method."""
    from nri_bench.tables.cell import NO_ROWS, markdown, percent
    from nri_bench.tables.frame import frame_of, in_order, label_of

    frame = frame_of(rows)
    if frame.empty:
        return NO_ROWS
    methods = in_order(frame["method"].unique())
    lines = []
    for pattern in PATTERNS:
        part = frame[frame["pattern"] == pattern]
        cells = [part.loc[part["method"] == method, "equal"] for method in methods]
        lines.append([shape_of(pattern), pattern, *(percent(cell.mean(), 0) for cell in cells)])
    words = f"Found exactly, in %; {N_ROWS} support rows. A sign for each literal, a group for each clause.\n"
    return f"{markdown(['rule', 'signs', *map(label_of, methods)], lines)}\n{words}"


def shape_of(pattern: str) -> str:
    """Return clauses x literals.

    >>> shape_of("++ +-")
    '2x2'
    """
    clauses = pattern.split()
    return f"{len(clauses)}x{len(clauses[0])}"


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw a group of bars for each pattern, a panel for each shape."""
    from nri_bench.figures.dots import pattern_bars

    figure = pattern_bars(rows, {shape: [p for p in PATTERNS if shape_of(p) == shape] for shape in SHAPES})
    return {"polarity": figure} if figure else {}


SHAPES = tuple(dict.fromkeys(map(shape_of, PATTERNS)))

EXPERIMENT = Experiment(
    "polarity", "How often a disjunction is found, by the signs of its literals.", jobs, table, figures
)
