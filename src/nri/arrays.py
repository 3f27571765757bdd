"""The arrays that travel through the whole package, by the names that signatures use."""

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Hashes = NDArray[np.uint64]


def mixed(numbers: Hashes) -> Hashes:
    """Scatter numbers over all 64 bits (the finisher of SplitMix64), so that sums of them do not collide."""
    spread = numbers + np.uint64(0x9E3779B97F4A7C15)
    spread = (spread ^ (spread >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    spread = (spread ^ (spread >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return spread ^ (spread >> np.uint64(31))
