"""What visitors take along: the rule that stands on the page, and nothing that runs."""

import csv
import io
import json

import openpyxl
import pandas as pd
import pytest
from pages import VISITS, ask, drop, edit

from nri.rule import FORMATS, from_json
from nri.serve.work import KINDS

NAMES = {
    **{name: f"rule_flu{form.suffix}" for name, form in FORMATS.items()},
    "csv": "predictions_flu.csv",
    "xlsx": "predictions_flu.xlsx",
}


@pytest.fixture
def caller(client):
    drop(client)
    ask(client)
    return client


@pytest.mark.parametrize("kind", KINDS)
def test_every_download_is_a_file_and_never_a_page(caller, kind):
    """A page of markup would share this page's origin if a browser opened it."""
    answer = caller.get(f"/api/download/{kind}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == f'attachment; filename="{NAMES[kind]}"'
    assert kind == "xlsx" or answer.text.endswith("\n")


def test_the_edited_rule_is_what_is_downloaded(caller):
    edit(caller, [("ward", "=", "north")])
    rule = from_json(caller.get("/api/download/json").text)
    assert [str(clause) for clause in rule.clauses] == ["ward = north"]
    assert "\"ward\" = 'north'" in caller.get("/api/download/sql").text


def test_sql_is_written_for_the_database_that_was_chosen(caller):
    edit(caller, [("ward", "=", "north")])
    assert "CAST(CAST(`ward`" in caller.get("/api/download/sql?dialect=mysql").text
    assert caller.get("/api/download/sql?dialect=access").status_code == 400


def test_the_python_file_predicts_as_the_page_does(caller):
    scope: dict = {}
    exec(caller.get("/api/download/python").text, scope)
    page = caller.get("/api/rows").json()
    for row in page["rows"]:
        cells = dict(zip(page["columns"], row["cells"], strict=True))
        cells["age"] = None if cells["age"] is None else float(cells["age"])
        assert scope["predict"](cells) == row["predicted"]


def test_the_table_has_a_prediction_for_every_row_also_those_without_a_target(client):
    drop(client, b"a,flu\nu,yes\nv,\nu,yes\nv,no\nu,yes\nv,no\n")
    ask(client)
    table = pd.read_csv(io.StringIO(client.get("/api/download/csv").text))
    assert table["predicted_flu"].tolist() == ["yes", "no", "yes", "no", "yes", "no"]


def test_no_cell_name_or_class_of_an_exported_table_is_a_formula(client):
    formulas = ["=HYPERLINK(1)", "+cmd", "-cmd", "@SUM(A1)", "\tx", "=1+1"]
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["=name", "x", "flu"])
    for i in range(24):
        writer.writerow([formulas[i % 6], i % 2, "=yes" if i % 2 else "-no way"])
    drop(client, out.getvalue().encode())
    ask(client)
    exported = list(csv.reader(io.StringIO(client.get("/api/download/csv").text)))
    assert len(exported) == 25
    for line in exported:
        for cell in line:
            assert not cell.startswith(("=", "+", "@", "\t", "\r"))
            assert not cell.startswith("-") or cell[1:].replace(".", "").isdigit()


def test_a_download_of_no_known_kind_is_refused(caller):
    assert caller.get("/api/download/exe").status_code == 400


def test_a_target_with_strange_letters_gives_a_plain_file_name(client):
    name = 'x"; filename="evil.exe\r\nSet-Cookie: a=b'
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["a", name])
    writer.writerows([["u", 1], ["v", 0]] * 6)
    drop(client, out.getvalue().encode())
    assert ask(client, target=name).status_code == 200
    answer = client.get("/api/download/json")
    assert (
        answer.headers["content-disposition"]
        == 'attachment; filename="rule_x_filename_evil_exe_set_cookie_a_b.json"'
    )
    assert "a" not in answer.cookies


def test_a_workbook_goes_back_with_predictions_and_its_other_sheets(client):
    book = openpyxl.Workbook()
    for row in csv.reader(io.StringIO(VISITS.decode())):
        book.active.append(row)
    for row in (["ward", "beds"], ["north", 12]):
        (book["Beds"] if "Beds" in book else book.create_sheet("Beds")).append(row)
    file = io.BytesIO()
    book.save(file)
    told = drop(client, file.getvalue(), "visits.xlsx").json()
    assert told["workbook"] == {"sheets": ["Sheet", "Beds"], "sheet": "Sheet", "header": 1}
    ask(client)
    kept = openpyxl.load_workbook(io.BytesIO(client.get("/api/download/xlsx").content))
    assert kept.sheetnames == ["Sheet", "Beds"]
    names, first, *_ = kept["Sheet"].values
    assert names[-2:] == ("predicted_flu", "probability")
    assert first[-2] in ("yes", "no")
    headers = {"x-file-name": "visits.xlsx", "x-sheet": "Beds"}
    answer = client.post("/api/table", content=file.getvalue(), headers=headers)
    assert [column["name"] for column in answer.json()["columns"]] == ["ward", "beds"]


def test_a_report_is_told_step_by_step_and_takes_over_the_folds_of_the_estimate(caller):
    """It came without progress, after more than two minutes, beside a cross-validation of the same folds."""
    estimate = [json.loads(line) for line in caller.post("/api/validate").text.splitlines()]
    assert [line["done"] for line in estimate[:-1]] == [1, 2, 3, 4, 5]
    lines = [json.loads(line) for line in caller.post("/api/report").text.splitlines()]
    assert all(0 < line["done"] <= line["of"] for line in lines[:-1])
    assert len(lines) - 1 <= 20, "folds are not computed again"
    assert lines[-1]["name"] == "report_flu.html"
    accuracy = f"{estimate[-1]['value']:.2f} ± {estimate[-1]['error']:.2f}"
    assert accuracy in lines[-1]["content"]
    assert "sensitivity" in lines[-1]["content"]
