"""L_cf: what would the rule say if a cell had been different?

To flip a variable's cells is to swap the gates of its two literals (an unknown cell stays unknown
either way), so every counterfactual is the one definition of clause truth with swapped gates.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from nri.paper.torch.batch import row_mean
from nri.paper.torch.tnorm import Execution, SoftRule, clause_truth, disjunction, non_null


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
) -> Float[Tensor, ""]:
    """L_spur: how much predictions move when every slot's ignored literals are flipped."""
    ignored = ~selected_variables(rule.z, threshold)
    after = clause_truth(flip_variables(rule.z, ignored), literals)
    prediction = disjunction(after * non_null(rule.z).unsqueeze(-2), rule.w)
    return row_mean((execution.rule - prediction).abs(), positives)


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
