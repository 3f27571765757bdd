"""Published rule learners behind the scikit-learn face; their packages are imported at fit."""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin

from nri_bench.arrays import FloatArray, IntArray
from nri_bench.methods.dnf import Conjunction, DNFClassifier
from nri_bench.methods.size import NOTHING, RuleSize


class RipperClassifier(DNFClassifier):
    """RIPPER as wittgenstein implements it, describing the rarer class of the support.

    Rows are scored from the clauses' precision on the support, because the package's own
    ``predict_proba`` takes minutes on large tables; the predicted class is the package's.
    """

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def _induce(self, X: FloatArray, y: IntArray) -> tuple[int, Sequence[Conjunction]]:
        import wittgenstein

        positive = int(np.argmin(np.bincount(y, minlength=2)))
        frame = pd.DataFrame(X.astype(np.int64), columns=[f"v{i}" for i in range(X.shape[1])])
        model = wittgenstein.RIPPER(random_state=self.random_state)
        with warnings.catch_warnings(record=True):  # it shows them past every filter
            model.fit(frame, y=y, pos_class=positive)
        clauses = [
            tuple((int(cond.feature[1:]), bool(int(cond.val))) for cond in rule.conds)
            for rule in model.ruleset_.rules
        ]
        self.note_ = "" if clauses else "empty rule set: predicts the majority"
        return positive, clauses


class RuleFitClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """imodels' RuleFit for two classes, its linear score read as the log-odds that it is.

    The package compares log-odds with one half instead of zero; here the threshold is zero. A fit whose
    every weight is zero predicts the majority and says so.
    """

    classes_: Any

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: FloatArray, y: Any) -> Self:
        """Fit rules and weights."""
        from imodels import RuleFitClassifier as PublishedRuleFit

        X = np.asarray(X, dtype=np.float64)
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.n_features_in_ = X.shape[1]
        self.model_: Any = None
        self.share_ = float(codes.mean())
        if len(self.classes_) > 1:
            self.model_ = PublishedRuleFit(random_state=self.random_state).fit(X, codes)
        weightless = self.model_ is None or not np.any(np.asarray(self.model_.coef))
        self.note_ = "every weight is zero: predicts the majority" if weightless else ""
        return self

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """[M, 2] logistic of the linear score."""
        if self.note_:
            score = np.full(len(X), self.share_)
        else:
            # the public predict_proba takes a softmax over (1 - s, s); s is what the fitted logistic gives
            score = expit(self.model_._predict_continuous_output(np.asarray(X, dtype=np.float64)))
        return np.column_stack([1 - score, score])

    def predict(self, X: FloatArray) -> Any:
        """[M] the class with the larger score."""
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, len(X))
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def rule_size(self) -> RuleSize:
        """Rules with a weight, each linear term counting as a clause of one literal."""
        if self.model_ is None:
            return NOTHING
        n_linear = int(np.count_nonzero(np.asarray(self.model_.coef)[: self.n_features_in_]))
        rules = self.model_.rules_without_feature_names_
        literals = sum(str(rule).count(" and ") + 1 for rule in rules)
        return RuleSize(len(rules) + n_linear, literals + n_linear)


class FIGSClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """imodels' FIGS, with answers that the seed decides.

    The package keeps its ``random_state`` to itself: among equally good splits it takes one by numpy's
    global generator, so that two fits with one seed differ.
    """

    classes_: Any

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: FloatArray, y: Any) -> Self:
        """Grow the sum of trees."""
        from imodels import FIGSClassifier as PublishedFIGS

        with _global_numpy_seed(self.random_state):
            self.model_ = PublishedFIGS(random_state=self.random_state).fit(X, y)
        self.classes_ = self.model_.classes_
        self.trees_ = self.model_.trees_
        return self

    def predict_proba(self, X: FloatArray) -> FloatArray:
        """[M, C] class chances as the package gives them."""
        return np.asarray(self.model_.predict_proba(X), dtype=np.float64)

    def predict(self, X: FloatArray) -> Any:
        """[M] classes as the package gives them."""
        return self.model_.predict(X)


@contextmanager
def _global_numpy_seed(seed: int | None) -> Iterator[None]:
    """Seed the generator that some packages draw from, and leave it as it was found."""
    before = np.random.get_state()  # noqa: NPY002  # that generator is the matter here
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
