"""The bench of small sets: the protocol of SmallDataBenchmarks, its published figures beside ours."""

import numpy as np
import pytest

from nri import InputError
from nri_bench.experiments import EXPERIMENTS, Options
from nri_bench.experiments.small import average_precision, fit_and_judge, published, read_set

ARFF = """@relation x
@attribute size numeric
@attribute colour {red,light-blue}
@attribute Class {sick,well}
@data
?,red,well
"""


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    sizes = rng.normal(size=60)
    cells = zip(sizes, ["red", "light-blue"] * 30, np.where(sizes > 0, "well", "sick"), strict=True)
    lines = [f"{size:.4f},{colour},{label}" for size, colour, label in cells]
    (tmp_path / "iris.arff").write_text(ARFF + "\n".join(lines) + "\n")
    return tmp_path


def test_classes_are_numbered_by_name_and_unknown_cells_stay_unknown(folder):
    columns, y = read_set(folder / "iris.arff")
    assert list(columns) == ["size", "colour"]
    assert np.isnan(columns["size"][0])
    assert set(columns["colour"]) == {"red", "light-blue"}
    assert (y == (columns["size"].fillna(1) > 0)).all()


def test_texts_that_are_numbers_are_numbers_as_in_the_benchmark(folder):
    file = folder / "coded.arff"
    coded = ARFF.replace("{red,light-blue}", "{1,2,10}").replace("red", "10")
    file.write_text(coded + "1,2,sick\n2,1,well\n")
    columns, _ = read_set(file)
    assert columns["colour"].tolist() == [10.0, 2.0, 1.0]


def test_other_configurations_of_the_same_data_are_left_out():
    assert "waveform-v1" in published()
    assert "waveform-v2" not in published()


def test_sets_at_hand_are_judged_fold_by_fold(folder, tmp_path_factory):
    made = EXPERIMENTS["small"].jobs(Options(data_dir=folder))
    assert [job.key["fold"] for job in made] == [0, 1, 2, 3]
    judged = fit_and_judge(folder / "iris.arff", 0)
    assert judged["rule"] > 0.9
    assert judged["posterior"] > 0.9
    with pytest.raises(InputError, match="no ARFF file of SmallDataBenchmarks there"):
        EXPERIMENTS["small"].jobs(Options(data_dir=tmp_path_factory.mktemp("empty")))


def test_precision_is_that_of_the_second_class_or_weighed_over_all():
    y = np.array([0, 1, 1, 0])
    said = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.7, 0.3]])
    assert average_precision(y, said, np.array([0, 1])) == 1.0
    three = np.array([0, 1, 2, 2])
    flat = np.full((4, 3), 1 / 3)
    shares = (0.25**2 + 0.25**2 + 0.5**2) / 1.0
    assert average_precision(three, flat, np.arange(3)) == pytest.approx(shares)


def test_the_table_has_published_figures_for_the_same_sets():
    row = {
        "experiment": "small",
        "method": "seeded",
        "dataset": "iris",
        "status": "ok",
        "n": 150,
        "classes": 3,
    }
    rows = [
        {**row, "fold": fold, "rule": 0.9, "posterior": 1.0, "branches": 2, "literals": 2}
        for fold in range(4)
    ]
    text = EXPERIMENTS["small"].table(rows)
    assert "TabPFN-3, published" in text
    assert "on 1 of the 131 sets" in text
    assert "small" in EXPERIMENTS["small"].figures(rows)
    assert EXPERIMENTS["small"].table(rows[:3]) == "No rows yet.\n"
