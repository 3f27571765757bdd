"""A benchmark data set, as every method sees it: a 0/1/NaN matrix and class indices."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from nri.episode import FloatArray, IntArray


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
