"""``nri bench uci``: Table 1, every method on every data set under p20 and p4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from nri_bench.datasets import Dataset, load_csv, load_dataset, uci_names
from nri_bench.experiments.base import ON_DATA, Experiment, Options, chosen_methods, method_facts
from nri_bench.methods import QUICK_METHODS, TABLE_METHODS, Method
from nri_bench.protocols import Split, splits
from nri_bench.run import Job, Measures, Row
from nri_bench.run.score import Problem, fit_and_score, majority_accuracy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK_SETS = ("tic-tac-toe", "monks-3", "balance-scale")
"""Generated, so that a newcomer needs neither files nor a network."""
SMALL = "small"
SMALL_SETS = tuple(name for name in uci_names() if name not in ("adult", "mushroom", "nursery", "spambase"))
"""Those of the fourteen with fewer than 4000 rows, for which ``--sets small`` stands."""
SEEDS = {"p4": (0, 1, 2)}
OTHER_SEEDS = (42, 43, 44)
"""Of every protocol but those above."""


def jobs(options: Options) -> list[Job]:
    """One job for each data set, protocol, seed, fold and method."""
    protocols = options.protocols or ("p20", "p4")
    return fold_jobs("uci", options, protocols, chosen_methods(options, TABLE_METHODS, QUICK_METHODS))


def fold_jobs(
    experiment: str, options: Options, protocols: Sequence[str], methods: list[Method]
) -> list[Job]:
    """One job for each data set, protocol, seed, fold and method of any experiment on data sets."""
    made = []
    for data in datasets(options):
        for protocol in protocols:
            for seed in options.seeds or ((0,) if options.quick else SEEDS.get(protocol, OTHER_SEEDS)):
                for split in splits(data.y, protocol, seed):
                    made += [_job(experiment, method, data, protocol, seed, split) for method in methods]
    return made


def datasets(options: Options) -> list[Dataset]:
    """Return the data sets asked for: by name, a CSV file, or the fourteen (three when quick)."""
    if options.csv is not None:
        return [load_csv(options.csv, options.target)]
    names = options.sets or (QUICK_SETS if options.quick else uci_names())
    every = [one for name in names for one in (SMALL_SETS if name == SMALL else (name,))]
    return [load_dataset(name, options.data_dir, download=options.download) for name in every]


def fit_fold(method: str, data: Dataset, split: Split, seed: int) -> Measures:
    """Fit on the support rows of one split and measure on its query rows."""
    return fit_and_score(method, problem_of(data, split), seed)


def problem_of(data: Dataset, split: Split) -> Problem:
    """Return the rows of one split."""
    return Problem(data.X[split.support], data.y[split.support], data.X[split.query], data.y[split.query])


def _job(experiment: str, method: Method, data: Dataset, protocol: str, seed: int, split: Split) -> Job:
    return Job(
        key={
            "experiment": experiment,
            "method": method.name,
            "dataset": data.name,
            "protocol": protocol,
            "seed": seed,
            "fold": split.fold,
        },
        work=fit_fold,
        arguments={"method": method.name, "data": data, "split": split, "seed": seed},
        facts={
            "n_support": len(split.support),
            "n_query": len(split.query),
            "n_variables": data.n_variables,
            "n_classes": len(data.classes),
            "majority_accuracy": majority_accuracy(problem_of(data, split)),
            "data": data.sha256[:8],
            **method_facts(method),
        },
        packages=method.packages,
    )


def rows_file(row: Mapping[str, object]) -> str:
    """One file for each protocol."""
    return f"uci-{row['protocol']}.jsonl"


def table(rows: Sequence[Row]) -> str:
    """Table 1 for each protocol the rows hold."""
    from nri_bench.tables.table1 import table1_markdown

    protocols = dict.fromkeys(row["protocol"] for row in rows)
    return "\n".join(f"### {name}\n\n{table1_markdown(rows, name)}" for name in protocols)


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw for each protocol what its rows suffice for: sizes, ranks, wins and seconds against accuracy."""
    from nri_bench.figures.pareto import pareto_figure, time_figure
    from nri_bench.figures.ranks import critical_difference_figure, win_tie_loss_figure

    kinds = {
        "pareto": pareto_figure,
        "ranks": critical_difference_figure,
        "wins": win_tie_loss_figure,
        "time": time_figure,
    }
    protocols = dict.fromkeys(str(row["protocol"]) for row in rows)
    drawn = {f"{kind}-{name}": draw(rows, name) for name in protocols for kind, draw in kinds.items()}
    return {name: figure for name, figure in drawn.items() if figure is not None}


def texts(rows: Sequence[Row]) -> Mapping[str, str]:
    """Table 1 in LaTeX, a file for each protocol."""
    from nri_bench.tables.table1 import table1_latex

    protocols = dict.fromkeys(str(row["protocol"]) for row in rows)
    return {f"uci-{name}.tex": table1_latex(rows, name) for name in protocols}


EXPERIMENT = Experiment(
    "uci",
    "Table 1: every method on the paper's data sets.",
    jobs,
    table,
    figures,
    rows_file,
    texts,
    takes=ON_DATA,
)
