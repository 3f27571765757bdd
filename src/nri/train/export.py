"""Export: a checkpoint's averaged weights as one ONNX file that runs without torch."""

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from nri.errors import InputError
from nri.infer.experts import EXPERTS
from nri.model.seeded import SeededInducer
from nri.model.seeded_inputs import SeededInputs
from nri.train.checkpoint import Checkpoint, load_checkpoint
from nri.train.export_paper import paper_graph
from nri.train.onnx_graph import Graph, write_graph
from nri.train.seeded_task import SeededTask, SeededTrainConfig
from nri.train.toml import from_dict

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


def export_weights(checkpoint: Path, onnx_file: Path) -> dict[str, Any]:
    """Write ``onnx_file`` and, beside it, a JSON card with config, commit and SHA-256; return the card."""
    kept = load_checkpoint(checkpoint)
    if kept.inducer == "paper":
        graph, more = paper_graph(kept), {}
    elif kept.inducer == "seeded":
        graph, more = seeded_graph(kept), {"experts": list(EXPERTS)}
    else:
        raise InputError(f"{checkpoint} holds the unknown network {kept.inducer!r}; this nri exports its own")
    write_graph(graph, onnx_file)
    card = {
        "inducer": kept.inducer,
        "step": kept.step,
        "episodes": kept.episodes,
        "config": kept.config,
        **more,
        "commit": _commit(),
        "sha256": hashlib.sha256(onnx_file.read_bytes()).hexdigest(),
    }
    onnx_file.with_suffix(".json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    return card


def load_seeded(kept: Checkpoint) -> SeededInducer:
    """Rebuild the network that a checkpoint describes, with its averaged weights."""
    config = from_dict(SeededTrainConfig, kept.config, "checkpoint")
    network = SeededTask(config).build()
    network.load_state_dict(kept.average)
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


def _commit() -> str:
    """Return the commit the weights are exported from, or 'unknown' outside a checkout."""
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()
