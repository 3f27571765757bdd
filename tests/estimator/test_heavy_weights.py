"""Weights are settled at the door: sums that overflowed hung the search, tiny ones raised from within."""

import datetime as dt
import resource

import numpy as np
import pytest
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st

from nri import NRIClassifier, NRIRegressor, read_table
from nri.errors import InputError
from nri.paper import model as paper
from nri.table.weights import LEAST_ROWS, MOST_ROWS, checked_weights

ROWS = {"a": list(range(10)), "b": ["x", "y"] * 5}
LABELS = [False] * 4 + [True] * 6


@pytest.mark.parametrize("model", ["greedy", "seeded", "paper"])
@pytest.mark.parametrize("weight", [1e308, 1e200, 1e16, 1e-8, 5e-324])
def test_weights_that_stand_for_no_number_of_rows_are_refused(model, weight):
    with pytest.raises(InputError, match=r"sample_weight stand for .* rows.*divide them by"):
        NRIClassifier(model).fit(ROWS, LABELS, sample_weight=[weight] * 10)


def test_weights_of_a_column_are_refused_alike():
    with pytest.raises(InputError, match=r"weights 'w' stand for more than 1e\+12 rows"):
        read_table({**ROWS, "w": [1e308] * 10, "y": LABELS}, "y", weights="w")


@pytest.mark.parametrize("model", ["greedy", "seeded", "paper", "paper-tuned", "paper-feedback"])
@pytest.mark.parametrize("weight", [9e10, 7e8, 1e-6])
def test_weights_within_the_limits_give_the_rule_that_the_rows_ask_for(model, weight):
    clf = NRIClassifier(model).fit(ROWS, LABELS, sample_weight=[weight] * 10)
    assert len(clf.predict(ROWS)) == 10
    if weight > 1 and "paper" not in model:
        assert clf.predict(ROWS).tolist() == LABELS


def test_a_row_that_weighs_nothing_beside_another_is_absent():
    """[1, 5e-324] raised from the council of experts."""
    with_dust = NRIClassifier().fit(
        {"a": [*ROWS["a"], 3]}, [*LABELS, True], sample_weight=[1.0] * 10 + [5e-324]
    )
    without = NRIClassifier().fit({"a": ROWS["a"]}, LABELS)
    assert with_dust.rule_ == without.rule_


def test_one_row_that_outweighs_all_others_leaves_chances_that_are_numbers():
    """Its ridge was lost in rounding, and the experts' opinions were not numbers."""
    first, second, third, last = (
        dt.date(*day) for day in [(2008, 12, 30), (2010, 12, 28), (2022, 3, 25), (2025, 2, 17)]
    )
    days = [second, third, first, third, second, third, second, second, last, second, third, third]
    rows = {"word": list("xbaxaxxxabbx"), "day": days}
    labels = [5, 8, 3, 5, 10, 11, 6, 1, 9, 5, 8, 10]
    clf = NRIClassifier().fit(rows, labels, sample_weight=[1212550953] + [1] * 11)
    np.testing.assert_allclose(clf.posterior_proba(rows).sum(axis=1), 1, rtol=1e-5)


def test_heavy_rows_are_shown_to_the_papers_network_only_so_often():
    """Weights [7e8] * 5 took 1.7 GB."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    NRIClassifier("paper").fit({"a": [1, 2, 3, 4, 5]}, [0, 0, 1, 1, 1], sample_weight=[7e8] * 5)
    assert paper.MAX_ROWS == 50_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 500 * 1024


@settings(max_examples=usually(13, 40), deadline=None)
@given(st.lists(st.floats(0, 1.8e308), min_size=10, max_size=10))
def test_any_weights_are_used_or_refused(weights):
    for estimator in (NRIClassifier("greedy"), NRIRegressor()):
        try:
            estimator.fit(ROWS, LABELS, sample_weight=weights)
        except InputError:
            continue
        assert LEAST_ROWS <= np.sum(checked_weights(np.array(weights), "w")) <= MOST_ROWS
