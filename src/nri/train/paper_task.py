"""The paper's network in training."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn

from nri.errors import ConfigError
from nri.model.batch import EpisodeBatch, batch_from_arrays
from nri.model.paper import PaperInducer
from nri.model.paper_config import PaperConfig
from nri.synth.paper_preset import PaperEpisodes, PaperPreset, paper_episodes
from nri.train.config import TrainConfig
from nri.train.paper_losses import PaperLossConfig, paper_loss
from nri.train.paper_validation import PaperSuite, score, validation_suite
from nri.train.toml import to_dict


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


class PaperTask:
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
