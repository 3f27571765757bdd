"""Where the result cannot be written, the command says so and exits with 2; it was 1, or 120."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

VISITS = Path(__file__).parents[2] / "docs" / "examples" / "visits.csv"
pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full disk to write to")

COMMANDS = {
    "rule": ["induce", str(VISITS), "--target", "flu", "--model", "greedy"],
    "json": ["induce", str(VISITS), "--target", "flu", "--model", "greedy", "--format", "json", "--quiet"],
    "help": ["--help"],
    "version": ["--version"],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS.keys())
def test_a_full_disk_behind_standard_output_is_one_line(command):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "nri", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(
        "error: the result cannot be written (No space left on device)"
    )
    assert "Traceback" not in done.stderr


def test_predictions_do_not_fit_either(nri, tmp_path):
    rule = tmp_path / "rule.json"
    assert nri(*COMMANDS["rule"], "--out", rule, "--quiet").code == 0
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "nri", "predict", str(rule), str(VISITS)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.count("error: ") == 1


def test_where_even_the_error_cannot_be_told_the_code_still_is():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "nri", "induce", "nothing.csv"], stdout=full, stderr=full, check=False
        )
    assert done.returncode == 2


def closed(streams, *command):
    """Run a command with some of its standard streams closed, as ``nri ... >&-`` does."""
    shell = f'exec "$0" -m nri "$@" {streams}'
    return subprocess.run(
        ["sh", "-c", shell, sys.executable, *command], capture_output=True, text=True, check=False
    )


def test_a_closed_standard_output_is_told_like_a_full_disk():
    done = closed(">&-", *COMMANDS["rule"])
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(
        "error: the result cannot be written (Bad file descriptor)"
    )


def test_a_closed_standard_output_hinders_nobody_who_asks_for_a_file(tmp_path):
    done = closed(">&-", *COMMANDS["rule"], "--quiet", "--out", str(tmp_path / "rule.json"))
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "rule.json").exists()


def test_remarks_go_nowhere_where_standard_error_is_closed():
    done = closed("2>&-", *COMMANDS["rule"])
    assert done.returncode == 0
    assert done.stdout.startswith("IF ")


def test_a_closed_standard_input_holds_no_table():
    done = closed("<&-", "induce", "-", "--target", "flu")
    assert done.returncode == 2
    assert done.stderr.startswith("error: standard input cannot be read")
