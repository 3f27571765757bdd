"""Data sets from CSV files: the paper's fourteen UCI sets, catalogued, in a folder; or the caller's own."""

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import pandas as pd

from nri import InputError
from nri_bench.datasets.table import RawTable

TARGET = "class"
"""The target column of the catalogued CSV files."""


@dataclass(frozen=True)
class Entry:
    """One catalogued data set: where it is found and what its columns are."""

    name: str
    openml_id: int
    rows: int
    classes: tuple[str, ...]
    numeric: tuple[str, ...]
    sha256: str
    """checksum of the cells our published rows were computed from"""


@cache
def catalog() -> dict[str, Entry]:
    """Return the fourteen sets by name, in the order of the paper's Table 1."""
    text = resources.files("nri_bench.datasets").joinpath("catalog.json").read_text(encoding="utf-8")
    return {
        name: Entry(
            name=name,
            openml_id=fields["openml_id"],
            rows=fields["rows"],
            classes=tuple(fields["classes"]),
            numeric=tuple(fields["numeric"]),
            sha256=fields["sha256"],
        )
        for name, fields in json.loads(text).items()
    }


def read_catalogued(entry: Entry, folder: Path) -> RawTable | None:
    """Read ``folder/NAME.csv`` if it is there; the target is its ``class`` column."""
    path = folder / f"{entry.name}.csv"
    if not path.is_file():
        return None
    frame = read_text_table(path)
    if TARGET not in frame.columns:
        raise InputError(f"{path}: no column {TARGET!r}; the target must be called that, in the last column")
    if len(frame) != entry.rows:
        raise InputError(
            f"{path}: {len(frame)} rows, but {entry.name} has {entry.rows}; fetch the file again"
        )
    missing = [column for column in entry.numeric if column not in frame.columns]
    if missing:
        raise InputError(f"{path}: numeric column {missing[0]!r} is missing; fetch the file again")
    _check_filled(path, frame[TARGET])
    _check_classes(path, frame[TARGET], entry)
    return _split(entry.name, frame, TARGET, entry.numeric, str(path))


def read_own(path: Path, target: str | None = None) -> RawTable:
    """Read the caller's own CSV; the target is the named column, or else the last one.

    A column is numeric when every filled cell reads as a number and there are more than two of them.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file; --csv takes the path of a CSV file with a header line")
    frame = read_text_table(path)
    if frame.shape[1] < 2 or frame.empty:
        raise InputError(f"{path}: needs a header, one row at least, a target and one more column")
    target = str(frame.columns[-1]) if target is None else target
    if target not in frame.columns:
        raise InputError(f"{path}: no column {target!r}; it has {', '.join(map(str, frame.columns))}")
    _check_filled(path, frame[target])
    numeric = tuple(c for c in frame.columns if c != target and _reads_as_numbers(frame[c]))
    return _split(path.stem, frame, target, numeric, str(path))


def read_text_table(path: Path) -> pd.DataFrame:
    """Read every cell as text, an empty one as missing; ``NA`` and ``None`` are ordinary text."""
    try:
        return pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not a readable CSV file ({error}); save it as UTF-8 CSV") from error


def _check_filled(path: Path, target: "pd.Series[str]") -> None:
    if target.isna().any():
        row = int(target.isna().to_numpy().argmax()) + 2
        raise InputError(
            f"{path}: line {row} has no value in the target {target.name!r}; fill it or drop the row"
        )


def _check_classes(path: Path, target: "pd.Series[str]", entry: Entry) -> None:
    """Refuse another table of the same length, or the right one with its classes renamed or merged."""
    found = sorted({str(label).strip() for label in target})
    if found != sorted(entry.classes):
        shown = ", ".join(found[:5]) + (", ..." if len(found) > 5 else "")
        raise InputError(
            f"{path}: the classes are {shown}, but {entry.name} has {', '.join(entry.classes)}; "
            "fetch the file again, or run on it as your own with --csv"
        )


def _split(name: str, frame: pd.DataFrame, target: str, numeric: tuple[str, ...], source: str) -> RawTable:
    return RawTable(name, frame.drop(columns=target), frame[target], numeric, source)


def _reads_as_numbers(column: "pd.Series[str]") -> bool:
    filled = column.dropna()
    return filled.nunique() > 2 and bool(pd.to_numeric(filled, errors="coerce").notna().all())
