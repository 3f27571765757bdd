"""What errors cost and what a person knows, as the page asks for it."""

import re

import pytest
from pages import ask, branches, drop, edit
from starlette.testclient import TestClient


@pytest.fixture
def caller(client) -> TestClient:
    """A visitor who has dropped the visits."""
    assert drop(client).status_code == 200
    return client


def clauses(work) -> list[list[str]]:
    return [[literal["text"] for literal in clause["literals"]] for clause in work["lines"][:-1]]


def condition(column: str, op: str, value: object) -> dict[str, object]:
    return {"column": column, "op": op, "value": value}


def test_costs_shift_the_rule_and_the_mean_cost_is_told(caller):
    plain = ask(caller, positive="yes").json()
    assert "cost" not in plain["scores"]
    work = ask(caller, positive="yes", costs=[{"label": "yes", "cost": 20}]).json()
    assert work["scores"]["recall"]["value"] >= plain["scores"]["recall"]["value"]
    cost = work["scores"]["cost"]
    missed, alarms = work["filters"]["missed"], work["filters"]["false_alarm"]
    assert cost["value"] == pytest.approx((20 * missed + alarms) / 60)
    assert (cost["about"], cost["always"]) == ("yes", 0.5), "an error on the 30 others"
    edited = edit(caller).json()["scores"]["cost"]
    assert edited["value"] == pytest.approx(20 * 30 / 60), "an edited rule is judged by the same costs"


def test_of_ordered_classes_the_mean_distance_is_told(client):
    doses = [f"{dose},{('mild', 'bad', 'dire')[dose // 20]}" for dose in range(60)]
    assert drop(client, "\n".join(["dose,grade", *doses]).encode(), "grades.csv").status_code == 200
    work = ask(client, target="grade", ordered=["mild", "bad", "dire"], max_clauses=1).json()
    cost = work["scores"]["cost"]
    assert (cost["measure"], cost["about"]) == ("distance", "bad")
    assert cost["always"] == pytest.approx(2 / 3)
    refused = ask(client, target="grade", ordered=["mild", "dire"])
    assert "ordered must name 'bad' once" in refused.text


def test_the_mean_cost_is_cross_validated_too(caller):
    ask(caller, costs=[{"label": "yes", "cost": 5}], max_clauses=1, max_literals=1)
    last = caller.post("/api/validate").text.splitlines()[-1]
    assert re.search(r'"cost": "\d', last)


def test_clauses_to_keep_stay_and_the_rest_is_found_around_them(caller):
    kept = {"literals": [condition("chills", "=", "yes"), condition("ward", "=", "west")], "at_least": None}
    work = ask(caller, keep={"label": "yes", "clauses": [kept]}).json()
    assert ["chills = yes", "ward = west"] in clauses(work)
    assert len(clauses(work)) > 1
    assert "accuracy" in work["price"]
    assert not work["edited"]
    assert ask(caller).json()["price"] is None


def test_a_counting_clause_can_be_kept(caller):
    members = [condition(name, "=", "yes") for name in ("cough", "fever", "chills")]
    work = ask(caller, keep={"label": "yes", "clauses": [{"literals": members, "at_least": 2}]}).json()
    kept = [one for one in work["lines"][:-1] if one["counts"] and one["at_least"] == 2]
    assert len(kept) == 1


def test_conditions_cuts_and_directions_are_obeyed(caller):
    work = ask(
        caller,
        positive="yes",
        forbid=[condition("cough", "=", "yes")],
        cuts=[{"column": "age", "at": [45]}],
        monotone=[{"column": "age", "way": "up"}],
    ).json()
    said = [literal for clause in work["lines"] for literal in clause["literals"]]
    assert all(literal["text"] != "cough = yes" for literal in said)
    ages = [literal for literal in said if literal["column"] == "age"]
    assert all((literal["op"], literal["value"]) == (">", 45) for literal in ages)


def test_knowledge_is_still_there_after_the_table_rested_and_in_the_report(caller, sessions):
    work = ask(caller, positive="yes", cuts=[{"column": "age", "at": [45]}]).json()
    (session,) = sessions._sessions.values()
    session.rest()
    assert caller.post("/api/edit", json={"branches": branches(work)}).json() == work


@pytest.mark.parametrize(
    ("wish", "message"),
    [
        ({"costs": [{"label": "yes", "cost": 0}]}, "cost"),
        ({"costs": [{"label": "maybe", "cost": 2}]}, "maybe"),
        ({"costs": [{"label": "yes", "cost": "much"}]}, "'cost' is missing or of the wrong kind"),
        ({"costs": {"yes": 5}}, "'costs' is missing or of the wrong kind"),
        ({"forbid": [condition("height", ">", 3)]}, "no column 'height'"),
        ({"cuts": [{"column": "age", "at": []}]}, "no cut of 'age' is given"),
        ({"cuts": [{"column": "age", "at": ["old"]}]}, "give finite numbers"),
        ({"cuts": [{"column": "ward", "at": [3]}]}, "no more and less"),
        ({"monotone": [{"column": "age", "way": "sideways"}]}, "up or down"),
        ({"monotone": [{"column": "age", "way": "up"}]}, "one class"),
        ({"keep": {"label": "maybe", "clauses": [{"literals": [condition("age", ">", 3)]}]}}, "one of two"),
        ({"keep": {"label": "yes", "clauses": [{"literals": [condition("flu", "=", "yes")]}]}}, "flu"),
        ({"keep": 3}, "no JSON object"),
    ],
)
def test_what_makes_no_sense_is_told_in_one_line(caller, wish, message):
    answer = ask(caller, **wish)
    assert answer.status_code == 400
    assert message in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


def test_a_number_takes_cuts_and_no_directions(client):
    rows = "".join(f"{1 + i % 4},{20 + i},{400.5 + 7 * i}\n" for i in range(60))
    drop(client, f"rooms,area,rent\n{rows}".encode(), "rents.csv")
    told = ask(client, target="rent", cuts=[{"column": "area", "at": [50]}]).json()
    said = [literal for line in told["lines"] for literal in line["literals"]]
    assert {literal["value"] for literal in said if literal["column"] == "area"} <= {50}
    answer = ask(client, target="rent", monotone=[{"column": "area", "way": "up"}])
    assert answer.status_code == 400
    assert "is for a rule about a class" in answer.json()["error"]
