"""Predictions: what a rule predicts for the rows of a table, as columns beside them, and how good that is."""

import itertools
import logging
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nri.arrays import IntArray
from nri.outcome import Score
from nri.rule import ClassTarget, NumberTarget, Rule
from nri.rule.column import Column, Columns
from nri.rule.labels import label_array
from nri.rule.phrase import phrase_label
from nri.table.by_plan import read_by
from nri.table.cells import fold
from nri.table.source import Source, understand
from nri.table.table import Table
from nri.table.target import labels_as_text

_LOGGER = logging.getLogger(__name__)
_LEAST_ROWS = 20
"""Fewer rows may be predicted by one column by luck."""


def predictions(rule: Rule, source: Source) -> pd.DataFrame:
    """Return for each row what is predicted: a class with its probability, a number, or a risk."""
    return predicted_columns(rule, rule.read(source), len(source), added_names(rule, source.names))


def predicted_columns(rule: Rule, columns: Columns, n_rows: int, names: Sequence[str]) -> pd.DataFrame:
    """Return the predictions of typed rows in columns of these names."""
    decided = rule.decide(columns, n_rows)
    values = [label_array(tuple(one))[decided] for one in _by_branch(rule).values()]
    return pd.DataFrame(dict(zip(names, values, strict=True)))


def added_names(rule: Rule, taken: Sequence[str]) -> list[str]:
    """Return names for the columns of predictions that no column of the table has."""
    return [_free(name, taken) for name in _by_branch(rule)]


def _by_branch(rule: Rule) -> Mapping[str, list[Any]]:
    estimates: Any = rule.estimates
    return rule.predicts.predictions(estimates)


def _free(name: str, taken: Sequence[str]) -> str:
    if name not in taken:
        return name
    free = next(f"{name}_{i}" for i in itertools.count(2) if f"{name}_{i}" not in taken)
    _LOGGER.warning("the table has a column %r already; the new one is called %r", name, free)
    return free


def true_index(rule: Rule, rows: Source | Table) -> IntArray | None:
    """[M]: positions of true labels among the classes, -1 where unknown; None if the table lacks them."""
    if rule.target not in rows.names:
        return None
    if isinstance(rows, Table):
        column, plan = rows.columns[rule.target], rows.plans[rule.target]
    else:
        reading = understand(rows.cells(rule.target))
        column, plan = reading.column, reading.plan
    different, codes = different_cells(column)
    places = {fold(str(label)): place for place, label in enumerate(rule.classes)}
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


@dataclass
class Truth:
    """Counts how good predictions are, rows after rows, where the table holds what is true.

    Concordance of risks compares rows with each other: it cannot be counted so, and there is no score.
    """

    rule: Rule
    known: int = 0
    right: int = 0
    by_class: "Counter[int]" = field(default_factory=Counter)
    strange: bool = False
    """whether the target holds something that is no class of the rule"""
    off: float = 0.0
    missed: float = 0.0
    """sum of squared errors"""
    mean: float = 0.0
    spread: float = 0.0
    """sum of squared distances from the mean"""

    def add(self, rows: Source | Table, predicted: NDArray[Any]) -> None:
        """Take further rows into account."""
        target = self.rule.predicts
        if self.rule.target not in rows.names:
            return
        if isinstance(target, ClassTarget):
            truth = true_index(self.rule, rows)
            self.strange = self.strange or truth is None
            if truth is not None:
                labels = np.array([*map(str, target.classes), ""], dtype=object)
                known = truth >= 0
                self.known += int(known.sum())
                self.by_class.update(truth[known].tolist())
                self.right += int((labels[truth[known]] == predicted[known].astype(str)).sum())
        elif isinstance(target, NumberTarget):
            self._add_numbers(target, rows, predicted)

    def _add_numbers(self, target: NumberTarget, rows: Source | Table, predicted: NDArray[Any]) -> None:
        column = rows.columns[target.name] if isinstance(rows, Table) else None
        column = column or read_by(rows.cells(target.name), target.plan, target.name).column  # type: ignore[union-attr]
        values, predicted = column.values[column.known].astype(np.float64), predicted[column.known]
        if not len(values):
            return
        apart = float(values.mean()) - self.mean
        total = self.known + len(values)
        self.spread += float(((values - values.mean()) ** 2).sum())
        self.spread += apart**2 * self.known * len(values) / total
        self.mean += apart * len(values) / total
        self.known = total
        self.off += float(np.abs(values - predicted).sum())
        self.missed += float(((values - predicted) ** 2).sum())

    @property
    def score(self) -> Score | None:
        """Accuracy or R²; None if the table does not hold the truth."""
        if self.strange or not self.known:
            return None
        if isinstance(self.rule.predicts, NumberTarget):
            explained = 1.0 - self.missed / self.spread if self.spread > 0 else 0.0
            details = {"mean_absolute_error": self.off / self.known}
            return Score("R²", explained, 0.0, 0.0, self.rule.predicts.amount(self.mean), details)
        share = self.right / self.known
        error = math.sqrt(share * (1 - share) / self.known)
        ((most, count),) = self.by_class.most_common(1)
        return Score("accuracy", share, error, count / self.known, phrase_label(self.rule.classes[most]))

    @property
    def text(self) -> str | None:
        """The score and the number of rows in one line; None if the table does not hold the truth."""
        score, target = self.score, self.rule.predicts
        if score is None:
            return None
        if isinstance(target, NumberTarget):
            off = target.amount(score.details["mean_absolute_error"])
            return f"R² {score.value:.2f}, off by {off} on average, on the {self.known} rows"
        return f"accuracy {score} on the {self.known} rows"


def score_text(rule: Rule, rows: Source | Table, predicted: NDArray[Any]) -> str | None:
    """Write how good predictions are, and on how many rows; None if the table does not hold the truth."""
    truth = Truth(rule)
    truth.add(rows, predicted)
    return truth.text


def leaking_column(rule: Rule, table: Table) -> str | None:
    """Return the only column that a rule reads if it predicts every one of at least twenty rows.

    Such a column is often written after the outcome is known, e.g. a diagnosis beside its code.
    """
    if not isinstance(rule.predicts, ClassTarget) or len(rule.columns) != 1 or len(table) < _LEAST_ROWS:
        return None
    right = rule.predict_index(table.columns, len(table)) == table.codes
    return rule.columns[0] if bool((right | (table.weights <= 0)).all()) else None
