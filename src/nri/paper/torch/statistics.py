"""The paper's 18 literal statistics (its appendix "Literal Feature Vector"): the identity-free input.

Every number is a count or a mean over rows, so neither the order nor the number of rows and
variables matters. An unknown cell takes part in no rate and no co-occurrence; how many cells a rate
rests on is told by the observation rates. A rate without a single observation is 0.5, the only
value that is the same for a literal and its negation.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from nri.paper.torch.batch import EpisodeBatch

NAMES = (
    "true_rate_positive",
    "false_rate_positive",
    "observed_positive",
    "true_rate_negative",
    "false_rate_negative",
    "observed_negative",
    "true_rate",
    "false_rate",
    "observed",
    "entropy",
    "polarity",
    "reserved",
    "cooccurrence",
    "cooccurrence_abs_positive",
    "cooccurrence_positive",
    "cooccurrence_abs_negative",
    "cooccurrence_negative",
    "cooccurrence_difference",
)
"""The statistics in the order of the paper's table; "reserved" is zero, as it is there."""

_TINY = 1e-30


def literal_statistics(batch: EpisodeBatch) -> Float[Tensor, "B L S"]:
    """phi_j of eq. (phi) for every literal; zero on padding.

    Rows are looked at three times: the positives, the negatives, and all of them. Axis 0 of the
    intermediate tensors, of length 3, is that view, in this order.
    """
    values = batch.values
    views = torch.stack([batch.positives, batch.negatives, batch.row_valid.to(values.dtype)])
    known = views.unsqueeze(-1) * batch.known  # [3, B, M, N]
    n_known = known.sum(-2)  # [3, B, N]
    n_rows = views.sum(-1, keepdim=True)
    rate = torch.where(n_known > 0, (known * values).sum(-2) / n_known.clamp_min(1), 0.5)
    observed = n_known / n_rows.clamp_min(1)
    strength, signed = _cooccurrence(values, known, rate, batch)

    positive_literals = _assemble(rate, observed, strength, signed, polarity=1.0)
    negations = _assemble(1 - rate, observed, strength, signed, polarity=0.0)
    statistics = torch.cat([positive_literals, negations], 1)
    return statistics * batch.literal_valid.unsqueeze(-1)


def _cooccurrence(
    values: Float[Tensor, "B M N"],
    known: Float[Tensor, "3 B M N"],
    rate: Float[Tensor, "3 B N"],
    batch: EpisodeBatch,
) -> tuple[Float[Tensor, "3 B N"], Float[Tensor, "3 B N"]]:
    """Mean absolute and mean signed covariance of a literal with the other 2N - 1 literals.

    A negation's centred value is minus its variable's, so N x N covariances hold all 2N x 2N. Over
    the others of literal j, every other variable appears twice (as itself and negated: its
    absolute value counts twice, its signed values cancel) and j's own negation once, with minus
    the variance. The paper's signed mean is therefore -variance / (2N - 1), and is computed so.
    """
    centred = (values - rate.unsqueeze(-2)) * known  # [3, B, M, N]
    pairs = (known.transpose(-1, -2) @ known).clamp_min(1)  # rows on which both are known
    covariance = (
        centred.transpose(-1, -2) @ centred
    ) / pairs  # c_jk of the appendix, over jointly known rows
    variance = covariance.diagonal(dim1=-2, dim2=-1)
    n_others = (2 * batch.variable_valid.sum(-1, keepdim=True) - 1).clamp_min(1)
    strength = (2 * covariance.abs().sum(-1) - variance) / n_others
    return strength, -variance / n_others


def _assemble(
    rate: Float[Tensor, "3 B N"],
    observed: Float[Tensor, "3 B N"],
    strength: Float[Tensor, "3 B N"],
    signed: Float[Tensor, "3 B N"],
    polarity: float,
) -> Float[Tensor, "B N S"]:
    """Line up the statistics of one polarity in the order of NAMES."""
    by_view = torch.stack([rate, 1 - rate, observed], -1)  # [3, B, N, 3]
    rates = torch.cat([by_view[0], by_view[1], by_view[2]], -1)
    rest = [
        binary_entropy(rate[2]),
        torch.full_like(rate[2], polarity),
        torch.zeros_like(rate[2]),
        strength[2],
        strength[0],
        signed[0],
        strength[1],
        signed[1],
        signed[0] - signed[1],
    ]
    return torch.cat([rates, torch.stack(rest, -1)], -1)


def binary_entropy(p: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """-p log p - (1 - p) log(1 - p) in nats, 0 at both ends."""
    q = 1 - p
    return -p * p.clamp_min(_TINY).log() - q * q.clamp_min(_TINY).log()  # xlogy has no ONNX operator
