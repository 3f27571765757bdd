"""Files that people drop: good ones become tables, bad ones become a sentence."""

import gzip
import io

import openpyxl
import pandas as pd
import pytest
from pages import VISITS, drop

from nri.serve.guard import MAX_JSON
from nri.serve.upload import BUDGET, MAX_BYTES, _on_page, read_upload, view_target
from nri.table import table_of


def parquet(frame: pd.DataFrame) -> bytes:
    file = io.BytesIO()
    frame.to_parquet(file)
    return file.getvalue()


ARFF = b"@relation r\n@attribute a numeric\n@attribute y {no,yes}\n@data\n1,no\n2,yes\n3,no\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", b"a,y\n1,no\n2,yes\n3,no\n"),
        ("t.tsv", b"a\ty\n1\tno\n2\tyes\n3\tno\n"),
        ("t.csv", b"a;y\n1;no\n2;yes\n3;no\n"),
        ("t.arff", ARFF),
        ("t.csv.gz", gzip.compress(b"a,y\n1,no\n2,yes\n3,no\n")),
        ("t.parquet", parquet(pd.DataFrame({"a": [1, 2, 3], "y": ["no", "yes", "no"]}, index=[7, 8, 9]))),
        ("t.csv.gz", gzip.compress(b"a,y\n1,no\n") + gzip.compress(b"2,yes\n3,no\n")),
    ],
    ids=["csv", "tsv", "semicolons", "arff", "gzip", "parquet", "gzip in two members"],
)
def test_every_format_is_read(client, name, content):
    answer = drop(client, content, name)
    assert answer.status_code == 200, answer.text
    table = answer.json()
    assert (table["rows"], [column["name"] for column in table["columns"]]) == (3, ["a", "y"])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"a,y\n", "no rows"),
        (b"\x89PNG\r\n\x1a\n\0\0", "binary file"),
        (b"PK\x03\x04aaaa", "is a zip archive; give the table that is in it"),
        (b"%PDF-1.7", "PDF document"),
        (b"<!doctype html><p>", "web page"),
        (b'{"a": 1}', "JSON"),
        (b"a,a\n1,2\n", "duplicate column names: 'a'"),
        (b"a,b\n1,2,3\n", "line 2"),
        (b"\x1f\x8b damaged", "damaged"),
        (gzip.compress(VISITS)[:-20], "ends too early"),
        (b"PAR1 but not really", "Parquet"),
    ],
)
def test_a_bad_file_is_told_in_one_line_with_a_remedy(client, sessions, content, message):
    answer = drop(client, content, "file.csv")
    assert answer.status_code == 400
    error = answer.json()["error"]
    assert message in error
    assert "\n" not in error
    assert len(sessions) == 0


def test_a_bad_file_does_not_take_the_place_of_a_good_one(client):
    drop(client)
    drop(client, b"%PDF-1.7", "report.pdf")
    assert client.get("/api/target", params={"column": "flu"}).status_code == 200


def test_a_file_that_announces_more_than_the_limit_is_refused_unread(client, sessions):
    answer = client.post("/api/table", content=b"", headers={"content-length": str(MAX_BYTES + 1)})
    assert answer.status_code == 413
    assert "larger than 50 MB" in answer.json()["error"]
    assert len(sessions) == 0


def test_a_file_that_says_no_length_is_read_no_further_than_the_limit(client, monkeypatch):
    monkeypatch.setattr("nri.serve.guard.MAX_BYTES", 100)
    sent = []

    def chunks():
        for _ in range(50):
            sent.append(1)
            yield b"a,b\n" * 10

    answer = client.post("/api/table", content=chunks())
    assert answer.status_code == 413


def test_the_limit_is_fifty_megabytes():
    assert MAX_BYTES == 50 * 1024 * 1024
    with pytest.raises(ValueError, match="larger than 50 MB"):
        read_upload("t.csv", b"a" * (MAX_BYTES + 1))


def test_the_budget_of_a_dropped_file_is_that_of_the_page():
    assert BUDGET.unpacked == 200 * 2**20
    bomb = gzip.compress(gzip.compress(b"0" * (BUDGET.unpacked + 1)))
    assert len(bomb) < 1000
    with pytest.raises(ValueError, match=r"unpacks to more than 200 MB|of memory"):
        read_upload("bomb.csv.gz", bomb)


def test_a_rule_of_a_megabyte_is_refused(client):
    drop(client)
    answer = client.post("/api/induce", content=b" " * (MAX_JSON + 1))
    assert answer.status_code == 413


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("C:\\Users\\me\\t.csv", "t.csv"),
        ("../../etc/passwd", "passwd"),
        ("two\nlines.csv", "two lines.csv"),
        ("", "the file"),
        ("grün%2F.csv", "grün%2F.csv"),
    ],
)
def test_a_file_name_is_only_a_name(name, shown):
    assert read_upload(name, VISITS).name == shown


def test_an_unusual_encoding_is_noted(client):
    answer = drop(client, "a,y\nMünchen,1\nKöln,2\nBonn,1\n".encode("latin-1"))
    assert "not UTF-8" in answer.json()["notes"][0]
    assert drop(client).json()["notes"] == []


def test_notes_on_a_workbook_name_no_options_of_a_command_line(client):
    """Four notes stood on the page as one paragraph, each with the file's name and `(--sheet NAME)`."""
    book = openpyxl.Workbook()
    for line in ("All visits of the clinic", "made in May"):
        book.active.append([line])
    sheet = book.create_sheet("Visits")
    for row in (["All visits"], ["age", "ill"], [61, "yes"], [40, "no"], [50, "no"]):
        sheet.append(row)
    content = io.BytesIO()
    book.save(content)
    notes = drop(client, content.getvalue(), "visits.xlsx").json()["notes"]
    assert notes[0] == "Sheet 'Visits' is read; others are 'Sheet'"
    assert "The header is row 2; rows above it are skipped" in notes
    assert not [note for note in notes if "--" in note or "visits.xlsx" in note]


def test_the_example_on_the_page_is_the_example_of_the_documents(client):
    assert client.get("/static/visits.csv").content == VISITS


def test_notes_leave_out_the_name_of_the_file_and_options_of_a_command_line():
    note = "a.xlsx, sheet 'B': the header is row 5 (--header ROW)"
    assert _on_page(note, "a.xlsx") == "The header is row 5"


def test_a_target_offers_its_classes_or_a_comparison():
    yes = view_target(table_of({"flu": ["yes", "no", "yes"]}), "flu")["classes"][1]
    assert yes == {"label": "yes", "text": "yes", "rows": 2}
    assert view_target(table_of({"age": range(100)}), "age")["compare"] == {"op": ">", "value": 49}
