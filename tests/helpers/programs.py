"""Programs that some tests drive and that pip cannot install."""

import os
import shutil

import pytest


def browser() -> str:
    """Return where Chromium is."""
    return _required(("chromium", "chromium-browser"), "chromium", "NRI_NEED_BROWSER")


def prolog() -> str:
    """Return where SWI-Prolog is."""
    return _required(("swipl",), "swi-prolog-nox", "NRI_NEED_PROLOG")


def _required(names: tuple[str, ...], package: str, needed: str) -> str:
    """Return where a program is; without it skip the test, or fail it where that variable is set."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is not None:
        return found
    message = f"no {names[0]} on this machine: apt-get install {package}"
    if os.environ.get(needed):
        pytest.fail(message)
    pytest.skip(message)
