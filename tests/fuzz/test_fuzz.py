"""A short part of the campaign (``make fuzz MINUTES=60`` is the long one): no finding."""

import json

import pytest
from effort import usually
from fuzz_campaign import PARTS, asked_of, campaign, one_round
from fuzz_tally import DifferentError, HungError, Tally, outcome_of

from nri.errors import InputError

EXAMPLES = {
    "fits": usually(30, 100),
    "relations": usually(30, 100),
    "survival": usually(10, 30),
    "systems": usually(15, 30),
    "exports": usually(10, 20),
    "tables": usually(50, 100),
    "large": usually(25, 60),
    "rules": 100,
    "weights": 30,
    "commands": usually(3, 6),
    "server": 20,
}


@pytest.mark.parametrize("name", PARTS)
def test_nothing_breaks_it(name):
    tally = Tally()
    one_round(PARTS[name], 0, tally, EXAMPLES[name])
    assert not tally.findings, f"{tally.line(name)}\n\n" + "\n\n".join(tally.findings[:3])
    assert tally.counts["ok"] or name == "commands"


class TwoLinesError(InputError):
    def __str__(self):
        return "two\nlines"


def test_each_way_to_end_is_told_from_the_others():
    def run(what):
        if what == "hang":
            while True:
                pass
        if what is not None:
            raise what

    endings = {
        None: "ok",
        InputError("one line"): "refused",
        TwoLinesError(): "foreign",
        KeyError("x"): "foreign",
        DifferentError("x"): "different",
        HungError(): "hung",
        "hang": "hung",
    }
    assert [outcome_of(run, case, seconds=0.2)[0] for case in endings] == list(endings.values())


def test_the_campaign_ends_in_one_line_of_counts(tmp_path):
    rows = tmp_path / "rows.jsonl"
    asked = ["--parts", "rules", "--count", "20", "--seed", "1", "--out", str(tmp_path), "--rows", str(rows)]
    total = campaign(asked_of(asked))
    assert total.line("fuzz").startswith("fuzz: tried 20, ok ")
    row = json.loads(rows.read_text())
    assert (row["part"], row["tried"], row["ok"]) == ("rules", 20, total.counts["ok"])


def test_a_round_can_be_drawn_again(tmp_path):
    rows = tmp_path / "rows.jsonl"
    asked = asked_of(["--parts", "rules", "--again", "1", "--out", str(tmp_path), "--rows", str(rows)])
    assert campaign(asked).counts == campaign(asked).counts
    assert [json.loads(row)["again"] for row in rows.read_text().splitlines()] == [[1], [1]]
