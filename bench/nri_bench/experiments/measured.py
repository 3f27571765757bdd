"""``nri bench number`` and ``nri bench survival``: rules for measured outcomes beside their rivals.

The tables are CSV files of a folder (``--data`` or ``NRI_DATA``) whose ``datasets.json`` names the target, or
the time and the event, of each. Of the names in order every other one is in the half to choose
constants on. Each table is parted into five folds; and 100 rows are drawn to learn from, all others judge.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from nri import InputError
from nri_bench.arrays import FloatArray, IntArray
from nri_bench.experiments.base import Experiment, Options
from nri_bench.methods.measured import NUMBER_METHODS, SURVIVAL_METHODS, Answer, MeasuredMethod
from nri_bench.run import Job, Measures, Row
from nri_bench.tables.cell import NO_ROWS, markdown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDS, DRAWS, DRAWN = 5, 3, 100
"""Parts of a table; draws of so many rows to learn from."""
_LEAST_QUERY = 50
_TIMES = 30
"""Points in time over which Brier scores are taken."""
Data = tuple[pd.DataFrame, FloatArray]
"""Columns, and numbers [M] or times and events [M, 2]."""


@dataclass(frozen=True)
class Suite:
    """Tables with one sort of outcome, and how predictions for it are judged."""

    name: str
    methods: dict[str, MeasuredMethod]
    columns: tuple[str, ...]
    """entries of ``datasets.json`` that name the columns of the outcome"""
    judge: Callable[[FloatArray, FloatArray, Answer], Measures]
    """from the outcome of the rows that were learnt from, that of others, and what is predicted for these"""
    scores: dict[str, tuple[str, float]]
    """fields of a row: heading, and what a fit that failed counts"""


def judge_numbers(support: FloatArray, query: FloatArray, answer: Answer) -> Measures:
    """Return R², and the share of the absolute error of always saying the median that is saved."""
    off, beside = query - answer.predicted, query - support.mean()
    by_median = np.abs(query - np.median(support)).sum()
    return {"r2": float(1 - (off @ off) / (beside @ beside)), "mae": float(1 - np.abs(off).sum() / by_median)}


def judge_risks(support: FloatArray, query: FloatArray, answer: Answer) -> Measures:
    """Return the concordance and, of methods with curves, the integrated Brier score."""
    from lifelines.utils import concordance_index

    concordance = concordance_index(query[:, 0], -answer.predicted, query[:, 1])
    measures: Measures = {"concordance": float(concordance)}
    if answer.curves is not None:
        measures["brier"] = integrated_brier(support, query, answer)
    return measures


def integrated_brier(support: FloatArray, query: FloatArray, answer: Answer) -> float:
    """Return the mean Brier score over time, rows weighed by their chance of not being censored before."""
    from lifelines import KaplanMeierFitter

    assert answer.curves is not None
    time, event = query[:, 0], query[:, 1] > 0
    first, last = np.quantile(time[event], (0.05, 0.95))
    times = np.linspace(float(first), float(last), _TIMES)
    uncensored = KaplanMeierFitter().fit(support[:, 0], 1 - support[:, 1])
    before = np.nextafter(time, -np.inf)
    own, of_times = (np.maximum(uncensored.predict(at).to_numpy(), 0.05) for at in (before, times))
    alive = answer.curves(times)
    gone = ((time[:, None] <= times) & event[:, None]) / own[:, None]
    there = (time[:, None] > times) / of_times
    return float((gone * alive**2 + there * (1 - alive) ** 2).mean())


NUMBER = Suite(
    "number",
    NUMBER_METHODS,
    ("target",),
    judge_numbers,
    {"r2": ("R²", 0.0), "mae": ("error saved", 0.0)},
)
SURVIVAL = Suite(
    "survival",
    SURVIVAL_METHODS,
    ("time", "event"),
    judge_risks,
    {"concordance": ("concordance", 0.5), "brier": ("Brier score", np.nan)},
)


def jobs(suite: Suite, options: Options) -> list[Job]:
    """One job for each table, part of its rows and method."""
    names = options.methods or (("constant", "rule") if options.quick else tuple(suite.methods))
    for name in names:
        if name not in suite.methods:
            raise InputError(f"no method {name!r} for {suite.name}; there are {', '.join(suite.methods)}")
    made = []
    for place, (table, data) in enumerate(tables(suite, options.data_dir).items()):
        if options.sets is not None and table not in options.sets:
            continue
        digest = hashlib.sha256(pd.util.hash_pandas_object(data[0]).to_numpy().tobytes()).hexdigest()[:8]
        half = ("choosing", "confirming")[place % 2]
        for seed in options.seeds or (0,):
            for part, rows in parts(len(data[1]), seed).items():
                made += [
                    Job(
                        key={"experiment": suite.name, "method": name, "dataset": table, "part": part},
                        work=fit_and_judge,
                        arguments={"suite": suite.name, "method": name, "data": data, "rows": rows},
                        facts={"half": half, "data": digest, "n": len(rows[0])},
                    )
                    for name in names
                ]
    return made


def tables(suite: Suite, folder: Path | None) -> dict[str, Data]:
    """Read the tables of a folder, in the order of their names."""
    folder = folder or Path(os.environ.get("NRI_DATA", "."))
    index = folder / "datasets.json"
    if not index.exists():
        raise InputError(f"--data {folder}: no datasets.json there, which names the outcome of each table")
    found = {}
    for name, entry in sorted(json.loads(index.read_text(encoding="utf-8")).items()):
        missing = [column for column in suite.columns if column not in entry]
        if missing:
            raise InputError(
                f"{index}: {name} has no {missing[0]!r}; --data must name tables for {suite.name}"
            )
        outcome = [entry[column] for column in suite.columns]
        frame = pd.read_csv(folder / f"{name}.csv", low_memory=False).dropna(subset=outcome)
        values = frame[outcome].to_numpy(np.float64)
        rows = frame.drop(columns=outcome).reset_index(drop=True)
        found[name] = rows, values[:, 0] if len(outcome) == 1 else values
    return found


def parts(n_rows: int, seed: int) -> dict[str, tuple[IntArray, IntArray]]:
    """Return rows to learn from and rows to judge on: five folds, and draws of 100 rows."""
    order = np.random.default_rng([seed, 7]).permutation(n_rows)
    made = {}
    for fold in range(FOLDS):
        query = order[fold::FOLDS]
        made[f"fold {seed}.{fold}"] = np.setdiff1d(order, query), query
    for draw in range(DRAWS if n_rows >= DRAWN + _LEAST_QUERY else 0):
        order = np.random.default_rng([seed, draw, DRAWN]).permutation(n_rows)
        made[f"draw {seed}.{draw}"] = order[:DRAWN], order[DRAWN:]
    return made


def fit_and_judge(suite: str, method: str, data: Data, rows: tuple[IntArray, IntArray]) -> Measures:
    """Learn from some rows, and judge on others; see the columns of :func:`table`."""
    chosen = NUMBER if suite == "number" else SURVIVAL
    X, y = data
    support, query = (X.iloc[part].reset_index(drop=True) for part in rows)
    answer = chosen.methods[method].fit_and_say(support, y[rows[0]], query)
    judged = chosen.judge(y[rows[0]], y[rows[1]], answer)
    return {**judged, "segments": answer.segments, "literals": answer.literals}


def table(suite: Suite, rows: Sequence[Row]) -> str:
    """Means over tables by half and by how rows were chosen; then every table by itself.

    A fit that failed or ran out of time counts as the constant prediction, which its user falls back to.
    """
    frame = _frame(suite, rows)
    if frame.empty:
        return NO_ROWS
    blocks = [_half(suite, frame[frame["half"] == half], half) for half in ("choosing", "confirming")]
    failed = frame[frame["status"] != "ok"].groupby("method").size()
    notes = [
        f"{count} fits of {suite.methods[str(name)].label} failed or ran out of time"
        for name, count in failed.items()
    ]
    text = "\n".join(block for block in [*blocks, _by_table(suite, frame)] if block)
    return text + (f"\n{'; '.join(notes)}.\n" if notes else "")


def _frame(suite: Suite, rows: Sequence[Row]) -> pd.DataFrame:
    frame = pd.DataFrame(list(rows))
    if frame.empty:
        return frame
    for column in ("segments", "literals", "seconds", *suite.scores):
        frame[column] = frame[column].astype(np.float64) if column in frame else np.nan
    for column, (_, constant) in suite.scores.items():
        # one wild prediction must not outweigh all tables
        frame[column] = frame[column].where(frame["status"] == "ok", constant).clip(lower=-1.0)
    if "timed" in frame:  # seconds beside other work say little
        frame["seconds"] = frame["seconds"].where(frame["timed"].astype(bool))
    return frame.assign(drawn=frame["part"].str.startswith("draw"))


def _half(suite: Suite, part: pd.DataFrame, half: str) -> str:
    """Write the table of one half, nothing if it has no rows."""
    lines, fits = [], part["method"].value_counts().max()
    for name, method in suite.methods.items():
        own = part[part["method"] == name]
        if own.empty:
            continue
        by_part = [own[~own["drawn"]], own[own["drawn"]]]
        scores = [
            _shown(rows.groupby("dataset")[field].mean().mean(), 3)
            for field in suite.scores
            for rows in by_part
        ]
        sizes = [_shown(rows[field].median(), 0) for field in ("segments", "literals") for rows in by_part]
        # means over other tables than those of the others would compare the tables
        label = method.label if len(own) == fits else f"{method.label} ({len(own)} of {fits} fits)"
        lines.append([label, *scores, *sizes, _shown(by_part[0]["seconds"].mean(), 2)])
    headings = [heading for heading, _ in suite.scores.values()]
    wide = [
        f"{one}, {how}" for one in (*headings, "branches", "literals") for how in ("folds", f"n = {DRAWN}")
    ]
    tables = part["dataset"].nunique()
    text = markdown(["method", *wide, "seconds"], lines)
    return f"{half.capitalize()} half, {tables} tables:\n\n{text}" if lines else ""


def _by_table(suite: Suite, frame: pd.DataFrame) -> str:
    """Write the first score of every table over the folds."""
    field, (heading, _) = next(iter(suite.scores.items()))
    means = frame[~frame["drawn"]].pivot_table(index="dataset", columns="method", values=field)
    names = [name for name in suite.methods if name in means.columns]
    lines = [[str(row), *(_shown(means.loc[row, name], 2) for name in names)] for row in means.index]
    return f"{heading} over five folds:\n\n" + markdown(
        ["table", *(suite.methods[name].label for name in names)], lines
    )


def _shown(number: float, digits: int) -> str:
    return "–" if number != number else f"{number:.{digits}f}"  # noqa: RUF001


def figures(suite: Suite, rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw the first score of every method: its mean, and the tables as dots."""
    from nri_bench.figures.dots import variant_dots

    frame = _frame(suite, rows)
    if frame.empty:
        return {}
    field, (heading, _) = next(iter(suite.scores.items()))
    means = frame.groupby(["method", "dataset", "drawn"])[field].mean().unstack()
    means = means.rename(columns={False: "folds", True: "draws"}).reset_index()
    looks = {"rule": "seeded", "tree-8": "tree-4"}
    lines: list[dict[str, object]] = [
        {
            **{str(key): cell for key, cell in line.items()},
            "label": method.label,
            "method": looks.get(name, name),
        }
        for name, method in suite.methods.items()
        for line in means[means["method"] == name].to_dict("records")
    ]
    shown = [("folds", f"{heading}, five folds", 1.0), ("draws", f"{heading}, n = {DRAWN}", 1.0)]
    figure = variant_dots(lines, [one for one in shown if one[0] in means], one_scale=True)
    return {} if figure is None else {suite.name: figure}


NUMBER_EXPERIMENT, SURVIVAL_EXPERIMENT = (
    Experiment(
        suite.name,
        about,
        partial(jobs, suite),
        partial(table, suite),
        partial(figures, suite),
        takes=("sets",),
    )
    for suite, about in (
        (NUMBER, "Rules for a number beside their rivals, on raw tables."),
        (SURVIVAL, "Rules for the time until an event beside their rivals, on raw tables."),
    )
)
