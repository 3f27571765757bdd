import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nri.errors import InputError, TargetError, UnknownColumnError
from nri.outcome import Classes
from nri.rule import Literal, Op
from nri.rule.phrase import phrase_literal
from nri.table import label_table, table_of
from nri.table.by_plan import read_condition
from nri.table.codes import ReadOptions
from nri.table.target import class_index, describe, encode, read_answers


def classes_of(cells: Any, name: str = "y") -> tuple[Classes, list[bool]]:
    """The classes of the known rows of a column, and which rows these are."""
    target, known = encode(read_answers(table_of({name: cells}), name))
    return target, known.tolist()


@pytest.mark.parametrize(
    ("cells", "codes", "classes"),
    [
        (["yes", "no", "yes"], [1, 0, 1], ("no", "yes")),
        ([True, False], [1, 0], (False, True)),
        ([1.0, 0.0, None], [1, 0, None], (0, 1)),
        ([1, 0, 1], [1, 0, 1], (0, 1)),
        (pd.array([3, None, 7], dtype="Int64"), [0, None, 1], (3, 7)),
        (pd.Categorical(["b", "a", None]), [1, 0, None], ("a", "b")),
        ([0.5, 1.5], [0, 1], (0.5, 1.5)),
    ],
)
def test_classes_are_sorted_plain_values(
    cells: Any, codes: list[int | None], classes: tuple[object, ...]
) -> None:
    target, known = classes_of(cells)
    assert known == [code is not None for code in codes]
    assert target.codes.tolist() == [code for code in codes if code is not None]
    assert target.classes == classes
    assert [type(label) for label in target.classes] == [type(label) for label in classes]


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=2))
def test_codes_give_back_the_cells(cells: list[str | None]) -> None:
    series = pd.Series(cells, dtype=object)
    if series.nunique() < 2:
        with pytest.raises(InputError):
            classes_of(series)
        return
    target, known = classes_of(series)
    assert known == [cell is not None for cell in cells]
    assert [target.classes[code] for code in target.codes] == [cell for cell in cells if cell is not None]


def test_rows_without_a_target_are_dropped_and_counted() -> None:
    read = table_of({"x": [1, 2, 3, 4], "y": ["a", None, "b", "a"]})
    table = label_table(read, "y")
    assert table.columns["x"].values.tolist() == [1, 3, 4]
    assert table.names == ("x",)
    assert table.codes.tolist() == [0, 1, 0]
    assert table.numbers.tolist() == [1, 3, 4]
    assert (table.classes, table.target) == (("a", "b"), "y")
    assert describe(table, len(read)) == "3 rows (2 a, 1 b), 1 columns; 1 more without a target"


HOUSES = table_of(
    {
        "price": [50.0, 100.0, None, 150.0],
        "colour": ["red", "blue", None, "red"],
        "built": pd.to_datetime(["1990-01-01", "2000-01-01", None, "2010-01-01"]),
        "new": pd.array([False, False, None, True], dtype="boolean"),
        "a > b": ["x", "y", None, "y"],
    }
)


@pytest.mark.parametrize(
    ("target", "column", "codes"),
    [
        ("price > 100", "price", [0, 0, 1]),
        ("price>=100", "price", [0, 1, 1]),
        ("price < 1e2", "price", [1, 0, 0]),
        ("price <= 100", "price", [1, 1, 0]),
        ("price = 100", "price", [0, 1, 0]),
        ("price != 100", "price", [1, 0, 1]),
        ("`price` > 100", "price", [0, 0, 1]),
        ("colour = red", "colour", [1, 0, 1]),
        ("colour == 'red'", "colour", [1, 0, 1]),
        ("colour != red", "colour", [0, 1, 0]),
        ("built > 1999-12-31", "built", [0, 1, 1]),
        ("new = true", "new", [0, 0, 1]),
        ("a > b = y", "a > b", [0, 1, 1]),
    ],
)
def test_a_comparison_is_a_target_of_two_classes(target: str, column: str, codes: list[int]) -> None:
    table = label_table(HOUSES, target)
    assert table.codes.tolist() == codes
    assert (table.classes, table.target, table.numbers.tolist()) == ((False, True), target, [1, 2, 4])
    assert table.positive == 1
    assert column not in table.columns


def test_a_column_whose_name_reads_like_a_comparison_is_that_column() -> None:
    assert label_table(HOUSES, "a > b").classes == ("x", "y")


def test_a_code_for_nothing_is_a_value_to_compare_with() -> None:
    """It was unknown itself, so that the comparison was false in all rows."""
    table = table_of({"x": [-1, 0, -2, 3], "z": [1, 2, 3, 4]}, ReadOptions(missing={"x": ("-1",)}))
    assert label_table(table, "x > -1").codes.tolist() == [1, 0, 1]


def test_dates_can_be_classes_if_there_are_few() -> None:
    assert classes_of([dt.date(2024, 1, 1), dt.date(2025, 1, 1)])[0].codes.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("Price", "no target column 'Price'; did you mean 'price'"),
        ("pric > 3", "no target column 'pric'; did you mean 'price'"),
        ("income", "no target column 'income'; the table has 'price', 'colour'"),
        ("price >", "target 'price >' compares with nothing; give a value after >"),
        ("price > dear", "target 'price > dear': 'dear' is no number, as the cells of 'price' are"),
        ("colour > red", "text cells of 'colour' have no order; use = or !="),
        ("price > 1000", "target 'price > 1000' has one class only, false in all 3 rows with one"),
    ],
)
def test_a_target_that_cannot_be_is_refused_with_a_remedy(target: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        label_table(HOUSES, target)


def test_one_class_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"has one class only, 'a' in all 3 rows .* needs rows of two classes"
    ):
        classes_of(["a", "a", None, "a"])


def test_a_target_without_a_known_row_is_refused() -> None:
    with pytest.raises(InputError, match="no row is left: target 'y' is missing in all rows"):
        classes_of(pd.Series([None, None], dtype=object))


def test_a_continuous_target_is_refused_with_a_comparison_to_use() -> None:
    prices = table_of({"price": np.linspace(10, 90, 50), "x": range(50)})
    with pytest.raises(TargetError, match=r"not a class; compare it, e\.g\. 'price > 50'") as caught:
        label_table(prices, "price")
    assert "\n" not in str(caught.value)
    assert caught.value.cause == "target 'price' is a number with 50 different values, not a class"
    assert set(label_table(prices, caught.value.comparison).codes) == {0, 1}


def test_a_target_of_many_names_is_refused() -> None:
    names = [f"n{i % 50}" for i in range(200)]
    with pytest.raises(TargetError, match="50 different values in 200 rows, too many") as caught:
        classes_of(names, "who")
    assert caught.value.comparison == "who = n0"


def test_the_message_stays_one_line_whatever_the_cells_and_names_hold() -> None:
    for cells in ([f"two\nlines {i}" for i in range(30)], np.linspace(0, 1, 30)):
        with pytest.raises(InputError) as caught:
            classes_of(cells, "my\ntarget")
        assert "\n" not in str(caught.value)


def test_hardly_repeated_values_are_no_classes() -> None:
    with pytest.raises(InputError, match="too many for classes"):
        classes_of([f"n{i}" for i in range(15)])


def test_a_table_with_nothing_but_the_target_is_refused() -> None:
    with pytest.raises(InputError, match="no column but 'y'; give columns to explain it by"):
        label_table(table_of({"y": ["a", "b"]}), "y")


@pytest.mark.parametrize(
    ("classes", "wanted", "index"),
    [
        (("no", "yes"), "yes", 1),
        (("no", "yes"), "YES", 1),
        ((0, 1), "1", 1),
        ((False, True), "true", 1),
        ((False, True), True, 1),
        ((0, 1), 0, 0),
    ],
)
def test_a_class_is_found_as_a_person_writes_it(classes: tuple[Any, ...], wanted: Any, index: int) -> None:
    assert class_index(classes, wanted) == index


def test_a_class_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match="the target has no class 'maybe'; choose one of 'no', 'yes'"):
        class_index(("no", "yes"), "maybe")
    with pytest.raises(InputError, match="no class 'YES'"):
        class_index(("Yes", "yes"), "YES")


def test_an_absent_target_tells_what_was_asked_for_and_what_there_is() -> None:
    with pytest.raises(UnknownColumnError) as caught:
        label_table(HOUSES, "pric > 3")
    assert (caught.value.name, caught.value.present) == ("pric", HOUSES.names)


def test_classes_that_differ_in_case_and_blanks_are_one_class_with_a_note() -> None:
    """``yes`` and ``YES `` were two classes, each with a rule of its own."""
    cells = {"x": range(6), "y": ["yes", "YES ", "no", "yes", "No", "no"]}
    read = table_of(cells)
    assert [str(note) for note in read.notes] == [
        "y: texts that differ only in case or blanks are read as one: 'No' as 'no', 'YES ' as 'yes'"
    ]
    table = label_table(read, "y")
    assert (table.classes, table.codes.tolist()) == (("no", "yes"), [1, 1, 0, 1, 0, 0])
    exact = label_table(table_of(cells, ReadOptions(exact=True)), "y")
    assert exact.classes == ("No", "YES ", "no", "yes")


def test_a_class_is_compared_with_in_any_of_its_spellings() -> None:
    read = table_of({"x": range(6), "y": ["at home", "At  home", "away"] * 2})
    for asked in ("y = at home", "y = AT HOME", "y = At  home"):
        assert label_table(read, asked).codes.tolist() == [1, 1, 0] * 2


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, None, 1], "weights 'w': 1 cells are no number of 0 or more"),
        ([1, -1, 1], "weights 'w': 1 cells are no number of 0 or more"),
        ([0, 0, 0], "weights 'w' are all zero"),
        (["a", "b", "a"], "weights 'w' are text cells; give numbers"),
    ],
)
def test_weights_that_are_none_are_refused(weights: list[object], message: str) -> None:
    table = table_of({"x": [1, 2, 3], "w": weights, "y": ["a", "b", "a"]})
    with pytest.raises(InputError, match=message):
        label_table(table, "y", weights="w")


def test_a_column_of_weights_is_no_column_to_explain_by() -> None:
    table = label_table(table_of({"x": [1, 2, 3], "w": [1, 0, 2.5], "y": ["a", "b", "a"]}), "y", weights="w")
    assert table.weights.tolist() == [1, 0, 2.5]
    assert table.names == ("x",)
    with pytest.raises(InputError, match="column 'y' cannot be target and weights"):
        label_table(table_of({"x": [1, 2], "y": [1, 2]}), "y", weights="y")


@given(
    st.text(min_size=1, max_size=8) | st.sampled_from(["2021", "a = b", 'say "x"', "C:\\new", "a\xa0b"]),
    st.sampled_from([Literal("", Op.GT, 110), Literal("", Op.EQ, 'the "new" one'), Literal("", Op.EQ, True)]),
)
def test_a_condition_is_read_back_as_rules_write_it(name: str, kind: Literal) -> None:
    """Names and values that could be misread are written in quotes, those with quotes in them with escapes;
    only the outer quotes were taken off, so such a condition of a rule could not be given back."""
    cells = {110: [100, 120], 'the "new" one': ['the "new" one', "b"], True: [True, False]}[kind.value]
    table = table_of({name: cells})
    literal = Literal(table.names[0], kind.op, kind.value)
    assert read_condition(table, phrase_literal(literal)) == literal


def test_a_name_in_quotes_may_have_a_backslash_of_its_own() -> None:
    assert read_condition(table_of({"C:\\new": [1, 2, 3]}), '"C:\\new" > 2').column == "C:\\new"
