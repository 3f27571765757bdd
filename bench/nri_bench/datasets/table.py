"""A benchmark data set: as it was read, and as every method sees it, a 0/1/NaN matrix and class indices."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

import nri
from nri import InputError
from nri_bench.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class RawTable:
    """A table as it was read, before binarisation: text and number columns, and a class for each row."""

    name: str
    frame: pd.DataFrame
    """[M, columns] without the target; an empty cell is missing"""
    target: "pd.Series[str]"
    """[M] class names"""
    numeric: tuple[str, ...]
    """the columns to read as numbers; all others hold categories"""
    source: str
    """where it came from: a file, OpenML, or "generated" """


@dataclass(frozen=True, eq=False)
class Dataset:
    """A binarised data set: N boolean columns with unknowns, and M labels."""

    name: str
    X: FloatArray
    """[M, N] of 0, 1 and NaN (missing)"""
    y: IntArray
    """[M] indices into ``classes``"""
    classes: tuple[str, ...]
    variables: tuple[str, ...]
    """[N] what each boolean column means"""
    source: str
    sha256: str
    """checksum of the raw cells, see :func:`checksum`"""

    @property
    def n_rows(self) -> int:
        """M"""
        return len(self.y)

    @property
    def n_variables(self) -> int:
        """N"""
        return int(self.X.shape[1])


def binarize(raw: RawTable) -> Dataset:
    """Ask the paper's questions of a raw table: number > median, and one for each category.

    The medians are those of all rows, as in the paper: every method reads the same columns. Classes are in
    sorted order.
    """
    frame = _typed(raw)
    numeric = [column for column in raw.numeric if frame[column].dtype != "boolean"]
    asked = nri.binarize(frame, mode="paper", numeric=numeric)
    if not asked.meanings:
        raise InputError(f"{raw.source}: every column is empty; a table needs one column with values")
    codes, classes = pd.factorize(raw.target, sort=True)
    if len(classes) < 2:
        raise InputError(f"{raw.source}: the target has one class only ({classes[0]!r}); two are needed")
    return Dataset(
        name=raw.name,
        X=asked.matrix,
        y=np.asarray(codes, np.int64),
        classes=tuple(str(label) for label in classes),
        variables=asked.meanings,
        source=raw.source,
        sha256=checksum(raw.frame, list(raw.target), raw.numeric),
    )


def _typed(raw: RawTable) -> pd.DataFrame:
    """Read numbers as numbers, and columns of 0 and 1 as booleans, as the paper does ionosphere's a01."""
    frame = raw.frame.copy()
    for column in frame.columns:
        if set(frame[column].dropna().unique()) == {"0", "1"}:
            frame[column] = frame[column].map({"0": False, "1": True}).astype("boolean")
        elif column in raw.numeric:
            frame[column] = pd.to_numeric(frame[column])
    return frame


def checksum(frame: pd.DataFrame, target: Sequence[object], numeric: Sequence[str]) -> str:
    """Hash the cells in order, so that the same rows give the same sum whatever file they came from.

    Numbers are compared as numbers (``1`` and ``1.0`` agree), text without surrounding blanks, and
    column names are left out, because archives spell them differently.
    """
    digest = hashlib.sha256()
    for column in frame.columns:
        cells = _number_cells(frame[column]) if column in numeric else _text_cells(frame[column])
        digest.update("\x1f".join(cells).encode())
        digest.update(b"\x1e")
    digest.update("\x1f".join(str(label).strip() for label in target).encode())
    return digest.hexdigest()


def _number_cells(column: "pd.Series[str]") -> list[str]:
    numbers = pd.to_numeric(column).to_numpy(np.float64)
    return ["" if np.isnan(number) else repr(float(number)) for number in numbers]


def _text_cells(column: "pd.Series[str]") -> list[str]:
    return ["" if missing else str(cell).strip() for cell, missing in zip(column, column.isna(), strict=True)]
