"""Helpers of the tests of reports."""

from typing import Any

import numpy as np
import pandas as pd

from nri.induce.path import Induction, LabelledTable, Settings, induce_rules
from nri.rule import Literal, Op


def labelled(frame: pd.DataFrame, y: Any, weights: Any = None, target: str = "y") -> LabelledTable:
    """Make a table whose classes are the distinct labels."""
    classes, codes = np.unique(np.asarray(y, dtype=object), return_inverse=True)
    return LabelledTable(frame, codes.astype(np.int64), tuple(classes), target, weights)


def induced(table: LabelledTable, settings: Settings | None = None) -> Induction:
    return induce_rules(table, settings, rng=np.random.default_rng(0))


def holds(literal: Literal, row: dict[str, Any]) -> bool:
    """The truth of a literal, written anew and plainly."""
    cell = row[literal.column]
    if pd.isna(cell):
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
