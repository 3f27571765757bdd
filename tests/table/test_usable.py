import pickle
import uuid

import numpy as np
import pandas as pd
import pytest

from nri.rule import Kind
from nri.table import table_of
from nri.table.binarizer import why_useless
from nri.table.left_out import LeftOut, Reason, UselessColumnsError, describe_left_out, refusal

WORDS = "the patient said that the pain had come back after the long walk on day"


def decide(cells: object, name: str = "x") -> Kind | Reason:
    """Why a column is of no use, or else what kind of cells it has."""
    table = table_of({name: pd.Series(cells)})
    column = table.columns[name]
    return why_useless(column, name, whole=table.plans[name].whole) or column.kind


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([True, False, None], Kind.BOOLEAN),
        ([0, 1, 1], Kind.BOOLEAN),
        ([0.0, 1.0, None], Kind.BOOLEAN),
        ([1, 2, 2], Kind.NUMBER),
        ([-1.0, 1.0], Kind.NUMBER),
        (["a", "b", None], Kind.TEXT),
        (["red", "red", "green", "green", "blue"], Kind.TEXT),
        (["0", "1"], Kind.TEXT),
        (["2024-01-01", "2024-02-01"], Kind.DATE),
        (pd.to_datetime(["2024-01-01", "2024-02-01"]), Kind.DATE),
    ],
)
def test_a_useful_column_has_a_kind(cells: object, kind: Kind) -> None:
    assert decide(cells) is kind


@pytest.mark.parametrize("cells", [[None, None], [np.nan, np.nan], pd.to_datetime([None, None])])
def test_a_column_without_a_value_is_left_out(cells: object) -> None:
    assert decide(pd.Series(cells)) is Reason.MISSING


@pytest.mark.parametrize("cells", [[5, 5], ["a", None], [True, True], pd.to_datetime(["2024-01-01", None])])
def test_a_column_with_one_value_is_left_out(cells: object) -> None:
    assert decide(cells) is Reason.CONSTANT


def test_floats_are_never_identifiers() -> None:
    assert decide(np.arange(100.0), "id") is Kind.NUMBER


@pytest.mark.parametrize(
    "name", ["id", "ID", "patient_id", "PatientID", "userId", "index", "column uuid", "no"]
)
def test_different_whole_numbers_named_like_an_identifier_are_one(name: str) -> None:
    assert decide([31, 7, 1001, 12, 95], name) is Reason.IDENTIFIER


@pytest.mark.parametrize("name", ["age", "width", "paid", "candidate", "humidity", "index of pain", "notes"])
def test_ten_rows_of_different_whole_numbers_are_measurements(name: str) -> None:
    assert decide([23, 45, 67, 12, 89, 34, 56, 78, 90, 11], name) is Kind.NUMBER
    assert decide(range(10), name) is Kind.NUMBER


def test_a_repeated_number_is_no_identifier_whatever_its_name() -> None:
    assert decide([1, 1, 2, 3], "ward_id") is Kind.NUMBER


def test_whole_numbers_without_a_gap_count_the_rows() -> None:
    shuffled = np.random.default_rng(0).permutation(np.arange(1000, 1050))
    assert decide(shuffled, "whatever") is Reason.IDENTIFIER
    assert decide(shuffled * 2, "whatever") is Kind.NUMBER


@pytest.mark.parametrize(
    "cells",
    [
        [f"P{i:03d}" for i in range(12)],
        ["a", "b", "c", "d"],
        [str(uuid.UUID(int=i % 3)) for i in range(9)],
        [f"name{i}" for i in range(45)] + ["name0"] * 3,
    ],
)
def test_texts_that_name_the_row_are_identifiers(cells: list[str]) -> None:
    assert decide(cells) is Reason.IDENTIFIER


def test_sentences_are_free_text_but_long_categories_are_not() -> None:
    assert decide([f"{WORDS} {i}" for i in range(30)]) is Reason.FREE_TEXT
    assert decide([f"{WORDS} {i % 3}" for i in range(30)]) is Kind.TEXT


def test_names_that_hardly_ever_come_again_are_too_many() -> None:
    assert decide([f"town{i // 2}" for i in range(10_000)]) is Reason.TOO_MANY
    mostly_one = ["London"] * 5000 + [f"town{i // 2}" for i in range(5000)]
    assert decide(mostly_one) is Kind.TEXT


def test_numbers_without_a_gap_that_come_again_are_no_identifier() -> None:
    ages = np.random.default_rng(0).permutation(np.tile(np.arange(18, 98), 5))
    assert decide(ages, "age") is Kind.NUMBER


def test_what_can_be_done_about_a_column_left_out_is_told_once() -> None:
    year = LeftOut("year", Reason.IDENTIFIER, usable=True)
    code = LeftOut("code", Reason.IDENTIFIER, usable=True)
    city = LeftOut("city", Reason.CONSTANT)
    assert describe_left_out([year, city]) == (
        "columns left out: year looks like an identifier (name it in columns to use it all the same), "
        "city has one value only"
    )
    assert describe_left_out([year, code]).count("(name such a column in columns") == 1
    assert "(name it in --columns to" in describe_left_out([year], named_in="--columns")


def test_the_remedy_for_a_table_without_a_usable_column_fits_the_reasons() -> None:
    town = LeftOut("town", Reason.IDENTIFIER)
    assert refusal([LeftOut("city", Reason.CONSTANT)]).endswith("; give columns that vary")
    assert refusal([town]).endswith("; give numbers, or categories that several rows share")
    assert refusal([LeftOut("town", Reason.TOO_MANY, usable=True)]).endswith(
        "town has too many categories (name it in columns to use it all the same); "
        "name one in columns, or give others"
    )


def test_the_refusal_of_a_table_comes_whole_from_another_process() -> None:
    error = UselessColumnsError([LeftOut("town", Reason.TOO_MANY, usable=True)])
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.left_out) == (str(error), error.left_out)


def test_the_message_names_the_columns_and_stays_short() -> None:
    assert describe_left_out([]) == ""
    assert str(LeftOut("two\nlines", Reason.CONSTANT)) == r"'two\nlines' has one value only"
    many = [LeftOut(f"c{i}", Reason.CONSTANT) for i in range(20)]
    message = describe_left_out(many)
    assert "c0 has one value only" in message
    assert message.endswith("and 8 more")
