"""Checkpoints: weights, their average and the optimiser's state in one safetensors file; and ONNX files.

The header holds step and configuration, so that a run resumes exactly, and a SHA-256 of all content.
"""

import hashlib
import io
import json
import os
import warnings
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jaxtyping
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from nri.errors import InputError
from nri.table.write import atomic_file

FORMAT = "nri-checkpoint-2"
_UNCHECKED = "nri-checkpoint-1"  # written by version 0.1, without a checksum; read all the same
_GROUPS = ("weights", "average", "optimizer")
_REMEDY = "take a copy of it, or train anew in another folder"


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
    """Write the file beside its place, down to the disk, then move it there: a crash leaves the old one."""
    tensors = {
        f"{group}/{name}": tensor.detach().clone().contiguous().cpu()
        for group in _GROUPS
        for name, tensor in getattr(checkpoint, group).items()
    }
    header = {"format": FORMAT, "inducer": checkpoint.inducer, "config": json.dumps(checkpoint.config)}
    header |= {"step": str(checkpoint.step), "episodes": str(checkpoint.episodes)}
    header["sha256"] = _checksum(header, tensors)
    with atomic_file(path, binary=True) as file:
        file.write(save(tensors, metadata=header))


def make_folder(folder: Path) -> None:
    """Make a folder for results, or say why it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} cannot be made ({error.strerror}); choose another folder") from None


def _checksum(header: Mapping[str, str], tensors: Mapping[str, Tensor]) -> str:
    """Return the SHA-256 of everything but itself."""
    content = {key: header[key] for key in sorted(header) if key != "sha256"}
    digest = hashlib.sha256(json.dumps(content).encode())
    for name in sorted(tensors):
        tensor = tensors[name].contiguous()
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().tobytes())
    return digest.hexdigest()


def check_finite(tensors: Mapping[str, Tensor], what: str) -> None:
    """Refuse weights that are infinite or no numbers."""
    bad = [name for name, tensor in tensors.items() if not torch.isfinite(tensor).all()]
    if bad:
        raise InputError(f"{what} {bad[0]} is not finite; lower optim.learning_rate, and train anew")


def load_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint; anything else is an error that says so."""
    if os.path.isdir(path):
        inside = path / "checkpoint.safetensors"
        raise InputError(f"{path} is a folder; give the checkpoint in it, e.g. {inside}")
    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        cause = " ".join(str(error).split())[:200]
        raise InputError(f"cannot read checkpoint {path}: {cause}; {_REMEDY}") from None
    if header.get("format") not in (FORMAT, _UNCHECKED):
        raise InputError(f"{path} is not an NRI checkpoint ({FORMAT}); train one with `nri train`")
    is_checked = header["format"] == FORMAT or "sha256" in header
    if is_checked and header.get("sha256") != _checksum(header, tensors):
        raise InputError(f"checkpoint {path} is damaged: its SHA-256 is not that of its content; {_REMEDY}")
    groups: dict[str, dict[str, Tensor]] = {group: {} for group in _GROUPS}
    with suppress(KeyError, ValueError, RecursionError):
        for key, tensor in tensors.items():
            group, name = key.split("/", 1)
            groups[group][name] = tensor
        step, episodes, config = int(header["step"]), int(header["episodes"]), json.loads(header["config"])
        if isinstance(config, dict) and min(step, episodes) >= 0:
            return Checkpoint(header["inducer"], step, episodes, config, **groups)
    raise InputError(f"checkpoint {path} is damaged: parts of it are missing or unknown; {_REMEDY}")


def load_weights(network: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Put weights of a checkpoint into the network that its configuration describes."""
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        cause = " ".join(str(error).split())[:200]
        raise InputError(f"the weights are not those of its network ({cause}); {_REMEDY}") from None


def optimizer_tensors(optimizer: torch.optim.Optimizer, names: list[str]) -> dict[str, Tensor]:
    """Flatten AdamW's state to ``name/moment`` tensors."""
    state = ((names[index], moments) for index, moments in optimizer.state_dict()["state"].items())
    return {f"{name}/{key}": torch.as_tensor(x) for name, moments in state for key, x in moments.items()}


def restore_optimizer(optimizer: torch.optim.Optimizer, names: list[str], tensors: dict[str, Tensor]) -> None:
    """Put back what :func:`optimizer_tensors` flattened."""
    state = optimizer.state_dict() | {"state": {}}
    try:
        for key, tensor in tensors.items():
            name, moment = key.rsplit("/", 1)
            state["state"].setdefault(names.index(name), {})[moment] = tensor.clone()
        optimizer.load_state_dict(state)
    except (KeyError, ValueError, RuntimeError):
        raise InputError(f"the checkpoint's optimiser is not that of its network; {_REMEDY}") from None


def write_graph(
    onnx_file: Path, network: nn.Module, inputs: Mapping[str, Tensor], axes: Mapping[str, str], free: str
) -> None:
    """Trace the network on an example of its inputs, in their order, and write it, whole or not at all.

    ``axes`` has the letters of the axes of inputs, then of outputs; those in ``free`` can have any length.
    The tracing exporter takes half a second where the newer one takes minutes, for the same file.
    """
    make_folder(onnx_file.parent)
    traced, checks = io.BytesIO(), jaxtyping.config
    with warnings.catch_warnings(), torch.no_grad(), ExitStack() as after:
        warnings.simplefilter("ignore")  # the exporter warns of its age
        after.callback(checks.update, "jaxtyping_disable", checks.jaxtyping_disable)
        checks.update("jaxtyping_disable", True)  # while tracing, a size is a tensor and no whole number
        torch.onnx.export(
            network.eval(),
            tuple(inputs.values()),
            traced,  # type: ignore[arg-type]  # the tracing exporter takes it, its signature is the newer one's
            input_names=list(inputs),
            output_names=[name for name in axes if name not in inputs],
            dynamic_axes={
                name: {i: letter for i, letter in enumerate(letters) if letter in free}
                for name, letters in axes.items()
            },
            opset_version=20,
            dynamo=False,
        )
    with atomic_file(onnx_file, binary=True) as file:
        file.write(traced.getvalue())
