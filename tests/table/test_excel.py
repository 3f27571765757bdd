"""Workbooks as analysts have them: titles, headers of two rows, several tables; predictions go back in."""

import datetime as dt
import io
import logging
import sys

import openpyxl
import pandas as pd
import pytest
import xlwt

from nri import read_table
from nri.errors import InputError
from nri.table.excel import SheetChoice
from nri.table.source import open_source
from nri.table.write import write_beside

VISITS = [("id", "age", "seen", "ill", "said"), (1, 61, dt.date(2024, 5, 1), True, "yes")]
VISITS += [(2, 40.5, dt.date(2024, 5, 2), False, "NA"), (3, None, None, None, "no")]


def saved(book, folder, name="visits.xlsx"):
    book.save(folder / name)
    return folder / name


@pytest.fixture
def book():
    book = openpyxl.Workbook()
    book.active.title = "Visits"
    return book


def put(sheet, rows, corner=(1, 1)):
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            sheet.cell(corner[0] + i, corner[1] + j).value = cell


def kinds(table):
    return {name: str(plan.kind) for name, plan in table.plans.items()}


def test_cells_keep_their_types_and_marks_for_nothing_are_missing(book, tmp_path):
    put(book.active, VISITS)
    table = read_table(saved(book, tmp_path))
    assert kinds(table) == {"id": "number", "age": "number", "seen": "date", "ill": "boolean", "said": "text"}
    assert table.plans["id"].whole
    assert not table.plans["age"].whole
    assert {name: column.known.tolist() for name, column in table.columns.items() if name != "id"} == {
        "age": [True, True, False],
        "seen": [True, True, False],
        "ill": [True, True, False],
        "said": [True, False, True],
    }


def test_an_old_workbook_is_read_like_a_new_one(tmp_path):
    book = xlwt.Workbook()
    sheet = book.add_sheet("Visits")
    for i, row in enumerate([("age", "ill"), (61, "yes"), (40, "no")]):
        for j, cell in enumerate(row):
            sheet.write(i, j, cell)
    table = read_table(saved(book, tmp_path, "visits.xls"))
    assert kinds(table) == {"age": "number", "ill": "text"}
    assert table.columns["age"].values.tolist() == [61, 40]


def test_a_title_above_the_table_is_passed_over_and_told(book, tmp_path, caplog):
    book.active["A1"] = "Clinic north"
    book.active["A2"] = "exported on Monday"
    put(book.active, VISITS, corner=(3, 1))
    assert read_table(saved(book, tmp_path)).names == VISITS[0]
    assert "the header is row 3; rows above it are skipped (--header ROW)" in caplog.text


def test_names_below_merged_names_are_joined_and_merged_cells_stand_for_all_their_rows(
    book, tmp_path, caplog
):
    sheet = book.active
    put(sheet, [("ward", "blood pressure", None, "ill"), (None, "upper", "lower", None)])
    put(sheet, [("north", 120, 80, "no"), (None, 140, 90, "yes"), ("south", 130, 85, "no")], corner=(3, 1))
    for cells in ("A1:A2", "B1:C1", "D1:D2", "A3:A4"):
        sheet.merge_cells(cells)
    table = read_table(saved(book, tmp_path))
    assert table.names == ("ward", "blood pressure upper", "blood pressure lower", "ill")
    assert table.columns["ward"].texts.tolist() == ["north", "north", "south"]
    assert "the header has 2 rows, whose names are joined, as 'blood pressure upper'" in caplog.text


def test_the_largest_of_several_tables_is_read_and_the_others_told(book, tmp_path, caplog):
    put(book.active, VISITS)
    put(book.active, [("ward", "beds"), ("north", 12)], corner=(1, 8))
    path = saved(book, tmp_path)
    assert read_table(path).names == VISITS[0]
    assert "the largest table is read, A1:E4; others are at H1:I2 (--sheet RANGE)" in caplog.text
    assert read_table(path, sheet="Visits!H1:I2").names == ("ward", "beds")
    assert read_table(path, sheet="H1").names == ("ward", "beds")


def test_an_empty_row_does_not_end_a_table_but_a_new_header_does(book, tmp_path):
    put(book.active, [("age", "ill"), (61, "yes"), (40, "no"), (50, "no"), (None, None), (70, "yes")])
    assert len(read_table(saved(book, tmp_path))) == 4
    put(book.active, [("beds", "wards"), (1, 2)], corner=(8, 1))
    assert len(read_table(saved(book, tmp_path))) == 4


def test_the_sheet_is_chosen_by_name_or_number_and_others_are_told(book, tmp_path, caplog):
    put(book.active, VISITS)
    put(book.create_sheet("Beds, 2024"), [("ward", "beds"), ("north", 12)])
    book.create_sheet("empty")
    path = saved(book, tmp_path)
    assert read_table(path).names == VISITS[0]
    assert "sheet 'Visits' is read; others are 'Beds, 2024' (--sheet NAME)" in caplog.text
    for wanted in ("Beds, 2024", "2", "'Beds, 2024'!A1:B2"):
        assert read_table(path, sheet=wanted).names == ("ward", "beds")
    with pytest.raises(InputError, match="no sheet 'Bed'; it has 'Visits', 'Beds, 2024'"):
        read_table(path, sheet="Bed")


def test_a_sheet_may_have_the_name_of_a_type(book, tmp_path):
    """The name was taken for the mark of a date among the cells."""
    book.active.title = "date"
    put(book.active, VISITS)
    assert read_table(saved(book, tmp_path)).names == VISITS[0]


def test_a_cover_before_the_table_is_passed_over(book, tmp_path, caplog):
    """The first sheet of a clinic's workbook said who made it, and "no target column" was the answer."""
    put(book.create_sheet("Cover", 0), [("Extract of the clinic",), ("made in May",)])
    put(book["Visits"], VISITS)
    file = saved(book, tmp_path)
    assert "age" in read_table(file).names
    assert "sheet 'Visits' is read; others are 'Cover'" in caplog.text
    assert read_table(file, sheet="Cover").names == ("Extract of the clinic",)


def test_the_row_of_the_header_can_be_said(book, tmp_path):
    put(book.active, [("a note", "on", "this"), ("age", "sex", "ill"), (61, "f", "yes"), (40, "m", "no")])
    path = saved(book, tmp_path)
    assert read_table(path, header=2).names == ("age", "sex", "ill")
    with pytest.raises(InputError, match="no header in row 9; the table is in A1:C4"):
        read_table(path, header=9)


def test_predictions_go_beside_the_table_and_everything_else_stays(book, tmp_path):
    sheet = book.active
    sheet["A1"] = "Clinic north"
    put(sheet, [("age", "ill"), (61, "yes"), (None, None), (40, "no")], corner=(3, 2))
    sheet["B3"].font = openpyxl.styles.Font(bold=True)
    sheet["B9"] = "=SUM(B4:B6)"
    put(book.create_sheet("Beds"), [("ward", "beds"), ("north", 12)])
    source = open_source(saved(book, tmp_path), choice=SheetChoice("Visits!B3:C6"))
    added = pd.DataFrame({"predicted_ill": ["=cmd()", "no"], "probability": [0.9, 0.8]})
    write_beside(source, added, tmp_path / "out.xlsx")
    after = openpyxl.load_workbook(tmp_path / "out.xlsx")
    assert after.sheetnames == ["Visits", "Beds"]
    rows = [[cell.value for cell in row] for row in after["Visits"]["A1:E9"]]
    assert rows[0][0] == "Clinic north"
    assert rows[2][1:] == ["age", "ill", "predicted_ill", "probability"]
    assert rows[3][1:] == [61, "yes", "=cmd()", 0.9]
    assert after["Visits"]["D4"].data_type == "s", "a text that begins with = is no formula"
    assert rows[4][1:] == [None] * 4
    assert rows[5][1:] == [40, "no", "no", 0.8]
    assert rows[8][1] == "=SUM(B4:B6)"
    assert after["Visits"]["B3"].font.bold
    assert after["Beds"]["B2"].value == 12


def test_predictions_do_not_overwrite_the_table_beside_it(book, tmp_path, caplog):
    put(book.active, [("age", "ill"), (61, "yes"), (40, "no"), (50, "no")])
    put(book.active, [("ward", "beds"), ("north", 12)], corner=(1, 4))
    source = open_source(saved(book, tmp_path))
    write_beside(source, pd.DataFrame({"predicted": list("abc")}), tmp_path / "out.xlsx")
    after = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    assert after["C1"].value == "predicted", "the empty column between them is free"
    added = pd.DataFrame({"predicted": list("abc"), "probability": [0.1, 0.2, 0.3]})
    write_beside(source, added, tmp_path / "out.xlsx")
    after = openpyxl.load_workbook(tmp_path / "out.xlsx").active
    assert [after[cell].value for cell in ("D1", "F1", "G1")] == ["ward", "predicted", "probability"]
    assert "the columns beside the table are taken; predictions are in column F" in caplog.text


def test_a_text_table_becomes_a_new_workbook_where_one_is_asked_for(tmp_path):
    source = open_source(io.StringIO("age,ill\n61,yes\n40,no\n"))
    write_beside(source, pd.DataFrame({"said": ["yes", "no"]}), tmp_path / "out.xlsx")
    rows = list(openpyxl.load_workbook(tmp_path / "out.xlsx").active.values)
    assert rows == [("age", "ill", "said"), (61, "yes", "yes"), (40, "no", "no")]


def test_without_the_packages_one_line_says_what_to_install(book, tmp_path, monkeypatch):
    put(book.active, VISITS)
    path = saved(book, tmp_path)
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(InputError, match=r"needs python_calamine, .*pip install 'nri\[excel\]'"):
        read_table(path)


def test_a_sheet_is_no_option_for_a_text_table():
    with pytest.raises(InputError, match="is no Excel workbook, so it has no sheets"):
        read_table(io.StringIO("a,b\n1,2\n"), sheet="Visits")


@pytest.fixture(autouse=True)
def _told(caplog):
    caplog.set_level(logging.WARNING)
