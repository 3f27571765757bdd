"""A third network: the paper's slots, which look at what they cover and are filled anew, round by round.

The text's network gives literals with equal statistics equal gates in every slot, so it cannot write
``x0 or x1`` (docs/paper.md). Here each slot starts from a positive row of its own, its anchor: its clause is
made of literals that hold there. In every round a small network, the same for all slots and literals, reads
how many positives, negatives and positives of no other slot a slot would cover with a literal and without
it, and sets the next gates. Twice, slots that cover hardly a positive of their own move to an uncovered row.

Without the example keys of eq. (5), which know the positions of columns, permuting the columns of a table
permutes the gates. All else is the text's.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from nri.arrays import BoolArray
from nri.errors import ConfigError
from nri.paper.torch.batch import (
    NAMES,
    EpisodeBatch,
    Rows,
    batch_from_arrays,
    entropy_of_gates,
    literal_statistics,
    literals,
)
from nri.paper.torch.losses import excess_length
from nri.paper.torch.network import PaperConfig, SlotDecoder, mlp, seeded_columns
from nri.paper.torch.tnorm import UNKNOWN, SoftRule, execute
from nri.paper.torch.training import SlotTraining
from nri.synth import SyntheticBatch, WidePrior, dnf_truth, log_uniform, signed_clauses, with_more_columns
from nri.train.config import TrainConfig, check_limits
from nri.train.loop import Loss, moved

SlotRows = Float[Tensor, "B T M"]
SlotVariables = Float[Tensor, "B T N"]

_LITERAL_NUMBERS = 19
_SLOT_NUMBERS = 9
_WIDEST_RULE = 12  # Most variables that the rule of a drawn table is about.
_START = 0.05  # clause gate of a slot that asks for nothing yet: it must not hide all rows from others


@dataclass(frozen=True)
class FeedbackConfig:
    """The size of the network."""

    slots: int = 8  # T, as in the text
    width: int = 32  # D, of literal embeddings and slot states
    layers: int = 2  # decoder layers
    heads: int = 4
    feedforward: int = 2
    hidden: int = 32  # units of the networks that read the counts
    rounds: int = 8  # how often the slots are executed and filled anew
    anew: tuple[int, ...] = (3, 5)  # rounds before which slots without positives of their own start again

    def __post_init__(self) -> None:
        check_limits("model", self, (name for name in vars(self) if name != "anew"), 1)
        if not all(1 <= index < self.rounds for index in self.anew):
            shown, last = list(self.anew), self.rounds - 1
            raise ConfigError(f"model: anew = {shown} is outside the rounds; give numbers from 1 to {last}")

    @property
    def decoder(self) -> PaperConfig:
        """The part that is the paper's own."""
        shared = ("slots", "width", "layers", "heads", "feedforward")
        return PaperConfig(**{name: getattr(self, name) for name in shared})


class FeedbackInducer(nn.Module):
    """Tables with labels in, one soft rule for each table and round out."""

    def __init__(self, config: FeedbackConfig) -> None:
        super().__init__()
        self.config = config
        width, hidden = config.width, config.hidden
        self.from_statistics = mlp(len(NAMES) + 2, width).append(nn.LayerNorm(width))
        self.decoder = SlotDecoder(config.decoder)
        self.from_counts = nn.Linear(_LITERAL_NUMBERS, hidden)
        self.from_slot = nn.Linear(_SLOT_NUMBERS, hidden, bias=False)
        self.from_embedding = nn.Linear(width, hidden, bias=False)
        self.from_state = nn.Linear(width, hidden, bias=False)
        self.compete = nn.Linear(hidden, 1)
        self.mix = nn.Linear(hidden + 2, hidden)
        self.literal_gate = nn.Linear(hidden, 1)
        self.clause_hidden = nn.Linear(_SLOT_NUMBERS, hidden)
        self.clause_from_state = nn.Linear(width, hidden, bias=False)
        self.clause_gate = nn.Linear(hidden, 1)
        with torch.no_grad():
            self.literal_gate.bias.fill_(-2.0)

    def forward(self, batch: EpisodeBatch, luck: Rows | None = None) -> SoftRule:
        """Return the rules of the last round; ``luck`` decides from which rows slots start."""
        return self.rounds(batch, luck)[-1]

    def rounds(self, batch: EpisodeBatch, luck: Rows | None = None) -> list[SoftRule]:
        """Return the rules after each round."""
        B, M, _ = batch.values.shape
        if luck is None:  # the same for every table of as many rows
            luck = (0.5 + 0.5 * seeded_columns(0, 0, M, 1, batch.values.device)).to(batch.values).expand(B, M)
        support = _Support(batch)
        phi = literal_statistics(batch)
        sizes = (support.sizes.log() / 6).unsqueeze(1).expand(-1, phi.shape[1], -1)
        h = self.from_statistics(torch.cat([phi, sizes], -1))  # as eq. (4)
        states = self.decoder.states(h, batch.literal_valid)  # eq. (8)
        embedded, queries = self.from_embedding(h), self.from_state(states).unsqueeze(2)
        clause_queries = self.clause_from_state(states)
        slots = _Slots.start(support, support.ranked(luck, self.config.slots))
        rules = []
        for index in range(self.config.rounds):
            if index in self.config.anew:
                slots = slots.moved(luck)
            if index == 0 or index in self.config.anew:
                own = slots.of_anchor(embedded) + queries
            counts = self.from_counts(slots.numbers_of_literals())
            of_slot = self.from_slot(slots.numbers()).unsqueeze(2)
            hidden = (counts + of_slot + own).relu()
            ahead = self.compete(hidden).squeeze(-1).masked_fill(~slots.candidates, -30.0).log_softmax(-1)
            hidden = torch.cat([hidden, ahead.exp().unsqueeze(-1), (ahead / 4).unsqueeze(-1)], -1)
            z = self.literal_gate(self.mix(hidden).relu()).squeeze(-1).sigmoid() * slots.candidates
            slots = replace(slots, z=z, clauses=support.truth(slots.whole(z)))
            seen = self.clause_hidden(slots.numbers())
            w = self.clause_gate((seen + clause_queries).relu()).squeeze(-1).sigmoid()
            slots = replace(slots, w=w)
            rules.append(SoftRule(slots.whole(z), w))
        return rules


class _Support:
    """The rows of the tables, and the truth of clauses on them."""

    def __init__(self, batch: EpisodeBatch) -> None:
        self.batch, literals = batch, batch.literals
        self.holds = (literals == 1).to(batch.values.dtype)
        self.fails = (literals == 0).to(batch.values.dtype)
        self.unknown = (literals == UNKNOWN).to(batch.values.dtype)
        self.positives, self.negatives = batch.positives.unsqueeze(1), batch.negatives.unsqueeze(1)
        self.sizes = torch.cat([self.positives.sum(-1), self.negatives.sum(-1)], -1).clamp_min(1)

    def truth(self, z: Float[Tensor, "B T L"]) -> SlotRows:
        """Truth of each slot's clause, eq. (12), slots first."""
        failing, unknown = (1 - z).clamp_min(1e-12).log(), (1 - UNKNOWN * z).log()
        return (failing @ self.fails.transpose(1, 2) + unknown @ self.unknown.transpose(1, 2)).exp()

    def ranked(self, score: Rows, count: int) -> Int[Tensor, "B T"]:
        """Return the positive rows of highest score; with fewer than asked for, over again."""
        positives = self.batch.positives
        order = (score + 10 * positives).argsort(-1, descending=True)
        n_positive = positives.sum(-1, keepdim=True).long().clamp_min(1)
        places = torch.arange(count, device=score.device).unsqueeze(0) % n_positive
        return order.gather(1, places)


@dataclass(frozen=True, eq=False)
class _Slots:
    """The state of the slots between two rounds; literals are those that hold on a slot's anchor."""

    support: _Support
    holds: SlotVariables  # 1 where a variable is true on the anchor
    fails: SlotVariables  # 1 where it is false
    z: SlotVariables
    w: Float[Tensor, "B T"]
    clauses: SlotRows

    @classmethod
    def start(cls, support: _Support, anchors: Int[Tensor, "B T"]) -> "_Slots":
        """Ask for nothing yet, so that every row is covered."""
        batch = support.batch
        index = anchors.unsqueeze(-1).expand(-1, -1, batch.values.shape[-1])
        values = batch.values.gather(1, index)
        known = batch.known.to(values.dtype).gather(1, index)
        clauses = values.new_ones(*anchors.shape, batch.values.shape[1])
        w = values.new_full(anchors.shape, _START)
        return cls(support, values * known, (1 - values) * known, torch.zeros_like(values), w, clauses)

    def moved(self, luck: Rows) -> "_Slots":
        """Move slots without positives of their own to the least covered ones, and empty them."""
        with torch.no_grad():
            gated, alone, uncovered = self._coverage
            own = (gated * alone * self.support.positives).sum(-1)
            idle = own < 1.0
            rows = self.support.ranked(uncovered + 0.5 * luck, idle.shape[1])
            fresh = _Slots.start(self.support, rows.gather(1, own.argsort(-1).argsort(-1)))
        either: dict[str, Any] = {"w": torch.where(idle, fresh.w, self.w)}
        for name in ("holds", "fails", "z", "clauses"):
            either[name] = torch.where(idle.unsqueeze(-1), getattr(fresh, name), getattr(self, name))
        return replace(self, **either)

    @property
    def candidates(self) -> Bool[Tensor, "B T N"]:
        """Variables that are known on the anchor."""
        return self.holds + self.fails > 0

    def whole(self, z: SlotVariables) -> Float[Tensor, "B T L"]:
        """Gates over all literals."""
        return torch.cat([z * self.holds, z * self.fails], -1)

    def of_anchor(self, literals: Float[Tensor, "B L H"]) -> Float[Tensor, "B T N H"]:
        """Pick what belongs to the literals that hold on the anchor."""
        true, false = (half.unsqueeze(1) for half in literals.chunk(2, 1))
        return self.holds.unsqueeze(-1) * true + self.fails.unsqueeze(-1) * false

    @cached_property
    def _coverage(self) -> tuple[SlotRows, SlotRows, Rows]:
        """How much slots cover of a row by their gates, and how little the others and the whole rule do."""
        gated = (self.w.unsqueeze(-1) * self.clauses).clamp_max(1 - 1e-4)
        left = 1 - gated
        uncovered = left.log().sum(1, keepdim=True).exp()
        return gated, uncovered / left, uncovered.squeeze(1)

    @property
    def _covered(self) -> list[SlotRows]:
        """What slots cover of positives, of negatives, and of positives that no other slot covers."""
        (_, alone, _), positives = self._coverage, self.support.positives
        truths = [self.clauses * positives, self.clauses * self.support.negatives]
        return [*truths, self.clauses * alone * positives]

    def numbers_of_literals(self) -> Float[Tensor, "B T N F"]:
        """Count what a slot would cover with each literal of its anchor, and without it."""
        rows = torch.cat(self._covered, 1)
        inside, outside = (self._by_anchor(rows @ each) for each in (self.support.holds, self.support.fails))
        without = inside + outside / (1 - self.z).clamp_min(0.02).repeat(1, 3, 1)
        counts = [*inside.chunk(3, 1), *without.chunk(3, 1)]  # P, N, U with the literal; the same without it
        totals = [self.support.sizes[:, side, None, None] for side in (0, 1, 0)]
        rates = [count / total for count, total in zip(counts, totals * 2, strict=True)]
        logs = [(count + 0.5).log() / 4 for count in counts]
        precision = [logs[a] - logs[b] for a, b in ((0, 1), (2, 1), (3, 4), (5, 4))]
        gains = [precision[0] - precision[2], precision[1] - precision[3]]
        return torch.stack([*rates, *logs, *precision, *gains, self.z], -1)

    def _by_anchor(self, counts: Float[Tensor, "B X L"]) -> Float[Tensor, "B X N"]:
        true, false = counts.chunk(2, -1)
        return true * self.holds.repeat(1, 3, 1) + false * self.fails.repeat(1, 3, 1)

    def numbers(self) -> Float[Tensor, "B T S"]:
        """Count what a slot covers."""
        counts, sizes = [rows.sum(-1) for rows in self._covered], self.support.sizes
        rates = [count / sizes[:, side, None] for count, side in zip(counts, (0, 1, 0), strict=True)]
        logs = [(count + 0.5).log() / 4 for count in counts]
        return torch.stack([*rates, *logs, logs[0] - logs[1], self.z.sum(-1) / 4, self.w], -1)


@dataclass(frozen=True)
class FeedbackData:
    """Where the tables come from: rules over fair coins, and the wide prior."""

    wide_share: float = 0.35  # of batches from the wide prior: columns and targets of all kinds
    min_rows: int = 24
    max_rows: int = 512
    min_variables: int = 6
    max_variables: int = 64
    max_clauses: int = 6
    max_literals: int = 4
    distractor_share: float = 0.5  # of batches of rules that have columns which are in no clause
    fair_share: float = 0.5  # of these, how many whose columns are fair coins; others follow the label
    min_distractors: int = 1
    max_noise: float = 0.3
    max_missing: float = 0.15
    n_query: int = 32
    cells: int = 160_000  # cells of a batch, which fixes how many tables it holds
    max_episodes: int = 160

    def __post_init__(self) -> None:
        shares = {"wide_share", "distractor_share", "fair_share", "max_noise", "max_missing"}
        check_limits("data", self, shares, 0, 1)
        check_limits("data", self, vars(self).keys() - shares, 1)
        if self.min_rows > self.max_rows or not self.min_variables <= _WIDEST_RULE < self.max_variables:
            limits = f"min_rows <= max_rows and min_variables <= {_WIDEST_RULE} < max_variables"
            raise ConfigError(f"data: the limits of rows or variables leave nothing to draw; give {limits}")

    def draw(self, rng: np.random.Generator) -> SyntheticBatch:
        """Draw a batch of tables of one shape."""
        if rng.random() < self.wide_share:
            shared = ("max_rows", "n_query", "cells", "max_episodes", "max_noise", "max_missing")
            columns = {"min_columns": self.min_variables, "max_columns": 2 * self.max_variables}
            same = {name: getattr(self, name) for name in shared}
            return WidePrior(min_rows=16, **columns, **same).draw(rng)
        return self._rules(rng)

    def _rules(self, rng: np.random.Generator) -> SyntheticBatch:
        M = log_uniform(rng, self.min_rows, self.max_rows)
        N, D = int(rng.integers(self.min_variables, _WIDEST_RULE + 1)), 0
        if rng.random() < self.distractor_share:
            D = log_uniform(rng, self.min_distractors, self.max_variables - N)
        rows = M + self.n_query
        B = int(np.clip(self.cells // (rows * (N + D)), 4, self.max_episodes))
        columns = rng.random((B, rows, N)) < 0.5
        clauses = self._clauses(rng, B, N)
        truth = dnf_truth(clauses, columns)
        if D:
            columns = np.concatenate([columns, self._distractors(rng, truth, M, D)], axis=2)
            clauses = with_more_columns(clauses, D)
        order = rng.permutation(N + D)
        columns, clauses = columns[:, :, order], clauses[:, :, np.concatenate([order, order + N + D])]
        labels = truth[:, :M].copy()
        if rng.random() < 0.4:
            labels ^= rng.random((B, M)) < rng.uniform(0, self.max_noise, (B, 1))
        known = np.ones_like(columns)
        if rng.random() < 0.3:
            known = rng.random(columns.shape) >= rng.uniform(0, self.max_missing, (B, 1, 1))
        return SyntheticBatch(columns & known, known, labels, truth.astype(np.float32), clauses)

    def _clauses(self, rng: np.random.Generator, B: int, N: int) -> BoolArray:
        """[B, K, 2N] clauses of one length, or each of its own."""
        K = self.max_clauses
        n_clauses = rng.integers(1, K + 1, (B, 1))
        lengths = rng.integers(1, min(self.max_literals, N) + 1, (B, K))
        lengths = np.where(rng.random((B, 1)) < 0.5, lengths[:, :1], lengths)
        keys, signs = rng.random((2, B, K, N))
        return signed_clauses(keys, np.where(np.arange(K) < n_clauses, lengths, 0), signs < 0.5)

    def _distractors(self, rng: np.random.Generator, truth: BoolArray, M: int, D: int) -> BoolArray:
        """Columns that follow the label: everywhere alike, or in the query no more (then by chance alone)."""
        rate = rng.uniform(0.1, 0.9, (len(truth), 1, 1))
        if rng.random() < self.fair_share:
            rate = np.full_like(rate, 0.5)
        follow = np.where(truth[:, :, None], rate, 1 - rate)
        if rng.random() < 0.5:
            follow[:, M:] = 0.5
        return np.asarray(rng.random((*truth.shape, D)) < follow)


@dataclass(frozen=True)
class FeedbackLoss:
    """What the rules are judged by."""

    margin: float = 0.5
    entropy: float = 0.02
    length: float = 0.02  # weight of literals beyond four in a slot
    early: float = 0.2  # weight of the rounds before slots start anew, each


@dataclass(frozen=True)
class FeedbackTrainConfig(TrainConfig):
    """A training run of the network with coverage feedback."""

    model: FeedbackConfig = field(default_factory=FeedbackConfig)
    data: FeedbackData = field(default_factory=FeedbackData)
    loss: FeedbackLoss = field(default_factory=FeedbackLoss)


class FeedbackTraining(SlotTraining):
    """Soft rules for tables of many kinds, judged by the text's coverage and margin on all rows."""

    name = "paper-feedback"
    network = FeedbackInducer
    config: FeedbackTrainConfig

    def loss(self, network: nn.Module, index: int) -> Loss:
        """Draw batch ``index`` and judge the soft rules on its rows, seen and unseen.

        Judged are the rules before slots start anew, and the last ones.
        """
        rng = np.random.default_rng([self.config.seed, index])
        drawn, settings = self.config.data.draw(rng), self.config.loss
        device, M = next(network.parameters()).device, drawn.n_support
        batch = moved(batch_from_arrays(drawn.values[:, :M], drawn.known[:, :M], drawn.labels), device)
        luck = torch.from_numpy(rng.random(drawn.labels.shape, dtype=np.float32)).to(device)
        rules = network.rounds(batch, luck)  # type: ignore[operator]
        rows = literals(*(torch.from_numpy(x) for x in (drawn.values.astype(np.float32), drawn.known)))
        rows, truth = rows.to(device), torch.from_numpy(drawn.truth).to(device)
        usable = torch.from_numpy(drawn.two_classes).to(truth)[:, None]
        weight = usable / (usable.sum() * rows.shape[1]).clamp_min(1)
        early = [(settings.early, rules[index - 1]) for index in self.config.model.anew]
        total, terms = truth.new_zeros(()), {}
        for share, rule in [*early, (1.0, rules[-1])]:
            done = execute(rule, rows)
            p = done.rule.clamp(1e-3, 1 - 1e-3)
            best = (done.clauses * rule.w.unsqueeze(1)).amax(-1)
            terms = {
                "coverage": -(weight * (truth * p.log() + (1 - truth) * (1 - p).log())).sum(),
                "margin": (weight * (truth * (0.7 - best).relu() + (1 - truth) * (best - 0.3).relu())).sum(),
                "entropy": entropy_of_gates(rule.z).sum(-1).mean() + entropy_of_gates(rule.w).mean(),
                "length": excess_length(rule.z, 4.0),
                "error": (weight * ((done.rule > 0.5) != (truth > 0.5))).sum(),
            }
            cost = terms["coverage"] + settings.margin * terms["margin"]
            cost = cost + settings.entropy * terms["entropy"] + settings.length * terms["length"]
            total = total + share * cost
        return Loss(total, len(batch), {name: value.detach() for name, value in terms.items()})
