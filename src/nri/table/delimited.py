"""Delimited text: CSV and TSV, split into cells by the standard library or, if it is long, by pyarrow.

What pyarrow would split in another way, or refuse, is not given to it: quotation marks after blanks, lines of
blanks, rows that differ in length.
"""

import csv
import io
import logging
import re
from itertools import chain, islice
from typing import Any

import numpy as np

from nri.errors import InputError
from nri.table.cells import check_distinct
from nri.table.split import split_long

TextColumn = Any  # A column of texts: an array of objects or, of a long text, a chunked array of pyarrow.

logger = logging.getLogger(__name__)

_DELIMITERS = (",", ";", "\t", "|")
_FRACTION = re.compile(r"[+-]?[0-9]*[.,][0-9]+")
_BLANK_LINE = re.compile(r"(?:^|[\r\n])[ \t]+(?:[\r\n]|$)")
_SAMPLE_CHARACTERS, _SAMPLE_RECORDS = 65_536, 100
_SHORT = 1_000_000  # Letters of a text up to which it is split by the standard library.
_BEHIND = "\0end"


def read_delimited(text: str, name: str, delimiter: str) -> dict[str, TextColumn]:
    """Split delimited text with a header line into columns of texts."""
    if not text.strip():
        raise InputError(f"{name} is empty; give a table with a header line and at least one row")
    is_long = len(text) > _SHORT and not is_intricate(text, delimiter)
    columns = (split_long(text, delimiter) if is_long else None) or split_text(text, name, delimiter)
    if not columns or len(columns[0]) < 2:
        raise InputError(f"{name} has a header line but no rows; give at least one row")
    named = [(str(column[0]).strip(), column[1:]) for column in columns]
    # a delimiter at the end of each line leaves a column without a name or a cell
    named = [(title, cells) for title, cells in named if title or any(str(cell).strip() for cell in cells)]
    if not named:
        raise InputError(f"{name} has delimiters but neither names nor cells; give a header line and rows")
    if _looks_like_row(named):
        logger.warning("%s: the first line looks like a row; if so, add --header 0, or a line of names", name)
    names = [title or f"column {place}" for place, (title, _) in enumerate(named, start=1)]
    check_distinct(names, name, " (the first line must hold the names)")
    return dict(zip(names, (cells for _, cells in named), strict=True))


def _looks_like_row(named: list[tuple[str, TextColumn]]) -> bool:
    """Whether all names are numbers with fractions, or cells of their own columns: there is no header."""
    fractions = [_FRACTION.fullmatch(title) is not None for title, _ in named]
    if not any(fractions):
        return False  # most headers; whole numbers may be years
    return all(
        fraction or any(title == str(cell) for cell in cells[:_SAMPLE_RECORDS])
        for fraction, (title, cells) in zip(fractions, named, strict=True)
    )


def sniff_delimiter(text: str) -> str:
    """Return the delimiter that splits the header and then most other lines into as many fields."""
    sample = text[:_SAMPLE_CHARACTERS]
    if len(sample) < len(text):  # the last line may be cut off
        sample = sample[: sample.rfind("\n") + 1] or sample
    best, best_score = ",", (0.0, 0)
    for delimiter in _DELIMITERS:
        reader = csv.reader(io.StringIO(sample), delimiter=delimiter)
        try:
            records = list(filter(None, islice(reader, _SAMPLE_RECORDS)))
        except csv.Error:
            continue
        width = len(records[0]) if records else 0
        if width > 1:
            score = (sum(len(record) == width for record in records) / len(records), width)
            if score > best_score:
                best, best_score = delimiter, score
    return best


def is_intricate(text: str, delimiter: str) -> bool:
    """Whether blanks stand alone on a line, or quotation marks elsewhere than around a whole cell."""
    beginnings = ("\n ", "\n\t", "\r ", "\r\t")  # quicker to look for than a pattern
    if (text[:1] in (" ", "\t") or any(map(text.__contains__, beginnings))) and _BLANK_LINE.search(text):
        return True
    if '"' not in text:
        return False
    ends = re.escape(delimiter) + r"\r\n"
    quoted = re.finditer(rf'(?:^|(?<=[{ends}]))"(?:[^"]|"")*"(?=[{ends}]|$)', text)
    return sum(cell[0].count('"') for cell in quoted) != text.count('"')


def split_text(text: str, name: str, delimiter: str) -> list[TextColumn]:
    """Split a text, whatever is in it, into columns of text cells; every row has the header's length."""
    most_letters = csv.field_size_limit(len(text) + len(_BEHIND))  # of a cell
    try:
        # an open quotation mark would take in what stands behind the text
        lines = chain(io.StringIO(text, newline=""), [_BEHIND])
        reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        records: list[list[str]] = []
        for record in reader:
            if record == [_BEHIND] or (len(record) < 2 and _is_blank(record, text, records)):
                continue
            if record[-1].endswith(_BEHIND):
                raise InputError(f"{name}: a cell of row {len(records)} opens a quotation mark; close it")
            records.append(record)
            if len(record) != len(records[0]):
                cause = f"{name}, line {reader.line_num}: {len(record)} field(s)"
                remedy = "correct the line, and quote cells that contain the delimiter"
                raise InputError(f"{cause} where the header has {len(records[0])}; {remedy}")
    except csv.Error as error:
        raise InputError(f"{name} cannot be split into cells ({error}); give a CSV table") from None
    finally:
        csv.field_size_limit(most_letters)
    return list(np.array(records, dtype=object).T)


def _is_blank(record: list[str], text: str, above: list[list[str]]) -> bool:
    """Whether a line without a delimiter is no row; in a single column, an empty cell may be quoted."""
    single = bool(above) and len(above[0]) == 1
    return not "".join(record).strip() and not (record and single and '"' in text)
