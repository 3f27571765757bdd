"""Helpers of the tests of reports."""

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from nri.induce.induce import Induction, induce_rule
from nri.induce.settings import Settings
from nri.outcome import Classes
from nri.rule import Literal, Op
from nri.table import Table, table_of


def labelled(frame: pd.DataFrame, y: Any, target: str = "y") -> Table:
    """Make a table whose classes are the distinct labels."""
    classes, codes = np.unique(np.asarray(y, dtype=object), return_inverse=True)
    return table_of(frame).with_outcome(Classes(target, tuple(classes), codes.astype(np.int64)))


def records(table: Table) -> list[dict[str, Any]]:
    """The rows as plain cells, None where a cell is missing."""
    return [{name: column.cell(row) for name, column in table.columns.items()} for row in range(len(table))]


def induced(table: Table, settings: Settings | None = None) -> Induction:
    if settings is None:
        return _induced(table)
    return induce_rule(table, settings, rng=np.random.default_rng(0))


@cache
def _induced(table: Table) -> Induction:
    return induce_rule(table, rng=np.random.default_rng(0))


def holds(literal: Literal, row: dict[str, Any]) -> bool:
    """The truth of a literal, written anew and plainly."""
    cell = row[literal.column]
    if cell is None:
        return False
    match literal.op:
        case Op.EQ:
            return bool(cell == literal.value)
        case Op.NE:
            return bool(cell != literal.value)
        case Op.GT:
            return bool(cell > literal.value)
        case Op.LE:
            return bool(cell <= literal.value)
