"""What a user allows a rule to be."""

from dataclasses import dataclass

import numpy as np

from nri.arrays import BoolArray, IntArray
from nri.errors import InputError


@dataclass(frozen=True, eq=False)
class Limits:
    """Bounds that every proposed clause and every chosen rule keeps."""

    max_clauses: int = 8  # Most clauses in the rule of one class.
    max_branches: int | None = None  # Most branches of the whole rule; about two a class if None.
    max_literals: int = 6  # Most literals in one clause.
    allowed: BoolArray | None = None  # [2N], which literals may be used at all.
    min_precision: float = 0.0  # Least share of its class among the rows that a clause covers.
    required: tuple[BoolArray, ...] = ()
    """[2N] each; every clause has at least one literal of each of these sets (columns to speak about)."""
    counts: str = "never"
    """Whether clauses ask for some of their literals only: where that is worth it (``auto``), or ``only``."""
    columns: IntArray | None = None
    """[N], equal for variables of one column; a counting clause has one member of a column at most."""
    among: int = 0  # Literals before some were chosen by their information; 0 if all are there.
    positive: int | None = None  # Of two classes the one the rule must be about; None to leave it open.

    def __post_init__(self) -> None:
        if not 0.0 <= self.min_precision <= 1.0:
            raise InputError(
                f"min_precision is {self.min_precision}, but it is a share of rows: use a number from 0 to 1"
            )
        if len(self.required) > self.max_literals:
            raise InputError(
                f"max_literals is {self.max_literals}, but every clause must speak about "
                f"{len(self.required)} columns: use {len(self.required)} or more, or require fewer columns"
            )

    def branches(self, n_classes: int) -> int:
        """Return the most branches of a list for several classes.

        >>> [Limits().branches(n) for n in (3, 5, 10)]
        [6, 10, 13]
        """
        usual = min(2 * n_classes, max(10, n_classes + 3))
        return min(self.max_branches or usual, n_classes * self.max_clauses)

    def n_priced(self, n_variables: int) -> int:
        """Return how many literals one is a choice among."""
        return max(self.among, int(self.literal_mask(n_variables).sum()))

    def literal_mask(self, n_variables: int) -> BoolArray:
        """[2N], where a literal may be used."""
        return np.ones(2 * n_variables, dtype=bool) if self.allowed is None else self.allowed
