"""Episodes as tensors, and the statistics of their literals.

Several tables of different size are padded to one shape. The literals of variable ``i`` are ``i`` and
``i + N`` with N the *padded* number of variables; ``variable_valid`` marks the padding.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from nri.arrays import BoolArray
from nri.paper.torch.tnorm import UNKNOWN, LiteralValues

Rows = Float[Tensor, "B M"]  # a number for each row of each table, e.g. 1 on the positive ones


@dataclass(frozen=True, eq=False)
class EpisodeBatch:
    """B two-class tables of up to M rows and N boolean variables."""

    values: Float[Tensor, "B M N"]  # 0 or 1; 0 wherever not known
    known: Bool[Tensor, "B M N"]  # False for unknown cells and for padding
    labels: Rows  # 0 or 1; 0 for padding rows
    row_valid: Bool[Tensor, "B M"]
    variable_valid: Bool[Tensor, "B N"]

    @property
    def literals(self) -> Float[Tensor, "B M L"]:
        """Literal values: 0, 1, or 0.5 where unknown."""
        return literals(self.values, self.known)

    @property
    def literal_valid(self) -> Bool[Tensor, "B L"]:
        """Which literals belong to the table rather than to the padding."""
        return torch.cat([self.variable_valid, self.variable_valid], -1)

    @property
    def positives(self) -> Rows:
        """1 on the positive rows of each table."""
        return self.labels * self.row_valid

    @property
    def negatives(self) -> Rows:
        """1 on the negative rows of each table, 0 on padding."""
        return (1 - self.labels) * self.row_valid

    def __len__(self) -> int:
        return len(self.values)


def literals(values: Float[Tensor, "*batch M N"], known: Bool[Tensor, "*batch M N"]) -> LiteralValues:
    """Values of the 2N literals, positives before negations, 0.5 where the cell is unknown.

    >>> literals(torch.tensor([[1.0, 0.0]]), torch.tensor([[True, False]]))
    tensor([[1.0000, 0.5000, 0.0000, 0.5000]])
    """
    positive = torch.where(known, values, UNKNOWN)
    return torch.cat([positive, 1 - positive], -1)


def batch_from_arrays(
    values: BoolArray,
    known: BoolArray,
    labels: BoolArray,
    row_valid: BoolArray | None = None,
    variable_valid: BoolArray | None = None,
) -> EpisodeBatch:
    """Turn arrays of shapes [B, M, N], [B, M] and [B, N] into tensors; by default nothing is padding."""
    return EpisodeBatch(
        torch.from_numpy(values.astype(np.float32)),
        torch.from_numpy(known.copy()),
        torch.from_numpy(labels.astype(np.float32)),
        torch.from_numpy(np.ones_like(known[:, :, 0]) if row_valid is None else row_valid),
        torch.from_numpy(np.ones_like(known[:, 0]) if variable_valid is None else variable_valid),
    )


def row_mean(values: Rows, rows: Rows) -> Float[Tensor, ""]:
    """Mean over the rows marked by 1, of all episodes together; 0 if there is none."""
    return (values * rows).sum() / rows.sum().clamp_min(1)


_RATES = ("true_rate", "false_rate", "observed")
NAMES = (
    *(f"{rate}_{rows}" for rows in ("positive", "negative") for rate in _RATES),
    *(*_RATES, "entropy", "polarity", "reserved", "cooccurrence", "cooccurrence_abs_positive"),
    *("cooccurrence_positive", "cooccurrence_abs_negative", "cooccurrence_negative"),
    "cooccurrence_difference",
)
"""The 18 statistics of the paper's appendix "Literal Feature Vector", in order; "reserved" is 0 there too.

Every one is a count or a mean over rows, so neither the order nor the number of rows and variables matters.
An unknown cell takes part in no rate and no co-occurrence; the observation rates say how many cells a rate
rests on. Without any, it is 0.5, the only value that is the same for a literal and its negation.
"""

_TINY = 1e-30
SURE = 1e-6  # how far predictions and gates are kept from 0 and 1; one row then costs at most 14 nats
ByView = Float[Tensor, "3 B N"]
"""A number of each variable by the rows looked at: the positives, the negatives, and all of them."""


def literal_statistics(batch: EpisodeBatch) -> Float[Tensor, "B L S"]:
    """phi_j, eq. (3) ``phi``, for every literal; zero on padding."""
    values = batch.values
    views = torch.stack([batch.positives, batch.negatives, batch.row_valid.to(values.dtype)])
    known = views.unsqueeze(-1) * batch.known  # [3, B, M, N]
    n_known = known.sum(-2)  # [3, B, N]
    rate = torch.where(n_known > 0, (known * values).sum(-2) / n_known.clamp_min(1), 0.5)
    same = n_known / views.sum(-1, keepdim=True).clamp_min(1), *_cooccurrence(values, known, rate, batch)
    of_both = [_assemble(rate, *same, polarity=1.0), _assemble(1 - rate, *same, polarity=0.0)]
    return torch.cat(of_both, 1) * batch.literal_valid.unsqueeze(-1)


def _cooccurrence(
    values: Float[Tensor, "B M N"], known: Float[Tensor, "3 B M N"], rate: ByView, batch: EpisodeBatch
) -> tuple[ByView, ByView]:
    """Mean absolute and mean signed covariance of a literal with the other 2N - 1 literals.

    A negation's centred value is minus its variable's, so N x N covariances hold all 2N x 2N. Every other
    variable appears twice among the others of literal j: absolute values count twice, signed ones cancel.
    Its own negation has minus the variance, so the paper's signed mean is -variance / (2N - 1).
    """
    centred = (values - rate.unsqueeze(-2)) * known  # [3, B, M, N]
    pairs = (known.transpose(-1, -2) @ known).clamp_min(1)  # rows on which both are known
    covariance = (centred.transpose(-1, -2) @ centred) / pairs  # c_jk of eq. (21), over jointly known rows
    variance = covariance.diagonal(dim1=-2, dim2=-1)
    n_others = (2 * batch.variable_valid.sum(-1, keepdim=True) - 1).clamp_min(1)
    strength = (2 * covariance.abs().sum(-1) - variance) / n_others
    return strength, -variance / n_others


def _assemble(
    rate: ByView, observed: ByView, strength: ByView, signed: ByView, polarity: float
) -> Float[Tensor, "B N S"]:
    """Line up the statistics of one polarity in the order of NAMES."""
    rates = torch.cat(tuple(torch.stack([rate, 1 - rate, observed], -1)), -1)  # the three of each view
    entropy, reserved = binary_entropy(rate[2]), torch.zeros_like(rate[2])
    rest = [entropy, torch.full_like(rate[2], polarity), reserved, strength[2]]
    by_class = [strength[0], signed[0], strength[1], signed[1], signed[0] - signed[1]]
    return torch.cat([rates, torch.stack([*rest, *by_class], -1)], -1)


def binary_entropy(p: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """-p log p - (1 - p) log(1 - p) in nats, 0 at both ends."""
    q = 1 - p
    return -p * p.clamp_min(_TINY).log() - q * q.clamp_min(_TINY).log()  # xlogy has no ONNX operator


def entropy_of_gates(gates: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """Binary entropy where its gradient is finite: an open or shut gate is taken for nearly so."""
    return binary_entropy(gates.clamp(SURE, 1 - SURE))
