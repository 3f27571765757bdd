"""``nri bench ablation``: what each loss of the paper is worth (its ablation table), by short trainings."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nri import NRIClassifier
from nri_bench.arrays import FloatArray, IntArray
from nri_bench.datasets import Dataset, uci_names
from nri_bench.experiments.base import Experiment, Options, chosen_methods, method_facts
from nri_bench.experiments.training import FULL, QUICK, SHIPPED, VARIANTS, ShortTraining, training
from nri_bench.experiments.uci import datasets
from nri_bench.methods import get_method, rule_size
from nri_bench.protocols import splits
from nri_bench.run import Job, Measures, Row, Scalar

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("paper", "paper-tuned", "paper-feedback", "greedy", "seeded")
MAX_ROWS = 2000
"""Query rows of a fold that are judged; the mean over data sets needs no more."""
FOLDS = 2


def jobs(options: Options) -> list[Job]:
    """One job for each loss that is left out and seed, and one for each model as it is installed."""
    methods = chosen_methods(options, METHOD_NAMES, METHOD_NAMES)
    sets = tuple(datasets(options))
    size = QUICK if options.quick else FULL
    made = []
    for seed in options.seeds or ((0,) if options.quick else (0, 1, 2)):
        for method in methods:
            for variant in (*VARIANTS, SHIPPED) if method.name == "paper" else (SHIPPED,):
                trained = variant != SHIPPED
                key: dict[str, Scalar] = {"experiment": "ablation", "method": method.name}
                key |= {"variant": variant, "sets": names_of(sets), "seed": seed}
                arguments: dict[str, object] = {"sets": sets, "seed": seed}
                arguments |= {"variant": variant, "size": size} if trained else {"method": method.name}
                made.append(
                    Job(
                        key=key,
                        work=judge_training if trained else judge_installed,
                        arguments=arguments,
                        facts={
                            "n_sets": len(sets),
                            "data": _checksum(sets),
                            **(size.facts() if trained else {}),
                            **method_facts(method),
                        },
                        packages=(*method.packages, "torch") if trained else method.packages,
                    )
                )
    return made


def names_of(sets: Sequence[Dataset]) -> str:
    """Name the data sets in a row's key: ``uci`` for the paper's fourteen, else one by one."""
    names = sorted(data.name for data in sets)
    return "uci" if names == sorted(uci_names()) else ",".join(names)


def _checksum(sets: Sequence[Dataset]) -> str:
    return hashlib.sha256(" ".join(sorted(data.sha256 for data in sets)).encode()).hexdigest()[:8]


def judge_training(sets: Sequence[Dataset], seed: int, variant: str, size: ShortTraining) -> Measures:
    """Train without a loss, then induce rules for every data set as with the network that ships."""
    with training(size, variant, seed) as trained:
        weights = str(trained.weights())
        return judge(sets, seed, lambda: NRIClassifier(weights, random_state=seed))


def judge_installed(sets: Sequence[Dataset], seed: int, method: str) -> Measures:
    """Induce rules for the same splits with a model as it is installed."""
    return judge(sets, seed, lambda: get_method(method).make(seed))


def judge(sets: Sequence[Dataset], seed: int, make: Callable[[], Any]) -> Measures:
    """Return the mean accuracy and rule size of a model over data sets and folds."""
    found = []
    for X, y, X_query, y_query in folds(sets, seed):
        model = make().fit(X, y)
        size = rule_size(model)
        assert size is not None
        right = np.mean(np.asarray(model.predict(X_query)) == y_query)
        found.append((right, size.clauses, size.literals))
    accuracy, clauses, literals = (np.array(column, float) for column in zip(*found, strict=True))
    return {
        "accuracy": float(accuracy.mean()),
        "clauses": float(clauses.mean()),
        "literals": float(literals.mean()),
        "literals_per_clause": float(literals.sum() / max(1.0, clauses.sum())),
    }


def folds(sets: Sequence[Dataset], seed: int) -> Iterator[tuple[FloatArray, IntArray, FloatArray, IntArray]]:
    """Yield support and query rows of the first folds of p20, data set by data set."""
    for data in sets:
        for split in list(splits(data.y, "p20", seed))[:FOLDS]:
            rng = np.random.default_rng([seed, split.fold])
            query = rng.permutation(split.query)[:MAX_ROWS]
            yield data.X[split.support], data.y[split.support], data.X[query], data.y[query]


def label_of_variant(row: Mapping[str, object]) -> str:
    """Name a row's model in tables and figures."""
    from nri_bench.tables.frame import label_of

    label = label_of(str(row["method"]))
    variant = str(row["variant"])
    return f"{label}, as installed" if variant == SHIPPED else f"{label}, short, {variant}"


def table(rows: Sequence[Row]) -> str:
    """Accuracy, its difference to the full objective, and rule size, a line for each variant."""
    places = list(dict.fromkeys(str(row.get("sets", "uci")) for row in rows))
    if len(places) < 2:
        return _table(rows)
    parts = {place: [row for row in rows if row.get("sets", "uci") == place] for place in places}
    return "\n".join(f"On {place}:\n\n{_table(part)}" for place, part in parts.items())


def _table(rows: Sequence[Row]) -> str:
    from nri_bench.tables.cell import NO_ROWS, markdown
    from nri_bench.tables.frame import frame_of

    frame = frame_of(rows)
    if frame.empty:
        return NO_ROWS
    frame["label"] = [label_of_variant(row) for row in rows]
    full = frame[(frame["variant"] == "full") & frame["ok"]]["accuracy"].mean()
    lines = []
    for label, part in frame.groupby("label", sort=False):
        accuracy = 100 * part["accuracy"]
        short = bool((part["variant"] != SHIPPED).all())
        difference = (
            f"{accuracy.mean() - 100 * full:+.1f}" if short and part["variant"].iloc[0] != "full" else ""
        )
        spread = f" ± {accuracy.std():.1f}" if len(part) > 1 else ""
        sizes = [f"{part[name].mean():.1f}" for name in ("clauses", "literals_per_clause")]
        episodes = f"{part['episodes'].iloc[0] / 1000:.0f} k" if short else ""
        lines.append([str(label), f"{accuracy.mean():.1f}{spread}", difference, *sizes, episodes])
    header = ["model", "accuracy (%)", "difference", "clauses", "literals in a clause", "episodes"]
    return markdown(header, lines)


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw the accuracy of every variant as a dot."""
    from nri_bench.figures.dots import variant_dots

    several = len({row.get("sets", "uci") for row in rows}) > 1
    labelled = [
        {**row, "label": label_of_variant(row) + (f", on {row.get('sets', 'uci')}" if several else "")}
        for row in rows
        if row["status"] == "ok"
    ]
    figure = variant_dots(labelled, (("accuracy", "accuracy (%)", 100.0),))
    return {"ablation": figure} if figure else {}


EXPERIMENT = Experiment(
    "ablation",
    "What each of the paper's losses is worth, by short trainings.",
    jobs,
    table,
    figures,
    takes=("sets", "csv"),
)
