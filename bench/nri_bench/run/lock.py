"""One run at a time for each file of rows: two would do every job twice, and a rewrite could lose rows."""

import fcntl
import os
import socket
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from nri.errors import InputError


@contextmanager
def only_run(paths: Iterable[Path]) -> Iterator[None]:
    """Keep these files of rows for this process until the block is left.

    Beside each file a hidden ``.NAME.lock`` says who writes it. What counts is the kernel's lock on it,
    which ends with the process however that ends; a file left by a killed run holds nobody up.
    """
    with ExitStack() as stack:
        for path in sorted(set(paths)):
            stack.enter_context(_kept(path))
        yield


@contextmanager
def _kept(path: Path) -> Iterator[None]:
    lock = path.with_name(f".{path.name}.lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    handle = _take(lock, path)
    try:
        yield
    finally:
        lock.unlink(missing_ok=True)  # while it is still ours, so that nobody else's is removed
        os.close(handle)


def _take(lock: Path, path: Path) -> int:
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(handle, 200, 0).decode(errors="replace").strip() or "another process"
            os.close(handle)
            raise InputError(
                f"{path}: {holder} is writing it; wait until that run ends, or take another --out"
            ) from None
        if _is_still_there(handle, lock):
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
            return handle
        os.close(handle)  # the run before us removed it between our opening and our locking: once more


def _is_still_there(handle: int, lock: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), lock.stat())
    except FileNotFoundError:
        return False
