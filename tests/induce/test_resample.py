import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nri.induce.path import LabelledTable
from nri.induce.resample import Accuracy, accuracy_of, cross_validate, guess_of, stratified_folds


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(2, 6), st.integers(0, 99))
def test_folds_partition_the_rows_and_share_out_every_class(codes, folds, seed):
    codes = np.array(codes)
    fold = stratified_folds(codes, folds, np.random.default_rng(seed))
    used = min(folds, len(codes))
    assert set(fold.tolist()) == set(range(used))
    for code in set(codes.tolist()):
        counts = np.bincount(fold[codes == code], minlength=used)
        assert counts.max() - counts.min() <= 1
    assert np.bincount(fold).max() - np.bincount(fold).min() <= 1


def test_cross_validation_sees_through_a_rule_that_only_remembers():
    rng = np.random.default_rng(0)
    noise = pd.DataFrame(rng.integers(0, 2, (60, 8)), columns=[f"c{i}" for i in range(8)])
    told = noise.assign(answer=np.arange(60) % 2)
    codes = np.arange(60) % 2
    steps = []
    honest = cross_validate(
        LabelledTable(noise, codes, ("no", "yes"), "y"), rng=rng, step=lambda: steps.append(1)
    )
    assert len(steps) == 5
    assert honest.mean < 0.75
    assert cross_validate(LabelledTable(told, codes, ("no", "yes"), "y"), rng=rng).mean == 1.0


def test_cross_validation_copes_with_a_class_of_one_row():
    table = LabelledTable(pd.DataFrame({"x": range(6)}), np.array([0, 0, 0, 0, 0, 1]), ("a", "b"), "y")
    assert 0.5 < cross_validate(table, rng=np.random.default_rng(0)).mean < 1


def test_weights_count_in_the_accuracy():
    right = np.array([True, False])
    assert accuracy_of(right, np.array([3.0, 1.0])).mean == pytest.approx(0.75)
    assert accuracy_of(right).error == pytest.approx(np.sqrt(0.25 / 2))


def test_a_rule_is_doubted_where_a_guess_does_as_well():
    guess = guess_of((False, True), [30.0, 10.0])
    assert guess.doubt(Accuracy(0.76, 0.01)) == ""
    assert "no better than always saying false (0.75)" in guess.doubt(Accuracy(0.75, 0.1))
