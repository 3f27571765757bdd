"""What the seeded network is trained for: the posterior, the reason and the precision of its seeds."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from nri.errors import ConfigError
from nri.seeded.torch.batch import SeededInputs, SeededOutputs, SeededTargets


@dataclass(frozen=True)
class SeededLossConfig:
    """How much each part of the loss counts."""

    reason: float = 0.2
    """Literal gates against the true clause that fits them best"""
    precision: float = 0.05
    """Predicted against actual precision of the reason on the query rows"""
    early: float = 0.3
    """Weight of the rounds before the last one"""

    def __post_init__(self) -> None:
        if min(self.reason, self.precision, self.early) < 0:
            raise ConfigError("loss weights cannot be negative")


@dataclass(frozen=True, eq=False)
class SeededLoss:
    """The parts, each averaged over seeds; ``total`` is what is minimised."""

    total: Float[Tensor, ""]
    posterior: Float[Tensor, ""]
    """Of the last round"""
    excess: Float[Tensor, ""]
    """The last round's posterior loss beyond the entropy of the truth: 0 is perfect knowledge"""
    error: Float[Tensor, ""]
    """Share of seeds on the wrong side, beyond what the truth itself makes unavoidable"""
    reason: Float[Tensor, ""]
    precision: Float[Tensor, ""]


def seeded_loss(
    config: SeededLossConfig, inputs: SeededInputs, targets: SeededTargets, outputs: SeededOutputs
) -> SeededLoss:
    """Score every round; earlier ones count less."""
    R = len(outputs.posterior)
    rounds = outputs.posterior.new_full((R,), config.early)
    rounds[-1] = 1.0
    rounds = rounds / rounds.sum()
    usable = targets.usable.expand_as(targets.truth)
    mean = usable / usable.sum().clamp(min=1)
    truth = targets.truth.expand_as(outputs.posterior)
    by_round = (binary_cross_entropy_with_logits(outputs.posterior, truth, reduction="none") * mean).sum(
        (1, 2)
    )
    posterior = (rounds * by_round).sum()
    reason = (rounds * _reason(targets, outputs, inputs, mean)).sum()
    precision = _precision(inputs, targets, outputs, mean)
    p = targets.truth
    entropy = torch.special.entr(p) + torch.special.entr(1 - p)
    wrong = torch.where(outputs.posterior[-1] > 0, 1 - p, p) - torch.minimum(p, 1 - p)
    return SeededLoss(
        total=posterior + config.reason * reason + config.precision * precision,
        posterior=by_round[-1].detach(),
        excess=(by_round[-1] - (entropy * mean).sum()).detach(),
        error=(wrong * mean).sum().detach(),
        reason=reason.detach(),
        precision=precision.detach(),
    )


def _reason(
    targets: SeededTargets, outputs: SeededOutputs, inputs: SeededInputs, mean: Float[Tensor, "B S"]
) -> Float[Tensor, " R"]:
    """Cross-entropy of the gates with the best of the true clauses that cover the seed."""
    if targets.clauses is None:
        return outputs.reason.new_zeros(len(outputs.reason))
    N = inputs.seeds.shape[2]
    clauses = targets.clauses.to(outputs.reason.dtype)
    member = clauses[:, :, :N] + clauses[:, :, N:]
    seeds_literals = torch.cat([inputs.seeds > 0, inputs.seeds < 0], dim=2).to(clauses.dtype)
    fulfilled = seeds_literals @ clauses.transpose(1, 2)  # [B, S, K]
    length = clauses.sum(dim=2).unsqueeze(1)
    covers = (fulfilled >= length) & (length > 0)
    gate = outputs.reason
    # sum_i bce(gate_i, member_i) = sum_i softplus(gate_i) - sum_i member_i gate_i, for every clause at once
    cost = torch.nn.functional.softplus(gate).sum(dim=3, keepdim=True) - gate @ member.transpose(1, 2)
    cost = torch.where(covers, cost, torch.full_like(cost, 1e6)).amin(dim=3)
    counted = covers.any(dim=2) * mean
    return (torch.where(covers.any(dim=2), cost, torch.zeros_like(cost)) * counted).sum(dim=(1, 2))


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
