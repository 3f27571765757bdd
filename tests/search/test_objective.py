import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nri.search.objective import DescriptionLength, ExpectedError, clause_bits, log2_choose

OBJECTIVES = [DescriptionLength(), DescriptionLength(0.3, 0.1), ExpectedError(0.05)]


@pytest.mark.parametrize("objective", OBJECTIVES)
@settings(deadline=None, max_examples=50)
@given(total=st.floats(0.5, 5000), bits=st.floats(0, 100))
def test_cost_never_falls_with_errors_or_bits(objective, total, bits):
    errors = np.linspace(0, total, 200)
    assert (np.diff(objective.cost(errors, np.array(bits), total)) >= -1e-9).all()
    assert objective.cost(errors[3:4], np.array(bits + 1.0), total) > objective.cost(
        errors[3:4], np.array(bits), total
    )


def test_a_consistent_rule_costs_little_data_and_one_error_costs_its_place():
    objective = DescriptionLength()
    clean, one = objective.data_bits(np.array([0.0, 1.0]), 48.0)
    assert clean == pytest.approx(-np.log2(0.4))
    assert one == pytest.approx(-np.log2(0.6) + np.log2(49) + np.log2(48))


def test_data_bits_are_concave_so_that_the_exact_search_may_look_at_corners_only():
    bits = DescriptionLength().data_bits(np.arange(0.0, 101.0), 100.0)
    assert (np.diff(bits, 2) <= 1e-9).all()


def test_binomial_bits_agree_with_whole_numbers():
    assert log2_choose(10.0, np.array([0.0, 3.0])) == pytest.approx([0.0, np.log2(120)])


def test_longer_clauses_over_more_literals_need_more_bits():
    assert (np.diff(clause_bits(np.arange(6), 40)) > 0).all()
    assert (clause_bits(np.arange(1, 6), 400) > clause_bits(np.arange(1, 6), 40)).all()
    assert clause_bits(np.array([3]), 3)[0] == 5.0  # one way to choose all three, two and three unary bits


def test_with_more_classes_an_error_must_also_name_the_right_one():
    """Without these bits four classes on a few dozen rows were left to the majority."""
    objective, errors, bits = DescriptionLength(), np.array([0.0, 3.0]), np.zeros(2)
    extra = objective.cost(errors, bits, 50.0, 5) - objective.cost(errors, bits, 50.0)
    assert extra == pytest.approx([0.0, 3 * np.log2(4)])
