"""The bench of numbers: rows are judged on others than were learnt from, and the table says what failed."""

import numpy as np
import pandas as pd
import pytest

from nri import InputError
from nri_bench.experiments import Options
from nri_bench.experiments.regression import CHOOSING, CONFIRMING, fit_and_judge, jobs, table


def test_no_table_is_in_both_halves():
    assert not set(CHOOSING) & set(CONFIRMING)


def test_a_table_of_ones_own_folder_is_found_and_others_are_passed_over(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=200), "body_mass_g": rng.normal(size=200)})
    frame.to_csv(tmp_path / "penguins.csv", index=False)
    made = jobs(Options(data_dir=tmp_path, methods=("mean", "segments")))
    assert {(job.key["dataset"], job.key["n"]) for job in made} == {
        ("penguins", 100),
        ("diabetes", 100),
        ("diabetes", 300),
    }
    with pytest.raises(InputError, match="no method 'xgboost' for numbers"):
        jobs(Options(methods=("xgboost",)))


@pytest.mark.parametrize("method", ["mean", "segments", "tree", "figs", "ridge"])
def test_a_method_explains_what_it_can(method):
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"a": rng.normal(size=260), "b": rng.choice(["u", "v"], 260)})
    y = pd.Series(10.0 * (X["a"] > 0) + 5 * (X["b"] == "u") + rng.normal(0, 0.5, 260))
    found = fit_and_judge(method, (X, y), 100, 0)
    assert found["r2"] == pytest.approx(0, abs=0.1) if method == "mean" else found["r2"] > 0.6


def test_a_fit_that_failed_counts_as_the_mean():
    key = {"experiment": "regression", "dataset": "abalone", "n": 100, "seed": 0, "half": "choosing"}
    rows = [
        {**key, "method": "tree", "status": "ok", "r2": 0.5, "mae": 0.3, "segments": 4, "literals": 8},
        {**key, "method": "figs", "status": "timeout"},
    ]
    text = table(rows)
    assert "| FIGS, 12 splits |        0.00" in text
    assert "1 fits of FIGS, 12 splits failed or ran out of time." in text
