"""Example keys: each row of the table as a vector of its label and its literal values."""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from nri.paper.torch.batch import EpisodeBatch
from nri.paper.torch.layers import linear


class ExampleKeys(nn.Module):
    """e_m = MLP_y([y, 1 - y, observed]) + MLP_x(literal values), eq. (example_key).

    MLP_x has one weight for each variable *position* and polarity, so these keys, unlike the
    statistics, depend on the order of columns: permuting the columns of a table changes them. That
    is the paper's design; it holds the influence down by a narrow bottleneck.
    """

    def __init__(
        self,
        width: int,
        n_train: int,
        bottleneck: int,
        extension_seed: int,
        extension_scale: float,
        generator: torch.Generator | None,
    ) -> None:
        super().__init__()
        self.n_train = n_train
        self.extension_seed = extension_seed
        self.extension_scale = extension_scale
        bound = 1 / math.sqrt(2 * n_train)
        self.from_label = nn.Sequential(
            linear(3, width, generator), nn.ReLU(), linear(width, width, generator)
        )
        columns = torch.empty(2, bottleneck, n_train)
        self.columns = nn.Parameter(columns.uniform_(-bound, bound, generator=generator))
        """[polarity, unit, variable]: the first layer of MLP_x, one block for each polarity, so that a
        variable meets the same weights however many columns stand beside it."""
        self.bias = nn.Parameter(torch.zeros(bottleneck))
        self.from_values = linear(bottleneck, width, generator)

    def forward(self, batch: EpisodeBatch) -> Float[Tensor, "B M D"]:
        """Key of each row; padding rows get one too, to be masked by the reader."""
        trained, seeded = self._columns(batch.values.shape[-1])
        values = batch.literals * batch.literal_valid.unsqueeze(-2)
        # a table's own width, not that of the batch: padding changes nothing
        size = (2 * batch.variable_valid.sum(-1)).to(values.dtype).clamp_min(1).rsqrt()
        added = nn.functional.linear(values, seeded) * size[:, None, None]
        hidden = (nn.functional.linear(values, trained, self.bias) + added).relu()
        return self._label_keys(batch.labels) + self.from_values(hidden)

    def _label_keys(self, labels: Float[Tensor, "B M"]) -> Float[Tensor, "B M D"]:
        """MLP_y at its only two inputs, a positive and a negative row, handed out to the rows."""
        positive, negative = self.from_label(labels.new_tensor([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0]]))
        return torch.stack([labels, 1 - labels], -1) @ torch.stack([positive, negative])

    def adapted_columns(self, n_variables: int) -> Float[Tensor, "U L"]:
        """First-layer weights of MLP_x for a table of N variables, computed afresh and kept nowhere.

        Below the trained number the input would be padded with zeros, which is the same as leaving
        out the last columns; above it, seeded columns follow. These have the size of those of a fresh layer
        of 2N inputs, 1 / sqrt(2N), so that what they add up to does not grow with their number.
        """
        trained, seeded = self._columns(n_variables)
        return trained + seeded / math.sqrt(2 * n_variables)

    def _columns(self, n_variables: int) -> tuple[Float[Tensor, "U L"], Float[Tensor, "U L"]]:
        """Trained columns, and seeded ones in [-1, 1) where there is none trained; each zero at the other's.

        Both are the first N of the trained columns and N seeded ones: no branch on N, so that one exported
        graph serves every table.
        """
        first, last = 2 * self.n_train, 2 * (self.n_train + n_variables)
        drawn = seeded_columns(self.extension_seed, first, last, self.columns.shape[1], self.columns.device)
        drawn = drawn.to(self.columns.dtype) * self.extension_scale
        halves = [(trained, drawn[:, polarity::2]) for polarity, trained in enumerate(self.columns)]
        known = [torch.cat([old, torch.zeros_like(new)], -1)[:, :n_variables] for old, new in halves]
        added = [torch.cat([torch.zeros_like(old), new], -1)[:, :n_variables] for old, new in halves]
        return torch.cat(known, -1), torch.cat(added, -1)


_PRIME = 2**31 - 1
"""Products of two residues stay below 2^62, inside int64."""

_ROUNDS = (1_103_515_245, 747_796_405, 1_664_525_001)


def seeded_columns(
    seed: int, first: int, last: int, n_units: int, device: torch.device | None = None
) -> Float[Tensor, "U C"]:
    """Weights in [-1, 1) of columns ``first .. last-1`` for each unit.

    >>> wide = seeded_columns(0, 15, 40, 8)
    >>> bool((wide[:, 5:10] == seeded_columns(0, 20, 25, 8)).all())
    True
    """
    column = torch.arange(first, last, device=device)
    unit = torch.arange(n_units, device=device)
    state = (column * 2_654_435 + unit.unsqueeze(-1) * 40_503 + seed * 97 + 1) % _PRIME
    for constant in _ROUNDS:
        state = (state * (state + constant) + constant) % _PRIME  # not linear, so columns decorrelate
    return state.to(torch.float32) / (_PRIME / 2) - 1
