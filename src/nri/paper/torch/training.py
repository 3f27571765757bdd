"""The paper's network in training."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from nri.errors import ConfigError
from nri.paper.deploy import PUBLISHED, DeployConfig, deploy
from nri.paper.torch.batch import EpisodeBatch, batch_from_arrays
from nri.paper.torch.config import PaperConfig, PaperLossConfig
from nri.paper.torch.losses import paper_loss
from nri.paper.torch.network import PaperInducer
from nri.paper.torch.statistics import binary_entropy
from nri.paper.torch.tnorm import SoftRule
from nri.synth.paper import PaperEpisodes, PaperPreset, paper_episodes
from nri.synth.targets import dnf_truth
from nri.train.config import TrainConfig, to_dict

SEED = 20_261_116
"""Training runs take small seeds."""

_FRESH_ROWS = 256
_SURE = 1e-6

PaperSuite = Mapping[str, PaperEpisodes]
"""Fixed episodes by name."""


def validation_suite(preset: PaperPreset, episodes: int) -> PaperSuite:
    """Draw episodes like those of training, and the same with 30 % of labels flipped."""
    clean = replace(preset, label_noise=0.0, missing=0.0, max_label_noise=0.0, max_missing=0.0)
    noisy = replace(clean, label_noise=0.3)
    return {
        "clean": paper_episodes(clean, SEED, 0, episodes),
        "noisy": paper_episodes(noisy, SEED, 0, episodes),
    }


def score(network: nn.Module, suite: PaperSuite, config: DeployConfig = PUBLISHED) -> dict[str, float]:
    """Score deployed rules and slots on every part of the suite."""
    scores: dict[str, float] = {}
    device = next(network.parameters()).device
    for name, episodes in suite.items():
        batch = batch_from_arrays(
            episodes.values, episodes.known, episodes.labels, episodes.row_valid, episodes.variable_valid
        )
        with torch.no_grad():
            rule = network(batch.to(device))
        found = {"accuracy": _fresh_accuracy(rule, episodes, config), **slot_state(rule)}
        scores |= {f"{name}/{key}": value for key, value in found.items()}
    return scores


def slot_state(rule: SoftRule) -> dict[str, float]:
    """How evenly slots are used over a batch, and how sharp clause gates are.

    ``usage_variance`` is the variance over slots of the mean clause gate, ``gate_entropy`` the mean binary
    entropy of clause gates in nats.
    """
    gates = rule.w.clamp(_SURE, 1 - _SURE)
    return {
        "usage_variance": float(rule.w.mean(0).var(correction=0)),
        "gate_entropy": float(binary_entropy(gates).mean()),
    }


def _fresh_accuracy(rule: SoftRule, episodes: PaperEpisodes, config: DeployConfig) -> float:
    """Mean accuracy of deployed rules on coin-flip rows that no rule was induced from."""
    n_variables = episodes.variable_valid.shape[1]
    rows = np.random.default_rng(SEED).random((len(episodes), _FRESH_ROWS, n_variables)) < 0.5
    truth = dnf_truth(episodes.clauses, rows)
    z, w = rule.z.numpy(force=True), rule.w.numpy(force=True)
    predicted = np.zeros_like(truth)
    for index, valid in enumerate(episodes.variable_valid):
        cells = rows[index][:, valid]
        literals = np.concatenate([cells, ~cells], axis=1)
        gates = z[index][:, np.tile(valid, 2)]
        for clause in deploy(gates, w[index], episodes.episode(index), config):
            predicted[index] |= literals[:, list(clause)].all(axis=1)
    return float((predicted == truth).mean())


@dataclass(frozen=True)
class PaperTrainConfig(TrainConfig):
    """A training run of the paper's network."""

    batch: int = 1024
    """Episodes in one synthetic batch; an update sees ``batches_per_step`` of them"""
    clean_share: float = 0.0
    """Share of training on clean episodes, before label noise and unknown cells of ``data`` set in"""
    model: PaperConfig = field(default_factory=PaperConfig)
    data: PaperPreset = field(default_factory=PaperPreset)
    loss: PaperLossConfig = field(default_factory=PaperLossConfig)

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise ConfigError(f"batch = {self.batch} draws nothing; give at least 1 episode")
        widest = self.data.max_variables + self.data.n_spurious
        if self.model.n_train < widest:
            raise ConfigError(
                f"model.n_train = {self.model.n_train} is narrower than the {widest} columns of the "
                "training tables; give at least data.max_variables + data.n_spurious"
            )


class PaperTraining:
    """Soft rules for random DNFs, judged by the paper's objective."""

    name = "paper"

    def __init__(self, config: PaperTrainConfig) -> None:
        self.config = config

    def build(self) -> PaperInducer:
        """Make the network; its first weights depend on the seed alone."""
        return PaperInducer(self.config.model, torch.Generator().manual_seed(self.config.seed))

    def loss(self, network: nn.Module, index: int) -> tuple[Tensor, dict[str, float]]:
        """Draw batch ``index`` of the appendix's generator and judge the soft rules on its rows."""
        config = self.config
        device = next(network.parameters()).device
        progress = index // config.optim.batches_per_step / config.optim.steps
        preset = clean(config.data) if progress < config.clean_share else config.data
        drawn = paper_episodes(preset, config.seed, index * config.batch, config.batch)
        batch = tensors(drawn).to(device)
        # the network sees noisy labels, its rule is judged by those before the noise
        judged = replace(batch, labels=torch.from_numpy(drawn.truth).to(batch.labels))
        # one source of clause dropout for each batch: a resumed run drops the same slots
        dropout = torch.Generator(device).manual_seed(config.seed + 1_000_003 * (index + 1))
        loss = paper_loss(network(batch), judged, config.loss, progress, dropout)
        row = {"episodes": float(len(batch)), "loss": float(loss.total.detach())}
        return loss.total, row | {name: float(value) for name, value in loss.terms.items()}

    @cached_property
    def _suite(self) -> PaperSuite:
        return validation_suite(self.config.data, 32 * self.config.run.validation_batches)

    def validate(self, network: nn.Module) -> dict[str, float]:
        """Accuracy on fresh rows of deployed rules, clean and noisy, and the state of the slots."""
        return score(network, self._suite)

    def describe(self) -> dict[str, Any]:
        """Return the configuration as plain values."""
        return to_dict(self.config)


def clean(preset: PaperPreset) -> PaperPreset:
    """Return the preset without label noise and unknown cells."""
    return replace(preset, label_noise=0.0, missing=0.0, max_label_noise=0.0, max_missing=0.0)


def tensors(episodes: PaperEpisodes) -> EpisodeBatch:
    """Return the part of the episodes that a network may see."""
    return batch_from_arrays(
        episodes.values, episodes.known, episodes.labels, episodes.row_valid, episodes.variable_valid
    )
