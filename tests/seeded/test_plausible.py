"""Plausible rows are made of cells of the table and keep the variables of one column together."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nri.seeded.sample import plausible_rows


@given(st.integers(0, 1000), st.integers(2, 12))
def test_one_hot_groups_and_ordered_thresholds_stay_consistent(seed, n_rows):
    rng = np.random.default_rng(seed)
    colour = np.eye(3, dtype=bool)[rng.integers(0, 3, n_rows)]
    age = rng.integers(0, 100, n_rows)
    over = np.stack([age > 20, age > 40, age > 60], axis=1)
    values = np.concatenate([colour, over], axis=1)
    groups = np.array([0, 0, 0, 1, 1, 1])
    made, known = plausible_rows(values, np.ones_like(values), rng.random(n_rows) + 0.1, groups, 200, rng)
    assert known.all()
    assert (made[:, :3].sum(axis=1) == 1).all()
    assert (made[:, 3:].astype(int)[:, 1:] <= made[:, 3:].astype(int)[:, :-1]).all()


def test_cells_and_whether_they_are_known_come_together():
    values = np.array([[True, True], [False, False]])
    known = np.array([[True, True], [False, True]])
    made, made_known = plausible_rows(
        values & known, known, np.ones(2), np.arange(2), 400, np.random.default_rng(0)
    )
    assert not (made & ~made_known).any()
    assert {tuple(row) for row in np.concatenate([made, made_known], axis=1).tolist()} == {
        (True, True, True, True),
        (False, False, False, True),
        (True, False, True, True),
        (False, True, False, True),
    }


def test_heavier_rows_are_parents_more_often():
    values = np.eye(4, dtype=bool)
    made, _ = plausible_rows(
        values,
        np.ones_like(values),
        np.array([97.0, 1, 1, 1]),
        np.zeros(4, int),
        1000,
        np.random.default_rng(0),
    )
    assert made[:, 0].mean() > 0.9
