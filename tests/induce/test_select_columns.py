"""Wide tables: which columns are searched, and what must not matter."""

import numpy as np
import pandas as pd
import pytest
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st

from nri.induce import constraints
from nri.induce.constraints import bits_of_columns, columns_to_search
from nri.induce.induce import induce_rule
from nri.induce.settings import Settings
from nri.rule import Kind, column_of
from nri.search.counts import _ridge
from nri.table import Table, label_table, table_of

seeds = st.integers(0, 2**32 - 1)


def wide_table(seed: int, n_columns: int = 40, n_rows: int = 80) -> Table:
    """Numbers, words and yes or no, of which ``told`` tells the class but for noise."""
    rng = np.random.default_rng(seed)
    kinds = [
        lambda: rng.normal(size=n_rows).round(1),
        lambda: rng.choice(["a", "b", "c"], n_rows),
        lambda: rng.random(n_rows) < 0.5,
    ]
    frame = pd.DataFrame({f"x{i}": kinds[i % 3]() for i in range(n_columns)})
    frame.loc[::9, "x0"] = np.nan
    frame["told"] = rng.normal(size=n_rows)
    frame["ill"] = np.where((frame["told"] > 0.2) ^ (rng.random(n_rows) < 0.05), "yes", "no")
    return label_table(table_of(frame), "ill")


def best_by_hand(table: Table, name: str) -> float:
    """Bits of the best literal of a column, one literal at a time."""
    column, codes = table.columns[name], table.codes

    def bits(rows: np.ndarray) -> float:
        shares = np.bincount(codes[rows], minlength=2) / max(1, rows.sum())
        return float(-rows.sum() * sum(p * np.log2(p) for p in shares if p > 0))

    values = column.values if column.kind is Kind.TEXT else column.values.astype(float)
    gains = [0.0]
    for value in np.unique(values[column.known]):
        holds = values == value if column.kind is Kind.TEXT else values > value
        inside = column.known & holds
        gains.append(bits(column.known) - bits(inside) - bits(column.known & ~inside))
    return max(gains)


@settings(max_examples=usually(3, 8), deadline=None)
@given(seeds)
def test_columns_are_scored_by_their_best_literal(seed):
    table = wide_table(seed, 9)
    told = bits_of_columns(table.columns, table.codes, table.weights)
    assert told == pytest.approx({name: best_by_hand(table, name) for name in table.names}, abs=1e-5)


@settings(max_examples=usually(3, 8), deadline=None)
@given(seeds)
def test_the_same_columns_are_searched_in_whatever_order_rows_and_columns_come(seed):
    table = wide_table(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("nri.induce.constraints.SEARCHED_COLUMNS", 10)
        _check_order(table, seed)


def _check_order(table, seed):
    other = table.take(np.random.default_rng(seed).permutation(len(table)))
    backwards = Table(dict(reversed(other.columns.items())), other.plans, other.weights, other.numbers)
    kept = set(columns_to_search(table).names)
    assert len(kept) == 10
    assert "told" in kept
    assert kept == set(columns_to_search(backwards.with_outcome(other.outcome)).names)


def test_columns_named_by_the_user_stay(monkeypatch):
    monkeypatch.setattr("nri.induce.constraints.SEARCHED_COLUMNS", 5)
    table = wide_table(1)
    told = bits_of_columns(table.columns, table.codes, table.weights)
    least = min(told, key=lambda name: (told[name], name))
    assert least in columns_to_search(table, [least]).names


def test_a_narrow_table_is_searched_as_it_is():
    table = wide_table(2)
    assert columns_to_search(table) is table
    assert induce_rule(table).searched_columns is None


def test_a_wide_table_is_searched_in_part_and_says_so(monkeypatch):
    monkeypatch.setattr(constraints, "SEARCHED_COLUMNS", 12)
    found = induce_rule(wide_table(3), Settings(model="greedy"))
    assert found.searched_columns == 12
    assert "told" in found.rule.columns


def test_dates_and_columns_without_a_cell_are_scored_too():
    columns = {
        "day": column_of([np.datetime64("2024-01-0" + str(i)) for i in range(1, 5)]),
        "empty": column_of([None] * 4),
    }
    assert bits_of_columns(columns, np.array([0, 0, 1, 1]), np.ones(4)) == {"day": 4.0, "empty": 0.0}


@settings(max_examples=usually(6, 20), deadline=None)
@given(seeds)
def test_slopes_by_rows_are_those_by_literals(seed):
    """With many more literals than rows their system would fill the memory."""
    rng = np.random.default_rng(seed)
    truth = (rng.random((12, 60)) < 0.4).astype(float)
    weights, worth = rng.random(12) + 0.1, rng.normal(size=12)
    centred = truth - (weights @ truth) / weights.sum()
    many = _ridge(centred, weights, worth)
    few = _ridge(np.tile(centred, (2, 1)), np.tile(weights / 2, 2), np.tile(worth, 2))
    np.testing.assert_allclose(many, few, atol=1e-8)
