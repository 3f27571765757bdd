"""The training loop: draw, score, update, average, keep; for any network."""

import dataclasses
import json
import logging
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from nri.errors import InputError
from nri.table.write import atomic_file
from nri.train import checkpoint
from nri.train.config import OptimConfig, to_dict

log = logging.getLogger(__name__)

CHECKPOINT = "checkpoint.safetensors"
METRICS = "metrics.jsonl"

Watcher = Callable[[int, dict[str, float]], None]
"""Called after every update with the number of updates made and the means of its batches."""

Record = TypeVar("Record")


@dataclass(frozen=True, eq=False)
class Loss:
    """What is minimised, of how many episodes it is, and its parts for the log."""

    total: Tensor
    episodes: int
    terms: Mapping[str, Tensor]  # by name, without gradient


class Training(ABC):
    """An inducer in training: its network, its episodes, its loss and its validation.

    A subclass annotates ``config`` with the dataclass of its configuration.
    """

    name: str  # how checkpoints and users call the inducer
    network: type[nn.Module]  # is made of the table ``model`` of its configuration

    def __init__(self, config: Any) -> None:
        self.config = config

    def build(self) -> nn.Module:
        """Make the network; its first weights depend on the seed alone."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.config.seed)
            return self.network(self.config.model)

    @abstractmethod
    def loss(self, network: nn.Module, index: int) -> Loss:
        """Draw synthetic batch ``index`` and judge the network on it."""

    @abstractmethod
    def validate(self, network: nn.Module) -> dict[str, float]:
        """Score the network on the fixed validation suite."""

    @abstractmethod
    def export(self, network: nn.Module, onnx_file: Path) -> None:
        """Write what ships of a trained network."""


def moved(record: Record, device: torch.device) -> Record:
    """Return the dataclass with its tensors on a device; everything else stays as it is."""
    fields: dict[str, Any] = vars(record)
    tensors = {name: value.to(device) for name, value in fields.items() if isinstance(value, Tensor)}
    return dataclasses.replace(record, **tensors)  # type: ignore[type-var]


def train(
    task: Training, directory: Path, *, until: int | None = None, watch: Watcher | None = None
) -> nn.Module:
    """Train, or go on training, in ``directory``; return the network with averaged weights.

    It stops after ``until`` updates in all, by default the configured number; ``watch`` gets every update.
    """
    schedule, steps = task.config.run, task.config.optim.steps
    stop = steps if until is None else min(steps, until)
    torch.set_num_threads(schedule.threads)
    checkpoint.make_folder(directory)
    run = _Run(task, directory)
    since = time.monotonic()
    while run.step < stop:
        means = run.update()
        if watch is not None:
            watch(run.step, means)
        last = run.step == stop
        if run.step % schedule.log_every == 0 or last:
            run.log_row()
        if run.step % schedule.validate_every == 0:
            run.validate()
        if last or time.monotonic() - since > 60 * schedule.checkpoint_minutes:
            run.save()
            since = time.monotonic()
    return run.average


_MOST_SKIPPED = 10  # updates in a row without a finite gradient that are bad luck


class _Run:
    """A network in training, and all that changes from update to update."""

    def __init__(self, task: Training, directory: Path) -> None:
        self.task, self.directory = task, directory
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.network, self.average = task.build().to(device), task.build().to(device).eval()
        self.names = [name for name, _ in self.network.named_parameters()]
        optim = task.config.optim
        self.optimizer = torch.optim.AdamW(
            self.network.parameters(), lr=optim.learning_rate, weight_decay=optim.weight_decay
        )
        self.step = self.episodes = self.skipped = 0
        self.rows: list[dict[str, float]] = []
        if (directory / CHECKPOINT).exists():
            self._resume()
        self.started = time.monotonic()

    def _resume(self) -> None:
        kept = checkpoint.load_checkpoint(self.directory / CHECKPOINT)
        if kept.config != to_dict(self.task.config):
            log.warning("the configuration differs from the one %s was trained with so far", self.directory)
        if kept.inducer != self.task.name:
            networks = f"the {kept.inducer!r} network, not the {self.task.name!r} one"
            raise InputError(f"{self.directory} holds {networks}; choose another folder")
        checkpoint.load_weights(self.average, kept.average)
        checkpoint.load_weights(self.network, kept.weights)
        checkpoint.restore_optimizer(self.optimizer, self.names, kept.optimizer)
        self.step, self.episodes = kept.step, kept.episodes
        forget_rows_after(self.directory / METRICS, self.step)
        log.info("going on after %d updates (%d episodes)", self.step, self.episodes)

    def update(self) -> dict[str, float]:
        optim = self.task.config.optim
        self.optimizer.zero_grad(set_to_none=True)
        rows = []
        for index in range(optim.batches_per_step):
            loss = self.task.loss(self.network, self.step * optim.batches_per_step + index)
            (loss.total / optim.batches_per_step).backward()
            terms = {name: float(value) for name, value in loss.terms.items()}
            rows.append({"episodes": float(loss.episodes), "loss": float(loss.total.detach()), **terms})
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), optim.clip)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate(optim, self.step)
        if torch.isfinite(norm):
            self.optimizer.step()
            self.skipped = 0
        else:
            self._skip()
        self.step += 1
        # a young average must not be dominated by the first weights
        decay, weights = min(optim.average, (self.step + 1) / (self.step + 10)), self.network.state_dict()
        for name, tensor in self.average.state_dict().items():
            tensor.lerp_(weights[name], 1 - decay)
        means = {key: sum(row[key] for row in rows) / len(rows) for key in rows[0]}
        means |= {"gradient": float(norm), "episodes": sum(row["episodes"] for row in rows)}
        self.episodes += int(means["episodes"])
        self.rows.append(means)
        return means

    def _skip(self) -> None:
        """Stop where no update has a finite gradient any more: the weights are of no use."""
        log.warning("update %d has no finite gradient and is skipped", self.step)
        self.skipped += 1
        few = self.step + 1 >= self.task.config.optim.steps and self.skipped > 1
        if self.skipped >= _MOST_SKIPPED or few:
            cause = f"the last {self.skipped} updates up to {self.step} have no finite gradient"
            remedy = "lower optim.learning_rate, and train in another folder"
            raise InputError(f"training diverged: {cause}; {remedy}")

    def log_row(self) -> None:
        seconds = time.monotonic() - self.started
        rate = learning_rate(self.task.config.optim, self.step - 1)
        row: dict[str, float] = {"step": self.step, "learning_rate": rate}
        for key in self.rows[-1]:  # a term of the loss may set in between two rows of metrics
            values = [r[key] for r in self.rows if key in r]
            row[key] = _six_digits(sum(values) / len(values))
        row["episodes_per_second"] = round(sum(r["episodes"] for r in self.rows) / max(seconds, 1e-9), 1)
        row["episodes"] = self.episodes
        self._write(row)
        self.rows, self.started = [], time.monotonic()

    def validate(self) -> None:
        scores = self.task.validate(self.average)
        self._write({"step": self.step} | {f"valid/{k}": _six_digits(v) for k, v in scores.items()})
        self.started = time.monotonic()

    def _write(self, row: dict[str, float]) -> None:
        with (self.directory / METRICS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")

    def save(self) -> None:
        average = self.average.state_dict()
        checkpoint.check_finite(average, "training diverged: after its updates")
        kept = checkpoint.Checkpoint(
            inducer=self.task.name,
            step=self.step,
            episodes=self.episodes,
            config=to_dict(self.task.config),
            weights=self.network.state_dict(),
            average=average,
            optimizer=checkpoint.optimizer_tensors(self.optimizer, self.names),
        )
        checkpoint.save_checkpoint(kept, self.directory / CHECKPOINT)


def forget_rows_after(file: Path, step: int) -> None:
    """Drop rows of metrics that were written after the checkpoint: these updates are made once more.

    A run that is killed leaves such rows, and perhaps half a line.
    """
    if not file.exists():
        return
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    with atomic_file(file) as rewritten:
        for line in lines:
            with suppress(ValueError, TypeError, KeyError):
                if int(json.loads(line)["step"]) <= step:
                    rewritten.write(f"{line}\n")


def _six_digits(number: float) -> float:
    """Return what is worth writing of a number; rounded to decimals, a tiny variance would be none."""
    return float(f"{number:.6g}")


def learning_rate(optim: OptimConfig, step: int) -> float:
    """Linear warm-up, then the highest rate, or a cosine from it to the final one."""
    if step < optim.warmup:
        return optim.learning_rate * (step + 1) / optim.warmup
    if optim.schedule == "constant":
        return optim.learning_rate
    progress = min(1.0, (step - optim.warmup) / max(1, optim.steps - optim.warmup))
    fall = 0.5 * (1 + math.cos(math.pi * progress))
    return optim.final_learning_rate + (optim.learning_rate - optim.final_learning_rate) * fall
