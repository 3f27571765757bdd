"""Weights, those that ship and others: an ONNX file, and beside it a JSON card that says what it is."""

import hashlib
import json
import os
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from nri.errors import InputError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession


CARD_VERSION = 1
"""What inputs, outputs and card of an exported network mean; raised when one of them changes."""


def shipped_file(name: str) -> Path:
    """Return the place of the package's own weights for a model."""
    return Path(str(resources.files("nri") / "weights" / f"{name}.onnx"))


def checked_card(onnx_file: Path) -> dict[str, Any]:
    """Read the card beside the weights, and refuse weights that are not the ones it describes."""
    card_file, remedy = onnx_file.with_suffix(".json"), _remedy(onnx_file)
    if not os.path.isfile(onnx_file):
        raise InputError(f"no weights at {onnx_file}; {remedy}")
    if not os.path.isfile(card_file):
        raise InputError(f"{onnx_file} has no card {card_file.name} beside it; {remedy}")
    try:
        card: Any = json.loads(card_file.read_text(encoding="utf-8"))
        found = hashlib.sha256(onnx_file.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"cannot read the network's weights: {error}; {remedy}") from None
    except (ValueError, RecursionError):  # neither JSON nor text at all
        card = None
    if not _is_card(card):
        raise InputError(
            f"{card_file} is no card: it must be a JSON object with inducer, config and sha256; {remedy}"
        )
    if card.get("checksum") != checksum_of(card):
        raise InputError(f"{card_file} is damaged: its checksum is not that of its content; {remedy}")
    if card.get("version", 1) != CARD_VERSION:
        raise InputError(
            f"{onnx_file} has a card of version {card['version']}, this nri reads version {CARD_VERSION}; "
            "export it with this nri, or use the nri that exported it"
        )
    if found != card["sha256"]:
        raise InputError(f"{onnx_file} is damaged: its SHA-256 is not that of its card; {remedy}")
    return card


def _is_card(card: Any) -> TypeGuard[dict[str, Any]]:
    return (
        isinstance(card, dict)
        and isinstance(card.get("inducer"), str)
        and isinstance(card.get("config"), dict)
        and isinstance(card.get("sha256"), str)
    )


def checksum_of(card: Mapping[str, Any]) -> str:
    """Return the SHA-256 of all that a card says but this itself.

    >>> checksum_of({"b": 1, "a": 2}) == checksum_of({"a": 2, "b": 1, "checksum": "x"})
    True
    """
    told = {key: value for key, value in card.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _remedy(onnx_file: Path) -> str:
    """Say how weights are got anew: our own by installing, others by exporting."""
    return (
        "reinstall nri"
        if onnx_file.parent == shipped_file("").parent
        else "`nri export-weights` writes it and its card"
    )


def open_session(onnx_file: Path) -> "InferenceSession":
    """Load a graph into onnxruntime, on the CPU."""
    import onnxruntime  # only who asks a network pays for loading it

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # sums in one order: with more threads the last digits depend on their number; small graphs are no slower
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    try:
        return onnxruntime.InferenceSession(onnx_file, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its own kinds of error have no base but this
        why = str(error).splitlines()[0]
        raise InputError(f"{onnx_file} is no network that onnxruntime can run: {why}") from None


def answers(session: "InferenceSession", feed: Mapping[str, Any]) -> list[Any]:
    """Run a graph; one that takes or gives something else than its card promises is told in a line."""
    try:
        found: list[Any] = session.run(None, feed)
    except Exception as error:  # its own kinds of error have no base but this
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"the network cannot answer ({why[:200]}); export its weights anew") from None
    return found
