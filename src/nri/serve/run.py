"""Run: listen on loopback and open the page."""

import contextlib
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp

from nri.errors import InputError
from nri.induce import models
from nri.serve.app import create_app
from nri.serve.given import Given
from nri.serve.patience import Patience, patient

LOOPBACK = "127.0.0.1"
"""The only address that is ever listened on: nobody else on the network can reach it."""
_SWITCH_SECONDS = 0.001
"""Threads that compute let others go on after so long: a small request should not wait for a search."""
PORT = 8674
"""Tried first; any free one else."""


def listen(port: int | None = None) -> socket.socket:
    """Return a listening socket on loopback; the usual port if it is free, else any free one.

    Parameters
    ----------
    port
        The only port to try; None for the usual one or any.
    """
    wanted = [port] if port is not None else [PORT, 0]
    for number in wanted:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if os.name == "posix":  # elsewhere it would let another program take the port over
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((LOOPBACK, number))
        except (OSError, OverflowError):
            listener.close()
            continue
        listener.listen()
        return listener
    raise InputError(f"port {port} is taken or not allowed; choose another one with --port, or leave it out")


def configured(app: ASGIApp, patience: Patience | None = None) -> uvicorn.Config:
    """Return how the application is served: quietly, and with an end to every wait."""
    return uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        http=patient(patience or Patience()),
        ws="none",
        timeout_graceful_shutdown=2,
        lifespan="on",
    )


def serve(
    port: int | None = None,
    *,
    model: str = DEFAULT_MODEL,
    browser: bool = True,
    given: Given | None = None,
    tell: Callable[[str], None],
) -> None:
    """Serve the page until interrupted.

    Parameters
    ----------
    port
        Where to listen; see :func:`listen`.
    model
        What finds the rules; it is loaded at once, so that the first visitor does not wait for it.
    browser
        Whether to open the page in the default browser.
    given
        A table to begin with.
    tell
        Called with the address once it is known.
    """
    models.get_inducer(model)
    listener = listen(port)
    number = listener.getsockname()[1]
    address = f"http://{LOOPBACK}:{number}/"
    config = configured(create_app(number, model=model, given=given))
    tell(f"The page is at {address} (only this machine can reach it; Ctrl-C ends it)")
    if browser:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    sys.setswitchinterval(_SWITCH_SECONDS)
    with contextlib.closing(listener):
        uvicorn.Server(config).run(sockets=[listener])
