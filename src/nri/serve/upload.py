"""Upload: the bytes of a dropped file become a table, or a sentence that says why they do not."""

import io
import logging
import threading
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePath

from nri.errors import InputError
from nri.serve.profile import ColumnProfile, profile_columns
from nri.table.excel import SheetChoice
from nri.table.files import open_source
from nri.table.source import Source
from nri.table.table import Table

MAX_BYTES = 50 * 1024 * 1024
"""Most bytes of a file."""
MAX_UNPACKED = 4 * MAX_BYTES
"""Most bytes that a compressed file may become: a few kilobytes can unpack to gigabytes."""
MAX_CELLS = 50_000_000
"""Most cells of a Parquet table, which says how many it has before it is unpacked."""

TOO_LARGE = (
    f"the file is larger than {MAX_BYTES // 2**20} MB, the most this page takes; "
    "drop a part of its rows or columns, or use nri induce on the command line"
)

_GZIP = b"\x1f\x8b"
_PARQUET = b"PAR1"
_ZIP = b"PK\x03\x04"


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
    if content.startswith(_GZIP):
        content = _unpacked(content, name)
    if content.startswith(_PARQUET):
        _refuse_huge_parquet(content, name)
    if content.startswith(_ZIP):
        _refuse_huge_workbook(content, name)
    file = io.BytesIO(content)
    file.name = name
    with collected_notes() as notes:
        source = open_source(file, choice=choice)
        table = source.table()
    return Upload(name, source, table, profile_columns(table), tuple(notes))


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


def _unpacked(content: bytes, name: str) -> bytes:
    """Undo gzip, but not beyond what a table may reasonably be."""
    unpacked = bytearray()
    rest = content
    while rest.startswith(_GZIP):
        member = zlib.decompressobj(wbits=31)
        try:
            unpacked += member.decompress(rest, MAX_UNPACKED + 1 - len(unpacked))
        except zlib.error:
            raise InputError(f"{name} is damaged: it cannot be uncompressed; get it again") from None
        if len(unpacked) > MAX_UNPACKED:
            raise InputError(
                f"{name} unpacks to more than {MAX_UNPACKED // 2**20} MB; drop a part of its rows or columns"
            )
        if not member.eof:
            raise InputError(f"{name} is damaged: it ends too early; get it again")
        rest = member.unused_data
    return bytes(unpacked)


def _refuse_huge_workbook(content: bytes, name: str) -> None:
    """Look at what its parts say they unpack to; what says less than it is fails when it is read."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(part.file_size for part in archive.infolist())
    except zipfile.BadZipFile:
        return  # the reader says what is wrong with it
    if unpacked > MAX_UNPACKED:
        raise InputError(
            f"{name} unpacks to more than {MAX_UNPACKED // 2**20} MB; drop a part of its rows or columns"
        )


def _refuse_huge_parquet(content: bytes, name: str) -> None:
    from pyarrow import ArrowException, parquet

    try:
        about = parquet.ParquetFile(io.BytesIO(content)).metadata
    except ArrowException:
        return  # the reader says what is wrong with it
    if about.num_rows * about.num_columns > MAX_CELLS:
        raise InputError(
            f"{name} has {about.num_rows} rows and {about.num_columns} columns, more cells than this page "
            "takes; drop a part of its rows or columns"
        )
