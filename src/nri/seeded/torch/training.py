"""The seeded network in training."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from nri.seeded.experts import EXPERTS
from nri.seeded.torch.batch import SeededInputs, SeededTargets, seeded_batch
from nri.seeded.torch.loss import SeededLossConfig, seeded_loss
from nri.seeded.torch.network import SeededConfig, SeededInducer
from nri.synth.wide import WidePrior, validation_suite
from nri.train.config import TrainConfig, to_dict
from nri.train.processes import moved


@dataclass(frozen=True)
class SeededTrainConfig(TrainConfig):
    """A training run of the seeded network."""

    model: SeededConfig = field(default_factory=SeededConfig)
    data: WidePrior = field(default_factory=WidePrior)
    loss: SeededLossConfig = field(default_factory=SeededLossConfig)


class SeededTraining:
    """Posterior, reason and precision of query rows, learned on the wide prior."""

    name = "seeded"

    def __init__(self, config: SeededTrainConfig) -> None:
        self.config = config

    def build(self) -> SeededInducer:
        """Make the network; its first weights depend on the seed alone."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.config.seed)
            return SeededInducer(self.config.model, len(EXPERTS))

    def loss(self, network: nn.Module, index: int) -> tuple[Tensor, dict[str, float]]:
        """Draw batch ``index`` of the wide prior and score the network on its query rows."""
        rng = np.random.default_rng([self.config.seed, index])
        device = next(network.parameters()).device
        inputs, targets = seeded_batch(self.config.data.draw(rng))
        inputs, targets = moved(inputs, device), moved(targets, device)
        loss = seeded_loss(self.config.loss, inputs, targets, network(inputs))
        row = {
            "episodes": float(len(inputs.rows)),
            "loss": float(loss.total.detach()),
            "posterior": float(loss.posterior),
            "excess": float(loss.excess),
            "error": float(loss.error),
            "reason": float(loss.reason),
        }
        return loss.total, row

    @cached_property
    def _suite(self) -> dict[str, list[tuple[SeededInputs, SeededTargets]]]:
        suite = validation_suite(self.config.run.validation_batches)
        return {name: [seeded_batch(b) for b in batches] for name, batches in suite.items()}

    def validate(self, network: nn.Module) -> dict[str, float]:
        """Excess loss and excess error of the posterior on every part of the validation suite."""
        scores = {}
        device = next(network.parameters()).device
        with torch.no_grad():
            for name, batches in self._suite.items():
                on_device = ((moved(i, device), moved(t, device)) for i, t in batches)
                losses = [seeded_loss(self.config.loss, i, t, network(i)) for i, t in on_device]
                scores[f"{name}/excess"] = float(np.mean([loss.excess for loss in losses]))
                scores[f"{name}/error"] = float(np.mean([loss.error for loss in losses]))
        return scores

    def describe(self) -> dict[str, Any]:
        """Return the configuration as plain values."""
        return to_dict(self.config)
