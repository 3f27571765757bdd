"""The arrays that travel through the package, and arithmetic that gives the same digits everywhere."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any

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


def class_bits(counts: FloatArray) -> FloatArray:
    """[...]: entropy in bits of class counts [..., C], times their sums."""
    return np.asarray(_x_log_x(counts.sum(axis=-1)) - _x_log_x(counts).sum(axis=-1))


def _x_log_x(x: FloatArray) -> FloatArray:
    return np.asarray(x * np.log2(np.where(x > 0, x, 1.0)))


def rounded(beliefs: NDArray[Any]) -> FloatArray:
    """Round beliefs to three digits for a search: processors differ in the seventh digit."""
    return np.asarray(np.round(beliefs, 3), dtype=np.float64)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let linear algebra work in one thread while this holds; also a decorator.

    Digits then do not depend on the number of threads. Many small products are also faster in one thread.
    """
    # SciPy has linear algebra of its own, which is found only if it was loaded before
    libraries = _libraries("scipy.linalg" in sys.modules)
    with nullcontext() if libraries is None else libraries.limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries(with_scipy: bool) -> Any:
    try:
        from threadpoolctl import ThreadpoolController
    except ModuleNotFoundError:  # as in a browser, which has one thread
        return None
    return ThreadpoolController()  # looking for them takes milliseconds, so it is done once
