"""``nri bench slots``: are all clause slots used, and how sharp are their gates? With and without balance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

import numpy as np

from nri_bench.arrays import BoolArray, FloatArray
from nri_bench.experiments.ablation import label_of_variant
from nri_bench.experiments.base import Experiment, Options, chosen_methods, method_facts
from nri_bench.experiments.synthetic import distractors, draw_rows, draw_truth
from nri_bench.experiments.training import FULL, QUICK, SHIPPED, STAGES, WATCHED, ShortTraining, training
from nri_bench.methods import get_method, rule_size
from nri_bench.run import Job, Measures, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("paper", "paper-tuned", "paper-feedback", "greedy", "seeded")
N_SLOTS = 8
EPISODES = 200


def jobs(options: Options) -> list[Job]:
    """One job for each trained variant and seed, and one for each model as it is installed."""
    methods = chosen_methods(options, METHOD_NAMES, METHOD_NAMES)
    size, episodes = (QUICK, 10) if options.quick else (FULL, EPISODES)
    made = []
    for seed in options.seeds or ((0,) if options.quick else (0, 1, 2)):
        for method in methods:
            for variant in (*WATCHED, SHIPPED) if method.name == "paper" else (SHIPPED,):
                trained = variant != SHIPPED
                made.append(
                    Job(
                        key={
                            "experiment": "slots",
                            "method": method.name,
                            "variant": variant,
                            "seed": seed,
                        },
                        work=watch_training if trained else watch_installed,
                        arguments={"variant": variant, "size": size, "seed": seed}
                        if trained
                        else {"method": method.name, "seed": seed, "n_episodes": episodes},
                        facts={**(size.facts() if trained else {}), **method_facts(method)},
                        packages=(*method.packages, "torch"),
                    )
                )
    return made


def watch_training(variant: str, size: ShortTraining, seed: int) -> Measures:
    """Train, and look at the clause gates after each quarter, on episodes that training never sees."""
    found: Measures = {}
    with training(size, variant, seed) as trained:
        for quarter, row in enumerate(trained.scores, 1):
            for name in ("usage_variance", "gate_entropy"):
                found[f"{name}_{100 * quarter // STAGES}"] = found[name] = row[f"valid/clean/{name}"]
    return found


def watch_installed(method: str, seed: int, n_episodes: int) -> Measures:
    """Look at the slots of the shipped network, or at the clauses of a model that has no slots.

    There the k-th clause stands for the k-th slot: it is used where a rule has that many clauses, and
    its gate is either open or closed.
    """
    gates = np.zeros((n_episodes, N_SLOTS))
    for index, (X, y) in enumerate(tables(n_episodes)):
        if method == "paper":
            gates[index] = shipped_gates(X, y)
        else:
            model = get_method(method).make(seed).set_params(positive=1).fit(X, y.astype(np.int64))
            size = rule_size(model)
            assert size is not None
            gates[index] = np.arange(N_SLOTS) < size.clauses
    sure = np.clip(gates, 1e-6, 1 - 1e-6)
    entropy = -sure * np.log(sure) - (1 - sure) * np.log(1 - sure)
    return {
        "usage_variance": float(gates.mean(axis=0).var()),
        "gate_entropy": float(entropy.mean()),
    }


def tables(count: int) -> Iterator[tuple[FloatArray, BoolArray]]:
    """Draw tables like those that the paper's network is trained on, always the same.

    A DNF of 1 to 6 clauses of 1 to 4 literals over 6 to 12 variables, and 3 columns that are the label with
    three of ten flipped.
    """
    for index in range(count):
        rng = np.random.default_rng(index)
        clauses, literals, variables, rows = (
            int(rng.integers(least, most + 1)) for least, most in ((1, 6), (1, 4), (6, 12), (24, 48))
        )
        truth = draw_truth(rng, clauses, literals, variables)
        X = draw_rows(rng, truth, rows)
        y = truth.holds(X)
        yield np.hstack([X, distractors(rng, y, 3, 0.7)]), y


def shipped_gates(X: FloatArray, y: BoolArray) -> FloatArray:
    """[T] how open the clause gates of the shipped network are; a rule shows them only as clauses."""
    known = np.ones(X.shape, dtype=bool)
    feed = {"values": X[None].astype(np.float32), "known": known[None], "labels": y.astype(np.float32)}
    return np.asarray(_shipped_session().run(["w"], feed)[0][0], dtype=np.float64)


@cache
def _shipped_session() -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    weights = resources.files("nri") / "weights" / "paper.onnx"
    return onnxruntime.InferenceSession(weights.read_bytes(), options, providers=["CPUExecutionProvider"])


def table(rows: Sequence[Row]) -> str:
    """Usage variance and gate entropy at the end, and the way there, a line for each variant."""
    from nri_bench.tables.cell import NO_ROWS, markdown
    from nri_bench.tables.frame import frame_of

    frame = frame_of(rows)
    if frame.empty:
        return NO_ROWS
    frame["label"] = [label_of_variant(row) for row in rows]
    stages_seen = [100 * quarter // STAGES for quarter in range(1, STAGES)]
    lines = []
    for label, part in frame.groupby("label", sort=False):
        line = [str(label)]
        for name, form in (("usage_variance", ".1e"), ("gate_entropy", ".3f")):
            columns = [f"{name}_{stage}" for stage in stages_seen] + [name]
            values = [part[column].mean() if column in part else np.nan for column in columns]
            line += ["" if value != value else f"{value:{form}}" for value in values]
        lines.append(line)
    heads = [*(f"{stage} %" for stage in stages_seen), "end"]
    header = ["model", *(f"variance {h}" for h in heads), *(f"entropy {h}" for h in heads)]
    return markdown(header, lines)


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw usage variance and gate entropy of every variant."""
    from nri_bench.figures.dots import variant_bars

    labelled = [{**row, "label": label_of_variant(row)} for row in rows if row["status"] == "ok"]
    columns = (
        ("usage_variance", "variance of slot usage", 1.0),
        ("gate_entropy", "gate entropy (nats)", 1.0),
    )
    figure = variant_bars(labelled, columns)
    return {"slots": figure} if figure else {}


EXPERIMENT = Experiment(
    "slots",
    "Usage of clause slots and entropy of their gates, with and without balance.",
    jobs,
    table,
    figures,
)
