"""Base of the rivals that predict by a DNF over boolean columns: one definition of how they predict."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from nri_bench.arrays import BoolArray, FloatArray, IntArray
from nri_bench.methods.size import RuleSize

Conjunction = tuple[tuple[int, bool], ...]
"""Column and required value, for each literal of a clause."""


def clause_truth(X: FloatArray, clause: Conjunction) -> BoolArray:
    """[M]: the rows on which every literal of the clause holds; a missing cell makes it fail."""
    truth = np.ones(len(X), dtype=bool)
    for column, value in clause:
        truth &= X[:, column] == float(value)
    return truth


class DNFClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn is untyped
    """A two-class classifier that says one class where a clause holds and the other class elsewhere.

    Subclasses fit ``clauses_`` and ``positive_`` by :meth:`_induce`. The score of a row is the
    Laplace-corrected share of the positive class among the support rows of the most precise clause
    that covers it, or among the uncovered rows; it is kept on the side of one half that the rule says.
    """

    classes_: Any
    clauses_: tuple[Conjunction, ...]
    positive_: int
    n_features_in_: int

    def fit(self, X: FloatArray, y: Any) -> Self:
        """Induce the clauses for the class that :meth:`_induce` chooses to describe."""
        X = np.asarray(X, dtype=np.float64)
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        if len(self.classes_) > 2:
            raise ValueError("one DNF separates two classes; wrap it one-vs-rest for more")
        self.n_features_in_ = X.shape[1]
        if len(self.classes_) == 1:
            self.positive_, self.clauses_ = 0, ((),)
        else:
            self.positive_, clauses = self._induce(X, codes.astype(np.int64))
            self.clauses_ = tuple(clauses)
        self._estimate(X, codes == self.positive_)
        return self

    @abstractmethod
    def _induce(self, X: FloatArray, y: IntArray) -> tuple[int, Sequence[Conjunction]]:
        """Return the class that is described, 0 or 1, and its clauses."""

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """[M, 2] scores of the classes (one column if the support had a single class)."""
        X = np.asarray(X, dtype=np.float64)
        score = np.full(len(X), self.default_)
        for clause, precision in zip(self.clauses_, self.precision_, strict=True):
            score = np.where(clause_truth(X, clause), np.maximum(score, precision), score)
        if len(self.classes_) == 1:
            return np.ones((len(X), 1))
        columns = [1 - score, score] if self.positive_ == 1 else [score, 1 - score]
        return np.column_stack(columns)

    def predict(self, X: FloatArray) -> Any:
        """[M] the described class where a clause holds, else the other one."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def rule_size(self) -> RuleSize:
        """Clauses, and literals over all of them."""
        return RuleSize(len(self.clauses_), sum(len(clause) for clause in self.clauses_))

    def _estimate(self, X: FloatArray, positive: BoolArray) -> None:
        uncovered = np.ones(len(X), dtype=bool)
        precision = []
        for clause in self.clauses_:
            truth = clause_truth(X, clause)
            uncovered &= ~truth
            precision.append(max(laplace(positive[truth]), 0.501))
        self.precision_ = tuple(precision)
        self.default_ = min(laplace(positive[uncovered]), 0.499)


def laplace(positive: BoolArray) -> float:
    """Return the share of positive rows, drawn a little towards one half."""
    return float((positive.sum() + 1) / (len(positive) + 2))
