"""A file that is named on the command line: the page begins with it, or with some rows of a large one."""

import io
from pathlib import Path
from urllib.parse import unquote

import pandas as pd
import pytest
from browser import running_server, visiting
from pages import KEY, PORT, VISITS, caller
from playwright.sync_api import expect

from nri.errors import InputError
from nri.rows import files
from nri.serve import upload
from nri.serve.app import create_app
from nri.serve.upload import InitialFile, initial_file


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    table = pd.DataFrame({"age": [i % 97 for i in range(5000)], "name": [f"n{i}" for i in range(5000)]})
    table["ill"] = (table["age"] > 60).map({True: "yes", False: "NA"})
    table.to_parquet(tmp_path / "rows.parquet")
    table.to_csv(tmp_path / "rows.csv", index=False)
    return tmp_path


def test_a_small_file_is_given_as_it_is(tmp_path: Path):
    path = tmp_path / "visits.csv"
    path.write_bytes(VISITS)
    assert initial_file(str(path), 1000) == InitialFile("visits.csv", VISITS)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_of_a_large_file_some_rows_are_given_and_the_name_says_how_many(rows, monkeypatch, ending):
    monkeypatch.setattr(files, "LARGE_ROWS", 100)
    monkeypatch.setattr(files, "LARGE_BYTES", 100)
    monkeypatch.setattr(files, "_LONG", 100)
    found = initial_file(str(rows / f"rows.{ending}"), 1000)
    read = pd.read_csv if ending == "csv" else pd.read_parquet
    taken = read(io.BytesIO(found.content))
    assert found.name == f"{len(taken)} of 5000 rows of rows.{ending}"
    assert 850 < len(taken) < 1150
    assert list(taken.columns) == ["age", "name", "ill"]


def test_rows_that_take_too_much_room_are_fewer(rows, monkeypatch):
    monkeypatch.setattr(files, "LARGE_ROWS", 100)
    monkeypatch.setattr(upload, "MAX_BYTES", 20_000)
    found = initial_file(str(rows / "rows.parquet"), 4000)
    assert len(found.content) <= 20_000


def test_a_file_that_is_not_there_is_told():
    with pytest.raises(InputError, match=r"no file nowhere\.csv"):
        initial_file("nowhere.csv", 1000)


def test_the_page_is_handed_the_table_or_nothing():
    with caller(create_app(PORT, KEY)) as client:
        assert client.get("/api/initial").status_code == 204
    initial = InitialFile("5 of 9 rows of größe.csv", VISITS, "größe")
    app = create_app(PORT, KEY, initial=initial)
    with caller(app) as client:
        answer = client.get("/api/initial")
        assert unquote(answer.headers["x-file-name"]) == initial.name
        assert unquote(answer.headers["x-target"]) == "größe"
        assert answer.content == VISITS
    with caller(app, accept="*/*") as client:
        assert client.get("/api/initial").status_code == 403, "another site could read it"


def test_the_page_begins_with_the_table_and_asks_for_its_target(browser):
    name = "60 of 9000000 rows of visits.csv"
    with running_server(InitialFile(name, VISITS)) as server, visiting(browser, server) as visitor:
        expect(visitor.page.locator("#table-name")).to_contain_text(f"{name} · 60 rows")
        expect(visitor.page.locator("#choices button")).to_have_count(7)
        expect(visitor.page.get_by_role("button", name="flu", exact=True)).to_be_focused()
        assert not [one for one in server.answers if "induce" in one[1]], "no search without a target"


def test_the_page_begins_with_the_rule_of_a_given_target(browser):
    initial = InitialFile("visits.csv", VISITS, "ward")
    with running_server(initial) as server, visiting(browser, server) as visitor:
        visitor.wait_for_rule()
        expect(visitor.page.locator("#rule-title")).to_have_text("Rule for ward")


def test_a_given_target_that_is_no_column_is_asked_for_again(browser):
    initial = InitialFile("visits.csv", VISITS, "wards")
    with running_server(initial) as server, visiting(browser, server) as visitor:
        expect(visitor.page.get_by_role("alert")).to_contain_text("There is no column wards; choose one.")
        expect(visitor.page.locator("#choose")).to_be_visible()
