"""Numbers and the time until an event on the page: edits, rows and downloads as for classes."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from pages import ask, branches, drop
from starlette.testclient import TestClient

from nri.rule import FORMATS, from_json


def flats() -> bytes:
    lines = ["rooms,lift,rent"]
    lines += [f"{1 + i % 5},{'yes' if i % 2 else 'no'},{400 + 300 * (i % 5 > 2) + i % 17}" for i in range(80)]
    return "\n".join(lines).encode()


def patients() -> bytes:
    rng = np.random.default_rng(0)
    stage = rng.choice(["early", "late"], 120)
    time = rng.exponential(np.where(stage == "late", 100.0, 800.0))
    end = rng.uniform(100, 900, 120)
    table = {"age": rng.integers(30, 80, 120), "stage": stage, "days": np.ceil(np.minimum(time, end))}
    table["status"] = np.where(time < end, "dead", "alive")
    return pd.DataFrame(table).to_csv(index=False).encode()


RENT = {"target": "rent"}
DEATH = {"target": "days", "event": "status = dead"}


@pytest.fixture(params=["number", "survival"])
def measured(request, client: TestClient) -> tuple[TestClient, dict]:
    """A visitor with a table and a question about a number, or about a time until an event."""
    content, question = (flats(), RENT) if request.param == "number" else (patients(), DEATH)
    drop(client, content, "table.csv")
    return client, question


def test_a_number_is_explained_by_branches_with_value_interval_and_rows(client):
    drop(client, flats(), "flats.csv")
    work = ask(client, **RENT).json()
    assert (work["kind"], work["is_dnf"], work["classes"]) == ("number", False, [])
    assert work["titles"] == ["prediction", "95 % interval of the mean", "80 % of rows", "rows"]
    first, last = work["lines"]
    assert (first["opening"], first["literals"][0]["text"], first["rows"]) == ("if", "rooms > 3", 32)
    assert (last["opening"], last["rows"]) == ("else", 48)
    assert float(first["cells"][0]) == pytest.approx(708, abs=2)
    low, high = map(float, first["cells"][2].split(" to "))
    assert low < 708 < high
    assert work["scores"]["r2"]["value"] > 0.99
    assert work["scores"]["error"]["value"] < 10


def test_a_time_is_explained_by_branches_with_median_interval_risk_and_events(client):
    drop(client, patients(), "patients.csv")
    work = ask(client, **DEATH).json()
    assert (work["kind"], work["title"]) == ("survival", "days until status = dead")
    assert work["titles"] == ["median days", "95 % interval", "risk", "status = dead, rows"]
    assert work["columns"] == ["age", "stage"]
    first, last = work["lines"]
    assert first["literals"][0]["column"] == "stage"
    assert sorted(len(line["cells"]) for line in (first, last)) == [4, 4]
    assert first["rows"] + last["rows"] == work["rows"] == 120
    assert work["scores"]["concordance"]["value"] > 0.6


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"target": "days", "event": "days"}, "both the time and the event"),
        ({"target": "stage", "event": "status = dead"}, "give numbers"),
        ({"target": "days", "event": "status"}, "name the one that is the event"),
        ({"target": "days", "event": 3}, "'event' is missing or of the wrong kind"),
    ],
)
def test_an_event_that_makes_no_sense_is_refused_in_one_line(client, question, message):
    drop(client, patients(), "patients.csv")
    refused = ask(client, **question)
    assert refused.status_code == 400
    assert message in refused.json()["error"]
    assert "\n" not in refused.json()["error"]


def test_branches_are_dropped_moved_and_cut_elsewhere(measured):
    client, question = measured
    work = ask(client, **question).json()
    sent = branches(work)
    same = client.post("/api/edit", json={"branches": sent}).json()
    assert same == work
    none = client.post("/api/edit", json={"branches": []}).json()
    assert none["edited"]
    assert [line["opening"] for line in none["lines"]] == ["always"]
    column = "rooms" if question is RENT else "age"
    first = {"literals": [{"column": column, "op": ">", "value": 2}], "at_least": None, "label": None}
    two = client.post("/api/edit", json={"branches": [first, *sent]}).json()
    assert [line["opening"] for line in two["lines"][:2]] == ["if", "else if"]
    assert two["lines"][0]["literals"][0]["text"] == f"{column} > 2"
    assert sum(line["rows"] for line in two["lines"]) == work["rows"]
    assert two["lines"][0]["cells"] != work["lines"][0]["cells"]


def test_a_branch_is_kept_and_the_others_are_found_around_it(measured):
    client, question = measured
    column, value = ("lift", "yes") if question is RENT else ("age", 50)
    op = "=" if question is RENT else ">"
    kept = {"literals": [{"column": column, "op": op, "value": value}], "at_least": None}
    work = ask(client, **question, keep={"label": None, "clauses": [kept]}).json()
    assert work["lines"][0]["literals"][0]["column"] == column
    assert len(work["lines"]) > 2
    assert "what you asked for costs" in work["price"]
    assert not work["edited"]


def test_rows_are_shown_and_explained(measured):
    client, question = measured
    work = ask(client, **question).json()
    for name, rows in work["filters"].items():
        page = client.get("/api/rows", params={"filter": name}).json()
        assert page["total"] == rows
    assert "right" not in work["filters"]
    page = client.get("/api/rows").json()
    assert page["rows"][0]["right"] is None
    if question is DEATH:
        assert {row["actual"].split(", ")[1] for row in page["rows"]} == {"event", "censored"}
    for branch in range(2):
        row = client.get("/api/rows", params={"filter": f"branch:{branch}"}).json()["rows"][0]
        why = client.get("/api/explain", params={"row": row["row"]}).json()
        assert [len(why["fired"]), len(why["nearest"])] == ([1, 0] if branch == 0 else [0, 1])
        assert why["predicted"]
        assert why["actual"] == row["actual"]


def test_the_estimate_on_new_rows_is_cross_validated(measured):
    client, question = measured
    ask(client, **question)
    lines = [json.loads(line) for line in client.post("/api/validate").text.splitlines()]
    assert lines[:5] == [{"done": k, "of": 5} for k in range(1, 6)]
    assert lines[5]["measure"] == ("R²" if question is RENT else "concordance")
    assert 0.6 < lines[5]["value"] <= 1
    assert "cross-validated" in lines[5]["method"]
    assert lines[5]["diagnostics"] == []


@pytest.mark.parametrize("kind", [*FORMATS, "csv", "xlsx"])
def test_the_rule_is_taken_along_in_every_format(measured, kind):
    client, question = measured
    ask(client, **question)
    made = client.get(f"/api/download/{kind}")
    assert made.status_code == 200
    assert "attachment" in made.headers["content-disposition"]
    if kind == "json":
        assert from_json(made.text).predicts.kind == ("number" if question is RENT else "survival")
    if kind == "csv":
        name = "predicted_rent" if question is RENT else "risk_status = dead"
        assert pd.read_csv(io.StringIO(made.text))[name].notna().all()


def test_a_report_is_written(measured):
    client, question = measured
    ask(client, **question)
    client.post("/api/edit", json={"branches": []})  # without a branch it is quick to write
    last = json.loads(client.post("/api/report").text.splitlines()[-1])
    assert last["content"].startswith("<!doctype html>")


def test_groups_show_what_is_predicted_and_what_is_true(measured):
    client, question = measured
    column = "lift" if question is RENT else "age"
    (groups,) = ask(client, **question, protect=[column]).json()["groups"]
    for fires, *means in (group["measures"] for group in groups["groups"]):
        assert 0 <= fires["interval"]["low"] <= fires["value"] <= fires["interval"]["high"] <= 1
        assert [float(mean) >= 0 for mean in means] == [True, True]


def test_a_comparison_after_it_is_about_classes_again(client):
    drop(client, flats(), "flats.csv")
    ask(client, **RENT)
    assert ask(client, target="rent > 500").json()["kind"] == "classes"
    assert "CASE" in client.get("/api/download/sql").text
    assert client.get("/api/rows").status_code == 200
