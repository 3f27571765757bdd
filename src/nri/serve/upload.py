"""Upload: the bytes of a dropped file become a table, or a sentence that says why they do not."""

import io
import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath

from nri.errors import InputError
from nri.serve.profile import ColumnProfile, profile_columns
from nri.table.excel import SheetChoice
from nri.table.files import open_source
from nri.table.readers import Budget, in_words
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


@dataclass(frozen=True, eq=False)
class Upload:
    """A table that somebody dropped on the page."""

    name: str
    source: Source
    """the cells as they came"""
    table: Table
    """what they mean; no target is chosen yet"""
    columns: tuple[ColumnProfile, ...]
    notes: tuple[str, ...]
    """what the reader had to say, e.g. about an unusual encoding"""


def read_upload(name: str, content: bytes, choice: SheetChoice | None = None) -> Upload:
    """Read a dropped file.

    Parameters
    ----------
    name
        What the browser says the file is called; only its last part is used, to tell the format.
    content
        All of its bytes.
    choice
        Of a workbook, which sheet is wanted and where its header is.

    Raises
    ------
    InputError
        If it is empty, too large, or holds no table.
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
