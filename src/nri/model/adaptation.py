"""Dynamic dimension adaptation: columns for variables beyond those the keys were trained with.

The paper initialises such columns "randomly". Here they are a pure function of (seed, column, unit),
so forward changes nothing, the same table always gives the same rule, and a column does not depend
on how many others there are. Integer arithmetic alone gives equal numbers on every device and in
every runtime, where the random generators of two runtimes would differ.
"""

import torch
from jaxtyping import Float
from torch import Tensor

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
