"""``nri bench clauses``: accuracy with the K' best clauses of a rule, K' = 1 to all 8 slots.

The paper says that kr-vs-kp needs all its slots. Here the rule of every data set is cut to its K' most
discriminating clauses, as the text has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nri import NRIClassifier
from nri_bench.datasets import Dataset
from nri_bench.experiments.ablation import judge
from nri_bench.experiments.base import Experiment, Options, chosen_methods, method_facts
from nri_bench.experiments.uci import datasets
from nri_bench.run import Job, Measures, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("paper",)
N_SLOTS = 8
NEEDED = 0.01
"""A data set needs as many clauses as come within this much of the best accuracy."""


def jobs(options: Options) -> list[Job]:
    """One job for each data set, number of clauses and seed."""
    methods = chosen_methods(options, METHOD_NAMES, METHOD_NAMES)
    return [
        Job(
            key={
                "experiment": "clauses",
                "method": method.name,
                "dataset": data.name,
                "most": most,
                "seed": seed,
            },
            work=judge_cut,
            arguments={"method": method.name, "data": data, "most": most, "seed": seed},
            facts={
                "n_variables": data.n_variables,
                "n_classes": len(data.classes),
                "data": data.sha256[:8],
                **method_facts(method),
            },
            packages=method.packages,
        )
        for data in datasets(options)
        for method in methods
        for most in ((1, N_SLOTS) if options.quick else range(1, N_SLOTS + 1))
        for seed in options.seeds or ((0,) if options.quick else (42, 43, 44))
    ]


def judge_cut(method: str, data: Dataset, most: int, seed: int) -> Measures:
    """Induce rules of at most so many clauses, for the same folds whatever their number."""
    return judge([data], seed, lambda: NRIClassifier(method, max_clauses=most, random_state=seed))


def table(rows: Sequence[Row]) -> str:
    """Accuracy over the number of clauses, the clauses there are, and how many are needed; a line a set."""
    from nri_bench.tables.cell import NO_ROWS, markdown, percent
    from nri_bench.tables.frame import frame_of, label_of

    frame = frame_of(rows)
    if frame.empty:
        return NO_ROWS
    lines = []
    several = frame["method"].nunique() > 1
    for (name, method), part in frame.groupby(["dataset", "method"]):
        scores = part.groupby("most")["score"].mean()
        there = part[part["most"] == part["most"].max()]["clauses"].mean()
        needed = scores.index[scores >= scores.max() - NEEDED][0]
        label = f"{name}, {label_of(str(method))}" if several else str(name)
        lines.append([label, *map(percent, scores), f"{there:.1f}", f"{needed:.0f}"])
    header = ["data set", *(f"{most:.0f}" for most in sorted(frame["most"].unique())), "clauses", "needed"]
    caption = (
        "Accuracy in % with the K' most discriminating clauses (of each class, where there are more than "
        "two); clauses of the uncut rule; "
        f"the least K' within {100 * NEEDED:.0f} point of the best. Two folds of p20."
    )
    return f"{markdown(header, lines)}\n{caption}\n"


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Mean accuracy over the data sets against the number of clauses."""
    from nri_bench.figures.curves import accuracy_curves

    figure = accuracy_curves(rows, over="most", label="clauses kept of the 8 slots", scale=1)
    return {"clauses": figure} if figure else {}


EXPERIMENT = Experiment(
    "clauses",
    "How many of its clauses a rule needs, data set by data set.",
    jobs,
    table,
    figures,
    takes=("sets", "csv"),
)
