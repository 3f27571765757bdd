import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from nri.induce.intervals import wilson


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_is_that_of_wilson(counts):
    right, n = counts
    expected = binomtest(right, n).proportion_ci(0.95, method="wilson")
    found = wilson(right / n, n)
    assert found.low == pytest.approx(expected.low, abs=1e-9)
    assert found.high == pytest.approx(expected.high, abs=1e-9)


def test_no_rows_tell_nothing():
    assert (wilson(0.0, 0).low, wilson(0.0, 0).high) == (0.0, 1.0)
