"""Experts leave a row out of its own opinion, exactly, and know nothing of names, order or coding."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nri.seeded.experts import ENSEMBLE, Experts
from nri.seeded.kernels import FIRM
from nri.weights import EXPERTS


def table(seed: int, n_rows: int, n_columns: int, missing: float = 0.1):
    rng = np.random.default_rng(seed)
    x = rng.choice([-1.0, 1.0], size=(n_rows, n_columns)).astype(np.float32)
    x[rng.random(x.shape) < missing] = 0
    y = (rng.random(n_rows) < 0.4).astype(np.int64)
    y[:2] = 0, 1
    return x, y


shapes = {"seed": st.integers(0, 10_000), "n_rows": st.integers(4, 40), "n_columns": st.integers(1, 12)}


@given(**shapes)
def test_row_order_does_not_matter(seed, n_rows, n_columns):
    x, y = table(seed, n_rows, n_columns)
    order = np.random.default_rng(seed).permutation(n_rows)
    plain, shuffled = Experts(x, y), Experts(x[order], y[order])
    np.testing.assert_allclose(plain.support[order], shuffled.support, atol=2e-3)
    np.testing.assert_allclose(plain.opine(x[:3]), shuffled.opine(x[:3]), atol=2e-3)


@given(**shapes)
def test_column_order_and_coding_do_not_matter(seed, n_rows, n_columns):
    x, y = table(seed, n_rows, n_columns)
    rng = np.random.default_rng(seed)
    order, sign = rng.permutation(n_columns), rng.choice([-1, 1], n_columns).astype(np.float32)
    plain, changed = Experts(x, y), Experts((x * sign)[:, order], y)
    np.testing.assert_allclose(plain.support, changed.support, atol=2e-3)
    parts = changed.parts((x[:3] * sign)[:, order])
    np.testing.assert_allclose(plain.parts(x[:3])[:, order], parts, atol=2e-3)


def test_the_opinion_on_a_support_row_is_that_of_the_experts_without_it():
    x, y = table(5, 30, 6, missing=0.0)
    x -= 0  # no unknown cells: then dropping a row moves only the means and the base rate
    whole = Experts(x, y)
    linear = slice(0, 3)
    for m in (0, 7, 29):
        rest = np.arange(30) != m
        alone = Experts(x[rest], y[rest])
        opinion = alone.opine(x[m : m + 1])[0, linear]
        np.testing.assert_allclose(
            whole.support[m, linear] + whole.base_rate, opinion + alone.base_rate, atol=0.06
        )


def test_the_parts_of_the_firm_linear_expert_add_up_to_its_opinion():
    x, y = table(3, 25, 7)
    experts = Experts(x, y)
    np.testing.assert_allclose(experts.parts(x[:5]).sum(axis=1), experts.opine(x[:5])[:, FIRM], atol=1e-3)


def test_every_expert_sees_a_column_that_is_the_label():
    rng = np.random.default_rng(0)
    y = (rng.random(80) < 0.5).astype(np.int64)
    x = rng.choice([-1.0, 1.0], size=(80, 5)).astype(np.float32)
    x[:, 2] = 2 * y - 1
    experts = Experts(x, y)
    for e, name in enumerate(EXPERTS):
        right = ((experts.support[:, e] > 0) == (y == 1)).mean()
        assert right > 0.75, f"{name} is right on {right:.0%}"


def test_constant_columns_and_a_single_class_give_finite_opinions():
    x = np.ones((6, 3), dtype=np.float32)
    experts = Experts(x, np.zeros(6, dtype=np.int64))
    assert np.isfinite(experts.support).all()
    assert np.isfinite(experts.opine(-x)).all()


@given(**shapes)
def test_a_weight_of_two_is_the_same_as_two_rows(seed, n_rows, n_columns):
    x, y = table(seed, n_rows, n_columns)
    weights = np.random.default_rng(seed).integers(1, 4, n_rows)
    again = np.repeat(np.arange(n_rows), weights)
    weighted, repeated = Experts(x, y, weights), Experts(x[again], y[again])
    np.testing.assert_allclose(weighted.support[again], repeated.support, atol=4e-3)
    np.testing.assert_allclose(weighted.opine(x[:3]), repeated.opine(x[:3]), atol=4e-3)


def test_the_council_follows_the_expert_that_is_right():
    """Tic-tac-toe: one linear expert knew the answer where an even blend hid it."""
    rng = np.random.default_rng(1)
    x = rng.choice([-1.0, 1.0], size=(60, 8)).astype(np.float32)
    y = (x @ np.array([1, 1, 1, 1, 1, 0, 0, 0]) > 0).astype(np.int64)
    errors = ((Experts(x, y).support - (y - (y.sum() + 0.5) / 61)[:, None]) ** 2).mean(axis=0)
    assert errors[ENSEMBLE] <= errors[:ENSEMBLE].min() * 1.05
