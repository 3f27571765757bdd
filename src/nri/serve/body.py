"""Body: what a request sends along, read no further than it may be."""

import contextlib
import json
import tempfile
from collections.abc import AsyncIterator
from typing import IO, Any

from starlette.requests import Request

from nri.errors import InputError
from nri.serve.lanes import BusyError
from nri.serve.upload import MAX_BYTES, TOO_LARGE

MOST_SENT = 2**30
"""Most bytes of files that are being sent or wait to be read."""
MAX_JSON = 1024 * 1024
"""Most bytes of a question or an edited rule."""


class TooLargeError(InputError):
    """A body has more bytes than may be sent."""


class Spool:
    """Files that are being sent or wait to be read, on disk, and what they may take there together.

    A file has no name: nobody else can open it, and it is gone with the server, however that ends.

    Parameters
    ----------
    most
        Most bytes of all of them.
    """

    def __init__(self, most: int = MOST_SENT) -> None:
        self._most = most
        self._used = 0

    @contextlib.asynccontextmanager
    async def received(self, request: Request) -> AsyncIterator[IO[bytes]]:
        """Put an uploaded file on disk as it comes; it is closed unless the ``with`` block ends well.

        What announces itself as too large is not read at all.
        """
        kept = tempfile.TemporaryFile(prefix="nri-")  # noqa: SIM115  # it is the visit's to close
        size = 0
        try:
            async for chunk in _chunks(request, MAX_BYTES, TOO_LARGE):
                if self._used + len(chunk) > self._most:
                    raise BusyError("busy: others are sending large files; try again in a minute")
                self._used += len(chunk)
                size += len(chunk)
                _write(kept, chunk)
            yield kept
        except BaseException:
            kept.close()
            raise
        finally:
            self._used -= size


def _write(kept: IO[bytes], chunk: bytes) -> None:
    try:
        kept.write(chunk)
        kept.flush()
    except OSError as error:
        raise TooLargeError(
            f"there is no room on disk for the file ({error.strerror}); make some, or set TMPDIR to a folder"
        ) from None


async def read_json(request: Request) -> Any:
    """Read a JSON body."""
    message = "the page sent more than a rule can be; reload the page"
    content = b"".join([chunk async for chunk in _chunks(request, MAX_JSON, message)])
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise InputError("the page sent something that is no JSON; reload the page") from None


async def _chunks(request: Request, most: int, message: str) -> AsyncIterator[bytes]:
    announced = request.headers.get("content-length", "0")
    if announced.isdigit() and int(announced) > most:
        raise TooLargeError(message)
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > most:
            raise TooLargeError(message)
        yield chunk
