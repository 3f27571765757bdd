"""Threads: sums in one order, so that digits do not depend on how many threads a machine has.

The products of a search are many and small. Threads that share them wait for each other longer than they
work: beside other jobs two of them took five times the processor seconds of one.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from threadpoolctl import ThreadpoolController


@cache
def _libraries(with_scipy: bool) -> ThreadpoolController:
    return ThreadpoolController()  # looking for them takes milliseconds, so it is done once


@contextmanager
def one_thread() -> Iterator[None]:
    """Let linear algebra work in one thread while this holds; also a decorator.

    SciPy has linear algebra of its own, which is found only if it was loaded before.
    """
    with _libraries("scipy.linalg" in sys.modules).limit(limits=1, user_api="blas"):
        yield
