"""The table and figure of ``nri bench size`` say what the command took beside others."""

import pandas as pd

from nri_bench.datasets import resampled
from nri_bench.datasets.table import RawTable
from nri_bench.experiments.size import EXPERIMENT

ROW = {"experiment": "size", "table": "planted", "N": 15, "seed": 0, "status": "ok", "accuracy": 0.99}


def test_seconds_stand_beside_those_of_others_as_ratios():
    rows = [
        {**ROW, "method": "nri", "M": 10**6, "cpu_seconds": 6.0, "process_mb": 460.0, "equal": True},
        {**ROW, "method": "duckdb", "M": 10**6, "cpu_seconds": 1.5, "process_mb": 90.0, "accuracy": None},
        {**ROW, "method": "tree", "M": 10**6, "status": "timeout"},
    ]
    [line] = [line for line in EXPERIMENT.table(rows).splitlines() if "planted |" in line]
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[:7] == ["planted", "1 000 000", "15", "6.0", "460", "exact", "4"]
    assert cells[9] == "99.00"


def test_memory_and_duckdb_stand_side_by_side_for_public_sets():
    ways = {"nri-memory": 0.8, "nri-duckdb": 0.81}
    rows = [{**ROW, "table": "adult", "method": one, "M": 100, "accuracy": way} for one, way in ways.items()]
    [line] = [line for line in EXPERIMENT.table(rows).splitlines() if "adult" in line]
    assert [cell.strip() for cell in line.strip("|").split("|")][3:] == ["80.00", "81.00", "+1.00"]


def test_streamed_predictions_are_told_with_what_memory_says():
    row = {**ROW, "method": "nri-predict", "M": 10**7, "cpu_seconds": 30.0, "process_mb": 300.0}
    assert "every row has the class" in EXPERIMENT.table([{**row, "equal": True}])
    assert "not every row" in EXPERIMENT.table([{**row, "equal": False}])


def test_resampled_rows_are_like_the_real_ones(tmp_path, monkeypatch):
    frame = pd.DataFrame({"age": range(30), "colour": ["red", "blue", None] * 10})
    raw = RawTable("adult", frame, pd.Series(["yes", "no"] * 15), ("age",), "test")
    monkeypatch.setattr(resampled, "load_raw", lambda name: raw)
    rows = pd.read_parquet(resampled.make_real(tmp_path, "adult", 2000))
    real = resampled.real_rows("adult", fresh=False)
    assert len(rows) == 2000
    assert set(rows["colour"].dropna()) == {"red", "blue"}
    assert abs(rows["age"].mean() - real["age"].mean()) < 1.0
    assert abs((rows["y"] == "yes").mean() - (real["y"] == "yes").mean()) < 0.05


def test_there_is_a_figure_once_there_are_rows():
    rows = [
        {**ROW, "method": "nri", "M": m, "cpu_seconds": m / 1e5, "process_mb": 300.0} for m in (10**5, 10**6)
    ]
    figure = EXPERIMENT.figures(rows)["size"]
    assert [axes.get_ylabel() for axes in figure.axes] == ["processor seconds", "peak memory (MB)"]
    assert EXPERIMENT.figures([]) == {}
