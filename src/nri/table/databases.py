"""Databases in a file: known by their first bytes, and asked for by a URL."""

import os
from pathlib import Path

from nri.errors import InputError

NAMES = {"sqlite": "an SQLite database", "duckdb": "a DuckDB database"}
"""What databases in a file are called, by the scheme of their URL."""
_MARKS = {"sqlite": (0, b"SQLite format 3\0"), "duckdb": (8, b"DUCK")}
"""Where in a file which bytes say what it is."""


def database_in(path: Path) -> str | None:
    """Return the scheme of the database that a file is; None if it is something else, or not there."""
    try:
        if not path.is_file():  # what a pipe says can be read once only
            return None
        with path.open("rb") as file:
            return database_of(file.read(16))
    except (OSError, ValueError):
        return None  # whoever reads it says what is wrong with it


def database_of(start: bytes) -> str | None:
    """Return the scheme of the database that a file is, by its first bytes; None if it is something else.

    >>> database_of(b"SQLite format 3" + bytes(1)), database_of(b"age,flu")
    ('sqlite', None)
    """
    return next((scheme for scheme, (at, mark) in _MARKS.items() if start[at:].startswith(mark)), None)


def url_of(scheme: str, path: Path) -> str:
    """Return the URL of a database in a file.

    >>> url_of("sqlite", Path("/data/shop.sqlite"))
    'sqlite:///data/shop.sqlite'
    """
    return f"{scheme}:///{path.absolute().as_posix().lstrip('/')}"


def without_password(url: str) -> str:
    """Return a URL as it may be shown.

    >>> without_password("postgres://me:secret@host/shop")
    'postgres://host/shop'
    """
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"


def refuse_database(path: Path) -> None:
    """Refuse a file that is a database, where a table is read."""
    scheme = database_in(path)
    if scheme is not None:
        raise InputError(
            f"{path} is {NAMES[scheme]}, not one table; give nri induce its URL, "
            f"{url_of(scheme, path)} --table NAME, or export the table as CSV"
        )


def refuse_url(source: str) -> None:
    """Refuse the URL of a database, or of a web page, where a file is read."""
    if "://" in source and not os.path.exists(source):
        raise InputError(
            f"{without_password(source)} is a URL, not a file; export or download the table and give that"
        )
