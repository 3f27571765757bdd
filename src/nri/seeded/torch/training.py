"""The seeded network in training: what it reads and should answer, its loss, its validation, its export."""

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import get_type_hints

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from nri.seeded.experts import Experts
from nri.seeded.sample import signed_cells
from nri.seeded.torch.network import SeededConfig, SeededInducer, SeededInputs, SeededOutputs
from nri.synth import SyntheticBatch, WidePrior, validation_suite
from nri.train.checkpoint import write_graph
from nri.train.config import TrainConfig, check_limits
from nri.train.loop import Loss, Training, moved
from nri.weights import EXPERTS


@dataclass(frozen=True, eq=False)
class SeededTargets:
    """The truth about the seeds, which are the query rows."""

    truth: Float[Tensor, "B S"]  # noise-free probability that the seed is positive
    usable: Float[Tensor, "B 1"]  # 0 where the support shows only one class: nothing to induce from
    clauses: Bool[Tensor, "B K L"] | None  # the literals of the true clauses, if the target is a DNF


def seeded_batch(batch: SyntheticBatch) -> tuple[SeededInputs, SeededTargets]:
    """Seeds are the query rows; the experts are consulted here, once, without gradients."""
    M = batch.n_support
    signed = signed_cells(batch.values, batch.known)
    rows, seeds = signed[:, :M], signed[:, M:]
    experts = [Experts(*table) for table in zip(rows, batch.labels, strict=True)]
    pairs = list(zip(experts, seeds, strict=True))
    inputs = SeededInputs(
        rows=torch.from_numpy(rows.copy()),
        labels=torch.from_numpy(batch.labels.astype(np.float32)),
        weights=torch.ones(rows.shape[:2]),
        seeds=torch.from_numpy(seeds.copy()),
        apart=torch.ones(*seeds.shape[:2], M),
        row_opinions=torch.from_numpy(np.stack([one.support for one in experts])),
        seed_opinions=torch.from_numpy(np.stack([one.opine(query) for one, query in pairs])),
        seed_parts=torch.from_numpy(np.stack([one.parts(query) for one, query in pairs])),
    )
    clauses = None if batch.clauses is None else torch.from_numpy(batch.clauses)
    usable = torch.from_numpy(batch.two_classes[:, None].astype(np.float32))
    return inputs, SeededTargets(torch.from_numpy(batch.truth[:, M:].copy()), usable, clauses)


@dataclass(frozen=True)
class SeededLossConfig:
    """How much each part of the loss counts."""

    reason: float = 0.2  # literal gates against the true clause that fits them best
    precision: float = 0.05  # predicted against actual precision of the reason on the query rows
    early: float = 0.3  # weight of the rounds before the last one

    def __post_init__(self) -> None:
        check_limits("loss", self, vars(self), 0)


def seeded_loss(
    config: SeededLossConfig, inputs: SeededInputs, targets: SeededTargets, outputs: SeededOutputs
) -> Loss:
    """Score every round; earlier ones count less. Each term is averaged over seeds.

    ``excess`` is the last round's posterior loss beyond the entropy of the truth: 0 is perfect knowledge.
    ``error`` is the share of seeds on the wrong side, beyond what the truth itself makes unavoidable.
    """
    rounds = outputs.posterior.new_tensor([config.early] * (len(outputs.posterior) - 1) + [1.0])
    rounds = rounds / rounds.sum()
    usable = targets.usable.expand_as(targets.truth)
    mean = usable / usable.sum().clamp(min=1)
    truth = targets.truth.expand_as(outputs.posterior)
    cost = binary_cross_entropy_with_logits(outputs.posterior, truth, reduction="none")
    by_round = (cost * mean).sum((1, 2))
    reason = (rounds * _reason(targets, outputs, inputs, mean)).sum()
    precision = _precision(inputs, targets, outputs, mean)
    p = targets.truth
    entropy = torch.special.entr(p) + torch.special.entr(1 - p)
    wrong = torch.where(outputs.posterior[-1] > 0, 1 - p, p) - torch.minimum(p, 1 - p)
    terms = {
        "posterior": by_round[-1],
        "excess": by_round[-1] - (entropy * mean).sum(),
        "error": (wrong * mean).sum(),
        "reason": reason,
        "precision": precision,
    }
    total = (rounds * by_round).sum() + config.reason * reason + config.precision * precision
    return Loss(total, len(inputs.rows), {name: term.detach() for name, term in terms.items()})


def _reason(
    targets: SeededTargets, outputs: SeededOutputs, inputs: SeededInputs, mean: Float[Tensor, "B S"]
) -> Float[Tensor, " R"]:
    """Cross-entropy of the gates with the best of the true clauses that cover the seed."""
    if targets.clauses is None:
        return outputs.reason.new_zeros(len(outputs.reason))
    clauses, gate = targets.clauses.to(outputs.reason.dtype), outputs.reason
    member = torch.add(*clauses.chunk(2, 2))
    seeds_literals = torch.cat([inputs.seeds > 0, inputs.seeds < 0], dim=2).to(clauses.dtype)
    fulfilled = seeds_literals @ clauses.transpose(1, 2)  # [B, S, K]
    length = clauses.sum(dim=2).unsqueeze(1)
    covers = (fulfilled >= length) & (length > 0)
    covered = covers.any(dim=2)
    # sum_i bce(gate_i, member_i) = sum_i softplus(gate_i) - sum_i member_i gate_i, for every clause at once
    cost = torch.nn.functional.softplus(gate).sum(dim=3, keepdim=True) - gate @ member.transpose(1, 2)
    cost = cost.masked_fill(~covers, 1e6).amin(dim=3)
    return (cost.masked_fill(~covered, 0.0) * (covered * mean)).sum(dim=(1, 2))


def _precision(
    inputs: SeededInputs, targets: SeededTargets, outputs: SeededOutputs, mean: Float[Tensor, "B S"]
) -> Float[Tensor, ""]:
    """Cross-entropy of the predicted precision with that of the clause on the other query rows."""
    strength = torch.nn.functional.softplus(outputs.reason[-1].detach())
    rows = inputs.seeds.transpose(1, 2)
    disagreement = 0.5 * (strength @ rows.abs() - (strength * inputs.seeds) @ rows)
    fires = torch.exp(-disagreement) * (1 - torch.eye(disagreement.shape[1], device=rows.device))
    mass = fires.sum(dim=2)
    actual = (fires @ targets.truth.unsqueeze(2)).squeeze(2) / (mass + 1e-6)
    loss = binary_cross_entropy_with_logits(outputs.precision[-1], actual.clamp(0, 1), reduction="none")
    return (loss * mean * (mass / (1 + mass))).sum()


@dataclass(frozen=True)
class SeededTrainConfig(TrainConfig):
    """A training run of the seeded network."""

    model: SeededConfig = field(default_factory=SeededConfig)
    data: WidePrior = field(default_factory=WidePrior)
    loss: SeededLossConfig = field(default_factory=SeededLossConfig)

    def __post_init__(self) -> None:
        check_limits("data", self.data, ("min_rows", "min_columns", "n_query", "cells", "max_episodes"), 1)
        check_limits("data", self.data, ("max_noise", "max_missing"), 0, 1)


class SeededTraining(Training):
    """Posterior, reason and precision of query rows, learned on the wide prior."""

    name = "seeded"
    network = SeededInducer
    config: SeededTrainConfig

    def loss(self, network: nn.Module, index: int) -> Loss:
        """Draw batch ``index`` of the wide prior and score the network on its query rows."""
        rng = np.random.default_rng([self.config.seed, index])
        return self._judged(network, *seeded_batch(self.config.data.draw(rng)))

    def _judged(self, network: nn.Module, inputs: SeededInputs, targets: SeededTargets) -> Loss:
        device = next(network.parameters()).device
        inputs, targets = moved(inputs, device), moved(targets, device)
        return seeded_loss(self.config.loss, inputs, targets, network(inputs))

    @cached_property
    def _suite(self) -> dict[str, list[tuple[SeededInputs, SeededTargets]]]:
        suite = validation_suite(self.config.run.validation_batches)
        return {name: [seeded_batch(b) for b in batches] for name, batches in suite.items()}

    def validate(self, network: nn.Module) -> dict[str, float]:
        """Excess loss and excess error of the posterior on every part of the validation suite."""
        scores = {}
        for name, batches in self._suite.items():
            with torch.no_grad():
                losses = [self._judged(network, *batch) for batch in batches]
            for term in ("excess", "error"):
                scores[f"{name}/{term}"] = float(np.mean([loss.terms[term] for loss in losses]))
        return scores

    def export(self, network: nn.Module, onnx_file: Path) -> None:
        """Write what ships of a trained network."""
        size = {"M": 23, "N": 11, "S": 7, "E": len(EXPERTS)}
        inputs = {name: torch.rand([size[axis] for axis in axes]) for name, axes in INPUT_AXES.items()}
        axes = {**INPUT_AXES, "posterior": "S", "reason": "SN", "precision": "S"}
        write_graph(onnx_file, OneTable(network), inputs, axes, free="MNS")


INPUT_AXES = {name: "".join(kind.dim_str.split()[1:]) for name, kind in get_type_hints(SeededInputs).items()}
"""The letters of each input's axes but that of the batch."""


class OneTable(nn.Module):
    """The network on one table: no batch axis, last round only. This is what ships."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, *inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return posterior, reason and precision of every seed, as log-odds."""
        outputs = self.network(SeededInputs(*(tensor.unsqueeze(0) for tensor in inputs)))
        return outputs.posterior[-1, 0], outputs.reason[-1, 0], outputs.precision[-1, 0]
