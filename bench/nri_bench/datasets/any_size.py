"""Tables of any number of rows for ``nri bench size``, made by DuckDB from hashes of row numbers."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from nri import Rule
    from nri_bench.arrays import FloatArray

FRESH = 100_000
"""Rows that judge what was found; of planted rules without noise."""
_LARGE = 10**7
"""Bytes of a file of which there is one at a time."""
_LABELS = "CASE WHEN {positive} THEN 'yes' ELSE 'no' END"
_PLANTED = "((x0 > 0.7 AND c0 = 'red') OR (x1 <= 0.4 AND x2 > 0.5))"
_SUM = "(x0 + x1 * x2 - 0.7 * x3 + 0.3 * (c0 = 'red')::INT + 0.4 * (c1 = 'blue')::INT + 0.5 * (z0 - z1))"


@dataclass(frozen=True)
class Shape:
    """What a table is like."""

    about: str
    numbers: int = 10
    categories: int = 5
    label: str = _LABELS.format(positive=f"{_PLANTED} <> (z0 < {{noise}})")
    planted: bool = True
    missing: float = 0.0

    @property
    def columns(self) -> int:
        """How many there are beside the target."""
        return self.numbers + self.categories


SHAPES = {
    "planted": Shape("planted rule of two clauses, 5 % noise"),
    "no-rule": Shape("a noisy sum, no rule", label=_LABELS.format(positive=f"{_SUM} > 0.6"), planted=False),
    "many-columns": Shape("200 columns", numbers=150, categories=50),
    "missing": Shape("10 % of the cells missing", missing=0.1, planted=False),
    "five-classes": Shape(
        "five classes by a noisy sum",
        label=f"'k' || least(4, greatest(0, floor(5 * ({_SUM} + 0.5) / 2.2)::INT))",
        planted=False,
    ),
    "rare": Shape(
        "a positive class of 0.1 %",
        label=_LABELS.format(positive="(x0 > 0.95 AND x1 > 0.975) <> (z0 < {noise} / 1000)"),
        planted=False,
    ),
}


def make_table(folder: Path, shape: Shape, n_rows: int, *, fresh: bool = False) -> Path:
    """Return a file with the table; a folder holds one large table at a time."""
    import duckdb

    name = f"{'fresh' if fresh else 'rows'}-{hash_of(shape)}-{n_rows}"
    path = folder / f"{name}.parquet"
    if path.exists():
        return path
    folder.mkdir(exist_ok=True)
    for old in () if fresh else folder.glob("rows-*"):
        if old.stat().st_size > _LARGE:  # small ones may be another run's
            old.unlink()
    part = path.with_suffix(f".{os.getpid()}.part")
    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET memory_limit = '4GB'")
        connection.execute(f"COPY ({select(shape, n_rows, fresh=fresh)}) TO '{part}' (FORMAT parquet)")
    part.rename(path)
    return path


def make_view(folder: Path, shape: Shape, n_rows: int) -> Path:
    """Return a database of DuckDB with a view ``rows`` that computes the table whenever it is asked."""
    import duckdb

    folder.mkdir(exist_ok=True)
    path = folder / f"view-{hash_of(shape)}-{n_rows}.db"
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE VIEW rows AS {select(shape, n_rows)}")
    return path


def hash_of(shape: Shape) -> str:
    """Return a name for what a table is like."""
    import hashlib

    return hashlib.sha256(repr(shape).encode()).hexdigest()[:12]


def select(shape: Shape, n_rows: int, *, fresh: bool = False) -> str:
    """Write the query that computes the rows; fresh ones have other numbers, and no noise if planted."""
    first = 10**12 if fresh else 0
    width = 2 * shape.columns + 8

    def uniform(k: int) -> str:
        return f"(hash(i * {width} + {k}) / 18446744073709551616.0)"

    cells = [f"{uniform(k)} AS x{k}" for k in range(shape.numbers)]
    words = "['red', 'green', 'blue', 'black', 'white']"
    for k in range(shape.categories):
        cells.append(f"{words}[1 + CAST(floor({uniform(shape.numbers + k)} * 5) AS INT)] AS c{k}")
    noise = [f"{uniform(shape.columns + k)} AS z{k}" for k in range(2)]
    label = shape.label.replace("{noise}", "-1" if fresh else "0.05")
    names = [*(f"x{k}" for k in range(shape.numbers)), *(f"c{k}" for k in range(shape.categories))]
    held = ", ".join(
        f"CASE WHEN {uniform(shape.columns + 2 + k)} >= {shape.missing} THEN {name} END AS {name}"
        if shape.missing
        else name
        for k, name in enumerate(names)
    )
    rows = f"SELECT i, {', '.join([*cells, *noise])} FROM range({first}, {first + n_rows}) AS t(i)"
    return f"SELECT {held}, {label} AS y FROM ({rows})"


WIDE_FRESH = 1000
"""Rows that judge what was found in wide tables."""


def wide_rows(n_rows: int, columns: Iterable[int], *, fresh: bool = False) -> pd.DataFrame:
    """Return some columns of a table of noise but for ``x0``, which gives the target, 5 % flipped."""
    import numpy as np
    import pandas as pd

    def uniform(k: int) -> FloatArray:
        return np.random.default_rng([int(fresh), k]).random(n_rows).round(5)

    flipped = np.zeros(n_rows, dtype=bool) if fresh else np.random.default_rng([2, 0]).random(n_rows) < 0.05
    labels = np.where((uniform(0) > 0.6) ^ flipped, "yes", "no")
    return pd.DataFrame({f"x{k}": uniform(k) for k in columns} | {"y": labels})


def make_wide(folder: Path, n_rows: int, n_columns: int) -> Path:
    """Return a CSV file with a wide table."""
    path = folder / f"wide-{n_rows}-{n_columns}.csv"
    folder.mkdir(exist_ok=True)
    if not path.exists():
        part = path.with_suffix(f".{os.getpid()}.part")
        wide_rows(n_rows, range(n_columns)).to_csv(part, index=False)
        part.rename(path)
    return path


_CUTS = {("x0", ">"): 0.7, ("x1", "<="): 0.4, ("x2", ">"): 0.5}
_NEAR = 0.01 * 12**-0.5
"""A hundredth of the standard deviation of the numbers."""


def planted_exactly(rule: Rule) -> bool:
    """Whether a rule is the planted one, each cut to within a hundredth of a standard deviation."""
    clauses = rule.clauses
    shape = {frozenset((x.column, x.op.value) for x in clause) for clause in clauses}
    wanted = {frozenset({("x0", ">"), ("c0", "=")}), frozenset({("x1", "<="), ("x2", ">")})}
    found = {tuple(sorted(part)) for part in shape}
    if len(clauses) != 2 or found != {tuple(sorted(part)) for part in wanted}:
        return False
    cuts = {(x.column, x.op.value): x.value for clause in clauses for x in clause if x.column != "c0"}
    return all(abs(float(str(cuts[place])) - cut) <= _NEAR for place, cut in _CUTS.items())
