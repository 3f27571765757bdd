"""Episodes as tensors: several tables of different size, padded to one shape, with masks.

Variable ``i`` of every table sits in column ``i``; its literals are ``i`` and ``i + N`` with N the
*padded* number of variables. Padding is marked in ``variable_valid``, never inferred from an index,
so a narrow table keeps all its negations in a wide batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from nri.arrays import BoolArray
from nri.episode import Episode
from nri.errors import InputError
from nri.paper.torch.tnorm import UNKNOWN


@dataclass(frozen=True, eq=False)
class EpisodeBatch:
    """B two-class tables of up to M rows and N boolean variables."""

    values: Float[Tensor, "B M N"]
    """0 or 1; 0 wherever not known."""
    known: Bool[Tensor, "B M N"]
    """False for unknown cells and for padding."""
    labels: Float[Tensor, "B M"]
    """0 or 1; 0 for padding rows."""
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
    def positives(self) -> Float[Tensor, "B M"]:
        """1 on the positive rows of each table."""
        return self.labels * self.row_valid

    @property
    def negatives(self) -> Float[Tensor, "B M"]:
        """1 on the negative rows of each table, 0 on padding."""
        return (1 - self.labels) * self.row_valid

    def __len__(self) -> int:
        return len(self.values)

    def to(self, device: torch.device | str) -> "EpisodeBatch":
        """Return the same batch on another device."""
        moved = {name: tensor.to(device, non_blocking=True) for name, tensor in vars(self).items()}
        return replace(self, **moved)


def literals(
    values: Float[Tensor, "*batch M N"], known: Bool[Tensor, "*batch M N"]
) -> Float[Tensor, "*batch M L"]:
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
    row_valid: BoolArray,
    variable_valid: BoolArray,
) -> EpisodeBatch:
    """Turn padded arrays of shapes [B, M, N] and [B, M] and [B, N] into tensors."""
    return EpisodeBatch(
        torch.from_numpy(values.astype(np.float32)),
        torch.from_numpy(known),
        torch.from_numpy(labels.astype(np.float32)),
        torch.from_numpy(row_valid),
        torch.from_numpy(variable_valid),
    )


def pad_episodes(
    episodes: Sequence[Episode], n_rows: int | None = None, n_variables: int | None = None
) -> EpisodeBatch:
    """Put two-class episodes side by side, padded to the largest of them (or further, if asked)."""
    if not episodes:
        raise InputError("no episode to put in a batch; give at least one")
    for index, episode in enumerate(episodes):
        if episode.labels.max(initial=0) > 1:
            raise InputError(
                f"episode {index} has {episode.n_classes} classes and a rule separates two; "
                "make one episode for each class against the rest"
            )
    M = max([n_rows or 0, *(episode.n_rows for episode in episodes)])
    N = max([n_variables or 0, *(episode.n_variables for episode in episodes)])
    B = len(episodes)
    values = np.zeros((B, M, N), bool)
    known = np.zeros((B, M, N), bool)
    labels = np.zeros((B, M), bool)
    row_valid = np.zeros((B, M), bool)
    variable_valid = np.zeros((B, N), bool)
    for index, episode in enumerate(episodes):
        rows, variables = slice(episode.n_rows), slice(episode.n_variables)
        values[index, rows, variables] = episode.values
        known[index, rows, variables] = episode.known
        labels[index, rows] = episode.labels
        row_valid[index, rows] = True
        variable_valid[index, variables] = True
    return batch_from_arrays(values, known, labels, row_valid, variable_valid)


def row_mean(values: Float[Tensor, "B M"], rows: Float[Tensor, "B M"]) -> Float[Tensor, ""]:
    """Mean over the rows marked by 1, of all episodes together; 0 if there is none."""
    return (values * rows).sum() / rows.sum().clamp_min(1)
