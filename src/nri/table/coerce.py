"""Coerce: read a column as the kind a rule expects, whatever type the file or frame gave it."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nri.errors import InputError
from nri.rule.columns import Column
from nri.rule.literal import Kind
from nri.table.cells import number_as_text
from nri.table.notes import note_once
from nri.table.text_numbers import read_expected_numbers

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


def parse_dates(texts: NDArray[Any]) -> NDArray[np.datetime64]:
    """Read ISO dates and times (also ``2024/01/31`` and ``31.01.2024``); NaT where it is none.

    Month and day are never guessed: ``01/02/2024`` is not read.
    """
    series = pd.Series(texts, dtype=object).astype(str).str.strip()
    iso = series.str.fullmatch(
        r"\d{4}[-/]\d{1,2}[-/]\d{1,2}([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?(Z|[+-]\d{2}:?\d{2}))?)?"
    )
    dotted = series.str.fullmatch(r"\d{1,2}\.\d{1,2}\.\d{4}")
    out = np.full(len(series), np.datetime64("NaT"), dtype="datetime64[us]")
    for mask, form in ((iso, "ISO8601"), (dotted, "%d.%m.%Y")):
        chosen = np.asarray(mask, dtype=bool)
        if chosen.any():
            cleaned = series[chosen].str.replace("/", "-", regex=False)
            moments = pd.to_datetime(cleaned, format=form, errors="coerce", utc=True)
            out[chosen] = moments.dt.tz_localize(None).to_numpy(dtype="datetime64[us]")
    return out


def parse_numbers(texts: NDArray[Any]) -> NDArray[np.float64]:
    """Read decimal numbers; NaN where a text is none."""
    return np.asarray(pd.to_numeric(pd.Series(texts, dtype=object), errors="coerce"), dtype=np.float64)


def _to_text(column: Column, found: Kind) -> Column:
    values = np.full(len(column), None, dtype=object)
    cells = column.values[column.known]
    if found is Kind.NUMBER:
        values[column.known] = [number_as_text(cell) if np.isfinite(cell) else str(cell) for cell in cells]
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
        cells = parse_dates(texts)
        bad = np.isnat(cells)
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


def _shown(cell: Any) -> str:
    text = repr(str(cell))
    return text if len(text) <= 40 else text[:36] + "...'"
