"""Labelled tables for tests, from frames or from typed columns."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from nri.outcome import Classes
from nri.rule import Column, ColumnPlan
from nri.table import Table, table_of


def labelled_table(
    features: Any,
    codes: Any,
    classes: tuple[Any, ...] = ("no", "yes"),
    target: str = "y",
    weights: Any = None,
    positive: int | None = None,
) -> Table:
    """A table whose rows are of these classes."""
    made = table_of(features).with_outcome(Classes(target, classes, np.asarray(codes, np.int64), positive))
    return made if weights is None else made.reweighted(np.asarray(weights, np.float64))


def table_of_columns(
    columns: Mapping[str, Column],
    codes: Any,
    classes: tuple[Any, ...] = ("no", "yes"),
    target: str = "y",
    weights: Any = None,
) -> Table:
    """A table of columns that are typed already."""
    codes = np.asarray(codes, np.int64)
    weights = np.ones(len(codes)) if weights is None else np.asarray(weights, np.float64)
    plans = {name: ColumnPlan(column.kind) for name, column in columns.items()}
    numbers = np.arange(1, len(codes) + 1)
    return Table(columns, plans, weights, numbers, Classes(target, classes, codes))
