"""Losses on what the rule says about the rows."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from nri.model.batch import EpisodeBatch
from nri.train.paper_losses.reduce import row_mean

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


def kept_slots(
    like: Float[Tensor, "B T"], rate: float, min_kept: int, generator: torch.Generator | None
) -> Bool[Tensor, "B T"]:
    """Clause dropout: which slots take part in this step, each episode on its own.

    Each slot sits out with the given chance, except that the ``min_kept`` luckiest always stay.
    """
    luck = torch.rand(like.shape, generator=generator, device=like.device)
    last_kept = luck.topk(min(min_kept, luck.shape[-1]), -1).values[..., -1:] if min_kept else 1.0
    return (luck >= rate) | (luck >= last_kept)
