"""Programs that some tests drive and that pip cannot install."""

import glob
import os
import shutil
from collections.abc import Sequence

import pytest


def browser() -> str:
    """Return where Chromium is."""
    return _required(("chromium", "chromium-browser"), "chromium", "NRI_NEED_BROWSER")


def prolog() -> str:
    """Return where SWI-Prolog is."""
    return _required(("swipl",), "swi-prolog-nox", "NRI_NEED_PROLOG")


def postgres(program: str) -> str:
    """Return where a program of PostgreSQL's server is; Debian keeps them out of the way."""
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
    return _required((program,), "postgresql", "NRI_NEED_POSTGRES", folders)


def mariadb(program: str) -> str:
    """Return where a program of MariaDB's server is."""
    return _required((program,), "mariadb-server", "NRI_NEED_MARIADB", ["/usr/sbin"])


def java() -> str:
    """Return where Java is, which Spark runs on."""
    return _required(("java",), "openjdk-17-jre-headless", "NRI_NEED_SPARK")


def _required(names: tuple[str, ...], package: str, needed: str, folders: Sequence[str] = ()) -> str:
    """Return where a program is; without it skip the test, or fail it where that variable is set.

    It is looked for on the path, then in these folders.
    """
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *folders])
    found = next(filter(None, (shutil.which(name, path=path) for name in names)), None)
    if found is not None:
        return found
    message = f"no {names[0]} on this machine: apt-get install {package}"
    if os.environ.get(needed):
        pytest.fail(message)
    pytest.skip(message)
