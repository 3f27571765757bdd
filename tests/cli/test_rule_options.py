"""What a person knows, what errors cost and whom a rule concerns: options and the file of --config."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from nri.induce.floors import Floored, Floors
from nri.outcome.score import diagnostics_of


@pytest.fixture
def patients(tmp_path):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({name: rng.integers(20, 200, 150) for name in ("glucose", "age", "pressure")})
    frame["diabetes"] = np.where((frame.glucose > 140) | (frame.age > 150), "yes", "no")
    frame.to_csv(tmp_path / "patients.csv", index=False)
    return tmp_path / "patients.csv"


def test_cuts_and_conditions_come_from_a_file_and_their_cost_is_shown(nri, patients):
    asked = ["induce", patients, "--target", "diabetes", "--positive", "yes", "--model", "greedy"]
    config = patients.with_name("settings.toml")
    config.write_text(
        '[knowledge]\ncuts = {age = [100, 180]}\nforbid = ["glucose > 120"]\nmonotone = {pressure = "up"}\n'
    )
    done = nri(*asked, "--config", config)
    assert done.code == 0
    assert "what you asked for costs" in done.err
    assert all(int(cut) < 120 for cut in re.findall(r"glucose > (\d+)", done.out))
    assert set(re.findall(r"age (?:>|<=) (\d+)", done.out)) <= {"100", "180"}
    config.write_text("[knowledge.cuts]\npressure = [100]\n")
    free = nri(*asked, "--config", config)
    assert "what you asked for costs nothing here: accuracy 1.000 on these rows, 1.000 without" in free.err


def test_clauses_of_a_rule_file_are_kept(nri, patients, tmp_path):
    asked = ["induce", patients, "--target", "diabetes", "--positive", "yes", "--model", "greedy"]
    first = nri(*asked, "--columns", "age", "--out", tmp_path / "rule.json")
    assert "IF  (age > 150)" in first.out
    around = nri(*asked, "--keep", tmp_path / "rule.json")
    assert "(age > 150)" in around.out
    assert "glucose > 140" in around.out


def test_a_column_that_looks_protected_is_noted_and_groups_are_told_on_request(nri, patients):
    done = nri("induce", patients, "--target", "diabetes", "--model", "greedy", "--protect", "pressure")
    assert "note: the rule uses 'age', which may be protected (" in done.err
    assert "a clause fires on" in done.out
    assert "(the rule does not read it; another column may stand for it)" in done.out
    missing = nri("induce", patients, "--target", "diabetes", "--protect", "presure")
    assert "no column 'presure'; did you mean 'pressure'?" in missing.err


def test_the_mean_cost_stands_beside_the_accuracy(nri, visits):
    done = nri("induce", visits, "-t", "flu", "--cost", "yes=5", "--cv", "--model", "greedy")
    assert re.search(
        r"accuracy 0\.\d\d ± 0\.\d\d, cost 0\.\d\d ± 0\.\d\d a row \(cross-validated\)", done.out
    )
    data = json.loads(nri("induce", visits, "-t", "flu", "--cost", "yes=5", "--cv", "-f", "json", "-q").out)
    assert data["validation"]["mean_cost"]["one_class"] == pytest.approx(31 / 60)


def test_a_floor_is_told_before_its_price():
    """Of --min-specificity the price came first: "the price is ...; the floor ... is met"."""
    truth = np.repeat([1, 0], [10, 20])
    plain, found = (
        diagnostics_of(truth, np.repeat([1, 0, 1, 0], said), 1, "yes")
        for said in ((8, 2, 4, 16), (5, 5, 1, 19))
    )
    assert str(Floored(Floors(0.0, 0.9), 0.5, found, plain)) == (
        "the floor of 0.9 for specificity is met: 0.95 on cross-validated rows; "
        "the price is a sensitivity of 0.50 in place of 0.80"
    )


def test_a_floor_is_told(nri, visits):
    floor = ("--min-sensitivity", "0.95", "--positive", "yes", "--model", "greedy")
    done = nri("induce", visits, "-t", "flu", *floor)
    assert "the floor of 0.95 for sensitivity is met: 1.00 on cross-validated rows" in done.err
    assert "sensitivity" in done.out
    assert "name it (positive=..., or --positive VALUE)" in nri("induce", visits, "-t", "flu", *floor[:2]).err


def test_a_floor_that_is_not_kept_is_told_to_everybody(nri, tmp_path):
    """It left no trace with -q, in the JSON and in the report: a rule of 0.5 went out as one of 0.9."""
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"marker": rng.normal(size=80).round(2), "ill": rng.choice(["no", "yes"], 80)})
    table.to_csv(tmp_path / "t.csv", index=False)
    asked = ("--positive", "yes", "--min-sensitivity", "0.9", "--min-specificity", "0.9", "--model", "greedy")
    page = tmp_path / "t.html"
    done = nri("induce", tmp_path / "t.csv", "-t", "ill", *asked, "-f", "json", "-q", "--html", page)
    assert "is NOT met" in done.err
    floors = json.loads(done.out)["validation"]["floors"]
    assert floors["sensitivity"]["asked"] == 0.9
    assert not (floors["sensitivity"]["met"] and floors["specificity"]["met"])
    assert "Floors not met." in page.read_text()


def test_a_rule_that_keeps_a_floor_is_not_called_a_guess(nri, tmp_path):
    """The report called a rule that is right on 57 % no better than a guess that is right on 21 %."""
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"marker": rng.normal(size=120).round(2)})
    table["ill"] = np.where(table.marker + 2 * rng.normal(size=120) > 1.5, "yes", "no")
    table.to_csv(tmp_path / "t.csv", index=False)
    asked = ("--positive", "yes", "--min-sensitivity", "0.9", "--model", "greedy")
    page = tmp_path / "t.html"
    done = nri("induce", tmp_path / "t.csv", "-t", "ill", *asked, "--html", page)
    assert "the floor of 0.9 for sensitivity" in done.err
    assert "No better than" not in page.read_text()
    assert "The floor of 0.9 for sensitivity" in page.read_text()


def test_cross_validation_and_report_tell_the_same(nri, tmp_path):
    """By --cv a class had a sensitivity of 0.41, in the report of the same command line one of 0.38."""
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.normal(size=(60, 3)).round(2), columns=list("abc"))
    table["ill"] = np.where(table.a - table.b + rng.normal(size=60) > 0, "yes", "no")
    table.to_csv(tmp_path / "t.csv", index=False)
    asked = ("induce", tmp_path / "t.csv", "-t", "ill", "--positive", "yes", "--model", "greedy")
    page = tmp_path / "t.html"
    nri(*asked, "--html", page)
    validation = json.loads(nri(*asked, "--cv", "-f", "json").out)["validation"]
    for name in ("sensitivity", "specificity"):
        assert f"{validation['classes'][0][name]['value']:.2f}" in _measure_of(page, name)


def _measure_of(page, name):
    """Return the report's cell about a measure."""
    return re.search(rf'data-title="{name}">(.*?)</td>', page.read_text(), re.DOTALL)[1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_clause = 2", "unknown key 'max_clause'; did you mean 'max_clauses'"),
        ("[knowledge]\ncut = 3", "knowledge: unknown key 'cut'; did you mean 'cuts'"),
        ("[", "is not valid TOML"),
        ("counts = 'often'", "counts is 'often', which is none of auto, never, only"),
        ("binarize = 'deep'", "binarize is 'deep', which is none of auto, paper"),
        ("knowledge = 3", "write a table, [knowledge]"),
        ("[knowledge]\nkeep = 'no.json'", "no rule file"),
        ("[knowledge.cuts]\nage = ['x']", "the cuts of 'age' list 'x'"),
        ("costs = {maybe = 5}", "the target has no class 'maybe'"),
    ],
)
def test_a_mistake_in_the_settings_file_is_one_line(nri, visits, text, message):
    config = visits.with_name("settings.toml")
    config.write_text(text)
    done = nri("induce", visits, "-t", "flu", "--config", config, "-q")
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_a_settings_file_that_is_not_there_is_named(nri, visits):
    done = nri("induce", visits, "-t", "flu", "--config", visits.with_name("none.toml"), "-q")
    assert done.code == 2
    assert "no settings file" in done.err
    visits.with_name("settings.toml").write_text("")
    done = nri("induce", visits, "-t", "flu", "--config", visits.with_name("setings.toml"), "-q")
    assert done.err.endswith("setings.toml; did you mean 'settings.toml'?\n")


def test_the_command_line_wins_over_the_settings_file(nri, visits):
    config = visits.with_name("settings.toml")
    config.write_text('model = "greedy"\nmax_clauses = 1\nuse = ["age", "chills"]\n')
    by_file = nri("induce", visits, "-t", "flu", "--config", config).out
    assert "age" in by_file
    assert "fever" not in by_file
    assert " OR " not in by_file
    both = nri("induce", visits, "-t", "flu", "--config", config, "--columns", "fever,cough")
    assert both.out.startswith("IF  (cough AND fever)")
    config.write_text('model = "greedy"\nmax_clauses = 1\n')
    assert " OR " in nri("induce", visits, "-t", "flu", "--config", config, "--max-clauses", 3).out


def test_of_ordered_classes_it_is_told_how_far_off_the_rule_is(nri, tmp_path):
    rng = np.random.default_rng(0)
    dose = rng.normal(size=200).round(2)
    stage = np.array(["mild", "bad", "dire"])[np.digitize(dose + rng.normal(size=200), [-0.5, 0.8])]
    pd.DataFrame({"dose": dose, "stage": stage}).to_csv(tmp_path / "stages.csv", index=False)
    asked = ["induce", tmp_path / "stages.csv", "--target", "stage", "--model", "greedy", "--ordered"]
    done = nri(*asked, "mild, bad,dire", "--cv")
    assert re.search(r"accuracy 0\.\d\d ± 0\.\d\d, distance 0\.\d\d ± 0\.\d\d a row", done.out)
    data = json.loads(nri(*asked, "mild,bad,dire", "--cv", "-f", "json").out)
    assert 0 < data["validation"]["mean_distance"]["value"] < 1
    assert "no class 'huge'" in nri(*asked, "mild,huge").err
    assert "ordered must name 'bad' once" in nri(*asked, "mild,dire").err
    assert (
        "the target has no classes"
        in nri("induce", tmp_path / "stages.csv", "-t", "dose", "--ordered", "a,b").err
    )
