import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st

from nri.arrays import BoolArray
from nri.errors import InputError
from nri.outcome import Classes
from nri.rule import Kind, Literal, Op
from nri.rule.column import BOOLEAN, OPEN, ColumnDomain
from nri.table import Binarizer, LeftOut, Reason, Table, read_columns, table_of
from nri.table.codes import ReadOptions

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


def labelled(X: Any, labels: Any = None, weights: Any = None) -> Table:
    """What a caller holds as a table, with classes if there are labels."""
    table = table_of(X)
    if labels is not None:
        codes = np.asarray(labels, dtype=np.int64)
        table = table.with_outcome(Classes("y", tuple(range(max(2, codes.max() + 1))), codes))
    return table if weights is None else table.reweighted(np.asarray(weights, dtype=float))


def fit(X: Any, labels: Any = None, weights: Any = None, **options: Any) -> Binarizer:
    return Binarizer(**options).fit(labelled(X, labels, weights))


def cells(binarizer: Binarizer, X: Any) -> tuple[BoolArray, BoolArray]:
    """The variables of rows, where they are true and where they are known."""
    return binarizer.cells(table_of(X).columns, len(X))


def same(left: tuple[BoolArray, BoolArray], right: tuple[BoolArray, BoolArray]) -> bool:
    return np.array_equal(left[0], right[0]) and np.array_equal(left[1], right[1])


def meanings(binarizer: Binarizer) -> list[str]:
    return [f"{literal.column} {literal.op} {literal.value}" for literal in binarizer.variables_]


@settings(deadline=None, max_examples=usually(10, 30))
@given(tables(), st.sampled_from(MODES), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_variable(table: Any, mode: Any, random: Any) -> None:
    frame, labels = table
    order = list(range(len(frame)))
    random.shuffle(order)
    table = labelled(frame, labels)
    binarizer = Binarizer(mode).fit(table)
    again = labelled(frame.iloc[order], labels[order])
    shuffled = Binarizer(mode).fit(again)
    assert shuffled.variables_ == binarizer.variables_
    assert shuffled.left_out_ == binarizer.left_out_
    values, known = binarizer.cells(table.columns, len(table))
    assert same((values[order], known[order]), shuffled.cells(again.columns, len(table)))


@settings(deadline=None, max_examples=usually(10, 30))
@given(tables(), st.sampled_from(MODES), st.permutations(list(CELLS)))
def test_the_order_of_columns_only_permutes_the_variables(table: Any, mode: Any, order: list[str]) -> None:
    frame, labels = table
    binarizer = fit(frame, labels, mode=mode)
    permuted = fit(frame[order], labels, mode=mode)
    expected = sorted(binarizer.variables_, key=lambda literal: order.index(literal.column))
    assert list(permuted.variables_) == expected


@settings(deadline=None, max_examples=usually(10, 30))
@given(tables(), st.sampled_from(MODES))
def test_unknown_cells_are_unknown_in_every_variable_and_false(table: Any, mode: Any) -> None:
    frame, labels = table
    binarizer = fit(frame, labels, mode=mode)
    values, known = cells(binarizer, frame)
    for index, variable in enumerate(binarizer.variables_):
        assert known[:, index].tolist() == frame[variable.column].notna().tolist()
    assert not (values & ~known).any()


@settings(deadline=None, max_examples=usually(10, 30))
@given(tables())
def test_in_auto_mode_every_cut_separates_support_rows_and_no_two_alike(table: Any) -> None:
    frame, labels = table
    read = labelled(frame, labels)
    binarizer = Binarizer().fit(read)
    values, _ = binarizer.cells(read.columns, len(read))
    for group, name in enumerate(binarizer.columns_):
        if read.columns[name].kind in (Kind.NUMBER, Kind.DATE):
            block = values[:, binarizer.groups_ == group]
            known = frame[name].notna().to_numpy()
            assert block.any(axis=0).all()
            assert not block[known].all(axis=0).any()
            assert len({column.tobytes() for column in block.T}) == block.shape[1]


@settings(deadline=None, max_examples=usually(6, 20))
@given(tables(), st.sampled_from(MODES))
def test_a_row_alone_reads_like_the_row_in_its_table(table: Any, mode: Any) -> None:
    frame, labels = table
    read = labelled(frame, labels)
    binarizer = Binarizer(mode).fit(read)
    plans = {name: read.plans[name] for name in binarizer.columns_}
    whole = binarizer.cells(read.columns, len(read))
    alone = [binarizer.cells(read_columns(frame.iloc[[row]], plans), 1) for row in range(len(frame))]
    assert np.array_equal(whole[0], np.concatenate([values for values, _ in alone]))
    assert np.array_equal(whole[1], np.concatenate([known for _, known in alone]))


@pytest.mark.parametrize("mode", MODES)
def test_a_float_table_of_zero_one_and_nan_is_used_as_it_is(mode: Any) -> None:
    array = np.array([[0.0, 1.0, np.nan], [1.0, 1.0, np.nan], [np.nan, 1.0, np.nan]])
    binarizer = fit(array, mode=mode)
    assert binarizer.variables_ == tuple(Literal(f"x{i}", Op.EQ, True) for i in range(3))
    assert binarizer.left_out_ == ()
    values, known = cells(binarizer, array)
    assert np.array_equal(known, ~np.isnan(array))
    assert np.array_equal(values, array == 1)


def test_polars_pandas_and_records_give_the_same_variables() -> None:
    data = {"n": [1, 2, None, 9], "c": ["a", "b", "a", None], "b": [True, None, False, True]}
    frame = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in data.items()})
    expected = fit(frame)
    for other in (pl.DataFrame(data), frame.convert_dtypes(), data):
        binarizer = fit(other)
        assert binarizer.variables_ == expected.variables_
        assert same(binarizer.cells(table_of(other).columns), expected.cells(table_of(frame).columns))


def test_a_category_never_seen_is_equal_to_nothing() -> None:
    table = table_of({"c": ["a", "a", "b", "b", "c", "c"]})
    new = read_columns({"c": ["zebra", None]}, table.plans)
    values, known = Binarizer().fit(table).cells(new)
    assert values.tolist() == [[False] * 3] * 2
    assert known.tolist() == [[True] * 3, [False] * 3]


def test_two_values_need_one_variable() -> None:
    table = pd.DataFrame({"sick": ["no", "yes", "no", None], "sex": ["m", "f", "f", "m"]})
    binarizer = fit(table)
    assert meanings(binarizer) == ["sick = yes", "sex = m"]


def test_rare_categories_give_no_variable_but_stay_known() -> None:
    table = pd.DataFrame({"c": ["a"] * 5 + ["b"] * 5 + ["rare"]})
    binarizer = fit(table)
    assert meanings(binarizer) == ["c = a", "c = b"]
    values, known = cells(binarizer, table)
    assert values[-1].tolist() == [False, False]
    assert known[-1].all()


def test_the_most_frequent_categories_are_kept(monkeypatch) -> None:
    texts = [text for count, text in enumerate("abcdef", start=2) for _ in range(count)]
    monkeypatch.setattr("nri.table.binarizer._MOST_CATEGORIES", 3)
    binarizer = fit({"c": texts})
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
    binarizer = fit(table)
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
    rows = np.arange(100).reshape(-1, 1)
    binarizer = fit(rows, labels)
    assert binarizer.left_out_ == ()
    assert (cells(binarizer, rows)[0] == labels[:, None]).all(axis=0).any()


def test_dates_as_text_are_dates() -> None:
    table = pd.DataFrame({"d": [f"20{year:02d}-05-17" for year in range(10, 20)]})
    binarizer = fit(table, [0] * 6 + [1] * 4, max_thresholds=1)
    assert binarizer.variables_ == (Literal("d", Op.GT, dt.datetime(2016, 1, 1)),)
    assert cells(binarizer, table)[0][:, 0].tolist() == [False] * 6 + [True] * 4


def test_only_the_columns_that_gave_variables_are_needed() -> None:
    frame = pd.DataFrame({"id": range(30), "age": np.linspace(0, 1, 30)})
    table = table_of(frame)
    binarizer = Binarizer().fit(table)
    plans = {name: table.plans[name] for name in binarizer.columns_}
    assert same(
        binarizer.cells(read_columns(frame[["age"]], plans)), binarizer.cells(table_of(frame).columns)
    )
    with pytest.raises(InputError, match="no column 'age'; the table has 'id'"):
        read_columns(frame[["id"]], plans)


def test_weights_count_as_repeated_rows() -> None:
    generator = np.random.default_rng(0)
    table = pd.DataFrame({"x": generator.normal(size=30), "y": generator.normal(size=30)})
    labels = (table["x"] > 0.3).to_numpy().astype(int)
    weights = generator.integers(1, 4, size=30)
    weighted = fit(table, labels, weights)
    repeated = fit(table.loc[table.index.repeat(weights)], np.repeat(labels, weights))
    assert weighted.variables_ == repeated.variables_


def test_number_columns_that_are_named_are_cut_even_in_a_table_of_zero_and_one() -> None:
    table = table_of(np.array([[0.0], [1.0], [1.0]]), ReadOptions(kinds={"x0": Kind.NUMBER}))
    assert meanings(Binarizer("paper").fit(table)) == ["x0 > 1"]


def test_tables_without_rows_and_labels_of_another_length_are_refused() -> None:
    with pytest.raises(
        InputError, match=r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required"
    ):
        fit(np.zeros((0, 3)))
    with pytest.raises(InputError, match="3 outcomes for 4 rows; give one for each row"):
        fit(np.eye(4), [0, 1, 1])
    with pytest.raises(InputError, match="1 weights for 4 rows"):
        fit(np.eye(4), weights=[1.0])


def test_impossible_options_are_refused() -> None:
    with pytest.raises(InputError, match="unknown binarisation mode 'best'; use 'auto' or 'paper'"):
        Binarizer("best")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="max_thresholds is 0"):
        Binarizer(max_thresholds=0)
    with pytest.raises(InputError, match="no column 'agee'; did you mean 'age'"):
        table_of({"age": [1, 2]}, ReadOptions(kinds={"agee": Kind.NUMBER}))


def test_an_identifier_that_somebody_names_is_used_and_one_that_gives_nothing_is_not() -> None:
    table = table_of(
        {"year": range(1990, 2020), "who": [f"n{i}" for i in range(30)], "x": [0.5, 1.5, 2] * 10}
    )
    left_out = Binarizer().fit(table).left_out_
    assert [(one.column, one.usable) for one in left_out] == [("year", True), ("who", False)]
    named = Binarizer(named=["year", "who"]).fit(table)
    assert named.columns_ == ("year", "x")
    assert named.left_out_ == (LeftOut("who", Reason.IDENTIFIER),)


def test_the_domain_tells_the_categories_seen_and_leaves_numbers_open() -> None:
    table = pd.DataFrame({"c": ["a", "b", None, "b"], "flag": [0, 1, 1, 0], "n": [1.5, 2.5, 3.5, 4.5]})
    domain = fit(table).domain_
    assert domain == {"c": ColumnDomain(["a", "b"]), "flag": BOOLEAN, "n": OPEN}


def test_a_narrowed_binarizer_keeps_some_columns_and_knows_more_cuts_of_them() -> None:
    table = pd.DataFrame({"age": [20, 30, 64, 70], "sex": ["f", "m", "f", "m"], "x": [1.5, 2.5, 3.5, 4.5]})
    whole = fit(table, [0, 0, 1, 1], max_thresholds=1)
    closer = whole.narrowed(("sex", "age"), [Literal("age", Op.GT, 25), Literal("age", Op.GT, 50)])
    assert [str(v) for v in closer.variables_] == ["age > 50", "age > 25", "sex = m"]
    assert closer.groups_.tolist() == [0, 0, 1]
    assert closer.columns_ == ("age", "sex")
    assert cells(closer, table)[0][:, 1].tolist() == [False, True, True, True]
    assert whole.columns_ == ("age", "sex", "x")
