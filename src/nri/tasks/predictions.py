"""Predictions: what a rule says about the rows of a table, as columns to put beside them."""

import itertools
import logging
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from nri.induce.estimates import Accuracy, accuracy_of
from nri.regress.validate import fit_of
from nri.rule import RuleSet, Segments, SurvivalRule
from nri.rule.labels import label_array
from nri.table.kinds.category import fold
from nri.table.reading import read_by, understand
from nri.table.source import Source
from nri.table.table import Table
from nri.table.target import labels_as_text

_LOGGER = logging.getLogger(__name__)


def predictions(ruleset: RuleSet | Segments | SurvivalRule, source: Source) -> pd.DataFrame:
    """Return for each row the predicted class and its probability, or the predicted number or risk."""
    columns = ruleset.read(source)
    if isinstance(ruleset, Segments | SurvivalRule):
        said = ruleset.predict(columns, len(source))
        what = "predicted" if isinstance(ruleset, Segments) else "risk"
        return pd.DataFrame({_free(f"{what}_{ruleset.target}", source): said})
    index = ruleset.predict_index(columns, len(source))
    probability = ruleset.predict_proba(columns, len(source))[np.arange(len(source)), index]
    label, chance = (_free(name, source) for name in (f"predicted_{ruleset.target}", "probability"))
    return pd.DataFrame({label: label_array(ruleset.classes)[index], chance: np.round(probability, 4)})


def _free(name: str, source: Source) -> str:
    """Return a name that no column of the table has: the one wanted, or the same with a number behind it."""
    if name not in source.names:
        return name
    free = next(f"{name}_{i}" for i in itertools.count(2) if f"{name}_{i}" not in source.names)
    _LOGGER.warning("the table has a column %r already; the new one is called %r", name, free)
    return free


def true_labels(ruleset: RuleSet, rows: Source | Table) -> NDArray[Any] | None:
    """[M]: true labels as text, None where unknown; None if the table does not hold them."""
    if ruleset.target not in rows.names:
        return None
    if isinstance(rows, Table):
        column, plan = rows.columns[ruleset.target], rows.plans[ruleset.target]
    else:
        found = understand(rows.cells(ruleset.target))
        column, plan = found.column, found.plan
    spelled = {fold(str(label)): str(label) for label in ruleset.classes}
    texts = labels_as_text(column, plan)
    truth = np.array([None if text is None else spelled.get(fold(text), "") for text in texts], dtype=object)
    known = np.array([text is not None for text in truth], dtype=bool)
    return truth if known.any() and all(truth[known]) else None


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
