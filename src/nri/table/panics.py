"""Panics of readers that are not written in Python: one is an error of ours, and says nothing of its own.

Where such a reader meets what it did not expect, it writes a page about it to standard error, past Python,
and raises a ``PanicException``, which is no ``Exception``.
"""

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_STDERR = 2
_BEGIN = b"\nthread '"
"""How the page begins."""
_ALONE = threading.Lock()
"""Standard error belongs to the whole process: one at a time may hold it."""


def is_panic(error: BaseException) -> bool:
    """Whether a foreign reader panicked; Ctrl-C and the end of the process are none of it.

    >>> is_panic(KeyboardInterrupt())
    False
    """
    return type(error).__name__ == "PanicException"


@contextmanager
def panics_unheard() -> Iterator[None]:
    """Keep what a panic writes from standard error; what others write meanwhile comes after the block."""
    with _ALONE:
        try:
            before = os.dup(_STDERR)
        except OSError:  # it is closed, so there is nothing to keep clean
            yield
            return
        with tempfile.TemporaryFile() as held:
            os.dup2(held.fileno(), _STDERR)
            panicked = False
            try:
                yield
            except BaseException as error:
                panicked = is_panic(error)
                raise
            finally:
                os.dup2(before, _STDERR)
                os.close(before)
                held.seek(0)
                said = held.read()
                _say(said.partition(_BEGIN)[0] if panicked else said)


def _say(text: bytes) -> None:
    while text:
        text = text[os.write(_STDERR, text) :]
