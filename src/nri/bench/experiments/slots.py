"""``nri bench slots``: are all clause slots used, and how sharp are their gates? With and without balance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from nri.bench.experiments.ablation import label_of_variant
from nri.bench.experiments.base import Experiment, Options, chosen_methods, method_facts
from nri.bench.run import Job, Row
from nri.bench.run.job import Measures
from nri.bench.short_training import FULL, QUICK, SHIPPED, ShortTraining, short_task, stages

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("paper", "paper-tuned", "greedy", "seeded")
TRAINED = ("full", "no-slot-balance", "no-max-margin")
"""The paper speaks of usage with and without balance, and of gate entropy with and without max-margin."""
STAGES = 4
N_SLOTS = 8
EPISODES = 200
SEED = 20_261_116


def jobs(options: Options) -> list[Job]:
    """One job for each trained variant and seed, and one for each model as it is installed."""
    methods = chosen_methods(options, METHOD_NAMES, METHOD_NAMES)
    size, episodes = (QUICK, 10) if options.quick else (FULL, EPISODES)
    made = []
    for seed in options.seeds or ((0,) if options.quick else (0, 1, 2)):
        for method in methods:
            for variant in (*TRAINED, SHIPPED) if method.name == "paper" else (SHIPPED,):
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
    task = short_task(size, variant, seed)
    found: Measures = {}
    for quarter, network in enumerate(stages(task, STAGES), 1):
        scores = task.validate(network)
        for name in ("usage_variance", "gate_entropy"):
            found[f"{name}_{100 * quarter // STAGES}"] = found[name] = scores[f"clean/{name}"]
    return found


def watch_installed(method: str, seed: int, n_episodes: int) -> Measures:
    """Look at the slots of the shipped network, or at the clauses of a model that has no slots.

    There the k-th clause stands for the k-th slot: it is used where a rule has that many clauses, and
    its gate is either open or closed.
    """
    from nri.induce.models import get_inducer
    from nri.search.limits import Limits
    from nri.synth.paper import PaperPreset, paper_episodes

    drawn = paper_episodes(PaperPreset(), SEED, 0, n_episodes)
    episodes = [e for e in map(drawn.episode, range(n_episodes)) if 0 < e.labels.sum() < e.n_rows]
    gates = np.zeros((len(episodes), N_SLOTS))
    for index, episode in enumerate(episodes):
        if method == "paper":
            from nri.paper.model import shipped_paper_network

            gates[index] = shipped_paper_network().gates(episode.values, episode.known, episode.labels == 1).w
        else:
            rng = np.random.default_rng([seed, index])
            groups = np.arange(episode.n_variables)
            induced = get_inducer(method).induce(episode, groups, Limits(), rng, 1)
            gates[index] = np.arange(N_SLOTS) < len(induced.rules[1])
    sure = np.clip(gates, 1e-6, 1 - 1e-6)
    entropy = -sure * np.log(sure) - (1 - sure) * np.log(1 - sure)
    return {
        "usage_variance": float(gates.mean(axis=0).var()),
        "gate_entropy": float(entropy.mean()),
    }


def table(rows: Sequence[Row]) -> str:
    """Usage variance and gate entropy at the end, and the way there, a line for each variant."""
    from nri.bench.tables.cell import NO_ROWS
    from nri.bench.tables.frame import frame_of
    from nri.bench.tables.markdown import markdown

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
    from nri.bench.figures.variants import variant_bars

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
