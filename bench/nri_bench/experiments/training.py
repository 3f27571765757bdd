"""Short trainings of the paper's network, to see what each loss does; far shorter than what ships."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import nri

VARIANTS: Mapping[str, Mapping[str, float]] = {
    "full": {},
    "no-necessity": {"counterfactual": 0.0},
    "no-max-margin": {"margin": 0.0},
    "no-slot-balance": {"switch": 0.0, "usage": 0.0, "activation": 0.0},
}
"""What is changed in the published weights of the losses; the rows of the paper's ablation table."""

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


def short_config(size: ShortTraining, variant: str, seed: int, looks: int = 0) -> dict[str, Any]:
    """Return what ``nri.train_network`` is asked for, scored after each of so many equal parts."""
    return {
        "task": "paper",
        "seed": seed,
        "batch": size.batch,
        "model": {"width": size.width},
        "loss": dict(VARIANTS[variant]),
        "optim": {
            "steps": size.updates,
            "learning_rate": size.learning_rate,
            "warmup": max(1, size.updates // 20),
            "average": max(0.5, min(0.99, 1 - 5 / size.updates)),
        },
        "run": {
            "log_every": size.updates,
            "validate_every": size.updates // looks if looks else size.updates + 1,
            "validation_batches": 6,
        },
    }


def trained_weights(size: ShortTraining, variant: str, seed: int, folder: Path) -> Path:
    """Train a variant and return the file of its weights, for ``NRIClassifier(model=...)``."""
    file = folder / "paper.onnx"
    nri.export_weights(nri.train_network(short_config(size, variant, seed), folder), file)
    return file


def scores_on_the_way(
    size: ShortTraining, variant: str, seed: int, looks: int, folder: Path
) -> list[dict[str, float]]:
    """Train a variant and return its scores after each of so many equal parts, by their names."""
    checkpoint = nri.train_network(short_config(size, variant, seed, looks), folder)
    lines = checkpoint.with_name("metrics.jsonl").read_text(encoding="utf-8").splitlines()
    scored = [{name: float(value) for name, value in json.loads(line).items()} for line in lines]
    return [row for row in scored if any(name.startswith("valid/") for name in row)]
