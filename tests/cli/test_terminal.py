"""The command line on a terminal and in a pipe: help on two screens, any encoding, no control characters."""

import os
import subprocess
import sys

import pandas as pd
import pytest


def nri_process(*arguments, **environment):
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "nri", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, env=os.environ | environment, check=False)


def test_the_help_of_induce_fits_on_two_screens(nri, monkeypatch):
    """It listed 49 options on five screens."""
    monkeypatch.setenv("COLUMNS", "80")
    help_text = nri("induce", "--help").out
    assert len(help_text.splitlines()) <= 2 * 24
    for panel in ("explained", "columns", "shape of the rule", "Costs and floors", "Output", "Large"):
        assert panel in help_text
    assert nri("induce", "-h").out == help_text
    assert "--random-state" not in help_text
    assert "--random-state" in nri("induce", "--help-all").out


def test_dash_h_is_help_everywhere(nri):
    for command in ([], ["predict"], ["compare"], ["train"]):
        done = nri(*command, "-h")
        assert done.code == 0
        assert "Usage: nri" in done.out


def test_a_reader_that_goes_away_is_no_failure(visits, rule):
    """``nri predict ... | head -1`` ended with 1."""
    header, *lines = visits.read_text().splitlines()
    visits.write_text("\n".join([header, *lines * 2000]) + "\n")
    command = [sys.executable, "-m", "nri", "predict", str(rule), str(visits)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline().startswith(b"fever,cough")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_a_name_that_the_terminal_cannot_show_is_escaped(visits, tmp_path):
    """``PYTHONIOENCODING=cp1252`` with a Chinese name ended in an error; later every such name was ``??``."""
    visits.write_text(visits.read_text().replace("fever", "発熱"), encoding="utf-8")
    done = nri_process("induce", visits, "-t", "flu", "--model", "greedy", PYTHONIOENCODING="cp1252")
    assert done.returncode == 0
    assert rb"\u767a\u71b1" in done.stdout
    missing = nri_process("induce", visits, "-t", "熱", PYTHONIOENCODING="cp1252")
    assert missing.returncode == 2
    assert missing.stderr.startswith(rb"error: no target column '\u71b1'")


def test_no_escape_sequence_of_a_class_reaches_the_terminal(nri, visits):
    """A class called by the code for red coloured stderr."""
    table = pd.read_csv(visits).replace({"yes": "\x1b[31myes", "no": "\x9b2Jno"})
    table.to_parquet(visits.with_suffix(".parquet"))
    for more in ((), ("--cv",), ("--positive", "maybe")):
        done = nri("induce", visits.with_suffix(".parquet"), "-t", "flu", "--model", "greedy", *more)
        assert "yes" in done.out + done.err
        assert not {"\x1b", "\x9b"} & {*done.out, *done.err}


@pytest.mark.parametrize("name", ["clinic.flu", "is_flu", "Had FLU"])
def test_a_target_is_known_by_the_end_of_its_name(nri, visits, name):
    visits.write_text(visits.read_text().replace("flu", name, 1))
    done = nri("induce", visits, "-t", "flu", "--model", "greedy")
    assert done.code == 0
    assert f"target 'flu' is read as '{name}'" in done.err
    assert nri("induce", visits, "-t", "flu = yes", "--model", "greedy").code == 0
    assert "no target column 'lu'" in nri("induce", visits, "-t", "lu").err


def test_a_target_by_its_end_must_be_one_column(nri, visits):
    visits.write_text(visits.read_text().replace("ward,flu", "a.flu,b.flu", 1))
    assert "no target column 'flu'" in nri("induce", visits, "-t", "flu").err


def test_rows_are_explained_by_a_condition(nri, visits, rule):
    lines = visits.read_text().splitlines()
    visits.write_text("\n".join([f"id,{lines[0]}", *(f"P{i},{line}" for i, line in enumerate(lines[1:], 1))]))
    done = nri("explain", rule, visits, "--where", "id = P12")
    assert done.out.startswith("row 12: flu = ")
    assert done.out.count("row ") == 1
    assert nri("explain", rule, visits, "--where", "age > 60", "-q").out.count("\nrow ") < 20
    assert "holds on no row" in nri("explain", rule, visits, "--where", "id = P999").err
    assert "compare it" in nri("explain", rule, visits, "--where", "age").err
    assert "which rows?" in nri("explain", rule, visits).err


def test_the_probability_of_a_class_is_written_on_request(nri, visits, rule):
    """The probability was that of the predicted class, which cannot be sorted as a risk."""
    plain = nri("predict", rule, visits, "--only").out.splitlines()
    assert plain[0] == "predicted_flu,probability"
    done = nri("predict", rule, visits, "--only", "--probability-of", "yes").out.splitlines()
    assert done[0] == "predicted_flu,probability_yes"
    both = nri("predict", rule, visits, "--only", "--probabilities").out.splitlines()
    assert both[0] == "predicted_flu,probability_no,probability_yes"
    for line in both[1:]:
        label, no, yes = line.split(",")
        assert float(no) + float(yes) == pytest.approx(1, abs=1e-3)
        assert (label == "yes") == (float(yes) > float(no))
    assert "no class 'maybe'" in nri("predict", rule, visits, "--probability-of", "maybe").err


def test_compare_fails_a_job_above_a_share(nri, visits, rule):
    other = rule.with_name("other.json")
    shorter = ("--max-clauses", 1, "--columns", "age,chills", "--model", "greedy")
    assert nri("induce", visits, "-t", "flu", *shorter, "--out", other, "-q").code == 0
    assert nri("compare", rule, other, visits, "--fail-above", "0.02").code == 3
    assert nri("compare", rule, other, visits, "--fail-above", "0.9").code == 0
    assert nri("compare", rule, rule, visits, "--fail-above", "0").code == 0
    refused = nri("compare", rule, other, "--fail-above", "0.02")
    assert refused.code == 2
    assert "name a table" in refused.err
    assert "3 nri compare --fail-above" in " ".join(nri("--help").out.split())
