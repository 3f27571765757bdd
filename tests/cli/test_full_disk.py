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
    "json": ["induce", str(VISITS), "--target", "flu", "--model", "greedy", "--json", "--quiet"],
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
