"""Numbers that a file or a frame holds as texts: with a unit, a currency, separators, or odd cells."""

import io
import logging
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nri import NRIClassifier
from nri.errors import InputError
from nri.rule import Kind
from nri.table.columns import columns_of
from nri.table.notes import note_once
from nri.table.read import read_table

NUMBERS = [f"{i}.5" for i in range(1, 100)]


@pytest.fixture(autouse=True)
def _nothing_told_yet() -> None:
    note_once.cache_clear()


def read(cells: list[str], delimiter: str = "\t") -> pd.DataFrame:
    return read_table(io.StringIO(f"a{delimiter}b\n" + "".join(f"{cell}{delimiter}x\n" for cell in cells)))


def numbers_of(cells: list[str]) -> list[float | None]:
    """The column of a file as numbers; fails if it was read as anything else."""
    column = columns_of(read(cells))["a"]
    assert column.kind is Kind.NUMBER
    return [
        None if not known else float(cell) for cell, known in zip(column.values, column.known, strict=True)
    ]


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        ("pending", "a: 1 of 100 cells are no numbers and count as missing, such as 'pending'"),
        ("1..5", "a: 1 of 100 cells are no numbers and count as missing, such as '1..5'"),
        ("5 g", "a: 1 of 100 cells are no numbers and count as missing, such as '5 g'"),
    ],
)
def test_a_few_odd_cells_do_not_turn_a_number_column_into_categories(
    odd: str, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert numbers_of([*NUMBERS, odd]) == [*map(float, NUMBERS), None]
    assert caplog.messages == [message]


def test_one_odd_cell_in_ten_makes_it_categories() -> None:
    assert columns_of(read([*NUMBERS[:9], "pending"]))["a"].kind is Kind.TEXT


@pytest.mark.parametrize(
    "word", ["-", "--", ".", "unknown", "Unknown", "none", "nil", "n.a.", "#DIV/0!", "inf"]
)
def test_words_for_nothing_among_numbers_are_missing_whatever_their_share(word: str) -> None:
    numbers = ["1", "2", "3", "4", "5", "6"]
    assert numbers_of([*numbers, *[word] * 20]) == [1, 2, 3, 4, 5, 6, *[None] * 20]


def test_a_word_beside_few_numbers_may_be_a_class_but_a_dash_is_none() -> None:
    assert columns_of(read(["1", "2", "3", "none"] * 5))["a"].kind is Kind.TEXT
    assert columns_of(read(["1", "2", "3"] * 20 + ["other"]))["a"].kind is Kind.TEXT
    assert numbers_of(["0", "1", "-"]) == [0, 1, None]


def test_whole_numbers_with_gaps_stay_whole() -> None:
    assert read(["1", "-", "2"])["a"].dtype == "Int64"


@pytest.mark.parametrize(
    ("cells", "expected", "message"),
    [
        (["72 kg", "80.5 kg", "64kg"], [72, 80.5, 64], "a: read as numbers with the unit kg"),
        (["5.5 mg/L", "3.2 mg/L", "1e2 mg/L"], [5.5, 3.2, 100], "a: read as numbers with the unit mg/L"),
        (["1 year", "2 years", "3 years"], [1, 2, 3], "a: read as numbers with the unit year"),
        (["5.5%", "3 %", "-1%"], [5.5, 3, -1], "a: read as numbers in %"),
        (["36.6 °C", "38 °C", "39.1°C"], [36.6, 38, 39.1], "a: read as numbers in °C"),
        (["€5.5", "€ 3", "-€1"], [5.5, 3, -1], "a: read as numbers with € in front"),
        (["5,50 €", "3,25 €", "7 €"], [5.5, 3.25, 7], "a: read as numbers in €, with decimal commas"),
        (
            ["$412,345", "$5", "$1,234,567.5"],
            [412345, 5, 1234567.5],
            "a: read as numbers with $ in front, with commas between thousands",
        ),
        (["5 500", "900", "12 000"], [5500, 900, 12000], "a: read as numbers with blanks between thousands"),
        (
            ["5'500", "9", "12'000.5"],
            [5500, 9, 12000.5],
            "a: read as numbers with apostrophes between thousands",
        ),
        (
            ["112.416,18", "5,5", "1.416"],
            [112416.18, 5.5, 1416],
            "a: read as numbers with points between thousands",
        ),
        (["5,5", "3,25", "1,125"], [5.5, 3.25, 1.125], "a: read as numbers with decimal commas"),
        (["(5.5)", "3", "4"], [-5.5, 3, 4], "a: 1 cells such as '(5.5)' are read as negative numbers"),
    ],
)
def test_numbers_in_one_dress_are_read_with_a_note(
    cells: list[str], expected: list[float], message: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert numbers_of(cells) == expected
    assert caplog.messages == [message]


def test_a_number_below_the_limit_of_detection_is_read_as_the_limit(caplog: pytest.LogCaptureFixture) -> None:
    assert numbers_of(["<5", "15", "7", "<= 5", "20"]) == [5, 15, 7, 5, 20]
    assert caplog.messages == ["a: 2 cells such as '<= 5' are read as the number that they name"]


def test_what_is_more_than_three_fulfils_more_than_three() -> None:
    assert numbers_of(["1", "2", "3", ">3"])[2:] == [3, np.nextafter(3, 4)]


@pytest.mark.parametrize(
    "cells",
    [
        ["A12", "A13", "B14", "A15"],
        ["12A", "13A", "14A", "15A"],
        ["555-1234", "555-2345", "555-3456", "555-4567"],
        ["600 123 456", "600 123 457", "611 123 458", "600 123 459"],
        ["030 123 456", "040 123 457", "50 123", "60 124"],
        ["1-3", "4-6", "7-9", "10-12"],
        ["01234", "12345", "23456", "34567"],
        ["1.2.3", "1.2.4", "1.10.0", "2.0.0"],
        ["5 mg", "5 g", "7 mg", "8 g"],
        ["120/80", "130/90", "110/70", "125/80"],
        ["15:21", "01:14", "23:50", "12:00"],
        ["<5", "5-10", ">10", "<5"],
        [">50K", "<=50K", ">50K", ">60K"],
        ["5 mg", "10 mg", "5 mg", "10 mg"],
        [*NUMBERS, "V57"],
        ["5.5", "5,5", "6.5", "6,5"],
        ["3 rooms and a large garden", "4 rooms and a large garden", "5 rooms and a large garden", "6"],
    ],
    ids=lambda cells: cells[-1],
)
def test_codes_ranges_and_mixed_units_stay_texts(cells: list[str], caplog: pytest.LogCaptureFixture) -> None:
    column = columns_of(read(cells))["a"]
    assert column.kind is Kind.TEXT
    assert column.values.tolist() == cells
    assert not caplog.messages


def _grouped(separator: str, point: str) -> Callable[[float], str]:
    return lambda x: f"{x:,.2f}".replace(",", "_").replace(".", point).replace("_", separator)


DRESSES: dict[str, Callable[[float], str]] = {
    "plain": lambda x: f"{x:.2f}",
    "unit": lambda x: f"{x:.2f} kg",
    "attached unit": lambda x: f"{x:.2f}mmHg",
    "percent": lambda x: f"{x:.2f}%",
    "currency in front": lambda x: f"-${-x:.2f}" if x < 0 else f"${x:.2f}",
    "currency behind": lambda x: f"{x:.2f} EUR",
    "decimal comma": lambda x: f"{x:.2f}".replace(".", ","),
    "english": _grouped(",", "."),
    "german": _grouped(".", ","),
    "swiss": _grouped("'", "."),
    "french": _grouped("\u202f", ","),
    "account": lambda x: f"({-x:.2f})" if x < 0 else f"{x:.2f}",
    "everything": lambda x: _grouped(".", ",")(x) + " €",
}

AMOUNTS = st.lists(st.integers(-(10**8), 10**8), min_size=3, max_size=12, unique=True)


@pytest.mark.parametrize("dress", DRESSES)
@settings(deadline=None, max_examples=30)
@given(amounts=AMOUNTS)
def test_a_column_reads_as_the_same_numbers_whatever_its_dress(dress: str, amounts: list[int]) -> None:
    logging.getLogger("nri").setLevel(logging.ERROR)
    expected = [float(f"{amount / 100:.2f}") for amount in amounts]
    texts = [DRESSES[dress](number) for number in expected]
    try:
        assert numbers_of(texts) == expected
        frame = pd.DataFrame({"a": texts})
        again = columns_of(frame, kinds={"a": Kind.NUMBER})["a"]
        assert again.values.tolist() == expected
    finally:
        logging.getLogger("nri").setLevel(logging.NOTSET)


def test_a_rule_from_numbers_reads_the_same_numbers_with_a_unit(caplog: pytest.LogCaptureFixture) -> None:
    weights = np.arange(50, 100) + 0.5
    labels = np.where(weights > 72, "heavy", "light")
    plain = NRIClassifier(model="greedy").fit(pd.DataFrame({"weight": weights}), labels)
    dressed = pd.DataFrame({"weight": [f"{w} kg" for w in weights]})
    assert (plain.predict(dressed) == labels).all()
    assert plain.predict(dressed.iloc[[-1]]).tolist() == ["heavy"]
    caplog.clear()
    note_once.cache_clear()
    from_texts = NRIClassifier(model="greedy").fit(dressed, labels)
    assert caplog.messages == ["weight: read as numbers with the unit kg"]  # once, however often it is read
    assert str(from_texts.rules_) == str(plain.rules_)
    assert (from_texts.predict(pd.DataFrame({"weight": weights})) == labels).all()


def test_plain_numbers_as_texts_of_a_frame_stay_categories() -> None:
    clf = NRIClassifier(model="greedy").fit(pd.DataFrame({"doors": ["2", "4", "5"] * 9}), [0, 1, 0] * 9)
    assert 'doors = "4"' in str(clf.rules_)


def test_categories_that_look_like_numbers_with_odd_ones_stay_categories() -> None:
    grades = pd.Categorical(["1", "2", "3", "none"] * 9)
    clf = NRIClassifier(model="greedy").fit(pd.DataFrame({"grade": grades}), [0, 0, 0, 1] * 9)
    assert "grade = none" in str(clf.rules_)


def test_words_in_a_number_column_of_new_rows_are_missing_while_they_are_few() -> None:
    def cells(texts: list[str]) -> list[object]:
        column = columns_of(pd.DataFrame({"c": texts}), kinds={"c": Kind.NUMBER})["c"]
        return [column.cell(row) for row in range(len(column))]

    assert cells(["5 kg", "pending", "6 kg"]) == [5, None, 6]
    assert cells(["-"]) == [None]
    for texts, row in ((["5", "pending"], 2), (["5 kg", "6 kg", "7 lb"], 3), (["A12"], 1)):
        with pytest.raises(InputError, match=f"column 'c', row {row}: '{texts[row - 1]}' is no number"):
            cells(texts)
