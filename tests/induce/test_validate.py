import pickle

import joblib
import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from made_tables import labelled_table

from nri.induce.folds import dealt_groups
from nri.induce.validate import bootstraps, cross_validate, hold_out


@given(st.lists(st.integers(0, 3), min_size=1, max_size=40), st.integers(2, 6), st.integers(0, 99))
def test_folds_partition_the_rows_and_share_out_every_class(codes, folds, seed):
    codes = np.array(codes)
    fold = dealt_groups(codes, np.arange(len(codes)), folds, np.random.default_rng(seed))
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
    honest = cross_validate(labelled_table(noise, codes), rng=rng, step=lambda: steps.append(1))
    assert len(steps) == 5
    assert honest.value < 0.75
    assert cross_validate(labelled_table(told, codes), rng=rng).value == 1.0


def test_cross_validation_copes_with_a_class_of_one_row():
    table = labelled_table({"x": range(6)}, [0, 0, 0, 0, 0, 1], ("a", "b"))
    assert 0.5 < cross_validate(table, rng=np.random.default_rng(0)).value < 1


def test_the_posterior_is_checked_on_the_folds_of_the_rules_without_fitting_again():
    """Reports used to fit a classifier for each fold only to ask what it believes."""
    rng = np.random.default_rng(0)
    table = labelled_table(
        pd.DataFrame(rng.integers(0, 2, (60, 4)), columns=list("abcd")), np.arange(60) % 3 > 0
    )
    held = hold_out(table, rng=rng, posteriors=True)
    assert held.posterior_score.value == (held.by_posterior == table.codes).mean()
    assert held.posterior_score.value > 0.4


def test_folds_in_processes_give_what_one_process_gives(monkeypatch):
    """Cross-validation of four classes on 415 rows took more than a minute on one of the cores."""
    rng = np.random.default_rng(0)
    cells = pd.DataFrame(rng.integers(0, 2, (40, 3)), columns=list("abc"))
    table = labelled_table(cells, cells["a"].to_numpy() & cells["b"].to_numpy())
    one = hold_out(table, rng=np.random.default_rng(1), folds=3)
    monkeypatch.setattr("nri.induce.validate._WORTH_PROCESSES", 0.0)
    steps = []
    with joblib.parallel_config(backend="threading"):  # a process would spend seconds on its imports
        several = hold_out(table, rng=np.random.default_rng(1), folds=3, jobs=2, step=lambda: steps.append(1))
    assert len(steps) == 3
    assert several.predicted.tolist() == one.predicted.tolist()
    assert [found.rule for found in several.inductions] == [found.rule for found in one.inductions]
    assert pickle.loads(pickle.dumps(one)).predicted.tolist() == one.predicted.tolist(), (
        "it can be sent to a process"
    )


def test_a_bootstrap_sample_has_as_many_rows_and_keeps_their_weights():
    table = labelled_table({"x": range(20)}, [0, 1] * 10, weights=np.arange(20.0))
    sample = next(bootstraps(table, 50, np.random.default_rng(0)))
    times = sample.weights[1:] / table.weights[1:]
    assert (times == np.round(times)).all()
    assert sample.weights[0] == 0
    assert times.sum() <= 50
    assert len(sample) == 20
