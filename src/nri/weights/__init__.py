"""Weights, those that ship and others: an ONNX file, and beside it a JSON card that says what it is."""

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
    card_file, remedy = onnx_file.with_suffix(".json"), _remedy(onnx_file)
    if not onnx_file.is_file():
        raise InputError(f"no weights at {onnx_file}; {remedy}")
    if not card_file.is_file():
        raise InputError(f"{onnx_file} has no card {card_file.name} beside it; {remedy}")
    try:
        card = json.loads(card_file.read_text(encoding="utf-8"))
        found = hashlib.sha256(onnx_file.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"cannot read the network's weights: {error}; {remedy}") from None
    except ValueError:  # neither JSON nor text at all
        card = None
    if not (isinstance(card, dict) and {"inducer", "config", "sha256"} <= set(card)):
        raise InputError(
            f"{card_file} is no card: it must be a JSON object with inducer, config and sha256; {remedy}"
        )
    if found != card["sha256"]:
        raise InputError(f"{onnx_file} is damaged: its SHA-256 is not that of its card; {remedy}")
    return card


def _remedy(onnx_file: Path) -> str:
    """Say how weights are got anew: our own by installing, others by exporting."""
    return (
        "reinstall nri" if onnx_file.parent == shipped_file("").parent else "`nri export-weights` writes both"
    )


def open_session(onnx_file: Path) -> "InferenceSession":
    """Load a graph into onnxruntime, on the CPU."""
    import onnxruntime  # only who asks a network pays for loading it

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = _threads_asked_for()
    try:
        return onnxruntime.InferenceSession(onnx_file, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its own kinds of error have no base but this
        why = str(error).splitlines()[0]
        raise InputError(f"{onnx_file} is no network that onnxruntime can run: {why}") from None


def _threads_asked_for() -> int:
    """Return the threads that the environment allows, as for every other numeric library; 0 is for no limit.

    onnxruntime reads no such variable itself, so who asks for one thread would get one for each core.
    """
    wanted = os.environ.get("OMP_NUM_THREADS", "")
    return int(wanted) if wanted.isdecimal() else 0
