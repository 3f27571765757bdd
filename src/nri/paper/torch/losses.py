"""The whole objective: L = L_cov + l_b L_bal + l_r L_rep + l_e L_ent + l_m L_mm + l_cf L_cf."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from nri.paper.torch import counterfactual
from nri.paper.torch.batch import EpisodeBatch, row_mean
from nri.paper.torch.config import PaperLossConfig
from nri.paper.torch.statistics import binary_entropy
from nri.paper.torch.tnorm import SoftRule, disjunction, execute, with_gate_noise

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


def switch_balance_by_gates(w: Float[Tensor, "B T"]) -> Float[Tensor, ""]:
    """T * sum_k u_k f_k by clause gates alone: u from a softmax of their logits, f from their shares.

    The form of the published code. No row is routed, so an open slot counts as used even if it covers none.
    """
    sure = w.clamp(_TINY, 1 - _TINY)
    odds = sure / (1 - sure)  # a softmax of logits is what the odds are of their sum
    u = (odds / odds.sum(-1, keepdim=True)).mean(0)
    used = w.mean(0)
    return w.shape[-1] * (u * used / (used.sum() + _TINY)).sum()


def usage_balance(w: Float[Tensor, "B T"]) -> Float[Tensor, ""]:
    """Squared coefficient of variation of slot usage, clause gates normalised within each episode."""
    return _squared_variation((w / (w.sum(-1, keepdim=True) + _TINY)).mean(0))


def activation_balance(w: Float[Tensor, "B T"]) -> Float[Tensor, ""]:
    """Squared coefficient of variation of raw clause gates, against slots that are never active."""
    return _squared_variation(w.mean(0))


def _squared_variation(usage: Float[Tensor, " T"]) -> Float[Tensor, ""]:
    """K * sum_k (usage_k / mean usage - 1)^2, the paper's L_bal."""
    return len(usage) * (usage / (usage.mean() + _TINY) - 1).square().sum()


_SURE = 1e-6
"""Predictions are kept this far from 0 and 1, so that one row costs at most 14 nats."""


def coverage(prediction: Float[Tensor, "B M"], batch: EpisodeBatch) -> Float[Tensor, ""]:
    """L_cov: binary cross-entropy between the rule's truth and the labels."""
    p = prediction.clamp(_SURE, 1 - _SURE)
    log_likelihood = batch.positives * p.log() + batch.negatives * (1 - p).log()
    return -log_likelihood.sum() / batch.row_valid.sum().clamp_min(1)


def max_margin(
    clauses: Float[Tensor, "B M T"], batch: EpisodeBatch, positive: float, negative: float
) -> Float[Tensor, ""]:
    """L_mm: only the best clause of a row is asked to clear a margin, so nothing rewards diffusion."""
    best = clauses.amax(-1)
    too_low = row_mean((positive - best).relu(), batch.positives)
    too_high = row_mean((best - negative).relu(), batch.negatives)
    return too_low + too_high


def hinge(
    prediction: Float[Tensor, "B M"], batch: EpisodeBatch, positive: float, negative: float
) -> Float[Tensor, ""]:
    """Ask the whole rule to clear the margins, as the published code does beside the cross-entropy."""
    too_low = row_mean((positive - prediction).relu(), batch.positives)
    return too_low + row_mean((prediction - negative).relu(), batch.negatives)


def excess_length(z: Float[Tensor, "B T L"], most: float) -> Float[Tensor, ""]:
    """Mean number of literals that a slot asks for beyond ``most``."""
    return (z.sum(-1) - most).relu().mean()


def kept_slots(
    like: Float[Tensor, "B T"], rate: float, min_kept: int, generator: torch.Generator | None
) -> Bool[Tensor, "B T"]:
    """Clause dropout: which slots take part in this step, each episode on its own.

    Each slot sits out with the given chance, except that the ``min_kept`` luckiest always stay.
    """
    luck = torch.rand(like.shape, generator=generator, device=like.device)
    last_kept = luck.topk(min(min_kept, luck.shape[-1]), -1).values[..., -1:] if min_kept else 1.0
    return (luck >= rate) | (luck >= last_kept)


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


@dataclass(frozen=True, eq=False)
class PaperLoss:
    """The number to descend, and its parts for the log."""

    total: Float[Tensor, ""]
    terms: Mapping[str, Tensor]
    """Every term in use by name, before its weight, without gradient."""


def paper_loss(
    rule: SoftRule,
    batch: EpisodeBatch,
    config: PaperLossConfig,
    progress: float,
    generator: torch.Generator | None = None,
) -> PaperLoss:
    """Judge soft rules on the rows they were induced from.

    Parameters
    ----------
    rule
        One soft rule for each episode of the batch.
    batch
        The episodes.
    config
        Weights; a term whose weight is zero is not computed.
    progress
        Share of training done, in [0, 1]: the counterfactual loss waits for its warm-up.
    generator
        Source of clause dropout.
    """
    literals = batch.literals
    executed = with_gate_noise(rule, generator) if config.gate_noise else rule
    execution = execute(executed, literals, config.empty_is_silent)
    prediction, clauses = execution.rule, execution.clauses
    if config.clause_dropout:
        kept = kept_slots(rule.w, config.clause_dropout, config.min_kept, generator)
        clauses = clauses * kept.unsqueeze(1)
        prediction = disjunction(clauses, executed.w)
    gated = clauses * executed.w.unsqueeze(1)
    low, high = config.margin_negative, config.margin_positive

    terms: dict[str, tuple[float, Callable[[], Tensor]]] = {
        "coverage": (1.0, lambda: coverage(prediction, batch)),
        "hinge": (config.coverage_hinge, lambda: hinge(prediction, batch, high, low)),
        "margin": (
            config.margin,
            lambda: max_margin(gated if config.gated_margin else clauses, batch, high, low),
        ),
        "switch": (
            config.switch,
            lambda: (
                switch_balance_by_gates(rule.w)
                if config.switch_by_gates
                else switch_balance(execution.clauses, rule.w, batch.positives)
            ),
        ),
        "usage": (config.usage, lambda: usage_balance(rule.w)),
        "activation": (config.activation, lambda: activation_balance(rule.w)),
        "repulsion": (config.repulsion, lambda: repulsion(rule.z)),
        "entropy": (config.entropy, lambda: gate_entropy(rule, batch.literal_valid)),
        "length": (config.length, lambda: excess_length(rule.z, config.max_length)),
    }
    if progress >= config.counterfactual_warmup:
        if config.sampled_counterfactuals:
            parts = counterfactual.sampled_terms(
                executed, gated, literals, batch.positives, config, generator
            )
        else:
            parts = counterfactual.own_terms(executed, execution, literals, batch.positives, config)
        terms |= _weighted_counterfactuals(parts, config)

    values = {name: (weight, compute()) for name, (weight, compute) in terms.items() if weight}
    total = torch.stack([weight * value for weight, value in values.values()]).sum()
    return PaperLoss(total, {name: value.detach() for name, (_, value) in values.items()})


def _weighted_counterfactuals(
    parts: Mapping[str, Callable[[], Tensor]], config: PaperLossConfig
) -> dict[str, tuple[float, Callable[[], Tensor]]]:
    """L_cf = L_nec + L_spur + l_o L_ovl + l_c L_cf-bal, with l_cf multiplied in."""
    weight = config.counterfactual
    inner = weight if config.counterfactual_scales_all else 1.0
    weights = {
        "necessity": weight,
        "spuriousness": weight,
        "overlap": inner * config.counterfactual_overlap if weight else 0.0,
        "responsibility": inner * config.counterfactual_balance if weight else 0.0,
    }
    return {name: (weights[name], compute) for name, compute in parts.items()}
