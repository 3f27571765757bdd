"""Predictions: what a rule says about the rows of a table, as columns to put beside them."""

import itertools
import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nri.arrays import IntArray
from nri.induce.estimates import Accuracy, accuracy_of
from nri.regress.validate import fit_of
from nri.rule import RuleSet, Segments, SurvivalRule
from nri.rule.column import Column, Columns
from nri.rule.labels import label_array
from nri.table.kinds.category import fold
from nri.table.reading import read_by, understand
from nri.table.source import Source
from nri.table.table import Table
from nri.table.target import labels_as_text

_LOGGER = logging.getLogger(__name__)


def predictions(ruleset: RuleSet | Segments | SurvivalRule, source: Source) -> pd.DataFrame:
    """Return for each row the predicted class and its probability, or the predicted number or risk."""
    return said_of(ruleset, ruleset.read(source), len(source), added_names(ruleset, source.names))


def said_of(
    rule: RuleSet | Segments | SurvivalRule, columns: Columns, n_rows: int, names: Sequence[str]
) -> pd.DataFrame:
    """Return what a rule says of each row, in columns of these names."""
    if isinstance(rule, Segments | SurvivalRule):
        return pd.DataFrame({names[0]: rule.predict(columns, n_rows)})
    decided = rule.decide(columns, n_rows)
    index, probability = (values[decided] for values in rule.outcomes)
    return pd.DataFrame({names[0]: label_array(rule.classes)[index], names[1]: np.round(probability, 4)})


def added_names(rule: RuleSet | Segments | SurvivalRule, taken: Sequence[str]) -> list[str]:
    """Return what the columns of predictions are called beside columns of some names."""
    if isinstance(rule, RuleSet):
        return [_free(name, taken) for name in (f"predicted_{rule.target}", "probability")]
    return [_free(f"{'predicted' if isinstance(rule, Segments) else 'risk'}_{rule.target}", taken)]


def _free(name: str, taken: Sequence[str]) -> str:
    """Return a name that no column of the table has: the one wanted, or the same with a number behind it."""
    if name not in taken:
        return name
    free = next(f"{name}_{i}" for i in itertools.count(2) if f"{name}_{i}" not in taken)
    _LOGGER.warning("the table has a column %r already; the new one is called %r", name, free)
    return free


def true_labels(ruleset: RuleSet, rows: Source | Table) -> NDArray[Any] | None:
    """[M]: true labels as text, None where unknown; None if the table does not hold them."""
    index = true_index(ruleset, rows)
    if index is None or not (index >= 0).any():
        return None
    return np.array([*map(str, ruleset.classes), None], dtype=object)[index]  # -1 is the last


def true_index(ruleset: RuleSet, rows: Source | Table) -> IntArray | None:
    """[M]: places of true labels among the classes, -1 where unknown; None if they are not in the table."""
    if ruleset.target not in rows.names:
        return None
    if isinstance(rows, Table):
        column, plan = rows.columns[ruleset.target], rows.plans[ruleset.target]
    else:
        found = understand(rows.cells(ruleset.target))
        column, plan = found.column, found.plan
    different, codes = different_cells(column)
    places = {fold(str(label)): place for place, label in enumerate(ruleset.classes)}
    into = [places.get(fold(text), -1) for text in labels_as_text(different, plan)]
    index = np.where(column.known, np.array([*into, -1], dtype=np.int64)[codes], -1)
    return index if (index[column.known] >= 0).all() else None


def different_cells(column: Column) -> tuple[Column, IntArray]:
    """Return the different cells of a column, and for each row which of them it has."""
    if column.categories is not None:
        every = np.arange(len(column.categories))
        return Column(every, np.ones(len(every), dtype=bool), column.categories), column.values
    values, inverse = np.unique(column.values[column.known], return_inverse=True)
    codes = np.full(len(column), -1, dtype=np.int64)
    codes[column.known] = inverse
    return Column(values, np.ones(len(values), dtype=bool)), codes


def accuracy_on(ruleset: RuleSet, rows: Source, said: NDArray[Any]) -> tuple[Accuracy, int] | None:
    """Return how many labels are right and on how many rows; None if the table does not hold the truth."""
    truth = true_labels(ruleset, rows)
    if truth is None:
        return None
    known = np.array([text is not None for text in truth], dtype=bool)
    right = truth[known] == np.array([str(label) for label in said], dtype=object)[known]
    return accuracy_of(right), int(known.sum())


def judge(rule: RuleSet | Segments | SurvivalRule, rows: Source, said: NDArray[Any]) -> str | None:
    """Tell how good predictions are, and on how many rows; None if the table does not hold the truth."""
    if isinstance(rule, RuleSet):
        judged = accuracy_on(rule, rows, said)
        return None if judged is None else f"accuracy {judged[0]} on the {judged[1]} rows"
    if isinstance(rule, SurvivalRule) or rule.target not in rows.names:
        return None
    found = read_by(rows.cells(rule.target), rule.target_plan, rule.target).column
    if not found.known.any():
        return None
    values = found.values[found.known].astype(np.float64)
    fit = fit_of(values, said[found.known], np.ones(len(values)))
    off = rule.amount(fit.off)
    return f"R² {fit.explained:.2f}, off by {off} on average, on the {len(values)} rows"
