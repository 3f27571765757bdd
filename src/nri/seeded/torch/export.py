"""The seeded network in the form that ships: one table in, its answers out."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from nri.seeded.experts import EXPERTS
from nri.seeded.torch.batch import SeededInputs
from nri.seeded.torch.network import SeededInducer
from nri.seeded.torch.training import SeededTrainConfig, SeededTraining
from nri.train.checkpoint import Checkpoint, load_weights
from nri.train.config import from_dict
from nri.train.onnx import Graph

INPUTS = ("rows", "labels", "weights", "seeds", "apart", "row_opinions", "seed_opinions", "seed_parts")
OUTPUTS = ("posterior", "reason", "precision")
AXES = ("MN", "M", "M", "SN", "SM", "ME", "SE", "SN")
"""The letters of each input's axes"""


class OneTable(nn.Module):
    """The network on one table: no batch axis, last round only. This is what ships."""

    def __init__(self, network: SeededInducer) -> None:
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


def load_seeded(kept: Checkpoint) -> SeededInducer:
    """Rebuild the network that a checkpoint describes, with its averaged weights."""
    config = from_dict(SeededTrainConfig, kept.config, "checkpoint")
    network = SeededTraining(config).build()
    load_weights(network, kept.average)
    return network.eval()


def seeded_graph(kept: Checkpoint) -> Graph:
    """Return what is traced of a checkpoint, with free M, N and S."""
    size = {"M": 23, "N": 11, "S": 7, "E": len(EXPERTS)}
    input_axes = dict(zip(INPUTS, AXES, strict=True))
    return Graph(
        OneTable(load_seeded(kept)),
        inputs={name: torch.rand([size[axis] for axis in axes]) for name, axes in input_axes.items()},
        input_axes=input_axes,
        output_axes=dict(zip(OUTPUTS, ("S", "SN", "S"), strict=True)),
        free="MNS",
    )
