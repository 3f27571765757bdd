"""Experts that see numbers: logistic regression is that of scikit-learn, without its import."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from nri.seeded.measures import Logistic


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_logistic_regression_is_that_of_scikit_learn(n_classes):
    rng = np.random.default_rng(n_classes)
    for n_rows, n_columns, strength in [(12, 3, 1.0), (80, 20, 5.0), (200, 60, 0.2)]:
        x = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
        slopes = strength * rng.normal(size=(n_columns, n_classes))
        labels = (x @ slopes + rng.gumbel(size=(n_rows, n_classes))).argmax(axis=1)
        weights = rng.choice([0.5, 1.0, 2.0], size=n_rows)
        mean = np.average(x, axis=0, weights=weights)
        theirs = LogisticRegression(C=1.0, max_iter=10_000, tol=1e-10)
        theirs.fit(x - mean, labels, sample_weight=weights)
        ours = Logistic(x, labels, weights, n_classes).chances(x)
        np.testing.assert_allclose(ours[:, np.unique(labels)], theirs.predict_proba(x - mean), atol=1e-5)


def test_a_class_without_rows_has_no_chance():
    x = np.array([[-1.0], [0.5], [1.0]], dtype=np.float32)
    chances = Logistic(x, np.array([0, 2, 2]), np.ones(3), 4).chances(x)
    assert (chances[:, [1, 3]] == 0).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1)


def test_a_single_class_is_certain():
    x = np.array([[-1.0], [1.0]], dtype=np.float32)
    assert Logistic(x, np.array([1, 1]), np.ones(2), 2).chances(x).tolist() == [[0.0, 1.0], [0.0, 1.0]]
