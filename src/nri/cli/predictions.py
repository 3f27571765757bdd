"""What a rule says about the rows of a table, as columns to put beside them."""

import numpy as np
import pandas as pd

from nri.errors import InputError
from nri.rule import Kind, RuleSet
from nri.rule.labels import label_array
from nri.table.cells import read_cells
from nri.table.coerce import coerce
from nri.table.columns import columns_of
from nri.validate import accuracy_of


def predictions(ruleset: RuleSet, table: pd.DataFrame) -> pd.DataFrame:
    """Return the predicted class and its probability for each row."""
    columns = columns_of(table, ruleset.columns, ruleset.kinds)
    index = ruleset.predict_index(columns, len(table))
    probability = ruleset.predict_proba(columns, len(table))[np.arange(len(table)), index]
    name = f"predicted_{ruleset.target}"
    for taken in (name, "probability"):
        if taken in table.columns:
            raise InputError(f"the table already has a column {taken!r}; rename it")
    return pd.DataFrame(
        {name: label_array(ruleset.classes)[index], "probability": np.round(probability, 4)},
        index=table.index,
    )


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
