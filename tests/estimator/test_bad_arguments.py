"""Every bad argument is one kind of error, on one line, that says what to do. They were five kinds."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from nri import Knowledge, NRIClassifier, NRIRegressor
from nri.errors import InputError
from nri.induce.settings import Settings

ROWS, LABELS = {"a": list(range(20)), "b": ["x", "y"] * 10}, [0, 1] * 10

ARGUMENTS = (
    [("model", value) for value in (5, None, b"greedy", [], "magic", "none.onnx")]
    + [("max_clauses", value) for value in (0, -1, 1.5, "x", None, True, float("nan"))]
    + [("max_literals", value) for value in (0, -1, 1.5, "x", None, True)]
    + [("columns", value) for value in (5, "a", ["c"], [5], [None], [["a"]], {"c": True}, object())]
    + [("require", value) for value in (5, "a", ["c"], [5], [None], object())]
    + [("negations", value) for value in (5, "x", None)]
    + [("min_precision", value) for value in (2, -1, "x", None, True, float("nan"))]
    + [("binarize", value) for value in (5, None, "x", [])]
    + [("counts", value) for value in (5, None, "x", [])]
    + [
        ("class_weight", value)
        for value in (5, "x", {0: -1}, {0: 1e308}, {0: "x"}, {0: None}, {5: 1}, [1, 2])
    ]
    + [("positive", value) for value in ("x", 5, [1], {})]
    + [("knowledge", value) for value in (5, "age", {"cuts": {}})]
    + [("exact_text", value) for value in (5, None, "x")]
    + [("random_state", value) for value in (-1, "x", 2**40, 1.5, [-1], object(), float("nan"))]
)


@pytest.mark.parametrize(("name", "value"), ARGUMENTS, ids=lambda one: repr(one)[:30].split(" at 0x")[0])
def test_an_argument_that_means_nothing_is_refused_by_its_value(name, value):
    with pytest.raises(InputError) as caught:
        NRIClassifier(**{"model": "greedy", name: value}).fit(ROWS, LABELS)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "given",
    [
        {"cuts": 5},
        {"cuts": {"a": "x"}},
        {"cuts": {"a": [float("nan")]}},
        {"cuts": {"a": []}},  # raised a KeyError from the search
        {"cuts": {"a": iter([1.0])}},
        {"forbid": 5},
        {"forbid": "a > 1"},
        {"forbid": [5]},
        {"monotone": 5},
        {"keep": 5},
    ],
)
def test_knowledge_that_means_nothing_is_refused(given):
    with pytest.raises(InputError):
        Knowledge(**given)


def test_an_error_is_one_line_whatever_the_columns_are_called():
    """The message about a direction quoted the name as it was, ends of lines included."""
    rows = {"two\nlines": range(20)}
    for known in ({"monotone": {"two\nlines": "sideways"}}, {"cuts": {"two\nlines": [float("inf")]}}):
        with pytest.raises(InputError) as caught:
            NRIClassifier("greedy", knowledge=Knowledge(**known)).fit(rows, LABELS)
        assert r"two\nlines" in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "weights",
    [
        "x",
        ["a"] * 20,
        [1] * 3,
        [[1]] * 20,
        [None] * 20,
        [1j] * 20,
        object(),
        {"a": 1},
        -1,
        [dt.timedelta(1)] * 20,
        [0] * 20,
        [float("inf")] * 20,
        [10**400] * 20,
    ],
    ids=lambda one: repr(one)[:20].split(" at 0x")[0],
)
def test_weights_that_are_none_are_refused(weights):
    for estimator in (NRIClassifier("greedy"), NRIRegressor()):
        with pytest.raises(InputError, match="sample_weight"):
            estimator.fit(ROWS, LABELS, sample_weight=weights)


@pytest.mark.parametrize(
    "labels",
    [
        5,
        "abcdefghijklmnopqrst",
        {"a": 1},
        set(range(20)),
        (i for i in range(20)),
        [(1, 2)] * 20,
        [object()] * 20,
        [1j, 2j] * 10,
        [b"a", b"b"] * 10,
        [dt.date(2020, 1, 1), dt.date(2021, 1, 1)] * 10,
        [None, 1] * 10,
        [Decimal(1), Decimal(2)] * 10,
        [Fraction(1, 3), Fraction(2, 3)] * 10,
        [10**400, 1] * 10,
        ["a\ud800", "b"] * 10,
        [1, "1"] * 10,
        np.zeros((20, 2)),
        pd.array([1, None] * 10, dtype="Int64"),
        [0.5, float("inf")] * 10,
    ],
    ids=lambda one: repr(one)[:20].split(" at 0x")[0],
)
def test_labels_that_are_none_are_refused(labels):
    with pytest.raises(InputError):
        NRIClassifier("greedy").fit(ROWS, labels)


@pytest.mark.parametrize(
    "rows",
    [
        5,
        None,
        "x",
        set(),
        object(),
        [],
        {},
        [[1, 2], [3]],
        {"a": 5},
        [{"a": 1}, 5],
        np.zeros(3),
        np.zeros((2, 2, 2)),
        np.zeros((20, 2), dtype="V4"),
    ],
    ids=lambda one: repr(one)[:20].split(" at 0x")[0],
)
def test_rows_that_are_none_are_refused(rows):
    with pytest.raises(InputError):
        NRIClassifier("greedy").fit(rows, LABELS)


def test_limits_beyond_all_use_take_no_longer():
    """max_literals=10**9 allocated as much; max_clauses=10**30 was gone through by doubling."""
    plain = NRIClassifier("greedy", max_clauses=16, max_literals=16).fit(ROWS, LABELS)
    vast = NRIClassifier("greedy", max_clauses=10**30, max_literals=10**30).fit(ROWS, LABELS)
    assert vast.rule_ == plain.rule_
    NRIRegressor(max_clauses=10**30, max_literals=10**30).fit(ROWS, list(range(20)))


def test_labels_and_weights_of_polars_are_taken_whatever_their_type():
    labels = pl.Series("ill", LABELS, dtype=pl.Int128)
    clf = NRIClassifier("greedy").fit(ROWS, labels, sample_weight=pl.Series([1.0] * 20))
    assert clf.rule_.target == "ill"
    assert clf.predict(ROWS).tolist() == LABELS


def test_names_of_columns_may_be_numbers_or_come_one_by_one():
    """They were checked and then used as they came: a list that was read once was empty the second time."""
    settings = Settings(use=(one for one in ("a", "b")), never=[7], require=("a",))
    assert (settings.use, settings.never, settings.require) == (["a", "b"], ["7"], ["a"])
    assert Settings(ordered=(one for one in ("low", "high"))).ordered == ("low", "high")
