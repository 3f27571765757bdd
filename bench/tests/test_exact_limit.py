import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import milp

from nri_bench.experiments.synthetic import all_rows, draw_rows, draw_truth
from nri_bench.methods.exact_limit import ExactDNFClassifier, all_conjunctions, clause_bits, undominated


def shortest_by_trying(X, y, max_literals):
    """Fewest bits over all sets of at most three consistent clauses: slow and obvious."""
    clauses, truth = all_conjunctions(X, max_literals)
    usable = [i for i in range(len(clauses)) if not truth[i][~y].any() and truth[i][y].any()]
    bits = [clause_bits(len(clauses[i]), X.shape[1], max_literals) for i in usable]
    best = np.inf
    for size in (1, 2, 3):
        for chosen in itertools.combinations(range(len(usable)), size):
            if truth[[usable[i] for i in chosen]].any(axis=0)[y].all():
                best = min(best, sum(bits[i] for i in chosen))
    return best


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_no_shorter_dnf_agrees_with_the_rows(seed):
    rng = np.random.default_rng(seed)
    truth = draw_truth(rng, 2, 2, 4)
    X = draw_rows(rng, truth, 10)
    y = truth.holds(X)
    model = ExactDNFClassifier(max_literals=2).fit(X, y.astype(int))
    np.testing.assert_array_equal(model.predict(X), y.astype(int))
    bits = sum(clause_bits(len(clause), 4, 2) for clause in model.clauses_)
    assert bits == pytest.approx(shortest_by_trying(X, y, 2))


def test_a_conjunction_is_recovered_from_few_rows():
    rng = np.random.default_rng(0)
    truth = draw_truth(rng, 1, 2, 12)
    X = draw_rows(rng, truth, 64)
    model = ExactDNFClassifier().fit(X, truth.holds(X).astype(int))
    assert model.clauses_ == truth.clauses
    everything = all_rows(12)
    np.testing.assert_array_equal(model.predict(everything).astype(bool), truth.holds(everything))


def test_contradicting_rows_are_an_error():
    X = np.array([[1.0, 0.0], [1.0, 0.0]])
    with pytest.raises(ValueError, match="contradict"):
        ExactDNFClassifier(max_literals=2).fit(X, [0, 1])


def test_every_conjunction_is_listed_once():
    clauses, truth = all_conjunctions(np.zeros((3, 5)), 3)
    assert len(set(clauses)) == len(clauses) == 10 + 40 + 80
    assert truth.shape == (130, 3)


def test_a_clause_that_covers_less_for_more_is_dropped():
    cover = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1], [1, 1, 0]], dtype=bool)
    assert undominated(cover, np.array([1.0, 2.0, 5.0, 1.0])).tolist() == [0, 2]


def test_the_solver_may_not_stop_short_of_the_optimum(monkeypatch):
    """Its own tolerance of 1e-4 is wider than what tells equally short answers apart."""
    asked = []

    def watched(*arguments, options, **others):
        asked.append(options)
        return milp(*arguments, options=options, **others)

    monkeypatch.setattr("nri_bench.methods.exact_limit.milp", watched)
    ExactDNFClassifier(max_literals=2).fit(all_rows(2), [0, 0, 0, 1])
    assert [options["mip_rel_gap"] for options in asked] == [0]
