"""Neighbourhoods of a seed, and the evidence in them: masses and agreement, by matrix products."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from nri.model.seeded_inputs import SeededInputs

CHANNELS = 3
"""What is summed over a neighbourhood: positives, negatives, and the doubt the experts leave."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """What is found in the H neighbourhoods of each seed."""

    variables: Float[Tensor, "B S N F"]
    """For each variable: log masses that agree and disagree with the seed there, by class, and doubt"""
    seeds: Float[Tensor, "B S G"]
    """For each seed: log masses by class, doubt, log-odds"""
    log_odds: Float[Tensor, "B S H"]
    """Of the positive class in each neighbourhood, shrunk towards the base rate"""
    disagree: Float[Tensor, "B S C N"]
    """Masses in neighbourhood 0 that disagree with the seed at each variable, positives and negatives"""

    @staticmethod
    def per_variable(heads: int) -> int:
        """F"""
        return 6 * heads

    @staticmethod
    def per_seed(heads: int) -> int:
        """G"""
        return 4 * heads

    def only_kept_out_by(self, strength: Float[Tensor, "B S N"]) -> Float[Tensor, "B S N 2"]:
        """Log masses, by class, of the rows that a variable alone keeps out of the clause."""
        leaves = torch.exp(strength.clamp(max=8)).unsqueeze(2)  # 1 / (1 - z)
        return torch.log(self.disagree * leaves + 0.5).transpose(2, 3)


def neighbourhoods(inputs: SeededInputs, strength: Float[Tensor, "B S H N"]) -> Float[Tensor, "B S H M"]:
    """Weigh each row by how little it disagrees with the seed, where it matters."""
    B, S, H, N = strength.shape
    on_known = strength.reshape(B, S * H, N)
    on_values = (strength * inputs.seeds.unsqueeze(2)).reshape(B, S * H, N)
    rows = inputs.rows.transpose(1, 2)
    disagreement = 0.5 * (on_known @ rows.abs() - on_values @ rows)
    return torch.exp(-disagreement).reshape(B, S, H, -1) * inputs.apart.unsqueeze(2)


def gather_evidence(
    inputs: SeededInputs, channels: Float[Tensor, "B C M"], near: Float[Tensor, "B S H M"]
) -> Evidence:
    """Sum each channel over each neighbourhood, in all and by agreement with the seed."""
    B, S, H, M = near.shape
    N = inputs.rows.shape[2]
    C = channels.shape[1]
    weights = near.unsqueeze(3) * channels[:, None, None]
    flat = weights.reshape(B, S * H * C, M)
    on_values = (flat @ inputs.rows).reshape(B, S, H * C, N) * inputs.seeds.unsqueeze(2)
    on_known = (flat @ inputs.rows.abs()).reshape(B, S, H * C, N) * inputs.seeds.abs().unsqueeze(2)
    agree = (0.5 * (on_known + on_values)).reshape(B, S, H, C, N)
    disagree = (0.5 * (on_known - on_values)).reshape(B, S, H, C, N)
    mass = weights.sum(dim=4)
    scale = 1 / torch.sqrt(mass[..., :2].sum(dim=3) + 1)
    counts = torch.cat([agree[:, :, :, :2], disagree[:, :, :, :2]], dim=3)
    doubts = torch.stack([agree[:, :, :, 2], disagree[:, :, :, 2]], dim=3) * scale[..., None, None]
    variables = torch.cat([torch.log(counts.clamp(min=0) + 0.5), doubts], dim=3)
    log_odds = _shrunk_log_odds(inputs, mass)
    seeds = torch.cat(
        [torch.log(mass[..., :2] + 0.5), (mass[..., 2] * scale).unsqueeze(3), log_odds.unsqueeze(3)], dim=3
    )
    return Evidence(
        variables=variables.reshape(B, S, H * 6, N).transpose(2, 3),
        seeds=seeds.flatten(2),
        log_odds=log_odds,
        disagree=disagree[:, :, 0, :2].clamp(min=0),
    )


def _shrunk_log_odds(inputs: SeededInputs, mass: Float[Tensor, "B S H C"]) -> Float[Tensor, "B S H"]:
    """Log-odds of the positive class, as if one row of the base rate had been seen as well."""
    positive = (inputs.apart * inputs.labels.unsqueeze(1)).sum(dim=2, keepdim=True) + 0.5
    rate = positive / (inputs.apart.sum(dim=2, keepdim=True) + 1.0)
    return torch.log(mass[..., 0] + rate) - torch.log(mass[..., 1] + 1 - rate)
