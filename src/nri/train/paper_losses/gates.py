"""Losses on the gates themselves; the paper names L_rep and L_ent without writing them out."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from nri.model.soft_rule import SoftRule
from nri.model.statistics import binary_entropy

_SURE = 1e-6


def repulsion(z: Float[Tensor, "B T L"]) -> Float[Tensor, ""]:
    """L_rep: mean cosine between the literal gates of two different slots."""
    n_slots = z.shape[1]
    if n_slots == 1:
        return z.new_zeros(())
    direction = torch.nn.functional.normalize(z, dim=-1, eps=_SURE)
    total = direction.sum(1).square().sum(-1) - direction.square().sum((1, 2))  # all ordered pairs
    return (total / (n_slots * (n_slots - 1))).mean()


def gate_entropy(rule: SoftRule, literal_valid: Bool[Tensor, "B L"]) -> Float[Tensor, ""]:
    """L_ent: mean binary entropy of literal gates plus that of clause gates; low when gates are sharp."""
    literals = binary_entropy(rule.z.clamp(_SURE, 1 - _SURE)) * literal_valid.unsqueeze(1)
    n_gates = literal_valid.sum().clamp_min(1) * rule.z.shape[1]
    clauses = binary_entropy(rule.w.clamp(_SURE, 1 - _SURE))
    return literals.sum() / n_gates + clauses.mean()
