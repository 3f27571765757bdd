"""The paper's network in the form that ships: one table in, its gates out."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from nri.paper.torch.batch import EpisodeBatch
from nri.paper.torch.network import PaperInducer
from nri.paper.torch.training import PaperTrainConfig, PaperTraining
from nri.train.checkpoint import Checkpoint, load_weights
from nri.train.config import from_dict
from nri.train.onnx import Graph


class OneEpisode(nn.Module):
    """The network on one table, without a batch axis and without padding."""

    def __init__(self, network: PaperInducer) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, values: Float[Tensor, "M N"], known: Bool[Tensor, "M N"], labels: Float[Tensor, " M"]
    ) -> tuple[Float[Tensor, "T L"], Float[Tensor, " T"]]:
        """Return literal gates and clause gates."""
        batch = EpisodeBatch(
            values.unsqueeze(0),
            known.unsqueeze(0),
            labels.unsqueeze(0),
            torch.ones_like(labels, dtype=torch.bool).unsqueeze(0),
            torch.ones_like(values[:1], dtype=torch.bool),
        )
        rule = self.network(batch)
        return rule.z[0], rule.w[0]


def load_paper(kept: Checkpoint) -> PaperInducer:
    """Rebuild the network that a checkpoint describes, with its averaged weights."""
    network = PaperTraining(from_dict(PaperTrainConfig, kept.config, "checkpoint")).build()
    load_weights(network, kept.average)
    return network.eval()


def paper_graph(kept: Checkpoint) -> Graph:
    """Return what is traced of a checkpoint."""
    M, N = 23, 11
    cells = torch.rand(M, N)
    return Graph(
        OneEpisode(load_paper(kept)),
        inputs={
            "values": (cells < 0.4).float(),
            "known": cells < 0.9,
            "labels": (torch.arange(M) % 2).float(),
        },
        input_axes={"values": "MN", "known": "MN", "labels": "M"},
        output_axes={"z": "TL", "w": "T"},
        free="MNL",
    )
