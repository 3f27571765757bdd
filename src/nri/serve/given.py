"""Given: a file that was named on the command line, or some rows of it where the page cannot take it all."""

import io
from dataclasses import dataclass
from pathlib import Path

from nri.engine.files import Files, files_of
from nri.engine.some_rows import SomeRows, some_rows
from nri.errors import InputError
from nri.serve.upload import MAX_BYTES, TOO_LARGE
from nri.table.files import missing_file

_LEAST = 1000
"""A table of which not even so many rows fit is too wide for the page."""


@dataclass(frozen=True)
class Given:
    """What the page begins with."""

    name: str
    """stands above the table, so it also says how many rows were taken"""
    content: bytes


def given_file(file: str, sample: int) -> Given:
    """Return a file as the page takes it.

    Parameters
    ----------
    file
        A path, or a pattern that stands for several files of one table.
    sample
        About how many rows are taken of a table that is too large for the page.
    """
    files = files_of(file)
    if files is not None and (files.is_large or files.size > MAX_BYTES):
        return _some(files, sample)
    path = Path(file)
    if not path.is_file():
        raise missing_file(path)
    if path.stat().st_size > MAX_BYTES:
        raise InputError(TOO_LARGE)
    return Given(path.name, path.read_bytes())


def _some(files: Files, sample: int) -> Given:
    """Take some rows, fewer where so many would be too large."""
    while True:
        taken = some_rows(files, sample)
        content = _written(taken, parquet=files.parquet)
        if len(content) <= MAX_BYTES:
            break
        if sample <= _LEAST:
            raise InputError(TOO_LARGE)
        sample = max(_LEAST, sample * MAX_BYTES // (2 * len(content)))
    whole = files.paths[0].name if not files.many else f"{len(files.paths)} files"
    name = f"{len(taken.source)} of {taken.n_rows} rows of {whole}".removesuffix(".gz")
    ending = ".parquet" if files.parquet else ".csv"
    return Given(name if name.endswith(ending) else name + ending, content)


def _written(taken: SomeRows, *, parquet: bool) -> bytes:
    kept = io.BytesIO()
    if parquet:
        taken.source.frame.to_parquet(kept, index=False)
    else:
        taken.source.frame.to_csv(kept, index=False)
    return kept.getvalue()
