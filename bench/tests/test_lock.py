import os
import signal
import subprocess
import sys

import pytest

from nri import InputError
from nri_bench.command import make_rows
from nri_bench.experiments import EXPERIMENTS, Options
from nri_bench.run import check_quiet, only_run, read_rows
from nri_bench.run.engine import RunOptions

HOLD = """
import sys, time
from pathlib import Path
from nri_bench.run import only_run
with only_run([Path(sys.argv[1])]):
    print("held", flush=True)
    time.sleep(120)
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that writes rows.jsonl."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path / "rows.jsonl"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_run_on_the_same_rows_is_told_who_writes_them(tmp_path, holder):
    """Two runs in one folder once did every job twice."""
    with (
        pytest.raises(InputError, match=f"process {holder.pid} on .* is writing it"),
        only_run([tmp_path / "rows.jsonl"]),
    ):
        pass
    with only_run([tmp_path / "other.jsonl"]):
        pass


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_ended_in_whatever_way_holds_nobody_up(tmp_path, holder, how):
    os.kill(holder.pid, how)
    holder.wait()
    with only_run([tmp_path / "rows.jsonl"]):
        pass


def test_a_failure_inside_lets_go_of_every_file(tmp_path):
    paths = [tmp_path / "new" / "one.jsonl", tmp_path / "new" / "two.jsonl"]
    with pytest.raises(KeyError), only_run(paths):
        raise KeyError
    with only_run(paths), pytest.raises(InputError, match=f"process {os.getpid()}"), only_run(paths[1:]):
        pass


def test_seconds_are_stamped_as_publishable_only_from_one_process_on_a_quiet_machine(monkeypatch):
    """With one process every row was once stamped so, however busy the machine was."""
    assert RunOptions().timed is False
    monkeypatch.setattr(os, "getloadavg", lambda: (1.1, 5.0, 5.0))
    check_quiet(RunOptions(timed=True))
    with pytest.raises(InputError, match="--jobs 2"):
        check_quiet(RunOptions(2, timed=True))
    monkeypatch.setattr(os, "getloadavg", lambda: (2.3, 0.0, 0.0))
    with pytest.raises(InputError, match=r"load 2\.3"):
        check_quiet(RunOptions(timed=True))
    check_quiet(RunOptions(2))


def test_timing_what_has_rows_without_seconds_names_the_remedy(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(os, "getloadavg", lambda: (0.1, 0.1, 0.1))
    options = Options(methods=("majority",), seeds=(0,), sets=("mux6",), protocols=("p20",))
    assert make_rows(EXPERIMENTS["uci"], options, tmp_path, RunOptions()) == 5
    assert make_rows(EXPERIMENTS["uci"], options, tmp_path, RunOptions(timed=True)) == 0
    assert "5 of these rows are there without --timed; --redo measures them" in caplog.text
    assert make_rows(EXPERIMENTS["uci"], options, tmp_path, RunOptions(timed=True), redo=True) == 5
    assert all(row["timed"] for row in read_rows(tmp_path / "uci-p20.jsonl"))
