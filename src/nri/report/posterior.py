"""What the readable form costs: the accuracy of the model's own probabilities beside that of its rules."""

from typing import Any

import numpy as np

from nri.episode import IntArray
from nri.errors import InputError
from nri.induction import LabelledTable, Settings
from nri.report.curve import part_of
from nri.rule.labels import label_array
from nri.validate import Accuracy, accuracy_of


def posterior_accuracy(
    table: LabelledTable, settings: Settings, fold: IntArray, seed: int, positive: int | None
) -> Accuracy | None:
    """Return how often the likeliest class is right on held-out rows, None if the model has no probabilities.

    Parameters
    ----------
    table, settings, positive
        As for :func:`nri.induction.induce_ruleset`.
    fold
        [M], the folds that the rules were cross-validated on, so that the two can be compared.
    seed
        Of the classifiers.
    """
    right = np.zeros(len(table.codes), dtype=bool)
    labels = label_array(table.classes)
    for k in range(int(fold.max()) + 1):
        inside, outside = part_of(table, fold != k), part_of(table, fold == k)
        classifier = _classifier(settings, seed, None if positive is None else table.classes[positive])
        if not _has_posterior(classifier):
            return None
        classifier.fit(inside.features, labels[inside.codes], sample_weight=inside.weights)
        if not hasattr(classifier, "posterior_proba"):
            return None
        try:
            believed = np.asarray(classifier.posterior_proba(outside.features))
        except InputError:  # this model knows no more than its rule says
            return None
        likeliest = believed.argmax(axis=1)
        right[fold == k] = classifier.classes_[likeliest] == labels[outside.codes]
    return accuracy_of(right, table.weights)


def _classifier(settings: Settings, seed: int, positive: Any) -> Any:
    from nri.estimator import NRIClassifier  # heavy: it brings scikit-learn

    columns: Any = None if settings.use is None else list(settings.use)
    if settings.never:
        columns = dict.fromkeys(settings.never, False) | dict.fromkeys(settings.use or (), True)
    return NRIClassifier(
        settings.model,
        max_clauses=settings.max_clauses,
        max_literals=settings.max_literals,
        columns=columns,
        require=list(settings.require),
        negations=settings.negations,
        min_precision=settings.min_precision,
        binarize=settings.binarize,
        positive=positive,
        random_state=seed,
    )


def _has_posterior(classifier: Any) -> bool:
    """Whether its class offers probabilities at all; whether this model does shows after fitting."""
    return hasattr(type(classifier), "posterior_proba")
