"""``nri bench seeds``: the paper's network on its fourteen sets with ten seeds, as the paper reports it.

Table 1 compares all methods on three seeds, which a search can afford; this is the one line that the paper
has ten seeds of, and the spread that belongs to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nri_bench.datasets import Dataset
from nri_bench.experiments.base import ON_DATA, Experiment, Options, chosen_methods, method_facts
from nri_bench.experiments.uci import datasets, problem_of
from nri_bench.protocols import splits
from nri_bench.run import Job, Measures, Row
from nri_bench.run.score import fit_and_score

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("paper",)
SEEDS = tuple(range(10))


def jobs(options: Options) -> list[Job]:
    """One job for each data set, protocol and seed; it runs all five folds."""
    methods = chosen_methods(options, METHOD_NAMES, METHOD_NAMES)
    return [
        Job(
            key={
                "experiment": "seeds",
                "method": method.name,
                "dataset": data.name,
                "protocol": protocol,
                "seed": seed,
            },
            work=fit_folds,
            arguments={"method": method.name, "data": data, "protocol": protocol, "seed": seed},
            facts={"data": data.sha256[:8], **method_facts(method)},
            packages=method.packages,
        )
        for data in datasets(options)
        for protocol in options.protocols or ("p20", "p4")
        for seed in options.seeds or ((0,) if options.quick else SEEDS)
        for method in methods
    ]


def fit_folds(method: str, data: Dataset, protocol: str, seed: int) -> Measures:
    """Fit on the support of every fold; return means over the folds."""
    found = [fit_and_score(method, problem_of(data, split), seed) for split in splits(data.y, protocol, seed)]
    names = ("accuracy", "balanced_accuracy", "clauses", "literals")
    return {name: float(np.mean([fold[name] for fold in found])) for name in names}


def table(rows: Sequence[Row]) -> str:
    """Mean over the data sets with its spread over seeds, and every data set; a line for each."""
    from nri_bench.tables.cell import NO_ROWS, cell_of, markdown, marked_as_fewer, notes, written
    from nri_bench.tables.frame import frame_of, in_order, label_of

    frame = frame_of(rows)
    if frame.empty:
        return NO_ROWS
    columns = [
        (method, protocol)
        for method in in_order(frame["method"].unique())
        for protocol in sorted(frame["protocol"].unique())
    ]
    parts = [frame[(frame["method"] == m) & (frame["protocol"] == p)] for m, p in columns]
    names = sorted(frame["dataset"].unique())
    lines, cells = [], []
    for name in [*names, None]:
        groups = [part if name is None else part[part["dataset"] == name] for part in parts]
        if name is None:  # a mean over fewer sets or seeds would compare these
            most = max(len(group) for group in groups)
            groups = [group if len(group) == most else group[:0] for group in groups]
        found = [
            cell_of(group, spread_of=group.groupby("seed")["score"].mean()) if len(group) else None
            for group in groups
        ]
        marked = marked_as_fewer(found)
        lines.append([name or f"mean over {len(names)} sets", *map(written, marked)])
        cells += [cell for cell in marked if cell is not None]
    header = ["data set", *(f"{label_of(m)}, {p}" for m, p in columns)]
    n_seeds = frame["seed"].nunique()
    caption = f"Accuracy in %, five folds each: mean ± standard deviation over {n_seeds} seeds."
    return f"{markdown(header, lines)}\n{caption}{notes(cells)}\n"


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw each data set's mean and seeds, a panel for each protocol."""
    from nri_bench.figures.dots import variant_dots
    from nri_bench.tables.frame import label_of

    several = len({row["method"] for row in rows}) > 1
    protocols = sorted({str(row["protocol"]) for row in rows})
    labelled = [
        {
            **row,
            "label": f"{row['dataset']}, {label_of(str(row['method']))}" if several else row["dataset"],
            f"accuracy {row['protocol']}": row["accuracy"],
        }
        for row in rows
        if row["status"] == "ok"
    ]
    quantities = tuple((f"accuracy {name}", f"accuracy (%), {name}", 100.0) for name in protocols)
    figure = variant_dots(labelled, quantities, one_scale=True)
    return {"seeds": figure} if figure else {}


EXPERIMENT = Experiment(
    "seeds", "The paper's network on its data sets with ten seeds.", jobs, table, figures, takes=ON_DATA
)
