"""Planted numbers and times until an event, a part of ``nri bench planted``: is the truth behind them found?

A table has up to three columns that matter and four to eight that do not. What is predicted for new rows is
compared with what was planted. A method reads a column that does not matter if predictions differ once those
columns are shuffled, which can be asked of any method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from nri_bench.arrays import FloatArray
from nri_bench.experiments.base import Options
from nri_bench.methods.measured import NUMBER_METHODS, SURVIVAL_METHODS, MeasuredMethod
from nri_bench.run import Job, Measures, Row
from nri_bench.tables.cell import markdown

SHAPES = ("step", "steps", "conjunction", "additive", "noise")
SIZES = (100, 200, 400)
EPISODES = 8
"""Tables for each outcome, shape, size and seed."""
CENSORED = 0.3
_OWN, _QUERY, _PAIRS = 3, 1000, 20_000
METHODS: dict[str, dict[str, MeasuredMethod]] = {"number": NUMBER_METHODS, "survival": SURVIVAL_METHODS}
MEASURED_NAMES = ("rule", "tree-8", "cox", "ridge")


@dataclass(frozen=True, eq=False)
class MeasuredTable:
    """Rows, what was planted for them, and what is observed of it."""

    frame: pd.DataFrame
    truth: FloatArray
    """[M]: the mean, or the logarithm of the risk"""
    observed: FloatArray
    """[M], or times and events [M, 2]"""
    foreign: tuple[str, ...]
    """columns that do not matter"""


def plant_measured(rng: np.random.Generator, outcome: str, shape: str, n_rows: int) -> MeasuredTable:
    """Draw a table; half of the variance of a number is explained, three rows in ten are censored."""
    names = [f"c{i}" for i in rng.permutation(_OWN + int(rng.integers(4, 9)))]
    # what matters are numbers, so that a step may lie anywhere on them
    columns = [_draw_column(rng, int(rng.integers(5 if i >= _OWN else 3)), n_rows) for i in range(len(names))]
    truth, used = _planted(rng, columns[:_OWN], shape)
    if outcome == "number":
        observed = truth + rng.normal(0, truth.std() or 1.0, n_rows)
    else:
        observed = _followed(rng, np.exp(truth))
    frame = pd.DataFrame(dict(zip(names, columns, strict=True)))[sorted(names)]
    return MeasuredTable(frame, truth, observed, tuple(names[used:]))


def _draw_column(rng: np.random.Generator, kind: int, n_rows: int) -> np.ndarray:
    if kind == 3:
        return rng.choice(["North", "South", "East", "West"], n_rows, p=[0.4, 0.3, 0.2, 0.1])
    if kind == 4:
        return np.where(rng.random(n_rows) < rng.uniform(0.3, 0.7), "yes", "no")
    if kind == 0:
        return rng.normal(50, 10, n_rows).round(1)
    return rng.lognormal(1, 0.8, n_rows).round(2) if kind == 1 else rng.integers(0, 60, n_rows).astype(float)


def _planted(rng: np.random.Generator, columns: Sequence[np.ndarray], shape: str) -> tuple[FloatArray, int]:
    """Return what is planted, and how many of the columns it takes."""
    sizes = rng.uniform(0.9, 1.6, _OWN) * rng.choice([-1, 1], _OWN)
    above = [column > np.quantile(column, rng.uniform(0.3, 0.7)) for column in columns]
    if shape == "step":
        return sizes[0] * above[0], 1
    if shape == "steps":
        return sizes[0] * above[0] + sizes[1] * above[1], 2
    if shape == "conjunction":
        return 1.6 * np.sign(sizes[0]) * (above[0] & above[1]), 2
    if shape == "additive":
        even = [np.sqrt(12) * (pd.Series(column).rank(pct=True).to_numpy() - 0.5) for column in columns]
        return 0.6 * np.sign(sizes) @ np.array(even), _OWN
    return np.zeros(len(columns[0])), 0


def _followed(rng: np.random.Generator, hazard: FloatArray) -> FloatArray:
    """[M, 2]: times until an event or until rows were lost, at one rate for all; and whether it was one."""
    rate = brentq(lambda one: np.mean(one / (one + hazard)) - CENSORED, 1e-6, 1e6)
    time, lost = rng.exponential(1 / hazard), rng.exponential(1 / rate, len(hazard))
    return np.column_stack([np.minimum(time, lost), time <= lost]).astype(np.float64)


def measured_jobs(options: Options) -> list[Job]:
    """One job for each outcome, shape, size, seed and method of that outcome."""
    names = options.methods or (("rule",) if options.quick else MEASURED_NAMES)
    sizes, episodes = ((100,), 2) if options.quick else (SIZES, EPISODES)
    return [
        Job(
            key={
                "experiment": "planted",
                "outcome": outcome,
                "shape": shape,
                "method": name,
                "n": n,
                "seed": seed,
            },
            work=find_measured,
            arguments={"outcome": outcome, "shape": shape, "method": name, "n": n, "seed": seed}
            | {"n_episodes": episodes},
            facts={"n_episodes": episodes},
        )
        for outcome, methods in METHODS.items()
        for shape in SHAPES
        for n in sizes
        for seed in options.seeds or ((0,) if options.quick else (0, 1, 2))
        for name in names
        if name in MEASURED_NAMES and name in methods
    ]


def find_measured(outcome: str, shape: str, method: str, n: int, seed: int, n_episodes: int) -> Measures:
    """Learn from planted tables; compare with what was planted, and with the columns that matter."""
    found = [_one_table(outcome, shape, method, n, [seed, episode, n]) for episode in range(n_episodes)]
    fields = ("found", "foreign", "segments", "literals")
    return {field: _mean([one[field] for one in found]) for field in fields}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _one_table(
    outcome: str, shape: str, method: str, n: int, entropy: Sequence[int]
) -> dict[str, float | None]:
    rng = np.random.default_rng([*entropy, SHAPES.index(shape)])
    table = plant_measured(rng, outcome, shape, n + _QUERY)
    query = table.frame.iloc[n:].reset_index(drop=True)
    shuffled = query.assign(**{name: rng.permutation(query[name].to_numpy()) for name in table.foreign})
    both = pd.concat([query, shuffled], ignore_index=True)
    answer = METHODS[outcome][method].fit_and_say(table.frame.iloc[:n], table.observed[:n], both)
    predicted, again = np.split(np.asarray(answer.predicted, dtype=np.float64), 2)
    return {
        "found": _explained(table.truth[n:], predicted)
        if outcome == "number"
        else _ordered(table.truth[n:], predicted),
        "foreign": float(not np.allclose(predicted, again)),
        "segments": answer.segments,
        "literals": answer.literals,
    }


def _explained(truth: FloatArray, predicted: FloatArray) -> float | None:
    """Return the share of what was planted that is explained, None where that is nothing."""
    return float(1 - ((predicted - truth) ** 2).mean() / truth.var()) if truth.any() else None


def _ordered(truth: FloatArray, predicted: FloatArray) -> float | None:
    """Return the share of pairs with different risks that are ordered rightly, ties counting half."""
    first, second = np.random.default_rng(0).integers(0, len(truth), (2, _PAIRS))
    apart = np.sign(truth[first] - truth[second])
    agree = apart * np.sign(predicted[first] - predicted[second])
    return float((1 + agree[apart != 0].mean()) / 2) if apart.any() else None


def measured_table(rows: Sequence[Row]) -> str:
    """Write how much is found of every shape, and how often a column is read that does not matter."""
    kept = [row for row in rows if row["status"] == "ok"]
    if not kept:
        return ""
    frame = pd.DataFrame(kept).astype(dict.fromkeys(("found", "segments", "literals"), np.float64))
    lines = []
    for (outcome, name), part in frame.groupby(["outcome", "method"], sort=False):
        by_shape = part.groupby("shape")
        found, foreign = by_shape["found"].mean(), by_shape["foreign"].mean()
        cells = [
            f"{found.get(shape, np.nan):.2f} ({100 * foreign.get(shape, np.nan):.0f})" for shape in SHAPES
        ]
        cells[-1] = f"({100 * foreign.get('noise', np.nan):.0f})"
        sizes = [_shown(part[field].mean()) for field in ("segments", "literals")]
        label = METHODS[str(outcome)][str(name)].label
        lines.append([str(outcome), label, *cells, f"{100 * part['foreign'].mean():.1f}", *sizes])
    head = ["outcome", "method", *SHAPES, "foreign column", "branches", "literals"]
    caption = (
        "\nOf each shape: for a number the share of what was planted that predictions for new rows explain,"
        " for survival the share of pairs of different risk that they order rightly; in brackets and beside"
        " it the models in % that read a column which does not matter.\n"
    )
    return "\n" + markdown(head, lines) + caption


def _shown(number: float) -> str:
    return "–" if number != number else f"{number:.1f}"  # noqa: RUF001
