"""One fit and its judgement: the work behind almost every row."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from nri_bench.arrays import FloatArray, IntArray
from nri_bench.methods import RuleSize, get_method, rule_size
from nri_bench.methods.size import NOTHING
from nri_bench.run import Measures

WARM_UP = 0.5
"""Seconds under which a call is repeated for its timing."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Support rows to learn from and query rows to be judged on."""

    X_support: FloatArray
    y_support: IntArray
    X_query: FloatArray
    y_query: IntArray


def fit_and_score(method: str, problem: Problem, seed: int = 0) -> Measures:
    """Fit a method on the support and measure it on the query rows.

    Labels are handed over as 0 .. k-1 without gaps, because a class may be missing from a small support
    and not every method bears that.
    """
    seen, codes = np.unique(problem.y_support, return_inverse=True)
    model, fit_seconds = _timed(lambda: get_method(method).make(seed).fit(problem.X_support, codes))
    predicted, predict_seconds = _timed(lambda: model.predict(problem.X_query))
    answer = seen[np.asarray(predicted).astype(np.int64)]
    size = size_of(method, model, n_classes=len(seen))
    measures: Measures = {
        "accuracy": float(np.mean(answer == problem.y_query)),
        "balanced_accuracy": balanced_accuracy(problem.y_query, answer),
        "auc": _auc(model, problem, seen),
        "fit_seconds": fit_seconds,
        "predict_seconds": predict_seconds,
        "clauses": size.clauses if size else None,
        "literals": size.literals if size else None,
    }
    note = note_of(model)
    return {**measures, "note": note} if note else measures


def size_of(method: str, model: Any, *, n_classes: int) -> RuleSize | None:
    """Return a fitted model's size; what says one class for lack of another has nothing to read.

    Around a single class a one-vs-rest wrapper holds a constant of its own in place of the rule learner.
    """
    chosen = get_method(method)
    if n_classes == 1 and chosen.one_vs_rest and chosen.family == "rules":
        return NOTHING
    return rule_size(model)


def _timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a call gives and its seconds; a quick one is timed the second time.

    A fresh process spends tens of milliseconds on loading what a fit touches for the first time, which
    would drown the fits that take one.
    """
    for _ in range(2):
        started = time.perf_counter()
        result = call()
        seconds = time.perf_counter() - started
        if seconds > WARM_UP:
            break
    return result, seconds


def majority_accuracy(problem: Problem) -> float:
    """Accuracy of the support's most frequent class: what a failed fit is worth."""
    return float(np.mean(problem.y_query == np.argmax(np.bincount(problem.y_support))))


def balanced_accuracy(truth: IntArray, answer: IntArray) -> float:
    """Mean recall over the classes of the query; classes only predicted do not count."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="y_pred contains classes not in y_true")
        return float(balanced_accuracy_score(truth, answer))


def auc(truth: IntArray, scores: FloatArray) -> float | None:
    """Area under the ROC curve; over several classes the mean of one-vs-rest; None if undefined.

    Parameters
    ----------
    truth
        [M] class indices.
    scores
        [M, C] a score for each class; for two classes the second column is taken.
    """
    present = [label for label in range(scores.shape[1]) if 0 < np.sum(truth == label) < len(truth)]
    if scores.shape[1] == 2:
        present = present[1:]
    if not present:
        return None
    return float(np.mean([roc_auc_score(truth == label, scores[:, label]) for label in present]))


def _auc(model: Any, problem: Problem, seen: IntArray) -> float | None:
    if not hasattr(model, "predict_proba"):
        return None
    n_classes = int(max(problem.y_support.max(), problem.y_query.max())) + 1
    scores = np.zeros((len(problem.y_query), n_classes))
    scores[:, seen] = np.asarray(model.predict_proba(problem.X_query))[:, : len(seen)]
    return auc(problem.y_query, scores)


def note_of(model: Any) -> str:
    """Return what a fitted model has to say about itself, e.g. that its rule set is empty."""
    steps = [step for _, step in getattr(model, "steps", [("", model)])]
    parts = [part for step in steps for part in getattr(step, "estimators_", [step])]
    notes = [str(part.note_) for part in parts if getattr(part, "note_", "")]
    return "; ".join(dict.fromkeys(notes))
