"""``nri bench regression``: rules for a number beside their rivals, on raw tables with a numeric outcome.

The tables are CSV files of a folder (``--data`` or ``NRI_DATA``) that hold these columns, and one that comes
with scikit-learn; files that are not there are left out. Constants were chosen on the tables of one half.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from nri import InputError
from nri_bench.experiments.base import Experiment, Options
from nri_bench.methods.numbers import NUMBER_METHODS
from nri_bench.run import Job, Measures, Row
from nri_bench.tables.cell import NO_ROWS, markdown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHOOSING = {
    "abalone": "rings",
    "boys-genital": "hc",
    "charity": "avggift",
    "creditcard-accept": "income",
    "dystrophy": "CK",
    "fastfood": "calories",
    "hawks": "Weight",
    "hmda": "lvrat",
    "loan-grade": "total_credit_limit",
    "mpg-class": "hwy",
    "nhefs-death": "wt71",
    "ornstein-sector": "interlocks",
    "penguins": "body_mass_g",
    "saheart": "Ldl",
    "skillcraft": "APM",
    "tree-biomass-species": "wood",
    "vietnam-farm": "lnmed",
    "wages1-sex": "wage",
    "whas500": "bmi",
    "winequality-white": "alcohol",
}
"""Tables on which constants were chosen, and the column that is the outcome."""
CONFIRMING = {
    "diabetes": "target",
    "beauty-sex": "wage",
    "body-sex": "Weight",
    "college-private": "Outstate",
    "diamond-certificate": "price",
    "efc-dependency": "c12hour",
    "flchain": "creatinine",
    "help-substance": "mcs",
    "k401-eligible": "nettfa",
    "medexp-health": "med",
    "nba-salary-position": "wage",
    "nmes-insurance": "visits",
    "pbc-status": "bili",
    "reaven-diabetes": "sspg",
    "stereotype-threat": "gpa",
    "un-region": "infantMortality",
    "wage-health-ins": "wage",
    "wells-switch": "arsenic",
    "wine-reviews": "price",
    "yeast": "mcg",
}
"""Tables that had no say in any constant."""
SIZES = (100, 300, 1000)
"""Rows to learn from."""
_QUERY = 2000
_LEAST_QUERY = 50


def jobs(options: Options) -> list[Job]:
    """One job for each table, number of rows and method."""
    names = options.methods or (("mean", "segments", "ridge") if options.quick else tuple(NUMBER_METHODS))
    for name in names:
        if name not in NUMBER_METHODS:
            raise InputError(f"no method {name!r} for numbers; there are {', '.join(NUMBER_METHODS)}")
    tables = ["diabetes"] if options.quick else [*CHOOSING, *CONFIRMING]
    made = []
    for table in tables:
        path = _path(table, options.data_dir)
        if table != "diabetes" and not path.exists():
            continue
        data = _read(table, path)
        for size in SIZES[:1] if options.quick else SIZES:
            if len(data[1]) < size + _LEAST_QUERY:
                continue
            for seed in options.seeds or (0,):
                made += [_job(name, table, size, seed, data) for name in names]
    return made


def _job(method: str, table: str, size: int, seed: int, data: tuple[pd.DataFrame, pd.Series[float]]) -> Job:
    digest = hashlib.sha256(pd.util.hash_pandas_object(data[1]).to_numpy().tobytes()).hexdigest()[:8]
    return Job(
        key={"experiment": "regression", "method": method, "dataset": table, "n": size, "seed": seed},
        work=fit_and_judge,
        arguments={"method": method, "data": data, "size": size, "seed": seed},
        facts={"half": "choosing" if table in CHOOSING else "confirming", "data": digest},
    )


def _path(table: str, folder: Path | None) -> Path:
    return (folder or Path(os.environ.get("NRI_DATA", "."))) / f"{table}.csv"


def _read(table: str, path: Path) -> tuple[pd.DataFrame, pd.Series[float]]:
    if table == "diabetes":
        from sklearn.datasets import load_diabetes

        bundled = load_diabetes(as_frame=True, scaled=False)
        return bundled.data, bundled.target
    column = {**CHOOSING, **CONFIRMING}[table]
    frame = pd.read_csv(path, low_memory=False)
    frame = frame[frame[column].notna()].reset_index(drop=True)
    return frame.drop(columns=column), frame[column].astype(np.float64)


def fit_and_judge(method: str, data: tuple[pd.DataFrame, pd.Series[float]], size: int, seed: int) -> Measures:
    """Learn from rows drawn at random, and judge on others; see the columns of :func:`table`."""
    X, y = data[0], np.asarray(data[1], dtype=np.float64)
    order = np.random.default_rng([seed, size]).permutation(len(y))
    support, query = order[:size], order[size : size + _QUERY]
    answer = NUMBER_METHODS[method].fit_and_say(
        X.iloc[support].reset_index(drop=True), y[support], X.iloc[query].reset_index(drop=True)
    )
    off = y[query] - answer.said
    beside_mean, beside_median = y[query] - y[support].mean(), y[query] - np.median(y[support])
    return {
        "r2": float(1 - (off @ off) / (beside_mean @ beside_mean)),
        "mae": float(1 - np.abs(off).sum() / np.abs(beside_median).sum()),
        "segments": answer.segments,
        "literals": answer.literals,
    }


def table(rows: Sequence[Row]) -> str:
    """R² and the share of the median's error that is saved, by half of the tables and rows to learn from.

    A fit that failed or ran out of time counts as the mean, which is what its user falls back to.
    """
    frame = pd.DataFrame(list(rows))
    if frame.empty:
        return NO_ROWS
    for column in ("r2", "mae"):
        told = frame[column].astype(np.float64)
        frame[column] = told.fillna(0.0).clip(lower=-1.0)  # one wild prediction must not outweigh all tables
    blocks = [_half(frame[frame["half"] == half], half) for half in ("choosing", "confirming")]
    failed = frame[frame["status"] != "ok"].groupby("method").size()
    notes = [
        f"{count} fits of {NUMBER_METHODS[str(name)].label} failed or ran out of time"
        for name, count in failed.items()
    ]
    return "\n".join(block for block in blocks if block) + (f"\n{'; '.join(notes)}.\n" if notes else "")


def _half(part: pd.DataFrame, half: str) -> str:
    """Write the table of one half, nothing if it has no rows."""
    sizes = sorted(part["n"].unique())
    lines = []
    for name, method in NUMBER_METHODS.items():
        own = part[part["method"] == name]
        if own.empty:
            continue
        by_size = own.groupby("n")["r2"].mean()
        whole = len(by_size) == len(sizes)
        cells = [_shown(by_size.get(n, np.nan)) for n in sizes]
        all_sizes = [_shown(own["r2"].mean() if whole else np.nan)]
        saved = f"{100 * own['mae'].mean():.0f}" if whole else _shown(np.nan)
        counts = [_count(own[column].dropna()) for column in ("segments", "literals")]
        lines.append([method.label, *cells, *all_sizes, saved, *counts])
    header = ["method", *(f"R², n = {n}" for n in sizes), "R², all", "error saved, %", "segments", "literals"]
    tables = part["dataset"].nunique()
    return f"{half.capitalize()} half, {tables} tables:\n\n{markdown(header, lines)}" if lines else ""


def _shown(number: float) -> str:
    return "–" if number != number else f"{number:.2f}"  # noqa: RUF001


def _count(counts: pd.Series[float]) -> str:
    return f"{counts.median():.0f}" if len(counts) else _shown(np.nan)


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """No figure: the table says it."""
    return {}


EXPERIMENT = Experiment(
    "regression", "Rules for a number beside their rivals, on raw tables.", jobs, table, figures
)
