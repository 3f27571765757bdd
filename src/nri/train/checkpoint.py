"""Checkpoints: weights, their average and the optimiser's state in one safetensors file.

The header holds the step and the configuration, so that a run resumes exactly, and no pickle is read.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from nri.errors import InputError

FORMAT = "nri-checkpoint-1"


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """All that is needed to go on after ``step`` updates as if nothing had happened."""

    inducer: str
    step: int
    episodes: int
    config: dict[str, Any]
    weights: dict[str, Tensor]
    average: dict[str, Tensor]
    optimizer: dict[str, Tensor]


def save_checkpoint(checkpoint: Checkpoint, path: Path) -> None:
    """Write the file beside its place, then move it there: a crash leaves the old one."""
    tensors = {
        f"{group}/{name}": tensor.detach().clone().contiguous()
        for group in ("weights", "average", "optimizer")
        for name, tensor in getattr(checkpoint, group).items()
    }
    header = {
        "format": FORMAT,
        "inducer": checkpoint.inducer,
        "step": str(checkpoint.step),
        "episodes": str(checkpoint.episodes),
        "config": json.dumps(checkpoint.config),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_suffix(".tmp")
    save_file(tensors, beside, metadata=header)
    os.replace(beside, path)


def load_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint; anything else is an error that says so."""
    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
    except (FileNotFoundError, SafetensorError, OSError) as error:
        raise InputError(f"cannot read checkpoint {path}: {error}") from None
    if header.get("format") != FORMAT:
        raise InputError(f"{path} is not an NRI checkpoint ({FORMAT}); train one with `nri train`")
    groups: dict[str, dict[str, Tensor]] = {"weights": {}, "average": {}, "optimizer": {}}
    for key, tensor in tensors.items():
        group, name = key.split("/", 1)
        groups[group][name] = tensor
    return Checkpoint(
        inducer=header["inducer"],
        step=int(header["step"]),
        episodes=int(header["episodes"]),
        config=json.loads(header["config"]),
        **groups,
    )


def optimizer_tensors(optimizer: torch.optim.Optimizer, names: list[str]) -> dict[str, Tensor]:
    """Flatten AdamW's state to ``name/moment`` tensors."""
    state = optimizer.state_dict()["state"]
    return {
        f"{names[index]}/{moment}": torch.as_tensor(value)
        for index, moments in state.items()
        for moment, value in moments.items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, names: list[str], tensors: dict[str, Tensor]) -> None:
    """Put back what :func:`optimizer_tensors` flattened."""
    state = optimizer.state_dict()
    index = {name: i for i, name in enumerate(names)}
    state["state"] = {}
    for key, tensor in tensors.items():
        name, moment = key.rsplit("/", 1)
        state["state"].setdefault(index[name], {})[moment] = tensor.clone()
    optimizer.load_state_dict(state)
