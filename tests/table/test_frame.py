import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from nri.errors import InputError
from nri.table.frames import as_frame


def test_arrays_get_names_by_position() -> None:
    assert as_frame(np.zeros((2, 3))).columns.tolist() == ["x0", "x1", "x2"]


def test_lists_of_rows_keep_the_type_of_each_column() -> None:
    frame = as_frame([[1, "red"], [2, "blue"]])
    assert frame["x0"].tolist() == [1, 2]
    assert pd.api.types.is_integer_dtype(frame["x0"].dtype)
    assert frame["x1"].tolist() == ["red", "blue"]


@pytest.mark.parametrize(
    "table",
    [
        {"age": [1, 2], "sex": ["f", "m"]},
        [{"age": 1, "sex": "f"}, {"age": 2, "sex": "m"}],
        pd.DataFrame({"age": [1, 2], "sex": ["f", "m"]}),
        pl.DataFrame({"age": [1, 2], "sex": ["f", "m"]}),
        pl.LazyFrame({"age": [1, 2], "sex": ["f", "m"]}),
        nw.from_native(pd.DataFrame({"age": [1, 2], "sex": ["f", "m"]})),
        nw.from_native(pd.DataFrame({"age": [1, 2], "sex": ["f", "m"]})).lazy(),
        pa.table({"age": [1, 2], "sex": ["f", "m"]}),
    ],
    ids=["dict", "records", "pandas", "polars", "lazy", "narwhals", "narwhals-lazy", "arrow"],
)
def test_every_container_gives_the_same_frame(table: object) -> None:
    frame = as_frame(table)
    assert frame.columns.tolist() == ["age", "sex"]
    assert frame["age"].tolist() == [1, 2]
    assert frame["sex"].tolist() == ["f", "m"]


def test_a_series_is_a_table_of_one_column() -> None:
    assert as_frame(pd.Series([1, 2], name="age")).columns.tolist() == ["age"]
    assert as_frame(pl.Series("age", [1, 2])).columns.tolist() == ["age"]


def test_polars_integers_with_gaps_stay_integers() -> None:
    assert as_frame(pl.DataFrame({"n": [1, None, 3]}))["n"].tolist() == [1, None, 3]


def test_names_become_text_and_levels_are_joined() -> None:
    assert as_frame(pd.DataFrame([[1, 2]], columns=[0, 7])).columns.tolist() == ["0", "7"]
    levels = pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])
    assert as_frame(pd.DataFrame([[1, 2]], columns=levels)).columns.tolist() == ["a/1", "a/2"]


def test_the_callers_table_is_not_changed() -> None:
    table = pd.DataFrame([[1, 2]], columns=[0, 1])
    as_frame(table)
    assert table.columns.tolist() == [0, 1]


def test_names_that_are_equal_as_text_are_refused() -> None:
    with pytest.raises(InputError, match="duplicate column names: '1'; give each"):
        as_frame(pd.DataFrame([[1, 2]], columns=[1, "1"]))


@pytest.mark.parametrize(
    ("table", "cause"),
    [
        (np.zeros(3), "Expected 2D array"),
        (np.zeros((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required"),
        (np.zeros((2, 2), dtype=complex), "Complex data not supported"),
        (sparse.csr_matrix(np.eye(2)), "Sparse data was passed"),
        ([[1, 2], [3]], "differ in length"),
        ({"a": [1, 2], "b": [1]}, "one length"),
        ("table.csv", "Expected 2D array"),
        (None, "Expected 2D array"),
    ],
)
def test_what_is_no_table_is_refused_with_the_cause(table: object, cause: str) -> None:
    with pytest.raises(InputError, match=cause):
        as_frame(table)
