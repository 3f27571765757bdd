"""The paper's network in training."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn

from nri.errors import ConfigError
from nri.paper.torch.config import PaperConfig, PaperLossConfig
from nri.paper.torch.losses import paper_loss
from nri.paper.torch.network import PaperInducer
from nri.paper.torch.validation import (
    HiddenRule,
    PaperSuite,
    clean,
    deployed_suite,
    score,
    score_deployed,
    slot_state,
    tensors,
    validation_suite,
)
from nri.synth.paper import PaperPreset, paper_episodes
from nri.train.config import TrainConfig, to_dict

__all__ = ["PaperTrainConfig", "PaperTraining", "slot_state", "tensors"]


@dataclass(frozen=True)
class PaperTrainConfig(TrainConfig):
    """A training run of the paper's network."""

    batch: int = 1024
    """Episodes in one synthetic batch; an update sees ``batches_per_step`` of them"""
    pool: int = 0
    """Train on so many fixed episodes, over and over; 0 draws fresh ones for every update"""
    clean_share: float = 0.0
    """Share of training on clean episodes, before label noise and unknown cells of ``data`` set in"""
    model: PaperConfig = field(default_factory=PaperConfig)
    data: PaperPreset = field(default_factory=PaperPreset)
    loss: PaperLossConfig = field(default_factory=PaperLossConfig)

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise ConfigError(f"batch = {self.batch} draws nothing; give at least 1 episode")
        if self.pool % self.batch or self.pool < 0:
            raise ConfigError(
                f"pool = {self.pool} is no multiple of batch = {self.batch}; "
                "give one, or 0 for fresh episodes"
            )
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
        first = index * config.batch % (config.pool or math.inf)
        drawn = paper_episodes(preset, config.seed, int(first), config.batch)
        batch = tensors(drawn).to(device)
        # the network sees noisy labels, its rule is judged by those before the noise
        judged = replace(batch, labels=torch.from_numpy(drawn.truth).to(batch.labels))
        # one source of chance for each batch: a resumed run drops the same slots and units
        chance = config.seed + 1_000_003 * (index + 1)
        source = torch.Generator(device).manual_seed(chance)
        with torch.random.fork_rng([device] if device.type == "cuda" else []):
            torch.manual_seed(chance)  # torch's dropout takes no generator
            rule = network(batch)
        loss = paper_loss(rule, judged, config.loss, progress, source)
        row = {"episodes": float(len(batch)), "loss": float(loss.total.detach())}
        return loss.total, row | {name: float(value) for name, value in loss.terms.items()}

    @cached_property
    def _suite(self) -> PaperSuite:
        return validation_suite(self.config.data, 32 * self.config.run.validation_batches)

    @cached_property
    def _hidden_rules(self) -> dict[str, list[HiddenRule]]:
        return deployed_suite(2 * self.config.run.validation_batches)

    def validate(self, network: nn.Module) -> dict[str, float]:
        """Accuracy on fresh rows, clean and noisy, the state of the slots, and both deployments' rules."""
        return score(network, self._suite) | score_deployed(network, self._hidden_rules)

    def describe(self) -> dict[str, Any]:
        """Return the configuration as plain values."""
        return to_dict(self.config)
