"""Hidden rules of the synthetic experiments have the properties that their experiments rest on."""

import numpy as np

from nri_bench.experiments import missing, xor
from nri_bench.experiments.synthetic import all_rows
from nri_bench.methods import get_method


def test_no_single_column_tells_of_an_exclusive_or_and_one_does_of_the_control():
    rows = all_rows(6)
    for seed in range(3):
        for kind in (xor.XOR, xor.CONTROL):
            truth = xor.draw_rule(np.random.default_rng(seed), kind, 6).holds(rows)
            told = np.abs(rows[truth].mean(axis=0) - rows[~truth].mean(axis=0))
            assert (told.max() > 0.1) == (kind == xor.CONTROL)


def test_only_models_that_read_gaps_are_shown_them():
    assert missing.ways(get_method("paper")) == ("unknown", "filled")
    assert missing.ways(get_method("tree")) == ("filled",)


def test_without_gaps_both_ways_to_show_them_give_one_answer():
    found = [missing.endure_gaps("paper", way, 0.0, 0, 2) for way in ("unknown", "filled")]
    assert found[0] == found[1]
    assert found[0]["accuracy"] > 0.6
