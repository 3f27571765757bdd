"""Short trainings of the paper's network, to see what each loss does; far shorter than what ships."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nri.paper.model import Gates

if TYPE_CHECKING:
    from torch import nn

    from nri.episode import BoolArray
    from nri.paper.torch.training import PaperTraining

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


def short_task(size: ShortTraining, variant: str, seed: int) -> PaperTraining:
    """Return the training run of a variant."""
    from nri.paper.torch.config import PaperConfig, PaperLossConfig
    from nri.paper.torch.training import PaperTrainConfig, PaperTraining
    from nri.train.config import OptimConfig, RunConfig, from_dict

    never = size.updates + 1
    return PaperTraining(
        PaperTrainConfig(
            seed=seed,
            batch=size.batch,
            model=PaperConfig(width=size.width),
            loss=from_dict(PaperLossConfig, dict(VARIANTS[variant]), variant),
            optim=OptimConfig(
                steps=size.updates,
                learning_rate=size.learning_rate,
                warmup=max(1, size.updates // 20),
                average=max(0.5, min(0.99, 1 - 5 / size.updates)),
            ),
            run=RunConfig(log_every=never, validate_every=never, validation_batches=6),
        )
    )


def stages(task: PaperTraining, count: int) -> Iterator[nn.Module]:
    """Train in so many equal parts and yield the averaged network after each."""
    from nri.train.loop import train

    with tempfile.TemporaryDirectory() as folder:
        for part in range(1, count + 1):
            yield train(task, Path(folder), until=task.config.optim.steps * part // count)


class TorchGates:
    """A network in training as a source of gates, in place of the shipped file."""

    def __init__(self, network: nn.Module) -> None:
        from nri.paper.torch.export import OneEpisode
        from nri.paper.torch.network import PaperInducer

        assert isinstance(network, PaperInducer)
        self._network = OneEpisode(network)

    def gates(self, values: BoolArray, known: BoolArray, labels: BoolArray) -> Gates:
        """See :class:`nri.paper.model.GateSource`."""
        import torch

        arrays = ((values & known).astype("float32"), known, labels.astype("float32"))
        with torch.no_grad():
            z, w = self._network(*(torch.from_numpy(array) for array in arrays))
        return Gates(z.numpy(), w.numpy())
