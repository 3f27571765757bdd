from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from search_problems import episodes, random_posterior

from nri.search.candidates import build_pool
from nri.search.joint import _Joint
from nri.search.limits import Limits
from nri.search.objective import DescriptionLength
from nri.search.propose import all_conjunctions
from nri.search.result import decide, estimated_precision
from nri.search.rows import search_rows


@st.composite
def problems(draw):
    """Candidates of three classes, some of them chosen, and a default class."""
    episode = draw(episodes(max_variables=3, n_classes=3))
    posterior = random_posterior(episode, 0) if draw(st.booleans()) else None
    evidence = search_rows(episode, posterior)
    assume((evidence.masses.sum(axis=0) > 0).all())  # clauses of a class without rows decide nothing
    clauses = all_conjunctions(episode.n_variables, np.arange(2 * episode.n_variables), 2)
    pools = [build_pool(evidence.literals, clauses) for _ in range(3)]
    joint = _Joint(pools, evidence, DescriptionLength(), Limits(), max_errors=np.inf)
    chosen = tuple(sorted(draw(st.sets(st.integers(0, 3 * len(pools[0]) - 1), max_size=6))))
    return joint, chosen, draw(st.integers(0, 2))


def plain_errors(joint, chosen, default):
    """Errors of a rule set by the definition of how rules decide."""
    evidence, masses = joint.evidence, joint.evidence.masses
    prior = masses.sum(axis=0) / evidence.total
    truths, precisions = [], []
    for c in range(3):
        truth = joint.truth[[i for i in chosen if joint.owner[i] == c]]
        truths.append(truth)
        precisions.append(
            estimated_precision(truth @ masses[:, c], truth @ evidence.weights, float(prior[c]))
        )
    decided = decide(truths, precisions, default)
    return evidence.total - masses[np.arange(len(decided)), decided].sum()


@settings(deadline=None, max_examples=60)
@given(problems())
def test_errors_are_those_of_what_the_rules_decide(problem):
    joint, chosen, default = problem
    assert joint.errors(chosen, default) == pytest.approx(plain_errors(joint, chosen, default), abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(problems())
def test_another_default_or_a_clause_less_has_the_value_it_has_when_counted_anew(problem):
    joint, chosen, default = problem
    moves = joint.defaults_and_drops(joint.standing(chosen, default), default)
    assert len({move.choice() for move in moves}) == 2 + len(chosen)
    for move in moves:
        rules, other = move.choice()
        errors = np.array(plain_errors(joint, rules, other))
        counted = float(joint.walled(errors, joint.bits[list(rules)].sum()))
        assert move.value == pytest.approx(counted)


@settings(deadline=None, max_examples=60)
@given(problems())
def test_what_a_candidate_adds_is_the_difference_in_errors(problem):
    joint, chosen, default = problem
    added = joint.added(joint.standing(chosen, default))
    before = plain_errors(joint, chosen, default)
    for i in set(range(len(joint.clauses))) - set(chosen):
        after = plain_errors(joint, tuple(sorted((*chosen, i))), default)
        assert added[i] == pytest.approx(before - after, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(problems())
def test_swaps_go_to_the_addition_that_is_best_without_the_clause(problem):
    joint, chosen, default = problem
    standing = joint.standing(chosen, default)
    found = joint.swaps(standing, joint.added(standing), default)
    for gone, swapped in zip(standing.ordered.tolist(), found, strict=True):
        rest = tuple(i for i in chosen if i != gone)
        others = set(range(len(joint.clauses))) - set(rest)
        best = min(joint.value((tuple(sorted((*rest, i))), default)) for i in others)
        assert swapped.value == pytest.approx(joint.value(swapped.choice()), abs=1e-6)
        assert swapped.value == pytest.approx(best, abs=1e-6)


@settings(deadline=None, max_examples=20)
@given(problems())
def test_pairs_summed_in_small_blocks_give_the_same(problem):
    joint, chosen, default = problem
    standing = joint.standing(chosen, default)
    whole = joint.added(standing), joint.changed_without(standing)
    rows = np.arange(len(joint.masses))
    joint.firings = replace(joint.firings, blocks=np.array_split(rows, 3))
    np.testing.assert_allclose(joint.added(standing), whole[0], atol=1e-9)
    np.testing.assert_allclose(joint.changed_without(standing), whole[1], atol=1e-9)
