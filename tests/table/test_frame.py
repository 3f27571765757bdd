from io import StringIO

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from nri.errors import InputError
from nri.rule import ColumnPlan, Kind
from nri.table import label_table, open_source, source_of, table_of
from nri.table.frames import cells_of, columns_of, plain_cells


def test_arrays_get_names_by_position() -> None:
    assert list(columns_of(np.zeros((2, 3)))) == ["x0", "x1", "x2"]


def test_lists_of_rows_keep_the_type_of_each_column() -> None:
    columns = columns_of([[1, "red"], [2, "blue"]])
    assert cells_of(columns["x0"]).whole
    assert plain_cells(columns["x1"]) == ["red", "blue"]


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
def test_every_container_gives_the_same_columns(table: object) -> None:
    columns = columns_of(table)
    assert list(columns) == ["age", "sex"]
    assert plain_cells(columns["age"]) == [1, 2]
    assert plain_cells(columns["sex"]) == ["f", "m"]
    assert cells_of(columns["age"]).whole


def test_a_series_is_a_table_of_one_column() -> None:
    assert list(columns_of(pd.Series([1, 2], name="age"))) == ["age"]
    assert list(columns_of(pl.Series("age", [1, 2]))) == ["age"]


def test_polars_integers_with_gaps_stay_integers() -> None:
    column = columns_of(pl.DataFrame({"n": [1, None, 3]}))["n"]
    assert plain_cells(column) == [1, None, 3]
    assert cells_of(column).whole


def test_names_become_text_and_levels_are_joined() -> None:
    assert list(columns_of(pd.DataFrame([[1, 2]], columns=[0, 7]))) == ["0", "7"]
    levels = pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])
    assert list(columns_of(pd.DataFrame([[1, 2]], columns=levels))) == ["a/1", "a/2"]


def test_a_column_is_found_by_its_name_without_the_blanks_around_it() -> None:
    """The header " a,y" made a rule about a, which found no column a in the same table read by pandas."""
    frame = pd.DataFrame({" a": range(40), "y ": ["no", "yes"] * 20})
    for name in ("a", " a"):
        plans = {name: ColumnPlan(Kind.NUMBER)}
        assert source_of(frame).columns(plans)[name].values.tolist() == [*range(40)]
    assert label_table(table_of(frame), "y ").target == "y "
    with pytest.raises(InputError, match="no column 'b '"):
        source_of({"b": [1], " b": [2]}).cells("b ")


def test_the_callers_table_is_not_changed() -> None:
    table = pd.DataFrame([[1, 2]], columns=[0, 1])
    columns_of(table)
    assert table.columns.tolist() == [0, 1]


def test_names_that_are_equal_as_text_are_refused() -> None:
    with pytest.raises(InputError, match="duplicate column names: '1'; give each"):
        columns_of(pd.DataFrame([[1, 2]], columns=[1, "1"]))


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
        columns_of(table)


@pytest.mark.parametrize(("first", "noted"), [(2**53 - 2, False), (2**53, True), (2**60, True)])
def test_whole_numbers_that_no_double_tells_apart_are_noted(first: int, noted: bool) -> None:
    """2^53 and the number behind it were one value without a word; in a text file so were all beyond."""
    column = [first, first + 1] * 5
    text = open_source(StringIO("a,b\n" + "".join(f"{x},1\n" for x in column)))
    for table in (table_of({"a": column}), table_of({"a": np.array(column)}), text.table()):
        assert ("beyond 2^53 are rounded" in "".join(map(str, table.notes))) == noted
