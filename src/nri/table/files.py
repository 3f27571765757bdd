"""Files: open any file that holds a table, or standard input; know a database from one."""

import difflib
import logging
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from nri.errors import InputError
from nri.rule.literal import Kind
from nri.table.delimited import read_delimited, read_wide, refuse_ragged_rows, sniff_delimiter
from nri.table.excel import SheetChoice, is_workbook, read_workbook
from nri.table.readers import (
    MEMORY_A_CELL,
    PARQUET,
    Budget,
    looks_like_arff,
    machine_budget,
    read_arff,
    read_parquet,
    unpacked,
)
from nri.table.source import DelimitedText, Source, as_frame
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
}
DATABASES = {"sqlite": "an SQLite database", "duckdb": "a DuckDB database"}
"""What databases in a file are called, by the scheme of their URL."""
_MARKS = {"sqlite": (0, b"SQLite format 3\0"), "duckdb": (8, b"DUCK")}
"""Where in a file which bytes say what it is."""


_STEP = 1 << 24
"""Bytes read in one go."""
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
    r"""Read a table from a path, a file object or, as ``"-"``, standard input; gzip is undone.

    The format is inferred from the content and the name's ending, and the kinds of columns from their cells,
    unless they are given. With ``exact`` texts that differ only in case and blanks are kept apart. Of a
    workbook, ``choice`` is the sheet and the row of the header. In CSV and TSV files empty cells and the
    usual marks (``NA``, ``NaN``, ``?``, ``null``) are missing; ``None`` is a word like any other.

    >>> import io
    >>> table = read_table(io.StringIO("age;smoker\n61;true\n?;false\n"))
    >>> {name: str(plan.kind) for name, plan in table.plans.items()}
    {'age': 'number', 'smoker': 'boolean'}
    """
    opened = open_source(source, format=format, choice=choice, rewritable=bool(kinds))
    return opened.table(kinds=kinds, exact=exact)


def open_source(
    source: str | Path | IO[Any],
    *,
    format: str | None = None,
    choice: SheetChoice | None = None,
    budget: Budget | None = None,
    rewritable: bool = True,
) -> Source:
    """Open a table as :func:`read_table` does, but leave its cells as they are.

    The budget is checked before anything is read; by default it is the memory that is free on this machine.
    With ``rewritable`` the texts of a file are kept, to be written again with further columns, or read by
    other plans; without them only its table can be read.
    """
    if format is not None and format not in FORMATS:
        raise InputError(f"unknown table format {format!r}; use one of {', '.join(FORMATS)}")
    budget = budget or machine_budget()
    name, content = _content(source, budget)
    suffix = Path(name.removesuffix(".gz")).suffix.lower()
    if isinstance(content, str):
        text = content
    else:
        content = unpacked(content, name, budget)
        if format == "parquet" or (format is None and content.startswith(PARQUET)):
            return read_parquet(content, name, budget)
        if is_workbook(content) or ((format or _BY_SUFFIX.get(suffix)) == "excel" and content[:2] == b"PK"):
            frame, place = read_workbook(content, name, choice or SheetChoice(), budget)
            return Source(as_frame(frame), workbook=place)
        text = decode(content, name)
        content = b""  # its text is enough
    if choice is not None and (choice.sheet is not None or choice.header is not None):
        raise InputError(f"{name} is no Excel workbook, so it has no sheets to choose from; drop that option")
    chosen = format or ("arff" if looks_like_arff(text) else _BY_SUFFIX.get(suffix, "csv"))
    if chosen in ("parquet", "excel"):
        what = "Parquet file" if chosen == "parquet" else "Excel workbook"
        raise InputError(f"{name} is no {what}, whatever its name says; {_REMEDY}")
    delimiter = "\t" if chosen == "tsv" else "," if chosen == "arff" else sniff_delimiter(text)
    _check_text(text, delimiter, name, budget)
    if chosen == "arff":
        return Source(read_arff(text, name))
    _refuse_markup(text, name)
    wide = None if rewritable else read_wide(text, delimiter)
    if wide is not None:
        return Source(wide[0], DelimitedText("", delimiter), plain=wide[1])
    cells = read_delimited(text, name, delimiter)
    return Source(cells, DelimitedText(text if rewritable else "", delimiter))


def decode(content: bytes, name: str) -> str:
    """Return the text of a file: UTF-8, UTF-16 with its mark, or else Western European with a message."""
    for start, what in _KNOWN_BY_START.items():
        if content.startswith(start):
            raise InputError(f"{name} is {what}")
    if (scheme := database_of(content[:16])) is not None:
        raise InputError(f"{name} is {DATABASES[scheme]}; export the table as CSV")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = content.decode("utf-16", errors="replace")
    else:
        text = _decode_bytes(content, name)
    check_control(text, name)
    return text


def check_control(text: str, name: str) -> None:
    """Refuse a text with control characters."""
    if _CONTROL.search(text):
        raise InputError(f"{name} is not text (it has control characters), so it is no table; {_REMEDY}")


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


def _check_text(text: str, delimiter: str, name: str, budget: Budget) -> None:
    """Refuse a text that is too large, by its lines and delimiters."""
    lines = max(text.count("\n"), text.count("\r")) + 1
    budget.check_text(len(text), lines + text.count(delimiter), name)
    start = text[: text.find("\n") + 1] or text
    if lines * (start.count(delimiter) + 1) > budget.memory // MEMORY_A_CELL:
        refuse_ragged_rows(text, name, delimiter)  # short rows would be filled with empty cells


def _content(source: str | Path | IO[Any], budget: Budget) -> tuple[str, bytes | str]:
    """Return what to call the source, and all that is in it."""
    if isinstance(source, str) and source == "-":
        return "standard input", _read_all(sys.stdin.buffer, "standard input", budget)
    if isinstance(source, str):
        refuse_url(source)
    if isinstance(source, str | Path):
        return _file_content(Path(source), budget)
    name = getattr(source, "name", None)
    name = name if isinstance(name, str) else "the file"
    return name, _read_all(source, name, budget)


def _file_content(path: Path, budget: Budget) -> tuple[str, bytes | str]:
    name = str(path)
    try:
        if path.is_dir():
            raise InputError(f"{name} is a folder; give a file in it")
        refuse_database(path)  # before its size: a table of it may be small, and need not be read at all
        budget.check_bytes(path.stat().st_size, name)
        with path.open("rb") as file:
            return name, _read_all(file, name, budget)
    except FileNotFoundError:
        raise missing_file(path) from None
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or str(error)
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} cannot be read ({cause}); check its name and permissions") from None


def missing_file(path: Path) -> InputError:
    """Return an error that there is no such file, with a hint at files of nearly the same name."""
    hint = f"; there is no folder {path.parent} either"
    if os.path.isdir(path.parent):
        hint = similar_files(path) or "; check the name and the folder"
    return InputError(f"no file {path}{hint}")


def _read_all(source: IO[Any], name: str, budget: Budget) -> bytes | str:
    """Read to the end, or as far as the budget goes: a pipe or a device does not say how much it has."""
    parts: list[bytes | str] = []
    size = 0
    try:
        while part := source.read(_STEP):
            parts.append(part)
            size += len(part)
            budget.check_bytes(size, name)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{name} cannot be read ({error}); {_REMEDY}") from None
    content: bytes | str = type(parts[0])().join(parts) if parts else ""  # type: ignore[arg-type]
    return content.removeprefix("\ufeff") if isinstance(content, str) else content


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
    try:
        beside = sorted(entry for entry in path.parent.iterdir() if entry.is_file())
    except OSError:  # no such folder, or none that may be looked into
        return ""
    beside.sort(key=lambda entry: entry.suffix == path.suffix)  # of files of one stem, the last one counts
    by_stem = {entry.stem: entry.name for entry in beside}
    close = [by_stem[stem] for stem in difflib.get_close_matches(path.stem, list(by_stem), n=2)]
    return "; did you mean " + " or ".join(map(repr, close)) + "?" if close else ""


def database_in(path: Path) -> str | None:
    """Return the scheme of the database that a file is; None if it is something else, or not there."""
    try:
        if not path.is_file():  # what a pipe says can be read once only
            return None
        with path.open("rb") as file:
            return database_of(file.read(16))
    except (OSError, ValueError):
        return None  # reading it shows what is wrong


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
            f"{path} is {DATABASES[scheme]}, not one table; give nri induce its URL, "
            f"{url_of(scheme, path)} --table NAME, or export the table as CSV"
        )


def refuse_url(source: str) -> None:
    """Refuse the URL of a database, or of a web page, where a file is read."""
    if "://" in source and not os.path.exists(source):
        raise InputError(
            f"{without_password(source)} is a URL, not a file; export or download the table and give that"
        )
