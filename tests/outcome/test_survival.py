"""Survival: the sums are those of lifelines, the rule parts curves, and whatever is written reads alike."""

import json

import numpy as np
import pandas as pd
import pytest
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st
from lifelines import KaplanMeierFitter, NelsonAalenFitter
from lifelines.statistics import multivariate_logrank_test
from lifelines.utils import concordance_index, median_survival_times
from sklearn.model_selection import cross_val_score

from nri import (
    InputError,
    Knowledge,
    NRIError,
    NRISurvival,
    Settings,
    cross_validate,
    induce_rule,
    read_table,
)
from nri.outcome import Survival
from nri.outcome.score import Sampled
from nri.outcome.survival import concordant_pairs, expected_events, kaplan_meier, logrank
from nri.rule import from_json
from nri.table import table_of

pytestmark = pytest.mark.filterwarnings("ignore:Starting with pandas")
"""lifelines calls pandas in ways that will end."""


def frame(n=400, seed=0):
    """Hazard is three times as high in the old with a high marker; wards mean nothing; some leave early."""
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame(
        {
            "age": rng.integers(30, 90, n),
            "marker": np.round(rng.normal(5, 2, n), 1),
            "ward": rng.choice(["north", "south"], n),
        }
    )
    hazard = np.where((rows["age"] > 60) & (rows["marker"] > 5), 3.0, 0.8) / 100
    until, left = rng.exponential(1 / hazard), rng.uniform(10, 200, n)
    rows["days"] = np.ceil(np.minimum(until, left)).astype(int)
    rows["status"] = np.where(until <= left, "dead", "alive")
    return rows


def followed_rows(rows, weights=None):
    return read_table(rows, time="days", event="status = dead", weights=weights)


@pytest.fixture(scope="module")
def patients():
    return followed_rows(frame())


@pytest.fixture(scope="module")
def found(patients):
    return induce_rule(patients)


@st.composite
def followed(draw):
    n = draw(st.integers(6, 40))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    time, event = rng.integers(1, 15, n).astype(float), rng.random(n) < 0.6
    event[0] = True
    return time, event, rng.integers(0, 3, n), rng.integers(1, 4, n).astype(float)


@settings(max_examples=usually(13, 40), deadline=None)
@given(followed())
def test_curves_tests_and_pairs_are_those_of_lifelines(rows):
    time, event, group, weights = rows
    times = np.arange(0.0, 16.0)
    curve = kaplan_meier(time, event, weights, times)
    fitted = KaplanMeierFitter().fit(time, event, weights=weights)
    assert curve.survival == pytest.approx(fitted.predict(times).to_numpy())
    if not np.isclose(curve.survival, 0.5).any():  # where it is a half, rounding decides there
        assert (np.inf if curve.median is None else curve.median) == fitted.median_survival_time_
    hazard = NelsonAalenFitter(nelson_aalen_smoothing=False).fit(time, event, weights=weights)
    assert expected_events(time, event, weights) == pytest.approx(hazard.predict(time).to_numpy())
    if len(np.unique(group)) > 1:
        test = multivariate_logrank_test(time, group, event, weights=weights)
        assert logrank(time, event, weights, group) == pytest.approx(test.p_value, abs=1e-6)


@settings(max_examples=usually(8, 25), deadline=None)
@given(followed())
def test_intervals_and_concordance_are_those_of_lifelines(rows):
    time, event, group, _ = rows
    time = time + np.arange(len(time)) / 100  # without ties, on which there is more than one custom
    ones = np.ones(len(time))
    curve = kaplan_meier(time, event, ones, time)
    fitted = KaplanMeierFitter().fit(time, event)
    low, high = (float(end) for end in median_survival_times(fitted.confidence_interval_).to_numpy()[0])
    if min(curve.survival) > 0 and not np.isclose([curve.low, curve.high], 0.5).any():
        assert [curve.median_low or np.inf, curve.median_high or np.inf] == pytest.approx([low, high])
    right, total = (pairs.sum() / 2 for pairs in concordant_pairs(time, event, group.astype(float), ones))
    if total:
        assert right / total == pytest.approx(concordance_index(time, -group, event))


def test_a_median_by_the_last_row_alone_has_no_upper_end():
    """Of forty rows four had the event early and the one followed longest at last: 2358 (2358 to 2358)."""
    event = np.isin(np.arange(40), [0, 1, 2, 3, 39])
    curve = kaplan_meier(np.arange(1.0, 41), event, np.ones(40), np.array([10.0]))
    assert (curve.median, curve.median_low, curve.median_high) == (40.0, 40.0, None)


@settings(max_examples=usually(30, 200), deadline=None)
@given(followed())
def test_pairs_are_counted_as_if_one_by_one(rows):
    time, event, risk, weights = rows
    right = total = 0.0
    for i in np.flatnonzero(event):
        later = (time > time[i]) | ((time == time[i]) & ~event)
        ordered = (risk[later] < risk[i]) + 0.5 * (risk[later] == risk[i])
        right += weights[i] * (weights[later] @ ordered)
        total += weights[i] * weights[later].sum()
    both = concordant_pairs(time, event, risk.astype(float), weights)
    assert [pairs.sum() / 2 for pairs in both] == pytest.approx([right, total])  # each is a pair of two rows


def test_a_planted_clause_is_found_and_its_curve_falls_faster(patients, found):
    first = found.rule.branches[0]
    assert {"age", "marker"} == set(first.clause.columns)
    assert first.estimate.median < found.rule.support.median
    assert first.value > 1.5 > found.rule.default
    assert found.rule.fit < 1e-6
    own = patients.outcome.score(found.rule.predict(patients.columns), patients.weights)
    judged = cross_validate(patients, rng=np.random.default_rng(0))
    assert 0.55 < judged.value < own.value + 0.03


def test_where_nothing_tells_the_time_no_clause_is_made_up():
    rows = frame()
    rows[["days", "status"]] = rows[["days", "status"]].sample(frac=1, random_state=1).to_numpy()
    rule = induce_rule(followed_rows(rows)).rule
    assert len(rule.branches) <= 1
    assert cross_validate(followed_rows(rows), rng=np.random.default_rng(0)).value == pytest.approx(
        0.5, abs=0.06
    )


def test_a_row_of_weight_two_is_two_rows():
    rows = frame(120)
    rows["times"] = np.random.default_rng(3).integers(1, 3, len(rows))
    weighted = induce_rule(followed_rows(rows, "times")).rule
    twice = rows.loc[rows.index.repeat(rows["times"])].drop(columns="times")
    repeated = induce_rule(followed_rows(twice)).rule
    assert str(weighted) == str(repeated)


def test_what_is_written_says_the_same_of_every_row(found):
    """JSON, Python and SQL; rows without a known cell fall to the rest."""
    rows = frame(60, seed=5)
    rows.loc[:5, list(found.rule.columns)] = np.nan
    said = found.rule.predict(rows)
    assert (said[:6] == found.rule.default).all()
    assert from_json(found.rule.render("json")) == found.rule
    space = {}
    exec(found.rule.render("python"), space)
    cells = rows.astype(object).where(rows.notna(), None).to_dict("records")
    assert [space["predict"](row) for row in cells] == said.tolist()
    import duckdb

    sql = found.rule.render("sql", table="rows", dialect="duckdb")
    answered = duckdb.query(sql).df().iloc[:, -1].to_numpy()
    assert answered.tolist() == said.tolist()
    assert "risk" in str(found.rule.explain(rows)[10])
    for form in ("markdown", "html"):
        assert f"{found.rule.branches[0].value:.2f}" in found.rule.render(form)


@pytest.mark.parametrize(
    ("time", "event", "told"),
    [
        ("dayz", "status = dead", "did you mean 'days'"),
        ("days", "status", 'name the one that is the event, e.g. "status = dead"'),
        ("ward", "status = dead", "has text cells; give numbers"),
        ("days", "status = gone", "happens in no row"),
        ("days", "days > 5", "cannot be both"),
    ],
)
def test_what_cannot_be_followed_is_told(time, event, told):
    with pytest.raises(NRIError, match=told):
        read_table(frame(40), time=time, event=event)


@pytest.mark.parametrize("times", [[0, 1], [1, 1], [0.0, 1.0]])
def test_times_of_zero_and_one_are_times(times):
    """Such a column is a yes or no elsewhere, and was refused as one here."""
    rows = {"x": range(40), "t": times * 20, "e": [0, 1] * 20}
    outcome = read_table(rows, time="t", event="e").outcome
    assert (outcome.time.tolist(), outcome.plan.kind.value) == (times * 20, "number")
    with pytest.raises(InputError, match="'t' has boolean cells"):
        read_table(rows | {"t": [True, False] * 20}, time="t", event="e")


def test_a_time_below_zero_is_told_with_its_row():
    rows = {"x": range(40), "t": [None, *range(15), -3.5, *range(23)], "e": [0, 1] * 20}
    with pytest.raises(InputError, match=r"time 't' must be .* of 0 or more, but row 17 has -3\.5"):
        read_table(rows, time="t", event="e")


def test_a_time_below_zero_is_refused_and_knowledge_is_obeyed():
    rows = frame()
    with pytest.raises(InputError, match="0 or more"):
        followed_rows(rows.assign(days=rows["days"] - 50))
    told = induce_rule(
        followed_rows(rows),
        Settings(knowledge=Knowledge(cuts={"age": [50, 70]})),
    ).rule
    assert {x.value for clause in told.clauses for x in clause if x.column == "age"} <= {50, 70}


def test_the_command_line_tells_rule_estimate_and_predictions(tmp_path, capfd):
    from nri.cli.app import main

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        return int(ended.value.code or 0), capfd.readouterr()

    table, kept = tmp_path / "patients.csv", tmp_path / "rule.json"
    frame().to_csv(table, index=False)
    code, done = run("induce", table, "--time", "days", "--event", "status = dead", "--cv", "--out", kept)
    assert code == 0
    assert "cross-validated concordance 0." in done.out
    assert "censored" in done.err
    assert json.loads(kept.read_text())["validation"]["concordance"]["value"] > 0.5
    code, done = run("predict", kept, table, "--only")
    assert done.out.splitlines()[0] == "risk_status = dead"
    code, done = run("induce", table, "--time", "days")
    assert code == 2
    assert "add --event COLUMN" in done.err


def test_weights_that_no_double_can_add_up_leave_a_p_value():
    """Rows of 1e-3 beside rows of 1e16 were nobody at risk, and the test divided by nothing."""
    time, event = np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4, dtype=bool)
    weights, group = np.array([1e16, 1e16, 1e-3, 1e-3]), np.array([0, 1, 0, 1])
    assert 0 <= logrank(time, event, weights, group) <= 1


def test_an_event_is_read_in_the_ways_that_people_write_it():
    rows = frame(60)
    dead = rows["status"] == "dead"
    ways = {
        "1 and 0": dead.astype(int),
        "1 and 2": dead + 1,
        "TRUE": dead.map({True: "TRUE", False: "FALSE"}),
    }
    for way, cells in {**ways, "yes": dead.map({True: "yes", False: "no"}), "true": dead}.items():
        table = read_table(rows.assign(status=cells), time="days", event="status")
        assert table.outcome.event.tolist() == dead.tolist(), way
    with pytest.raises(InputError, match="name the one that is the event"):
        read_table(rows.assign(status=dead + 2), time="days", event="status")


def test_the_estimator_takes_time_and_event_in_every_form():
    rows = frame(200)
    X, dead = rows.drop(columns=["days", "status"]), rows["status"] == "dead"
    structured = np.array(list(zip(dead, rows["days"], strict=True)), dtype=[("dead", bool), ("days", float)])
    model = NRISurvival(max_clauses=2).fit(X, structured)
    risks = model.predict(X)
    both = pd.DataFrame({"days": rows["days"], "dead": dead})
    for fitted in (
        NRISurvival(max_clauses=2).fit(rows, time="days", event="status = dead"),
        NRISurvival(max_clauses=2).fit(X, both),
        NRISurvival(max_clauses=2).fit(X, time=rows["days"].to_numpy(), event=dead.to_numpy()),
    ):
        assert fitted.predict(X).tolist() == risks.tolist()
        assert list(fitted.feature_names_in_) == list(X.columns)
    assert model.score(X, structured) == model.score(rows, time="days", event="status = dead") > 0.55
    curves = model.predict_survival_function(X)
    assert curves.shape == (61, 200)
    assert (np.diff(curves.to_numpy(), axis=0) <= 0).all()
    assert model.predict_survival_function(X, return_array=True).T.tolist() == curves.to_numpy().tolist()
    right, total = concordant_pairs(
        rows["days"].to_numpy(float), dead.to_numpy(), model.posterior_risk(X), np.ones(200)
    )
    assert right.sum() / total.sum() > 0.6
    assert cross_val_score(NRISurvival(max_clauses=1), X, structured, cv=2).min() >= 0.5


def test_the_estimator_says_what_is_missing():
    rows = frame(40)
    with pytest.raises(InputError, match="either y, an array of event and time, or both"):
        NRISurvival().fit(rows, time="days")
    with pytest.raises(InputError, match="y has 3 columns; give two, time and event"):
        NRISurvival().fit(rows, rows[["days", "age", "marker"]])
    with pytest.raises(InputError, match="39 cells of event; give one for each row"):
        NRISurvival().fit(rows[["age"]], time=rows["days"], event=[1] * 39)


@pytest.mark.parametrize("seed", range(4))
def test_one_step_gives_one_branch_though_experts_bend_it(seed):
    """Experts expect a little of every column. A list for all of that had seven branches and noise."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"old": rng.random(150) < 0.5, "noise": rng.random(150)})
    days = 100 / (np.where(frame.old, 20.0, 5.0) + rng.normal(0, 1, 150))
    table = table_of(frame).with_outcome(Survival("dead", "days", days, rng.random(150) < 0.8))
    assert induce_rule(table).rule.columns == ("old",)


def test_one_fold_with_a_rule_and_others_without_leave_the_concordance_an_interval_that_says_something():
    """A rule scores too well on rows that it was induced from: counted twice it made a width of 0.27."""
    rng = np.random.default_rng(0)
    old = rng.random(100) < 0.5
    until = rng.exponential(np.where(old, 50.0, 100.0))
    survival = Survival("dead", "days", until, rng.random(100) < 0.7)
    risks = np.ones((5, 100))
    risks[2] = np.where(old, 1.5, 0.7)
    fold = np.arange(100) % 5
    predicted = risks[fold, np.arange(100)]
    interval = survival.score(predicted, np.ones(100), Sampled(fold, None, risks)).interval
    assert 0.03 < interval.high - interval.low < 0.25


def test_experts_learn_from_scores_without_a_long_tail():
    """Survivors have scores far below all others, and a squared loss spent itself on them."""
    rng = np.random.default_rng(0)
    time, ones = rng.exponential(1.0, 300), np.ones(300)
    outcome = Survival("dead", "days", time, rng.random(300) < 0.9)
    scores, learnt = outcome.scores(ones), outcome.learnt(ones)
    assert np.array_equal(np.sign(scores), np.sign(learnt))
    assert np.array_equal(np.argsort(scores[outcome.event]), np.argsort(learnt[outcome.event]))
    low, middle, high = np.quantile(learnt, (0.02, 0.5, 0.98))
    assert middle - low < 1.5 * (high - middle)
    low, middle, high = np.quantile(scores, (0.02, 0.5, 0.98))
    assert middle - low > 2.5 * (high - middle)


def test_risks_that_experts_expect_are_in_units_of_events():
    rng = np.random.default_rng(1)
    old = rng.random(2000) < 0.5
    outcome = Survival("dead", "days", rng.exponential(np.where(old, 1 / 1.4, 1.0)), rng.random(2000) < 0.8)
    weights, learnt = np.ones(2000), outcome.learnt(np.ones(2000))
    expected = np.where(old, learnt[old].mean(), learnt[~old].mean())
    risks = outcome.from_scores(expected, weights)
    assert risks[old][0] / risks[~old][0] == pytest.approx(1.4, abs=0.15)


@pytest.mark.parametrize("seed", [0, 2, 6, 11])
def test_experts_name_no_column_that_the_rows_do_not_speak_for(seed):
    """Experts expect a little of every column; beside two steps their list named columns by chance."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({name: rng.random(300) for name in ("old", "ill", "one", "two", "three", "four")})
    days = rng.exponential(np.exp(-1.5 * (frame.old > 0.5) - 1.2 * (frame.ill > 0.6)))
    table = table_of(frame).with_outcome(Survival("dead", "days", days, rng.random(300) < 0.8))
    assert set(induce_rule(table).rule.columns) == {"old", "ill"}
