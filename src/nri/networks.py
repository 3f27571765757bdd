"""The networks by name: which one a configuration trains, and how a checkpoint becomes a file that ships."""

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

from nri.errors import ConfigError, InputError
from nri.paper.torch.export import paper_graph
from nri.paper.torch.training import PaperTrainConfig, PaperTraining
from nri.seeded.experts import EXPERTS
from nri.seeded.torch.export import seeded_graph
from nri.seeded.torch.training import SeededTrainConfig, SeededTraining
from nri.train.checkpoint import load_checkpoint
from nri.train.config import from_dict, read_toml
from nri.train.onnx import write_graph
from nri.train.training import Training

NETWORKS = ("seeded", "paper")
"""What the top-level key ``task`` of a configuration may say."""


def load_training(path: Path) -> Training:
    """Read a training configuration; its key ``task`` names the network, by default the seeded one."""
    data = read_toml(path)
    name = data.pop("task", "seeded")
    if name == "seeded":
        return SeededTraining(from_dict(SeededTrainConfig, data, str(path)))
    if name == "paper":
        return PaperTraining(from_dict(PaperTrainConfig, data, str(path)))
    raise ConfigError(f"{path}: unknown task {name!r}; use one of {', '.join(map(repr, NETWORKS))}")


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


def _commit() -> str:
    """Return the commit the weights are exported from, or 'unknown' outside a checkout."""
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()
