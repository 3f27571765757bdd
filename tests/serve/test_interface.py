"""What the page's calls answer: rules, edits, rows, explanations, estimates."""

import json
from dataclasses import replace

import numpy as np
import pages
import pandas as pd
import pytest
from pages import KEY, PORT, ask, branches, drop, edit
from starlette.testclient import TestClient

from nri import alternatives
from nri.induce.validate import stratified_sample
from nri.outcome import Classes
from nri.serve.app import create_app
from nri.serve.question import read_question
from nri.serve.upload import read_upload
from nri.serve.view import view_work
from nri.serve.work import WITHIN, answer, find_alternatives
from nri.table.source import table_of


@pytest.fixture
def caller(client) -> TestClient:
    """A visitor who has dropped the visits."""
    assert drop(client).status_code == 200
    return client


def texts(work) -> list[list[str]]:
    return [[literal["text"] for literal in line["literals"]] for line in work["lines"][:-1]]


def predictions(work) -> list[str]:
    return [line["label"]["text"] for line in work["lines"]]


def score(work, name: str) -> float | None:
    return work["scores"][name]["value"]


def test_a_rule_comes_with_its_numbers(caller):
    work = ask(caller).json()
    assert texts(work) == [["cough = yes", "fever = yes"], ["age > 50", "body_aches = yes", "chills = yes"]]
    assert [line["cells"] for line in work["lines"]] == [
        ["yes", "20 of 20", "0.95"],
        ["yes", "8 of 8", "0.94"],
        ["no", "30 of 32", "0.91"],
    ]
    assert (work["kind"], work["is_dnf"], work["filters"]["right"]) == ("classes", True, 58)
    assert [line["opening"] for line in work["lines"]] == ["if", "or", "else"]
    assert not work["edited"]


def test_the_positive_class_can_be_chosen(caller):
    assert predictions(ask(caller, positive="no").json())[0] == "no"


@pytest.mark.parametrize(
    ("wish", "holds"),
    [
        ({"never": ["cough", "fever"]}, lambda columns: all(not {"cough", "fever"} & c for c in columns)),
        ({"require": ["ward"]}, lambda columns: all("ward" in c for c in columns)),
        ({"max_clauses": 1}, lambda columns: len(columns) == 1),
        ({"max_literals": 1}, lambda columns: all(len(c) == 1 for c in columns)),
    ],
    ids=["never", "require", "clauses", "literals"],
)
def test_wishes_are_kept(caller, wish, holds):
    work = ask(caller, **wish).json()
    lines = work["lines"][:-1]
    assert lines
    assert holds([{literal["column"] for literal in line["literals"]} for line in lines])


def test_a_least_precision_and_no_negations_are_kept(caller):
    work = ask(caller, min_precision=0.95, negations=False).json()
    for line in work["lines"][:-1]:
        assert line["share"] >= 0.95
        assert all(literal["op"] != "!=" for literal in line["literals"])


def test_a_steady_rule_can_be_asked_for(caller):
    assert read_question({"target": "flu", "stable": True}, {}).settings.stable
    assert read_question({"target": "flu", "never": ["age"]}, {}).settings.never == ["age"]
    answer = ask(caller, stable="very")
    assert answer.status_code == 400
    assert "stable" in answer.json()["error"]


def test_dropping_a_condition_changes_the_numbers(caller):
    ask(caller)
    work = edit(caller, [("cough", "=", "yes"), ("fever", "=", "yes")], [("age", ">", "50")]).json()
    assert work["edited"]
    assert texts(work) == [["cough = yes", "fever = yes"], ["age > 50"]]
    assert score(work, "coverage") > 28 / 60
    assert score(work, "precision") < 1


def test_a_clause_that_counts_is_counted_and_told_with_what_it_needs(caller):
    ask(caller)
    members = [("cough", "=", "yes"), ("fever", "=", "yes"), ("age", ">", "50")]
    covered = [edit(caller, members, at_least=k).json()["filters"]["covered"] for k in (1, 2, 3)]
    assert covered == sorted(covered, reverse=True)
    assert len(set(covered)) == 3
    (clause, _) = edit(caller, members, at_least=2).json()["lines"]
    assert (clause["at_least"], clause["counts"], len(clause["literals"])) == (2, True, 3)
    rows = caller.get("/api/rows", params={"filter": "covered"}).json()["rows"]
    told = caller.get("/api/explain", params={"row": rows[0]["row"]}).json()
    held = sum(one["state"] == "holds" for one in told["fired"][0]["literals"])
    assert told["fired"][0]["tally"] == f"{held} of 3 hold, 2 are needed"
    (clause, _) = edit(caller, members).json()["lines"]
    assert (clause["at_least"], clause["counts"]) == (3, False)
    for wrong in (0, 4, True, "2"):
        assert edit(caller, members, at_least=wrong).status_code == 400


def test_the_same_rule_sent_back_is_not_called_edited(caller):
    found = ask(caller).json()
    back = caller.post("/api/edit", json={"branches": branches(found)}).json()
    assert back == found


def test_a_rule_without_clauses_says_the_other_class_everywhere(caller):
    ask(caller)
    work = edit(caller).json()
    assert work["filters"]["covered"] == 0
    assert score(work, "precision") is None
    assert score(work, "accuracy") == 0.5


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (("height", ">", 3), "no column 'height'"),
        (("flu", "=", "yes"), "no column 'flu'"),
        (("age", "~", 3), "no comparison '~'"),
        (("age", ">", "old"), "'old' is no number"),
        (("age", ">", ""), "needs a value"),
        (("age", ">", None), "needs a value"),
        (("ward", ">", "north"), "has no order"),
        (("age", ">", float("1e999")), "finite"),
    ],
)
def test_an_impossible_condition_is_refused_and_the_rule_stays(caller, condition, message):
    before = ask(caller).json()
    literal = dict(zip(("column", "op", "value"), condition, strict=True))
    sent = {"branches": [{"literals": [literal], "label": "yes"}]}
    answered = caller.post("/api/edit", content=json.dumps(sent))
    assert answered.status_code == 400
    assert message in answered.json()["error"]
    assert caller.get("/api/rows", params={"filter": "covered"}).json()["total"] == 28
    assert before["filters"]["covered"] == 28


@pytest.mark.parametrize(
    "data",
    [
        "[]",
        "nonsense",
        "{}",
        '{"branches": 3}',
        '{"branches": [3]}',
        '{"branches": [{"literals": []}]}',
        '{"branches": [{"literals": [], "label": "maybe"}]}',
    ],
)
def test_nonsense_instead_of_a_rule_is_refused(caller, data):
    ask(caller)
    assert caller.post("/api/edit", content=data).status_code == 400


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"target": 3},
        {"target": "flue"},
        {"target": "flu", "max_clauses": "many"},
        {"target": "flu", "max_clauses": True},
        {"target": "flu", "counts": "often"},
        {"target": "flu", "never": "age"},
        {"target": "flu", "never": [3]},
        {"target": "flu", "positive": ["yes"]},
        {"target": "flu", "positive": "maybe"},
        {"target": "flu", "min_precision": 2},
        {"target": "flu", "require": ["age"], "never": ["age"]},
    ],
)
def test_a_question_that_makes_no_sense_is_refused_in_one_line(caller, question):
    answered = caller.post("/api/induce", json=question)
    assert answered.status_code == 400
    assert "\n" not in answered.json()["error"]


def test_a_comparison_can_be_explained(caller):
    work = ask(caller, target="age > 61").json()
    assert work["target"] == "age > 61"
    assert work["lines"][0]["label"]["label"] is True
    assert "age" not in caller.get("/api/rows").json()["columns"]


def test_several_classes_have_branches_in_the_order_of_deciding(caller):
    work = ask(caller, target="ward").json()
    assert set(predictions(work)) <= {"north", "south", "west"}
    assert "recall" not in work["scores"]


def test_branches_of_several_classes_come_in_their_order_and_can_be_moved(client):
    """Which class wins where several apply was a sentence below the rule; the order says it."""
    rows = "".join(f"{i % 9},{'low' if i % 9 < 3 else 'mid' if i % 9 < 6 else 'high'}\n" for i in range(90))
    drop(client, f"x,y\n{rows}".encode())
    work = ask(client, target="y").json()
    assert [line["opening"] for line in work["lines"]] == ["if", "else if", "else"]
    assert sorted(predictions(work)) == ["high", "low", "mid"]
    assert not work["is_dnf"]
    sent = [
        {"literals": [{"column": "x", "op": ">", "value": value}], "at_least": None, "label": label}
        for value, label in [(2, "mid"), (5, "high")]
    ]
    first = client.post("/api/edit", json={"branches": sent}).json()
    assert [line["rows"] for line in first["lines"]] == [60, 0, 30]
    second = client.post("/api/edit", json={"branches": sent[::-1]}).json()
    assert [line["rows"] for line in second["lines"]] == [30, 30, 30]
    assert ask(client, target="y", positive="low").json()["is_dnf"]


def test_one_of_several_classes_can_be_set_against_the_rest(caller):
    work = ask(caller, target="ward", positive="south").json()
    assert set(predictions(work)[:-1]) <= {"south"}
    assert predictions(work)[-1] == "other"


def test_where_no_rule_pays_there_is_an_empty_one_to_fill_in(client):
    table = pd.DataFrame({"a": ["u", "v", "u", "v"] * 8, "y": ["no", "no", "yes", "yes"] * 8})
    drop(client, table.to_csv(index=False).encode())
    work = ask(client, target="y", positive="yes").json()
    assert predictions(work) == ["no"]
    assert work["is_dnf"]
    work = edit(client, [("a", "=", "u")]).json()
    assert predictions(work) == ["yes", "no"]
    assert work["filters"]["covered"] == int((table["a"] == "u").sum())


def test_columns_left_out_are_named_with_the_reason(client):
    table = "".join(f"{i},same,{'yes' if i % 3 else 'no'},{i % 3}\n" for i in range(30))
    drop(client, f"id,here,flu,x\n{table}".encode())
    left_out = ask(client).json()["left_out"]
    assert {(one["column"], one["reason"]) for one in left_out} == {
        ("id", "looks like an identifier"),
        ("here", "has one value only"),
    }


def test_conditions_of_every_kind_can_be_written_by_hand(client):
    rows = "".join(f"2024-0{1 + i % 6}-10,{i % 2},{i},{'ab'[i % 2]},{i % 3 > 0}\n" for i in range(30))
    drop(client, f"day,yes,size,flu,odd\n{rows}".encode())
    ask(client)
    clause = [("day", ">", "2024-03-01"), ("yes", "!=", True), ("size", "<=", "7.5"), ("odd", "=", None)]
    work = edit(client, clause, label="a").json()
    assert texts(work) == [["day > 2024-03-01", "odd", "size \N{LESS-THAN OR EQUAL TO} 7.5", "not yes"]]


def test_names_are_as_the_table_writes_them(client):
    """Chips said ``"cost €" > 210``, with escapes if the name had quotes, beside a table of plain names."""
    rows = "".join(f"{i % 7},{'yes' if i % 7 > 3 else 'no'}\n" for i in range(40))
    drop(client, f'"say ""cost €""",y\n{rows}'.encode())
    work = ask(client, target="y", positive="yes").json()
    (literal,) = work["lines"][0]["literals"]
    assert literal["name"] == 'say "cost €"'
    assert literal["text"].startswith('say "cost €" >')
    (checked,) = client.get("/api/explain?row=4").json()["fired"][0]["literals"]
    assert checked["text"] == literal["text"]


def test_rows_show_the_rule_s_columns_first_and_page_by_page(caller):
    ask(caller)
    first = caller.get("/api/rows").json()
    second = caller.get("/api/rows", params={"offset": 50}).json()
    assert first["columns"][: first["read"]] == ["cough", "fever", "age", "body_aches", "chills"]
    assert [row["number"] for row in first["rows"] + second["rows"]] == list(range(1, 61))
    assert first["rows"][5]["cells"][2] is None, "a missing cell is not the text NaN"


def test_filters_part_the_rows(caller):
    work = ask(caller, max_clauses=1).json()
    shown = {
        name: caller.get("/api/rows", params={"filter": name}).json()["total"] for name in work["filters"]
    }
    assert shown == work["filters"]
    assert shown["right"] + shown["wrong"] == shown["all"] == 60
    assert shown["false_alarm"] + shown["missed"] == shown["wrong"]
    assert shown["branch:0"] == shown["covered"] == work["lines"][0]["rows"]
    assert shown["branch:0"] + shown["branch:1"] == 60


@pytest.mark.parametrize(
    "path",
    [
        "/api/rows?filter=branch:7",
        "/api/rows?offset=x",
        "/api/explain?row=60",
        "/api/explain?row=-1",
        "/api/explain",
    ],
)
def test_rows_that_are_not_there_are_refused(caller, path):
    ask(caller)
    assert caller.get(path).status_code == 400


def test_a_row_is_explained_by_the_clause_that_holds(caller):
    ask(caller)
    told = caller.get("/api/explain", params={"row": 0}).json()
    assert (told["number"], told["predicted"][:3], told["right"]) == (1, "yes", True)
    assert [one["state"] for one in told["fired"][0]["literals"]] == ["holds", "holds"]
    assert told["nearest"] == []


def test_a_row_without_a_clause_is_explained_by_what_the_nearest_one_lacks(caller):
    ask(caller)
    told = caller.get("/api/explain", params={"row": 1}).json()
    assert told["predicted"].startswith("no (probability 0.9")
    (nearest,) = told["nearest"]
    assert {one["text"]: (one["state"], one["cell"]) for one in nearest["literals"]} == {
        "cough = yes": ("holds", "yes"),
        "fever = yes": ("fails", "no"),
    }


def test_a_missing_cell_is_unknown_and_not_false(caller):
    ask(caller)
    edit(caller, [("chills", "=", "yes")])
    told = caller.get("/api/explain", params={"row": 6}).json()
    assert told["nearest"][0]["literals"] == [{"text": "chills = yes", "state": "unknown", "cell": None}]


def test_rows_without_a_target_keep_their_number_out(client):
    drop(client, b"a,flu\nu,yes\nv,\nu,yes\nv,no\nu,yes\nv,no\n")
    ask(client)
    numbers = [row["number"] for row in client.get("/api/rows").json()["rows"]]
    assert numbers == [1, 3, 4, 5, 6]


def test_the_estimate_on_new_rows_comes_fold_by_fold(caller):
    ask(caller)
    lines = [json.loads(line) for line in caller.post("/api/validate").text.splitlines()]
    assert lines[:5] == [{"done": k, "of": 5} for k in range(1, 6)]
    assert lines[5]["measure"] == "accuracy"
    assert 0.8 < lines[5]["value"] <= 1
    assert lines[5]["error"] > 0


def test_calls_before_there_is_a_table_or_a_rule_say_what_to_do(client):
    assert client.get("/api/rows").status_code == 410
    drop(client)
    answered = client.get("/api/rows")
    assert answered.status_code == 410
    assert "choose a target first" in answered.json()["error"]


def test_the_server_s_model_finds_the_rule(sessions, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "nri.serve.app.answer", lambda _, question: asked.append(question.settings.model) or 1 / 0
    )
    with pages.caller(create_app(PORT, KEY, sessions, model="paper")) as client:
        drop(client)
        ask(client, model="greedy")
    assert asked == ["paper"]


def test_a_failure_of_ours_is_told_without_its_inside(caller, monkeypatch):
    def broken(*_):
        raise KeyError("patient 17 has flu")

    monkeypatch.setattr("nri.serve.app.answer", broken)
    answered = ask(caller)
    assert answered.status_code == 500
    assert "patient" not in answered.text
    assert "something failed that should not have (KeyError)" in answered.json()["error"]


def long_table(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.choice(["u", "v"], n), "b": rng.choice(["u", "v", "w"], n)})
    sick = (table["a"] == "u") & (table["b"] == "w")
    return table.assign(y=np.where(sick ^ (rng.random(n) < 0.1), "yes", "no"))


def test_a_long_table_says_in_how_many_rows_clauses_were_sought_and_is_counted_in_full():
    n = Classes.searched_rows + 3000
    table = long_table(n).assign(noise=np.random.default_rng(1).random(n))  # without it few rows differ
    upload = read_upload("t.csv", table.to_csv(index=False).encode())
    work = answer(upload, read_question({"target": "y", "positive": "yes"}, {}))
    assert [str(clause) for clause in work.rule.clauses] == ["a = u AND b = w"]
    assert work.rule.support.rows == n
    assert not work.edited
    told = view_work(work)
    assert told["rows"] == n
    assert 0 < told["searched"] <= 1.1 * Classes.searched_rows
    assert told["tried"] == len(work.tried) < n
    assert score(told, "accuracy") == pytest.approx(0.9, abs=0.02)


def test_a_least_precision_holds_on_all_rows_of_a_long_table():
    upload = read_upload("t.csv", long_table(Classes.searched_rows + 3000).to_csv(index=False).encode())
    for least in (0.88, 0.9, 0.92):
        work = answer(upload, read_question({"target": "y", "positive": "yes", "min_precision": least}, {}))
        for branch in work.rule.branches:
            assert work.rule.labels.share(branch.estimate) >= least


def test_a_sample_keeps_rare_classes():
    table = long_table(5000).assign(y=["rare"] * 60 + ["usual"] * 4940)
    upload = read_upload("t.csv", table.to_csv(index=False).encode())
    labelled = answer(upload, read_question({"target": "y"}, {})).table
    sample = stratified_sample(labelled, 500, np.random.default_rng(0))
    assert np.bincount(sample.codes).tolist() == [50, 494]
    assert stratified_sample(labelled, 5000, np.random.default_rng(0)) is labelled


def test_the_page_can_say_which_rows_belong_together():
    question = read_question({"target": "y", "groups": "who", "time_order": None, "never": ["who"]}, {})
    frame = pd.DataFrame({"who": [*"aabbccdd"], "x": range(8), "y": [0, 0, 1, 1] * 2})
    rows = question.rows_of(table_of(frame))
    assert rows.names == ("x",)
    assert rows.groups.codes.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert question.settings.never == []


@pytest.mark.parametrize("target", ["flu", "age"])
def test_other_rules_are_found_by_the_search_that_found_the_rule(monkeypatch, target):
    """The page once searched a second time before it looked for other rules."""
    upload = read_upload("visits.csv", pages.VISITS)
    work = answer(upload, read_question({"target": target}, upload.table.plans, "seeded"))
    afresh = alternatives(work.table, work.question.settings, within=WITHIN)

    def again(*given):
        raise AssertionError("searched again")

    monkeypatch.setattr("nri.induce.alternatives.searched", again)
    assert [one.rule for one in find_alternatives(work).all_rules] == [one.rule for one in afresh.all_rules]
    assert find_alternatives(work) is find_alternatives(replace(work))
