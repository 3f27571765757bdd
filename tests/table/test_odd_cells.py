"""Cells of rare types are read for what they are, or refused in a line that names the column or the cell."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from nri import NRIClassifier
from nri.errors import InputError
from nri.table import table_of

LABELS = [False] * 10 + [True] * 10


def fitted(X, y=None):
    clf = NRIClassifier("greedy").fit(X, LABELS if y is None else y)
    assert clf.predict(X).tolist() == list(LABELS if y is None else y)
    return clf


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">i8", ">i2", ">u4", ">M8[D]", ">m8[s]"])
def test_numbers_in_the_other_byte_order_are_numbers(dtype):
    column = np.arange(20).astype(dtype)
    for X in (column.reshape(-1, 1), pd.DataFrame({"x0": column})):
        assert (
            fitted(X).rule_
            == fitted(pd.DataFrame({"x0": column.astype(column.dtype.newbyteorder("="))})).rule_
        )


def test_words_and_labels_in_the_other_byte_order_are_words_and_labels():
    words = np.array(["lo"] * 10 + ["hi"] * 10, dtype=">U4")
    fitted(words.reshape(-1, 1), np.array(LABELS).astype(">i4"))
    fitted(words.reshape(-1, 1), words)


@pytest.mark.parametrize(
    "make",
    [lambda i: dt.timedelta(hours=i), lambda i: np.timedelta64(i, "h"), lambda i: pd.Timedelta(hours=i)],
)
def test_durations_are_seconds_also_as_objects(make):
    spans = pd.Series([make(i) for i in range(19)] + [None], dtype=object)
    column = table_of(pd.DataFrame({"a": spans})).columns["a"]
    assert column.values[:3].tolist() == [0, 3600, 7200]
    assert column.known.tolist() == [True] * 19 + [False]


def test_moments_as_objects_of_numpy_are_dates():
    moments = pd.Series([np.datetime64("2024-01-01") + i for i in range(20)], dtype=object)
    assert str(table_of(pd.DataFrame({"a": moments})).plans["a"].kind) == "date"


def test_a_decimal_that_signals_is_missing():
    cells = [Decimal(i) for i in range(18)] + [Decimal("sNaN"), Decimal("NaN")]
    column = table_of({"a": cells}).columns["a"]
    assert column.known.tolist() == [True] * 18 + [False] * 2


@pytest.mark.parametrize(
    "X",
    [
        {"a": ["x", "y\ud800"] * 10},
        {"a\ud800": [1, 2] * 10},
        np.array(["x", "y\ud800"] * 10).reshape(-1, 1),
        pd.DataFrame({"a": pd.Series(["x", "y\ud800"] * 10, dtype=object)}),
        pd.DataFrame({"a": pd.Series(["x", "y\udfff", 1, 2] * 5, dtype=object)}),
        [["x"], ["\udc80"]] * 10,
    ],
    ids=["dict", "name", "array", "objects", "mixed", "rows"],
)
def test_half_a_character_is_refused_by_its_text(X):
    with pytest.raises(InputError, match=r"'.*\\ud.*' holds half a character"):
        NRIClassifier("greedy").fit(X, LABELS)


@pytest.mark.parametrize("numbers", [list(range(20)), [*range(19), None], [*range(19), 2**100]])
def test_whole_numbers_of_128_bits_are_numbers(numbers):
    table = table_of(pl.DataFrame({"a": pl.Series(numbers, dtype=pl.Int128)}))
    assert table.columns["a"].values[:3].tolist() == [0, 1, 2]
    assert table.plans["a"].whole == (numbers[-1] != 2**100)


def test_a_polars_column_may_be_named_by_a_zero_byte():
    """polars panicked, which is no exception that anybody catches."""
    assert fitted(pl.DataFrame({"\0": range(20)})).rule_.columns == ("\0",)


def test_a_number_beyond_all_floats_is_refused():
    for cells in ([10**400] * 20, [10**400, "x"] * 10):
        with pytest.raises(InputError, match="beyond 1e308"):
            table_of({"a": cells})


def test_a_moment_beyond_the_calendar_is_refused():
    late = dt.datetime(9999, 12, 31, 23, tzinfo=dt.timezone(dt.timedelta(hours=-14)))
    with pytest.raises(InputError, match="beyond the calendar"):
        table_of({"a": [late, dt.datetime(2024, 1, 1)] * 10})


def test_dates_in_several_formats_are_read_and_named_as_such() -> None:
    """Three formats in one column were "looks like an identifier", which nothing could be done about."""
    days = ["2024-01-31", "01/22/2023", "22-Jan-23", "2024-02-01", "02/23/2023", "23-Feb-23"]
    table = table_of({"day": days})
    assert [str(note) for note in table.notes] == ["day: dates in several formats are each read by its own"]
    assert table.columns["day"].known.all()
