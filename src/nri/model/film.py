"""FiLM: each clause slot sees the literals through its own scale and shift."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class FiLM(nn.Module):
    """h_kj = gamma_k * h_j + beta_k, eq. (film), with one gamma and beta for each slot.

    The tensor of slots x literals x width is T times the literals' own, and nothing needs it whole:
    every reader of a slot's view is linear in it. So a reader's weights take gamma and beta in once,
    for all episodes (:meth:`seen_through`), and then read the shared h. :meth:`forward` is the plain
    form that this is tested against.
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

    def seen_through(
        self, weight: Float[Tensor, "*heads E D"]
    ) -> tuple[Float[Tensor, "T *heads E D"], Float[Tensor, "T *heads E"]]:
        """Weights and biases, one set for each slot, with weight_k h_j + bias_k = weight h_kj."""
        shape = (len(self.gamma), *(1,) * (weight.ndim - 1), -1)
        gamma, beta = self.gamma.reshape(shape), self.beta.reshape(shape)
        return weight * gamma, (weight * beta).sum(-1)
