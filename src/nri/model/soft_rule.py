"""A soft rule: what every network here proposes, before it becomes symbols."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True, eq=False)
class SoftRule:
    """T clause slots over L = 2N literals, every choice a number in [0, 1].

    Literal ``j < N`` is variable ``j``, literal ``j >= N`` the negation of variable ``j - N``.
    """

    z: Float[Tensor, "*batch T L"]
    """Literal gates: how much slot t asks for literal j."""
    w: Float[Tensor, "*batch T"]
    """Clause gates: how much slot t takes part in the rule."""
