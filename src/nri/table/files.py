"""Read: any file that holds a table, or standard input, as a DataFrame."""

import difflib
import gzip
import io
import logging
import re
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import pandas as pd

from nri.errors import InputError
from nri.rule.literal import Kind
from nri.table.arff import looks_like_arff, read_arff
from nri.table.delimited import read_delimited, sniff_delimiter
from nri.table.excel import SheetChoice, is_workbook, read_workbook
from nri.table.frame import as_frame, check_distinct
from nri.table.source import DelimitedText, Source
from nri.table.table import Table

logger = logging.getLogger(__name__)

FORMATS = ("csv", "tsv", "parquet", "arff", "excel")
_BY_SUFFIX = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arff": "arff",
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "excel"),
}
_KNOWN_BY_START = {
    b"PK\x03\x04": "a zip archive; give the table that is in it",
    b"%PDF": "a PDF document; give a CSV, TSV, Excel, Parquet or ARFF table",
    b"SQLite format": "an SQLite database; export the table as CSV",
}
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_REMEDY = "give a CSV, TSV, Excel, Parquet or ARFF table"


def read_table(
    source: str | Path | IO[Any],
    *,
    format: str | None = None,
    kinds: Mapping[str, Kind] | None = None,
    exact: bool = False,
    choice: SheetChoice | None = None,
) -> Table:
    r"""Read a table from a file, a path or standard input.

    Parameters
    ----------
    source : str, Path or file object
        ``"-"`` is standard input. Compression with gzip is undone.
    format : {"csv", "tsv", "parquet", "arff", "excel"}, optional
        Taken from the content and the name's ending by default.
    kinds : mapping of str to Kind, optional
        What some columns are; by default their cells say it.
    exact : bool
        Whether texts that differ only in case and blanks are kept apart.
    choice : SheetChoice, optional
        Of a workbook, which sheet and which row holds the header.

    Returns
    -------
    Table
        With distinct text names and at least one row. In CSV and TSV files empty cells and the
        usual marks (``NA``, ``NaN``, ``?``, ``null``) are missing; ``None`` is a word like any other.

    Raises
    ------
    InputError
        If there is no such file, or it holds no table.

    Examples
    --------
    >>> table = read_table(io.StringIO("age;smoker\n61;true\n?;false\n"))
    >>> {name: str(plan.kind) for name, plan in table.plans.items()}
    {'age': 'number', 'smoker': 'boolean'}
    """
    return open_source(source, format=format, choice=choice).table(kinds=kinds, exact=exact)


def open_source(
    source: str | Path | IO[Any], *, format: str | None = None, choice: SheetChoice | None = None
) -> Source:
    """Open a table as :func:`read_table` does, but leave its cells as they are."""
    if format is not None and format not in FORMATS:
        raise InputError(f"unknown table format {format!r}; use one of {', '.join(FORMATS)}")
    name, content = _content(source)
    suffix = Path(name.removesuffix(".gz")).suffix.lower()
    if isinstance(content, str):
        text = content
    else:
        content = _decompressed(content, name)
        if format == "parquet" or (format is None and content.startswith(b"PAR1")):
            return Source(_read_parquet(content, name))
        if is_workbook(content) or ((format or _BY_SUFFIX.get(suffix)) == "excel" and content[:2] == b"PK"):
            frame, place = read_workbook(content, name, choice or SheetChoice())
            return Source(as_frame(frame), workbook=place)
        text = decode(content, name)
    if choice is not None and (choice.sheet is not None or choice.header is not None):
        raise InputError(f"{name} is no Excel workbook, so it has no sheets to choose from; drop that option")
    chosen = format or ("arff" if looks_like_arff(text) else _BY_SUFFIX.get(suffix, "csv"))
    if chosen in ("parquet", "excel"):
        what = "Parquet file" if chosen == "parquet" else "Excel workbook"
        raise InputError(f"{name} is no {what}, whatever its name says; {_REMEDY}")
    if chosen == "arff":
        return Source(read_arff(text, name))
    _refuse_markup(text, name)
    delimiter = "\t" if chosen == "tsv" else sniff_delimiter(text)
    return Source(read_delimited(text, name, delimiter), DelimitedText(text, delimiter))


def decode(content: bytes, name: str) -> str:
    """Return the text of a file: UTF-8, UTF-16 with its mark, or else Western European with a message."""
    for start, what in _KNOWN_BY_START.items():
        if content.startswith(start):
            raise InputError(f"{name} is {what}")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = content.decode("utf-16", errors="replace")
    else:
        text = _decode_bytes(content, name)
    if _CONTROL.search(text):
        raise InputError(f"{name} is not text (it has control characters), so it is no table; {_REMEDY}")
    return text


def _decode_bytes(content: bytes, name: str) -> str:
    if b"\0" in content:
        raise InputError(f"{name} is a binary file, no table; {_REMEDY}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        try:
            encoding, text = "Windows-1252", content.decode("cp1252")
        except UnicodeDecodeError:
            encoding, text = "Latin-1", content.decode("latin-1")
        line = content.count(b"\n", 0, error.start) + 1
        logger.warning(
            "%s is not UTF-8 (line %d); read as %s: save it as UTF-8 if letters look wrong",
            name,
            line,
            encoding,
        )
        return text


def _content(source: str | Path | IO[Any]) -> tuple[str, bytes | str]:
    """Return what to call the source, and all that is in it."""
    if isinstance(source, str) and source == "-":
        return "standard input", _read_all(sys.stdin.buffer, "standard input")
    if isinstance(source, str | Path):
        return _file_content(Path(source))
    name = getattr(source, "name", None)
    name = name if isinstance(name, str) else "the file"
    return name, _read_all(source, name)


def _file_content(path: Path) -> tuple[str, bytes]:
    name = str(path)
    try:
        if path.is_dir():
            raise InputError(f"{name} is a folder; give a file in it")
        return name, path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"no file {name}{_similar_file(path)}") from None
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or str(error)
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} cannot be read ({cause}); check its name and permissions") from None


def _similar_file(path: Path) -> str:
    """Return a hint: a file of nearly the same name beside the absent one, or where we looked."""
    folder = path.parent
    if not folder.is_dir():
        return f"; there is no folder {folder} either"
    return similar_files(path) or "; check the name and the folder"


def _read_all(source: IO[Any], name: str) -> bytes | str:
    try:
        content: bytes | str = source.read()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{name} cannot be read ({error}); {_REMEDY}") from None
    return content.removeprefix("\ufeff") if isinstance(content, str) else content


def _decompressed(content: bytes, name: str) -> bytes:
    if not content.startswith(b"\x1f\x8b"):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error):
        raise InputError(f"{name} is damaged: it cannot be uncompressed; get it again") from None


def _read_parquet(content: bytes, name: str) -> pd.DataFrame:
    from pyarrow import ArrowException, parquet

    try:
        table = parquet.ParquetFile(io.BytesIO(content)).read()
        check_distinct(table.column_names)
        frame = table.to_pandas(integer_object_nulls=True)
    except ArrowException as error:
        cause = str(error).splitlines()[0]
        raise InputError(f"{name} is no readable Parquet file ({cause}); write it again") from None
    if frame.index.name is not None or frame.index.nlevels > 1:
        frame = frame.reset_index()
    if not len(frame):
        raise InputError(f"{name} has no rows; give at least one row")
    return as_frame(frame)


def _refuse_markup(text: str, name: str) -> None:
    start = text.lstrip()[:200].lower()
    if start.startswith(("{", "[{", "[[")):
        raise InputError(f"{name} looks like JSON, not like a table; {_REMEDY}")
    if start.startswith(("<!doctype", "<html", "<?xml")):
        raise InputError(f"{name} is a web page or XML, not a table; {_REMEDY}")


def similar_files(path: Path) -> str:
    """Return a hint at files beside an absent one that have nearly its name, or nothing.

    Stems are compared: among short names a shared ".csv" alone would make any two look alike.
    """
    if not path.parent.is_dir():
        return ""
    by_stem = {entry.stem: entry.name for entry in sorted(path.parent.iterdir()) if entry.is_file()}
    close = [by_stem[stem] for stem in difflib.get_close_matches(path.stem, list(by_stem), n=2)]
    return "; did you mean " + " or ".join(map(repr, close)) + "?" if close else ""
