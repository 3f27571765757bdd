"""What a generator hands out: a batch of episodes of one shape, as plain arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class SyntheticBatch:
    """B episodes of the same M and N: the first M rows are the support, the others the query."""

    values: NDArray[np.bool_]
    """[B, M + Q, N]; False wherever unknown."""
    known: NDArray[np.bool_]
    """[B, M + Q, N]"""
    labels: NDArray[np.bool_]
    """[B, M], the support's labels as they are observed, noise included."""
    truth: NDArray[np.float32]
    """[B, M + Q], the noise-free probability that a row is positive."""
    clauses: NDArray[np.bool_] | None
    """[B, K, 2N], the literals of the true clauses; None where the target is no DNF."""

    @property
    def n_support(self) -> int:
        """M"""
        return int(self.labels.shape[1])
