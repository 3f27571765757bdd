import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nri import InputError
from nri_bench.protocols import splits, thin

labels = st.builds(
    lambda counts, seed: np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts)),
    st.lists(st.integers(1, 60), min_size=2, max_size=5).filter(lambda counts: max(counts) >= 5),
    st.integers(0, 1000),
)
protocols = st.sampled_from(["p20", "p4", "full", "sub20", "sub100"])


@settings(max_examples=60, deadline=None)
@given(labels, protocols, st.integers(0, 50))
def test_support_and_query_never_share_a_row(y, protocol, seed):
    for split in splits(y, protocol, seed):
        assert len(np.intersect1d(split.support, split.query)) == 0
        assert len(np.unique(split.support)) == len(split.support)
        assert len(split.support) > 0
        assert len(split.query) > 0


@settings(max_examples=60, deadline=None)
@given(labels, st.integers(0, 50))
def test_folds_partition_the_rows(y, seed):
    everything = np.arange(len(y))
    for protocol, part in (("p20", "support"), ("full", "query"), ("p4", "query")):
        rows = np.concatenate([getattr(split, part) for split in splits(y, protocol, seed)])
        np.testing.assert_array_equal(np.sort(rows), everything)
    for split in splits(y, "p20", seed):
        np.testing.assert_array_equal(np.sort(np.concatenate([split.support, split.query])), everything)


@settings(max_examples=60, deadline=None)
@given(labels, protocols, st.integers(0, 50))
def test_the_same_seed_gives_the_same_rows(y, protocol, seed):
    for one, two in zip(splits(y, protocol, seed), splits(y, protocol, seed), strict=True):
        np.testing.assert_array_equal(one.support, two.support)
        np.testing.assert_array_equal(one.query, two.query)


@settings(max_examples=60, deadline=None)
@given(labels, st.integers(0, 50))
def test_p4_keeps_every_class_its_training_folds_have(y, seed):
    for full, thinned in zip(splits(y, "full", seed), splits(y, "p4", seed), strict=True):
        assert set(y[thinned.support]) == set(y[full.support])
        assert set(thinned.support) <= set(full.support)


@settings(max_examples=80, deadline=None)
@given(labels, st.floats(0.01, 1.0), st.integers(0, 50))
def test_thinning_keeps_class_shares_to_within_one_row(y, share, seed):
    rows = np.arange(len(y))
    drawn = thin(y, rows, share, np.random.default_rng(seed))
    total = max(len(np.unique(y)), int(share * len(y) + 1e-9))
    for label in np.unique(y):
        exact = total * np.mean(y == label)
        got = np.sum(y[drawn] == label)
        assert max(1, np.floor(exact - 1e-9)) <= got <= max(1, np.floor(exact + 1e-9) + 1)


def test_p4_takes_a_twentieth_of_the_training_folds():
    y = np.repeat([0, 1], [600, 400])
    for split in splits(y, "p4", seed=0):
        assert np.bincount(y[split.support]).tolist() == [24, 16]
        assert len(split.query) == 200


def test_different_seeds_draw_different_rows():
    y = np.repeat([0, 1], 100)
    one, two = next(splits(y, "p4", 0)), next(splits(y, "p4", 1))
    assert set(one.support) != set(two.support)


@pytest.mark.parametrize("name", ["p5", "sub0", "sub101", "subx", ""])
def test_an_unknown_protocol_is_named_in_the_error(name):
    with pytest.raises(InputError, match="no protocol"):
        next(splits(np.repeat([0, 1], 10), name, 0))


def test_too_few_rows_for_five_folds_is_said():
    with pytest.raises(InputError, match="too few"):
        next(splits(np.array([0, 1, 0, 1]), "p20", 0))
