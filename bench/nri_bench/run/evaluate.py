"""One fit on a draw of a raw table and its judgement: the work behind the rows of the wide suite.

:func:`evaluate` is also the place to choose constants with: it runs in this process and returns a mapping.
"""

import time
from pathlib import Path
from typing import Any

import numpy as np

from nri_bench.arrays import FloatArray, IntArray
from nri_bench.datasets.wide import WideTable, load_wide, wide_folder
from nri_bench.draws import draw_rows, rows_outside
from nri_bench.methods.raw import make_raw
from nri_bench.run import Measures
from nri_bench.run.score import balanced_accuracy, note_of, size_of

LEAST_CHANCE = 1e-3
"""A chance below one in a thousand counts as that: one row of a class never seen must not decide a mean."""
MISS = 5.0
"""What missing a row of the rarer class costs at 5 : 1, where a false alarm costs 1."""


def evaluate(
    method: str,
    dataset: str | WideTable,
    n: int,
    draw: int,
    *,
    data_dir: Path | None = None,
    warm: bool = False,
) -> Measures:
    """Fit a method on the support rows of one draw and measure it on the query rows.

    Parameters
    ----------
    method
        A name of the registry.
    dataset
        A name of the suite, read once in a process, or a table.
    n, draw
        How many support rows, and which draw of them; see :mod:`nri_bench.draws`.
    data_dir
        Folder of the suite; by default :func:`~nri_bench.datasets.wide.wide_folder` finds it.
    warm
        Whether to fit twice and time the second fit: for seconds that are to be published.
    """
    table = load_wide(dataset, wide_folder(data_dir)) if isinstance(dataset, str) else dataset
    rows = draw_rows(table.name, table.y, n, draw)
    model, seen, seconds = _fit(method, table, rows.support, draw)
    if warm:
        model, seen, seconds = _fit(method, table, rows.support, draw)
    truth = table.y[rows.query]
    chances = _chances(model, table, rows.query, seen)
    answer = _answers(model, table, rows.query, seen)
    size = size_of(method, model, n_classes=len(seen))
    measures: Measures = {
        "accuracy": float(np.mean(answer == truth)),
        "balanced_accuracy": balanced_accuracy(truth, answer),
        "log_loss": log_loss(truth, chances),
        "fit_seconds": seconds,
        "clauses": size.clauses if size else None,
        "literals": size.literals if size else None,
    }
    if len(table.classes) == 2:
        rare = int(np.argmin(np.bincount(table.y, minlength=2)))
        measures["cost"] = mean_cost(truth == rare, chances[:, rare])
    note = note_of(model)
    return {**measures, "note": note} if note else measures


def agreement(method: str, table: WideTable, n: int, draws: tuple[int, int]) -> Measures:
    """Return on which share of rows, outside both supports, models from two draws give the same answer."""
    outside = rows_outside(table.name, table.y, n, draws)
    answers = []
    for draw in draws:
        support = draw_rows(table.name, table.y, n, draw).support
        model, seen, _ = _fit(method, table, support, draw)
        answers.append(_answers(model, table, outside, seen))
    return {"agreement": float(np.mean(answers[0] == answers[1])), "n_query": len(outside)}


def log_loss(truth: IntArray, chances: FloatArray) -> float:
    """Mean of minus the logarithm of the chance of the true class, see :data:`LEAST_CHANCE`."""
    held = np.clip(chances, LEAST_CHANCE, None)
    held /= held.sum(axis=1, keepdims=True)
    return float(-np.log(held[np.arange(len(truth)), truth]).mean())


def mean_cost(is_rare: FloatArray, chance: FloatArray) -> float:
    """Mean cost at 5 : 1 of saying the rarer class wherever its chance makes that the cheaper answer."""
    said = MISS * chance > 1 - chance
    return float(np.mean(np.where(is_rare, MISS * ~said, said)))


def _fit(method: str, table: WideTable, support: IntArray, seed: int) -> tuple[Any, IntArray, float]:
    """Return the fitted model, the classes it saw, and the CPU seconds of the fit.

    Labels are handed over as 0 .. k-1 without gaps, because a class may be missing from a small support
    and not every method bears that.
    """
    seen, codes = np.unique(table.y[support], return_inverse=True)
    rows = table.frame.iloc[support].reset_index(drop=True)
    model = make_raw(method, seed)
    started = time.process_time()
    model.fit(rows, codes)
    return model, seen, time.process_time() - started


def _answers(model: Any, table: WideTable, rows: IntArray, seen: IntArray) -> IntArray:
    """[rows] class indices of the table."""
    predicted = model.predict(table.frame.iloc[rows].reset_index(drop=True))
    return np.asarray(seen[np.asarray(predicted).astype(np.int64)])


def _chances(model: Any, table: WideTable, rows: IntArray, seen: IntArray) -> FloatArray:
    """[rows, classes of the table]; classes that the support lacks have none."""
    chances = np.zeros((len(rows), len(table.classes)))
    found = np.asarray(model.predict_proba(table.frame.iloc[rows].reset_index(drop=True)))
    chances[:, seen] = found[:, : len(seen)]
    return chances
