"""What small functions of the table package return, by example."""

import gzip
import io
from pathlib import Path

import numpy as np
import pytest

from nri.arrays import class_bits
from nri.errors import InputError, TargetError, require_extra
from nri.outcome import Classes
from nri.rule import Literal, Op
from nri.table import Binarizer, LeftOut, Reason, label_table, table_of, with_survival, with_target
from nri.table.by_plan import read_condition
from nri.table.cells import as_code, fold, some_cells, spellings_of, text_cells
from nri.table.codes import missing_codes
from nri.table.cuts import Cut, even_thresholds, find_thresholds, plain_date, plain_threshold
from nri.table.delimited import sniff_delimiter
from nri.table.excel import _column_number, column_letters
from nri.table.files import database_of, machine_budget, size_text, url_of, without_password
from nri.table.formats import unpacked
from nri.table.left_out import describe_left_out, refusal
from nri.table.number import COMMA_GROUPS, is_missing_word, sure_value
from nri.table.source import DelimitedText, Source
from nri.table.split import header_for
from nri.table.target import class_index, describe, read_answers
from nri.table.weights import checked_weights
from nri.table.write import protect_from_formulas, write_beside
from nri.texts import one_line


def test_sizes_are_written_in_words():
    assert [size_text(size) for size in (50 << 20, 3 << 30, 100)] == ["50 MB", "3.0 GB", "100 bytes"]


def test_databases_are_known_by_their_first_bytes():
    assert database_of(b"SQLite format 3" + bytes(1)) == "sqlite"
    assert database_of(b"age,flu") is None


def test_urls_of_databases():
    assert url_of("sqlite", Path("/data/shop.sqlite")) == "sqlite:///data/shop.sqlite"
    assert without_password("postgres://me:secret@host/shop") == "postgres://host/shop"


def test_all_layers_of_compression_are_undone():
    packed = gzip.compress(gzip.compress(b"a,b"))
    assert unpacked(packed, "t.csv.gz", machine_budget()) == b"a,b"


def test_columns_of_a_sheet_have_letters():
    assert [column_letters(column) for column in (0, 25, 26, 27, 701, 702)] == [
        "A",
        "Z",
        "AA",
        "AB",
        "ZZ",
        "AAA",
    ]
    assert [_column_number(column_letters(column)) for column in range(2000)] == list(range(2000))


def test_cells_of_a_text_file_lose_blanks_and_marks_for_nothing():
    cells = text_cells(np.array([" a", "NA", "a"], dtype=object))
    assert (cells.codes.tolist(), cells.texts) == ([0, -1, 0], ("a",))


def test_codes_have_one_spelling():
    assert [as_code(cell) for cell in (-999.0, " 2.0 ", "unknown")] == ["-999", "2", "unknown"]


def test_a_note_shows_the_most_frequent_cells():
    said = some_cells(["a", "b", "c"], np.array([1, 5, 2]), np.array([True, True, False]), "are letters")
    assert said == "6 of 8 cells are letters, such as 'b', 'a'"


def test_spellings_of_one_word_are_joined():
    assert fold(" Yes ") == fold("YES")
    assert spellings_of(["yes", "YES", "no"], np.array([5, 2, 3])) == {"YES": "yes"}


def test_codes_for_nothing_are_found_and_plain_or_not():
    counts = np.array([5, 9, 20, 8])
    assert missing_codes(np.array([-999.0, 110, 120, 140]), counts) == {-999.0: True}
    assert missing_codes(np.array([20.0, 50, 80, 99]), counts) == {99.0: False}


def test_thresholds_are_said_plainly():
    age = np.array([23.0, 31, 45, 58, 65, 70])
    assert find_thresholds(age, np.array([0, 0, 0, 0, 1, 1]), min_thresholds=1) == [60]
    assert even_thresholds(np.arange(100.0), np.ones(100), 4) == [25, 50, 75]
    assert plain_threshold(np.array([23.0, 31, 45, 58]), Cut(1, np.array([1, 2]))) == 30
    low, high = np.datetime64("2019-11-05", "us"), np.datetime64("2020-02-03", "us")
    assert plain_date(low, high, low) == np.datetime64("2020-01-01")


def test_columns_become_variables():
    table = table_of({"age": [20, 30, 64, 70], "sex": ["f", "m", "f", "m"]})
    table = table.with_outcome(Classes("y", (0, 1), np.array([0, 0, 1, 1])))
    binarizer = Binarizer(max_thresholds=1).fit(table)
    assert [f"{v.column} {v.op} {v.value}" for v in binarizer.variables_] == ["age > 50", "sex = m"]
    assert binarizer.cells(table.columns)[0].astype(int).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]


def test_texts_show_their_delimiter_and_get_a_header():
    assert sniff_delimiter("a;b\n1,5;2,5\n") == ";"
    assert header_for("3;4", ";") == "column 1;column 2"


def test_digits_in_a_style_or_sure_in_any():
    assert [is_missing_word(text) for text in ("Unknown", "--", "pending")] == [True, True, False]
    assert [COMMA_GROUPS.value(digits) for digits in ("5,500.5", "5,50")] == [5500.5, None]
    assert [sure_value(digits) for digits in ("4,1", "1,234,567", "4,100")] == [4.1, 1234567, None]


def test_a_class_is_found_by_its_text_and_rows_are_described():
    assert class_index((0, 1), "1") == 1
    table = label_table(table_of({"price": [50, 150, None], "size": [1, 2, 3]}), "price > 100")
    assert describe(table, 3) == "2 rows (1 false, 1 true), 1 columns; 1 more without a target"


def test_no_spreadsheet_runs_a_cell():
    cells = ["=cmd|' /C calc'!A0", "-", -5]
    assert [protect_from_formulas(cell) for cell in cells] == ["'=cmd|' /C calc'!A0", "-", -5]


def test_a_condition_is_read_as_a_literal():
    assert read_condition(table_of({"age": [20, 90]}), "age > 80") == Literal("age", Op.GT, 80)


def test_a_target_is_a_column_or_a_comparison():
    prices = table_of({"price": [50, 150, None], "size": [1, 2, 3]})
    answers = read_answers(prices, "price > 100")
    assert answers.column == "price"
    assert answers.labels.values.tolist()[:2] == [False, True]
    table = label_table(prices, "price > 100")
    assert table.codes.tolist() == [0, 1]
    assert (table.classes, table.positive) == ((False, True), 1)
    rents = table_of({"rent": [400.5 + i for i in range(30)], "rooms": [1, 2, 3] * 10})
    assert with_target(rents, "rent").outcome.values[:2].tolist() == [400.5, 401.5]


def test_a_time_and_an_event_are_an_outcome():
    patients = table_of({"days": [5, 9], "status": ["dead", "alive"], "age": [70, 50]})
    rows = with_survival(patients, "days", "status = dead")
    assert rows.outcome.event.tolist() == [True, False]
    assert rows.names == ("age",)


def test_weights_can_be_counted_with():
    assert checked_weights(np.array([1.0, 2.0, 5e-324]), "weights").tolist() == [1, 2, 0]
    with pytest.raises(InputError, match=r"weights stand for more than 1e\+12 rows; divide them by 1e\+308"):
        checked_weights(np.array([1e308, 1e308]), "weights")
    with pytest.raises(InputError, match=r"weights stand for less than 1e-06 rows; divide them by 1e-09"):
        checked_weights(np.array([1e-9]), "weights")


def test_columns_left_out_are_named_with_their_reason():
    left_out = [LeftOut("id", Reason.IDENTIFIER), LeftOut("note", Reason.FREE_TEXT)]
    listed = "columns left out: id looks like an identifier, note is free text"
    assert describe_left_out(left_out) == listed
    named = "year looks like an identifier (name it in columns to use it all the same)"
    assert describe_left_out([LeftOut("year", Reason.IDENTIFIER, usable=True)]).endswith(named)
    refused = "no column can be used: city has one value only; give columns that vary"
    assert refusal([LeftOut("city", Reason.CONSTANT)]) == refused


def test_a_table_is_written_with_columns_beside_it():
    file, text = io.StringIO(), DelimitedText("code;share\n007;1,10\n", ";")
    source = Source({"code": np.array(["007"]), "share": np.array(["1,10"])}, text)
    write_beside(source, {"predicted": np.array(["yes"])}, file)
    assert file.getvalue() == "code;share;predicted\n007;1,10;yes\n"


def test_bits_of_classes():
    assert class_bits(np.array([[2.0, 2.0], [4.0, 0.0]])).tolist() == [4, 0]


def test_an_error_is_one_line_with_the_remedy():
    assert one_line("1 cm\t\ud800") == r"1 cm\t\ud800"
    error = TargetError("target 'price' is a number with 80 different values, not a class", "price > 100")
    assert str(error).endswith("not a class; compare it, e.g. 'price > 100'")
    remedy = r"training needs no_such_package, not installed; run: pip install 'nri\[train\]'"
    with pytest.raises(InputError, match=remedy):
        require_extra("train", "training", "no_such_package")
