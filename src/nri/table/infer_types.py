"""Types of text cells: a column read from a text file becomes numbers, booleans, dates or stays text."""

import re
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nri.table.coerce import parse_numbers
from nri.table.dates import dates_or_none
from nri.table.notes import note
from nri.table.numbers import MISSING_MARKS, read_text_numbers

_BOOLEANS = {"true": True, "false": False}
_WHOLE = re.compile(r"[+-]?[0-9]+")
_PADDED = re.compile(r"[+-]?0[0-9]+")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+(,[0-9]+)?")


def typed_column(
    cells: "pd.Series[Any]", *, decimal_comma: bool = False, name: str = "the column"
) -> "pd.Series[Any]":
    """Return a column of texts as what every one of its known cells can be read as.

    Numbers may have a unit and the like, and a few odd cells among them; a note then says how they were read.

    Parameters
    ----------
    cells : Series of str
        Blanks around a cell do not count.
    decimal_comma : bool
        Whether ``3,14`` is a number, as it is in files with semicolons.
    name : str
        What to call the column in a note.

    Notes
    -----
    A number with leading zeros, as ``0042``, is a code: its column stays text. Whatever is decided is
    decided on the distinct texts, of which there are few.

    Examples
    --------
    >>> typed_column(pd.Series(["1", "?", " 2"])).tolist()
    [1, <NA>, 2]
    >>> typed_column(pd.Series(["none", "NA"])).tolist()
    ['none', None]
    """
    codes, distinct = _distinct_texts(cells)
    known = np.array([text is not None for text in distinct], dtype=bool)
    values = _typed(distinct[known], decimal_comma)
    if values is None and known.any():
        counts = np.bincount(codes, minlength=len(distinct))[known]
        values = _numbers_in_dress(distinct[known], counts, decimal_comma, name)
    if values is None:
        return _spread(distinct, codes, cells)
    places = np.where(known, np.cumsum(known) - 1, -1)  # among the known ones; -1 is missing
    return pd.Series(values, name=cells.name).reindex(places[codes]).reset_index(drop=True)


def text_column(cells: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return a column of texts without blanks around them, None where nothing is said."""
    codes, distinct = _distinct_texts(cells)
    return _spread(distinct, codes, cells)


def _distinct_texts(cells: "pd.Series[Any]") -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return codes [M] into the distinct texts, which are stripped, and None where nothing is said."""
    codes, distinct = pd.factorize(cells.to_numpy(dtype=object))
    stripped = map(str.strip, distinct)
    texts = np.empty(len(distinct), dtype=object)
    texts[:] = [None if text in MISSING_MARKS else text for text in stripped]
    return codes, texts


def _spread(distinct: NDArray[Any], codes: NDArray[np.intp], cells: "pd.Series[Any]") -> "pd.Series[Any]":
    return pd.Series(distinct[codes], name=cells.name, dtype=object)


def _typed(distinct: NDArray[Any], decimal_comma: bool) -> Any:
    """Return the distinct texts as a nullable pandas array of their type; None if they are text."""
    if not len(distinct):
        return None
    if all(text.lower() in _BOOLEANS for text in distinct):
        return pd.array([_BOOLEANS[text.lower()] for text in distinct], dtype="boolean")
    as_numbers = _typed_numbers(distinct, decimal_comma)
    if as_numbers is not None:
        return as_numbers
    return dates_or_none(distinct.tolist())


def _typed_numbers(distinct: NDArray[Any], decimal_comma: bool) -> Any:
    if decimal_comma and all(_DECIMAL_COMMA.fullmatch(text) for text in distinct):
        distinct = np.array([text.replace(",", ".") for text in distinct], dtype=object)
    numbers = parse_numbers(distinct)
    if not np.isfinite(numbers).all():
        return None
    whole = distinct[numbers == np.floor(numbers)]
    if any(_PADDED.fullmatch(text) for text in whole):
        return None
    if _are_whole(distinct, numbers):
        return pd.array([int(text) for text in distinct], dtype="Int64")
    return numbers


def _are_whole(texts: NDArray[Any], numbers: NDArray[np.float64]) -> bool:
    return all(_WHOLE.fullmatch(text) for text in texts) and bool(np.abs(numbers).max() < 2**62)


def _numbers_in_dress(
    distinct: NDArray[Any], counts: NDArray[np.intp], decimal_comma: bool, name: str
) -> Any:
    """Return numbers where texts are numbers all the same, with a note on how they were read."""
    found = read_text_numbers(distinct.tolist(), counts, decimal_comma=decimal_comma)
    if found is None:
        return None
    note(name, found.remark)
    read = ~np.isnan(found.values)
    if found.undressed and _are_whole(distinct[read], found.values[read]):
        cells = [int(text) if known else None for text, known in zip(distinct, read, strict=True)]
        return pd.array(cells, dtype="Int64")
    return found.values
