import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nri.errors import InputError
from nri.rule import Kind, Literal, Op
from nri.rule.regions import BOOLEAN, OPEN, ColumnDomain
from nri.table.binarizer import Binarizer, BooleanTable
from nri.table.kinds import CategoryLimits, LeftOut, Reason

MODES = ("auto", "paper")
CELLS: dict[str, st.SearchStrategy[Any]] = {
    "boolean": st.none() | st.booleans(),
    "whole": st.none() | st.integers(-5, 5),
    "number": st.none() | st.floats(-1e6, 1e6).map(lambda x: round(x, 3)),
    "colour": st.none() | st.sampled_from(["red", "green", "blue", "None", ""]),
    "two": st.none() | st.sampled_from(["no", "yes"]),
    "day": st.none() | st.dates(dt.date(1990, 1, 1), dt.date(2030, 1, 1)),
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, np.ndarray]:
    n_rows = draw(st.integers(1, 25))
    columns = {
        name: pd.Series(draw(st.lists(cells, min_size=n_rows, max_size=n_rows)), dtype=object)
        for name, cells in CELLS.items()
    }
    labels = draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    return pd.DataFrame(columns), np.array(labels)


def same(left: BooleanTable, right: BooleanTable) -> bool:
    return np.array_equal(left.values, right.values) and np.array_equal(left.known, right.known)


def meanings(binarizer: Binarizer) -> list[str]:
    return [f"{literal.column} {literal.op} {literal.value}" for literal in binarizer.variables_]


@settings(deadline=None, max_examples=30)
@given(tables(), st.sampled_from(MODES), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_variable(table: Any, mode: Any, random: Any) -> None:
    frame, labels = table
    order = list(range(len(frame)))
    random.shuffle(order)
    binarizer = Binarizer(mode).fit(frame, labels)
    shuffled = Binarizer(mode).fit(frame.iloc[order], labels[order])
    assert shuffled.variables_ == binarizer.variables_
    assert shuffled.left_out_ == binarizer.left_out_
    assert np.array_equal(
        binarizer.transform(frame).values[order], shuffled.transform(frame.iloc[order]).values
    )


@settings(deadline=None, max_examples=30)
@given(tables(), st.sampled_from(MODES), st.permutations(list(CELLS)))
def test_the_order_of_columns_only_permutes_the_variables(table: Any, mode: Any, order: list[str]) -> None:
    frame, labels = table
    binarizer = Binarizer(mode).fit(frame, labels)
    permuted = Binarizer(mode).fit(frame[order], labels)
    expected = sorted(binarizer.variables_, key=lambda literal: order.index(literal.column))
    assert list(permuted.variables_) == expected


@settings(deadline=None, max_examples=30)
@given(tables(), st.sampled_from(MODES))
def test_unknown_cells_are_unknown_in_every_variable_and_false(table: Any, mode: Any) -> None:
    frame, labels = table
    binarizer = Binarizer(mode).fit(frame, labels)
    result = binarizer.transform(frame)
    for index, variable in enumerate(binarizer.variables_):
        assert result.known[:, index].tolist() == frame[variable.column].notna().tolist()
    assert not (result.values & ~result.known).any()


@settings(deadline=None, max_examples=30)
@given(tables())
def test_in_auto_mode_every_cut_separates_support_rows_and_no_two_alike(table: Any) -> None:
    frame, labels = table
    binarizer = Binarizer().fit(frame, labels)
    values = binarizer.transform(frame).values
    for group, name in enumerate(binarizer.columns_):
        if binarizer.kinds_[name] in (Kind.NUMBER, Kind.DATE):
            block = values[:, binarizer.groups_ == group]
            known = frame[name].notna().to_numpy()
            assert block.any(axis=0).all()
            assert not block[known].all(axis=0).any()
            assert len({column.tobytes() for column in block.T}) == block.shape[1]


@settings(deadline=None, max_examples=20)
@given(tables(), st.sampled_from(MODES))
def test_a_row_alone_reads_like_the_row_in_its_table(table: Any, mode: Any) -> None:
    frame, labels = table
    binarizer = Binarizer(mode).fit(frame, labels)
    whole = binarizer.transform(frame)
    alone = [binarizer.transform(frame.iloc[[row]]) for row in range(len(frame))]
    assert np.array_equal(whole.values, np.concatenate([one.values for one in alone]))
    assert np.array_equal(whole.known, np.concatenate([one.known for one in alone]))


@pytest.mark.parametrize("mode", MODES)
def test_a_float_table_of_zero_one_and_nan_is_used_as_it_is(mode: Any) -> None:
    array = np.array([[0.0, 1.0, np.nan], [1.0, 1.0, np.nan], [np.nan, 1.0, np.nan]])
    binarizer = Binarizer(mode).fit(array)
    assert binarizer.variables_ == tuple(Literal(f"x{i}", Op.EQ, True) for i in range(3))
    assert binarizer.left_out_ == ()
    result = binarizer.transform(array)
    assert np.array_equal(result.known, ~np.isnan(array))
    assert np.array_equal(result.values, array == 1)


def test_polars_pandas_and_records_give_the_same_variables() -> None:
    data = {"n": [1, 2, None, 9], "c": ["a", "b", "a", None], "b": [True, None, False, True]}
    frame = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in data.items()})
    expected = Binarizer().fit(frame)
    for other in (pl.DataFrame(data), frame.convert_dtypes(), data):
        binarizer = Binarizer().fit(other)
        assert binarizer.variables_ == expected.variables_
        assert same(binarizer.transform(other), expected.transform(frame))


def test_a_category_never_seen_is_equal_to_nothing() -> None:
    binarizer = Binarizer().fit(pd.DataFrame({"c": ["a", "a", "b", "b", "c", "c"]}))
    result = binarizer.transform(pd.DataFrame({"c": ["zebra", None]}))
    assert result.values.tolist() == [[False] * 3] * 2
    assert result.known.tolist() == [[True] * 3, [False] * 3]


def test_two_values_need_one_variable() -> None:
    table = pd.DataFrame({"sick": ["no", "yes", "no", None], "sex": ["m", "f", "f", "m"]})
    binarizer = Binarizer().fit(table)
    assert meanings(binarizer) == ["sick = yes", "sex = m"]


def test_rare_categories_give_no_variable_but_stay_known() -> None:
    table = pd.DataFrame({"c": ["a"] * 5 + ["b"] * 5 + ["rare"]})
    binarizer = Binarizer().fit(table)
    assert meanings(binarizer) == ["c = a", "c = b"]
    result = binarizer.transform(table)
    assert result.values[-1].tolist() == [False, False]
    assert result.known[-1].all()


def test_the_most_frequent_categories_are_kept() -> None:
    cells = [text for count, text in enumerate("abcdef", start=2) for _ in range(count)]
    binarizer = Binarizer(limits=CategoryLimits(max_categories=3)).fit(pd.DataFrame({"c": cells}))
    assert meanings(binarizer) == ["c = d", "c = e", "c = f"]


def test_useless_columns_are_left_out_with_a_reason() -> None:
    n = 40
    table = pd.DataFrame(
        {
            "patient_id": np.arange(n) * 7 + 1000,
            "counter": np.arange(n),
            "name": [f"n{i}" for i in range(n)],
            "note": [f"the patient number {i} said that all was well today" for i in range(n)],
            "same": [1] * n,
            "empty": [None] * n,
            "age": np.arange(n) * 0.5,
        }
    )
    binarizer = Binarizer().fit(table)
    assert binarizer.columns_ == ("age",)
    assert binarizer.left_out_ == (
        LeftOut("patient_id", Reason.IDENTIFIER),
        LeftOut("counter", Reason.IDENTIFIER),
        LeftOut("name", Reason.IDENTIFIER),
        LeftOut("note", Reason.FREE_TEXT),
        LeftOut("same", Reason.CONSTANT),
        LeftOut("empty", Reason.MISSING),
    )


def test_a_lone_column_that_counts_up_is_used() -> None:
    """What somebody types first is ``X = range(100)``; leaving it out would leave nothing."""
    labels = np.arange(100) >= 50
    binarizer = Binarizer().fit(np.arange(100).reshape(-1, 1), labels.astype(int))
    assert binarizer.left_out_ == ()
    assert (binarizer.transform(np.arange(100).reshape(-1, 1)).values == labels[:, None]).all(axis=0).any()


def test_dates_as_text_are_dates() -> None:
    table = pd.DataFrame({"d": [f"20{year:02d}-05-17" for year in range(10, 20)]})
    binarizer = Binarizer(max_thresholds=1).fit(table, np.array([0] * 6 + [1] * 4))
    assert binarizer.variables_ == (Literal("d", Op.GT, dt.datetime(2016, 1, 1)),)
    assert binarizer.transform(table).values[:, 0].tolist() == [False] * 6 + [True] * 4


def test_transform_needs_only_the_columns_that_gave_variables() -> None:
    table = pd.DataFrame({"id": range(30), "age": np.linspace(0, 1, 30)})
    binarizer = Binarizer().fit(table)
    assert same(binarizer.transform(table[["age"]]), binarizer.transform(table))
    with pytest.raises(InputError, match="no column 'age'; the table has 'id'"):
        binarizer.transform(table[["id"]])


def test_weights_count_as_repeated_rows() -> None:
    generator = np.random.default_rng(0)
    table = pd.DataFrame({"x": generator.normal(size=30), "y": generator.normal(size=30)})
    labels = (table["x"] > 0.3).to_numpy().astype(int)
    weights = generator.integers(1, 4, size=30)
    weighted = Binarizer().fit(table, labels, weights.astype(float))
    repeated = Binarizer().fit(table.loc[table.index.repeat(weights)], np.repeat(labels, weights))
    assert weighted.variables_ == repeated.variables_


def test_number_columns_that_are_named_are_cut_even_in_a_table_of_zero_and_one() -> None:
    binarizer = Binarizer("paper", numeric=["x0"]).fit(np.array([[0.0], [1.0], [1.0]]))
    assert meanings(binarizer) == ["x0 > 1"]


def test_tables_without_rows_and_labels_of_another_length_are_refused() -> None:
    with pytest.raises(
        InputError, match=r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required"
    ):
        Binarizer().fit(np.zeros((0, 3)))
    with pytest.raises(InputError, match="3 labels for 4 rows; give one for each row"):
        Binarizer().fit(np.eye(4), np.array([0, 1, 1]))
    with pytest.raises(InputError, match="1 weights for 4 rows"):
        Binarizer().fit(np.eye(4), weights=np.array([1.0]))


def test_impossible_options_are_refused() -> None:
    with pytest.raises(InputError, match="unknown binarisation mode 'best'; use 'auto' or 'paper'"):
        Binarizer("best")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="max_thresholds is 0"):
        Binarizer(max_thresholds=0)
    with pytest.raises(InputError, match="no column 'agee'; did you mean 'age'"):
        Binarizer(numeric=["agee"]).fit(pd.DataFrame({"age": [1, 2]}))


def test_the_domain_tells_the_categories_seen_and_leaves_numbers_open() -> None:
    table = pd.DataFrame({"c": ["a", "b", None, "b"], "flag": [0, 1, 1, 0], "n": [1.5, 2.5, 3.5, 4.5]})
    domain = Binarizer().fit(table).domain_
    assert domain == {"c": ColumnDomain(["a", "b"]), "flag": BOOLEAN, "n": OPEN}
    assert not domain["c"].complete


def test_a_narrowed_binarizer_keeps_some_columns_and_knows_more_cuts_of_them() -> None:
    table = pd.DataFrame({"age": [20, 30, 64, 70], "sex": ["f", "m", "f", "m"], "x": [1.5, 2.5, 3.5, 4.5]})
    whole = Binarizer(max_thresholds=1).fit(table, np.array([0, 0, 1, 1]))
    closer = whole.narrowed(("sex", "age"), [Literal("age", Op.GT, 25), Literal("age", Op.GT, 50)])
    assert [str(v) for v in closer.variables_] == ["age > 50", "age > 25", "sex = m"]
    assert closer.groups_.tolist() == [0, 0, 1]
    assert closer.columns_ == ("age", "sex")
    assert closer.transform(table).values[:, 1].tolist() == [False, True, True, True]
    assert whole.columns_ == ("age", "sex", "x")
