"""Public sets for ``nri bench size``: as they are, and resampled with noise to any number of rows.

A third of the rows is kept back to judge. Of the others rows are drawn with replacement by hashes of row
numbers; each number moves by a twentieth of its column's spread, and one cell of a category in fifty is that
of another row.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from nri_bench.datasets.load import load_raw

if TYPE_CHECKING:
    import pandas as pd

REAL = {"adult": 14, "nursery": 8, "mushroom": 22, "credit-approval": 15, "german-credit": 20}
"""The large ones of the fourteen sets and those about credit, each with its number of columns."""
_SPREAD, _STRAY = 0.05, 0.02


def real_rows(name: str, *, fresh: bool) -> pd.DataFrame:
    """Return the rows of a set that are learned from, or those that judge; the target is ``y``."""
    import numpy as np
    import pandas as pd

    raw = load_raw(name)
    numbers = {column: pd.to_numeric(raw.frame[column]) for column in raw.numeric}
    frame = raw.frame.assign(**numbers, y=raw.target)
    judges = np.random.default_rng(0).random(len(frame)) < 1 / 3
    return frame[judges if fresh else ~judges].reset_index(drop=True)


def make_real(folder: Path, name: str, n_rows: int | None = None, *, fresh: bool = False) -> Path:
    """Return a file with the rows of a set, or with so many drawn from them."""
    folder.mkdir(exist_ok=True)
    ending = "" if n_rows is None else f"-{n_rows}"
    path = folder / f"{'fresh' if fresh else 'rows'}-{name}{ending}.parquet"
    if path.exists():
        return path
    frame = real_rows(name, fresh=fresh)
    part = path.with_suffix(f".{os.getpid()}.part")
    if n_rows is None:
        frame.to_parquet(part, index=False)
    else:
        import duckdb

        with duckdb.connect() as connection:
            connection.execute("SET threads = 1")
            connection.execute("SET enable_progress_bar = false")
            connection.register("given", frame)
            connection.execute(f"COPY ({_drawn(frame, n_rows)}) TO '{part}' (FORMAT parquet)")
    part.rename(path)
    return path


def _drawn(frame: pd.DataFrame, n_rows: int) -> str:
    """Write the query that draws rows."""
    width = 2 * len(frame.columns) + 2

    def uniform(k: int) -> str:
        return f"(hash(i * {width} + {k}) / 18446744073709551616.0)"

    def place(k: int) -> str:
        return f"1 + CAST(floor({uniform(k)} * {len(frame)}) AS INT)"

    lists = ", ".join(f'list("{name}") AS "{name}"' for name in frame.columns)
    cells = []
    for k, name in enumerate(frame.columns):
        own, other = (f'l."{name}"[{one}]' for one in ("r", place(2 * k + 2)))
        if name == "y":
            cells.append(f"{own} AS y")
        elif frame[name].dtype.kind in "if":
            noise = _SPREAD * 12**0.5 * float(frame[name].std())
            cells.append(f'round({own} + {noise} * ({uniform(2 * k + 1)} - 0.5), 4) AS "{name}"')
        else:
            cells.append(f'CASE WHEN {uniform(2 * k + 1)} < {_STRAY} THEN {other} ELSE {own} END AS "{name}"')
    rows = f"SELECT i, {place(0)} AS r FROM range({n_rows}) AS t(i)"
    return f"SELECT {', '.join(cells)} FROM ({rows}), (SELECT {lists} FROM given) AS l"
