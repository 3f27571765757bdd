"""The commands with a number, or a time until an event, as target."""

import json

import numpy as np
import pandas as pd
import pytest

from nri import induce_rule, read_table


@pytest.fixture
def flats(tmp_path):
    rng = np.random.default_rng(0)
    rooms = rng.integers(1, 6, 90)
    frame = pd.DataFrame({"rooms": rooms, "floor": rng.integers(0, 9, 90)})
    frame["rent"] = [
        f"CHF {900 + 400 * (r > 3) + e:.0f}" for r, e in zip(rooms, rng.normal(0, 30, 90), strict=True)
    ]
    path = tmp_path / "flats.csv"
    frame.to_csv(path, index=False)
    return path


def test_a_number_as_target_gives_segments_with_their_unit(flats, nri, tmp_path):
    done = nri("induce", flats, "--target", "rent", "--cv", "--out", tmp_path / "rule.json")
    assert "IF      (rooms" in done.out
    assert "CHF13" in done.out.replace(" ", "")
    assert "cross-validated R² 0.9" in done.out
    said = nri("predict", tmp_path / "rule.json", flats)
    assert said.out.splitlines()[0] == "rooms,floor,rent,predicted_rent"
    assert "R² 0.9" in said.err
    assert "off by CHF" in said.err
    why = nri("explain", tmp_path / "rule.json", flats, "--row", "1")
    assert "rent = CHF" in why.out
    sql = nri("export", tmp_path / "rule.json", "--format", "sql")
    assert "WHEN" in sql.out


def test_a_comparison_and_few_values_stay_classes(flats, nri):
    assert "THEN" in nri("induce", flats, "--target", "rent > 1100", "-q").out
    assert "rooms = 4 " in nri("induce", flats, "--target", "rooms", "-q", "--max-clauses", "1").out


def test_the_validation_of_a_number_is_kept_with_its_rule(flats, nri, tmp_path):
    """``--cv --out`` lost it: only classes had one."""
    nri("induce", flats, "--target", "rent", "--cv", "--out", tmp_path / "rule.json", "-q")
    validation = json.loads((tmp_path / "rule.json").read_text())["validation"]
    assert validation["r2"]["value"] > 0.9
    assert validation["mean_absolute_error"] < validation["mean_absolute_error_of_median"]


def test_rules_for_a_number_are_compared(flats, nri, tmp_path):
    """They were refused."""
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    nri("induce", flats, "--target", "rent", "--out", old, "-q")
    nri("induce", flats, "--target", "rent", "--columns", "floor", "--max-clauses", 1, "--out", new, "-q")
    assert nri("compare", old, old).out.startswith("both rules are the same")
    done = nri("compare", old, new, flats)
    assert done.code == 0
    assert "they differ on " in done.out
    assert "CHF" in done.out


def test_stability_takes_a_number(flats, nri):
    """It was refused."""
    done = nri("stability", flats, "--target", "rent", "--samples", 2)
    assert done.code == 0
    assert "correlate with the rule's" in done.out


def test_the_time_until_an_event_goes_the_same_way(nri, tmp_path):
    rng = np.random.default_rng(0)
    age = rng.integers(20, 90, 120)
    frame = pd.DataFrame({"age": age, "days": (rng.exponential(np.where(age > 60, 20, 200)) + 1).round()})
    frame["dead"] = (rng.random(120) < 0.8).astype(int)
    frame.to_csv(tmp_path / "t.csv", index=False)
    rule, asked = tmp_path / "rule.json", ("--time", "days", "--event", "dead")
    done = nri("induce", tmp_path / "t.csv", *asked, "--cv", "--out", rule)
    assert "cross-validated concordance 0." in done.out
    assert json.loads(rule.read_text())["validation"]["concordance"]["value"] > 0.5
    assert nri("predict", rule, tmp_path / "t.csv", "--only").out.startswith("risk_dead")
    assert "risk " in nri("explain", rule, tmp_path / "t.csv", "--row", 1).out
    assert "CASE" in nri("export", rule, "--format", "sql").out
    assert nri("compare", rule, rule).out.startswith("both rules are the same")
    assert nri("stability", tmp_path / "t.csv", *asked, "--samples", 2).code == 0
    assert "time and event go together; add --event" in nri("induce", rule, "--time", "days").err


def test_a_report_is_written(flats, nri, tmp_path):
    nri("induce", flats, "--target", "rent", "--html", tmp_path / "r.html", "-q")
    assert "Rule for rent" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_number_is_not_taken_for_classes_by_mistake(flats):
    assert induce_rule(read_table(flats, "rent")).rule.predicts.kind == "number"
