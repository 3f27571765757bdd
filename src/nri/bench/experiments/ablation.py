"""``nri bench ablation``: what each loss of the paper is worth (its ablation table), by short trainings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nri.bench.datasets import Dataset, uci_names
from nri.bench.experiments.base import Experiment, Options, chosen_methods, method_facts
from nri.bench.experiments.uci import datasets
from nri.bench.methods import METHODS, get_method, rule_size
from nri.bench.protocols import splits
from nri.bench.run import Job, Row
from nri.bench.run.job import Measures, Scalar
from nri.bench.short_training import (
    FULL,
    QUICK,
    SHIPPED,
    VARIANTS,
    ShortTraining,
    TorchGates,
    short_task,
    stages,
)
from nri.episode import Episode, FloatArray, IntArray, make_episode

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("paper", "paper-tuned", "greedy", "seeded")
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
    """Train without a loss, then induce rules for every data set."""
    from nri.paper.model import PaperModel
    from nri.search.limits import Limits

    (network,) = stages(short_task(size, variant, seed), 1)
    model = PaperModel(TorchGates(network))
    found = []
    for X, y, X_query, y_query in folds(sets, seed):
        classes, codes = np.unique(y, return_inverse=True)
        episode = _episode(X, codes)
        rng = np.random.default_rng(seed)
        induced = model.induce(episode, np.arange(X.shape[1]), Limits(), rng, None)
        query = _episode(X_query)
        right = np.mean(classes[induced.predict(query.values, query.known)] == y_query)
        clauses = [clause for rule in induced.rules for clause in rule]
        found.append((right, len(clauses), sum(map(len, clauses))))
    return _means(found)


def judge_installed(sets: Sequence[Dataset], seed: int, method: str) -> Measures:
    """Induce rules for the same splits with a model as it is installed."""
    found = []
    for X, y, X_query, y_query in folds(sets, seed):
        model = get_method(method).make(seed).fit(X, y)
        size = rule_size(model)
        assert size is not None
        right = np.mean(np.asarray(model.predict(X_query)) == y_query)
        found.append((right, size.clauses, size.literals))
    return _means(found)


def folds(sets: Sequence[Dataset], seed: int) -> Iterator[tuple[FloatArray, IntArray, FloatArray, IntArray]]:
    """Yield support and query rows of the first folds of p20, data set by data set."""
    for data in sets:
        for split in list(splits(data.y, "p20", seed))[:FOLDS]:
            rng = np.random.default_rng([seed, split.fold])
            query = rng.permutation(split.query)[:MAX_ROWS]
            yield data.X[split.support], data.y[split.support], data.X[query], data.y[query]


def _episode(X: FloatArray, codes: IntArray | None = None) -> Episode:
    return make_episode(np.nan_to_num(X) > 0.5, ~np.isnan(X), codes)


def _means(found: Sequence[tuple[float, int, int]]) -> Measures:
    accuracy, clauses, literals = (np.array(column, float) for column in zip(*found, strict=True))
    return {
        "accuracy": float(accuracy.mean()),
        "clauses": float(clauses.mean()),
        "literals": float(literals.mean()),
        "literals_per_clause": float(literals.sum() / max(1.0, clauses.sum())),
    }


def label_of_variant(row: Mapping[str, object]) -> str:
    """Name a row's model in tables and figures."""
    label = METHODS[str(row["method"])].label
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
    from nri.bench.tables.cell import NO_ROWS
    from nri.bench.tables.frame import frame_of
    from nri.bench.tables.markdown import markdown

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
    from nri.bench.figures.variants import variant_dots

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
