"""Write: a table, with its predictions, as CSV, TSV or Parquet."""

import re
from pathlib import Path
from typing import IO, Any

import pandas as pd

from nri.errors import InputError
from nri.table.atomic import atomic_file

_BY_SUFFIX = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet", ".pq": "parquet"}
_FORMULA_START = ("=", "+", "-", "@", "\t", "\r")
_PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?([eE][+-]?[0-9]+)?")


def write_table(frame: pd.DataFrame, destination: str | Path | IO[str], *, format: str | None = None) -> None:
    """Write a table whole or not at all.

    Parameters
    ----------
    frame : DataFrame
        The rows; its index is not written.
    destination : str, Path or text file object
        A file is replaced only when the new one is complete.
    format : {"csv", "tsv", "parquet"}, optional
        Taken from the name's ending by default; CSV if there is none.

    Notes
    -----
    Spreadsheets run text that begins with ``=``, ``+``, ``-``, ``@`` or a tab as a formula. In CSV and TSV
    such cells and names get an apostrophe in front, unless they are a number or a single sign, which are
    harmless.
    """
    chosen = format or format_of(destination)
    if chosen not in ("csv", "tsv", "parquet"):
        raise InputError(f"cannot write tables as {chosen!r}; use csv, tsv or parquet")
    if isinstance(destination, str | Path):
        with atomic_file(destination, binary=chosen == "parquet") as file:
            _write(frame, file, chosen)
    elif chosen == "parquet":
        raise InputError("a Parquet table cannot be written to a stream of text; name a file")
    else:
        _write(frame, destination, chosen)


def protect_from_formulas(cell: Any) -> Any:
    """Return a text cell so that no spreadsheet runs it; anything else as it is.

    >>> protect_from_formulas("=cmd|' /C calc'!A0"), protect_from_formulas("-"), protect_from_formulas(-5)
    ("'=cmd|' /C calc'!A0", '-', -5)
    """
    if not isinstance(cell, str) or not cell.startswith(_FORMULA_START):
        return cell
    harmless = cell in ("+", "-") or _PLAIN_NUMBER.fullmatch(cell)
    return cell if harmless else "'" + cell


def format_of(destination: str | Path | IO[str]) -> str:
    """Return the format that a name's ending asks for; CSV if it has none."""
    if not isinstance(destination, str | Path):
        return "csv"
    suffix = Path(destination).suffix.lower()
    if suffix and suffix not in _BY_SUFFIX:
        raise InputError(
            f"cannot tell a table format from {suffix!r}; end the name in .csv, .tsv or .parquet"
        )
    return _BY_SUFFIX.get(suffix, "csv")


def _write(frame: pd.DataFrame, file: IO[Any], format: str) -> None:
    if format == "parquet":
        frame.to_parquet(file, index=False)
        return
    safe = frame.rename(columns=protect_from_formulas)
    for name in [name for name, dtype in safe.dtypes.items() if not pd.api.types.is_numeric_dtype(dtype)]:
        if not pd.api.types.is_datetime64_any_dtype(safe[name].dtype):
            safe[name] = safe[name].astype(object).map(protect_from_formulas)
    safe.to_csv(file, index=False, sep="\t" if format == "tsv" else ",", lineterminator="\n")
