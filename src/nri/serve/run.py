"""Run: listen on loopback and open the page."""

import contextlib
import os
import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn

from nri.errors import InputError
from nri.induce import models
from nri.serve.app import create_app

LOOPBACK = "127.0.0.1"
"""The only address that is ever listened on: nobody else on the network can reach it."""
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


def serve(
    port: int | None = None,
    *,
    model: str = models.DEFAULT,
    browser: bool = True,
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
    tell
        Called with the address once it is known.
    """
    models.get_inducer(model)
    listener = listen(port)
    number = listener.getsockname()[1]
    address = f"http://{LOOPBACK}:{number}/"
    config = uvicorn.Config(
        create_app(number, model=model),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=2,
        lifespan="on",
    )
    tell(f"The page is at {address} (only this machine can reach it; Ctrl-C ends it)")
    if browser:
        threading.Timer(0.5, webbrowser.open, [address]).start()
    with contextlib.closing(listener):
        uvicorn.Server(config).run(sockets=[listener])
