"""The objective of the text: eq. (14) L = L_cov + l_b L_bal + l_r L_rep + l_e L_ent + l_m L_mm + l_cf L_cf.

:func:`text_terms` has the text's terms alone. What the published code does otherwise replaces some of them
and one term is ours (both in :mod:`nri.paper.torch.objective`). None of the numbered equations here has a
LaTeX label in the paper; the numbers are the printed ones.

To flip a variable's cells is to swap the gates of its two literals (an unknown cell stays unknown either
way), so every counterfactual is the one definition of clause truth with swapped gates.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from nri.errors import ConfigError
from nri.paper.torch.batch import EpisodeBatch, binary_entropy, row_mean
from nri.paper.torch.tnorm import Execution, SoftRule, clause_truth, execute

_SURE = 1e-6
"""Predictions are kept this far from 0 and 1, so that one row costs at most 14 nats."""

Terms = dict[str, tuple[float, Callable[[], Tensor]]]
"""The weight of each term, and how it is computed."""


@dataclass(frozen=True)
class PaperLossConfig:
    """A weight of zero switches its term off. Three groups: the text, the published code's switches, ours.

    The paper states the margins, the two weights inside the counterfactual loss and the clause dropout. The
    other weights of the text's terms are those of its published configuration, except for ``repulsion`` and
    ``entropy``, which that configuration does not have: they are small here.
    """

    switch: float = 0.1
    """lambda_b of the load-balancing loss of Switch Transformers."""
    usage: float = 0.1
    """lambda_b of the squared coefficient of variation of normalised slot usage."""
    activation: float = 0.05
    """lambda_b of the squared coefficient of variation of raw clause gates."""
    repulsion: float = 0.01
    """lambda_r, on the overlap of slots' gate vectors."""
    entropy: float = 0.01
    """lambda_e, on the binary entropy of gates."""
    margin: float = 1.0
    """lambda_m, on the max-margin coverage."""
    margin_positive: float = 0.7
    """tau+: the best clause should be at least this true on a positive row."""
    margin_negative: float = 0.3
    """tau-: the best clause should be at most this true on a negative row."""
    counterfactual: float = 0.15
    """lambda_cf, on necessity + spuriousness + the two terms below."""
    counterfactual_overlap: float = 0.1
    """lambda_o, inside the counterfactual loss."""
    counterfactual_balance: float = 0.01
    """lambda_c, inside the counterfactual loss."""
    counterfactual_warmup: float = 0.5
    """Share of training before the counterfactual loss sets in: steps 250 of 500 in the published run."""
    select_threshold: float = 0.3
    """A literal whose gate is at least this counts as selected in the counterfactual tests."""
    clause_dropout: float = 0.25
    """Chance that a slot sits out one step of one episode."""
    min_kept: int = 2
    """Slots that never sit out together."""

    # the published code's switches: off is the text's way
    gate_noise: bool = False
    """Whether gates are executed with logistic noise on their logits, so that only sure ones are safe."""
    coverage_hinge: float = 0.0
    """Weight of hinge margins on the rule's truth, added to the coverage loss."""
    gated_margin: bool = False
    """Whether the max-margin loss looks at clauses with their gates multiplied in."""
    switch_by_gates: bool = False
    """Whether the Switch loss routes by clause gates alone instead of by the slots that cover a row."""
    sampled_counterfactuals: int = 0
    """Flip so many literals, sampled by their mean gate over slots, in place of every slot's own."""
    counterfactual_scales_all: bool = True
    """Whether lambda_cf multiplies overlap and balance too, as in the formula; the code's way is not to."""
    empty_is_silent: bool = True
    """Whether a clause counts in proportion to the chance that its slot selects a literal at all, as in the
    published code; a slot without literals is no clause once deployed. The text has no such factor."""

    # ours
    length: float = 0.0
    """Weight of literals beyond ``max_length`` in a slot: a slot that is not needed must close its gate,
    since it cannot become silent by asking for everything."""
    max_length: float = 4.0
    """The most literals of a deployed clause."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value < 0:
                raise ConfigError(f"loss: {name} = {value} is negative; give 0 to switch it off, or more")
        for name in ("counterfactual_warmup", "select_threshold", "margin_positive", "margin_negative"):
            if getattr(self, name) > 1:
                raise ConfigError(f"loss: {name} = {getattr(self, name)} is above 1; give 0 to 1")
        if self.clause_dropout >= 1:
            raise ConfigError(
                f"loss: clause_dropout = {self.clause_dropout} drops everything; give less than 1"
            )


@dataclass(frozen=True, eq=False)
class Judged:
    """Soft rules, and what they say on the rows of their tables."""

    rule: SoftRule
    """As induced."""
    executed: SoftRule
    """As executed: the same, or with noise on its gates."""
    execution: Execution
    clauses: Float[Tensor, "B M T"]
    """Clause truth without the slots that sit out."""
    prediction: Float[Tensor, "B M"]
    literals: Float[Tensor, "B M L"]
    batch: EpisodeBatch


COUNTERFACTUAL = ("necessity", "spuriousness", "overlap", "responsibility")
"""The terms of L_cf, which set in after a warm-up."""


def text_terms(judged: Judged, config: PaperLossConfig) -> Terms:
    """Return the terms of eq. (14) by name, each as the text has it."""
    rule, batch, clauses, executed = judged.rule, judged.batch, judged.clauses, judged.executed
    whole, literals, positives = judged.execution.clauses, judged.literals, batch.positives
    threshold, silent = config.select_threshold, config.empty_is_silent
    low, high = config.margin_negative, config.margin_positive
    outer = config.counterfactual
    return {
        "coverage": (1.0, lambda: coverage(judged.prediction, batch)),
        "margin": (config.margin, lambda: max_margin(clauses, batch, high, low)),
        "switch": (config.switch, lambda: switch_balance(whole, rule.w, positives)),
        "usage": (config.usage, lambda: usage_balance(rule.w)),
        "activation": (config.activation, lambda: activation_balance(rule.w)),
        "repulsion": (config.repulsion, lambda: repulsion(rule.z)),
        "entropy": (config.entropy, lambda: gate_entropy(rule, batch.literal_valid)),
        "necessity": (outer, lambda: necessity(executed, whole, literals, positives, threshold)),
        "spuriousness": (
            outer,
            lambda: spuriousness(executed, judged.execution, literals, positives, threshold, silent),
        ),
        "overlap": (outer * config.counterfactual_overlap, lambda: coverage_overlap(whole, positives)),
        "responsibility": (
            outer * config.counterfactual_balance,
            lambda: responsibility_balance(whole, positives),
        ),
    }


def coverage(prediction: Float[Tensor, "B M"], batch: EpisodeBatch) -> Float[Tensor, ""]:
    """L_cov: binary cross-entropy between the rule's truth and the labels."""
    p = prediction.clamp(_SURE, 1 - _SURE)
    log_likelihood = batch.positives * p.log() + batch.negatives * (1 - p).log()
    return -log_likelihood.sum() / batch.row_valid.sum().clamp_min(1)


def switch_balance(
    clauses: Float[Tensor, "B M T"], w: Float[Tensor, "B T"], positives: Float[Tensor, "B M"]
) -> Float[Tensor, ""]:
    """T * sum_k u_k f_k, as in Switch Transformers, with positive rows routed to clause slots.

    A row's routing probabilities are the shares of the slots in covering it; it is assigned to
    the largest. u_k is the mean probability, f_k the share of assignments (which has no gradient).
    The least value, 1, is reached when all slots are used alike.
    """
    covering = w.unsqueeze(1) * clauses + _SURE
    routing = covering / covering.sum(-1, keepdim=True)
    n_slots = w.shape[-1]
    assigned = torch.nn.functional.one_hot(routing.argmax(-1), n_slots)
    total = positives.sum().clamp_min(1)
    u = (routing * positives.unsqueeze(-1)).sum((0, 1)) / total
    f = (assigned * positives.unsqueeze(-1)).sum((0, 1)) / total
    return n_slots * (u * f).sum()


def usage_balance(w: Float[Tensor, "B T"]) -> Float[Tensor, ""]:
    """Eq. (15), L_bal, of slot usage: clause gates normalised within each episode."""
    return _squared_variation((w / (w.sum(-1, keepdim=True) + _SURE)).mean(0))


def activation_balance(w: Float[Tensor, "B T"]) -> Float[Tensor, ""]:
    """Eq. (15) of raw clause gates, against slots that are never active."""
    return _squared_variation(w.mean(0))


def _squared_variation(usage: Float[Tensor, " T"]) -> Float[Tensor, ""]:
    """K * sum_k (usage_k / mean usage - 1)^2."""
    return len(usage) * (usage / (usage.mean() + _SURE) - 1).square().sum()


def max_margin(
    clauses: Float[Tensor, "B M T"], batch: EpisodeBatch, positive: float, negative: float
) -> Float[Tensor, ""]:
    """Eq. (16), L_mm: only the best clause of a row must clear a margin, so nothing rewards diffusion."""
    best = clauses.amax(-1)
    too_low = row_mean((positive - best).relu(), batch.positives)
    too_high = row_mean((best - negative).relu(), batch.negatives)
    return too_low + too_high


def necessity(
    rule: SoftRule,
    clauses: Float[Tensor, "B M T"],
    literals: Float[Tensor, "B M L"],
    positives: Float[Tensor, "B M"],
    threshold: float,
) -> Float[Tensor, ""]:
    """Eq. (17), L_nec: truth that clauses keep on positive rows although a literal they selected is flipped.

    Every selected literal is flipped on its own and the results are averaged within the slot; flipped
    all at once, one necessary literal would excuse any number of idle ones.
    """
    B, T, L = rule.z.shape
    N = L // 2
    one_each = torch.eye(N, dtype=torch.bool, device=rule.z.device)
    each = flip_variables(rule.z.unsqueeze(2).expand(B, T, N, L), one_each.expand(B, T, N, N))
    after = clause_truth(each.flatten(1, 2), literals).reshape(B, -1, T, N)
    selected = selected_variables(rule.z, threshold).to(after.dtype)
    shares = selected / selected.sum(-1, keepdim=True).clamp_min(1)
    kept = torch.einsum("bmtn,btn->bmt", after, shares)
    return row_mean((responsibility(clauses) * kept).sum(-1), positives)


def spuriousness(
    rule: SoftRule,
    execution: Execution,
    literals: Float[Tensor, "B M L"],
    positives: Float[Tensor, "B M"],
    threshold: float,
    empty_is_silent: bool = True,
) -> Float[Tensor, ""]:
    """Eq. (18), L_spur: how much predictions move when every slot's ignored literals are flipped."""
    ignored = ~selected_variables(rule.z, threshold)
    flipped = SoftRule(flip_variables(rule.z, ignored), rule.w)  # which selects as much as before
    after = execute(flipped, literals, empty_is_silent)
    return row_mean((execution.rule - after.rule).abs(), positives)


def coverage_overlap(clauses: Float[Tensor, "B M T"], positives: Float[Tensor, "B M"]) -> Float[Tensor, ""]:
    """Eq. (22), L_ovl: mean over pairs of clauses of their joint truth on positive rows."""
    n_slots = clauses.shape[-1]
    n_pairs = max(n_slots * (n_slots - 1) // 2, 1)
    pairs = (clauses.sum(-1).square() - clauses.square().sum(-1)) / 2  # sum over k < k' of C_k C_k'
    return row_mean(pairs / n_pairs, positives)


def responsibility_balance(
    clauses: Float[Tensor, "B M T"], positives: Float[Tensor, "B M"]
) -> Float[Tensor, ""]:
    """Eq. (23), L_cf-bal: minus the entropy of responsibilities, so that several clauses explain a row."""
    log_share = clauses.log_softmax(-1)
    return row_mean((log_share.exp() * log_share).sum(-1), positives)


def repulsion(z: Float[Tensor, "B T L"]) -> Float[Tensor, ""]:
    """L_rep, which the text names only: mean cosine between the literal gates of two different slots."""
    n_slots = z.shape[1]
    if n_slots == 1:
        return z.new_zeros(())
    direction = torch.nn.functional.normalize(z, dim=-1, eps=_SURE)
    total = direction.sum(1).square().sum(-1) - direction.square().sum((1, 2))  # all ordered pairs
    return (total / (n_slots * (n_slots - 1))).mean()


def gate_entropy(rule: SoftRule, literal_valid: Bool[Tensor, "B L"]) -> Float[Tensor, ""]:
    """L_ent, which the text names only: mean binary entropy of literal gates plus that of clause gates."""
    literals = binary_entropy(rule.z.clamp(_SURE, 1 - _SURE)) * literal_valid.unsqueeze(1)
    n_gates = literal_valid.sum().clamp_min(1) * rule.z.shape[1]
    clauses = binary_entropy(rule.w.clamp(_SURE, 1 - _SURE))
    return literals.sum() / n_gates + clauses.mean()


def flip_variables(
    z: Float[Tensor, "*batch L"], variables: Bool[Tensor, "*batch N"]
) -> Float[Tensor, "*batch L"]:
    """Gates that say of the original rows what ``z`` says of rows with these variables flipped.

    >>> flip_variables(torch.tensor([0.9, 0.1, 0.0, 0.2]), torch.tensor([True, False]))
    tensor([0.0000, 0.1000, 0.9000, 0.2000])
    """
    positive, negative = z.chunk(2, -1)
    return torch.cat(
        [torch.where(variables, negative, positive), torch.where(variables, positive, negative)], -1
    )


def selected_variables(z: Float[Tensor, "*batch L"], threshold: float) -> Bool[Tensor, "*batch N"]:
    """Which variables a slot uses, in either polarity; the others it claims to ignore."""
    positive, negative = z.detach().chunk(2, -1)
    return torch.maximum(positive, negative) >= threshold


def responsibility(clauses: Float[Tensor, "B M T"]) -> Float[Tensor, "B M T"]:
    """r_k = softmax_k(C_k): which clause explains a row."""
    return clauses.softmax(-1)
