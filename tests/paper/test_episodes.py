from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nri.episode import literal_truth
from nri.errors import ConfigError
from nri.paper.episodes import PaperEpisodes, PaperPreset, paper_episodes

PRESET = PaperPreset()
quick = settings(deadline=None, max_examples=20)
presets = st.builds(
    PaperPreset,
    label_noise=st.sampled_from([0.0, 0.2]),
    missing=st.sampled_from([0.0, 0.3]),
    n_spurious=st.sampled_from([0, 3]),
    shuffle_columns=st.booleans(),
    even_share=st.sampled_from([0.0, 0.5]),
)


@pytest.fixture(scope="module")
def many() -> PaperEpisodes:
    return paper_episodes(PRESET, seed=0, start=0, count=4000)


@quick
@given(presets, st.integers(0, 2**63), st.integers(0, 10**9), st.integers(1, 6), st.integers(0, 5))
def test_an_episode_depends_on_its_seed_and_index_alone(
    preset: PaperPreset, seed: int, start: int, count: int, offset: int
) -> None:
    offset = min(offset, count - 1)
    batch = paper_episodes(preset, seed, start, count)
    alone = paper_episodes(preset, seed, start + offset, 1)
    for name, array in vars(batch).items():
        np.testing.assert_array_equal(array[offset], getattr(alone, name)[0], err_msg=name)


@quick
@given(presets, st.integers(0, 1000))
def test_labels_follow_the_true_rule(preset: PaperPreset, seed: int) -> None:
    preset = replace(preset, label_noise=0.0, missing=0.0)
    batch = paper_episodes(preset, seed, 0, 5)
    for b in range(5):
        holds = literal_truth(batch.values[b], batch.known[b])
        clauses = [clause for clause in batch.clauses[b] if clause.any()]
        expected = [any(holds[m, clause].all() for clause in clauses) for m in range(preset.max_rows)]
        np.testing.assert_array_equal(batch.labels[b], np.array(expected) & batch.row_valid[b])


@quick
@given(presets, st.integers(0, 1000))
def test_padding_is_empty_and_valid_parts_come_first(preset: PaperPreset, seed: int) -> None:
    batch = paper_episodes(preset, seed, 0, 4)
    inside = batch.row_valid[:, :, None] & batch.variable_valid[:, None, :]
    assert not (batch.values & ~inside).any()
    assert not (batch.known & ~inside).any()
    assert not (batch.values & ~batch.known).any()
    assert not (batch.labels & ~batch.row_valid).any()
    for valid in (batch.row_valid, batch.variable_valid):
        assert (np.diff(valid.astype(int), axis=1) <= 0).all()
    assert not (batch.clauses & np.tile(~batch.variable_valid | batch.spurious, 2)[:, None]).any()


def test_sizes_are_uniform_over_the_stated_ranges(many: PaperEpisodes) -> None:
    n_variables = many.variable_valid.sum(1) - PRESET.n_spurious
    n_rows = many.row_valid.sum(1)
    n_clauses = many.clauses.any(2).sum(1)
    for drawn, least, most in ((n_variables, 6, 12), (n_rows, 24, 48), (n_clauses, 1, 6)):
        counts = np.bincount(drawn, minlength=most + 1)
        assert not counts[:least].any()
        expected = len(drawn) / (most - least + 1)
        assert np.abs(counts[least:] - expected).max() < 5 * np.sqrt(expected)
    lengths = many.clauses.sum(2)[many.clauses.any(2)]
    np.testing.assert_allclose(np.bincount(lengths)[1:] / len(lengths), 0.25, atol=0.03)


def test_literals_are_balanced_in_sign_and_no_variable_occurs_twice_in_a_clause(many: PaperEpisodes) -> None:
    positive, negative = np.split(many.clauses, 2, 2)
    assert not (positive & negative).any()
    assert abs(positive.sum() / many.clauses.sum() - 0.5) < 0.01


def test_spurious_columns_are_independent_of_the_label_overall(many: PaperEpisodes) -> None:
    spurious = many.values[many.row_valid][:, :]
    which = np.repeat(many.spurious, many.row_valid.sum(1), 0)
    labels = many.labels[many.row_valid]
    for value in (True, False):
        rate = spurious[labels == value][which[labels == value]].mean()
        assert abs(rate - 0.5) < 0.01


def test_spurious_columns_follow_the_label_within_an_environment() -> None:
    """Seen through each other: two spurious columns agree with probability 0.7^2 + 0.3^2 given the label."""
    batch = paper_episodes(replace(PRESET, min_variables=12, n_spurious=2), seed=1, start=0, count=2000)
    first, second = batch.values[..., 12][batch.row_valid], batch.values[..., 13][batch.row_valid]
    assert abs((first == second).mean() - 0.58) < 0.01


def test_noise_and_missing_cells_come_at_the_stated_rates() -> None:
    batch = paper_episodes(replace(PRESET, label_noise=0.2, missing=0.3), seed=1, start=0, count=1000)
    inside = batch.row_valid[:, :, None] & batch.variable_valid[:, None, :]
    assert abs((batch.labels != batch.truth)[batch.row_valid].mean() - 0.2) < 0.01
    assert abs((~batch.known)[inside].mean() - 0.3) < 0.01


def test_spurious_columns_come_last_unless_shuffled() -> None:
    ordered = paper_episodes(PRESET, seed=0, start=0, count=50)
    shuffled = paper_episodes(replace(PRESET, shuffle_columns=True), seed=0, start=0, count=50)
    last = ordered.variable_valid.sum(1)
    assert all(ordered.spurious[b, n - 3 : n].all() for b, n in enumerate(last))
    assert not all(shuffled.spurious[b, n - 3 : n].all() for b, n in enumerate(last))
    np.testing.assert_array_equal(shuffled.labels, ordered.labels)


def test_one_shape_of_rule_can_be_asked_for() -> None:
    preset = replace(PRESET, min_clauses=3, max_clauses=3, min_literals=2, max_literals=2)
    assert (paper_episodes(preset, seed=0, start=0, count=20).clauses.sum(2) == 2).all()


def test_an_episode_can_be_taken_out_without_padding() -> None:
    batch = paper_episodes(PRESET, seed=0, start=0, count=3)
    episode = batch.episode(2)
    assert len(episode) == batch.row_valid[2].sum()
    assert episode.n_variables == batch.variable_valid[2].sum()
    assert episode.labels.sum() == batch.labels[2].sum()


@pytest.mark.parametrize(
    "mistake",
    [{"min_rows": 99}, {"min_literals": 7, "max_literals": 7}, {"missing": 1.5}, {"n_spurious": -1}],
)
def test_impossible_presets_are_refused(mistake: dict[str, float]) -> None:
    with pytest.raises(ConfigError, match=next(iter(mistake))):
        replace(PRESET, **mistake)


def test_own_rates_corrupt_about_half_of_the_episodes_and_leave_the_rules_alone() -> None:
    preset = PaperPreset(max_label_noise=0.4, max_missing=0.4)
    plain, drawn = (paper_episodes(p, 5, 0, 400) for p in (PaperPreset(), preset))
    np.testing.assert_array_equal(plain.truth, drawn.truth)
    flipped = (drawn.labels != drawn.truth).sum(1) / drawn.row_valid.sum(1)
    holes = (plain.known & ~drawn.known).sum((1, 2)) / plain.known.sum((1, 2))
    for share in (flipped, holes):
        assert 0.4 < (share > 0).mean() < 0.6
        assert 0.2 < share.max() <= 0.6
    assert abs(np.corrcoef(flipped > 0, holes > 0)[0, 1]) < 0.15
    alone = paper_episodes(preset, 5, 17, 1)
    np.testing.assert_array_equal(alone.known[0], drawn.known[17])


def test_even_rules_have_clauses_of_one_length_led_by_different_variables():
    """Four clauses of one literal, drawn freely, often repeat a literal or deny it."""
    preset = PaperPreset(min_clauses=4, max_clauses=4, max_literals=3, even_share=1.0)
    rules = paper_episodes(preset, 3, 0, 200).clauses
    lengths = rules.sum(axis=2)
    assert (lengths == lengths[:, :1]).all()
    assert set(lengths[:, 0]) == {1, 2, 3}
    variables = rules[:, :, :15] | rules[:, :, 15:]
    single = variables[lengths[:, 0] == 1]
    assert (single.sum(axis=1) <= 1).all()


def test_a_share_of_even_rules_leaves_the_other_episodes_as_they_were():
    plain, half = (paper_episodes(PaperPreset(even_share=share), 5, 0, 400) for share in (0.0, 0.5))
    same = (plain.clauses == half.clauses).all(axis=(1, 2))
    assert 0.4 < same.mean() < 0.75
    np.testing.assert_array_equal(plain.values[same], half.values[same])
