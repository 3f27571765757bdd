"""The wide prior gives episodes that are well formed, varied and repeatable."""

import numpy as np
import pytest

from nri.synth import (
    WidePrior,
    dnf_truth,
    one_of_many,
    probability,
    random_dnf,
    tree_score,
    validation_suite,
)


def batches(prior: WidePrior, count: int):
    return [prior.draw(np.random.default_rng([7, i])) for i in range(count)]


def test_a_batch_depends_only_on_its_seed_and_index():
    prior = WidePrior(max_rows=60, max_columns=20)
    forwards = [prior.draw(np.random.default_rng([5, i])) for i in (0, 1, 2)]
    backwards = [prior.draw(np.random.default_rng([5, i])) for i in (2, 1, 0)][::-1]
    for one, other in zip(forwards, backwards, strict=True):
        assert np.array_equal(one.values, other.values)
        assert np.array_equal(one.labels, other.labels)


def test_every_batch_is_well_formed():
    for batch in batches(WidePrior(), 60):
        B, rows, N = batch.values.shape
        assert batch.known.shape == (B, rows, N)
        assert batch.truth.shape == (B, rows)
        assert batch.n_support == rows - 32
        assert not (batch.values & ~batch.known).any()
        assert np.isfinite(batch.truth).all()
        assert batch.truth.min() >= 0
        assert batch.truth.max() <= 1
        if batch.clauses is not None:
            assert batch.clauses.shape[0] == B
            assert batch.clauses.shape[2] == 2 * N


def test_the_prior_covers_small_and_large_tables_missing_cells_and_imbalance():
    drawn = batches(WidePrior(), 200)
    supports = [b.n_support for b in drawn]
    widths = [b.values.shape[2] for b in drawn]
    assert min(supports) < 10
    assert max(supports) > 350
    assert min(widths) <= 5
    assert max(widths) > 90
    assert any(not b.known.all() for b in drawn)
    assert any(b.clauses is None for b in drawn)
    assert any(b.clauses is not None for b in drawn)
    shares = np.concatenate([b.labels.mean(axis=1) for b in drawn])
    assert (shares < 0.15).any()
    assert (shares > 0.85).any()


def test_larger_tables_come_in_smaller_batches():
    prior = WidePrior(min_rows=500, max_rows=512, min_columns=120, max_columns=128)
    assert len(prior.draw(np.random.default_rng(0)).values) == 2


def test_dnf_labels_agree_with_a_slow_evaluation():
    rng = np.random.default_rng(1)
    columns = rng.random((3, 20, 6)) < 0.5
    clauses = random_dnf(rng, columns)
    fast = dnf_truth(clauses, columns)
    for b in range(3):
        for r in range(20):
            literals = np.concatenate([columns[b, r], ~columns[b, r]])
            slow = any(c.any() and literals[c].all() for c in clauses[b])
            assert fast[b, r] == slow


def test_every_clause_of_a_random_dnf_holds_somewhere():
    rng = np.random.default_rng(2)
    columns = rng.random((8, 30, 9)) < 0.2
    clauses = random_dnf(rng, columns)
    for k in range(clauses.shape[1]):
        assert dnf_truth(clauses[:, k : k + 1], columns).any(axis=1).all()


def test_a_tree_gives_rows_that_agree_everywhere_the_same_score():
    rng = np.random.default_rng(3)
    columns = np.repeat(rng.random((4, 5, 7)) < 0.5, 2, axis=1)
    score = tree_score(rng, columns, depth=4)
    assert np.array_equal(score[:, ::2], score[:, 1::2])


@pytest.mark.parametrize("seed", range(5))
def test_probabilities_rise_with_the_score(seed):
    rng = np.random.default_rng(seed)
    score = np.sort(rng.standard_normal((3, 50)).astype(np.float32), axis=1)
    assert (np.diff(probability(rng, score), axis=1) >= 0).all()


def test_of_competing_classes_the_one_with_the_higher_score_is_likelier():
    rng = np.random.default_rng(0)
    mine = np.sort(rng.standard_normal((2, 9)).astype(np.float32), axis=1)
    others = [np.zeros((2, 9), dtype=np.float32)] * 2
    p = one_of_many(rng, [mine, *others])
    assert (np.diff(p, axis=1) >= 0).all()
    assert p.min() >= 0
    assert p.max() <= 1


def test_the_validation_suite_is_fixed():
    first, second = validation_suite(4), validation_suite(4)
    assert set(first) == {"small", "middle", "large", "recovery", "noise", "spurious"}
    for name in first:
        assert all(np.array_equal(a.values, b.values) for a, b in zip(first[name], second[name], strict=True))
    noisy = first["noise"][0]
    turned = (noisy.labels != (noisy.truth[:, : noisy.n_support] > 0.5)).mean()
    assert 0.25 < turned < 0.35
