"""Rules of many rows keep only what pays where it decides."""

import numpy as np
import pandas as pd

from nri import read_table
from nri.induce.induce import induce_rule


def _rare(n_rows: int, inside: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    heat, load = rng.normal(50, 10, n_rows).round(1), rng.uniform(0, 1, n_rows).round(3)
    share = np.sqrt(inside / n_rows)
    uncertain = (heat > np.quantile(heat, 1 - share)) & (load < share)
    fails = uncertain & (rng.random(n_rows) < 0.63)
    others = {
        "age": rng.integers(0, 60, n_rows),
        "colour": rng.choice(list("rgbk"), n_rows),
        "region": rng.choice(["n", "s", "w"], n_rows),
        "member": rng.choice(["yes", "no"], n_rows),
    }
    return pd.DataFrame({"heat": heat, "load": load, **others, "state": np.where(fails, "fails", "runs")})


def test_a_rare_class_in_an_uncertain_region_brings_no_column_of_chance():
    """Of 20 000 rows 88 failed, in a region of 140: the rule had eight branches, four of chance columns."""
    for n_rows, inside in ((20_000, 140), (8000, 140)):
        rule = induce_rule(read_table(_rare(n_rows, inside, seed=0), "state")).rule
        assert set(rule.columns) == {"heat", "load"}
        assert sum(map(len, rule.clauses)) <= 3


def test_conditions_that_tell_frequent_classes_apart_stay():
    """By the errors of each branch alone, branches that say little more than the ELSE would go."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2000, 3)).round(2)
    chance = np.where(x[:, 0] > 1, 0.8, np.where((x[:, 1] > 0) & (x[:, 2] > 0), 0.65, 0.35))
    y = np.where(rng.random(2000) < chance, "yes", "no")
    rule = induce_rule(read_table(pd.DataFrame(x, columns=list("abc")).assign(y=y), "y")).rule
    assert set(rule.columns) == {"a", "b", "c"}
