"""A number as target on the page."""

import json

import pytest
from pages import ask, drop


@pytest.fixture
def flats():
    lines = ["rooms,lift,rent"]
    lines += [f"{1 + i % 5},{'yes' if i % 2 else 'no'},{400 + 300 * (i % 5 > 2) + i % 17}" for i in range(80)]
    return "\n".join(lines).encode()


def test_segments_come_back_with_their_values(client, flats):
    drop(client, flats, "flats.csv")
    answer = ask(client, target="rent").json()
    assert [part["covers"] for part in answer["segments"]] == ["32 of 80", "48 of 80"]
    assert answer["segments"][0]["literals"][0]["text"] == "rooms > 3"
    assert answer["explained"] > 0.99


@pytest.mark.parametrize("kind", ["json", "sql", "python", "report", "csv"])
def test_a_rule_for_a_number_is_taken_along(client, flats, kind):
    drop(client, flats, "flats.csv")
    ask(client, target="rent")
    made = client.get(f"/api/download/{kind}")
    assert made.status_code == 200
    if kind == "json":
        assert json.loads(made.text)["target"] == "rent"
    assert "rent" in made.headers["content-disposition"]


def test_a_comparison_after_it_is_about_classes_again(client, flats):
    drop(client, flats, "flats.csv")
    ask(client, target="rent")
    assert "segments" not in ask(client, target="rent > 500").json()
    assert "CASE" in client.get("/api/download/sql").text
    assert client.get("/api/rows").status_code == 200
