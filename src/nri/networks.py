"""The networks by name: which one a configuration trains, and how a checkpoint becomes a file that ships."""

import hashlib
import json
import subprocess
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, get_type_hints

from nri.errors import ConfigError, InputError
from nri.paper.torch.feedback import FeedbackTraining
from nri.paper.torch.training import PaperTraining
from nri.seeded.torch.training import SeededTraining
from nri.table.write import atomic_file
from nri.train.checkpoint import Checkpoint, check_finite, load_checkpoint, load_weights
from nri.train.config import from_dict, read_toml
from nri.train.loop import CHECKPOINT, Training, train
from nri.weights import CARD_VERSION, EXPERTS, checksum_of

_TRAININGS: tuple[type[Training], ...] = (SeededTraining, PaperTraining, FeedbackTraining)
NETWORKS = {training.name: training for training in _TRAININGS}  # By ``task`` in a configuration.


def load_training(path: Path) -> Training:
    """Read a training configuration; its key ``task`` names the network, by default the seeded one."""
    return make_training(read_toml(path), str(path))


def make_training(config: Mapping[str, Any], where: str) -> Training:
    """Return what a configuration trains; ``where`` names it in messages."""
    data = dict(config)
    name = data.pop("task", "seeded")
    if name not in NETWORKS:
        raise ConfigError(f"{where}: unknown task {name!r}; use one of {', '.join(map(repr, NETWORKS))}")
    training = NETWORKS[name]
    return training(from_dict(get_type_hints(training)["config"], data, where))


def train_network(
    config: Mapping[str, Any] | str | PathLike[str], folder: str | PathLike[str], *, until: int | None = None
) -> Path:
    """Train a network on synthetic tables, or go on where a run in the same folder stopped.

    The same as ``nri train``. In the folder are then ``checkpoint.safetensors`` and ``metrics.jsonl``, a line
    for each score: losses, and as ``valid/...`` what the network is worth on tables that it never trains on.

    Parameters
    ----------
    config : mapping, or path of a TOML file
        What to train, in the keys of the files in ``configs/``; ``task`` names the network, ``"seeded"``,
        ``"paper"`` or ``"paper-feedback"``.
    folder : path
        Is made if it is not there.
    until : int, optional
        Stop after so many updates in all; by default after ``optim.steps``.

    Returns
    -------
    Path
        The checkpoint, for :func:`export_weights`.
    """
    if until is not None and until < 1:
        raise InputError(f"until = {until} trains nothing; give at least 1 update")
    task = make_training(config, "config") if isinstance(config, Mapping) else load_training(Path(config))
    train(task, Path(folder), until=until)
    return Path(folder) / CHECKPOINT


def load_network(checkpoint: str | PathLike[str]) -> Any:
    """Rebuild the PyTorch network of a checkpoint, with its averaged weights."""
    return _rebuilt(Path(checkpoint))[2]


def _rebuilt(checkpoint: Path) -> tuple[Checkpoint, Training, Any]:
    kept = load_checkpoint(checkpoint)
    if kept.inducer not in NETWORKS:
        raise InputError(f"{checkpoint} holds the unknown network {kept.inducer!r}; this nri exports its own")
    task = make_training({"task": kept.inducer, **kept.config}, "checkpoint")
    network = task.build()
    load_weights(network, kept.average)
    return kept, task, network.eval()


def export_weights(checkpoint: str | PathLike[str], onnx_file: str | PathLike[str]) -> dict[str, Any]:
    """Write a checkpoint's averaged weights as an ONNX file, which ``NRIClassifier(model=...)`` takes.

    Beside it goes a card of the same name with ``.json``: which network, its configuration, the commit and
    the SHA-256 of the file.

    Parameters
    ----------
    checkpoint : path
        As :func:`train_network` returns it.
    onnx_file : path
        Must end in ``.onnx``.

    Returns
    -------
    dict
        What is on the card.
    """
    checkpoint, onnx_file = Path(checkpoint), Path(onnx_file)
    if onnx_file.suffix != ".onnx":
        raise InputError(f"{onnx_file}: the file must end in .onnx; its card gets the same name with .json")
    kept, task, network = _rebuilt(checkpoint)
    check_finite(kept.average, f"{checkpoint} is of no use:")
    task.export(network, onnx_file)
    card = {
        "version": CARD_VERSION,
        "inducer": kept.inducer,
        "step": kept.step,
        "episodes": kept.episodes,
        "config": kept.config,
        **({"experts": list(EXPERTS)} if kept.inducer == "seeded" else {}),
        "commit": _commit(),
        "sha256": hashlib.sha256(onnx_file.read_bytes()).hexdigest(),
    }
    card["checksum"] = checksum_of(card)
    with atomic_file(onnx_file.with_suffix(".json")) as file:
        file.write(json.dumps(card, indent=1) + "\n")
    return card


def _commit() -> str:
    """Return the commit the weights are exported from, or 'unknown' outside a checkout."""
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()
