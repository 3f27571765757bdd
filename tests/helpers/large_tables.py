"""Tables with a planted rule for tests of rows in engines: numbers, dates, flags, texts, missing cells."""

from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from nri.induce.induce import Induction, induce_rule
from nri.induce.settings import Settings
from nri.rows.engine import Engine
from nri.rows.files import Files, open_files
from nri.rows.open import rows_in_engine
from nri.rows.sql import SqlRows


def planted(n_rows: int = 8000, seed: int = 0, noise: float = 0.05) -> pd.DataFrame:
    """Return rows that were bought if large and red, or light and seen after March 1st, mostly."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.normal(60, 15, n_rows).round(3),
            "weight": rng.uniform(0, 100, n_rows).round(2),
            "visits": rng.integers(0, 40, n_rows),
            "colour": rng.choice(["red", "green", "blue"], n_rows),
            "seen": pd.Timestamp("2021-01-01") + pd.to_timedelta(rng.integers(0, 365, n_rows), unit="D"),
            "member": rng.random(n_rows) < 0.5,
        }
    )
    wanted = ((frame["size"] > 61.3) & (frame.colour == "red")) | (
        (frame.weight <= 41.7) & (frame.seen > pd.Timestamp("2021-03-01"))
    )
    flipped = rng.random(n_rows) < noise
    return frame.assign(bought=np.where(wanted ^ flipped, "yes", "no"))


def with_gaps(frame: pd.DataFrame, share: float = 0.1, seed: int = 1) -> pd.DataFrame:
    """Return the table with a share of all cells missing but for the target's."""
    rng = np.random.default_rng(seed)
    features = frame.drop(columns="bought").astype({"visits": "Int64", "member": "boolean"})
    return features.mask(rng.random(features.shape) < share).assign(bought=frame.bought)


def written(frame: pd.DataFrame, path: Path) -> Files:
    """Write a table as the name says, and return it as files of one table."""
    if path.suffix == ".parquet":
        frame.to_parquet(path)
        return Files((path,), parquet=True)
    frame.to_csv(path, index=False)
    return Files((path,), parquet=False)


def rows_in_files(files: Files, target: str | None = None, **options: Any) -> SqlRows:
    """Return the rows of files that DuckDB reads; see :func:`nri.rows.open.rows_in_engine`."""
    engine = open_files(files)
    try:
        return rows_in_engine(engine, target, **options)
    except BaseException:
        engine.close()
        raise


def induced(
    files: Files | Engine,
    target: str = "bought",
    *,
    sample: int = 1000,
    threads: int = 1,
    settings: Settings | None = None,
) -> Induction:
    """Induce a rule where the rows are, from a first sample of about so many rows."""
    with (
        patch.dict("os.environ", OMP_NUM_THREADS=str(threads)),
        patch("nri.outcome.Classes.searched_rows", sample),
        patch("nri.outcome.Outcome.searched_rows", sample),
    ):
        engine = files if isinstance(files, Engine) else open_files(files)
        rows = rows_in_engine(engine, target, size=sample)
        try:
            return induce_rule(rows, settings or Settings(model="greedy"))
        finally:
            rows.close()
