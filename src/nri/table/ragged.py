"""Delimited texts out of the ordinary: split by pandas, without a header, with rows that differ in length."""

import csv
import io
from typing import Any

from numpy.typing import NDArray

from nri.errors import InputError


def split_slowly(text: str, name: str, delimiter: str) -> list[NDArray[Any]]:
    """Split into columns of text cells as pandas does; every row has the header's length."""
    import pandas as pd

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
        refuse_ragged_rows(text, name, delimiter)
        raise InputError(f"{name} cannot be split into cells ({cause}); give a CSV table") from None
    # pandas fills short rows with empty cells at the end, where a row may also be empty by right
    if (cells.iloc[:, -1] == "").any():
        refuse_ragged_rows(text, name, delimiter)
    return [cells[place].to_numpy(dtype=object) for place in cells.columns]


def refuse_ragged_rows(text: str, name: str, delimiter: str) -> None:
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


def header_for(text: str, delimiter: str) -> str:
    """Return a line of names for a text that has none.

    >>> header_for("3;4", ";")
    'column 1;column 2'
    """
    width = len(next(csv.reader(io.StringIO(text), delimiter=delimiter), []))
    return delimiter.join(f"column {place}" for place in range(1, width + 1))
