"""What a rule says about the rows of a table, as columns to put beside them."""

import itertools
import logging

import numpy as np
import pandas as pd

from nri.induce.resample import accuracy_of
from nri.rule import Kind, RuleSet
from nri.rule.labels import label_array
from nri.table.cells import read_cells
from nri.table.coerce import coerce
from nri.table.columns import columns_of

_LOGGER = logging.getLogger(__name__)


def predictions(ruleset: RuleSet, table: pd.DataFrame) -> pd.DataFrame:
    """Return the predicted class and its probability for each row."""
    columns = columns_of(table, ruleset.columns, ruleset.kinds)
    index = ruleset.predict_index(columns, len(table))
    probability = ruleset.predict_proba(columns, len(table))[np.arange(len(table)), index]
    label, chance = (_free(name, table) for name in (f"predicted_{ruleset.target}", "probability"))
    return pd.DataFrame(
        {label: label_array(ruleset.classes)[index], chance: np.round(probability, 4)},
        index=table.index,
    )


def _free(name: str, table: pd.DataFrame) -> str:
    """Return a name that no column of the table has: the one wanted, or the same with a number behind it."""
    if name not in table.columns:
        return name
    free = next(f"{name}_{i}" for i in itertools.count(2) if f"{name}_{i}" not in table.columns)
    _LOGGER.warning("the table has a column %r already; the new one is called %r", name, free)
    return free


def accuracy_on(ruleset: RuleSet, table: pd.DataFrame, predicted: pd.DataFrame) -> str:
    """Return a line on how many predictions are right; empty if the table does not hold the truth."""
    if ruleset.target not in table.columns:
        return ""
    truth = coerce(read_cells(table[ruleset.target]), Kind.TEXT, ruleset.target)
    said = predicted.iloc[:, 0].astype(str).to_numpy(dtype=object)
    known = truth.known
    if not known.any() or not set(truth.values[known]) <= {str(label) for label in ruleset.classes}:
        return ""
    accuracy = accuracy_of(truth.values[known] == said[known])
    return f"accuracy {accuracy} on the {int(known.sum())} rows whose {ruleset.target} is known"
