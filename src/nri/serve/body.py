"""Bodies of requests, read no further than they may go."""

import json
from typing import Any

from starlette.requests import Request

from nri.errors import InputError
from nri.serve.upload import MAX_BYTES, TOO_LARGE

MAX_JSON = 1024 * 1024
"""Most bytes of a question or an edited rule."""


class TooLargeError(InputError):
    """A body has more bytes than may be sent."""


async def read_file(request: Request) -> bytes:
    """Read an uploaded file; what announces itself as too large is not read at all."""
    return await _read(request, MAX_BYTES, TOO_LARGE)


async def read_json(request: Request) -> Any:
    """Read a JSON body."""
    content = await _read(request, MAX_JSON, "the page sent more than a rule can be; reload the page")
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise InputError("the page sent something that is no JSON; reload the page") from None


async def _read(request: Request, most: int, message: str) -> bytes:
    announced = request.headers.get("content-length", "0")
    if announced.isdigit() and int(announced) > most:
        raise TooLargeError(message)
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > most:
            raise TooLargeError(message)
    return bytes(content)
