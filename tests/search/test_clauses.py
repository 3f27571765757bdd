from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nri.search.clauses import clause_array, clause_tuples, in_order, stacked, subsets
from nri.search.propose import all_conjunctions, up_to, without_one

FEW, MANY = 6, 5000  # six literals of so many fit in one word only if they are few


@st.composite
def rows_of_literals(draw):
    """Literals in any order and more than once, with or without room for more."""
    n_literals = draw(st.sampled_from([FEW, MANY]))
    width = draw(st.integers(1, 7))
    literals = st.integers(0, n_literals) | st.integers(n_literals - 2, n_literals)
    rows = draw(st.lists(st.lists(literals, min_size=width, max_size=width), max_size=30))
    return np.array(rows, dtype=np.int64).reshape(-1, width), n_literals


@settings(deadline=None)
@given(rows_of_literals())
def test_clauses_in_order_are_those_of_a_set_of_sorted_tuples(problem):
    index, n_literals = problem
    plain = {tuple(sorted({j for j in row if j < n_literals})) for row in index.tolist()}
    found = clause_tuples(in_order(index, n_literals), n_literals)
    assert list(found) == sorted(plain, key=lambda clause: (len(clause), clause))


@given(st.lists(st.lists(st.integers(0, FEW - 1), max_size=5)))
def test_clauses_come_back_from_an_array_as_they_went_in(clauses):
    plain = tuple(tuple(sorted(set(clause))) for clause in clauses)
    array = clause_array(clauses, FEW)
    assert clause_tuples(array, FEW) == plain
    assert clause_tuples(stacked([array, np.array([[0]])], FEW), FEW) == (*plain, (0,))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_subsets_are_the_combinations_of_each_row(size):
    rows = np.array([[0, 2, 5, 7], [1, 3, 4, 9]])
    expected = [choice for row in rows.tolist() for choice in combinations(row, size)]
    assert [tuple(row) for row in subsets(rows, size).tolist()] == expected


def test_all_conjunctions_leave_out_a_variable_with_its_negation():
    usable = np.array([0, 1, 2, 4, 5])
    plain = {c for k in range(4) for c in combinations(usable.tolist(), k)}
    sound = {clause for clause in plain if len({j % 3 for j in clause}) == len(clause)}
    found = clause_tuples(all_conjunctions(3, usable, 3), 6)
    assert set(found) == sound
    assert len(found) == len(sound)


def test_conjunctions_of_a_row_with_less_literals_are_those_of_the_literals_it_has():
    found = clause_tuples(in_order(up_to(np.array([[5, 1, 8, 8]]), 3, 8), 8), 8)
    assert set(found) - {()} == {(1,), (5,), (1, 5)}


def test_dropping_one_literal_leaves_each_of_the_others():
    clauses = clause_array([(0, 2, 4), (1, 3)], 6)
    found = set(clause_tuples(without_one(clauses), 6))
    assert found == {(0, 2), (0, 4), (2, 4), (1,), (3,), (1, 3)}
