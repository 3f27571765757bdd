"""From a synthetic batch to what the seeded network reads, and what it should have answered."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from nri.infer.experts import consult
from nri.infer.sample import signed_cells
from nri.model.seeded_inputs import SeededInputs
from nri.synth.record import SyntheticBatch


@dataclass(frozen=True, eq=False)
class SeededTargets:
    """The truth about the seeds, which are the query rows."""

    truth: Float[Tensor, "B S"]
    """Noise-free probability that the seed is positive"""
    usable: Float[Tensor, "B 1"]
    """0 for an episode whose support shows only one class: there is nothing to induce from"""
    clauses: Bool[Tensor, "B K L"] | None
    """The literals of the true clauses, if the target is a DNF"""


def seeded_batch(batch: SyntheticBatch) -> tuple[SeededInputs, SeededTargets]:
    """Seeds are the query rows; the experts are consulted here, once, without gradients."""
    M = batch.n_support
    signed = signed_cells(batch.values, batch.known)
    rows, seeds = signed[:, :M], signed[:, M:]
    opinions = [consult(r, s, y) for r, s, y in zip(rows, seeds, batch.labels, strict=True)]
    B, S = seeds.shape[:2]
    inputs = SeededInputs(
        rows=torch.from_numpy(rows.copy()),
        labels=torch.from_numpy(batch.labels.astype(np.float32)),
        weights=torch.ones(B, M),
        seeds=torch.from_numpy(seeds.copy()),
        apart=torch.ones(B, S, M),
        row_opinions=torch.from_numpy(np.stack([o.support for o in opinions])),
        seed_opinions=torch.from_numpy(np.stack([o.asked for o in opinions])),
        seed_parts=torch.from_numpy(np.stack([o.asked_parts for o in opinions])),
    )
    both = batch.labels.any(axis=1) & ~batch.labels.all(axis=1)
    targets = SeededTargets(
        truth=torch.from_numpy(batch.truth[:, M:].copy()),
        usable=torch.from_numpy(both.astype(np.float32))[:, None],
        clauses=None if batch.clauses is None else torch.from_numpy(batch.clauses),
    )
    return inputs, targets
