from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from nri.outcome import Classes, Score
from nri.outcome.score import LEVEL, Z, wilson


def test_intervals_end_where_the_normal_curve_says():
    assert pytest.approx(NormalDist().inv_cdf(0.5 + LEVEL / 2), abs=1e-12) == Z


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_that_of_wilson(counts):
    right, n = counts
    expected = binomtest(right, n).proportion_ci(0.95, method="wilson")
    found = wilson(right / n, n)
    assert found.low == pytest.approx(expected.low, abs=1e-9)
    assert found.high == pytest.approx(expected.high, abs=1e-9)


def test_no_rows_tell_nothing():
    assert (wilson(0.0, 0).low, wilson(0.0, 0).high) == (0.0, 1.0)


def test_weights_count_in_the_accuracy():
    ill = Classes("ill", ("no", "yes"), np.array([0, 1]))
    assert ill.score(np.array([0, 0]), np.array([3.0, 1.0])).value == pytest.approx(0.75)
    assert ill.score(np.array([0, 0]), np.ones(2)).error == pytest.approx(np.sqrt(0.25 / 2))


def test_a_rule_is_doubted_where_a_constant_does_as_well():
    ill = Classes("ill", (False, True), np.repeat([0, 1], [30, 10]))
    always = ill.score(np.zeros(40, dtype=int), np.ones(40))
    assert (always.baseline, always.constant) == (0.75, "false")
    assert "no better than always predicting false (0.75)" in always.warning
    assert Score("accuracy", 0.76, 0.01, 0.75, "false").warning == ""
