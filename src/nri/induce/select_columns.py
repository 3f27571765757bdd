"""Wide tables: a rule is sought among the columns that tell most on their own.

Search weighs every literal of every column against every other. Beyond a thousand columns that takes long,
and most of what it finds is luck. So of a wide table it sees the columns whose best literal tells most about
the class. Columns that tell something only together with others are lost by that, unless somebody names them.
"""

from collections.abc import Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray, IntArray
from nri.rows.memory import MemoryRows
from nri.rule.column import Column, Columns
from nri.table.table import Table

SEARCHED_COLUMNS = 1000
"""Columns up to which all are searched; of more, so many."""
_SCORED_ROWS = 1000
"""Rows that are asked which columns tell most."""
_AT_ONCE = 500
"""Columns that are scored at once, which bounds memory."""


def columns_to_search(
    table: Table, named: Collection[str] = (), parts: int = 8, most: int | None = None
) -> Table:
    """Return a wide table with so many columns, those whose best literal tells most; others as they are.

    Columns that a person named stay in any case. Of equally telling ones the first by name is taken, so
    that the order of columns does not matter.
    """
    most = SEARCHED_COLUMNS if most is None else most
    if len(table.names) <= most:
        return table
    rows = MemoryRows(replace(table, unlabelled=None)).sample(_SCORED_ROWS)
    classes = rows.explained.as_classes(rows.weights, parts)
    bits = bits_of_columns(rows.columns, classes.codes, rows.weights)
    ranked = sorted(table.names, key=lambda name: (name not in named, -bits[name], name))
    return table.only(ranked[: max(most, len(named))])


def bits_of_columns(columns: Columns, codes: IntArray, weights: FloatArray) -> dict[str, float]:
    """Return for each column how many bits its best cut or category tells about the class.

    >>> from nri.rule import column_of
    >>> columns = {"age": column_of([20, 30, 60, 70]), "ward": column_of(["a", "b", "a", "b"])}
    >>> bits_of_columns(columns, np.array([0, 0, 1, 1]), np.ones(4))
    {'age': 4.0, 'ward': 0.0}
    """
    n_classes = int(codes.max(initial=0)) + 1
    masses = np.eye(n_classes)[codes] * weights[:, None]
    bits = dict.fromkeys(columns, 0.0)
    ordered = [name for name, column in columns.items() if column.categories is None]
    for start in range(0, len(ordered), _AT_ONCE):
        names = ordered[start : start + _AT_ONCE]
        cells = np.stack([_as_floats(columns[name]) for name in names], axis=1)
        bits.update(zip(names, _best_cuts(cells, masses).tolist(), strict=True))
    for name, column in columns.items():
        if column.categories is not None:
            bits[name] = _best_category(column, masses)
    return bits


def _as_floats(column: Column) -> FloatArray:
    """[M], cells as numbers in their order; NaN where unknown."""
    values = column.values.view(np.int64) if column.values.dtype.kind == "M" else column.values
    return np.where(column.known, values.astype(np.float64), np.nan)


def _best_cuts(cells: FloatArray, masses: FloatArray) -> FloatArray:
    """[columns], bits told by the best cut of each column of [M, columns]."""
    order = np.argsort(cells, axis=0, kind="stable")  # what is unknown comes last
    cells = np.take_along_axis(cells, order, axis=0)
    below = np.cumsum(masses[order], axis=0)  # [M, columns, classes]
    known = np.isfinite(cells)
    total = np.where(known[..., None], masses[order], 0.0).sum(axis=0)
    gains = _gain(below[:-1], total)
    gains[~(cells[:-1] < cells[1:])] = 0.0
    return np.asarray(np.round(gains.max(axis=0, initial=0.0), 6))


def _best_category(column: Column, masses: FloatArray) -> float:
    """Bits told by the best category of a text column."""
    n_classes, size = masses.shape[1], len(column.categories or ())
    of_class = [
        np.bincount(column.values[column.known], masses[column.known, c], size) for c in range(n_classes)
    ]
    inside = np.stack(of_class, axis=1)
    gains = _gain(inside.astype(np.float64), inside.sum(axis=0).astype(np.float64))
    return round(float(gains.max(initial=0.0)), 6)


def _gain(inside: NDArray[np.float64], total: NDArray[np.float64]) -> FloatArray:
    """[...], bits that a literal tells, by class masses [..., classes] of the rows it holds on and of all."""
    return np.asarray(_bits(total) - _bits(inside) - _bits(np.maximum(total - inside, 0.0)))


def _bits(masses: NDArray[np.float64]) -> FloatArray:
    """[...], entropy of class masses [..., classes], times their sum."""
    return np.asarray(_x_log_x(masses.sum(axis=-1)) - _x_log_x(masses).sum(axis=-1))


def _x_log_x(x: NDArray[np.float64]) -> FloatArray:
    return np.asarray(x * np.log2(np.where(x > 0, x, 1.0)))
