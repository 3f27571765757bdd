"""The everyday tasks as commands."""

import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def judged(tmp_path):
    """A model that errs where ward is c and bmi is high."""
    rng = np.random.default_rng(0)
    n = 500
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 90, n),
            "ward": rng.choice(list("abcd"), n),
            "bmi": rng.normal(25, 4, n).round(1),
        }
    )
    flu = (table.age > 55) ^ ((table.ward == "c") & (table.bmi > 26))
    table["score"] = (1 / (1 + np.exp(-(table.age - 55.5) / 8))).round(3)
    table["said"] = np.where(table.age > 55, "yes", "no")
    table["flu"] = np.where(flu, "yes", "no")
    path = tmp_path / "judged.csv"
    table.to_csv(path, index=False)
    return path


def test_slices_tells_where_a_model_fails(nri, judged):
    done = nri("slices", judged, "--labels", "flu", "--predictions", "said", "--without", "score")
    assert done.code == 0
    heading, first, *_ = done.out.splitlines()
    assert heading.split()[:3] == ["slice", "rows", "errors"]
    assert "ward = c" in first
    assert "bmi > 26" in first
    assert "held out for testing" in done.err


def test_slices_are_told_as_json_too(nri, judged):
    done = nri("slices", judged, "-l", "flu", "-p", "said", "--json", "-q", "--columns", "ward,bmi")
    found = json.loads(done.out)
    assert {x["column"] for x in found["slices"][0]["clause"]["literals"]} == {"ward", "bmi"}
    assert found["slices"][0]["p_value"] < 0.05


def test_scores_and_labels_may_be_comparisons(nri, judged):
    done = nri("slices", judged, "-l", "flu = yes", "-p", "score > 0.5", "--without", "said")
    assert done.code == 0
    assert "ward = c" in done.out


def test_a_model_without_slices_is_told_so(nri, tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "t.csv"
    pd.DataFrame(
        {"x": rng.normal(size=200), "y": rng.choice(["a", "b"], 200), "p": rng.choice(["a", "b"], 200)}
    ).to_csv(path, index=False)
    done = nri("slices", path, "-l", "y", "-p", "p")
    assert done.out.startswith("no slice")
    assert " more " not in done.err, "there are none that they could be more than"


def test_scores_beside_classes_are_refused_with_both_remedies(nri, judged):
    """Nearly every row once was an error: 0.98 of them, and no slice."""
    table = pd.read_csv(judged)
    table.assign(ill=(table.flu == "yes").astype(int)).to_csv(judged, index=False)
    done = nri("slices", judged, "-l", "ill", "-p", "score")
    assert done.code == 2
    assert "score is a number with" in done.err
    assert 'labels have 2; compare it, e.g. --predictions "score > 0.5"' in done.err
    assert "(--tolerance)" in done.err
    for remedy in (["-p", "score > 0.5"], ["-p", "score", "--tolerance", 0.5]):
        assert "ward = c" in nri("slices", judged, "-l", "ill", *remedy, "--without", "said,flu,ill").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["slices", "-l", "flue", "-p", "said"], "--labels: no column 'flue'; did you mean 'flu'"),
        (["slices", "-l", "flu", "-p", "sad"], "--predictions: no column 'sad'; did you mean 'said'"),
        (["slices", "-l", "flu", "-p", "score > high"], "--predictions 'score > high': 'high' is no number"),
        (["slices", "-l", "flu", "-p", "score > 0.5"], "share no value"),
        (["surrogate", "-p", "score", "--threshold", "7"], "one class only"),
        (["surrogate", "-p", "nope"], "--predictions: no column 'nope'"),
        (["stability"], "Add --target COLUMN"),
    ],
)
def test_mistakes_are_one_line(nri, judged, arguments, message):
    done = nri(arguments[0], judged, *arguments[1:])
    assert done.code == 2
    *remarks, error = done.err.splitlines()
    assert message in error
    assert len(remarks) <= 1


def test_surrogate_mimics_a_column_of_predictions(nri, judged):
    done = nri("surrogate", judged, "-p", "said", "--without", "score,flu")
    assert done.out.startswith("IF  (age > 55) ")
    assert "fidelity 1.00 ± 0.00 (cross-validated" in done.out


def test_surrogate_mimics_scores_as_numbers(nri, judged):
    """Scores without a threshold were refused."""
    done = nri("surrogate", judged, "-p", "score", "--columns", "age")
    assert done.code == 0
    assert "ELSE IF (age" in done.out
    assert "rule: fidelity R² 0.9" in done.out


def test_surrogate_mimics_scores_by_a_threshold_and_keeps_the_rule(nri, judged):
    out = judged.with_name("rule.json")
    asked = ["surrogate", judged, "-p", "score", "--threshold", 0.5, "--without", "said,flu"]
    done = nri(*asked, "--model", "greedy", "--out", out)
    assert done.code == 0
    assert json.loads(out.read_text())["predicts"]["name"] == "score > 0.5"
    assert "IF" in nri("export", out).out
    assert nri(*asked, "-f", "sql", "-q").out.splitlines()[1].startswith("CASE")


def test_compare_tells_what_changed_and_on_which_rows(nri, visits, rule):
    other, rows = rule.with_name("other.json"), rule.with_name("rows.csv")
    config = rule.with_name("settings.toml")
    config.write_text('counts = "never"\n')
    shorter = ("--max-clauses", 1, "--config", config)
    assert nri("induce", visits, "-t", "flu", *shorter, "--out", other, "-q").code == 0
    done = nri("compare", rule, other, visits, "--out", rows)
    assert done.code == 0
    assert "flu = yes: the new rule fires on fewer rows" in done.out
    assert "  - age > 57 AND chills" in done.out
    assert "    cough AND fever" in done.out
    written = pd.read_csv(rows)
    assert f"they differ on {len(written)} of 60 rows" in done.out
    assert set(written.old_flu) == {"yes"}
    assert set(written.new_flu) == {"no"}


def test_a_rule_that_counts_is_explained_and_compared(nri, visits, rule):
    data = json.loads(rule.read_text())
    literals = [literal for branch in data["branches"] for literal in branch["literals"]]
    data["branches"] = [data["branches"][0] | {"literals": literals, "at_least": 2}]
    counting = rule.with_name("counting.json")
    counting.write_text(json.dumps(data))
    flu = pd.read_csv(visits)["flu"]
    told = nri("explain", counting, visits, "--row", int((flu == "yes").argmax()) + 1).out
    assert f"of {len(literals)} hold, 2 are needed: " in told
    compared = json.loads(nri("compare", rule, counting, "--json").out)
    (added,) = compared["classes"][0]["added"]
    assert added["at_least"] == 2
    assert added["text"].startswith("AT LEAST 2 OF (")
    assert compared["classes"][0]["relation"] == "more rows"


def test_compare_of_a_rule_with_itself_finds_nothing(nri, rule):
    done = nri("compare", rule, rule)
    assert done.out.startswith("both rules are the same")
    assert "nothing written" in nri("compare", rule, rule, "--out", rule.with_name("x.csv")).err
    told = json.loads(nri("compare", rule, rule, "--json").out)
    assert told["classes"][0]["relation"] == "the same rows"


def test_compare_of_rules_about_opposite_classes_tells_what_they_say(nri, visits, rule):
    other = rule.with_name("other.json")
    assert nri("induce", visits, "-t", "flu", "--positive", "no", "--out", other, "-q").code == 0
    done = nri("compare", rule, other, visits)
    assert "flu = yes: the new rule predicts it on " in done.out
    assert "fires" not in done.out
    assert done.out.count("they differ, for example, where") <= 1


def test_stability_tells_how_often_each_clause_comes_back(nri, visits):
    done = nri("stability", visits, "-t", "flu", "--samples", 4)
    assert done.code == 0
    assert "clause of the rule" in done.out
    line = next(line for line in done.out.splitlines() if line.startswith("cough AND fever"))
    words, conditions, rows = (int(share.removesuffix("%")) for share in line.split()[-3:])
    assert 50 <= words <= conditions <= 100  # the plain half of the rule, which most samples give again
    assert rows >= conditions
    assert "rules of 4 bootstrap samples of 60 rows agree with the rule on " in done.out
    assert "rules of samples have " in done.err
    one = nri("stability", visits, "-t", "flu", "--samples", 2, "--max-clauses", 1, "--model", "greedy")
    assert "rules of samples have 1 clause\n" in one.err
    told = json.loads(nri("stability", visits, "-t", "flu", "--samples", 2, "--json", "-q").out)
    assert told["samples"] == 2
    assert told["rule"]["predicts"]["name"] == "flu"


def test_stability_of_a_comparison_with_weights(nri, visits):
    visits.write_text(
        "\n".join(
            [
                line + (",n" if i == 0 else f",{1 + i % 2}")
                for i, line in enumerate(visits.read_text().splitlines())
            ]
        )
    )
    done = nri("stability", visits, "-t", "age > 57", "--weights", "n", "--samples", 2)
    assert done.code == 0
    assert "rows (weighted)" in done.out


def test_codes_for_nothing_in_a_settings_file_count_for_every_command(nri, visits):
    """Stability and surrogate read the cells as if the file said nothing of them."""
    config = visits.with_name("settings.toml")
    config.write_text('missing = ["b"]\n\n[labels.cough]\n0 = "silent"\n1 = "coughs"\n')
    for asked in (
        ("stability", visits, "-t", "flu", "--samples", 2, "--model", "greedy"),
        ("surrogate", visits, "-p", "flu", "--model", "greedy"),
        ("alternatives", visits, "-t", "flu", "--model", "greedy"),
    ):
        done = nri(*asked, "--config", config)
        assert done.code == 0
        assert "cough = coughs" in done.out or "cough = silent" in done.out


def test_rows_that_belong_together_are_named_and_kept_together(nri, tmp_path):
    """Eight visits of each patient were judged by rules that knew the patient."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(12), 5)
    frame = pd.DataFrame((rng.normal(size=(12, 3))[who] + 0.1 * rng.normal(size=(60, 3))).round(2))
    frame.columns = list("abc")
    frame = frame.assign(patient=[f"P{i}" for i in who], ill=rng.integers(0, 2, 12)[who])
    path = tmp_path / "visits.csv"
    frame.to_csv(path, index=False)
    options = ("induce", path, "--target", "ill", "--cv", "--model", "greedy")
    assert "--groups patient" in nri(*options).err
    grouped = nri(*options, "--groups", "patient", "--without", "patient", "--format", "json")
    assert "60 rows of 12 groups of 'patient' are kept together" in grouped.err
    rule = json.loads(grouped.out)
    assert "together" in rule["validation"]["method"]
    assert "patient" not in json.dumps(rule["branches"])
