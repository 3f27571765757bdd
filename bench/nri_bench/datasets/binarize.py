"""The paper's binarisation of a raw table: number > median of all rows, one column for each category."""

import numpy as np
import pandas as pd

from nri.errors import InputError
from nri.rule import Kind, Literal
from nri.table.binarizer import Binarizer
from nri_bench.datasets.record import Dataset, RawTable, checksum


def binarize(raw: RawTable) -> Dataset:
    """Turn a raw table into a 0/1/NaN matrix and class indices (classes in sorted order).

    The medians are those of all rows, as in the paper: every method reads the same columns.
    """
    frame = _typed(raw)
    numeric = [column for column in raw.numeric if frame[column].dtype != "boolean"]
    binarizer = Binarizer(mode="paper", numeric=numeric).fit(frame)
    if not binarizer.variables_:
        raise InputError(f"{raw.source}: every column is empty; a table needs one column with values")
    table = binarizer.transform(frame)
    codes, classes = pd.factorize(raw.target, sort=True)
    if len(classes) < 2:
        raise InputError(f"{raw.source}: the target has one class only ({classes[0]!r}); two are needed")
    return Dataset(
        name=raw.name,
        X=np.where(table.known, table.values.astype(np.float64), np.nan),
        y=np.asarray(codes, np.int64),
        classes=tuple(str(label) for label in classes),
        variables=tuple(_meaning(variable) for variable in binarizer.variables_),
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


def _meaning(variable: Literal) -> str:
    if variable.kind is Kind.BOOLEAN:
        return variable.column
    return f"{variable.column} {variable.op} {variable.value}"
