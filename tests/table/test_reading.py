import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from nri.errors import InputError
from nri.rule import Clause, Dnf, Kind, Literal, Op
from nri.rule.column import ColumnPlan
from nri.table import read_columns, table_of


def read(cells: Any, plan: ColumnPlan | None = None) -> tuple[Kind, list[object]]:
    """The kind of a column and its cells, understood or by a plan."""
    table = {"c": cells}
    column = table_of(table).columns["c"] if plan is None else read_columns(table, {"c": plan})["c"]
    return column.kind, [column.cell(row) for row in range(len(column))]


@pytest.mark.parametrize(
    ("cells", "kind", "expected"),
    [
        (np.array([True, False]), Kind.BOOLEAN, [True, False]),
        (pd.array([True, None], dtype="boolean"), Kind.BOOLEAN, [True, None]),
        (pd.Series([True, None, False], dtype=object), Kind.BOOLEAN, [True, None, False]),
        (np.array([1, 2], dtype=np.int8), Kind.NUMBER, [1, 2]),
        (pd.array([1, 0, None], dtype="Int64"), Kind.BOOLEAN, [True, False, None]),
        (pd.array([3, None], dtype="Int64"), Kind.NUMBER, [3, None]),
        (pd.array([1.5, None], dtype="Float64"), Kind.NUMBER, [1.5, None]),
        (pd.Series([1, 2.5, None], dtype=object), Kind.NUMBER, [1, 2.5, None]),
        (pd.Series([Decimal("1.5"), None], dtype=object), Kind.NUMBER, [1.5, None]),
        (pd.arrays.SparseArray([0.0, 2.0]), Kind.NUMBER, [0, 2]),
        (pd.to_timedelta(["1h", None]), Kind.NUMBER, [3600, None]),
        (pd.Series([dt.timedelta(minutes=1), None], dtype=object), Kind.NUMBER, [60, None]),
        (pd.Series([True, 0, 2.5], dtype=object), Kind.NUMBER, [1, 0, 2.5]),
        (["red", None], Kind.TEXT, ["red", None]),
        (pd.array(["red", None], dtype="string"), Kind.TEXT, ["red", None]),
        (["None", "other"], Kind.TEXT, ["None", "other"]),
        (pd.Categorical(["b", None, "a"]), Kind.TEXT, ["b", None, "a"]),
        (pd.Categorical([2, None, 1]), Kind.TEXT, ["2", None, "1"]),
        (pd.Categorical([True, None, False]), Kind.BOOLEAN, [True, None, False]),
        (
            pd.Series(["a", 2, 2.0, 1.5, True, b"x"], dtype=object),
            Kind.TEXT,
            ["a", "2", "2", "1.5", "True", "x"],
        ),
        (pd.Series([pd.Interval(0, 1)], dtype=object), Kind.TEXT, ["(0, 1]"]),
        (pd.Series([dt.date(2024, 1, 31), None]), Kind.DATE, [dt.datetime(2024, 1, 31), None]),
        (pd.to_datetime(["2024-01-31", None]), Kind.DATE, [dt.datetime(2024, 1, 31), None]),
        (pd.PeriodIndex(["2024-02"], freq="M"), Kind.DATE, [dt.datetime(2024, 2, 1)]),
        (pd.to_datetime(["2024-01-31 23:30-02:00"]), Kind.DATE, [dt.datetime(2024, 2, 1, 1, 30)]),
        (pd.Series([None, None], dtype=object), Kind.NUMBER, [None, None]),
        (pd.Categorical([None, None]), Kind.NUMBER, [None, None]),
    ],
)
def test_cells_are_read_as_what_they_are(cells: Any, kind: Kind, expected: list[object]) -> None:
    assert read(cells) == (kind, expected)


def test_aware_times_in_an_object_column_are_taken_at_utc() -> None:
    zone = dt.timezone(dt.timedelta(hours=5))
    moments = [dt.datetime(2024, 1, 1, 3, tzinfo=zone), dt.datetime(2024, 1, 1)]
    assert read(pd.Series(moments, dtype=object))[1] == [
        dt.datetime(2023, 12, 31, 22),
        dt.datetime(2024, 1, 1),
    ]


@pytest.mark.parametrize(
    ("arrow_type", "cell", "expected"),
    [
        (pa.int64(), 5, 5),
        (pa.bool_(), True, True),
        (pa.string(), "a", "a"),
        (pa.dictionary(pa.int8(), pa.string()), "a", "a"),
        (pa.date32(), dt.date(2024, 1, 1), dt.datetime(2024, 1, 1)),
        (pa.timestamp("us", "UTC"), dt.datetime(2024, 1, 1, tzinfo=dt.UTC), dt.datetime(2024, 1, 1)),
        (pa.decimal128(5, 2), Decimal("1.5"), 1.5),
        (pa.duration("us"), dt.timedelta(seconds=5), 5),
    ],
    ids=str,
)
def test_arrow_backed_columns_are_read_like_any_other(arrow_type: Any, cell: Any, expected: object) -> None:
    array = pd.arrays.ArrowExtensionArray(pa.array([cell, None], type=arrow_type))
    assert read(pd.Series(array))[1] == [expected, None]


def test_numbers_too_large_for_a_double_are_refused() -> None:
    with pytest.raises(InputError, match="column 'c' holds a number beyond 1e308"):
        read(pd.Series([10**400, 1], dtype=object))


@pytest.mark.parametrize("dtype", ["float64", "Float64", "object"])
def test_infinite_numbers_are_missing_since_no_clause_should_single_them_out(
    dtype: str, caplog: pytest.LogCaptureFixture
) -> None:
    table = table_of({"c": pd.Series([2.0, np.inf, -np.inf], dtype=dtype)})
    assert [table.columns["c"].cell(row) for row in range(3)] == [2, None, None]
    assert [str(note) for note in table.notes] == ["c: 2 of 3 cells are infinite and count as missing"]
    assert caplog.messages == ["c: 2 of 3 cells are infinite and count as missing"]


def test_polars_columns_are_read_like_pandas_ones() -> None:
    table = pl.DataFrame(
        {
            "n": [1, None],
            "b": [True, None],
            "t": ["x", None],
            "d": [dt.date(2024, 1, 1), None],
            "c": pl.Series(["x", None], dtype=pl.Categorical),
            "e": pl.Series([Decimal("1.25"), None]),
        }
    )
    columns = table_of(table).columns
    assert {name: column.cell(0) for name, column in columns.items()} == {
        "n": 1, "b": True, "t": "x", "d": dt.datetime(2024, 1, 1), "c": "x", "e": 1.25,
    }  # fmt: skip
    assert [column.cell(1) for column in columns.values()] == [None] * 6


@pytest.mark.parametrize("cell", [{"a": 1}, [1], {1}, 1j, object()])
def test_a_cell_that_is_no_plain_value_is_refused(cell: object) -> None:
    with pytest.raises(InputError, match=r"column 'c' holds a .* must be a string or a real number"):
        read(pd.Series([cell, "x"], dtype=object))


def test_complex_columns_are_refused() -> None:
    with pytest.raises(InputError, match="Complex data not supported: column 'c'"):
        read(np.array([1j]))


@pytest.mark.parametrize(
    ("cells", "kind", "expected"),
    [
        ([1, 0, None], Kind.BOOLEAN, [True, False, None]),
        (["true", "FALSE", None, "1"], Kind.BOOLEAN, [True, False, None, True]),
        ([True, False], Kind.NUMBER, [1, 0]),
        (["1.5", None, " 2 "], Kind.NUMBER, [1.5, None, 2]),
        ([2.0, 1.5, None, np.inf], Kind.TEXT, ["2", "1.5", None, None]),
        ([True, False], Kind.TEXT, ["True", "False"]),
        (
            ["2024-01-31", "2024/02/01 10:30", "31.12.2024", "2024-01-01T00:00:00Z"],
            Kind.DATE,
            [
                dt.datetime(2024, 1, 31),
                dt.datetime(2024, 2, 1, 10, 30),
                dt.datetime(2024, 12, 31),
                dt.datetime(2024, 1, 1),
            ],
        ),
        (pd.Series([None], dtype=object), Kind.DATE, [None]),
    ],
)
def test_cells_are_read_as_the_kind_a_rule_expects(cells: Any, kind: Kind, expected: list[object]) -> None:
    assert read(cells, ColumnPlan(kind)) == (kind, expected)
    assert read(cells, ColumnPlan(kind, stated=False)) == (kind, expected)


@pytest.mark.parametrize(
    ("cells", "kind", "message"),
    [
        ([1.0, None, 2.0], Kind.DATE, "column 'c' holds a number .'1.0' in row 1. where a date is expected"),
        (["5", None, "old", "new"], Kind.NUMBER, "column 'c', row 3: 'old' is no number; correct it"),
        (["01/02/2024"], Kind.DATE, "column 'c': day and month cannot be told apart in '01/02/2024'"),
        (["perhaps"], Kind.BOOLEAN, "column 'c', row 1: 'perhaps' is no boolean"),
        (["x" * 90], Kind.NUMBER, r"'x{17}\.\.\.' is no number"),
    ],
)
def test_a_cell_of_another_kind_is_named(cells: Any, kind: Kind, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(cells, ColumnPlan(kind, stated=False))


def test_a_rule_needs_only_the_columns_it_reads() -> None:
    rule = Dnf([Clause([Literal("doors", Op.EQ, "2"), Literal("price", Op.GT, 10)])])
    kinds = {literal.column: literal.kind for clause in rule for literal in clause}
    frame = pd.DataFrame({"price": ["12", "9"], "doors": [2, 4], "junk": [{}, {}]})
    columns = read_columns(frame, {name: ColumnPlan(kind) for name, kind in kinds.items()})
    assert {name: column.kind for name, column in columns.items()} == {
        "doors": Kind.TEXT,
        "price": Kind.NUMBER,
    }


def test_an_absent_column_is_named_with_its_likeliest_spelling() -> None:
    frame = pd.DataFrame({"Age": [1], "sex": ["f"]})
    with pytest.raises(InputError, match=r"no column 'age '; did you mean 'Age'\?"):
        read_columns(frame, {"age ": ColumnPlan(Kind.NUMBER)})
    with pytest.raises(InputError, match="no column 'income'; the table has 'Age', 'sex'"):
        table_of(frame).require(["income"])
