import io
import subprocess
import sys
from dataclasses import dataclass

import pandas as pd
import pytest

from nri.induce.settings import Settings


def test_predictions_stand_beside_the_table(nri, visits, rule):
    done = nri("predict", rule, visits)
    table = pd.read_csv(io.StringIO(done.out))
    assert table.columns.tolist() == [
        "fever",
        "cough",
        "chills",
        "age",
        "ward",
        "flu",
        "predicted_flu",
        "probability",
    ]
    assert (table["predicted_flu"] == table["flu"]).all()
    assert table["probability"].between(0.5, 1).all()
    assert done.err == "accuracy 1.00 ± 0.00 on the 60 rows whose flu is known\n"


def test_prediction_needs_only_the_columns_of_the_rule(nri, tmp_path, rule):
    few, out = tmp_path / "few.csv", tmp_path / "out.csv"
    few.write_text("age,chills,fever,cough\n70,1,0,0\n30,1,0,0\n,1,,1\n")
    done = nri("predict", rule, few, "--out", out, "--only")
    assert pd.read_csv(out)["predicted_flu"].tolist() == ["yes", "no", "no"]
    assert done.out == ""
    assert done.err == f"wrote {out}\n"


def test_a_missing_column_is_named(nri, tmp_path, rule):
    few = tmp_path / "few.csv"
    few.write_text("age,chills,fver,cough\n70,1,0,0\n")
    done = nri("predict", rule, few)
    assert done.code == 2
    assert "no column 'fever'; did you mean 'fver'?" in done.err


def test_numbers_that_were_text_are_read_as_text_again(nri, tmp_path):
    table, rule, new = tmp_path / "t.csv", tmp_path / "r.json", tmp_path / "n.csv"
    table.write_text("persons,y\n" + "2,a\n4,b\nmore,b\n" * 8)
    new.write_text("persons\n2\n4\n")
    assert nri("induce", table, "-t", "y", "--out", rule).code == 0
    done = nri("predict", rule, new, "--only")
    assert [line.split(",")[0] for line in done.out.splitlines()] == ["predicted_y", "a", "b"]


def test_a_column_that_is_already_there_is_not_overwritten(nri, visits, rule):
    visits.write_text(visits.read_text().replace("ward", "probability"))
    done = nri("predict", rule, visits)
    assert done.code == 0
    assert done.out.splitlines()[0] == "fever,cough,chills,age,probability,flu,predicted_flu,probability_2"
    assert "a column 'probability' already; the new one is called 'probability_2'" in done.err


def test_rows_are_explained_by_what_fired_or_what_was_lacking(nri, visits, rule):
    flu = pd.read_csv(visits)["flu"]
    yes, no = int((flu == "yes").argmax()) + 1, int((flu == "no").argmax()) + 1
    done = nri("explain", rule, visits, "--row", yes, "--row", no)
    assert done.code == 0
    first, second = done.out.split(f"row {no}: ")
    assert first.startswith(f"row {yes}: flu = yes (probability 0.9")
    assert "  because: " in first
    assert second.startswith("flu = no")
    assert "    lacks " in second


@pytest.mark.parametrize("row", [0, 61, -1])
def test_a_row_that_does_not_exist_is_refused(nri, visits, rule, row):
    done = nri("explain", rule, visits, f"--row={row}")
    assert done.code == 2
    assert "has rows 1 to 60" in done.err


def test_a_rule_file_becomes_any_format(nri, rule, tmp_path):
    assert nri("export", rule).out.startswith("IF  (cough AND fever) ")
    assert 'FROM "visits"' in nri("export", rule, "-f", "sql", "--table", "visits").out
    view = nri("export", rule, "--dialect", "mysql", "--table", "clinic.visits", "--statement", "view").out
    assert "CREATE VIEW `clinic`.`visits_predicted` AS" in view
    path = tmp_path / "flu.py"
    assert nri("export", rule, "--out", path, "--function", "has_flu").code == 0
    space: dict[str, object] = {}
    exec(path.read_text(), space)
    assert space["has_flu"]({"fever": 1, "cough": 1, "age": 30, "chills": 0}) == "yes"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-f", "text", "--table", "t"], "--table is for --format sql, not for text"),
        (["-f", "python", "--dialect", "mysql"], "--dialect is for --format sql, not for python"),
        (["--dialect", "access"], "no SQL dialect 'access': use one of postgres, mysql"),
        (["--statement", "view"], "needs the name of the table; give it (--table NAME)"),
        (["-f", "sql", "--function", "f"], "--function is for --format python, not for sql"),
    ],
)
def test_an_option_of_another_format_is_refused(nri, rule, options, message):
    done = nri("export", rule, *options)
    assert done.code == 2
    assert message in done.err


def test_json_is_exported_as_it_was(nri, visits, rule):
    """The cross-validated numbers were lost on the way."""
    assert nri("export", rule, "-f", "json").out == rule.read_text()
    judged = visits.with_name("judged.json")
    assert nri("induce", visits, "-t", "flu", "--model", "greedy", "--cv", "-q", "--out", judged).code == 0
    assert '"validation"' in judged.read_text()
    assert nri("export", judged, "-f", "json").out == judged.read_text()


@dataclass(frozen=True)
class BySearchAlone(Settings):
    model: str = "greedy"


@pytest.mark.parametrize(
    ("name", "word"), [("breast-cancer", "malignant"), ("iris", "setosa"), ("wine", "class_0")]
)
def test_the_demo_prints_a_rule_without_any_file(nri, name, word, monkeypatch):
    if name != "iris":  # the network in one of them is enough: all are induced from six times
        monkeypatch.setattr("nri.induce.settings.Settings", BySearchAlone)
    done = nri("demo", name)
    assert done.code == 0
    assert done.out.startswith("IF ")
    assert word in done.out
    assert "(cross-validated)" in done.out


def test_an_unknown_demo_names_the_known_ones(nri):
    done = nri("demo", "titanic")
    assert done.code == 2
    assert "breast-cancer, wine, iris" in done.err


def test_the_version_and_the_exit_codes_are_told(nri):
    assert nri("--version").out.startswith("nri 0.")
    assert "Exit codes" in nri("--help").out
    assert "cross-validation" in nri("induce", "--help").out


def run_shell(command: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command.replace("nri ", f"{sys.executable} -m nri ", 1),
        shell=True,
        capture_output=True,
        text=True,
        input=text,
    )


def test_a_table_comes_through_a_pipe_and_plain_text_goes_out(visits):
    done = run_shell("nri induce - --target flu --quiet", visits.read_text())
    assert done.returncode == 0
    assert done.stdout.startswith("IF  (cough AND fever) ")
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_a_reader_that_goes_away_causes_no_noise(visits, rule):
    long = visits.with_name("long.csv")
    header, *lines = visits.read_text().splitlines()
    long.write_text("\n".join([header, *lines * 500]) + "\n")
    done = run_shell(f"nri predict {rule} {long} | head -1")
    assert done.stdout.startswith("fever,cough")
    assert done.stderr == ""
