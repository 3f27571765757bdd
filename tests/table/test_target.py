import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nri.errors import InputError
from nri.table.target import alike_classes, class_index, encode_target, take_target


@pytest.mark.parametrize(
    ("cells", "codes", "classes"),
    [
        (["yes", "no", "yes"], [1, 0, 1], ("no", "yes")),
        ([True, False], [1, 0], (False, True)),
        ([1.0, 0.0, None], [1, 0, -1], (0, 1)),
        (pd.array([3, None, 7], dtype="Int64"), [0, -1, 1], (3, 7)),
        (pd.Categorical(["b", "a", None]), [1, 0, -1], ("a", "b")),
        ([0.5, 1.5], [0, 1], (0.5, 1.5)),
    ],
)
def test_classes_are_sorted_plain_values(cells: Any, codes: list[int], classes: tuple[object, ...]) -> None:
    found_codes, found_classes = encode_target(pd.Series(cells, name="y"))
    assert found_codes.tolist() == codes
    assert found_classes == classes
    assert [type(label) for label in found_classes] == [type(label) for label in classes]


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=2))
def test_codes_give_back_the_cells(cells: list[str | None]) -> None:
    series = pd.Series(cells, name="y", dtype=object)
    if series.nunique() < 2:
        with pytest.raises(InputError):
            encode_target(series)
        return
    codes, classes = encode_target(series)
    assert [classes[code] if code >= 0 else None for code in codes] == cells


def test_rows_without_a_target_are_dropped_and_counted() -> None:
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "y": ["a", None, "b", "a"]})
    table = take_target(frame, "y")
    assert table.features["x"].tolist() == [1, 3, 4]
    assert table.features.columns.tolist() == ["x"]
    assert table.codes.tolist() == [0, 1, 0]
    assert (table.classes, table.name, table.dropped) == (("a", "b"), "y", 1)


HOUSES = pd.DataFrame(
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
    table = take_target(HOUSES, target)
    assert table.codes.tolist() == codes
    assert (table.classes, table.name, table.dropped) == ((False, True), target, 1)
    assert column not in table.features.columns


def test_a_column_whose_name_reads_like_a_comparison_is_that_column() -> None:
    assert take_target(HOUSES, "a > b").classes == ("x", "y")


def test_dates_can_be_classes_if_there_are_few() -> None:
    assert encode_target(pd.Series([dt.date(2024, 1, 1), dt.date(2025, 1, 1)], name="d"))[0].tolist() == [
        0,
        1,
    ]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("Price", "no target column 'Price'; did you mean 'price'"),
        ("pric > 3", "no target column 'pric'; did you mean 'price'"),
        ("income", "no target column 'income'; the table has 'price', 'colour'"),
        ("price >", "no target column 'price'"),
        ("price > dear", "target 'price > dear': 'dear' is no number, as the cells of 'price' are"),
        ("colour > red", "the text cells of column 'colour' have no order; use = or !="),
        ("price > 1000", "target 'price > 1000' has one class only, False in all 3 rows with one"),
    ],
)
def test_a_target_that_cannot_be_is_refused_with_a_remedy(target: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        take_target(HOUSES, target)


def test_one_class_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"has one class only, 'a' in all 3 rows .* needs rows of two classes"
    ):
        encode_target(pd.Series(["a", "a", None, "a"], name="y"))


def test_a_target_without_a_known_row_is_refused() -> None:
    with pytest.raises(InputError, match="no row is left: target 'y' is missing in all 2 rows"):
        encode_target(pd.Series([None, None], name="y", dtype=object))


def test_a_continuous_target_is_refused_with_a_comparison_to_use() -> None:
    prices = pd.DataFrame({"price": np.linspace(10, 90, 50), "x": range(50)})
    with pytest.raises(
        InputError, match=r'50 different values, not a class; .* --target "price > 50"'
    ) as caught:
        take_target(prices, "price")
    assert "\n" not in str(caught.value)
    assert set(take_target(prices, "price > 50").codes) == {0, 1}


def test_a_target_of_many_names_is_refused() -> None:
    names = pd.Series([f"n{i % 50}" for i in range(200)], name="who")
    with pytest.raises(InputError, match=r'50 different values in 200 rows, too many .* --target "who = n0"'):
        encode_target(names)
    assert len(encode_target(names, max_classes=60)[1]) == 50


def test_the_message_stays_one_line_whatever_the_cells_and_names_hold() -> None:
    for cells in ([f"two\nlines {i}" for i in range(30)], np.linspace(0, 1, 30)):
        with pytest.raises(InputError) as caught:
            encode_target(pd.Series(cells, name="my\ntarget"))
        assert "\n" not in str(caught.value)


def test_hardly_repeated_values_are_no_classes() -> None:
    with pytest.raises(InputError, match="too many for classes"):
        encode_target(pd.Series([f"n{i}" for i in range(15)], name="who"))


def test_a_table_with_nothing_but_the_target_is_refused() -> None:
    with pytest.raises(InputError, match="no column but 'y'; give columns to explain it by"):
        take_target(pd.DataFrame({"y": ["a", "b"]}), "y")


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


def test_classes_are_alike_up_to_case_and_spaces() -> None:
    assert "'YES ', 'Yes', 'yes' differ" in alike_classes(("YES ", "Yes", "no", "yes"))
    assert "'at  home', 'at home' differ" in alike_classes(("at  home", "at home"))
    assert alike_classes(("yes", "no", 1, True)) == ""
