"""Weights that ship: one ONNX file and, beside it, a JSON card that says where they come from."""

import hashlib
import json
import os
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nri.errors import InputError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


def shipped_file(name: str) -> Path:
    """Return the place of the package's own weights for a model."""
    return Path(str(resources.files("nri") / "weights" / f"{name}.onnx"))


def checked_card(onnx_file: Path) -> dict[str, Any]:
    """Read the card beside the weights, and refuse weights that are not the ones it describes."""
    try:
        card: dict[str, Any] = json.loads(onnx_file.with_suffix(".json").read_text(encoding="utf-8"))
        found = hashlib.sha256(onnx_file.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"cannot read the network's weights: {error}; reinstall nri") from None
    if found != card["sha256"]:
        raise InputError(f"{onnx_file} is damaged: its SHA-256 is not that of its card; reinstall nri")
    return card


def open_session(onnx_file: Path) -> "InferenceSession":
    """Load a graph into onnxruntime, on the CPU."""
    import onnxruntime  # only who asks a network pays for loading it

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = _threads_asked_for()
    return onnxruntime.InferenceSession(onnx_file, options, providers=["CPUExecutionProvider"])


def _threads_asked_for() -> int:
    """Return the threads that the environment allows, as for every other numeric library; 0 is for no limit.

    onnxruntime reads no such variable itself, so who asks for one thread would get one for each core.
    """
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    return int(wanted) if wanted.isdecimal() else 0
