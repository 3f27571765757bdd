"""The objective as it is trained: the text's terms, the published code's switches, and one term of ours.

Each switch of the published code replaces one of the text's terms (:func:`published_terms`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from nri.paper.torch.batch import EpisodeBatch, row_mean
from nri.paper.torch.losses import (
    COUNTERFACTUAL,
    Judged,
    PaperLossConfig,
    Terms,
    coverage_overlap,
    flip_variables,
    max_margin,
    text_terms,
)
from nri.paper.torch.tnorm import SoftRule, clause_truth, disjunction, execute

_TINY = 1e-6
_BLUR = 0.1
"""Temperature of the soft maximum that joins clauses in the published code's counterfactuals."""


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
    """Judge soft rules on the rows they were induced from; ``progress`` is the share of training done."""
    literals = batch.literals
    executed = with_gate_noise(rule, generator) if config.gate_noise else rule
    execution = execute(executed, literals, config.empty_is_silent)
    prediction, clauses = execution.rule, execution.clauses
    if config.clause_dropout:
        clauses = clauses * kept_slots(rule.w, config.clause_dropout, config.min_kept, generator).unsqueeze(1)
        prediction = disjunction(clauses, executed.w)
    judged = Judged(rule, executed, execution, clauses, prediction, literals, batch)
    terms = text_terms(judged, config) | published_terms(judged, config, generator)
    terms["length"] = (config.length, lambda: excess_length(rule.z, config.max_length))
    waits = progress < config.counterfactual_warmup
    values = {
        name: (weight, compute())
        for name, (weight, compute) in terms.items()
        if weight and not (waits and name in COUNTERFACTUAL)
    }
    total = torch.stack([weight * value for weight, value in values.values()]).sum()
    return PaperLoss(total, {name: value.detach() for name, (_, value) in values.items()})


def published_terms(judged: Judged, config: PaperLossConfig, generator: torch.Generator | None) -> Terms:
    """Return the terms whose switches are on, under the names of the text's terms that they replace."""
    rule, batch = judged.rule, judged.batch
    low, high = config.margin_negative, config.margin_positive
    gated = judged.clauses * judged.executed.w.unsqueeze(1)
    terms: Terms = {"hinge": (config.coverage_hinge, lambda: hinge(judged.prediction, batch, high, low))}
    if config.gated_margin:
        terms["margin"] = (config.margin, lambda: max_margin(gated, batch, high, low))
    if config.switch_by_gates:
        terms["switch"] = (config.switch, lambda: switch_balance_by_gates(rule.w))
    if config.sampled_counterfactuals:
        terms |= sampled_terms(judged.executed, gated, judged.literals, batch.positives, config, generator)
    if not config.counterfactual_scales_all and config.counterfactual:
        ways = terms if config.sampled_counterfactuals else text_terms(judged, config)
        terms["overlap"] = (config.counterfactual_overlap, ways["overlap"][1])
        terms["responsibility"] = (config.counterfactual_balance, ways["responsibility"][1])
    return terms


def with_gate_noise(rule: SoftRule, generator: torch.Generator | None) -> SoftRule:
    """Add logistic noise to the logits of all gates; a gate of 0 or 1 stays what it is.

    With u uniform in (0, 1), sigmoid(logit z + logit u) = z u / (z u + (1 - z)(1 - u)).
    """

    def shaken(gates: Tensor) -> Tensor:
        u = torch.rand(gates.shape, generator=generator, device=gates.device, dtype=gates.dtype)
        u = u.clamp(1e-6, 1 - 1e-6)
        opening = gates * u
        return opening / (opening + (1 - gates) * (1 - u))

    return SoftRule(shaken(rule.z), shaken(rule.w))


def hinge(
    prediction: Float[Tensor, "B M"], batch: EpisodeBatch, positive: float, negative: float
) -> Float[Tensor, ""]:
    """Ask the whole rule to clear the margins, beside the cross-entropy."""
    too_low = row_mean((positive - prediction).relu(), batch.positives)
    return too_low + row_mean((prediction - negative).relu(), batch.negatives)


def switch_balance_by_gates(w: Float[Tensor, "B T"]) -> Float[Tensor, ""]:
    """T * sum_k u_k f_k by clause gates alone: u from a softmax of their logits, f from their shares.

    No row is routed, so an open slot counts as used even if it covers none.
    """
    sure = w.clamp(_TINY, 1 - _TINY)
    odds = sure / (1 - sure)  # a softmax of logits is what the odds are of their sum
    u = (odds / odds.sum(-1, keepdim=True)).mean(0)
    used = w.mean(0)
    return w.shape[-1] * (u * used / (used.sum() + _TINY)).sum()


def sampled_terms(
    rule: SoftRule,
    gated: Float[Tensor, "B M T"],
    literals: Float[Tensor, "B M L"],
    positives: Float[Tensor, "B M"],
    config: PaperLossConfig,
    generator: torch.Generator | None,
) -> Terms:
    """Return the counterfactual terms of a few sampled literals.

    Literals are drawn for each table by their mean gate over slots and flipped for all slots alike, on
    positive rows that are predicted so; clauses are joined by a soft maximum, and a clause is responsible for
    a row as far as no other one covers it. ``gated`` is what training saw: truth times gate, dropped slots 0.
    """
    prediction = soft_maximum(gated)
    rows = positives * (prediction.detach() > 0.5)
    mean_gate = rule.z.detach().mean(1)
    selected = mean_gate >= config.select_threshold
    shares = exclusive_shares(gated)

    def flipped(weights: Float[Tensor, "B L"]) -> Float[Tensor, "B K M T"]:
        drawn = _draw_literals(weights, config.sampled_counterfactuals, generator)
        return _truth_with_flips(rule.z, literals, drawn)

    def kept_truth() -> Tensor:
        after = flipped(torch.where(selected, mean_gate, 0.0)).mean(1)
        return row_mean((shares * after).sum(-1), rows)

    def moved_truth() -> Tensor:
        after = soft_maximum(flipped(torch.where(selected, 0.0, 1 - mean_gate)))
        return row_mean((after - prediction.unsqueeze(1)).abs().mean(1), rows)

    outer = config.counterfactual
    return {
        "necessity": (outer, kept_truth),
        "spuriousness": (outer, moved_truth),
        "overlap": (outer * config.counterfactual_overlap, lambda: coverage_overlap(gated, rows)),
        "responsibility": (
            outer * config.counterfactual_balance,
            lambda: row_mean((shares * (shares + 1e-8).log()).sum(-1), rows),
        ),
    }


def soft_maximum(clauses: Float[Tensor, "*batch T"]) -> Float[Tensor, "*batch"]:
    """Return a little more than the largest truth, at most 1."""
    return (_BLUR * (clauses / _BLUR).logsumexp(-1)).clamp(0, 1)


def exclusive_shares(clauses: Float[Tensor, "B M T"]) -> Float[Tensor, "B M T"]:
    """Shares of the clauses in covering a row, each by its truth where no other clause is true."""
    missing = (1 - clauses).clamp_min(1e-8).log()
    alone = clauses * (missing.sum(-1, keepdim=True) - missing).exp()
    return alone / (alone.sum(-1, keepdim=True) + 1e-8)


def _draw_literals(
    weights: Float[Tensor, "B L"], count: int, generator: torch.Generator | None
) -> Int[Tensor, "B K"]:
    """Draw different literals by their weights; those of no weight come last."""
    most = min(count, weights.shape[-1] // 2)
    return torch.multinomial(weights.clamp_min(1e-6), most, generator=generator)


def _truth_with_flips(
    z: Float[Tensor, "B T L"], literals: Float[Tensor, "B M L"], drawn: Int[Tensor, "B K"]
) -> Float[Tensor, "B K M T"]:
    """Truth of all clauses after the variable of one drawn literal is flipped, for each of K literals."""
    B, T, L = z.shape
    K, N = drawn.shape[1], L // 2
    variables = torch.nn.functional.one_hot(drawn % N, N).bool()
    flipped = flip_variables(z.unsqueeze(1).expand(B, K, T, L), variables.unsqueeze(2).expand(B, K, T, N))
    truth = clause_truth(flipped.flatten(1, 2), literals)
    return truth.reshape(B, -1, K, T).transpose(1, 2)


def kept_slots(
    like: Float[Tensor, "B T"], rate: float, min_kept: int, generator: torch.Generator | None
) -> Bool[Tensor, "B T"]:
    """Clause dropout: which slots take part in this step, each episode on its own.

    Each slot sits out with the given chance, except that the ``min_kept`` luckiest always stay.
    """
    luck = torch.rand(like.shape, generator=generator, device=like.device)
    last_kept = luck.topk(min(min_kept, luck.shape[-1]), -1).values[..., -1:] if min_kept else 1.0
    return (luck >= rate) | (luck >= last_kept)


def excess_length(z: Float[Tensor, "B T L"], most: float) -> Float[Tensor, ""]:
    """Our own term: the mean number of literals that a slot asks for beyond ``most``."""
    return (z.sum(-1) - most).relu().mean()
