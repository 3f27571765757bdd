"""The seeded network in training."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from nri.seeded.experts import EXPERTS
from nri.seeded.torch.batch import SeededInputs, SeededTargets, seeded_batch
from nri.seeded.torch.loss import SeededLossConfig, seeded_loss
from nri.seeded.torch.network import SeededConfig, SeededInducer
from nri.synth.wide import WidePrior, validation_suite
from nri.train.checkpoint import Graph
from nri.train.config import TrainConfig, to_dict
from nri.train.loop import moved


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

    def graph(self, network: nn.Module) -> Graph:
        """Return what is traced of a trained network."""
        return seeded_graph(network)


INPUTS = ("rows", "labels", "weights", "seeds", "apart", "row_opinions", "seed_opinions", "seed_parts")
OUTPUTS = ("posterior", "reason", "precision")
AXES = ("MN", "M", "M", "SN", "SM", "ME", "SE", "SN")
"""The letters of each input's axes"""


class OneTable(nn.Module):
    """The network on one table: no batch axis, last round only. This is what ships."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(
        self,
        rows: Float[Tensor, "M N"],
        labels: Float[Tensor, " M"],
        weights: Float[Tensor, " M"],
        seeds: Float[Tensor, "S N"],
        apart: Float[Tensor, "S M"],
        row_opinions: Float[Tensor, "M E"],
        seed_opinions: Float[Tensor, "S E"],
        seed_parts: Float[Tensor, "S N"],
    ) -> tuple[Float[Tensor, " S"], Float[Tensor, "S N"], Float[Tensor, " S"]]:
        """Return posterior, reason and precision of every seed, as log-odds."""
        given = (rows, labels, weights, seeds, apart, row_opinions, seed_opinions, seed_parts)
        answer = self.network(SeededInputs(*(tensor.unsqueeze(0) for tensor in given)))
        return answer.posterior[-1, 0], answer.reason[-1, 0], answer.precision[-1, 0]


def seeded_graph(network: nn.Module) -> Graph:
    """Return what is traced of a trained network, with free M, N and S."""
    size = {"M": 23, "N": 11, "S": 7, "E": len(EXPERTS)}
    input_axes = dict(zip(INPUTS, AXES, strict=True))
    return Graph(
        OneTable(network),
        inputs={name: torch.rand([size[axis] for axis in axes]) for name, axes in input_axes.items()},
        input_axes=input_axes,
        output_axes=dict(zip(OUTPUTS, ("S", "SN", "S"), strict=True)),
        free="MNS",
    )
