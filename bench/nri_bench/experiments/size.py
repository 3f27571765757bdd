"""``nri bench size``: processor seconds and peak memory over rows and columns, each in a process of its own.

Tables are made by DuckDB from hashes of row numbers, the same on every machine, in the folder for temporary
files, one at a time. Seconds are user and system time of the whole process, its start and imports included.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nri import InputError
from nri_bench.datasets.any_size import (
    FRESH,
    SHAPES,
    WIDE_FRESH,
    make_table,
    make_wide,
    planted_exactly,
    wide_rows,
)
from nri_bench.experiments.base import Experiment, Options
from nri_bench.run import Job, Measures, Row
from nri_bench.tables.size import size_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("nri", "duckdb", "tree", "xgboost")
ROWS = (10**3, 10**4, 10**5, 10**6, 10**7, 10**8)
COLUMNS = (10**2, 10**3, 10**4, 10**5)
WIDE_ROWS = 500
HARDER_ROWS = 10**6
_MOST = {"tree": 10**6, "xgboost": 10**6, "duckdb": 10**8}
"""Rows up to which others are run: beyond, they need all rows in memory and minutes."""
_MOST_COLUMNS = {"duckdb": 0, "tree": 10**4, "xgboost": 10**4}


def jobs(options: Options) -> list[Job]:
    """Rows of the planted table, columns of the wide one, and harder tables of a million rows."""
    methods = options.methods or METHODS
    sizes = options.sizes or ((10**3,) if options.quick else ROWS)
    tables = [("planted", rows, SHAPES["planted"].columns) for rows in sizes]
    tables += [("wide", WIDE_ROWS, columns) for columns in ((100,) if options.quick else COLUMNS)]
    if not options.quick:
        harder = (name for name in SHAPES if name != "planted")
        tables += [(name, HARDER_ROWS, SHAPES[name].columns) for name in harder]
    if options.sets is not None:
        unknown = set(options.sets) - {"wide", *SHAPES}
        if unknown:
            known = ", ".join(("wide", *SHAPES))
            raise InputError(f"--sets: no table {min(unknown)!r}; choose among {known}")
        tables = [one for one in tables if one[0] in options.sets]
    return [
        Job(
            key={"experiment": "size", "method": method, "table": table, "M": rows, "N": columns, "seed": 0},
            work=measure,
            arguments={"method": method, "table": table, "n_rows": rows, "n_columns": columns},
        )
        for table, rows, columns in tables
        for method in methods
        if rows <= _MOST.get(method, rows)
        and (table != "wide" or columns <= _MOST_COLUMNS.get(method, columns))
    ]


def measure(method: str, table: str, n_rows: int, n_columns: int) -> Measures:
    """Let a process of its own work on a table; return its processor seconds and what it found."""
    folder = Path(tempfile.gettempdir()) / "nri-bench-size"
    out = folder / f"found-{os.getpid()}.json"
    if table == "wide":
        path = make_wide(folder, n_rows, n_columns)
    else:
        path = make_table(folder, SHAPES[table], n_rows)
    if method == "nri":
        command = ["-m", "nri", "induce", str(path), "--target", "y", "--quiet", "--out", str(out)]
        found: Measures = dict(_run(command))
        found |= _judged(table, out, folder)
    else:
        fresh = folder / f"fresh-{os.getpid()}.parquet"
        if table == "wide":
            wide_rows(WIDE_FRESH, range(n_columns), fresh=True).to_parquet(fresh)
        else:
            fresh = make_table(folder, SHAPES[table], FRESH, fresh=True)
        command = ["-m", "nri_bench.run.any_size", method, str(path), str(fresh), str(out)]
        found = dict(_run(command))
        found |= {"accuracy": float(out.read_text())} if out.exists() else {}
    out.unlink(missing_ok=True)
    return found


def _run(command: Sequence[str]) -> dict[str, float]:
    """Run Python on one core; return its processor seconds and peak memory."""
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    process = subprocess.Popen(
        [sys.executable, *command], env=os.environ | one, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    said = process.stderr.read().decode(errors="replace")
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    if process.returncode:
        raise RuntimeError(said.strip().splitlines()[-1] if said.strip() else f"ended by {status}")
    return {"cpu_seconds": used.ru_utime + used.ru_stime, "process_mb": used.ru_maxrss / 1024}


def _judged(table: str, rule: Path, folder: Path) -> Measures:
    """How a rule does on rows that nobody saw, and whether it is the one that was planted."""
    import pandas as pd

    from nri import RuleSet, read_rules

    rules = read_rules(rule)
    assert isinstance(rules, RuleSet), "the target has classes"
    if table == "wide":
        equal = rules.columns == ("x0",)
        rows = wide_rows(WIDE_FRESH, [int(name[1:]) for name in rules.columns], fresh=True)
    else:
        equal = planted_exactly(rules)
        rows = pd.read_parquet(make_table(folder, SHAPES[table], FRESH, fresh=True))
    said = rules.predict(rows)
    return {
        "accuracy": float((said.astype(str) == rows["y"].astype(str).to_numpy()).mean()),
        "literals": sum(len(tuple(clause)) for one in rules.rules for clause in one.rule),
        "equal": equal if table == "wide" or SHAPES[table].planted else None,
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
