import json
import sqlite3

import numpy as np
import pandas as pd
import pytest

RULE = """\
IF  (cough AND fever)         20 of 20 rows, about 0.98 on new ones
 OR (age > 57 AND chills)       9 of 9 rows, about 0.95 on new ones
THEN flu = yes                ELSE no   31 of 31 rows, about 0.98 on new ones
rule: accuracy 1.00 (on these rows)
"""
QUICK = ("--model", "greedy")
"""For reports, which induce dozens of times, where the model does not matter."""


def test_the_rule_is_printed_in_the_words_of_the_table(nri, visits):
    done = nri("induce", visits, "--target", "flu")
    assert done.code == 0
    assert done.out == RULE
    first, note = done.err.splitlines()
    assert first == "60 rows (31 no, 29 yes), 5 columns"
    assert note.startswith("note: the rule uses 'age', which may be protected")


def test_quiet_says_nothing_but_the_rule(nri, visits):
    done = nri("induce", visits, "-t", "flu", "--quiet")
    assert (done.out, done.err) == (RULE, "")


def test_a_rule_of_three_rows_comes_with_a_warning(nri, tmp_path):
    """It was printed with an accuracy of 1.00 and nothing else."""
    path = tmp_path / "three.csv"
    path.write_text("a,b,y\n1,2,yes\n2,3,no\n3,1,yes\n", encoding="utf-8")
    assert "3 rows cannot tell a rule from chance: give 10 or more" in nri("induce", path, "-t", "y").err


def test_cross_validation_is_told_with_its_standard_error(nri, visits):
    done = nri("induce", visits, "-t", "flu", "--cv")
    assert "rule: accuracy 0.9" in done.out
    assert " ± 0.0" in done.out
    assert "(cross-validated)" in done.out


def test_the_rule_is_about_the_class_asked_for(nri, visits):
    assert "THEN flu = no " in nri("induce", visits, "-t", "flu", "--positive", "no").out


def test_one_of_several_classes_is_told_from_the_others(nri, tmp_path):
    path = tmp_path / "cars.csv"
    path.write_text("size,doors,class\n" + "small,2,a\nsmall,4,a\nbig,2,b\nbig,4,c\n" * 8)
    done = nri("induce", path, "-t", "class", "--positive", "b")
    then = done.out.splitlines()[1]
    assert then.startswith("THEN class = b ")
    assert then.endswith("ELSE other   24 of 24 rows, about 0.98 on new ones")
    lines = nri("induce", path, "-t", "class").out.splitlines()
    assert [line.split("  ")[0] for line in lines[:3]] == ["IF", "ELSE IF (doors <= 3)", "ELSE"]
    assert lines[2].endswith("class = c     8 of 8 rows, about 0.91 on new ones")


def test_a_comparison_can_be_the_target(nri, visits):
    done = nri("induce", visits, "--target", "age > 40", "--columns", "chills,fever,flu")
    assert done.code == 0
    assert "true" in done.out


def test_limits_reach_the_rule(nri, visits):
    done = nri(
        "induce", visits, "-t", "flu", "--max-clauses", 1, "--without", "age", "--without", "ward,chills"
    )
    assert done.out.startswith("IF  (cough AND fever) ")
    assert " OR " not in done.out
    config = visits.with_name("settings.toml")
    config.write_text('negations = false\nbinarize = "paper"\n')
    done = nri("induce", visits, "-t", "flu", "--positive", "no", "--config", config)
    assert "NOT" not in done.out
    assert "!=" not in done.out


@pytest.mark.parametrize(
    ("form", "ending"),
    [("json", "json"), ("sql", "sql"), ("python", "py"), ("markdown", "md"), ("latex", "tex"), ("asp", "lp")],
)
def test_a_format_has_a_name_and_an_ending(nri, visits, form, ending):
    """Eight flags (--json, --sql, ...) stood beside --format; there is one way by name and one by ending."""
    by_name = nri("induce", visits, "-t", "flu", *QUICK, "--format", form, "-q")
    assert by_name.code == 0
    assert "fever" in by_name.out
    out = visits.with_name(f"rule.{ending}")
    assert nri("induce", visits, "-t", "flu", *QUICK, "--out", out, "-q").code == 0
    assert out.read_text() == by_name.out


def test_the_sql_that_is_printed_runs(nri, visits):
    case = nri("induce", visits, "-t", "flu", "--format", "sql").out
    header, *lines = visits.read_text().splitlines()
    database = sqlite3.connect(":memory:")
    database.execute(f"CREATE TABLE visits ({header})")
    for line in lines:
        *cells, flu = line.split(",")
        numbers = [int(cell) if cell.isdigit() else cell for cell in cells]
        database.execute("INSERT INTO visits VALUES (?, ?, ?, ?, ?, ?)", [*numbers, flu])
    assert database.execute(f"SELECT count(*) FROM visits WHERE flu <> ({case})").fetchone() == (0,)
    database.close()


def test_the_ending_of_the_output_chooses_the_format_and_the_rule_is_still_shown(nri, visits):
    out = visits.with_name("rule.json")
    done = nri("induce", visits, "-t", "flu", "--out", out)
    assert done.out == RULE
    assert f"wrote {out}" in done.err
    assert json.loads(out.read_text())["predicts"]["name"] == "flu"


def test_the_page_stands_alone_and_escapes_names(nri, tmp_path):
    table, page = tmp_path / "t.csv", tmp_path / "page.html"
    table.write_text("<script>x,ok,y\n" + "1,1,a\n0,0,b\n1,0,a\n0,1,b\n" * 5)
    done = nri("induce", table, "-t", "y", *QUICK, "--html", page)
    text = page.read_text()
    assert done.code == 0
    assert text.startswith("<!doctype html>")
    assert "&lt;script&gt;x" in text
    assert "<script" not in text
    assert "http:" not in text
    assert "https:" not in text
    assert "Not validated for decisions" not in text
    assert f"wrote {page}" in done.err


def test_a_clinical_report_warns(nri, visits):
    page = visits.with_suffix(".html")
    assert nri("induce", visits, "-t", "flu", *QUICK, "--html", page, "--clinical", "-q").code == 0
    assert "Not validated for decisions" in page.read_text()
    assert "visits.csv" in page.read_text()


def test_weights_say_how_many_rows_a_row_stands_for(nri, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("x,y,n\n1,a,10\n0,b,8\n1,b,2\n0,a,1\n1,a,0\n")
    done = nri("induce", table, "-t", "y", "--weights", "n", "--positive", "a")
    assert done.out.startswith("IF  (x) ")
    assert "10 of 12 rows (weighted), about 0.79 on new ones" in done.out
    assert "accuracy 0.86" in done.out
    assert "n looks" not in done.err


def test_weights_that_are_none_are_refused(nri, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("x,y,n\n1,a,-1\n0,b,8\n1,b,\n0,a,1\n")
    done = nri("induce", table, "-t", "y", "--weights", "n")
    assert done.code == 2
    assert "weights 'n': 2 cells" in done.err
    assert "no column 'm'" in nri("induce", table, "-t", "y", "--weights", "m").err
    assert "cannot be target and weights" in nri("induce", table, "-t", "y", "--weights", "y").err


def test_columns_left_out_are_named(nri, visits):
    text = visits.read_text().splitlines()
    visits.write_text(
        "\n".join([text[0] + ",empty,patient_id"] + [f"{t},,{i}" for i, t in enumerate(text[1:])])
    )
    done = nri("induce", visits, "-t", "flu")
    assert "columns left out: empty has no value at all, patient_id looks like an identifier" in done.err
    assert done.out == RULE


def test_the_remedy_for_columns_left_out_names_the_option(nri, tmp_path):
    """It said "name it in columns", which is what Python calls it."""
    path = tmp_path / "orders.csv"
    path.write_text("order_id,x,y\n" + "".join(f"{i},{i % 2},{'ab'[i % 2]}\n" for i in range(40)))
    done = nri("induce", path, "-t", "y", "--model", "greedy")
    assert "order_id looks like an identifier (name it in --columns to use it all the same)" in done.err
    path.write_text("code,y\n" + "".join(f"k{i if i else 1},{'ab'[i % 2]}\n" for i in range(40)))
    done = nri("induce", path, "-t", "y", "--model", "greedy")
    assert done.code == 2
    assert done.err.endswith("; name one in --columns, or give others\n")


def test_a_table_without_a_pattern_is_told_so(nri, tmp_path):
    path = tmp_path / "noise.csv"
    path.write_text("x,y\n" + "1,a\n0,b\n1,b\n0,a\n" * 5)
    done = nri("induce", path, "-t", "y")
    assert done.code == 0
    assert done.out.startswith("ALWAYS     y = a ")
    assert "no rule beats always predicting a on these rows" in done.err


@pytest.fixture
def noise(tmp_path):
    """Ten columns of numbers that say nothing about the target."""
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.normal(size=(120, 10)).round(2)).rename(columns=lambda i: f"f{i}")
    path = tmp_path / "noise.csv"
    table.assign(y=rng.permutation(["yes", "no"] * 60)).to_csv(path, index=False)
    return path


def test_a_rule_of_noise_is_told_from_a_guess_by_cross_validation(nri, noise):
    """It once said "accuracy 0.44 (cross-validated)" of two equally frequent classes, and no more."""
    page = noise.with_suffix(".html")
    done = nri("induce", noise, "-t", "y", "--model", "greedy", "--cv", "--html", page)
    assert done.out.startswith("IF ")
    doubt = "cross-validated, the rule is no better than always predicting no (0.50): use that, or"
    assert sum(doubt in line for line in done.err.splitlines()) == 1
    assert "No better than a constant on new rows." in page.read_text()


def test_a_rule_that_holds_is_not_doubted(nri, visits):
    page = visits.with_suffix(".html")
    assert "no better" not in nri("induce", visits, "-t", "flu", *QUICK, "--cv", "--html", page).err
    assert "No better than" not in page.read_text()


def test_no_rule_reads_the_same_whichever_class_is_asked_for(nri, tmp_path):
    """About the most frequent class it was ``IF (always) ... THEN a ELSE b``, and no note."""
    path, page = tmp_path / "noise.csv", tmp_path / "noise.html"
    path.write_text("x,y\n" + "1,a\n0,b\n1,b\n0,a\n" * 5 + "1,a\n0,a\n")
    for positive in ("a", "b"):
        done = nri("induce", path, "-t", "y", "--positive", positive, "--html", page)
        assert done.out.startswith("ALWAYS     y = a ")
        assert "no rule beats always predicting a on these rows" in done.err
        assert "No rule beats always predicting <b>a</b>" in page.read_text()


def test_one_column_that_predicts_every_row_may_be_the_target_in_other_words(nri, visits):
    table = pd.read_csv(visits)
    table.assign(code=table.flu.map({"yes": "F", "no": "O"})).to_csv(visits, index=False)
    done = nri("induce", visits, "-t", "flu")
    assert "'code' alone predicts every row" in done.err
    assert '--without "code"' in done.err
    assert "alone" not in nri("induce", visits, "-t", "flu", "--without", "code").err


def test_notes_of_the_library_are_single_lines_unless_quiet_is_wanted(nri, visits):
    visits.write_bytes(visits.read_text().replace("ward", "straße").encode("latin-1"))
    done = nri("induce", visits, "-t", "flu")
    assert "note: " in done.err
    assert "is not UTF-8" in done.err
    assert nri("induce", visits, "-t", "flu", "--quiet").err == ""


def test_rows_without_a_target_are_left_out_and_counted(nri, visits):
    visits.write_text(visits.read_text() + "1,1,1,70,a,\n")
    done = nri("induce", visits, "-t", "flu")
    counted = "60 rows (31 no, 29 yes), 5 columns; 1 more without a target"
    assert done.err.splitlines()[0] == counted


@pytest.mark.parametrize(("name", "separator"), [("t.tsv", "\t"), ("t.csv", ";"), ("t", ",")])
def test_tables_come_with_any_separator(nri, visits, name, separator):
    other = visits.with_name(name)
    other.write_text(visits.read_text().replace(",", separator))
    assert nri("induce", other, "-t", "flu", "-q").out == RULE


def test_parquet_gives_the_same_rule(nri, visits):
    other = visits.with_suffix(".parquet")
    pd.read_csv(visits).to_parquet(other)
    assert nri("induce", other, "-t", "flu", "-q").out == RULE


def test_a_weighted_table_says_that_its_counts_are_weights(nri, tmp_path):
    """Counts of a table of 200 rows summed to 472, and the accuracy was that of weights, unmarked."""
    path = tmp_path / "survey.csv"
    rows = [f"{i % 10},{1 + i % 3},{'yes' if i % 10 > 4 else 'no'}" for i in range(60)]
    path.write_text("size,stands_for,answer\n" + "\n".join(rows) + "\n")
    done = nri("induce", path, "--target", "answer", "--weights", "stands_for")
    assert "60 rows (30 no, 30 yes), their weights sum to 120" in done.err
    assert "60 of 60 rows (weighted), about 0.99 on new ones" in done.out
    assert "rule: accuracy 1.00 (weighted, on these rows)" in done.out
    plain = nri("induce", path, "--target", "answer", "--without", "stands_for")
    assert "weighted" not in plain.out + plain.err


def test_cross_validation_counts_what_clinicians_count(nri, visits, tmp_path):
    done = nri("induce", visits, "--target", "flu", "--positive", "yes", "--cv", "--prevalence", "0.05")
    lines = done.out.split("\n\n")[1].splitlines()
    assert lines[0].split() == ["cross-validated,", "flu", "=", "yes", "95", "%", "interval"]
    assert [line.split("  ")[0] for line in lines[1:]] == [
        "sensitivity",
        "specificity",
        "PPV at prevalence 0.05",
        "NPV at prevalence 0.05",
        "balanced accuracy",
    ]
    nri("induce", visits, "--target", "flu", "--cv", "--out", tmp_path / "rule.json", "-q")
    (told,) = json.loads((tmp_path / "rule.json").read_text())["validation"]["classes"]
    assert 0 <= told["sensitivity"]["low"] <= told["sensitivity"]["value"] <= told["sensitivity"]["high"] <= 1
    assert not told["prevalence_assumed"]
    refused = nri("induce", visits, "--target", "flu", "--prevalence", "0.05")
    assert "add --cv or --html" in refused.err
    refused = nri("induce", visits, "--target", "flu", "--cv", "--prevalence", "5")
    assert "a share between 0 and 1, not 5; 5 % is 0.05" in refused.err


@pytest.mark.parametrize(
    ("cost", "told"),
    [
        ("maybe=5", "the target has no class 'maybe'; choose one of 'no', 'yes'"),
        ("yes", "--cost 'yes' is no CLASS=COST; write e.g. --cost yes=5"),
        ("yes=0", "the cost of 'yes' is 0.0; give a number from 1e-06 to 1e+06"),
    ],
)
def test_a_cost_that_cannot_be_meant_names_what_is_wrong(nri, visits, cost, told):
    """An unknown class was told as a badly written cost."""
    done = nri("induce", visits, "-t", "flu", "--cost", cost, "-q")
    assert (done.code, done.out, done.err) == (2, "", f"error: {told}\n")


def test_costs_of_classes_are_refused_for_a_number(nri, tmp_path):
    table = tmp_path / "flats.csv"
    table.write_text("rooms,rent\n" + "".join(f"{i % 5},{400 + i}.5\n" for i in range(60)), encoding="utf-8")
    done = nri("induce", table, "-t", "rent", "--cost", "yes=5", "-q")
    assert done.code == 2
    assert "the target has no classes; drop the cost" in done.err


def test_sql_for_a_number_is_in_the_dialect_that_was_asked_for(nri, tmp_path):
    """The dialect was dropped on the way where the target was a number, and MySQL got other quotes."""
    table = tmp_path / "flats.csv"
    rents = "".join(f"{i % 6},{300 + 200 * (i % 6 > 2) + i / 7:.2f}\n" for i in range(90))
    table.write_text("rooms,rent\n" + rents, encoding="utf-8")
    done = nri("induce", table, "-t", "rent", "--dialect", "mysql", "-q")
    assert "WHEN `rooms` " in done.out.replace("(", "")


@pytest.mark.parametrize("target", ["flu ", '"flu"', "flu"])
def test_a_target_is_the_column_however_its_name_is_written(nri, visits, target):
    done = nri("induce", visits, "--target", target)
    assert "THEN flu = " in done.out
