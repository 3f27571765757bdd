"""Upload: a dropped file, or the initial file of the command line, becomes a table or a sentence why not."""

import io
import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath

from nri.engine.files import Files, files_of
from nri.engine.some_rows import SomeRows, some_rows
from nri.errors import InputError
from nri.serve.profile import ColumnProfile, profile_columns
from nri.table.budget import Budget, in_words
from nri.table.excel import SheetChoice
from nri.table.files import missing_file, open_source
from nri.table.source import Source
from nri.table.table import Table

MAX_BYTES = 50 * 2**20
"""Most bytes of a file as it is sent."""

BUDGET = Budget(
    bytes=MAX_BYTES,
    unpacked=4 * MAX_BYTES,
    cells=50_000_000,
    memory=2**30,
    remedy="drop a part of its rows or columns, or start nri serve with its name, which takes some rows",
)
"""What a dropped file may take, whatever its format and however it is packed."""

TOO_LARGE = f"the file is larger than {in_words(MAX_BYTES)}, the most this page takes; {BUDGET.remedy}"

_MIN_ROWS = 1000
"""A table of which not even so many rows fit is too wide for the page."""


@dataclass(frozen=True, eq=False)
class Upload:
    """A table that was dropped on the page."""

    name: str
    source: Source
    """the cells as they came"""
    table: Table
    """what they mean; no target is chosen yet"""
    columns: tuple[ColumnProfile, ...]
    notes: tuple[str, ...]
    """warnings of the reader, e.g. about an unusual encoding"""


def read_upload(name: str, content: bytes, choice: SheetChoice | None = None) -> Upload:
    """Read a dropped file; only the last part of its name is used, to recognise the format.

    Raises :class:`InputError` if it is empty, too large, or holds no table.
    """
    name = _plain_name(name)
    if len(content) > MAX_BYTES:
        raise InputError(TOO_LARGE)
    if not content:
        raise InputError(f"{name} is empty; drop a file with a header line and rows")
    file = io.BytesIO(content)
    file.name = name
    with collected_notes() as notes:
        source = open_source(file, choice=choice, budget=BUDGET)
        table = source.table()
    return Upload(name, source, table, profile_columns(table), tuple(_on_page(note, name) for note in notes))


def _on_page(note: str, name: str) -> str:
    """Return a note without the file's name, which stands above it, and without options of a command line.

    >>> _on_page("a.xlsx, sheet 'B': the header is row 5 (--header ROW)", "a.xlsx")
    'The header is row 5'
    """
    plain = re.sub(rf"^{re.escape(name)}(?:, sheet '[^']*')?: ", "", re.sub(r" \(--[^)]*\)$", "", note))
    return plain if plain == note else plain[:1].upper() + plain[1:]


@contextmanager
def collected_notes() -> Iterator[list[str]]:
    """Collect what the library logs in this thread as warnings, to be shown on the page."""
    notes: list[str] = []
    thread = threading.get_ident()

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.thread == thread:
                notes.append(record.getMessage())

    collector = Collector(logging.WARNING)
    logger = logging.getLogger("nri")
    logger.addHandler(collector)
    try:
        yield notes
    finally:
        logger.removeHandler(collector)


def _plain_name(name: str) -> str:
    """Return the last part of a path, on one line and not too long to be read."""
    last = PurePath(name.replace("\\", "/")).name
    shown = "".join(c if c.isprintable() else " " for c in last).strip()
    return shown[-120:] or "the file"


@dataclass(frozen=True)
class InitialFile:
    """The file that the page begins with."""

    name: str
    """stands above the table, so it also says how many rows were taken"""
    content: bytes
    target: str | None = None
    """the column to explain, None to let the page ask for it"""


def initial_file(file: str, sample: int) -> InitialFile:
    """Return the file of a path or pattern, or about ``sample`` rows of one that is too large."""
    files = files_of(file)
    if files is not None and (files.is_large or files.size > MAX_BYTES):
        return _sampled(files, sample)
    path = Path(file)
    if not path.is_file():
        raise missing_file(path)
    if path.stat().st_size > MAX_BYTES:
        raise InputError(TOO_LARGE)
    return InitialFile(path.name, path.read_bytes())


def _sampled(files: Files, sample: int) -> InitialFile:
    """Take some rows, fewer where so many would be too large."""
    while True:
        taken = some_rows(files, sample)
        content = _written(taken, parquet=files.parquet)
        if len(content) <= MAX_BYTES:
            break
        if sample <= _MIN_ROWS:
            raise InputError(TOO_LARGE)
        sample = max(_MIN_ROWS, sample * MAX_BYTES // (2 * len(content)))
    whole = files.paths[0].name if not files.many else f"{len(files.paths)} files"
    name = f"{len(taken.source)} of {taken.n_rows} rows of {whole}".removesuffix(".gz")
    ending = ".parquet" if files.parquet else ".csv"
    return InitialFile(name if name.endswith(ending) else name + ending, content)


def _written(taken: SomeRows, *, parquet: bool) -> bytes:
    file = io.BytesIO()
    write = taken.source.frame.to_parquet if parquet else taken.source.frame.to_csv
    write(file, index=False)
    return file.getvalue()
