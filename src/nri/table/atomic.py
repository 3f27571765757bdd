"""Atomic: a file is written whole or not at all."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from nri.errors import InputError


@contextmanager
def atomic_file(path: str | Path, *, binary: bool = False) -> Iterator[IO[Any]]:
    """Open a file for writing that takes its place only when all was written.

    The content goes to a temporary file in the same folder, which replaces the old file at the end; if
    anything fails before, the old file stays as it was. A device or pipe is written to directly.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(Path(folder) / "rule.txt") as file:
    ...         _ = file.write("fever AND cough")
    ...     (Path(folder) / "rule.txt").read_text()
    'fever AND cough'
    """
    target = Path(path).resolve()  # a link stays a link: what it points to is replaced
    if os.path.isdir(target):
        raise InputError(f"{path} is a folder; name a file to write to")
    if not os.path.isdir(target.parent):
        raise InputError(f"there is no folder {target.parent} to write {target.name} to; make it first")
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}.tmp")
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            with _opened(target, binary) as file:
                yield file
            return
        with _opened(temporary, binary) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
        _settle(target.parent)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written ({error.strerror or error}); check its name, permissions and the disk"
        ) from None
    finally:  # there is none left after success; after Ctrl-C there may be
        temporary.unlink(missing_ok=True)


def _settle(folder: Path) -> None:
    """See to it that the new name outlasts a power cut, where folders can be asked for that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _opened(place: Path, binary: bool) -> IO[Any]:
    return place.open("wb") if binary else place.open("w", encoding="utf-8", newline="")
