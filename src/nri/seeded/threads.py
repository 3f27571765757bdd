"""Threads: sums in one order, so that digits do not depend on how many threads a machine has."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@cache
def _libraries() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401  # it has linear algebra of its own, found only once it is loaded

    return ThreadpoolController()  # looking for them takes milliseconds, so it is done once


def one_thread() -> AbstractContextManager[Any]:
    """Let linear algebra work in one thread while this holds."""
    limits: AbstractContextManager[Any] = _libraries().limit(limits=1, user_api="blas")
    return limits
