"""Small classifiers around what is there already: the best literal, a tree read as a DNF, NRI's posterior."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

from nri import NRIClassifier
from nri_bench.arrays import FloatArray, IntArray
from nri_bench.methods.dnf import Conjunction, DNFClassifier
from nri_bench.methods.size import RuleSize


class BestLiteralClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Predict by the one column that makes fewest errors on the support.

    Each of the column's two values stands for the class most frequent with it. A missing cell gets
    the most frequent class of the support.
    """

    classes_: Any

    def fit(self, X: FloatArray, y: Any) -> Self:
        """Choose the column; ties go to the first."""
        X = np.asarray(X, dtype=np.float64)
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.n_features_in_ = X.shape[1]
        one_hot = np.eye(len(self.classes_))[codes]
        held = [np.equal(X, value).astype(np.float64) for value in (0, 1)]
        counts = np.stack([cells.T @ one_hot for cells in held])  # [2, N, C]
        unknown = np.isnan(X).T.astype(np.float64) @ one_hot
        overall = one_hot.sum(axis=0)
        hits = counts.max(axis=2).sum(axis=0) + unknown[:, int(np.argmax(overall))]
        self.column_ = int(np.argmax(hits))
        shares = counts[:, self.column_] + 1e-6 * overall  # an unseen value falls back to the class shares
        self.shares_ = shares / shares.sum(axis=1, keepdims=True)
        self.prior_ = overall / overall.sum()
        return self

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """[M, C] class shares of the support rows with the same value."""
        cells = np.asarray(X, dtype=np.float64)[:, self.column_]
        scores = self.shares_[np.where(cells == 1, 1, 0)]
        return np.asarray(np.where(np.isnan(cells)[:, None], self.prior_, scores))

    def predict(self, X: FloatArray) -> Any:
        """[M] the most frequent class of the row's value."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def rule_size(self) -> RuleSize:
        """One clause of one literal."""
        return RuleSize(1, 1)


class TreeDNFClassifier(DNFClassifier):
    """A decision tree's paths to the leaves of the second class, read as the clauses of a DNF."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def _induce(self, X: FloatArray, y: IntArray) -> tuple[int, Sequence[Conjunction]]:
        tree = DecisionTreeClassifier(random_state=self.random_state).fit(X, y).tree_
        clauses: list[Conjunction] = []
        stack: list[tuple[int, Conjunction]] = [(0, ())]
        while stack:
            node, path = stack.pop()
            if tree.children_left[node] < 0:
                if np.argmax(tree.value[node, 0]) == 1:
                    clauses.append(path)
                continue
            column = int(tree.feature[node])
            stack.append((int(tree.children_right[node]), (*path, (column, True))))
            stack.append((int(tree.children_left[node]), (*path, (column, False))))
        return 1, clauses


class PosteriorClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Predicts by what stands behind the seeded rule, experts and network: what being readable costs."""

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the seeded model; its rule is not used."""
        self.model_ = NRIClassifier("seeded", random_state=self.random_state).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    @classmethod
    def around(cls, fitted: NRIClassifier) -> Self:
        """Return the posterior of a seeded model that is fitted already."""
        posterior = cls()
        posterior.model_, posterior.classes_ = fitted, fitted.classes_
        return posterior

    def predict_proba(self, X: Any) -> FloatArray:
        """[M, n_classes]"""
        if len(self.classes_) == 1:
            return np.ones((len(X), 1))
        return self.model_.posterior_proba(X)

    def predict(self, X: Any) -> Any:
        """[M]"""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
