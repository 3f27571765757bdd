"""The network with coverage feedback in training: tables of many sizes, rules judged on rows not seen."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from nri.arrays import BoolArray
from nri.paper.torch.batch import EpisodeBatch, literals
from nri.paper.torch.feedback import FeedbackConfig, FeedbackInducer
from nri.paper.torch.statistics import binary_entropy
from nri.paper.torch.tnorm import SoftRule, execute
from nri.paper.torch.validation import HiddenRule, deployed_suite, score_deployed
from nri.synth.tables import SyntheticBatch
from nri.synth.targets import dnf_truth
from nri.synth.wide import WidePrior
from nri.train.config import TrainConfig, to_dict


@dataclass(frozen=True)
class FeedbackData:
    """Where the tables come from: rules over fair coins, and the wide prior."""

    wide_share: float = 0.4
    """Share of batches from the wide prior: correlated, one-hot and repeated columns, all kinds of targets."""
    min_rows: int = 24
    max_rows: int = 512
    min_variables: int = 6
    max_variables: int = 64
    max_clauses: int = 6
    max_literals: int = 4
    max_noise: float = 0.3
    max_missing: float = 0.15
    n_query: int = 64
    cells: int = 100_000
    """Cells of a batch, which fixes how many tables it holds."""
    max_episodes: int = 64

    def draw(self, rng: np.random.Generator) -> SyntheticBatch:
        """Draw a batch of tables of one shape."""
        if rng.random() < self.wide_share:
            wide = WidePrior(
                min_rows=16,
                max_rows=self.max_rows,
                min_columns=self.min_variables,
                max_columns=2 * self.max_variables,
                n_query=self.n_query,
                cells=self.cells,
                max_episodes=self.max_episodes,
                max_noise=self.max_noise,
                max_missing=self.max_missing,
            )
            return wide.draw(rng)
        return self._rules(rng)

    def _rules(self, rng: np.random.Generator) -> SyntheticBatch:
        M = _log_uniform(rng, self.min_rows, self.max_rows)
        N = int(rng.integers(self.min_variables, 13))
        D = _log_uniform(rng, 1, self.max_variables - N) if rng.random() < 0.5 else 0
        B = int(np.clip(self.cells // ((M + self.n_query) * (N + D)), 4, self.max_episodes))
        rows = M + self.n_query
        columns = rng.random((B, rows, N)) < 0.5
        clauses = _rules(rng, B, N, self.max_clauses, min(self.max_literals, N))
        truth = dnf_truth(clauses, columns)
        if D:
            columns = np.concatenate([columns, self._distractors(rng, truth, M, D)], axis=2)
            empty = np.zeros((B, clauses.shape[1], D), dtype=bool)
            clauses = np.concatenate([clauses[:, :, :N], empty, clauses[:, :, N:], empty], axis=2)
        order = rng.permutation(N + D)
        columns, clauses = columns[:, :, order], clauses[:, :, np.concatenate([order, order + N + D])]
        labels = truth[:, :M].copy()
        if rng.random() < 0.4:
            labels ^= rng.random((B, M)) < rng.uniform(0, self.max_noise, (B, 1))
        known = np.ones_like(columns)
        if rng.random() < 0.3:
            known = rng.random(columns.shape) >= rng.uniform(0, self.max_missing, (B, 1, 1))
        return SyntheticBatch(columns & known, known, labels, truth.astype(np.float32), clauses)

    def _distractors(self, rng: np.random.Generator, truth: BoolArray, M: int, D: int) -> BoolArray:
        """Columns that follow the label: everywhere alike, or in the query no more (then by chance alone)."""
        rate = rng.uniform(0.1, 0.9, (len(truth), 1, 1))
        if rng.random() < 0.5:
            rate = np.full_like(rate, 0.5)
        follow = np.where(truth[:, :, None], rate, 1 - rate)
        if rng.random() < 0.5:
            follow[:, M:] = 0.5
        return np.asarray(rng.random((*truth.shape, D)) < follow)


def _log_uniform(rng: np.random.Generator, least: int, most: int) -> int:
    return int(np.exp(rng.uniform(np.log(least), np.log(most + 1))))


def _rules(rng: np.random.Generator, B: int, N: int, max_clauses: int, max_literals: int) -> BoolArray:
    """[B, K, 2N] clauses of one length, or each of its own."""
    n_clauses = rng.integers(1, max_clauses + 1, (B, 1))
    lengths = rng.integers(1, max_literals + 1, (B, max_clauses))
    lengths = np.where(rng.random((B, 1)) < 0.5, lengths[:, :1], lengths)
    lengths = np.where(np.arange(max_clauses) < n_clauses, lengths, 0)
    ranks = np.argsort(np.argsort(rng.random((B, max_clauses, N)), axis=2), axis=2)
    chosen = ranks < lengths[:, :, None]
    signs = rng.random((B, max_clauses, N)) < 0.5
    return np.concatenate([chosen & signs, chosen & ~signs], axis=2)


@dataclass(frozen=True)
class FeedbackLoss:
    """What the rules are judged by."""

    margin: float = 0.5
    entropy: float = 0.02
    length: float = 0.02
    """Weight of literals beyond four in a slot."""
    early: float = 0.2
    """Weight of the rounds before slots start anew, each."""


@dataclass(frozen=True)
class FeedbackTrainConfig(TrainConfig):
    """A training run of the network with coverage feedback."""

    model: FeedbackConfig = field(default_factory=FeedbackConfig)
    data: FeedbackData = field(default_factory=FeedbackData)
    loss: FeedbackLoss = field(default_factory=FeedbackLoss)


def support_of(batch: SyntheticBatch) -> EpisodeBatch:
    """Return what the network sees."""
    M = batch.n_support
    B, _, N = batch.values.shape
    return EpisodeBatch(
        torch.from_numpy(batch.values[:, :M].astype(np.float32)),
        torch.from_numpy(batch.known[:, :M].copy()),
        torch.from_numpy(batch.labels.astype(np.float32)),
        torch.ones(B, M, dtype=torch.bool),
        torch.ones(B, N, dtype=torch.bool),
    )


class FeedbackTraining:
    """Soft rules for tables of many kinds, judged by the text's coverage and margin on all rows."""

    name = "paper-feedback"

    def __init__(self, config: FeedbackTrainConfig) -> None:
        self.config = config

    def build(self) -> FeedbackInducer:
        """Make the network; its first weights depend on the seed alone."""
        return FeedbackInducer(self.config.model, torch.Generator().manual_seed(self.config.seed))

    def loss(self, network: nn.Module, index: int) -> tuple[Tensor, dict[str, float]]:
        """Draw batch ``index`` and judge the soft rules on its rows, seen and unseen."""
        rng = np.random.default_rng([self.config.seed, index])
        drawn = self.config.data.draw(rng)
        batch = support_of(drawn)
        luck = torch.from_numpy(rng.random(drawn.labels.shape, dtype=np.float32))
        rules = network.rounds(batch, luck)  # type: ignore[operator]
        rows = literals(torch.from_numpy(drawn.values.astype(np.float32)), torch.from_numpy(drawn.known))
        truth = torch.from_numpy(drawn.truth)
        usable = torch.from_numpy(drawn.labels.any(1) & ~drawn.labels.all(1)).float()[:, None]
        weight = usable / (usable.sum() * rows.shape[1]).clamp_min(1)
        settings = self.config.loss
        total = torch.zeros(())
        row = {}
        for share, rule in self._judged(rules):
            done = execute(rule, rows)
            p = done.rule.clamp(1e-3, 1 - 1e-3)
            coverage = -(weight * (truth * p.log() + (1 - truth) * (1 - p).log())).sum()
            best = (done.clauses * rule.w.unsqueeze(1)).amax(-1)
            margin = (weight * (truth * (0.7 - best).relu() + (1 - truth) * (best - 0.3).relu())).sum()
            entropy = binary_entropy(rule.z.clamp(1e-6, 1 - 1e-6)).sum(-1).mean()
            entropy = entropy + binary_entropy(rule.w.clamp(1e-6, 1 - 1e-6)).mean()
            length = (rule.z.sum(-1) - 4).relu().mean()
            total = total + share * (
                coverage + settings.margin * margin + settings.entropy * entropy + settings.length * length
            )
            row = {
                "coverage": coverage, "margin": margin, "entropy": entropy, "length": length,
                "error": (weight * ((done.rule > 0.5) != (truth > 0.5))).sum(),
            }  # fmt: skip
        numbers = {name: float(value.detach()) for name, value in row.items()}
        return total, {"episodes": float(len(batch)), "loss": float(total.detach()), **numbers}

    def _judged(self, rules: list[SoftRule]) -> list[tuple[float, SoftRule]]:
        """The rules before slots start anew, and the last ones."""
        return [(self.config.loss.early, rules[index - 1]) for index in self.config.model.anew] + [
            (1.0, rules[-1])
        ]

    @cached_property
    def _hidden_rules(self) -> dict[str, list[HiddenRule]]:
        return deployed_suite(2 * self.config.run.validation_batches)

    def validate(self, network: nn.Module) -> dict[str, float]:
        """Score rules as deployed, by recovery and on wide tables."""
        return score_deployed(network, self._hidden_rules)

    def describe(self) -> dict[str, Any]:
        """Return the configuration as plain values."""
        return to_dict(self.config)
