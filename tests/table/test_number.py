"""Numbers that a file or a frame holds as texts: with a unit, a currency, separators, or odd cells."""

import io
import logging
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st

from nri import NRIClassifier, read_table
from nri.errors import InputError
from nri.rule import Kind
from nri.rule.column import ColumnPlan
from nri.table import Table, read_columns

NUMBERS = [f"{i}.5" for i in range(1, 100)]


def read(cells: list[str], delimiter: str = "\t") -> Table:
    return read_table(io.StringIO(f"a{delimiter}b\n" + "".join(f"{cell}{delimiter}x\n" for cell in cells)))


def numbers_of(cells: list[str]) -> list[float | None]:
    """The column of a file as numbers; fails if it was read as anything else."""
    column = read(cells).columns["a"]
    assert column.kind is Kind.NUMBER
    return [
        None if not known else float(cell) for cell, known in zip(column.values, column.known, strict=True)
    ]


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        ("pending", "a: 1 of 100 cells are not numbers and are treated as missing, such as 'pending'"),
        ("1..5", "a: 1 of 100 cells are not numbers and are treated as missing, such as '1..5'"),
    ],
)
def test_a_few_odd_cells_do_not_turn_a_number_column_into_categories(
    odd: str, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert numbers_of([*NUMBERS, odd]) == [*map(float, NUMBERS), None]
    assert caplog.messages == [message]


@pytest.mark.parametrize("odd", [10, 30, 99])
def test_a_column_stays_a_number_column_while_no_more_than_half_of_it_is_odd(
    odd: int, caplog: pytest.LogCaptureFixture
) -> None:
    """One odd cell in ten made a number column a column of categories, most of which occurred once."""
    words = [*["pending"] * (odd - 9), *["lost"] * 5, "late", "broken", "spilt", "frozen"]
    assert numbers_of([*NUMBERS, *words]) == [*map(float, NUMBERS), *[None] * odd]
    assert caplog.messages == [
        f"a: {odd} of {99 + odd} cells are not numbers and are treated as missing, such as {EXAMPLES[odd]}"
    ]


EXAMPLES = {10: "'lost', 'broken', 'frozen'"} | dict.fromkeys((30, 99), "'pending', 'lost', 'broken'")


def test_a_column_of_which_most_is_no_number_is_one_of_categories() -> None:
    assert read([*NUMBERS, *["pending"] * 100]).columns["a"].kind is Kind.TEXT


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("4.1 g/dL", 4.1),
        ("4,1", 4.1),
        ("~4.1", 4.1),
        ("ca. 4.1", 4.1),
        ("4.1*", 4.1),
        ("approx. 4.1 g/dL", 4.1),
    ],
)
def test_a_number_that_is_written_otherwise_than_its_column_is_read(cell: str, value: float) -> None:
    assert numbers_of([*NUMBERS, cell])[-1] == value


def test_a_number_that_could_be_two_is_missing() -> None:
    """``4,100`` beside ``1000.5`` may be four thousand one hundred, or a little more than four."""
    assert numbers_of([*NUMBERS, "1000.5", "4,100"])[-2:] == [1000.5, None]


def test_of_two_units_among_bare_numbers_the_rarer_one_is_missing(caplog: pytest.LogCaptureFixture) -> None:
    assert numbers_of([*NUMBERS, "5 g", "6 g", "7 mg"])[-3:] == [5, 6, None]
    assert "1 of 102 cells are not numbers and are treated as missing, such as '7 mg'" in caplog.messages[0]


def test_the_last_of_few_categories_may_be_a_number_with_a_word() -> None:
    """Doors 2, 3, 4 and 5more were read as numbers of the unit more."""
    assert read(["2", "3", "4", "5more"] * 9).columns["a"].texts.tolist() == ["2", "3", "4", "5more"] * 9


@pytest.mark.parametrize(
    "word", ["-", "--", ".", "unknown", "Unknown", "none", "nil", "n.a.", "#DIV/0!", "inf"]
)
def test_words_for_nothing_among_numbers_are_missing_whatever_their_share(word: str) -> None:
    numbers = ["1", "2", "3", "4", "5", "6"]
    assert numbers_of([*numbers, *[word] * 20]) == [1, 2, 3, 4, 5, 6, *[None] * 20]


def test_a_word_beside_few_numbers_may_be_a_class_but_a_dash_is_none() -> None:
    assert read(["1", "2", "3", "none"] * 5).columns["a"].kind is Kind.TEXT
    assert read(["1", "2", "3"] * 20 + ["other"]).columns["a"].kind is Kind.TEXT
    assert numbers_of(["0", "2", "-"]) == [0, 2, None]


def test_zero_and_one_beside_a_dash_are_no_and_yes() -> None:
    column = read(["0", "1", "-"]).columns["a"]
    assert [column.cell(row) for row in range(3)] == [False, True, None]


def test_whole_numbers_with_gaps_stay_whole() -> None:
    assert read(["1", "-", "2"]).plans["a"].whole
    assert not read(["1", "-", "2.0"]).plans["a"].whole


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
        (
            ["5.5", "5,5", "6.5", "6,5"],
            [5.5, 5.5, 6.5, 6.5],
            "a: 2 of 4 cells are read as the number that they name, such as '5,5', '6,5'",
        ),
        (["(5.5)", "3", "4"], [-5.5, 3, 4], "a: 1 of 3 cells are read as negative numbers, such as '(5.5)'"),
    ],
)
def test_numbers_in_one_dress_are_read_with_a_note(
    cells: list[str], expected: list[float], message: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert numbers_of(cells) == expected
    assert caplog.messages == [message]


def test_a_number_below_the_limit_of_detection_is_read_as_the_limit(caplog: pytest.LogCaptureFixture) -> None:
    assert numbers_of(["<5", "15", "7", "<= 5", "20"]) == [5, 15, 7, 5, 20]
    assert caplog.messages == ["a: 2 of 5 cells are read as the number that they name, such as '<5', '<= 5'"]


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
        ["3 rooms and a large garden", "4 rooms and a large garden", "5 rooms and a large garden", "6"],
    ],
    ids=lambda cells: cells[-1],
)
def test_codes_ranges_and_mixed_units_stay_texts(cells: list[str], caplog: pytest.LogCaptureFixture) -> None:
    column = read(cells).columns["a"]
    assert column.kind is Kind.TEXT
    assert column.texts.tolist() == cells
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
@settings(deadline=None, max_examples=usually(10, 30))
@given(amounts=AMOUNTS)
def test_a_column_reads_as_the_same_numbers_whatever_its_dress(dress: str, amounts: list[int]) -> None:
    logging.getLogger("nri").setLevel(logging.ERROR)
    expected = [float(f"{amount / 100:.2f}") for amount in amounts]
    texts = [DRESSES[dress](number) for number in expected]
    try:
        assert numbers_of(texts) == expected
        plan = read(texts).plans["a"]
        for known in (plan, ColumnPlan(Kind.NUMBER, stated=False)):
            again = read_columns({"a": texts}, {"a": known})["a"]
            assert again.values.tolist() == expected
        for text, number in zip(texts, expected, strict=True):  # alone too, where nothing tells the style
            assert read_columns({"a": [text]}, {"a": plan})["a"].values.tolist() == [number]
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
    from_texts = NRIClassifier(model="greedy").fit(dressed, labels)
    assert caplog.messages == ["weight: read as numbers with the unit kg"]  # once, however often it is read
    assert str(from_texts.rule_) == f"{plain.rule_}\nunits: weight in kg"
    assert (from_texts.predict(pd.DataFrame({"weight": weights})) == labels).all()


def test_plain_numbers_as_texts_of_a_frame_stay_categories() -> None:
    clf = NRIClassifier(model="greedy").fit(pd.DataFrame({"doors": ["2", "4", "5"] * 9}), [0, 1, 0] * 9)
    assert 'doors = "4"' in str(clf.rule_)


def test_categories_that_look_like_numbers_with_odd_ones_stay_categories() -> None:
    grades = pd.Categorical(["1", "2", "3", "none"] * 9)
    clf = NRIClassifier(model="greedy").fit(pd.DataFrame({"grade": grades}), [0, 0, 0, 1] * 9)
    assert "grade = none" in str(clf.rule_)


def test_words_in_a_number_column_of_new_rows_are_missing_while_they_are_few() -> None:
    def cells(texts: list[str]) -> list[object]:
        column = read_columns({"c": texts}, {"c": ColumnPlan(Kind.NUMBER, unit=("", "kg"))})["c"]
        return [column.cell(row) for row in range(len(column))]

    assert cells(["5 kg", "pending", "6 kg"]) == [5, None, 6]
    assert cells(["5", "pending"]) == [5, None]
    assert cells(["5 kg", "6 kg", "7 lb"]) == [5, 6, None]
    assert cells(["-"]) == [None]
    assert cells([*["-"] * 10, "5 kg", "pending"]) == [*[None] * 10, 5, None]
    for texts, row in ((["5", "pending", "lost"], 2), (["5 kg", "6 lb", "7 lb"], 2), (["A12"], 1)):
        with pytest.raises(InputError, match=f"column 'c', row {row}: '{texts[row - 1]}' is no number"):
            cells(texts)


def test_a_second_table_with_the_same_fault_is_told_about_too(caplog: pytest.LogCaptureFixture) -> None:
    """Notes were told once in the life of the program: of the second file nobody heard."""
    for _ in range(2):
        caplog.clear()
        table = read([*NUMBERS, "pending"])
        assert caplog.messages == [str(note) for note in table.notes]
        assert caplog.messages == [
            "a: 1 of 100 cells are not numbers and are treated as missing, such as 'pending'"
        ]
