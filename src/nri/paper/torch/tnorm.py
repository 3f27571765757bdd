"""Execution by product t-norm: the one definition of soft truth.

Literals take three values: 1 holds, 0 fails, 0.5 unknown. The logarithm of a clause's truth is then a sum
over its failing literals plus one over its unknown ones: two matrix products.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

Clauses = Float[Tensor, "*batch M T"]  # the truth of each slot's clause on each row
LiteralValues = Float[Tensor, "*batch M L"]
LiteralGates = Float[Tensor, "*batch T L"]
ClauseGates = Float[Tensor, "*batch T"]


@dataclass(frozen=True, eq=False)
class SoftRule:
    """T clause slots over L = 2N literals, every choice a number in [0, 1].

    Literal ``j < N`` is variable ``j``, literal ``j >= N`` the negation of variable ``j - N``.
    """

    z: LiteralGates  # how much slot t asks for literal j
    w: ClauseGates  # how much slot t takes part in the rule


UNKNOWN = 0.5  # the truth of a literal whose cell is unknown: maximally uncertain

_TINY = 1e-12  # Stands for zero inside logarithms; far below the 6e-8 between 1 and the float32 before it


def clause_truth(z: LiteralGates, literals: LiteralValues) -> Clauses:
    r"""Truth of each clause on each row, C = prod_j (1 - z_j (1 - l_j)), eq. (12) ``clause_truth``.

    Literal values are exactly 0, 0.5 or 1. The clause without literals is true everywhere here, as it is
    among symbols; see :func:`execute` for what becomes of it in a rule.

    >>> z = torch.tensor([[1.0, 0.5]])
    >>> clause_truth(z, torch.tensor([[1.0, 1.0], [1.0, 0.0], [0.5, 1.0], [0.0, 1.0]])).squeeze(1)
    tensor([1.0000e+00, 5.0000e-01, 5.0000e-01, 1.0000e-12])
    """
    when_failing = (1 - z).clamp_min(_TINY).log().mT
    when_unknown = (1 - UNKNOWN * z).log().mT
    failing = (literals == 0).to(z.dtype)
    unknown = (literals == UNKNOWN).to(z.dtype)
    return (failing @ when_failing + unknown @ when_unknown).exp()


def non_null(z: LiteralGates) -> ClauseGates:
    """Probability that a slot selects at least one literal, p_k = 1 - prod_j (1 - z_kj)."""
    return 1 - torch.exp((1 - z).clamp_min(_TINY).log().sum(-1))


@dataclass(frozen=True, eq=False)
class Execution:
    """What a soft rule says on M rows."""

    clauses: Clauses  # truth of each slot's clause, zero where the slot selects nothing
    rule: Float[Tensor, "*batch M"]  # truth of the whole rule: the prediction


def execute(rule: SoftRule, literals: LiteralValues, empty_is_silent: bool = True) -> Execution:
    """Run a soft rule on rows: eq. (12) ``clause_truth``, then eq. (13) ``prediction``.

    A clause counts in proportion to its non-null probability, as in the published code: an empty slot, which
    deployment drops, is silent. Without it (``empty_is_silent=False``, the text) an empty clause is true.
    """
    clauses = clause_truth(rule.z, literals)
    if empty_is_silent:
        clauses = clauses * non_null(rule.z).unsqueeze(-2)
    return Execution(clauses, disjunction(clauses, rule.w))


def disjunction(clauses: Clauses, w: ClauseGates) -> Float[Tensor, "*batch M"]:
    """Probabilistic OR of the gated clauses, 1 - prod_k (1 - w_k C_k), eq. (13) ``prediction``."""
    return 1 - (1 - w.unsqueeze(-2) * clauses).prod(-1)
