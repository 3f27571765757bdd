"""``nri bench coverage``: do 95 % intervals of cross-validated scores hold the score on new rows?

The score is that of the rule which is handed over, induced from all rows, on many rows that are drawn anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nri import Settings, cross_validate, diagnose, induce_rule, read_table
from nri_bench.arrays import BoolArray, FloatArray
from nri_bench.experiments.base import Experiment, Options, method_facts
from nri_bench.experiments.planted import plant
from nri_bench.methods.raw import choose_raw
from nri_bench.run import Job, Measures, Row
from nri_bench.tables.cell import NO_ROWS, markdown
from nri_bench.tables.frame import label_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("seeded", "greedy")
"""Models; numbers and survival are sought without one, so that the first stands for all."""
SIZES = (50, 100, 300)
EPISODES = 12
"""Tables for each outcome, size and seed."""
N_NEW = 10_000
"""Rows that the true score is counted on; of survival a fifth, for pairs of them are counted."""
_OF_CLASSES = ("sensitivity", "specificity", "ppv", "npv", "accuracy", "balanced_accuracy")
MEASURES = (*_OF_CLASSES, "r2", "concordance")


def _classes_planted(rng: np.random.Generator, n_rows: int) -> pd.DataFrame:
    """Draw a planted rule; one label in ten is wrong."""
    planted = plant(rng, n_rows)
    return planted.frame.assign(y=_words(planted.truth ^ (rng.random(n_rows) < 0.1)))


def _classes_additive(rng: np.random.Generator, n_rows: int) -> pd.DataFrame:
    """Draw eight numbers whose weighted sum makes a class likely: no rule is behind it."""
    frame = pd.DataFrame(rng.normal(size=(n_rows, 8)).round(3), columns=list("abcdefgh"))
    factors = 1.5 * rng.normal(size=8) * (rng.random(8) < 0.6)
    chance = 1 / (1 + np.exp(-(frame.to_numpy() @ factors + rng.normal(-0.7, 1.0))))
    return frame.assign(y=_words(rng.random(n_rows) < chance))


def _classes_simple(rng: np.random.Generator, n_rows: int) -> pd.DataFrame:
    """Draw five numbers, one of which makes a class likely above a cut."""
    frame = pd.DataFrame(rng.normal(size=(n_rows, 5)).round(3), columns=list("abcde"))
    above, below = rng.uniform(0.6, 0.95), rng.uniform(0.05, 0.4)
    chance = np.where(frame["a"] > rng.normal(0, 0.5), above, below)
    return frame.assign(y=_words(rng.random(n_rows) < chance))


def _words(truth: BoolArray) -> Any:
    return np.where(truth, "yes", "no")


def _number(rng: np.random.Generator, n_rows: int) -> pd.DataFrame:
    """Draw a number that a planted rule and a slope raise."""
    planted, slope = plant(rng, n_rows), rng.normal(size=n_rows).round(3)
    raised = rng.uniform(0.5, 2) * planted.truth + rng.uniform(0, 1) * slope
    return planted.frame.assign(slope=slope, y=(raised + rng.normal(size=n_rows)).round(3))


def _survival(rng: np.random.Generator, n_rows: int) -> pd.DataFrame:
    """Draw times that a planted rule and a slope shorten; about a third is censored."""
    planted, slope = plant(rng, n_rows), rng.normal(size=n_rows).round(3)
    hazard = np.exp(rng.uniform(0.5, 2) * planted.truth + rng.uniform(0, 0.7) * slope)
    until, followed = rng.exponential(1 / hazard), rng.exponential(1.5, n_rows)
    days = (100 * np.minimum(until, followed)).round(2)
    return planted.frame.assign(slope=slope, days=days, dead=(until <= followed).astype(int))


_DRAW: dict[str, tuple[Callable[[np.random.Generator, int], pd.DataFrame], ...]] = {
    "classes": (_classes_planted, _classes_additive, _classes_simple),
    "number": (_number,),
    "survival": (_survival,),
}


def jobs(options: Options) -> list[Job]:
    """One job for each method, outcome, size and seed."""
    methods = choose_raw(options.methods or (("greedy",) if options.quick else METHOD_NAMES))
    seeds = options.seeds or ((0,) if options.quick else tuple(range(15)))
    sizes, episodes = ((50,), 3) if options.quick else (SIZES, EPISODES)
    return [
        Job(
            key={"experiment": "coverage", "method": method.name, "outcome": outcome, "n": n, "seed": seed},
            work=find_coverage,
            arguments={
                "method": method.name,
                "outcome": outcome,
                "n": n,
                "seed": seed,
                "n_episodes": episodes,
            },
            facts={"n_episodes": episodes, **method_facts(method)},
            packages=method.packages,
        )
        for seed in seeds
        for n in sizes
        for outcome in _DRAW
        for method in (methods if outcome == "classes" else methods[:1])
    ]


def find_coverage(method: str, outcome: str, n: int, seed: int, n_episodes: int) -> Measures:
    """Return for each measure the share of tables whose interval holds the truth, and its mean width."""
    draws = _DRAW[outcome]
    found: dict[str, list[float]] = {}
    for episode in range(n_episodes):
        rng = np.random.default_rng([seed, episode, n, 7])
        frame = draws[episode % len(draws)](rng, n + N_NEW)
        for name, (low, high, truth) in _intervals(frame, outcome, n, Settings(model=method)).items():
            found.setdefault(f"{name}_covered", []).append(float(low - 1e-9 <= truth <= high + 1e-9))
            found.setdefault(f"{name}_width", []).append(high - low)
    tables = {name.replace("_covered", "_tables"): len(found[name]) for name in found if "_covered" in name}
    return {**{name: float(np.mean(values)) for name, values in found.items()}, **tables}


def _intervals(
    frame: pd.DataFrame, outcome: str, n: int, settings: Settings
) -> dict[str, tuple[float, float, float]]:
    """Return the ends of each interval and the true value; a measure that is undefined is left out."""
    asked: dict[str, Any] = {"target": "y", "positive": "yes"} if outcome == "classes" else {"target": "y"}
    if outcome == "survival":
        asked = {"time": "days", "event": "dead"}
    table = read_table(frame, **asked)
    support, new = table.take(np.arange(n)), frame.iloc[n:]
    rule = induce_rule(support, settings, rng=np.random.default_rng(0)).rule
    rng, predicted = np.random.default_rng(0), np.asarray(rule.predict(new))
    if outcome == "classes":
        (measured,) = diagnose(support, settings, rng=rng)
        truth = _shares(new["y"].to_numpy() == "yes", predicted == "yes")
        ends = {name: getattr(measured, name) for name in _OF_CLASSES}
        return {
            name: (one.interval.low, one.interval.high, truth[name])
            for name, one in ends.items()
            if one.value is not None and np.isfinite(truth[name])
        }
    score = cross_validate(support, settings, rng=rng)
    assert score.interval is not None
    if outcome == "number":
        name, true = "r2", _explained(new["y"].to_numpy(), predicted)
    else:
        few = new.iloc[: N_NEW // 5]
        name, true = "concordance", _concordance(few, predicted[: N_NEW // 5])
        if not rule.branches and score.interval.low == score.interval.high:
            return {}  # no rule is found in any fold either: a concordance of 0.5 by definition
    return {name: (score.interval.low, score.interval.high, true)}


def _shares(ill: BoolArray, called: BoolArray) -> dict[str, float]:
    def share(hit: BoolArray, among: BoolArray) -> float:
        return float(hit[among].mean()) if among.any() else float("nan")

    found, spared = share(called, ill), share(~called, ~ill)
    right = float((ill == called).mean())
    return dict(
        zip(
            _OF_CLASSES,
            (found, spared, share(ill, called), share(~ill, ~called), right, (found + spared) / 2),
            strict=True,
        )
    )


def _explained(values: FloatArray, predicted: FloatArray) -> float:
    return float(1 - ((values - predicted) ** 2).sum() / ((values - values.mean()) ** 2).sum())


def _concordance(rows: pd.DataFrame, risk: FloatArray) -> float:
    """Return how often, of two rows, the one with the earlier event has the higher risk."""
    days, dead = rows["days"].to_numpy(), rows["dead"].to_numpy() == 1
    first = dead[:, None] & ((days[:, None] < days) | ((days[:, None] == days) & ~dead))
    higher = (risk[:, None] > risk) + 0.5 * (risk[:, None] == risk)
    return float(higher[first].mean())


def table(rows: Sequence[Row]) -> str:
    """Coverage and mean width by method, measure and size."""
    kept = [row for row in rows if row["status"] == "ok"]
    if not kept:
        return NO_ROWS
    frame = pd.DataFrame(kept)
    sizes = sorted(frame["n"].unique())
    lines = []
    for method in dict.fromkeys(frame["method"]):
        for measure in MEASURES:
            if f"{measure}_covered" not in frame:
                continue
            part = frame[(frame["method"] == method) & frame[f"{measure}_covered"].notna()]
            if part.empty:
                continue
            counted = part.get(f"{measure}_tables", part["n_episodes"]).fillna(part["n_episodes"])
            by_size = [(part[part["n"] == n], counted[part["n"] == n]) for n in sizes]
            lines.append(
                [
                    label_of(str(method)),
                    measure.replace("_", " "),
                    *(f"{100 * _mean(one[f'{measure}_covered'], tables):.1f}" for one, tables in by_size),
                    *(f"{_mean(one[f'{measure}_width'], tables):.2f}" for one, tables in by_size),
                    " / ".join(str(int(tables.sum())) for _, tables in by_size),
                ]
            )
    head = ["method", "measure", *(f"n = {n}" for n in sizes), *(f"width, {n}" for n in sizes), "tables"]
    caption = (
        "\nShare of tables in % whose 95 % interval, cross-validated on n rows, holds the score of the rule"
        f" from all n rows on {N_NEW} new rows; mean width of the intervals; tables of each size. Tables with"
        " classes are a planted rule with 10 % noise, a sum without a rule, and one cut, in turn. Tables of"
        " survival in which neither all rows nor those of any fold give a rule are not counted.\n"
    )
    return markdown(["method", "measure", *head[2:]], lines) + caption


def _mean(values: pd.Series[float], tables: pd.Series[float]) -> float:
    """Return the mean over tables of what are means over some of them."""
    return float(np.average(values, weights=tables)) if len(values) else float("nan")


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw the coverage of each measure."""
    from nri_bench.figures.dots import variant_dots
    from nri_bench.tables.frame import label_of

    labelled = [
        {
            **row,
            "label": f"{label_of(row['method'])}, {measure.replace('_', ' ')}, n = {row['n']}",
            "held": row[f"{measure}_covered"],
        }
        for measure in MEASURES
        for row in rows
        if row["status"] == "ok" and row.get(f"{measure}_covered") is not None
    ]
    figure = variant_dots(labelled, (("held", "intervals that hold (%)", 100.0),))
    return {"coverage": figure} if figure else {}


EXPERIMENT = Experiment(
    "coverage", "Whether 95 % intervals of cross-validated scores hold.", jobs, table, figures
)
