"""FiLM: each clause slot sees the literals through its own scale and shift."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class FiLM(nn.Module):
    """h_kj = gamma_k * h_j + beta_k, eq. (film), with one gamma and beta for each slot.

    The tensor of slots x literals x width is T times the literals' own, and nothing needs it whole:
    a slot only takes inner products with its view and means of it. Both are linear in h, so
    they are computed from the shared h, and :meth:`forward` is the plain form they are tested against.
    """

    def __init__(self, slots: int, width: int, generator: torch.Generator | None) -> None:
        super().__init__()
        gamma = torch.empty(slots, width).normal_(1.0, 0.5, generator=generator)
        beta = nn.init.orthogonal_(torch.empty(slots, width), generator=generator)
        self.gamma = nn.Parameter(gamma)
        self.beta = nn.Parameter(beta)

    def forward(self, h: Float[Tensor, "B L D"]) -> Float[Tensor, "B T L D"]:
        """Every slot's view of every literal."""
        return self.gamma[:, None] * h[:, None] + self.beta[:, None]

    def inner(self, u: Float[Tensor, "B T A D"], h: Float[Tensor, "B L D"]) -> Float[Tensor, "B T A L"]:
        """<u_ka, h_kj> for A vectors of each slot, less the part that is the same for all literals.

        That part, <u_ka, beta_k>, is :meth:`offset`; a softmax over literals does not see it.
        """
        B, T, A, D = u.shape
        scaled = (u * self.gamma[:, None]).reshape(B, T * A, D)
        return (scaled @ h.mT).reshape(B, T, A, -1)

    def offset(self, u: Float[Tensor, "B T A D"]) -> Float[Tensor, "B T A 1"]:
        """<u_ka, beta_k>, the part of the inner product that all literals share."""
        return (u * self.beta[:, None]).sum(-1, keepdim=True)

    def mean(self, weights: Float[Tensor, "B T A L"], h: Float[Tensor, "B L D"]) -> Float[Tensor, "B T A D"]:
        """sum_j weights_kaj h_kj, for weights that sum to one over the literals."""
        B, T, A, _ = weights.shape
        mixed = (weights.flatten(1, 2) @ h).reshape(B, T, A, -1)
        return self.gamma[:, None] * mixed + self.beta[:, None]
