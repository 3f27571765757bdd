"""Plausible rows are made of cells of the table and keep the variables of one column together."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nri.episode import Cells
from nri.seeded.sample import Sample, plausible_rows


def sample_of(cells, labels=None, weights=None):
    labels = np.zeros(len(cells), int) if labels is None else labels
    weights = np.ones(len(cells)) if weights is None else weights
    return Sample(cells, labels, weights, 2, np.arange(len(cells)))


def made_of(values, known=None, weights=None, **given):
    known = np.ones_like(values) if known is None else known
    cells = Cells(values, known, np.zeros((len(values), 0), np.float32))
    return plausible_rows(sample_of(cells, weights=weights), **{"rng": np.random.default_rng(0)} | given)


@given(st.integers(0, 1000), st.integers(2, 12))
def test_one_hot_groups_and_ordered_thresholds_stay_consistent(seed, n_rows):
    rng = np.random.default_rng(seed)
    colour = np.eye(3, dtype=bool)[rng.integers(0, 3, n_rows)]
    age = rng.integers(0, 100, n_rows)
    over = np.stack([age > 20, age > 40, age > 60], axis=1)
    values = np.concatenate([colour, over], axis=1)
    groups = np.array([0, 0, 0, 1, 1, 1])
    rows = made_of(values, weights=rng.random(n_rows) + 0.1, groups=groups, count=200, rng=rng)
    made = rows.values
    assert rows.known.all()
    assert (made[:, :3].sum(axis=1) == 1).all()
    assert (made[:, 3:].astype(int)[:, 1:] <= made[:, 3:].astype(int)[:, :-1]).all()


def test_cells_and_whether_they_are_known_come_together():
    values = np.array([[True, True], [False, False]])
    known = np.array([[True, True], [False, True]])
    rows = made_of(values & known, known, groups=np.arange(2), count=400)
    made, made_known = rows.values, rows.known
    assert not (made & ~made_known).any()
    assert {tuple(row) for row in np.concatenate([made, made_known], axis=1).tolist()} == {
        (True, True, True, True),
        (False, False, False, True),
        (True, False, True, True),
        (False, True, False, True),
    }


def test_heavier_rows_are_parents_more_often():
    values = np.eye(4, dtype=bool)
    rows = made_of(values, weights=np.array([97.0, 1, 1, 1]), groups=np.zeros(4, int), count=1000)
    assert rows.values[:, 0].mean() > 0.9


def test_a_number_goes_with_its_cuts():
    number = np.array([[-1.0], [0.5], [2.0]], np.float32)
    cuts = np.concatenate([number > 0, number > 1], axis=1)
    other = np.array([[True], [False], [True]])
    cells = Cells(np.concatenate([cuts, other], axis=1), np.ones((3, 3), bool), number)
    rows = plausible_rows(sample_of(cells), np.array([0, 0, 1, 0]), 200, np.random.default_rng(0))
    assert (rows.values[:, :2] == np.concatenate([rows.numbers > 0, rows.numbers > 1], axis=1)).all()
    assert len(np.unique(np.column_stack([rows.numbers, rows.values[:, 2]]), axis=0)) > 3, "columns mix"


def test_numbers_that_go_together_within_classes_stay_together():
    """Columns that say the same stay near each other; mixed at random, few would."""
    number = np.linspace(-2, 2, 81, dtype=np.float32)[:, None]
    cells = Cells(
        np.concatenate([number > 0, number > 0], axis=1), np.ones((81, 2), bool), np.tile(number, 2)
    )
    rows = plausible_rows(sample_of(cells), np.array([0, 1, 0, 1]), 400, np.random.default_rng(0))
    assert np.abs(rows.numbers[:, 0] - rows.numbers[:, 1]).mean() < 0.3
    assert len(np.unique(rows.numbers, axis=0)) > 150, "most are rows that the table does not hold"


def test_classes_that_lie_apart_stay_apart():
    """Numbers move as those of their own class spread, not as far as classes lie apart."""
    number = np.concatenate([np.linspace(-1.1, -0.9, 20), np.linspace(0.9, 1.1, 20)]).astype(np.float32)
    labels = np.repeat([0, 1], 20)
    cells = Cells((number > 0)[:, None], np.ones((40, 1), bool), number[:, None])
    rows = plausible_rows(sample_of(cells, labels), np.array([0, 0]), 400, np.random.default_rng(0))
    assert (np.abs(rows.numbers) > 0.85).all()
    assert 0.4 < rows.values.mean() < 0.6


def test_a_moved_number_is_one_that_a_row_has():
    number = np.array([[-1.0], [0.0], [0.9], [2.0]], np.float32)
    known = np.array([[True], [False], [True], [True]])
    cells = Cells((number > 0.5) & known, known, number * known)
    rows = plausible_rows(sample_of(cells), np.array([0, 0]), 300, np.random.default_rng(0))
    assert set(np.unique(rows.numbers[rows.known[:, 0], 0]).tolist()) == set(
        np.float32([-1.0, 0.9, 2.0]).tolist()
    )
    assert (rows.numbers[~rows.known[:, 0]] == 0).all()
