"""The table and figure of ``nri bench size`` say what the command took beside others."""

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


def test_there_is_a_figure_once_there_are_rows():
    rows = [
        {**ROW, "method": "nri", "M": m, "cpu_seconds": m / 1e5, "process_mb": 300.0} for m in (10**5, 10**6)
    ]
    figure = EXPERIMENT.figures(rows)["size"]
    assert [axes.get_ylabel() for axes in figure.axes] == ["processor seconds", "peak memory (MB)"]
    assert EXPERIMENT.figures([]) == {}
