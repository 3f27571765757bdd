import importlib
import importlib.metadata
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from nri import InputError
from nri_bench.command import RowProgress, make_rows
from nri_bench.experiments import EXPERIMENTS, Options
from nri_bench.experiments.base import method_facts
from nri_bench.experiments.synthetic import all_rows
from nri_bench.methods import get_method
from nri_bench.run import Job, RunOptions, append_row, drop_rows, read_rows, row_key, run_jobs
from nri_bench.run.engine import ONE_THREAD
from nri_bench.run.rows import write_rows
from nri_bench.run.score import Problem, fit_and_score

WORK = """
import os, time
import numpy as np

def double(value):
    return {"answer": 2 * value}

def oversleep(value):
    time.sleep(60)

def stumble(value):
    raise ValueError("two\\nlines")

def die(value):
    os._exit(7)

def linger(value):
    open(value, "w").write(str(os.getpid()))
    time.sleep(120)

def threads(value):
    return {"answer": os.environ[value]}

def hoard(value):
    return {"answer": float(np.ones(value * 2**17).sum())}
"""


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """Functions in a module of their own, so that child processes can import them by name."""
    folder = tmp_path_factory.mktemp("work")
    (folder / "bench_work.py").write_text(WORK)
    sys.path.insert(0, str(folder))
    yield importlib.import_module("bench_work")
    sys.path.remove(str(folder))


def job(function, value):
    return Job({"value": value}, function, {"value": value}, {"known": True})


def test_every_job_ends_in_one_row_and_is_not_run_again(tmp_path, work):
    path = tmp_path / "rows.jsonl"
    jobs = [job(work.double, value) for value in range(5)]
    seen = []
    assert run_jobs(jobs, path, RunOptions(2), {"commit": "abc"}, seen.append) == 5
    rows = read_rows(path)
    assert sorted(row["answer"] for row in rows) == [0, 2, 4, 6, 8]
    assert all(row["status"] == "ok" and row["commit"] == "abc" and row["known"] for row in rows)
    assert len(seen) == 5
    assert run_jobs(jobs, path) == 0
    assert len(read_rows(path)) == 5


def test_what_goes_wrong_is_a_row_that_says_so(tmp_path, work):
    path = tmp_path / "rows.jsonl"
    jobs = [job(work.stumble, 1), job(work.die, 2), job(work.oversleep, 3), job(work.double, 4)]
    run_jobs(jobs, path, RunOptions(2, time_limit=5))
    rows = {row["value"]: row for row in read_rows(path)}
    assert rows[1]["status"] == "failed"
    assert rows[1]["message"].startswith("ValueError: two lines (bench_work.py:")
    assert rows[2]["status"] == "crashed"
    assert "exit code 7" in rows[2]["message"]
    assert rows[3]["status"] == "timeout"
    assert "limit of 5 seconds" in rows[3]["message"]
    assert rows[4]["status"] == "ok"
    assert all(row["known"] for row in rows.values())


def test_in_one_process_the_same_rows_are_made_and_a_failure_is_a_row(tmp_path, work):
    jobs = [job(work.stumble, 1), job(work.double, 2)]
    run_jobs(jobs, tmp_path / "one.jsonl", RunOptions(n_processes=0))
    rows = {row["value"]: row for row in read_rows(tmp_path / "one.jsonl")}
    assert rows[1]["message"].startswith("ValueError: two lines (bench_work.py:")
    assert (rows[2]["status"], rows[2]["answer"]) == ("ok", 4)


RUN = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import bench_work
from nri_bench.run import Job, run_jobs
if __name__ == "__main__":
    run_jobs([Job({"a": 1}, bench_work.linger, {"value": sys.argv[2]})], Path(sys.argv[3]))
"""


def test_a_run_that_is_killed_takes_its_children_with_it(tmp_path, work):
    """A killed run once left a fit going for minutes, with nobody to read its answer."""
    note, script = tmp_path / "pid", tmp_path / "run.py"
    script.write_text(RUN)
    folder = str(Path(work.__file__).parent)
    run = subprocess.Popen([sys.executable, script, folder, note, tmp_path / "rows.jsonl"])
    try:
        assert eventually(lambda: note.exists() and note.read_text())
    finally:
        run.kill()
        run.wait()
    pid = int(note.read_text())
    assert eventually(lambda: not is_running(pid))


def eventually(happens, seconds=60.0):
    end = time.monotonic() + seconds
    while not happens() and time.monotonic() < end:
        time.sleep(0.05)
    return happens()


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_peak_memory_is_that_of_the_job_alone(tmp_path, work):
    path = tmp_path / "rows.jsonl"
    jobs = [job(work.hoard, megabytes) for megabytes in (1, 200, 2)]
    run_jobs(jobs, path)
    peak = {row["value"]: row["peak_mb"] for row in read_rows(path)}
    assert 150 < peak[200] < 400
    assert peak[2] < 100


def test_a_job_has_one_thread_whatever_the_caller_has(tmp_path, work, monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "7")
    run_jobs([job(work.threads, name) for name in ONE_THREAD], tmp_path / "rows.jsonl")
    assert [row["answer"] for row in read_rows(tmp_path / "rows.jsonl")] == ["1"] * len(ONE_THREAD)
    assert "OMP_NUM_THREADS" not in os.environ
    assert os.environ["OPENBLAS_NUM_THREADS"] == "7"


def test_fields_before_status_are_the_key():
    row = {"method": "tree", "seed": 1, "status": "ok", "accuracy": 0.5}
    assert row_key(row) == row_key({"seed": 1, "method": "tree"})
    assert row_key(row) != row_key({**row, "seed": 2})


def test_the_later_of_two_rows_counts(tmp_path):
    path = tmp_path / "rows.jsonl"
    for accuracy in (0.1, 0.2):
        append_row(path, {"method": "tree", "status": "ok", "accuracy": accuracy})
    assert [row["accuracy"] for row in read_rows(path)] == [0.2]


@pytest.mark.parametrize("fragment", [b'{"method": "for', b'{"method": "for\xc3', b"{", b"nul"])
def test_a_line_cut_short_is_passed_over_and_mended(tmp_path, fragment):
    """A line break was once added after the fragment, and the file could never be read again."""
    path = tmp_path / "rows.jsonl"
    append_row(path, {"method": "tree", "status": "ok"})
    with path.open("ab") as file:
        file.write(fragment)
    assert len(read_rows(path)) == 1
    append_row(path, {"method": "figs", "status": "ok"})
    assert [row["method"] for row in read_rows(path)] == ["tree", "figs"]
    assert len(path.read_text().splitlines()) == 2


def test_a_whole_last_line_without_its_line_break_is_kept(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"method": "tree", "status": "ok"}')
    append_row(path, {"method": "figs", "status": "ok"})
    assert [row["method"] for row in read_rows(path)] == ["tree", "figs"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"nonsense", "line 2 is not JSON"),
        (b'{"method": "for\xc3', "line 2 is not UTF-8"),
        (b"null", "line 2 is no result row"),
        (b'{"method": "tree"}', "line 2 is no result row"),
    ],
)
def test_a_damaged_line_is_named(tmp_path, line, message):
    path = tmp_path / "rows.jsonl"
    whole = b'{"method": "tree", "status": "ok"}'
    path.write_bytes(b"\n".join([whole, line, whole, b""]))
    with pytest.raises(InputError, match=message):
        read_rows(path)


def test_a_failed_rewrite_leaves_the_rows_and_no_other_file(tmp_path):
    path = tmp_path / "rows.jsonl"
    append_row(path, {"seed": 0, "status": "ok"})
    with pytest.raises(TypeError):
        write_rows(path, [{"seed": object()}])
    assert len(read_rows(path)) == 1
    assert list(tmp_path.iterdir()) == [path]


def test_numbers_are_rounded_and_nan_is_null(tmp_path):
    path = tmp_path / "rows.jsonl"
    append_row(path, {"status": "ok", "accuracy": 0.123456789, "auc": float("nan")})
    assert read_rows(path)[0]["accuracy"] == 0.12346
    assert read_rows(path)[0]["auc"] is None


def test_dropping_rows_keeps_the_others(tmp_path):
    path = tmp_path / "rows.jsonl"
    for seed in range(4):
        append_row(path, {"seed": seed, "status": "ok"})
    assert drop_rows(path, lambda row: row["seed"] % 2 == 0) == 2
    assert [row["seed"] for row in read_rows(path)] == [1, 3]


def test_redo_replaces_only_the_jobs_asked_for(tmp_path):
    quick = {"quick": True, "sets": ("monks-1",), "protocols": ("p20",)}
    options = Options(methods=("majority", "tree"), **quick)
    totals = []
    progress = RowProgress(totals.append, lambda row: None)
    run = RunOptions(2)
    assert make_rows(EXPERIMENTS["uci"], options, tmp_path, run, progress=progress) == 10
    assert make_rows(EXPERIMENTS["uci"], options, tmp_path, run, progress=progress) == 0
    again = Options(methods=("tree",), **quick)
    assert make_rows(EXPERIMENTS["uci"], again, tmp_path, run, redo=True, progress=progress) == 5
    assert totals == [10, 0, 5]
    rows = read_rows(tmp_path / "quick" / "uci-p20.jsonl")
    assert len(rows) == 10
    assert {row["n_support"] for row in rows} <= {86, 87}


@pytest.mark.filterwarnings("ignore:Label .* is present in all training examples")
@pytest.mark.parametrize("method", ["majority", "tree-dnf", "ripper", "rulefit", "exact"])
def test_what_says_the_only_class_of_its_support_has_size_zero(method):
    """Methods behind one-vs-rest once had no size there, as if they were black boxes."""
    X = all_rows(3)
    found = fit_and_score(method, Problem(X, np.ones(8, np.int64), X, (X[:, 0] == 1).astype(np.int64)))
    assert (found["clauses"], found["literals"], found["accuracy"]) == (0, 0, 0.5)


def test_a_row_names_python_and_the_solver_among_its_versions():
    versions = method_facts(get_method("exact"))["versions"].split()
    assert versions[:2] == ["python", platform.python_version()]
    assert versions[versions.index("scipy") + 1] == importlib.metadata.version("scipy")
    assert "scipy" not in method_facts(get_method("tree"))["versions"]
