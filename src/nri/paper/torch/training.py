"""The paper's network in training: its scores on fixed synthetic tables, its episodes, the file that ships.

Checkpoints and constants of deployment are chosen by these scores alone, so no real table is among them.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from nri.arrays import BoolArray, FloatArray
from nri.episode import Episode, make_episode
from nri.errors import ConfigError
from nri.paper.episodes import PaperEpisodes, PaperPreset, paper_episodes
from nri.paper.model import TUNED, Gates, PaperModel, deploy
from nri.paper.torch.batch import EpisodeBatch, batch_from_arrays, entropy_of_gates
from nri.paper.torch.losses import PaperLossConfig, paper_loss
from nri.paper.torch.network import PaperConfig, PaperInducer
from nri.paper.torch.tnorm import SoftRule
from nri.search.candidates import clause_truth
from nri.search.limits import Limits
from nri.synth import SEED, WidePrior, dnf_truth
from nri.train.checkpoint import write_graph
from nri.train.config import TrainConfig, check_limits
from nri.train.loop import Loss, Training, moved

_FRESH_ROWS = 256


def clean(preset: PaperPreset) -> PaperPreset:
    """Return the preset without label noise and unknown cells."""
    return replace(preset, label_noise=0.0, missing=0.0, max_label_noise=0.0, max_missing=0.0)


def tensors(episodes: PaperEpisodes) -> EpisodeBatch:
    """Return the part of the episodes that a network may see."""
    return batch_from_arrays(
        episodes.values, episodes.known, episodes.labels, episodes.row_valid, episodes.variable_valid
    )


def slot_state(rule: SoftRule) -> dict[str, float]:
    """How evenly slots are used over a batch, and how sharp clause gates are, by their entropy in nats."""
    variance = float(rule.w.mean(0).var(correction=0))
    return {"usage_variance": variance, "gate_entropy": float(entropy_of_gates(rule.w).mean())}


def _fresh_accuracy(rule: SoftRule, episodes: PaperEpisodes) -> float:
    """Mean accuracy of deployed rules on coin-flip rows that no rule was induced from."""
    B, N = episodes.variable_valid.shape
    rows = np.random.default_rng(SEED).random((B, _FRESH_ROWS, N)) < 0.5
    truth = dnf_truth(episodes.clauses, rows)
    z, w = rule.z.numpy(force=True), rule.w.numpy(force=True)
    predicted = np.empty_like(truth)
    for index, valid in enumerate(episodes.variable_valid):
        clauses = deploy(z[index][:, np.tile(valid, 2)], w[index], episodes.episode(index))
        cells = rows[index][:, valid]
        predicted[index] = clause_truth(np.concatenate([cells, ~cells], axis=1), clauses).any(axis=0)
    return float((predicted == truth).mean())


@dataclass(frozen=True, eq=False)
class HiddenRule:
    """A table to induce a rule from, and rows that show whether it is right."""

    support: Episode
    values: BoolArray  # [R, N]
    known: BoolArray  # [R, N]
    truth: FloatArray  # [R], the chance that a row is positive


SHAPES = ("1x1", "1x2", "1x3", "2x1", "2x2", "4x1", "4x3")  # clauses x literals of the rules to recover
SUPPORT_SIZES = (48, 256)
N_VARIABLES = 12
MIXED_ROWS = 128  # rows that rules of one to three clauses of one to three literals are learned from


def deployed_suite(size: int) -> dict[str, list[HiddenRule]]:
    """Name the parts: rules to recover by shape and number of rows, mixed ones, wide tables of many kinds.

    ``size`` is how many rules each part of the first kind has; the others are four times as many.
    """
    suite = {}
    for n_rows, shape in product(SUPPORT_SIZES, SHAPES):
        K, L = map(int, shape.split("x"))
        suite[f"recovery/{shape}/{n_rows}"] = list(_hidden_rules((K, K, L, L), n_rows, size))
    suite["mixed"] = list(_hidden_rules((1, 3, 1, 3), MIXED_ROWS, 4 * size))
    return suite | {"wide": [table for index in range(2 * size) for table in _wide_tables(index)]}


def _hidden_rules(limits: tuple[int, int, int, int], n_rows: int, count: int) -> Iterator[HiddenRule]:
    """Draw coin-flip tables whose labels follow a DNF, to be judged on every row there is.

    ``limits`` are the fewest and most clauses, and literals; clauses of a rule are of one length.
    """
    sizes = (N_VARIABLES, N_VARIABLES, n_rows, n_rows)
    preset = PaperPreset(*sizes, *limits, n_spurious=0, even_share=1.0)
    drawn = paper_episodes(preset, SEED, 0, 4 * count)
    rows = np.array(list(product((False, True), repeat=N_VARIABLES)))
    both_classes = drawn.labels.any(axis=1) & ~drawn.labels.all(axis=1)  # else there is nothing to induce
    for index in np.flatnonzero(both_classes)[:count]:
        truth = dnf_truth(drawn.clauses[index : index + 1], rows[None])[0]
        yield HiddenRule(drawn.episode(index), rows, np.ones_like(rows), truth.astype(np.float64))


def _wide_tables(index: int) -> Iterator[HiddenRule]:
    """Draw two tables of the wide prior, wider than those of training."""
    prior = WidePrior(min_rows=20, max_rows=300, min_columns=13, max_columns=120, n_query=64, max_episodes=2)
    batch = prior.draw(np.random.default_rng([SEED, 6, index]))
    M = batch.n_support
    tables = zip(batch.values, batch.known, batch.labels, batch.truth, strict=True)
    for values, known, labels, truth in tables:
        support = make_episode(values[:M], known[:M], labels.astype(np.int64), n_classes=2)
        yield HiddenRule(support, values[M:], known[M:], truth[M:].astype(np.float64))


def score_deployed(network: nn.Module, suite: Mapping[str, list[HiddenRule]]) -> dict[str, float]:
    """Score the text's deployment and the tuned one, by exact recovery and by accuracy.

    ``choice`` is what checkpoints are chosen by: the mean of three numbers, the accuracy on wide tables, the
    share of rules recovered, over all shapes and sizes alike, and the accuracy on mixed rules.
    """
    source = Views(network)
    tuned = PaperModel(source, TUNED, both_sides=True)  # without restarts: the network is judged
    scores: dict[str, float] = {}
    for name, model in {"text": PaperModel(source), "tuned": tuned}.items():
        right = {part: np.array([_accuracy(model, table) for table in suite[part]]) for part in suite}
        recovered = {part: float((right[part] == 1).mean()) for part in suite if part.startswith("recovery/")}
        parts = {part: float(accuracies.mean()) for part, accuracies in right.items()} | recovered
        choice = np.mean([parts["wide"], parts["mixed"], np.mean(list(recovered.values()))])
        scores |= {f"{name}/{part}": score for part, score in parts.items()}
        scores[f"{name}/choice"] = float(choice)
    return scores


def _accuracy(model: PaperModel, table: HiddenRule) -> float:
    """Return how often the induced rule is expected to be right."""
    groups = np.arange(table.values.shape[1])
    induced = model.induce(table.support, groups, Limits(), np.random.default_rng(0))
    answer = induced.predict(table.values, table.known) == 1
    return float(np.where(answer, table.truth, 1 - table.truth).mean())


class Views(nn.Module):
    """The network on views of one table: other signs, other orders of columns; no padding."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(
        self, values: Float[Tensor, "V M N"], known: Bool[Tensor, "V M N"], labels: Float[Tensor, " M"]
    ) -> tuple[Float[Tensor, "V T L"], Float[Tensor, "V T"]]:
        """Return literal gates and clause gates of each view."""
        y = labels + torch.zeros_like(values[:, :, 0])
        rows, variables = torch.ones_like(y, dtype=torch.bool), torch.ones_like(known[:, 0])
        rule = self.network(EpisodeBatch(values, known, y, rows, variables))
        return rule.z, rule.w

    def gates(self, values: BoolArray, known: BoolArray, labels: BoolArray) -> list[Gates]:
        """See :class:`nri.paper.model.GateSource`."""
        device = next(self.parameters()).device
        inputs = [(values & known).astype(np.float32), known, labels.astype(np.float32)]
        with torch.no_grad():
            z, w = self(*(torch.from_numpy(x).to(device) for x in inputs))
        return [Gates(*pair) for pair in zip(z.numpy(force=True), w.numpy(force=True), strict=True)]


class SlotTraining(Training):
    """What the training of every network that fills slots has: how it is scored, and the file that ships."""

    @cached_property
    def _hidden_rules(self) -> dict[str, list[HiddenRule]]:
        return deployed_suite(2 * self.config.run.validation_batches)

    def validate(self, network: nn.Module) -> dict[str, float]:
        """Score rules as deployed, by recovery and on wide tables."""
        return score_deployed(network, self._hidden_rules)

    def export(self, network: nn.Module, onnx_file: Path) -> None:
        """Write what ships of a trained network."""
        cells, labels = torch.rand(2, 23, 11), (torch.arange(23) % 2).float()
        inputs = {"values": (cells < 0.4).float(), "known": cells < 0.9, "labels": labels}
        axes = {"values": "VMN", "known": "VMN", "labels": "M", "z": "VTL", "w": "VT"}
        write_graph(onnx_file, Views(network), inputs, axes, free="VMNL")


@dataclass(frozen=True)
class PaperTrainConfig(TrainConfig):
    """A training run of the paper's network."""

    batch: int = 1024  # episodes in one synthetic batch; an update sees ``batches_per_step`` of them
    pool: int = 0  # train on so many fixed episodes, over and over; 0 draws fresh ones for every update
    clean_share: float = 0.0  # share of training before label noise and unknown cells of ``data`` set in
    model: PaperConfig = field(default_factory=PaperConfig)
    data: PaperPreset = field(default_factory=PaperPreset)
    loss: PaperLossConfig = field(default_factory=PaperLossConfig)

    def __post_init__(self) -> None:
        check_limits("paper", self, ["batch"], 1)
        check_limits("paper", self, ["pool"], 0)
        if self.pool % self.batch:
            cause = f"pool = {self.pool} is no multiple of batch = {self.batch}"
            raise ConfigError(f"{cause}; give one, or 0 for fresh episodes")
        widest = self.data.max_variables + self.data.n_spurious
        if self.model.n_train < widest:
            cause = f"n_train = {self.model.n_train} is narrower than the {widest} columns of training tables"
            raise ConfigError(f"model.{cause}; give at least data.max_variables + data.n_spurious")


class PaperTraining(SlotTraining):
    """Soft rules for random DNFs, judged by the paper's objective."""

    name = "paper"
    network = PaperInducer
    config: PaperTrainConfig

    def loss(self, network: nn.Module, index: int) -> Loss:
        """Draw batch ``index`` of the appendix's generator and judge the soft rules on its rows."""
        config, device = self.config, next(network.parameters()).device
        progress = index // config.optim.batches_per_step / config.optim.steps
        preset = clean(config.data) if progress < config.clean_share else config.data
        first = index * config.batch % (config.pool or math.inf)
        drawn = paper_episodes(preset, config.seed, int(first), config.batch)
        batch = moved(tensors(drawn), device)
        # the network sees noisy labels, its rule is judged by those before the noise
        judged = replace(batch, labels=torch.from_numpy(drawn.truth).to(batch.labels))
        # one source of chance for each batch: a resumed run drops the same slots and units
        chance = config.seed + 1_000_003 * (index + 1)
        source = torch.Generator(device).manual_seed(chance)
        with torch.random.fork_rng([device] if device.type == "cuda" else []):
            torch.manual_seed(chance)  # torch's dropout takes no generator
            rule = network(batch)
        return paper_loss(rule, judged, config.loss, progress, source)

    @cached_property
    def _suite(self) -> dict[str, PaperEpisodes]:
        """Episodes like those of training, and the same with 30 % of labels flipped."""
        preset, count = clean(self.config.data), 32 * self.config.run.validation_batches
        noise = {"clean": 0.0, "noisy": 0.3}
        return {k: paper_episodes(replace(preset, label_noise=v), SEED, 0, count) for k, v in noise.items()}

    def validate(self, network: nn.Module) -> dict[str, float]:
        """Accuracy on fresh rows, clean and noisy, the state of the slots, and both deployments' rules."""
        scores, device = super().validate(network), next(network.parameters()).device
        for name, episodes in self._suite.items():
            with torch.no_grad():
                rule = network(moved(tensors(episodes), device))
            of_part = {"accuracy": _fresh_accuracy(rule, episodes), **slot_state(rule)}
            scores |= {f"{name}/{key}": value for key, value in of_part.items()}
        return scores
