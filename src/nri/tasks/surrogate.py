"""Surrogate: a rule that mimics a model, and how faithfully it does."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.errors import InputError
from nri.induce.induce import Induction, induce_rule
from nri.induce.settings import Settings
from nri.induce.validate import cross_validate
from nri.outcome import Outcome, Score
from nri.rows.base import Rows
from nri.rule import Rule
from nri.table.source import table_of
from nri.table.table import Table
from nri.table.target import with_target


@dataclass(frozen=True)
class Surrogate:
    """A rule in a model's place."""

    induction: Induction  # The rule, and the columns that could not be used
    fidelity: Score
    """How well the rule predicts the model's predictions, cross-validated: accuracy of classes or R² of a
    number, beside always predicting what the model predicts most often, or its mean."""

    @property
    def rule(self) -> Rule:
        """The rule."""
        return self.induction.rule


def surrogate_of_model(
    model: Any,
    X: Any,
    *,
    threshold: float | None = None,
    settings: Settings | None = None,
    sample_weight: Any = None,
    rng: np.random.Generator | None = None,
) -> Surrogate:
    """Induce a rule that predicts what a fitted scikit-learn model predicts.

    Parameters
    ----------
    model
        A fitted classifier or regressor. With a threshold its score is used: ``predict`` of a regressor,
        ``predict_proba`` of the last class, or ``decision_function``.
    X : table
        Rows for the model to predict; the rule reads their columns.
    threshold
        Scores above it count as true, others as false.
    settings
        What the rule may be.
    sample_weight : float [M], optional
        How many rows each row stands for.
    rng
        Assigns folds and seeds the models; seeded with 0 by default.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [20, 35, 50, 65, 80] * 12, "dose": [1, 2] * 30})
    >>> model = DecisionTreeClassifier(max_depth=1).fit(X, X.age > 55)
    >>> print(surrogate_of_model(model, X).rule)
    IF  (age > 60)             24 of 24 rows, about 0.97 on new ones
    THEN prediction = true     ELSE false   36 of 36 rows, about 0.99 on new ones
    """
    predicted = np.asarray(model.predict(X) if threshold is None else _scores(model, X))
    if predicted.ndim != 1:
        raise InputError(f"predictions have the shape {predicted.shape}; give a model with one output")
    from nri.sklearn_base import read_weights

    table = table_of(X)
    table = table.with_outcome(_outcome(predicted if threshold is None else predicted > threshold))
    weights = read_weights(sample_weight, len(table))
    table = table if weights is None else table.reweighted(weights)
    return mimic(table, settings, rng=rng or np.random.default_rng(0))


def mimic(
    rows: Table | Rows,
    settings: Settings | None,
    *,
    rng: np.random.Generator,
    step: Callable[[], None] = lambda: None,
) -> Surrogate:
    """Induce a rule for rows whose outcome is a model's predictions, and cross-validate its fidelity."""
    induction = induce_rule(rows, settings, rng=rng)
    return Surrogate(induction, cross_validate(rows, settings, rng=rng, step=step))


def _scores(model: Any, X: Any) -> Any:
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X))[:, -1]
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    return model.predict(X)


def _outcome(predicted: NDArray[Any]) -> Outcome:
    """Return predictions as classes, or as numbers where they have many values."""
    table = table_of({"prediction": predicted, "row": np.arange(len(predicted))})
    column = table.columns["prediction"]
    if not column.known.all():
        raise InputError("the model's predictions have gaps; give rows that it can predict")
    if len(column.distinct()[0]) == 1:
        raise InputError(f"the model predicts {column.cell(0)!r} on every row; give rows that differ")
    return with_target(table, "prediction").explained
