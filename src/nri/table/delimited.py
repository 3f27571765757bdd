"""Delimited text: CSV and TSV with any of the usual delimiters, split into cells."""

import csv
import io

import pandas as pd

from nri.errors import InputError
from nri.table.frame import check_distinct

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_CHARACTERS = 65_536
_SAMPLE_RECORDS = 100


def read_delimited(text: str, name: str, delimiter: str) -> pd.DataFrame:
    """Split delimited text with a header line into cells, every one of them text.

    Parameters
    ----------
    text
        The whole file.
    name
        What to call it in messages.
    delimiter
        What stands between cells.

    Raises
    ------
    InputError
        If there is no header, no row, a row of another length, or a name twice.
    """
    if not text.strip():
        raise InputError(f"{name} is empty; give a table with a header line and at least one row")
    cells = _cells(text, name, delimiter)
    names = [str(cell).strip() for cell in cells.iloc[0]]
    body = cells.iloc[1:].reset_index(drop=True)
    if body.empty:
        raise InputError(f"{name} has a header line but no rows; give at least one row")
    body, names = _without_empty_margin(body, names)
    names = [column or f"column {place}" for place, column in enumerate(names, start=1)]
    try:
        check_distinct(names)
    except InputError as error:
        raise InputError(f"{name}: {error} (the first line must hold the names)") from None
    return body.set_axis(names, axis="columns")


def sniff_delimiter(text: str) -> str:
    r"""Return the delimiter that splits the header and then most other lines into as many fields.

    >>> sniff_delimiter("a;b\n1,5;2,5\n")
    ';'
    """
    sample = text[:_SAMPLE_CHARACTERS]
    if len(sample) < len(text):  # the last line may be cut off
        sample = sample[: sample.rfind("\n") + 1] or sample
    best, best_score = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        reader = csv.reader(io.StringIO(sample), delimiter=delimiter)
        try:
            records = [record for record, _ in zip(reader, range(_SAMPLE_RECORDS), strict=False) if record]
        except csv.Error:
            continue
        width = len(records[0]) if records else 0
        if width > 1:
            score = (sum(len(record) == width for record in records) / len(records), width)
            if score > best_score:
                best, best_score = delimiter, score
    return best


def _cells(text: str, name: str, delimiter: str) -> pd.DataFrame:
    """Split into text cells, the header line first; every row has the header's length."""
    try:
        cells = pd.read_csv(
            io.StringIO(text),
            sep=delimiter,
            header=None,
            dtype=str,
            keep_default_na=False,
            na_filter=False,
            skipinitialspace=True,
        )
    except pd.errors.ParserError as error:
        cause = str(error).strip().removeprefix("Error tokenizing data. C error: ")
        if "EOF inside string" in cause:
            row = cause.rsplit(" ", 1)[-1]
            raise InputError(f"{name}: a cell of row {row} opens a quotation mark; close it") from None
        _refuse_ragged_rows(text, name, delimiter)
        raise InputError(f"{name} cannot be split into cells ({cause}); give a CSV table") from None
    # pandas fills short rows with empty cells at the end, where a row may also be empty by right
    if (cells.iloc[:, -1] == "").any():
        _refuse_ragged_rows(text, name, delimiter)
    return cells


def _refuse_ragged_rows(text: str, name: str, delimiter: str) -> None:
    """Raise an InputError that names the first line with another number of fields than the header."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        width = 0
        for record in reader:
            if not record or (record == [""] and width != 1):
                continue
            width = width or len(record)
            if len(record) != width:
                raise InputError(
                    f"{name}, line {reader.line_num}: {len(record)} field(s) where the header has {width}; "
                    "correct the line, and put cells that contain the delimiter in quotation marks"
                )
    except csv.Error:
        return  # the caller's own message is better


def _without_empty_margin(body: pd.DataFrame, names: list[str]) -> tuple[pd.DataFrame, list[str]]:
    """Drop unnamed columns without a cell, which a delimiter at the end of each line leaves behind."""
    kept = [
        place for place, column in enumerate(names) if column or (body.iloc[:, place].str.strip() != "").any()
    ]
    return body.iloc[:, kept], [names[place] for place in kept]
