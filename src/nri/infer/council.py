"""The council: opinions on the same rows, blended by how near each came to the labels without seeing them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.optimize import nnls

PULL_TO_EQUAL = 1.0
"""Ridge that draws the blend to equal shares, in squared errors; 0.3 to 3 do equally well."""


def council_shares(
    left_out: NDArray[Any], target: NDArray[Any], weights: NDArray[Any]
) -> NDArray[np.float32]:
    """[E]: shares, none negative, by which the opinions together come closest to the target.

    Parameters
    ----------
    left_out
        [M, E], the opinion of each member on each row, formed without that row.
    target, weights
        [M], what the opinions should have been, and how much each row counts.
    """
    n = left_out.shape[1]
    weighted = left_out * weights[:, None]
    system = (weighted.T @ left_out).astype(np.float64) + PULL_TO_EQUAL * np.eye(n)
    aim = (weighted.T @ target).astype(np.float64) + PULL_TO_EQUAL / n
    factor = np.linalg.cholesky(system)
    shares, _ = nnls(factor.T, solve_triangular(factor, aim, lower=True))
    return np.asarray(shares, dtype=np.float32)
