"""ARFF: the attribute-relation format of Weka and OpenML, as a DataFrame."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from nri.errors import InputError
from nri.table.frame import check_distinct
from nri.table.kinds.date import parse_dates
from nri.table.kinds.number import plain_numbers

_ATTRIBUTE = re.compile(
    r"""@attribute \s+ (?: '(?P<single>(?:\\.|[^'\\])*)' | "(?P<double>(?:\\.|[^"\\])*)" | (?P<bare>[^\s{]+) )
        \s* (?P<type>.+)""",
    re.IGNORECASE | re.VERBOSE,
)
_FIELD = re.compile(
    r"""\s* (?: '(?P<single>(?:\\.|[^'\\])*)' | "(?P<double>(?:\\.|[^"\\])*)" | (?P<bare>[^,'"]*?) )
        \s* (?:,|$)""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(.)")
_NUMBER_TYPES = {"numeric", "real", "integer"}
_JAVA_DATE = {"yyyy": "%Y", "yy": "%y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S"}


@dataclass(frozen=True, slots=True)
class Attribute:
    """One declared column."""

    name: str
    kind: str
    """number, text, nominal or date"""
    categories: tuple[str, ...] = ()
    date_format: str | None = None
    """for ``strptime``; None is ISO 8601"""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where we are, for messages."""

    name: str
    line: int

    def error(self, cause: str) -> InputError:
        return InputError(f"{self.name}, line {self.line}: {cause}")


def looks_like_arff(text: str) -> bool:
    """Whether the first line that says something declares a relation or an attribute."""
    for line in text.splitlines():
        stripped = line.strip().lower()
        if stripped and not stripped.startswith("%"):
            return stripped.startswith(("@relation", "@attribute"))
    return False


def read_arff(text: str, name: str) -> pd.DataFrame:
    """Read a dense ARFF table: nominal, numeric, string and date columns, ``?`` for missing cells.

    Raises
    ------
    InputError
        If it is sparse or relational, or a line does not fit its declaration.
    """
    lines = enumerate(text.splitlines(), start=1)
    attributes = _header(lines, name)
    names = [attribute.name for attribute in attributes]
    try:
        check_distinct(names)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    places, rows = _rows(lines, name, len(attributes))
    if not rows:
        raise InputError(f"{name} has no rows after @data; give at least one row")
    cells = list(zip(*rows, strict=True))
    columns = [_column(attribute, cells[i], places) for i, attribute in enumerate(attributes)]
    return pd.DataFrame(dict(zip(names, columns, strict=True)))


def _header(lines: Iterator[tuple[int, str]], name: str) -> list[Attribute]:
    """Read up to the ``@data`` line."""
    attributes: list[Attribute] = []
    for number, line in lines:
        stripped, word = line.strip(), line.strip().lower()
        if not stripped or stripped.startswith("%") or word.startswith("@relation"):
            continue
        if word.startswith("@data"):
            if not attributes:
                raise InputError(f"{name} declares no @attribute before @data; declare the columns")
            return attributes
        if not word.startswith("@attribute"):
            raise _Place(name, number).error(f"{stripped[:40]!r} is no ARFF declaration; correct the header")
        attributes.append(_attribute(stripped, _Place(name, number)))
    raise InputError(f"{name} has no @data line; give an ARFF file with rows")


def _attribute(line: str, place: _Place) -> Attribute:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise place.error(f"{line[:60]!r} declares no name and type; write @attribute NAME TYPE")
    name = _unquoted(match)
    declared = match["type"].strip()
    if declared.startswith("{"):
        if not declared.endswith("}"):
            raise place.error(f"the categories of {name!r} have no closing brace; add it")
        return Attribute(
            name, "nominal", tuple(field for field in _fields(declared[1:-1], place) if field is not None)
        )
    word, _, rest = declared.partition(" ")
    if word.lower() in _NUMBER_TYPES:
        return Attribute(name, "number")
    if word.lower() == "string":
        return Attribute(name, "text")
    if word.lower() == "date":
        return Attribute(name, "date", date_format=_strptime_format(rest.strip().strip("\"'"), place))
    raise place.error(f"column {name!r} has type {word!r}; use numeric, string, date or {{categories}}")


def _strptime_format(java: str, place: _Place) -> str | None:
    """Translate the date pattern of the declaration; ISO 8601 needs none."""
    if not java or java.startswith("yyyy-MM-dd"):
        return None
    pattern = re.sub(r"yyyy|yy|MM|dd|HH|mm|ss", lambda match: _JAVA_DATE[match[0]], java.replace("'", ""))
    if re.search(r"(?<!%)[A-Za-z]{2}", pattern):
        raise place.error(f"date format {java!r} is not understood; use yyyy-MM-dd")
    return pattern


def _rows(
    lines: Iterator[tuple[int, str]], name: str, width: int
) -> tuple[list[_Place], list[list[str | None]]]:
    places, rows = [], []
    for number, line in lines:
        stripped = line.strip()
        if not stripped or stripped.startswith("%"):
            continue
        place = _Place(name, number)
        if stripped.startswith("{"):
            raise place.error("sparse ARFF is not read; convert the file to dense ARFF or CSV")
        row = _fields(stripped, place)
        if len(row) != width:
            raise place.error(f"{len(row)} field(s) where {width} attributes are declared; correct the line")
        places.append(place)
        rows.append(row)
    return places, rows


def _fields(line: str, place: _Place) -> list[str | None]:
    """Split one line at its commas; None is a missing cell, and a quoted ``'?'`` is not missing."""
    if "'" not in line and '"' not in line and "\\" not in line:
        cells = [cell.strip() for cell in line.split(",")]
        return [None if cell in ("?", "") else cell for cell in cells]
    fields: list[str | None] = []
    position = 0
    while True:
        match = _FIELD.match(line, position)
        if match is None:
            raise place.error("a quotation mark is not closed or stands inside a cell; correct the line")
        bare = match["bare"]
        fields.append(None if bare is not None and bare.strip() in ("?", "") else _unquoted(match))
        position = match.end()
        if not match[0].endswith(","):
            return fields


def _unquoted(match: "re.Match[str]") -> str:
    if match["bare"] is not None:
        return match["bare"].strip()
    return _ESCAPE.sub(r"\1", match["single"] if match["single"] is not None else match["double"])


def _column(attribute: Attribute, cells: tuple[str | None, ...], places: list[_Place]) -> Any:
    texts = np.array(cells, dtype=object)
    known = np.array([cell is not None for cell in cells])
    if attribute.kind == "text":
        return texts
    if attribute.kind == "nominal":
        bad = known & ~np.isin(texts, attribute.categories)
        _refuse_bad_cells(bad, texts, places, f"no category of {attribute.name!r}")
        return pd.Categorical(texts, categories=list(dict.fromkeys(attribute.categories)))
    if attribute.kind == "number":
        numbers = np.full(len(texts), np.nan)
        numbers[known] = plain_numbers(texts[known])
        _refuse_bad_cells(known & np.isnan(numbers), texts, places, f"no number, as {attribute.name!r} needs")
        return numbers
    moments = np.full(len(texts), np.datetime64("NaT"), dtype="datetime64[us]")
    moments[known] = _moments(texts[known], attribute.date_format)
    _refuse_bad_cells(known & np.isnat(moments), texts, places, f"no date, as {attribute.name!r} needs")
    return moments


def _moments(texts: Any, date_format: str | None) -> Any:
    if date_format is None:
        return parse_dates(texts)
    parsed = pd.to_datetime(pd.Series(texts, dtype=object), format=date_format, errors="coerce")
    return parsed.to_numpy(dtype="datetime64[us]")


def _refuse_bad_cells(bad: Any, texts: Any, places: list[_Place], what: str) -> None:
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise places[row].error(f"{str(texts[row])[:40]!r} is {what}; correct the cell or write ?")
