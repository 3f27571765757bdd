"""Short trainings of the paper's network, to see what each loss does; far shorter than what ships."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import nri

Changes = Mapping[str, Mapping[str, Any]]
"""What is changed in a configuration, table by table; ``""`` holds what stands above its tables."""

RECIPE: Changes = {"data": {"shuffle_columns": True}, "loss": {"length": 0.1}}
"""What the network that ships is trained with beside the text's objective (configs/paper-cpu.toml)."""

VARIANTS: Mapping[str, Changes] = {
    "full": {},
    "no-necessity": {"loss": {"counterfactual": 0.0}},
    "no-max-margin": {"loss": {"margin": 0.0}},
    "no-slot-balance": {"loss": {"switch": 0.0, "usage": 0.0, "activation": 0.0}},
    "no-length": {"loss": {"length": 0.0}},
}
"""What is changed in the recipe: the rows of the paper's ablation table, and our own loss."""

OPTIONS: Mapping[str, Changes] = {
    "gate noise": {"loss": {"gate_noise": True}},
    "dropout 0.1": {"model": {"dropout": 0.1}},
    "256 fixed episodes": {"": {"pool": 256}},
    "constant rate, no averaging": {"optim": {"schedule": "constant", "average": 0.0}},
    "hinge on the rule's truth": {"loss": {"coverage_hinge": 1.0}},
    "max-margin on gated clauses": {"loss": {"gated_margin": True}},
    "Switch balance by gates": {"loss": {"switch_by_gates": True}},
    "four sampled counterfactuals": {"loss": {"sampled_counterfactuals": 4}},
    "overlap and balance unscaled": {"loss": {"counterfactual_scales_all": False}},
    "no repulsion, no entropy": {"loss": {"repulsion": 0.0, "entropy": 0.0}},
    "no clause dropout": {"loss": {"clause_dropout": 0.0}},
    "columns in order": {"data": {"shuffle_columns": False}},
    "label noise to 30 %": {"data": {"max_label_noise": 0.3}},
    "unknown cells to 20 %": {"data": {"max_missing": 0.2}},
}
"""Training options, one by one: first those of the published code, then those of the data."""

SHIPPED = "shipped"
"""The variant of what is not trained here but taken as it is installed."""


@dataclass(frozen=True)
class ShortTraining:
    """The size of a short training; ``updates`` of ``batch`` episodes each."""

    width: int = 48
    batch: int = 128
    updates: int = 800
    learning_rate: float = 1e-3

    def facts(self) -> dict[str, float]:
        """Return what every row of a trained network states."""
        return {**asdict(self), "episodes": self.batch * self.updates}


FULL, QUICK = ShortTraining(), ShortTraining(width=16, batch=48, updates=60, learning_rate=6e-3)


def short_config(
    size: ShortTraining, variant: str, seed: int, looks: int = 0, rules: int = 6
) -> dict[str, Any]:
    """Return what ``nri.train_network`` is asked for, scored after each of so many equal parts.

    Parameters
    ----------
    size, variant, seed
        What to train.
    looks
        How often to score; 0 for never.
    rules
        Size of the validation: twice as many hidden rules of each shape.
    """
    config: dict[str, Any] = {
        "task": "paper",
        "seed": seed,
        "batch": size.batch,
        "model": {"width": size.width},
        "data": {},
        "loss": {},
        "optim": {
            "steps": size.updates,
            "learning_rate": size.learning_rate,
            "warmup": max(1, size.updates // 20),
            "average": max(0.5, min(0.99, 1 - 5 / size.updates)),
        },
        "run": {
            "log_every": size.updates,
            "validate_every": size.updates // looks if looks else size.updates + 1,
            "validation_batches": rules,
        },
    }
    for changes in (RECIPE, {**VARIANTS, **OPTIONS}[variant]):
        for table, values in changes.items():
            (config[table] if table else config).update(values)
    return config


def trained_weights(size: ShortTraining, variant: str, seed: int, folder: Path) -> Path:
    """Train a variant and return the file of its weights, for ``NRIClassifier(model=...)``."""
    file = folder / "paper.onnx"
    nri.export_weights(nri.train_network(short_config(size, variant, seed), folder), file)
    return file


def scores_on_the_way(
    size: ShortTraining, variant: str, seed: int, looks: int, folder: Path, rules: int = 6
) -> list[dict[str, float]]:
    """Train a variant and return its scores after each of so many equal parts, by their names."""
    checkpoint = nri.train_network(short_config(size, variant, seed, looks, rules), folder)
    lines = checkpoint.with_name("metrics.jsonl").read_text(encoding="utf-8").splitlines()
    scored = [{name: float(value) for name, value in json.loads(line).items()} for line in lines]
    return [row for row in scored if any(name.startswith("valid/") for name in row)]
