"""Planted numbers and times: what is planted is there; who reads a column that does not matter is seen."""

import numpy as np
import pytest

from nri_bench.experiments import planted_measured
from nri_bench.experiments.planted_measured import SHAPES, find_measured, measured_table, plant_measured
from nri_bench.methods.measured import Answer, MeasuredMethod


@pytest.mark.parametrize("shape", SHAPES)
def test_three_rows_in_ten_are_censored_whatever_is_planted(shape):
    table = plant_measured(np.random.default_rng(0), "survival", shape, 3000)
    assert 1 - table.observed[:, 1].mean() == pytest.approx(0.3, abs=0.03)


@pytest.mark.parametrize(("shape", "own"), [("step", 1), ("steps", 2), ("conjunction", 2), ("noise", 0)])
def test_what_is_planted_follows_from_the_columns_that_matter(shape, own):
    table = plant_measured(np.random.default_rng(1), "number", shape, 500)
    matter = [name for name in table.frame if name not in table.foreign]
    assert len(matter) == own
    assert len(np.unique(table.truth)) == {"step": 2, "steps": 4, "conjunction": 2, "noise": 1}[shape]


@pytest.mark.parametrize(("reads", "foreign"), [("matter", 0.0), ("foreign", 1.0)])
def test_a_method_that_reads_a_foreign_column_is_seen(monkeypatch, reads, foreign):
    planted = []

    def noticed(*given):
        planted.append(plant_measured(*given))
        return planted[-1]

    def says(X, y, query):
        own = {"foreign": list(planted[-1].foreign), "matter": query.columns.difference(planted[-1].foreign)}
        return Answer(
            query[own[reads]].apply(lambda column: column.rank(method="min")).sum(axis=1).to_numpy()
        )

    monkeypatch.setattr(planted_measured, "plant_measured", noticed)
    methods = {"survival": {"fake": MeasuredMethod("fake", "Fake", says)}}
    monkeypatch.setattr(planted_measured, "METHODS", methods)
    found = find_measured("survival", "additive", "fake", 100, 0, 2)
    assert found["foreign"] == foreign
    assert found["literals"] is None


def test_the_table_has_a_line_for_each_outcome():
    row = {"status": "ok", "method": "rule", "found": 0.8, "foreign": 0.5, "segments": 3.0, "literals": 2.0}
    rows = [{**row, "outcome": one, "shape": shape} for one in ("number", "survival") for shape in SHAPES]
    lines = [line for line in measured_table(rows).splitlines() if "NRI rule" in line]
    assert len(lines) == 2
    assert "0.80 (50)" in lines[0]
