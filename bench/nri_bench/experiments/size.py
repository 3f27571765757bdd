"""``nri bench size``: processor seconds and peak memory over rows and columns, each in a process of its own.

Tables are made by DuckDB from hashes of row numbers, the same on every machine, in the folder for temporary
files, one at a time. Seconds are user and system time of the whole process, its start and imports included.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from nri import InputError
from nri_bench.datasets.any_size import (
    FRESH,
    SHAPES,
    WIDE_FRESH,
    make_table,
    make_view,
    make_wide,
    planted_exactly,
    wide_rows,
)
from nri_bench.datasets.files import catalog
from nri_bench.datasets.resampled import REAL, make_real
from nri_bench.experiments.base import Experiment, Options
from nri_bench.run import Job, Measures, Row
from nri_bench.tables.size import size_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("nri", "nri-memory", "nri-fit", "nri-duckdb", "nri-predict", "duckdb", "tree", "xgboost")
"""``nri`` is the command line as it comes; ``-memory`` and ``-duckdb`` name the engine, ``-fit`` is fitting
alone, from a DataFrame and without imports, ``-predict`` streams predictions."""
ROWS = (10**3, 10**4, 10**5, 10**6, 10**7, 10**8)
VIEW_ROWS = 10**9
COLUMNS = (10**2, 10**3, 10**4, 10**5)
WIDE_ROWS = 500
HARDER_ROWS = 10**7
_MOST = {"tree": 10**6, "xgboost": 10**6, "duckdb": 10**9}
"""Rows up to which others are run: beyond, they need all rows in memory and minutes."""
_MOST_COLUMNS = {"duckdb": 0, "tree": 10**4, "xgboost": 10**4}
_IN_MEMORY = (10**5, 10**6)
"""Rows of the planted table that are also read into memory."""
_PREDICTED = 10**7
"""Rows of the planted table that predictions are streamed for."""


@dataclass(frozen=True)
class _Table:
    """A table and what is asked about it."""

    name: str
    rows: int
    columns: int

    def takes(self, method: str) -> bool:
        """Whether a method is run on it."""
        if method == "nri-predict":
            return self.name == "planted" and self.rows == _PREDICTED
        if method in ("nri-memory", "nri-fit"):
            return (self.name == "planted" and self.rows in _IN_MEMORY) or (
                self.name in REAL and method == "nri-memory" and self.rows < HARDER_ROWS
            )
        if self.name in REAL:
            return method == "nri-duckdb" if self.rows < HARDER_ROWS else method in ("nri", "duckdb")
        if method == "nri-duckdb":
            return False
        if self.name == "wide":
            return self.columns <= _MOST_COLUMNS.get(method, self.columns)
        return method in ("nri", "duckdb") or (self.name == "planted" and self.rows <= _MOST[method])


def jobs(options: Options) -> list[Job]:
    """Rows of the planted table, columns of the wide one, harder tables of ten million rows, public sets."""
    methods = options.methods or METHODS
    sizes = options.sizes or ((10**3,) if options.quick else ROWS)
    tables = [_Table("planted", rows, SHAPES["planted"].columns) for rows in sizes]
    tables += [_Table("wide", WIDE_ROWS, columns) for columns in ((100,) if options.quick else COLUMNS)]
    if not options.quick:
        harder = [name for name in SHAPES if name != "planted"]
        tables += [_Table(name, HARDER_ROWS, SHAPES[name].columns) for name in harder]
        for name, columns in REAL.items():
            tables += [_Table(name, rows, columns) for rows in (catalog()[name].rows, HARDER_ROWS)]
        tables.append(_Table("view", VIEW_ROWS, SHAPES["planted"].columns))
    if options.sets is not None:
        known = ("wide", "view", *SHAPES, *REAL)
        unknown = set(options.sets) - {*known}
        if unknown:
            raise InputError(f"--sets: no table {min(unknown)!r}; choose among {', '.join(known)}")
        tables = [one for one in tables if one.name in options.sets]
    return [
        Job(
            key={
                "experiment": "size",
                "method": method,
                "table": one.name,
                "M": one.rows,
                "N": one.columns,
                "seed": 0,
            },
            work=measure,
            arguments={"method": method, "table": one.name, "n_rows": one.rows, "n_columns": one.columns},
        )
        for one in tables
        for method in methods
        if one.takes(method)
    ]


def measure(method: str, table: str, n_rows: int, n_columns: int) -> Measures:
    """Let a process of its own work on a table; return its processor seconds and what it found."""
    folder = Path(tempfile.gettempdir()) / "nri-bench-size"
    out = folder / f"found-{os.getpid()}.json"
    path = _made(folder, table, n_rows, n_columns)
    if method in ("nri", "nri-memory", "nri-duckdb"):
        where = [f"duckdb://{path}", "--table", "rows"] if table == "view" else [str(path)]
        engine = [] if method == "nri" else ["--engine", method.removeprefix("nri-")]
        used, _ = _run(["-m", "nri", "induce", *where, "--target", "y", *engine, "--out", str(out)])
        found: Measures = {**used, **_judged(table, out, folder)}
    elif method == "nri-predict":
        found = _predicted(folder, path, out)
    else:
        fresh = folder if method == "duckdb" else _fresh(folder, table, n_columns)
        used, _ = _run(["-m", "nri_bench.run.any_size", method, str(path), str(fresh), str(out)])
        found = {**used, **(json.loads(out.read_text()) if out.exists() else {})}
    out.unlink(missing_ok=True)
    return found


def _made(folder: Path, table: str, n_rows: int, n_columns: int) -> Path:
    """Return the file of a table."""
    if table == "wide":
        return make_wide(folder, n_rows, n_columns)
    if table == "view":
        return make_view(folder, SHAPES["planted"], n_rows)
    if table in REAL:
        return make_real(folder, table, n_rows if n_rows == HARDER_ROWS else None)
    return make_table(folder, SHAPES[table], n_rows)


def _fresh(folder: Path, table: str, n_columns: int) -> Path:
    """Return a file of rows that no rule was learned from."""
    if table == "wide":
        fresh = folder / f"fresh-wide-{n_columns}.parquet"
        wide_rows(WIDE_FRESH, range(n_columns), fresh=True).to_parquet(fresh)
        return fresh
    if table in REAL:
        return make_real(folder, table, fresh=True)
    return make_table(folder, SHAPES["planted" if table == "view" else table], FRESH, fresh=True)


def _run(command: Sequence[str]) -> tuple[dict[str, float], str]:
    """Run Python on one core; return its processor seconds and peak memory, and what it wrote to stderr."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    process = subprocess.Popen(
        [sys.executable, *command], env=os.environ | one, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    stderr = process.stderr.read().decode(errors="replace")
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode:
        raise RuntimeError(stderr.strip().splitlines()[-1] if stderr.strip() else f"ended by {status}")
    return {"cpu_seconds": used.ru_utime + used.ru_stime, "process_mb": used.ru_maxrss / 1024}, stderr


def _predicted(folder: Path, path: Path, rule: Path) -> Measures:
    """Stream predictions of a rule; ``equal`` if memory says the same of every row, to the last digit."""
    import numpy as np
    import pandas as pd

    from nri import read_rule

    learned = make_table(folder, SHAPES["planted"], FRESH, fresh=True)
    _run(["-m", "nri", "induce", str(learned), "--target", "y", "--out", str(rule)])
    scored = folder / f"scored-{os.getpid()}.parquet"
    used, _ = _run(["-m", "nri", "predict", str(rule), str(path), "--only", "--out", str(scored)])
    streamed = pd.read_parquet(scored)
    scored.unlink()
    rules = read_rule(rule)
    rows = pd.read_parquet(path, columns=list(rules.columns))
    labels = rules.predict(rows)
    chances = np.round(rules.predict_proba(rows).max(axis=1), 4)
    same = (streamed.iloc[:, 0].to_numpy() == labels) & (streamed.iloc[:, 1].to_numpy() == chances)
    return {**used, "equal": bool(len(same) == len(rows) and same.all())}


def _judged(table: str, rule: Path, folder: Path) -> Measures:
    """How a rule does on rows that were not learned from, and whether it is the one that was planted."""
    import pandas as pd

    from nri import read_rule

    rules = read_rule(rule)
    equal: bool | None = None
    if table == "wide":
        equal = rules.columns == ("x0",)
        rows = wide_rows(WIDE_FRESH, [int(name[1:]) for name in rules.columns], fresh=True)
    else:
        if table == "view" or (table in SHAPES and SHAPES[table].planted):
            equal = planted_exactly(rules)
        rows = pd.read_parquet(_fresh(folder, table, 0))
    predicted = rules.predict(rows)
    right = sum(one.counts[rules.labels.index(one.value)] for one in rules.estimates)
    return {
        "right_on_all": right / rules.support.rows,
        "accuracy": float((predicted.astype(str) == rows["y"].astype(str).to_numpy()).mean()),
        "literals": rules.n_literals,
        "equal": equal,
    }


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw seconds and memory over the rows of the planted table."""
    from nri_bench.figures.size import size_figure

    figure = size_figure(rows)
    return {"size": figure} if figure else {}


EXPERIMENT = Experiment(
    "size",
    "Processor seconds and peak memory of the command line on tables of any size.",
    jobs,
    size_table,
    figures,
    takes=("sizes", "sets"),
)
