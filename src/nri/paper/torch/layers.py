"""Small layers with seeded initialisation: randomness comes from a generator that is passed in."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn


def linear(n_in: int, n_out: int, generator: torch.Generator | None, bias: bool = True) -> nn.Linear:
    """Return a linear layer initialised uniformly in +-1/sqrt(n_in), torch's usual scale."""
    layer = nn.Linear(n_in, n_out, bias=bias, device="meta").to_empty(device="cpu")  # draws nothing
    bound = 1 / math.sqrt(n_in)
    nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
    if bias:
        nn.init.uniform_(layer.bias, -bound, bound, generator=generator)
    return layer


class MultiHeadAttention(nn.Module):
    """Scaled dot-product attention of queries over a set of items, with several heads.

    ``dropout`` is the chance that an item is overlooked in training.
    """

    def __init__(
        self, width: int, heads: int, generator: torch.Generator | None, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.heads = heads
        self.dropout = dropout
        self.query = linear(width, width, generator)
        self.key_value = linear(width, 2 * width, generator)
        self.out = linear(width, width, generator)

    def forward(
        self,
        queries: Float[Tensor, "B Q D"],
        items: Float[Tensor, "B I D"],
        item_valid: Bool[Tensor, "B I"] | None = None,
    ) -> Float[Tensor, "B Q D"]:
        """Mix the valid items for each query."""
        q = self._split(self.query(queries))
        k, v = (self._split(part) for part in self.key_value(items).chunk(2, -1))
        mask = None if item_valid is None else item_valid[:, None, None, :]
        overlooked = self.dropout if self.training else 0.0
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=overlooked)
        return self.out(mixed.transpose(1, 2).flatten(2))

    def _split(self, x: Float[Tensor, "B I D"]) -> Float[Tensor, "B A I E"]:
        return x.reshape(*x.shape[:2], self.heads, -1).transpose(1, 2)
