"""The objective: eq. (14) L = L_cov + l_b L_bal + l_r L_rep + l_e L_ent + l_m L_mm + l_cf L_cf.

:func:`paper_loss` joins the text's terms, what the published code does otherwise (its switches in
:class:`PaperLossConfig`) and one term of ours. Numbers of equations are the printed ones.

To flip a variable's cells is to swap the gates of its two literals (an unknown cell stays unknown either
way), so every counterfactual is the one definition of clause truth with swapped gates.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from nri.paper.torch.batch import SURE, EpisodeBatch, Rows, entropy_of_gates, row_mean
from nri.paper.torch.tnorm import (
    ClauseGates,
    Clauses,
    Execution,
    LiteralGates,
    LiteralValues,
    SoftRule,
    clause_truth,
    disjunction,
    execute,
)
from nri.train.config import check_limits
from nri.train.loop import Loss

_BLUR = 0.1  # temperature of the soft maximum that joins clauses in the published code's counterfactuals

Scalar = Float[Tensor, ""]
Generator = torch.Generator | None
Terms = dict[str, Callable[[], Tensor]]  # how each term is computed


@dataclass(frozen=True)
class PaperLossConfig:
    """A weight of zero switches its term off. Three groups: the text, the published code's switches, ours.

    The paper states margins, the weights inside the counterfactual loss and the clause dropout. Others are
    of its published configuration, but for ``repulsion`` and ``entropy``, which are ours and small.
    """

    switch: float = 0.1  # lambda_b of the load-balancing loss of Switch Transformers
    usage: float = 0.1  # lambda_b of the squared coefficient of variation of normalised slot usage
    activation: float = 0.05  # lambda_b of the squared coefficient of variation of raw clause gates
    repulsion: float = 0.01  # lambda_r, on the overlap of slots' gate vectors
    entropy: float = 0.01  # lambda_e, on the binary entropy of gates
    margin: float = 1.0  # lambda_m, on the max-margin coverage
    margin_positive: float = 0.7  # tau+: the best clause should be at least this true on a positive row
    margin_negative: float = 0.3  # tau-: the best clause should be at most this true on a negative row
    counterfactual: float = 0.15  # lambda_cf, on necessity + spuriousness + the two terms below
    counterfactual_overlap: float = 0.1  # lambda_o, inside the counterfactual loss
    counterfactual_balance: float = 0.01  # lambda_c, inside the counterfactual loss
    counterfactual_warmup: float = 0.5  # share of training before L_cf sets in: 250 of 500 steps as published
    select_threshold: float = 0.3  # a literal whose gate is at least this is selected, in L_cf
    clause_dropout: float = 0.25  # chance that a slot sits out one step of one episode
    min_kept: int = 2  # slots that never sit out together

    # the published code's switches: off is the text's way
    gate_noise: bool = False  # whether logits of executed gates get logistic noise: only sure ones are safe
    coverage_hinge: float = 0.0  # weight of hinge margins on the rule's truth, beside L_cov
    gated_margin: bool = False  # whether L_mm looks at clauses with their gates multiplied in
    switch_by_gates: bool = False  # whether gates alone route in the Switch loss, not who covers a row
    sampled_counterfactuals: int = 0  # flip so many literals, drawn by their mean gate, not every slot's own
    counterfactual_scales_all: bool = True  # lambda_cf multiplies lambda_o and lambda_c, as in the formula
    empty_is_silent: bool = True
    """Whether a clause counts by the chance that its slot selects a literal: the published code's way."""

    # ours
    length: float = 0.0
    """Weight of literals beyond ``max_length`` in a slot: a slot that is not needed must close its gate,
    since it cannot become silent by asking for everything."""
    max_length: float = 4.0  # the most literals of a deployed clause

    def __post_init__(self) -> None:
        check_limits("loss", self, vars(self), 0)  # 0 switches a term off
        shares = ("counterfactual_warmup", "select_threshold", "margin_positive", "margin_negative")
        check_limits("loss", self, shares, 0, 1)
        check_limits("loss", self, ["clause_dropout"], 0, 0.99)

    def weights(self, progress: float) -> dict[str, float]:
        """Return the weight of each term after a share of the training."""
        own = ("margin", "switch", "usage", "activation", "repulsion", "entropy", "length")
        outer = self.counterfactual if progress >= self.counterfactual_warmup else 0.0
        inner = outer if self.counterfactual_scales_all else float(outer > 0)
        return {
            "coverage": 1.0,
            "hinge": self.coverage_hinge,
            **{name: getattr(self, name) for name in own},
            "necessity": outer,
            "spuriousness": outer,
            "overlap": inner * self.counterfactual_overlap,
            "responsibility": inner * self.counterfactual_balance,
        }


def paper_loss(
    rule: SoftRule, batch: EpisodeBatch, config: PaperLossConfig, progress: float, generator: Generator = None
) -> Loss:
    """Judge soft rules on the rows they were induced from; ``progress`` is the share of training done.

    Terms are those in use, before their weights.
    """
    literals, positives, z, w = batch.literals, batch.positives, rule.z, rule.w
    low, high, threshold = config.margin_negative, config.margin_positive, config.select_threshold
    executed = with_gate_noise(rule, generator) if config.gate_noise else rule
    silent = config.empty_is_silent
    execution = execute(executed, literals, silent)
    prediction, clauses = execution.rule, execution.clauses
    if config.clause_dropout:
        clauses = clauses * kept_slots(w, config.clause_dropout, config.min_kept, generator).unsqueeze(1)
        prediction = disjunction(clauses, executed.w)
    gated = clauses * executed.w.unsqueeze(1)
    terms: Terms = {  # as the text has them
        "coverage": lambda: coverage(prediction, batch),
        "margin": lambda: max_margin(clauses.amax(-1), batch, high, low),
        "switch": lambda: switch_balance(execution.clauses, w, positives),
        "usage": lambda: usage_balance((w / (w.sum(-1, keepdim=True) + SURE)).mean(0)),
        "activation": lambda: usage_balance(w.mean(0)),
        "repulsion": lambda: repulsion(z),
        "entropy": lambda: gate_entropy(rule, batch.literal_valid),
        "necessity": lambda: necessity(executed, execution.clauses, literals, positives, threshold),
        "spuriousness": lambda: spuriousness(executed, execution, literals, positives, threshold, silent),
        "overlap": lambda: coverage_overlap(execution.clauses, positives),
        "responsibility": lambda: responsibility_balance(execution.clauses, positives),
    }
    # where the published code differs
    terms["hinge"] = lambda: max_margin(prediction, batch, high, low)
    if config.gated_margin:
        terms["margin"] = lambda: max_margin(gated.amax(-1), batch, high, low)
    if config.switch_by_gates:
        terms["switch"] = lambda: switch_balance_by_gates(w)
    if config.sampled_counterfactuals:
        terms |= sampled_counterfactuals(executed, gated, batch, config, generator)
    terms["length"] = lambda: excess_length(z, config.max_length)  # ours
    values = {name: (weight, terms[name]()) for name, weight in config.weights(progress).items() if weight}
    total = torch.stack([weight * value for weight, value in values.values()]).sum()
    return Loss(total, len(batch), {name: value.detach() for name, (_, value) in values.items()})


# The terms of the text.


def coverage(prediction: Rows, batch: EpisodeBatch) -> Scalar:
    """L_cov: binary cross-entropy between the rule's truth and the labels."""
    p = prediction.clamp(SURE, 1 - SURE)
    log_likelihood = batch.positives * p.log() + batch.negatives * (1 - p).log()
    return -log_likelihood.sum() / batch.row_valid.sum().clamp_min(1)


def max_margin(best: Rows, batch: EpisodeBatch, positive: float, negative: float) -> Scalar:
    """Eq. (16), L_mm: the best clause of a row must clear a margin, so nothing rewards diffusion.

    ``best`` is the truth of that clause. Of the whole rule's truth, it is the published code's hinge.
    """
    too_low = row_mean((positive - best).relu(), batch.positives)
    return too_low + row_mean((best - negative).relu(), batch.negatives)


def switch_balance(clauses: Clauses, w: ClauseGates, positives: Rows) -> Scalar:
    """T * sum_k u_k f_k, as in Switch Transformers, with positive rows routed to clause slots.

    A row's routing probabilities are the shares of the slots in covering it; it is assigned to the largest.
    u_k is their mean, f_k the share of assignments, without gradient. The minimum, 1, is at equal use.
    """
    covering = w.unsqueeze(1) * clauses + SURE
    routing = covering / covering.sum(-1, keepdim=True)
    assigned = torch.nn.functional.one_hot(routing.argmax(-1), w.shape[-1])
    rows, total = positives.unsqueeze(-1), positives.sum().clamp_min(1)
    u, f = ((shares * rows).sum((0, 1)) / total for shares in (routing, assigned))
    return w.shape[-1] * (u * f).sum()


def usage_balance(usage: Float[Tensor, " T"]) -> Scalar:
    """Eq. (15), L_bal: K * sum_k (usage_k / mean usage - 1)^2, of the mean gates of slots over a batch.

    They are normalised within each episode, and once more raw, against slots that are never active.
    """
    return len(usage) * (usage / (usage.mean() + SURE) - 1).square().sum()


def repulsion(z: LiteralGates) -> Scalar:
    """L_rep, which the text names only: mean cosine between the literal gates of two different slots."""
    n_slots = z.shape[1]
    if n_slots == 1:
        return z.new_zeros(())
    direction = torch.nn.functional.normalize(z, dim=-1, eps=SURE)
    total = direction.sum(1).square().sum(-1) - direction.square().sum((1, 2))  # all ordered pairs
    return (total / (n_slots * (n_slots - 1))).mean()


def gate_entropy(rule: SoftRule, literal_valid: Bool[Tensor, "B L"]) -> Scalar:
    """L_ent, which the text names only: mean binary entropy of literal gates plus that of clause gates."""
    literals = entropy_of_gates(rule.z) * literal_valid.unsqueeze(1)
    n_gates = literal_valid.sum().clamp_min(1) * rule.z.shape[1]
    return literals.sum() / n_gates + entropy_of_gates(rule.w).mean()


def necessity(
    rule: SoftRule, clauses: Clauses, literals: LiteralValues, positives: Rows, threshold: float
) -> Scalar:
    """Eq. (17), L_nec: truth that clauses keep on positive rows although a literal they selected is flipped.

    Every selected literal is flipped on its own and the results are averaged within the slot; flipped
    all at once, one necessary literal would excuse any number of idle ones.
    """
    B, T, L = rule.z.shape
    N = L // 2
    one_each = torch.eye(N, dtype=torch.bool, device=rule.z.device).expand(B, T, N, N)
    each = flip_variables(rule.z.unsqueeze(2).expand(B, T, N, L), one_each)
    after = clause_truth(each.flatten(1, 2), literals).reshape(B, -1, T, N)
    selected = selected_variables(rule.z, threshold).to(after.dtype)
    shares = selected / selected.sum(-1, keepdim=True).clamp_min(1)
    kept = torch.einsum("bmtn,btn->bmt", after, shares)
    return row_mean((responsibility(clauses) * kept).sum(-1), positives)


def spuriousness(
    rule: SoftRule, done: Execution, literals: LiteralValues, positives: Rows, threshold: float, silent: bool
) -> Scalar:
    """Eq. (18), L_spur: how much predictions move when every slot's ignored literals are flipped."""
    ignored = ~selected_variables(rule.z, threshold)
    flipped = SoftRule(flip_variables(rule.z, ignored), rule.w)  # which selects as much as before
    after = execute(flipped, literals, silent)
    return row_mean((done.rule - after.rule).abs(), positives)


def coverage_overlap(clauses: Clauses, positives: Rows) -> Scalar:
    """Eq. (22), L_ovl: mean over pairs of clauses of their joint truth on positive rows."""
    n_pairs = max(math.comb(clauses.shape[-1], 2), 1)
    pairs = (clauses.sum(-1).square() - clauses.square().sum(-1)) / 2  # sum over k < k' of C_k C_k'
    return row_mean(pairs / n_pairs, positives)


def responsibility(clauses: Clauses) -> Clauses:
    """r_k = softmax_k(C_k): which clause explains a row."""
    return clauses.softmax(-1)


def responsibility_balance(clauses: Clauses, positives: Rows) -> Scalar:
    """Eq. (23), L_cf-bal: minus the entropy of responsibilities, so that several clauses explain a row."""
    log_share = clauses.log_softmax(-1)
    return row_mean((log_share.exp() * log_share).sum(-1), positives)


def flip_variables(z: Float[Tensor, "*b L"], variables: Bool[Tensor, "*b N"]) -> Float[Tensor, "*b L"]:
    """Gates that say of the original rows what ``z`` says of rows with these variables flipped.

    >>> flip_variables(torch.tensor([0.9, 0.1, 0.0, 0.2]), torch.tensor([True, False]))
    tensor([0.0000, 0.1000, 0.9000, 0.2000])
    """
    swapped = z.roll(variables.shape[-1], -1)
    return torch.where(torch.cat([variables, variables], -1), swapped, z)


def selected_variables(z: LiteralGates, threshold: float) -> Bool[Tensor, "B T N"]:
    """Which variables a slot uses, in either polarity; the others it claims to ignore."""
    return torch.maximum(*z.detach().chunk(2, -1)) >= threshold


def kept_slots(like: ClauseGates, rate: float, min_kept: int, generator: Generator) -> Bool[Tensor, "B T"]:
    """Clause dropout: which slots take part in this step, each episode on its own.

    Each slot sits out with the given chance, except that the ``min_kept`` luckiest always stay.
    """
    luck = torch.rand(like.shape, generator=generator, device=like.device)
    last_kept = luck.topk(min(min_kept, luck.shape[-1]), -1).values[..., -1:] if min_kept else 1.0
    return (luck >= rate) | (luck >= last_kept)


# What the published code does otherwise.


def with_gate_noise(rule: SoftRule, generator: Generator) -> SoftRule:
    """Add logistic noise to the logits of all gates; a gate of 0 or 1 stays what it is.

    With u uniform in (0, 1), sigmoid(logit z + logit u) = z u / (z u + (1 - z)(1 - u)).
    """

    def shaken(gates: Tensor) -> Tensor:
        u = torch.rand(gates.shape, generator=generator, device=gates.device, dtype=gates.dtype)
        u = u.clamp(SURE, 1 - SURE)
        opening = gates * u
        return opening / (opening + (1 - gates) * (1 - u))

    return SoftRule(shaken(rule.z), shaken(rule.w))


def switch_balance_by_gates(w: ClauseGates) -> Scalar:
    """T * sum_k u_k f_k by clause gates alone: u from a softmax of their logits, f from their shares.

    No row is routed, so an open slot counts as used even if it covers none. The published code's way.
    """
    sure = w.clamp(SURE, 1 - SURE)
    odds = sure / (1 - sure)  # a softmax of logits is what the odds are of their sum
    u = (odds / odds.sum(-1, keepdim=True)).mean(0)
    used = w.mean(0)
    return w.shape[-1] * (u * used / (used.sum() + SURE)).sum()


def sampled_counterfactuals(
    rule: SoftRule, gated: Clauses, batch: EpisodeBatch, config: PaperLossConfig, generator: Generator
) -> Terms:
    """Return the terms of L_cf as the published code has them, for a few sampled literals.

    Literals are drawn for each table by their mean gate over slots and flipped for all slots alike, on
    positive rows that are predicted so; clauses are joined by a soft maximum, and a clause is responsible for
    a row as far as no other one covers it. ``gated`` is what training saw: truth times gate, dropped slots 0.
    """
    prediction, literals = soft_maximum(gated), batch.literals
    rows = batch.positives * (prediction.detach() > 0.5)
    mean_gate = rule.z.detach().mean(1)
    selected = mean_gate >= config.select_threshold
    shares = exclusive_shares(gated)

    def flipped(weights: Float[Tensor, "B L"]) -> Float[Tensor, "B K M T"]:
        """Truth of all clauses after the variable of one drawn literal is flipped, for each of K literals."""
        B, T, L = rule.z.shape
        K, N = min(config.sampled_counterfactuals, L // 2), L // 2
        # different literals by their weights; those of no weight come last
        drawn: Int[Tensor, "B K"] = torch.multinomial(weights.clamp_min(SURE), K, generator=generator)
        variables = torch.nn.functional.one_hot(drawn % N, N).bool().unsqueeze(2).expand(B, K, T, N)
        z = flip_variables(rule.z.unsqueeze(1).expand(B, K, T, L), variables)
        return clause_truth(z.flatten(1, 2), literals).reshape(B, -1, K, T).transpose(1, 2)

    def kept_truth() -> Tensor:
        after = flipped(torch.where(selected, mean_gate, 0.0)).mean(1)
        return row_mean((shares * after).sum(-1), rows)

    def moved_truth() -> Tensor:
        after = soft_maximum(flipped(torch.where(selected, 0.0, 1 - mean_gate)))
        return row_mean((after - prediction.unsqueeze(1)).abs().mean(1), rows)

    return {
        "necessity": kept_truth,
        "spuriousness": moved_truth,
        "overlap": lambda: coverage_overlap(gated, rows),
        "responsibility": lambda: row_mean((shares * (shares + 1e-8).log()).sum(-1), rows),
    }


def soft_maximum(clauses: Float[Tensor, "*batch T"]) -> Float[Tensor, "*batch"]:
    """Return a little more than the largest truth, at most 1."""
    return (_BLUR * (clauses / _BLUR).logsumexp(-1)).clamp(0, 1)


def exclusive_shares(clauses: Clauses) -> Clauses:
    """Shares of the clauses in covering a row, each by its truth where no other clause is true."""
    missing = (1 - clauses).clamp_min(1e-8).log()
    alone = clauses * (missing.sum(-1, keepdim=True) - missing).exp()
    return alone / (alone.sum(-1, keepdim=True) + 1e-8)


# Ours.


def excess_length(z: LiteralGates, most: float) -> Scalar:
    """Our own term: the mean number of literals that a slot asks for beyond ``most``."""
    return (z.sum(-1) - most).relu().mean()
