"""A job, and what happens to it in a child process: do the work, watch the memory, send what was found."""

import contextlib
import importlib
import os
import resource
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from multiprocessing import parent_process
from multiprocessing.connection import Connection, wait
from pathlib import Path

Scalar = str | int | float | bool | None
Measures = dict[str, Scalar]
"""What a piece of work found out."""


@dataclass(frozen=True, eq=False)
class Job:
    """A module-level function, its arguments, and the key of its row.

    The key names experiment, method, data set, protocol, seed, fold and whatever else separates this
    row from every other one; a row with the same key is not computed again.
    """

    key: Mapping[str, Scalar]
    work: Callable[..., Measures]
    """must be importable by name, because it runs in another process"""
    arguments: Mapping[str, object] = field(default_factory=dict)
    facts: Mapping[str, Scalar] = field(default_factory=dict)
    """known before the work is done, e.g. the number of rows; written also when it fails"""
    packages: tuple[str, ...] = ()
    """imported once in the parent of all children, so that imports cost no fit any time"""


def run_child(job: Job, pipe: Connection) -> None:
    """Do one job and send ``(status, message, measures)``; what the work prints goes nowhere."""
    threading.Thread(target=_die_with_parent, daemon=True).start()
    with contextlib.ExitStack() as stack:
        nowhere = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
        stack.enter_context(contextlib.redirect_stdout(nowhere))
        stack.enter_context(contextlib.redirect_stderr(nowhere))
        answer = attempt(job)
    pipe.send(answer)
    pipe.close()


def _die_with_parent() -> None:
    """End this process when the run that asked for it is gone, however it went."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def attempt(job: Job) -> tuple[str, str, Measures]:
    """Do one job in this process and return ``(status, message, measures)``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the rivals' own deprecations are not ours to mend
        return _attempt(job)


def _attempt(job: Job) -> tuple[str, str, Measures]:
    try:
        for package in job.packages:  # mostly there from the fork server; never part of a fit's seconds
            importlib.import_module(package)
    except ImportError as error:
        return "failed", _one_line(error), {}
    before = _forget_peak_memory()
    started = time.perf_counter()
    try:
        measures = dict(job.work(**job.arguments))
    except Exception as error:  # whatever a rival raises becomes a row that says so
        return "failed", _one_line(error), {}
    measures.setdefault("seconds", time.perf_counter() - started)
    measures["peak_mb"] = max(0.0, (_peak_memory() - before) / 2**20)
    return "ok", "", measures


def _one_line(error: BaseException) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    text = f"{type(error).__name__}: {error}".replace("\n", " ")
    return f"{text[:200]} ({Path(frame.filename).name}:{frame.lineno})"


def _forget_peak_memory() -> int:
    """Set the kernel's high-water mark back where that is possible; return the memory in use now."""
    # without the mark (not Linux, or not allowed) the peak of the whole child is taken
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _peak_memory()


def _peak_memory() -> int:
    """Bytes at the high-water mark."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
