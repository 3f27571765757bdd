"""L_cf: what would the rule say if a cell had been different?

To flip a variable's cells is to swap the gates of its two literals (an unknown cell stays unknown
either way), so every counterfactual is the one definition of clause truth with swapped gates.
"""

from collections.abc import Callable, Mapping

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from nri.paper.torch.batch import row_mean
from nri.paper.torch.config import PaperLossConfig
from nri.paper.torch.tnorm import Execution, SoftRule, clause_truth, execute

Parts = Mapping[str, Callable[[], Tensor]]
"""The four terms of the loss by name, each computed when asked for."""


def own_terms(
    rule: SoftRule,
    execution: Execution,
    literals: Float[Tensor, "B M L"],
    positives: Float[Tensor, "B M"],
    config: PaperLossConfig,
) -> Parts:
    """Return the terms as the text has them: every slot is asked about the literals it selects itself."""
    threshold, clauses = config.select_threshold, execution.clauses
    return {
        "necessity": lambda: necessity(rule, clauses, literals, positives, threshold),
        "spuriousness": lambda: spuriousness(
            rule, execution, literals, positives, threshold, config.empty_is_silent
        ),
        "overlap": lambda: coverage_overlap(clauses, positives),
        "responsibility": lambda: responsibility_balance(clauses, positives),
    }


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


def necessity(
    rule: SoftRule,
    clauses: Float[Tensor, "B M T"],
    literals: Float[Tensor, "B M L"],
    positives: Float[Tensor, "B M"],
    threshold: float,
) -> Float[Tensor, ""]:
    """L_nec: truth that clauses keep on positive rows although a literal they selected is flipped.

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
    """L_spur: how much predictions move when every slot's ignored literals are flipped."""
    ignored = ~selected_variables(rule.z, threshold)
    flipped = SoftRule(flip_variables(rule.z, ignored), rule.w)  # which selects as much as before
    after = execute(flipped, literals, empty_is_silent)
    return row_mean((execution.rule - after.rule).abs(), positives)


def coverage_overlap(clauses: Float[Tensor, "B M T"], positives: Float[Tensor, "B M"]) -> Float[Tensor, ""]:
    """L_ovl: mean over pairs of clauses of their joint truth on positive rows."""
    n_slots = clauses.shape[-1]
    n_pairs = max(n_slots * (n_slots - 1) // 2, 1)
    pairs = (clauses.sum(-1).square() - clauses.square().sum(-1)) / 2  # sum over k < k' of C_k C_k'
    return row_mean(pairs / n_pairs, positives)


def responsibility_balance(
    clauses: Float[Tensor, "B M T"], positives: Float[Tensor, "B M"]
) -> Float[Tensor, ""]:
    """L_cf-bal: minus the entropy of responsibilities, so that a row is explained by more than one clause."""
    log_share = clauses.log_softmax(-1)
    return row_mean((log_share.exp() * log_share).sum(-1), positives)


_BLUR = 0.1
"""Temperature of the soft maximum that joins clauses in the published code's counterfactuals."""


def sampled_terms(
    rule: SoftRule,
    gated: Float[Tensor, "B M T"],
    literals: Float[Tensor, "B M L"],
    positives: Float[Tensor, "B M"],
    config: PaperLossConfig,
    generator: torch.Generator | None,
) -> Parts:
    """Return the terms as the published code has them.

    A few literals are drawn for each table by their mean gate over slots and flipped for all slots alike, on
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

    return {
        "necessity": kept_truth,
        "spuriousness": moved_truth,
        "overlap": lambda: coverage_overlap(gated, rows),
        "responsibility": lambda: row_mean((shares * (shares + 1e-8).log()).sum(-1), rows),
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
