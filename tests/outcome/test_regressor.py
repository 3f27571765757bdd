"""NRIRegressor: scikit-learn's contract, and what a caller can rely on."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from nri import InputError, NRIRegressor, induce_rule, read_rule, read_table, write_rule
from nri.outcome.number import shrunken_means


@parametrize_with_checks([NRIRegressor(max_clauses=2, max_literals=2)])
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


def houses(n=300, seed=0):
    """Prices of which half a rule is known, with gaps and a category."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "rooms": rng.integers(1, 8, n).astype(float),
            "area": rng.uniform(30, 200, n),
            "town": rng.choice(["Bern", "Chur", "Zug"], n),
            "lift": rng.random(n) < 0.5,
        }
    )
    price = 200.0 + 300 * ((frame["rooms"] > 4) & (frame["town"] == "Zug")) - 100 * (frame["area"] <= 60)
    frame.loc[rng.random(n) < 0.05, "area"] = np.nan
    return frame, (price + rng.normal(0, 15, n)).rename("price")


def test_a_planted_rule_is_found():
    X, y = houses()
    rule = NRIRegressor().fit(X, y).rule_
    assert set(rule.columns) == {"rooms", "town", "area"}
    assert rule.fit > 0.9
    assert len(rule.branches) <= 6


def test_order_of_rows_and_columns_has_no_say():
    X, y = houses(120)
    order = np.random.default_rng(1).permutation(len(X))
    first = NRIRegressor().fit(X, y).rule_
    again = NRIRegressor().fit(X.iloc[order, ::-1], y.iloc[order]).rule_
    assert str(again) == str(first)


def test_a_weight_of_two_is_a_row_twice():
    X, y = houses(80)
    weights = np.where(np.arange(80) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(80), weights.astype(int))
    weighted = NRIRegressor().fit(X, y, sample_weight=weights).rule_
    repeated = NRIRegressor().fit(X.iloc[twice], y.iloc[twice]).rule_
    assert weighted.clauses == repeated.clauses
    assert [e.value for e in weighted.estimates] == [e.value for e in repeated.estimates]


def test_one_absurd_value_changes_no_segment_and_hardly_a_value():
    """A price typed with three zeros too many used to be the whole variance."""
    X, y = houses()
    plain = NRIRegressor().fit(X, y).rule_
    absurd = y.copy()
    absurd.iloc[7] *= 1000
    moved = NRIRegressor().fit(X, absurd).rule_
    assert np.quantile(np.abs(moved.predict(X) - plain.predict(X)), 0.95) < 10
    assert max(b.estimate.high for b in moved.branches) < 600


def test_noise_gives_no_segment():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(150, 8)), columns=[f"c{i}" for i in range(8)])
    rule = NRIRegressor().fit(X, rng.standard_t(2, 150)).rule_
    assert not rule.branches
    assert "ALWAYS" in str(rule)


def test_limits_are_kept():
    X, y = houses()
    limited = NRIRegressor(max_clauses=2, max_literals=1, columns={"town": False}, require=["rooms"])
    rule = limited.fit(X, y).rule_
    assert 1 <= len(rule.branches) <= 2
    assert all(clause.columns == ("rooms",) for clause in rule.clauses)
    with pytest.raises(InputError, match="max_clauses is 0"):
        NRIRegressor(max_clauses=0).fit(X, y)


def test_prediction_needs_only_the_columns_of_the_rule_and_survives_pickling(tmp_path):
    X, y = houses()
    reg = NRIRegressor().fit(X, y)
    said = reg.predict(X)
    assert np.array_equal(pickle.loads(pickle.dumps(reg)).predict(X[list(reg.rule_.columns)]), said)
    write_rule(reg.rule_, tmp_path / "rule.json")
    kept = read_rule(tmp_path / "rule.json")
    assert kept == reg.rule_
    assert np.array_equal(kept.predict(X), said)
    values = np.array([estimate.value for estimate in reg.rule_.estimates])
    assert np.array_equal(values[reg.apply(X)], said)


def test_an_explanation_tells_what_earlier_segments_lacked():
    X, y = houses()
    reg = NRIRegressor().fit(X, y)
    rows = X.iloc[:40]
    for told, said in zip(reg.explain(rows), reg.predict(rows), strict=True):
        assert told.value == said
        assert all(one.misses for one in told.nearest)
        assert f"price = {reg.rule_.predicts.amount(said)}" in str(told)


def test_words_as_target_are_refused_with_a_remedy():
    with pytest.raises(InputError, match="use NRIClassifier"):
        NRIRegressor().fit([[1], [2]], ["low", "high"])


def test_too_few_rows_for_a_segment_end_the_search():
    """Three rows with a required column were searched for ever: no list was allowed, and none was better."""
    rows = {"a": ["x", "y", "x"]}
    assert NRIRegressor(require=["a"]).fit(rows, [1.0, 2.0, 4.0]).predict(rows).shape == (3,)


def test_values_whose_squares_are_no_numbers_are_refused():
    with pytest.raises(InputError, match=r"beyond 1e\+100; divide them all"):
        NRIRegressor().fit({"a": range(20)}, np.arange(20) * 1e200)


def test_the_posterior_is_nearer_to_new_rows_than_the_rule_and_is_not_saved():
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.normal(size=160), "b": rng.normal(size=160), "c": rng.choice(["u", "v"], 160)})
    y = 2 * X["a"] + X["b"] + 3 * (X["c"] == "u") + rng.normal(0, 0.3, 160)
    model = NRIRegressor().fit(X[:100], y[:100])
    off, rule_off = (((y - said(X)) ** 2)[100:].mean() for said in (model.posterior_mean, model.predict))
    assert off < rule_off < y.var()
    with pytest.raises(InputError, match=r"there is no posterior: .* is not saved"):
        pickle.loads(pickle.dumps(model)).posterior_mean(X)


def test_that_a_cell_is_unknown_tells_the_experts_something():
    rng = np.random.default_rng(4)
    gone = rng.random(120) < 0.5
    X = pd.DataFrame({"a": np.where(gone, np.nan, rng.normal(size=120)), "b": rng.normal(size=120)})
    y = pd.Series(gone + rng.normal(0, 0.3, 120))
    expected = NRIRegressor().fit(X[:80], y[:80]).posterior_mean(X[80:])
    assert np.corrcoef(expected, y[80:])[0, 1] > 0.7


def test_a_branch_whose_values_vary_more_is_shrunk_more():
    groups = np.repeat([0, 1, 2], [40, 8, 8])
    tight, wide = 20 + np.tile([-1.0, 1.0], 4), 20 + np.tile([-15.0, 15.0], 4)
    values = np.concatenate([np.tile([-1.0, 1.0], 20), tight, wide])
    _, steady, varied = shrunken_means(values, np.ones(56), groups, 3)
    assert varied < steady < 20


def test_a_value_lies_within_the_interval_beside_it():
    """A branch of eight flats was 45.9 (46.3 to 51.5), since only its value was shrunk."""
    rng = np.random.default_rng(0)
    for seed in range(4):
        size = np.random.default_rng(seed).normal(size=150)
        rent = np.exp(size) * 10 + rng.normal(size=150)
        rule = induce_rule(
            read_table({"size": size, "other": rng.normal(size=150), "rent": rent}, "rent")
        ).rule
        digits = 10.0**-rule.predicts.decimals
        for one in rule.estimates:
            assert one.low - digits <= one.value <= one.high + digits or one.low == one.high
