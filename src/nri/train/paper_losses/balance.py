"""L_bal: three losses that keep every clause slot in use."""

import torch
from jaxtyping import Float
from torch import Tensor

_TINY = 1e-6


def switch_balance(
    clauses: Float[Tensor, "B M T"], w: Float[Tensor, "B T"], positives: Float[Tensor, "B M"]
) -> Float[Tensor, ""]:
    """T * sum_k u_k f_k, as in Switch Transformers, with positive rows routed to clause slots.

    A row's routing probabilities are the shares of the slots in covering it; it is assigned to
    the largest. u_k is the mean probability, f_k the share of assignments (which has no gradient).
    The least value, 1, is reached when all slots are used alike.
    """
    covering = w.unsqueeze(1) * clauses + _TINY
    routing = covering / covering.sum(-1, keepdim=True)
    n_slots = w.shape[-1]
    assigned = torch.nn.functional.one_hot(routing.argmax(-1), n_slots)
    total = positives.sum().clamp_min(1)
    u = (routing * positives.unsqueeze(-1)).sum((0, 1)) / total
    f = (assigned * positives.unsqueeze(-1)).sum((0, 1)) / total
    return n_slots * (u * f).sum()


def usage_balance(w: Float[Tensor, "B T"]) -> Float[Tensor, ""]:
    """Squared coefficient of variation of slot usage, clause gates normalised within each episode."""
    return _squared_variation((w / (w.sum(-1, keepdim=True) + _TINY)).mean(0))


def activation_balance(w: Float[Tensor, "B T"]) -> Float[Tensor, ""]:
    """Squared coefficient of variation of raw clause gates, against slots that are never active."""
    return _squared_variation(w.mean(0))


def _squared_variation(usage: Float[Tensor, " T"]) -> Float[Tensor, ""]:
    """K * sum_k (usage_k / mean usage - 1)^2, the paper's L_bal."""
    return len(usage) * (usage / (usage.mean() + _TINY) - 1).square().sum()
