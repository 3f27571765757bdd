"""Command lines, each in a fresh process: exit code 0 or 2, no traceback, no hang.

Most processes are forked from one that has loaded the package, which takes a twentieth of the time; one in
a hundred is started from nothing. Streams have encodings of terminals, which may lack the letters of a name.
"""

import contextlib
import gc
import importlib
import io
import os
import resource
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import typer
from fuzz_files import FORMATS, ROOT, damaged, rule_text, whole
from fuzz_tally import PATIENCE, HungError
from hypothesis import strategies as st

from nri.errors import InputError

VISITS = ROOT / "docs" / "examples" / "visits.csv"
COMMANDS = "induce induce induce predict explain export slices surrogate compare stability dynamics train"
commands = st.tuples(
    st.sampled_from([*COMMANDS.split(), "export-weights", ""]),
    st.integers(0, 2**32 - 1),
)
_PLAIN = "x -1 0 1 2 1e400 nan yes flu age fever flu=5 = ü ../.. / /dev/null json sql greedy paper postgres"
WORDS = [*_PLAIN.split(), "", "age > 30", "age >", "\udcff", "a" * 300]
FITTING = {
    **dict.fromkeys(("--max-clauses", "--max-literals", "--most", "--min-rows", "--max-length", "--steps"), "1 2 3 30"),
    **dict.fromkeys(("--columns", "--without", "--require", "--protect", "--keep"), "age fever age,fever ward x0 a"),
    **dict.fromkeys(("--min-precision", "--min-sensitivity", "--min-specificity", "--prevalence"), "0.1 0.5 0.9 1"),
    **dict.fromkeys(("--alpha", "--tolerance", "--threshold"), "0.05 0.5 0 1"),
    "--target": "flu ward age", "--positive": "yes no", "--weights": "age", "--labels": "flu ward flu:no=0,yes=1",
    "--predictions": "flu fever cough", "--time": "age t", "--event": "flu", "--series": "ward a",
    "--counts": "auto only never", "--model": "greedy greedy greedy seeded", "--binarize": "paper all",
    "--format": "json sql python asp prolog latex markdown html bnet sbml", "--dialect": "duckdb postgres spark",
    "--cuts": "age=30,50 age=", "--monotone": "age=up fever=down", "--forbid": "fever,cough age", "--cost": "no=5 yes=2",
    "--statement": "select update view case", "--random-state": "0 1 7", "--row": "1 2 60 0", "--header": "0 1 2",
    "--sheet": "s 1", "--engine": "auto memory duckdb", "--memory": "1GB 100MB", "--sample": "20 500",
    "--knock-out": "a b a=1", "--simulate": "a=1,b=0 10", "--until": "1",
    "--missing": "age=52 no,na age= flu=no", "--groups": "ward age flu", "--time-order": "age ward",
    "--probability-of": "yes no perhaps", "--posterior": "VISITS", "--where": "flu=yes age>50 age>900 fever",
    "--fail-above": "0 0.02 1",
}  # fmt: skip
"""Values that an option may well have, so that not every command line is refused at once."""
ENCODINGS = ("utf-8", "utf-8", "cp1252", "ascii", "koi8-r", "shift_jis", "cp437")
WRITE = ("--out", "--html", "--directory")
"""Options that would write over the files the others read."""


@cache
def folder() -> Path:
    """Return a folder with whole and damaged files."""
    place = Path(tempfile.mkdtemp(prefix="nri-fuzz-"))
    (place / "visits.csv").write_bytes(VISITS.read_bytes())
    for kind in ("classes", "number", "counts"):
        (place / f"{kind}.json").write_text(rule_text(kind))
        (place / f"bad-{kind}.json").write_bytes(damaged(rule_text(kind).encode(), len(kind)))
    for form in FORMATS:
        (place / f"whole.{form}").write_bytes(whole(form))
        for seed in range(3):
            (place / f"bad{seed}.{form}").write_bytes(damaged(whole(form), seed))
    (place / "empty.csv").write_bytes(b"")
    names = "年齢,Größe,\x1b[31mred\x1b[0m,λ🙂\n" + "".join(
        f"{i},{i % 7},{i % 3},{'はい' if i > 9 else 'né'}\n" for i in range(20)
    )
    (place / "names.csv").write_text(names, encoding="utf-8")
    (place / "moves.csv").write_text("a,b,a',b'\n0,1,1,0\n1,0,0,1\n1,1,1,1\n0,0,0,0\n")
    return place


@cache
def _parameters(command: str) -> tuple[Any, ...]:
    from nri.cli.app import app

    found = typer.main.get_command(app).commands.get(command)
    return tuple(getattr(found, "params", ()))


@cache
def options(command: str) -> tuple[str, ...]:
    return tuple(name for one in _parameters(command) for name in one.opts if name.startswith("--"))


@cache
def flags(command: str) -> set[str]:
    """Return the options that take no value."""
    return {name for one in _parameters(command) if getattr(one, "is_flag", False) for name in one.opts}


def arguments_of(case: tuple[str, int]) -> list[str]:
    command, seed = case
    rng = np.random.default_rng(seed)
    pick = lambda values: values[int(rng.integers(len(values)))]  # noqa: E731
    files = sorted(str(path) for path in folder().iterdir())
    fitting = str(folder() / pick(["whole.csv", "whole.parquet", "whole.csv.gz", "whole.xlsx"]))
    usual = {
        "induce": [
            *pick([[str(VISITS), "--target", "flu"], [str(folder() / "names.csv"), "--target", "λ🙂"]]),
            "--model",
            pick(["greedy", "greedy", "greedy", "seeded"]),
        ],
        "predict": [str(folder() / "classes.json"), pick([fitting, fitting, pick(files)])],
        "explain": [str(folder() / "classes.json"), fitting, "--row", "1"],
        "export": [str(folder() / pick(["classes.json", "number.json", "counts.json", "bad-classes.json"]))],
        "slices": [str(VISITS), "--labels", "flu", "--predictions", "fever"],
        "surrogate": [str(VISITS), "--predictions", "flu", "--model", "greedy"],
        "compare": [str(folder() / "classes.json"), str(folder() / "counts.json")],
        "stability": [str(VISITS), "--target", "flu", "--model", "greedy", "--samples", "3"],
        "dynamics": [str(folder() / "moves.csv")],
        "train": ["--config", pick(files)],
        "export-weights": [pick(files), "--out", str(folder() / "out.onnx")],
        "": [],
    }
    given = [command, *usual[command]] if command else []
    known = [one for one in options(command) if one not in ("--port", "--samples", "--permutations")]
    for _ in range(int(rng.integers(0, 4))):
        option = pick([*(known or ["--help"]), *known, "--nonsense", "-q"])
        values = FITTING.get(option, "").split()
        given += [option]
        if values and rng.random() < 0.7:
            given += [pick(values).replace("VISITS", str(VISITS))]
        elif (option not in flags(command)) != (rng.random() < 0.2):
            given += [pick(WORDS if option in WRITE else [*WORDS, *files])]
    if rng.random() < 0.2 and len(given) > 1:
        given[int(rng.integers(1, len(given)))] = pick([*WORDS, *files])
    if command == "train":  # an empty file is a configuration, whose training would take hours
        given += ["--until", "1"]
    return [word for word in given if "\0" not in word]


def run(case: tuple[str, int]) -> None:
    """Run a command line in a process of its own, and look at how it ended."""
    given = arguments_of(case)
    encoding = ENCODINGS[case[1] % len(ENCODINGS)]
    with tempfile.TemporaryDirectory(prefix="nri-fuzz-run-") as place:
        said = Path(place) / "err"
        code, seconds = (_started if case[1] % 100 == 99 else _forked)(given, place, said, encoding)
        told = said.read_text(encoding=encoding, errors="replace")
    if seconds > PATIENCE:
        raise HungError
    if (
        code not in (0, 2)
        or "Traceback" in told
        or "\x1b" in told
        or (code == 2 and given and "error: " not in told and "Usage" not in told)
    ):
        raise RuntimeError(f"exit code {code}, said {told[-600:]!r}, asked {given} in {encoding}")
    if code == 2:
        raise InputError("refused")


def _started(given: list[str], place: str, said: Path, encoding: str) -> tuple[int, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with said.open("wb") as err:
        done = subprocess.run([sys.executable, "-m", "nri", *given], cwd=place, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=err, check=False, timeout=600,
                              env={**os.environ, "PYTHONIOENCODING": encoding})  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.returncode, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@cache
def loaded() -> Any:
    """Load before the first fork what children would each load for themselves, by commands that need it."""
    for name in (
        "pandas",
        "torch",
        "nri.estimator",
        "nri.tasks",
        "nri.train",
        "nri_dynamics.cli",
    ):
        importlib.import_module(name)
    from nri.cli import app

    rule, rows, visits = (str(path) for path in (folder() / "classes.json", folder() / "whole.csv", VISITS))
    for usual in (
        ["--help"],
        ["export", rule, "--format", "nothing"],
        ["predict", rule, rows],
        ["induce", visits, "--target", "flu", "--model", "greedy"],
        ["slices", visits, "--labels", "flu", "--predictions", "fever"],
        ["dynamics", str(folder() / "moves.csv")],
    ):
        with (
            contextlib.redirect_stderr(io.StringIO()),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.suppress(SystemExit),
        ):
            app.main(usual)
    gc.freeze()  # what is loaded is never looked through again, so that children share its memory
    return app


def _forked(given: list[str], place: str, said: Path, encoding: str) -> tuple[int, float]:
    app = loaded()
    child = os.fork()
    if child == 0:
        code = 70
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (int(PATIENCE) + 5, int(PATIENCE) + 6))
            os.chdir(place)
            quiet = os.open(os.devnull, os.O_RDWR)
            err = os.open(said, os.O_WRONLY | os.O_CREAT)
            for source, target in ((quiet, 0), (quiet, 1), (err, 2)):
                os.dup2(source, target)
            sys.stdin = os.fdopen(0)
            sys.stdout, sys.stderr = (os.fdopen(one, "w", encoding=encoding) for one in (1, 2))
            try:
                app.main(given)
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 0
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)
    _, status, used = os.wait4(child, 0)
    return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime
