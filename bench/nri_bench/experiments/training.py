"""Short trainings of the paper's network, to see what each loss and option does; far shorter than what ships.

Three experiments look at the same trainings, each at something else: the 14 sets, slots, synthetic tables.
"""

import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import nri
from nri_bench.run.rows import commit_of

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
    "an empty clause is true": {"loss": {"empty_is_silent": False}},
    "no clause dropout": {"loss": {"clause_dropout": 0.0}},
    "columns in order": {"data": {"shuffle_columns": False}},
    "label noise to 30 %": {"data": {"max_label_noise": 0.3}},
    "unknown cells to 20 %": {"data": {"max_missing": 0.2}},
}
"""Training options, one by one: first those of the published code, then those of the data."""

WATCHED = ("full", "no-slot-balance", "no-max-margin")
"""Variants that are scored on their way too: the paper speaks of usage with and without balance, and of gate
entropy with and without max-margin. A score takes as long as a third of a training."""

SHIPPED = "shipped"
"""The variant of what is not trained here but taken as it is installed."""


@dataclass(frozen=True)
class ShortTraining:
    """The size of a short training; ``updates`` of ``batch`` episodes each."""

    width: int = 32
    batch: int = 64
    updates: int = 200
    learning_rate: float = 2e-3
    rules: int = 4
    """of validation: twice as many hidden rules of each shape"""

    def facts(self) -> dict[str, float]:
        """Return what every row of a trained network states."""
        return {**asdict(self), "episodes": self.batch * self.updates}


FULL, QUICK = ShortTraining(), ShortTraining(width=16, batch=48, updates=60, learning_rate=6e-3, rules=1)

STAGES = 4
"""Equal parts of a training that is watched, after each of which it is scored."""


@dataclass(frozen=True)
class Trained:
    """What became of a short training."""

    checkpoint: Path

    @property
    def scores(self) -> list[dict[str, float]]:
        """The scores after each stage, or of the end; a stage that was gone through twice counts once."""
        lines = self.checkpoint.with_name("metrics.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [{name: float(value) for name, value in json.loads(line).items()} for line in lines]
        by_step = {row["step"]: row for row in rows if any(name.startswith("valid/") for name in row)}
        return list(by_step.values())

    def weights(self) -> Path:
        """Return the file of the weights, for ``NRIClassifier(model=...)``."""
        file = self.checkpoint.with_name("paper.onnx")
        if not file.exists():
            nri.export_weights(self.checkpoint, file)
        return file


@contextmanager
def training(size: ShortTraining, variant: str, seed: int, runs: Path = Path("runs")) -> Iterator[Trained]:
    """Train a variant, or take up the training of it that another experiment made or began.

    The same commit and configuration give the same network, so trainings of a clean commit are kept below
    ``runs``; those of changed sources and quick ones are not.
    """
    config, commit = short_config(size, variant, seed), commit_of()
    with tempfile.TemporaryDirectory() as nowhere:
        folder = Path(nowhere)
        if size != QUICK and commit and not commit.endswith("+"):
            name = hashlib.sha256(json.dumps([commit, config], sort_keys=True).encode()).hexdigest()[:12]
            folder = runs / "short" / name
        yield Trained(nri.train_network(config, folder))


def short_config(size: ShortTraining, variant: str, seed: int) -> dict[str, Any]:
    """Return what ``nri.train_network`` is asked for, scored at its end or after each stage."""
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
            "validate_every": size.updates // (STAGES if variant in WATCHED else 1),
            "validation_batches": size.rules,
            "checkpoint_minutes": 2.0,
        },
    }
    for changes in (RECIPE, {**VARIANTS, **OPTIONS}[variant]):
        for table, values in changes.items():
            (config[table] if table else config).update(values)
    return config
