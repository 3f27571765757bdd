"""From a synthetic batch to what the seeded network reads, and what it should have answered."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from nri.seeded.experts import consult
from nri.seeded.sample import signed_cells
from nri.synth.tables import SyntheticBatch


@dataclass(frozen=True, eq=False)
class SeededInputs:
    """A table as it is seen from S seeds. Cells are -1, +1, or 0 where unknown."""

    rows: Float[Tensor, "B M N"]
    """The support rows"""
    labels: Float[Tensor, "B M"]
    """0 or 1"""
    weights: Float[Tensor, "B M"]
    """How many rows each support row stands for"""
    seeds: Float[Tensor, "B S N"]
    """The rows asked about"""
    apart: Float[Tensor, "B S M"]
    """How much each support row counts for each seed: its weight, one less where it is the seed itself"""
    row_opinions: Float[Tensor, "B M E"]
    """What each expert says of a support row without having seen it"""
    seed_opinions: Float[Tensor, "B S E"]
    seed_parts: Float[Tensor, "B S N"]
    """What each cell of a seed adds to the firm linear expert's opinion on it"""


@dataclass(frozen=True, eq=False)
class SeededOutputs:
    """What the network says of each seed, after every round (the last one counts)."""

    posterior: Float[Tensor, "R B S"]
    """Log-odds that the seed is positive"""
    reason: Float[Tensor, "R B S N"]
    """Log-odds that the seed's value at a variable is part of the clause that covers it"""
    precision: Float[Tensor, "R B S"]
    """Log-odds that an unseen row which the reason covers is positive"""


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
        seed_opinions=torch.from_numpy(np.stack([o.query for o in opinions])),
        seed_parts=torch.from_numpy(np.stack([o.query_parts for o in opinions])),
    )
    both = batch.labels.any(axis=1) & ~batch.labels.all(axis=1)
    targets = SeededTargets(
        truth=torch.from_numpy(batch.truth[:, M:].copy()),
        usable=torch.from_numpy(both.astype(np.float32))[:, None],
        clauses=None if batch.clauses is None else torch.from_numpy(batch.clauses),
    )
    return inputs, targets
