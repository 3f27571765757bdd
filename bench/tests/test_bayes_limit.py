"""The limit under noise: the posterior of the family, found by drawing, is that of all rules."""

import itertools

import numpy as np
import pytest

from nri_bench.experiments.synthetic import all_rows, draw_rows, draw_truth, flip_labels
from nri_bench.methods.bayes_limit import FamilyPosterior
from nri_bench.methods.exact_limit import all_conjunctions


def chances_by_trying(X, y, rate, asked):
    """Chance of the positive class on rows, over all rules of the family: slow and obvious."""
    clauses, truth = all_conjunctions(X, 3)
    _, on_asked = all_conjunctions(asked, 3)
    total, positive = 0.0, np.zeros(len(asked))
    for length in (1, 2, 3):
        members = [i for i, clause in enumerate(clauses) if len(clause) == length]
        for size in (1, 2, 3):
            rules = list(itertools.combinations(members, size))
            for rule in rules:
                said = truth[list(rule)].any(axis=0)
                if length == 1 and said.all():
                    continue
                wrong = int((said != y).sum())
                weight = (rate / (1 - rate)) ** wrong / len(rules)
                total += weight
                positive += weight * on_asked[list(rule)].any(axis=0)
    return positive / total


@pytest.mark.parametrize("seed", [0, 1])
def test_drawn_rules_vote_as_all_rules_do(seed):
    rng = np.random.default_rng(seed)
    truth = draw_truth(rng, 2, 2, 4)
    X = draw_rows(rng, truth, 40)
    y = flip_labels(rng, truth.holds(X), 0.3)
    everything = all_rows(4)
    exact = chances_by_trying(X, y, 0.3, everything)
    model = FamilyPosterior(0.3).fit(X, y.astype(int))
    clear = np.abs(exact - 0.5) > 0.03  # three standard errors of four thousand draws
    assert clear.any()
    np.testing.assert_array_equal(model.predict(everything)[clear] == 1, exact[clear] > 0.5)
