"""The bench of numbers and survival: rows are judged on others than were learnt from."""

import json

import numpy as np
import pandas as pd
import pytest

from nri import InputError
from nri_bench.experiments import EXPERIMENTS, Options
from nri_bench.experiments.measured import fit_and_judge, integrated_brier, parts
from nri_bench.methods.measured import Answer

pytestmark = pytest.mark.filterwarnings("ignore:Starting with pandas")
"""lifelines calls pandas in ways that will end."""


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=160), "mass": rng.normal(size=160)})
    frame.to_csv(tmp_path / "birds.csv", index=False)
    (tmp_path / "datasets.json").write_text(json.dumps({"birds": {"target": "mass"}}))
    return tmp_path


def test_every_row_is_in_one_fold_and_draws_leave_the_others_to_judge():
    made = parts(160, 0)
    assert len(made) == 8
    folds = [query for part, (_, query) in made.items() if part.startswith("fold")]
    assert sorted(np.concatenate(folds)) == list(range(160))
    assert all(sorted(np.concatenate(rows)) == list(range(160)) for rows in made.values())
    assert len(parts(140, 0)) == 5


def test_tables_are_those_of_a_folder(folder, tmp_path_factory):
    number = EXPERIMENTS["number"]
    made = number.jobs(Options(data_dir=folder, methods=("constant", "rule")))
    assert len(made) == 16
    assert {(job.facts["half"], job.facts["n"]) for job in made} == {("choosing", 128), ("choosing", 100)}
    with pytest.raises(InputError, match="no method 'xgboost' for number"):
        number.jobs(Options(data_dir=folder, methods=("xgboost",)))
    with pytest.raises(InputError, match=r"no datasets\.json there"):
        number.jobs(Options(data_dir=tmp_path_factory.mktemp("empty")))
    with pytest.raises(InputError, match="birds has no 'time'; --data must name tables for survival"):
        EXPERIMENTS["survival"].jobs(Options(data_dir=folder))


@pytest.mark.parametrize("method", ["constant", "rule", "posterior", "tree-8", "figs", "ridge"])
def test_a_method_explains_what_it_can(method):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.normal(size=260), "b": rng.choice(["u", "v"], 260)})
    y = (10.0 * (X["a"] > 0) + 5 * (X["b"] == "u") + rng.normal(0, 0.5, 260)).to_numpy()
    judged = fit_and_judge("number", method, (X, y), parts(260, 0)["draw 0.0"])
    assert judged["r2"] == pytest.approx(0, abs=0.1) if method == "constant" else judged["r2"] > 0.6


@pytest.mark.parametrize("method", ["constant", "rule", "posterior", "cox"])
def test_a_method_orders_events_and_its_curves_beat_one_curve(method):
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": rng.normal(size=260)})
    time = rng.exponential(np.where(X["a"] > 0, 5.0, 50.0))
    y = np.column_stack([np.minimum(time, 60), time < 60])
    judged = fit_and_judge("survival", method, (X, y), parts(260, 0)["draw 0.0"])
    if method == "constant":
        assert judged["concordance"] == 0.5
        assert 0.15 < judged["brier"] < 0.25
    else:
        assert judged["concordance"] > 0.65
        assert judged.get("brier", 0.0) < 0.17


def test_the_brier_score_of_a_seer_is_none():
    y = np.column_stack([np.arange(1.0, 21), np.ones(20)])
    seer = Answer(-y[:, 0], curves=lambda times: (y[:, :1] > times).astype(float))
    assert integrated_brier(y, y, seer) == 0.0


def test_a_fit_that_failed_counts_as_the_constant_prediction():
    key = {"experiment": "number", "dataset": "birds", "part": "fold 0.0", "half": "choosing"}
    rows = [
        {**key, "method": "tree-8", "status": "ok", "r2": 0.5, "mae": 0.3, "segments": 4, "literals": 8},
        {**key, "method": "figs", "status": "timeout"},
    ]
    text = EXPERIMENTS["number"].table(rows)
    assert "| FIGS, 12 splits |     0.000" in text
    assert "1 fits of FIGS, 12 splits failed or ran out of time." in text
    assert list(EXPERIMENTS["number"].figures(rows)) == ["number"]
    assert EXPERIMENTS["survival"].table([]) == "No rows yet.\n"
