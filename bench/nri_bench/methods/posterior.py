"""The posterior behind the seeded rule as a classifier of its own: what being readable costs."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from nri import NRIClassifier


class PosteriorClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Predicts by what experts and network believe, not by the rule."""

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the seeded model; its rule is not used."""
        self.model_ = NRIClassifier("seeded", random_state=self.random_state).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """[M, n_classes]"""
        if len(self.classes_) == 1:
            return np.ones((len(X), 1))
        return self.model_.posterior_proba(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """[M]"""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
