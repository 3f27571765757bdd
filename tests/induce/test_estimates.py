import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nri.induce.estimates import Accuracy, accuracy_of, guess_of, wilson
from scipy.stats import binomtest


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
    right = np.array([True, False])
    assert accuracy_of(right, np.array([3.0, 1.0])).mean == pytest.approx(0.75)
    assert accuracy_of(right).error == pytest.approx(np.sqrt(0.25 / 2))


def test_a_rule_is_doubted_where_a_guess_does_as_well():
    guess = guess_of((False, True), [30.0, 10.0])
    assert guess.doubt(Accuracy(0.76, 0.01)) == ""
    assert "no better than always saying false (0.75)" in guess.doubt(Accuracy(0.75, 0.1))
