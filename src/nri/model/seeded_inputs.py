"""What the seeded network reads, and what it answers."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor


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
