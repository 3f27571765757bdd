"""Coerce: read a column as the kind a rule expects, whatever type the file or frame gave it."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nri.errors import InputError
from nri.rule.column import Column
from nri.rule.literal import Kind
from nri.table.cells import number_as_text
from nri.table.dates import read_text_dates
from nri.table.notes import note_once
from nri.table.numbers import read_expected_numbers

_TRUE_WORDS = {"true", "1", "1.0"}
_FALSE_WORDS = {"false", "0", "0.0"}


def coerce(column: Column, kind: Kind, name: str) -> Column:
    """Return the column as the given kind.

    A number is true where it is 1, as everywhere in :mod:`nri.rule`. A file that happens to hold only
    whole numbers in a column that was text (``2``, ``4``, ``more``) is read as text again. Texts are read as
    numbers by the same rules as when a rule is induced: ``72 kg`` is 72, ``unknown`` is missing.

    Raises
    ------
    InputError
        If a known cell cannot be read as that kind; the message names column, row and cell.
    """
    found = column.kind
    if found is kind:
        return column
    if not column.known.any():
        return Column(np.zeros(len(column), dtype=_DTYPES[kind]), column.known)
    if kind is Kind.TEXT:
        return _to_text(column, found)
    if kind is Kind.BOOLEAN and found is Kind.NUMBER:
        return Column(column.values == 1, column.known)
    if kind is Kind.NUMBER and found is Kind.BOOLEAN:
        return Column(column.values.astype(np.float64), column.known)
    if found is Kind.TEXT:
        return _from_text(column, kind, name)
    row = int(np.flatnonzero(column.known)[0])
    raise InputError(
        f"column {name!r} holds a {found} ({_shown(column.values[row])} in row {row + 1}) where a {kind} "
        f"is expected; give the column as it was when the rule was induced"
    )


_DTYPES: dict[Kind, Any] = {
    Kind.BOOLEAN: bool,
    Kind.NUMBER: np.float64,
    Kind.TEXT: object,
    Kind.DATE: "datetime64[us]",
}


def parse_numbers(texts: NDArray[Any]) -> NDArray[np.float64]:
    """Read decimal numbers; NaN where a text is none."""
    return np.asarray(pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce"), dtype=np.float64)


def _to_text(column: Column, found: Kind) -> Column:
    values = np.full(len(column), None, dtype=object)
    cells = column.values[column.known]
    if found is Kind.NUMBER:
        values[column.known] = [number_as_text(cell) for cell in cells]
    else:
        values[column.known] = [str(cell) for cell in cells]
    return Column(values, column.known)


def _from_text(column: Column, kind: Kind, name: str) -> Column:
    texts = column.values[column.known]
    if kind is Kind.BOOLEAN:
        words = [str(text).strip().lower() for text in texts]
        cells: NDArray[Any] = np.array([word in _TRUE_WORDS for word in words])
        bad = ~np.array([word in _TRUE_WORDS | _FALSE_WORDS for word in words])
    elif kind is Kind.NUMBER:
        cells, bad = _numbers_of_texts(texts, name)
    else:
        cells, bad = _dates_of_texts(texts, name)
    if bad.any():
        place = int(np.flatnonzero(bad)[0])
        row = int(np.flatnonzero(column.known)[place])
        raise InputError(
            f"column {name!r}, row {row + 1}: {_shown(texts[place])} is no {kind}; "
            "correct the cell, or leave it empty if it is not known"
        )
    values = np.zeros(len(column), dtype=_DTYPES[kind])
    values[column.known] = cells
    return Column(values, column.known)


def _numbers_of_texts(texts: NDArray[Any], name: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return numbers, NaN where one is missing, and which texts are a mistake."""
    cells = parse_numbers(texts)
    if np.isfinite(cells).all():
        return cells, np.zeros(len(texts), dtype=bool)
    codes, distinct = pd.factorize(np.asarray(texts, dtype=object))
    found = read_expected_numbers(distinct.tolist(), np.bincount(codes))
    if not found.odd.any():
        note_once(name, found.remark)
    return found.values[codes], found.odd[codes]


def _dates_of_texts(texts: NDArray[Any], name: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return moments, and which texts are none."""
    codes, distinct = pd.factorize(np.asarray(texts, dtype=object))
    found = read_text_dates(distinct.tolist())
    if found.ambiguous:
        raise InputError(
            f"column {name!r}: day and month cannot be told apart in {_shown(texts[0])} and the other dates; "
            "write them as YYYY-MM-DD"
        )
    moments = found.moments[codes]
    return moments, np.isnat(moments)


def _shown(cell: Any) -> str:
    text = repr(str(cell))
    return text if len(text) <= 40 else text[:36] + "...'"
