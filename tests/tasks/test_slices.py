import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, fisher_exact

from nri.errors import InputError
from nri.tasks.slices import error_slices, search_slices


def patients(rng: np.random.Generator, n: int) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": rng.uniform(20, 90, n),
            "ward": rng.choice(list("abcd"), n),
            "sex": rng.choice(list("fm"), n),
            "noise": rng.normal(size=n),
        }
    )


def find_slices(X: pd.DataFrame, wrong: np.ndarray, **options):
    """Find the slices of a model that is wrong on given rows."""
    return error_slices(X, np.full(len(wrong), 2), np.where(wrong, 3, 2), **options)


def planted(X: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    return rng.random(len(X)) < np.where((X.age > 60) & (X.ward == "a"), 0.7, 0.08)


def test_a_planted_slice_is_found_and_told_with_true_counts():
    rng = np.random.default_rng(1)
    X = patients(rng, 500)
    wrong = planted(X, rng)
    found = find_slices(X, wrong, rng=rng, max_literals=2)
    best = found.slices[0]
    assert set(best.clause.columns) == {"age", "ward"}
    assert best.p_value <= 0.05
    assert best.lift > 2.5
    assert best.rate == best.errors / best.rows
    assert best.lift == pytest.approx(best.rate / found.rate)
    assert best.interval.low < best.rate < best.interval.high
    assert found.rows == 250


def test_blind_errors_give_a_slice_no_more_often_than_promised():
    """At a true rate of 5 %, more hits than the bound would happen in one of 1000 such tests."""
    runs, hits = 100, 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        X = patients(rng, 240)
        hits += bool(find_slices(X, rng.random(240) < 0.2, rng=rng).slices)
    assert hits <= binom.ppf(0.999, runs, 0.05)


def test_the_p_value_is_fishers_corrected_by_the_number_of_slices():
    rng = np.random.default_rng(3)
    X = patients(rng, 400)
    found = find_slices(X, planted(X, rng), rng=rng, most=1)
    (one,) = (*found.slices, *found.rejected)
    table = [
        [one.errors, one.rows - one.errors],
        [found.errors - one.errors, found.rows - one.rows - found.errors + one.errors],
    ]
    assert one.p_value == pytest.approx(fisher_exact(table, alternative="greater").pvalue)


def test_a_slice_within_a_slice_is_not_told_twice():
    rng = np.random.default_rng(4)
    X = patients(rng, 600)
    found = find_slices(X, (X.ward == "a").to_numpy(), rng=rng)
    assert [str(one.clause) for one in (*found.slices, *found.rejected)] == ["ward = a"]


def test_missing_cells_belong_to_no_slice():
    X = pd.DataFrame({"site": ["a", None, "b", "b"] * 60})
    wrong = np.array([False, True, False, False] * 60)
    found = find_slices(X, wrong, negations=True)
    assert all("site" not in one.clause.columns or one.errors == 0 for one in found.slices)


def test_only_columns_that_may_be_used_are_named():
    rng = np.random.default_rng(5)
    X = patients(rng, 400)
    wrong = planted(X, rng)
    without = find_slices(X, wrong, never=["ward"], rng=np.random.default_rng(0))
    only = find_slices(X, wrong, columns=["ward", "sex"], rng=np.random.default_rng(0))
    assert all("ward" not in one.clause.columns for one in (*without.slices, *without.rejected))
    assert all(set(one.clause.columns) <= {"ward", "sex"} for one in (*only.slices, *only.rejected))


@pytest.mark.parametrize("wrong", [np.zeros(50, bool), np.ones(50, bool)])
def test_a_model_that_is_never_or_always_wrong_has_no_slices(wrong):
    found = find_slices(patients(np.random.default_rng(0), 50), wrong)
    assert found.slices == ()


def test_errors_are_differences_of_words_or_of_numbers_beyond_a_tolerance():
    X = pd.DataFrame({"site": ["a", "b"] * 100})
    words = error_slices(X, ["x", "y"] * 100, ["x", "x"] * 100)
    assert [str(one.clause) for one in words.slices] == ["site = b"]
    numbers = error_slices(X, [1.0, 2.0] * 100, [1.05, 2.6] * 100, tolerance=0.1)
    assert [str(one.clause) for one in numbers.slices] == ["site = b"]
    assert error_slices(X, [1.0, 2.0] * 100, [1.05, 2.6] * 100, tolerance=1).slices == ()


def test_rows_without_a_label_or_a_prediction_are_left_out():
    X = pd.DataFrame({"site": ["a", "b"] * 100})
    labels = pd.Series(["x", "y"] * 100)
    labels[:40] = None
    found = error_slices(X, labels, ["x", "x"] * 100)
    assert found.rows == 80


@pytest.mark.parametrize(
    ("labels", "predictions", "options", "message"),
    [
        (["yes"] * 10, [True] * 10, {}, "share no value"),
        (["yes"] * 9, ["no"] * 10, {}, "9 labels"),
        (["yes"] * 10, ["no", "yes"] * 5, {"tolerance": 1}, "for numbers"),
        (["yes"] * 10, ["no", "yes"] * 5, {"never": ["x"]}, "allow at least one"),
        (["yes"] * 10, ["no", "yes"] * 5, {"never": ["y"]}, "no column 'y'"),
    ],
)
def test_mistakes_are_told(labels, predictions, options, message):
    with pytest.raises(InputError, match=message):
        error_slices(pd.DataFrame({"x": range(10)}), labels, predictions, **options)


def test_the_search_finds_the_best_pair_of_literals_that_brute_force_finds():
    rng = np.random.default_rng(0)
    truth = rng.random((300, 8)) < 0.5
    wrong = rng.random(300) < np.where(truth[:, 2] & truth[:, 5], 0.8, 0.1)
    (found,) = search_slices(truth, wrong, max_literals=2, min_rows=5, most=1)

    def score(i, j):
        rows = truth[:, i] & truth[:, j]
        n, p = rows.sum(), wrong.mean()
        return (wrong[rows].sum() - n * p) / np.sqrt(n * p * (1 - p) * (300 - n) / 299)

    best = max((score(i, j), (i, j)) for i in range(8) for j in range(i, 8))
    assert found.literals == best[1] == (2, 5)
    assert found.score == pytest.approx(best[0])


def test_copied_rows_give_a_slice_no_more_often_than_promised():
    """Rows written four times gave a slice in 100 of 100 tables of errors that fall at random."""
    runs, hits = 12, 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        X, wrong = patients(rng, 80), rng.random(80) < 0.3
        found = find_slices(pd.concat([X] * 4), np.tile(wrong, 4), rng=rng)
        hits += bool(found.slices)
    assert hits <= binom.isf(0.001, runs, 0.05)


def test_a_slice_of_groups_counts_groups_rather_than_rows():
    """Six visits of one patient on which a model errs are one patient, not six errors."""
    rng = np.random.default_rng(3)
    who = np.repeat(np.arange(40), 6)
    X = patients(rng, 40).loc[who].reset_index(drop=True).assign(who=[f"p{i}" for i in who])
    X["noise"] = rng.normal(size=240)
    wrong = (rng.random(40) < 0.3)[who]
    alone = error_slices(X.drop(columns="who"), np.ones(240), (~wrong).astype(int))
    grouped = error_slices(X, np.ones(240), (~wrong).astype(int), groups="who")
    assert alone.slices
    assert not grouped.slices
    later = error_slices(X, np.ones(240), (~wrong).astype(int), time_order=np.arange(240))
    assert later.rows == 120
