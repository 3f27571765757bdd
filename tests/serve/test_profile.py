"""What the page says about columns."""

import datetime as dt

import pandas as pd
import pytest

from nri.rule import Kind
from nri.serve.upload import guess_target, profile_columns, view_target
from nri.table import Table, label_table, table_of


def table() -> Table:
    n = 24
    return table_of(
        {
            "id": range(n),
            "age": [20.0, 30.0, 40.0, None] * 6,
            "smoker": [0, 1] * 12,
            "town": ["Bonn", "Köln", None] * 8,
            "day": ["2024-01-05", "2024-02-05"] * 12,
            "here": ["yes"] * n,
            "flu": ["yes", "no"] * 12,
        }
    )


def test_columns_have_the_kind_that_rules_compare_them_as():
    kinds = {column["name"]: column["kind"] for column in profile_columns(table())}
    assert kinds == {
        "id": Kind.NUMBER,
        "age": Kind.NUMBER,
        "smoker": Kind.BOOLEAN,
        "town": Kind.TEXT,
        "day": Kind.DATE,
        "here": Kind.TEXT,
        "flu": Kind.TEXT,
    }


def test_columns_of_no_use_say_why():
    useless = {one["name"]: one["left_out"] for one in profile_columns(table()) if one["left_out"]}
    assert useless == {"id": "looks like an identifier", "here": "has one value only"}


def test_columns_tell_what_can_be_compared_with():
    by_name = {column["name"]: column for column in profile_columns(table())}
    assert by_name["town"]["values"] == ["Bonn", "Köln"]
    assert by_name["town"]["missing"] == 8
    assert (by_name["age"]["low"], by_name["age"]["high"]) == (20, 40)
    assert by_name["day"]["low"] == dt.datetime(2024, 1, 5)


@pytest.mark.parametrize(
    ("names", "guess"),
    [
        (["a", "b", "flu"], "flu"),
        (["target", "a", "flu"], "target"),
        (["a", " Class ", "flu"], " Class "),
        (["flu", "id"], None),
    ],
)
def test_the_target_is_guessed_from_names_and_place(names, guess):
    cells = {name: range(24) if name == "id" else ["u", "v"] * 12 for name in names}
    assert guess_target(profile_columns(table_of(cells))) == guess


def test_classes_come_with_their_rows():
    for column, classes in (("flu", ["no", "yes"]), ("smoker", [0, 1])):
        offered = view_target(table(), column)["classes"]
        assert [(one["label"], one["rows"]) for one in offered] == [(label, 12) for label in classes]


@pytest.mark.parametrize(
    ("cells", "compare"),
    [
        ([float(i) for i in range(100)], (">", 49)),
        ([f"name {i}" for i in range(99)] + ["name 7"], ("=", "name 7")),
        ([f"20{i}-01-01" for i in range(10, 99)], (">", dt.datetime(2054, 1, 1))),
    ],
)
def test_a_column_with_many_values_offers_a_comparison(cells, compare):
    target = view_target(table_of({"x": cells}), "x")
    assert (target["classes"], target["problem"]) == ([], None)
    assert target["compare"] == {"op": compare[0], "value": compare[1]}
    asked = f"x {compare[0]} {compare[1]}"  # as the page asks it
    assert len(label_table(table_of({"x": cells, "other": cells}), asked).classes) == 2


@pytest.mark.parametrize("cells", [["a", "a", None], [None, None]])
def test_a_column_of_one_value_is_no_target(cells):
    target = view_target(table_of({"x": pd.Series(cells, dtype=object)}), "x")
    assert target["problem"]
    assert target["compare"] is None
