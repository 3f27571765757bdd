"""Export: a checkpoint's averaged weights as one ONNX file that runs without torch."""

import hashlib
import json
import logging
import subprocess
import warnings
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
from nri.train.seeded_task import SeededTask, SeededTrainConfig
from nri.train.toml import from_dict

log = logging.getLogger(__name__)

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
    if kept.inducer != "seeded":
        raise InputError(f"{checkpoint} holds the {kept.inducer!r} inducer; only 'seeded' ships as ONNX")
    network = OneTable(load_seeded(kept)).eval()
    _write_onnx(network, onnx_file)
    card = {
        "inducer": kept.inducer,
        "step": kept.step,
        "episodes": kept.episodes,
        "config": kept.config,
        "experts": list(EXPERTS),
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


def _write_onnx(network: OneTable, onnx_file: Path) -> None:
    """Trace the network with free M, N and S.

    The tracing exporter takes half a second where the newer one takes minutes, for the same file.
    """
    size = {"M": 23, "N": 11, "S": 7, "E": len(EXPERTS)}
    example = tuple(torch.rand([size[axis] for axis in axes]) for axes in AXES)
    names = dict(zip((*INPUTS, *OUTPUTS), (*AXES, "S", "SN", "S"), strict=True))
    free = {name: {i: axis for i, axis in enumerate(axes) if axis != "E"} for name, axes in names.items()}
    onnx_file.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # the exporter warns of its age
        torch.onnx.export(
            network,
            example,
            str(onnx_file),
            input_names=list(INPUTS),
            output_names=list(OUTPUTS),
            dynamic_axes=free,
            opset_version=17,
            dynamo=False,
        )


def _commit() -> str:
    """Return the commit the weights are exported from, or 'unknown' outside a checkout."""
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()
