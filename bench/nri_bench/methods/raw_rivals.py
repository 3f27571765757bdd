"""Dnf learners that read categories themselves, RIPPER and RuleKit, on typed frames; imported at fit."""

import warnings
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin

from nri_bench.arrays import BoolArray, FloatArray
from nri_bench.methods.dnf import laplace
from nri_bench.methods.size import NOTHING, RuleSize


class RawRipperClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """wittgenstein's RIPPER for two classes of a frame without gaps, describing the rarer one.

    Numbers are cut into bins by the package. Rows are scored as :class:`~nri_bench.methods.dnf.DNFClassifier`
    does: by the share of the described class among the support rows of the most precise rule that covers
    them, on the side of one half that the rule says.
    """

    classes_: Any

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: pd.DataFrame, y: Any) -> Self:
        """Grow, prune and optimise rules."""
        import wittgenstein

        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.positive_ = int(np.argmin(np.bincount(codes, minlength=2)))
        self.model_ = wittgenstein.RIPPER(random_state=self.random_state)
        with warnings.catch_warnings(record=True):  # it shows them past every filter
            self.model_.fit(_plain(X), y=codes, pos_class=self.positive_)
        self.note_ = "" if self.model_.ruleset_.rules else "empty rule set: predicts the majority"
        covered = self._covered(X)
        described = codes == self.positive_
        self.precision_ = [max(laplace(described[truth]), 0.501) for truth in covered]
        self.default_ = min(laplace(described[~np.any([*covered, np.zeros(len(X), bool)], axis=0)]), 0.499)
        return self

    def predict_proba(self, X: pd.DataFrame) -> FloatArray:
        """[M, 2]"""
        score = np.full(len(X), self.default_)
        for truth, precision in zip(self._covered(X), self.precision_, strict=True):
            score = np.where(truth, np.maximum(score, precision), score)
        return np.column_stack([1 - score, score] if self.positive_ == 1 else [score, 1 - score])

    def predict(self, X: pd.DataFrame) -> Any:
        """[M] the described class where a rule holds, else the other one."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def rule_size(self) -> RuleSize:
        """Rules, and conditions over all of them."""
        rules = self.model_.ruleset_.rules
        return RuleSize(len(rules), sum(len(rule.conds) for rule in rules))

    def _covered(self, X: pd.DataFrame) -> list[BoolArray]:
        """[rules] of [M]: which rows each rule covers, in the package's own bins."""
        binned = self.model_.bin_transformer_.transform(_plain(X))
        covered = []
        for rule in self.model_.ruleset_.rules:
            truth = np.ones(len(X), dtype=bool)
            for condition in rule.conds:
                truth &= (binned[condition.feature] == condition.val).to_numpy(bool)
            covered.append(truth)
        return covered


class RuleKitClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """RuleKit's classification rules with its defaults; any number of classes, categories and gaps.

    It fails on names, texts and labels that are not plain and on columns without cells, so it is given
    numbered ones, the labels as a named series on a fresh index, and no column that is empty in the support.
    Its Java machine starts with the first fit of a process.
    """

    classes_: Any

    def fit(self, X: Any, y: Any) -> Self:
        """Induce rules by separate and conquer."""
        from rulekit import RuleKit
        from rulekit.classification import RuleClassifier

        if not RuleKit.initialized:
            RuleKit.init(initial_heap_size=64, max_heap_size=2048)
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self.model_: Any = None
        if len(self.classes_) > 1:
            frame = pd.DataFrame(X)
            self.texts_ = [_numbered(frame.iloc[:, place]) for place in range(frame.shape[1])]
            labels = pd.Series([f"k{code}" for code in codes], name="label")
            self.model_ = RuleClassifier().fit(self._recoded(frame), labels)
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """[M, C] the votes of the rules; where none votes, all classes alike but for the most frequent."""
        if self.model_ is None:
            return np.ones((len(X), 1))
        order = [int(label[1:]) for label in self.model_.label_unique_values]
        votes = np.asarray(self.model_.predict_proba(self._recoded(pd.DataFrame(X))), dtype=np.float64)
        chances = np.zeros((len(X), len(self.classes_)))
        chances[:, order] = votes
        total = chances.sum(axis=1, keepdims=True)
        return np.where(total > 0, chances / np.where(total > 0, total, 1), 1 / len(self.classes_))

    def predict(self, X: Any) -> Any:
        """[M] as the package says."""
        if self.model_ is None:
            return np.repeat(self.classes_, len(X))
        labels = self.model_.predict(self._recoded(pd.DataFrame(X)))
        return self.classes_[[int(str(label)[1:]) for label in labels]]

    def rule_size(self) -> RuleSize:
        """Rules, and conditions over all of them."""
        if self.model_ is None:
            return NOTHING
        rules = self.model_.model
        return RuleSize(len(rules.rules), round(rules.calculate_conditions_count() * len(rules.rules)))

    def _recoded(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the frame with numbered columns, numbered categories, numbers as floats."""
        columns: dict[str, pd.Series[Any]] = {}
        for place, texts in enumerate(self.texts_):
            column = frame.iloc[:, place]
            if texts is None:
                columns[f"c{place}"] = pd.Series(column.to_numpy(np.float64, na_value=np.nan))
            elif texts:  # objects, since in a column of strings a gap would reach Java as a number
                columns[f"c{place}"] = pd.Series(_in_numbers(column, texts), dtype=object)
        return pd.DataFrame(columns)


def _numbered(column: "pd.Series[Any]") -> dict[str, str] | None:
    """Return a plain name for each category of a column; None for a column of numbers."""
    known = column.dropna()
    if column.dtype != object and len(known):
        return None
    return {text: f"v{number}" for number, text in enumerate(sorted(known.unique()))}


def _in_numbers(column: "pd.Series[Any]", texts: dict[str, str]) -> list[str | None]:
    """Return the plain names of cells; one that is none of the categories is a strange value, not a gap."""
    if column.isna().all():
        return ["strange"] * len(column)  # it refuses columns without cells, and no rule asks for this one
    return [
        texts.get(text, "strange") if known else None
        for text, known in zip(column, column.notna(), strict=True)
    ]


def _plain(X: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with numbered columns, since the package splits its rules on signs in names."""
    return X.set_axis([f"c{place}" for place in range(X.shape[1])], axis="columns").reset_index(drop=True)
