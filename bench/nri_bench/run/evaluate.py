"""One fit on a draw of a raw table and its judgement: the work behind the rows of the wide suite.

:func:`evaluate` is also the place to choose constants with: it runs in this process and returns a mapping.
"""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from nri_bench.arrays import BoolArray, FloatArray, IntArray
from nri_bench.datasets.wide import WideTable, load_wide, wide_folder
from nri_bench.draws import Draw, draw_rows, rows_outside
from nri_bench.methods.raw import VARIANTS, make_raw
from nri_bench.methods.simple import PosteriorClassifier
from nri_bench.run import Measures
from nri_bench.run.score import balanced_accuracy, note_of, size_of

LEAST_CHANCE = 1e-3
"""A chance below one in a thousand counts as that: one row of a class never seen must not decide a mean."""
MISS = 5.0
"""What missing a row of the rarer class costs at 5 : 1, where a false alarm costs 1."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted model, the classes that it saw, and the CPU seconds that this took."""

    model: Any
    seen: IntArray
    seconds: float


@dataclass(frozen=True, eq=False)
class Fits:
    """The last few fits, for jobs of one process that need the same: rule and posterior, and agreement.

    It knows nothing of the code that made them: a caller that changes that code takes a new object.
    """

    most: int = 48
    kept: dict[object, Fitted] = field(default_factory=dict)

    def get(self, key: object, make: Callable[[], Fitted]) -> Fitted:
        """Return the fit of that key, made now if it is not kept."""
        if key not in self.kept:
            self.kept[key] = make()
            while len(self.kept) > self.most:
                del self.kept[next(iter(self.kept))]
        return self.kept[key]


def evaluate(
    method: str,
    dataset: str | WideTable,
    n: int,
    draw: int,
    *,
    data_dir: Path | None = None,
    fits: Fits | None = None,
    warm: bool = False,
    cpu_limit: float | None = None,
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
    fits
        Fits of earlier calls that may serve again: the posterior is that of the seeded model's fit.
    warm
        Whether to fit twice and time the second fit: for seconds that are to be published.
    cpu_limit
        CPU seconds after which a fit is given up, with a TimeoutError.
    """
    table = load_wide(dataset, wide_folder(data_dir)) if isinstance(dataset, str) else dataset
    rows = draw_rows(table.name, table.y, n, draw)
    fits = Fits() if fits is None or warm else fits
    if warm:
        _fit(method, table, n, draw, Fits(), cpu_limit)
    fitted = _fit(method, table, n, draw, fits, cpu_limit)
    model, seen = fitted.model, fitted.seen
    truth = table.y[rows.query]
    chances = _chances(model, table, rows.query, seen)
    answer = _answers(model, table, rows.query, seen)
    size = size_of(VARIANTS[method].of if method in VARIANTS else method, model, n_classes=len(seen))
    measures: Measures = {
        "accuracy": float(np.mean(answer == truth)),
        "balanced_accuracy": balanced_accuracy(truth, answer),
        "log_loss": log_loss(truth, chances),
        "fit_seconds": fitted.seconds,
        "clauses": size.clauses if size else None,
        "literals": size.literals if size else None,
    }
    if len(table.classes) == 2:
        rare = _rarer_class(table)
        knows_costs = method in VARIANTS and VARIANTS[method].miss == MISS
        chance = np.asarray(answer == rare, np.float64) if knows_costs else chances[:, rare]
        measures["cost"] = mean_cost(truth == rare, chance, cut=1 / (1 + MISS))
        measures["cost_best_cut"] = least_cost(truth == rare, chance)
    note = note_of(model)
    return {**measures, "note": note} if note else measures


def agreement(
    method: str,
    table: WideTable,
    n: int,
    draws: tuple[int, int],
    fits: Fits | None = None,
    cpu_limit: float | None = None,
) -> Measures:
    """Return on which share of rows, outside both supports, models from two draws give the same answer."""
    outside = rows_outside(table.name, table.y, n, draws)
    fitted = [_fit(method, table, n, draw, fits or Fits(), cpu_limit) for draw in draws]
    first, second = (_answers(one.model, table, outside, one.seen) for one in fitted)
    return {"agreement": float(np.mean(first == second))}


def log_loss(truth: IntArray, chances: FloatArray) -> float:
    """Mean of minus the logarithm of the chance of the true class, see :data:`LEAST_CHANCE`."""
    held = np.clip(chances, LEAST_CHANCE, None)
    held /= held.sum(axis=1, keepdims=True)
    return float(-np.log(held[np.arange(len(truth)), truth]).mean())


def mean_cost(is_rare: BoolArray, chance: FloatArray, cut: float) -> float:
    """Mean cost of predicting the rarer class above a cut of its chance; 1/6 is best for true chances."""
    predicted = chance > cut
    return float(np.mean(np.where(is_rare, MISS * ~predicted, predicted)))


def least_cost(is_rare: BoolArray, chance: FloatArray) -> float:
    """Mean cost with the cut at its best place on these very rows, which is not known beforehand."""
    order = np.argsort(-chance, kind="stable")
    missed = MISS * (is_rare.sum() - np.concatenate([[0], np.cumsum(is_rare[order])]))
    alarms = np.concatenate([[0], np.cumsum(~is_rare[order])])
    ends = np.concatenate([[True], np.diff(chance[order]) != 0, [True]])  # equal chances are cut together
    return float((missed + alarms)[ends].min() / len(is_rare))


def _rarer_class(table: WideTable) -> int:
    return int(np.argmin(np.bincount(table.y, minlength=2)))


def _fit(method: str, table: WideTable, n: int, draw: int, fits: Fits, cpu_limit: float | None) -> Fitted:
    """Fit a method on a draw, or take the fit that is there; the posterior is asked of the seeded fit."""
    if method == "posterior":
        seeded = _fit("seeded", table, n, draw, fits, cpu_limit)
        return replace(seeded, model=PosteriorClassifier.around(seeded.model))

    def make() -> Fitted:
        return _new_fit(method, table, draw_rows(table.name, table.y, n, draw), draw, cpu_limit)

    return fits.get((method, table, n, draw), make)


def _new_fit(method: str, table: WideTable, rows: Draw, seed: int, cpu_limit: float | None) -> Fitted:
    """Fit a method on the support rows.

    Labels are handed over as 0 .. k-1 without gaps, because a class may be missing from a small support
    and not every method bears that.
    """
    seen, codes = np.unique(table.y[rows.support], return_inverse=True)
    model = make_raw(method, seed)
    extra: dict[str, Any] = {}
    variant = VARIANTS.get(method)
    if variant and variant.unlabelled:
        extra["unlabelled"] = _rows(table, rows.unlabelled(variant.unlabelled))
    if variant and variant.miss != 1.0 and len(table.classes) == len(seen) == 2:
        model.set_params(class_weight={_rarer_class(table): variant.miss, 1 - _rarer_class(table): 1.0})
    support = _rows(table, rows.support)
    started = time.process_time()
    with _at_most(cpu_limit):
        model.fit(support, codes, **extra)
    return Fitted(model, seen, time.process_time() - started)


def _rows(table: WideTable, rows: IntArray) -> pd.DataFrame:
    return table.frame.iloc[rows].reset_index(drop=True)


@contextmanager
def _at_most(cpu_seconds: float | None) -> Iterator[None]:
    """Raise TimeoutError in a block that takes longer, by the clock of the CPU, not of a busy machine."""
    if cpu_seconds is None or not hasattr(signal, "SIGPROF"):
        yield
        return

    def give_up(*_: object) -> None:
        raise TimeoutError(f"over the limit of {cpu_seconds:g} CPU seconds")

    before = signal.signal(signal.SIGPROF, give_up)
    # again and again: what a library does between may swallow an exception
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds, 0.1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _answers(model: Any, table: WideTable, rows: IntArray, seen: IntArray) -> IntArray:
    """[rows] class indices of the table."""
    predicted = model.predict(_rows(table, rows))
    return np.asarray(seen[np.asarray(predicted).astype(np.int64)])


def _chances(model: Any, table: WideTable, rows: IntArray, seen: IntArray) -> FloatArray:
    """[rows, classes of the table]; classes that the support lacks have none."""
    chances = np.zeros((len(rows), len(table.classes)))
    found = np.asarray(model.predict_proba(_rows(table, rows)))
    chances[:, seen] = found[:, : len(seen)]
    return chances
