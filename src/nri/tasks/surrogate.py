"""Surrogate: rules that mimic a model, and how faithfully they do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.errors import InputError
from nri.induce.estimates import Accuracy, accuracy_of
from nri.induce.path import Induction, induce_rules
from nri.induce.resample import FOLDS, cross_validate
from nri.induce.settings import Settings
from nri.rule import RuleSet
from nri.table.answers import read_answers
from nri.table.source import table_of
from nri.table.table import Table, Target
from nri.table.target import encode, listed_classes


@dataclass(frozen=True)
class Surrogate:
    """Rules in a model's place."""

    induction: Induction
    """The rules, and the columns that could not be used."""
    fidelity: Accuracy
    """Share of rows on which the rules say what the model says, cross-validated: rows that they were not
    induced from."""
    fidelity_seen: Accuracy
    """The same on the rows that they were induced from."""
    baseline: float
    """Fidelity of always saying what the model says most often."""

    @property
    def ruleset(self) -> RuleSet:
        """The rules."""
        return self.induction.ruleset


def surrogate_of_model(
    model: Any,
    X: Any,
    *,
    threshold: float | None = None,
    settings: Settings | None = None,
    sample_weight: Any = None,
    rng: np.random.Generator | None = None,
) -> Surrogate:
    """Induce rules that say what a fitted scikit-learn model says.

    Parameters
    ----------
    model
        A fitted classifier (``predict``), or with a threshold anything with a score: a regressor's
        ``predict``, else the last class's ``predict_proba``, else ``decision_function``.
    X : table
        Rows to ask the model about. The rules speak in these columns.
    threshold
        Turn scores into yes and no.
    settings
        What the rules may be.
    sample_weight : float [M], optional
        How many rows each row stands for.
    rng
        Deals folds out and seeds the inducers; seeded with 0 by default.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [20, 35, 50, 65, 80] * 12, "dose": [1, 2] * 30})
    >>> model = DecisionTreeClassifier(max_depth=1).fit(X, X.age > 55)
    >>> print(surrogate_of_model(model, X).ruleset)
    IF  (age > 60)             precision 1.00   covers 24 of 60
    THEN prediction = true     ELSE false
    """
    said = np.asarray(model.predict(X)) if threshold is None else np.asarray(_scores(model, X))
    if said.ndim != 1:
        raise InputError(f"the model's answer has shape {said.shape}; give a model with one output")
    from nri.sklearn_inputs import read_weights

    table = table_of(X)
    labelled = table.labelled(_classes_of(said if threshold is None else said > threshold))
    weights = read_weights(sample_weight, len(table))
    return mimic(labelled if weights is None else labelled.reweighted(weights), settings, rng=rng)


def mimic(
    table: Table,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator | None = None,
    folds: int = FOLDS,
    step: Callable[[], None] = lambda: None,
) -> Surrogate:
    """Induce rules for a table whose labels are a model's predictions, and cross-validate their fidelity."""
    rng = rng or np.random.default_rng(0)
    if len(table.classes) < 2:
        said = listed_classes(table.classes)
        raise InputError(f"the model says {said} on every row; give rows on which its answers differ")
    found = induce_rules(table, settings, rng=rng)
    agrees = found.ruleset.predict_index(table) == table.codes
    fidelity = cross_validate(table, settings, rng=rng, folds=folds, step=step)
    baseline = float(table.by_class.max() / table.by_class.sum())
    return Surrogate(found, fidelity, accuracy_of(agrees, table.weights), baseline)


def _scores(model: Any, X: Any) -> Any:
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X))[:, -1]
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict(X)


def _classes_of(answers: NDArray[Any]) -> Target:
    said = table_of({"prediction": answers})
    column = said.columns["prediction"]
    if not column.known.all():
        raise InputError("the model's answers have gaps; give rows that it can judge")
    distinct, _ = column.distinct()
    if len(distinct) == 1:
        raise InputError(
            f"the model says {column.cell(0)!r} on every row; give rows on which its answers differ"
        )
    return encode(read_answers(said, "prediction"))[0]
