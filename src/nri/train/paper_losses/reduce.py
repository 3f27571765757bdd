"""Means over the rows that count."""

from jaxtyping import Float
from torch import Tensor


def row_mean(values: Float[Tensor, "B M"], rows: Float[Tensor, "B M"]) -> Float[Tensor, ""]:
    """Mean over the rows marked by 1, of all episodes together; 0 if there is none."""
    return (values * rows).sum() / rows.sum().clamp_min(1)
