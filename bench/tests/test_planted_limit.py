"""What is said of the limit of planted tables, and of the floor of the calibration gap."""

import numpy as np

from nri_bench.experiments.planted import calibration_floor, plant
from nri_bench.methods.planted_limit import PlantedPosterior


def test_sampled_rules_of_the_family_tell_the_classes_apart():
    table = plant(np.random.default_rng(3), 600)
    support, others = table.frame.iloc[:120], table.frame.iloc[120:]
    labels = table.truth[:120].astype(np.int64)
    model = PlantedPosterior(sweeps=400, random_state=0).fit(support, labels)
    right = np.mean(model.predict(others) == table.truth[120:])
    assert right > max(table.truth[120:].mean(), 1 - table.truth[120:].mean()) + 0.1
    assert np.allclose(model.predict_proba(others).sum(axis=1), 1)


def test_the_floor_falls_with_the_rows_of_a_group():
    chances = np.tile([0.2, 0.8], (100, 1))
    few, many = (calibration_floor(chances, np.tile([0.2, 0.8], (n, 1))) for n in (10, 1000))
    assert 0.05 < few < 0.12
    assert 0 < many < 0.02
