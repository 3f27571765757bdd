"""``nri bench planted``: raw tables with a planted rule. Is it found, and are only its columns named?

Here are tables with classes; those with numbers and survival are in :mod:`.planted_measured`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from nri_bench.arrays import BoolArray, FloatArray, IntArray
from nri_bench.experiments.base import Experiment, Options, method_facts
from nri_bench.experiments.planted_measured import MEASURED_NAMES, measured_jobs, measured_table
from nri_bench.methods import rule_size
from nri_bench.methods.planted_limit import PlantedPosterior
from nri_bench.methods.raw import OneHot, choose_raw, make_raw
from nri_bench.methods.raw_rivals import RawRipperClassifier
from nri_bench.run import Job, Measures, Row
from nri_bench.tables.cell import NO_ROWS, markdown
from nri_bench.tables.frame import label_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("tree-4", "ripper", "figs", "greedy", "seeded")
QUICK_METHOD_NAMES = ("tree-4", "greedy", "seeded")
SIZES = (60, 120, 300)
NOISE = (0.0, 0.05, 0.1)
EPISODES = 20
"""Tables for each size, noise rate and seed."""
N_CLEAN = 2000
"""Rows without noise that accuracy is counted on."""
LIMIT = "bayes-limit"
"""The limit that no method exceeds on average; see :mod:`nri_bench.methods.planted_limit`."""
_DRAWS = 400  # Shares of a group that are drawn to say how far even right chances are off.
_WORTH = 0.03
"""Share of the rows that every literal and every clause of a planted rule must change."""


@dataclass(frozen=True)
class Condition:
    """One literal of a planted rule."""

    column: str
    value: Any
    positive: bool

    def holds(self, frame: pd.DataFrame) -> BoolArray:
        """[M] where it is true: above a number, or equal to a text."""
        cells = frame[self.column].to_numpy()
        truth = cells > self.value if isinstance(self.value, float) else cells == self.value
        return np.asarray(truth == self.positive, dtype=bool)


@dataclass(frozen=True, eq=False)
class PlantedTable:
    """A table and the rule behind its labels."""

    frame: pd.DataFrame
    clauses: tuple[tuple[Condition, ...], ...]
    truth: BoolArray
    related: frozenset[str]
    """columns of the rule and their weaker copies; every other column is foreign"""

    @property
    def columns(self) -> frozenset[str]:
        """Columns of the rule."""
        return frozenset(condition.column for clause in self.clauses for condition in clause)


def plant(rng: np.random.Generator, n_rows: int) -> PlantedTable:
    """Draw a table of numbers, categories, yes/no columns and weaker copies, with a DNF behind its labels.

    The rule has 1 to 3 clauses of 1 to 3 literals, three at least in all. Each of them changes some rows, so
    that the columns of the rule can be known, and each class has a fifth of the rows at least.
    """
    frame, sources = _draw_frame(rng, n_rows)
    originals = [str(name) for name in frame if name not in sources]
    lengths = [1]
    while sum(lengths) < 3:
        lengths = rng.integers(1, 4, rng.integers(1, 4)).tolist()
    while True:
        clauses = tuple(_draw_clause(rng, frame, originals, length) for length in lengths)
        truth = _holds(frame, clauses)
        if 0.2 <= truth.mean() <= 0.8 and all(
            np.mean(_holds(frame, other) != truth) >= _WORTH for other in _shorter(clauses)
        ):
            break
    named = {condition.column for clause in clauses for condition in clause}
    copies = {name for name, source in sources.items() if source in named}
    return PlantedTable(frame, clauses, truth, frozenset(named | copies))


def _draw_frame(rng: np.random.Generator, n_rows: int) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return 17 columns in random order, and the original of each weaker copy."""
    columns: dict[str, Any] = {
        "normal": rng.normal(50, 10, n_rows).round(1),
        "skewed": rng.lognormal(1, 0.8, n_rows).round(2),
        "whole": rng.integers(0, 60, n_rows).astype(np.float64),
        "few": rng.poisson(3, n_rows).astype(np.float64),
        "score": rng.uniform(0, 1, n_rows).round(3),
        "year": rng.integers(1990, 2020, n_rows).astype(np.float64),
    }
    for name, shares in (
        ("colour", (4, 3, 2, 1)),
        ("region", (1, 1, 1)),
        ("grade", (3, 3, 2)),
        ("kind", (5, 2, 2, 1, 1)),
    ):
        weights = np.array(shares) / sum(shares)
        columns[name] = rng.choice([f"{name[0]}{i}" for i in range(len(shares))], n_rows, p=weights)
    for name, share in (("member", 0.5), ("urgent", 0.35), ("repeat", 0.6)):
        columns[name] = np.where(rng.random(n_rows) < share, "yes", "no")
    sources = {}
    for source in rng.choice(sorted(columns), 4, replace=False).tolist():
        cells = columns[source]
        if cells.dtype.kind == "f":
            copy = (cells + rng.normal(0, 0.7 * cells.std(), n_rows)).round(1)
        else:
            copy = np.where(rng.random(n_rows) < 0.3, rng.permutation(cells), cells)
        columns[f"{source}_copy"] = copy
        sources[f"{source}_copy"] = source
    names = rng.permutation(sorted(columns)).tolist()
    frame = pd.DataFrame({name: columns[name] for name in names})
    return frame.astype({name: object for name in frame if frame[name].dtype.kind not in "f"}), sources


def _draw_clause(
    rng: np.random.Generator, frame: pd.DataFrame, names: Sequence[str], length: int
) -> tuple[Condition, ...]:
    conditions = []
    for name in sorted(rng.choice(names, length, replace=False).tolist()):
        cells = frame[name]
        if cells.dtype == object:
            value: Any = str(rng.choice(sorted(cells.unique())))
            positive = bool(cells.nunique() == 2 or rng.random() < 0.7)
        else:
            value = float(np.quantile(cells, rng.uniform(0.25, 0.75), method="lower"))
            positive = bool(rng.random() < 0.5)
        conditions.append(Condition(name, value, positive))
    return tuple(conditions)


def _holds(frame: pd.DataFrame, clauses: Sequence[Sequence[Condition]]) -> BoolArray:
    truth = np.zeros(len(frame), dtype=bool)
    for clause in clauses:
        truth |= np.logical_and.reduce([condition.holds(frame) for condition in clause])
    return truth


def _shorter(clauses: Sequence[tuple[Condition, ...]]) -> list[list[tuple[Condition, ...]]]:
    """Return the rule without each of its clauses, and without each of its literals."""
    rules = []
    for i, clause in enumerate(clauses):
        others = [*clauses[:i], *clauses[i + 1 :]]
        rules.append(others)
        if len(clause) > 1:
            rules += [[*others, clause[:j] + clause[j + 1 :]] for j in range(len(clause))]
    return rules


def jobs(options: Options) -> list[Job]:
    """One job for each method, size, noise rate and seed, and those of methods for numbers and survival."""
    names = options.methods or (QUICK_METHOD_NAMES if options.quick else METHOD_NAMES)
    methods = choose_raw([name for name in names if name not in MEASURED_NAMES])
    seeds = options.seeds or ((0,) if options.quick else (0, 1, 2))
    sizes, rates, episodes = ((60,), (0.0, 0.1), 2) if options.quick else (SIZES, NOISE, EPISODES)
    of_classes = [
        Job(
            key={"experiment": "planted", "method": method.name, "n": n, "noise": rate, "seed": seed},
            work=find_planted,
            arguments={"method": method.name, "n": n, "rate": rate, "seed": seed, "n_episodes": episodes},
            facts={"n_episodes": episodes, **method_facts(method)},
            packages=method.packages,
        )
        for n in sizes
        for rate in rates
        for seed in seeds
        for method in methods
    ]
    return of_classes + measured_jobs(options)


def find_planted(method: str, n: int, rate: float, seed: int, n_episodes: int) -> Measures:
    """Learn planted rules from noisy labels; compare with clean labels and with the rule's columns.

    ``calibration`` is the mean absolute gap of the predicted and the true share of the likelier class over
    the groups of rows that get one probability, for methods that give probabilities, and ``floor`` what it
    would be if these probabilities were right and shares differed from them only as few rows do by chance.
    """
    scores = [_one_table(method, n, rate, [seed, episode, n]) for episode in range(n_episodes)]
    known = {name: [value for score in scores if (value := score[name]) is not None] for name in scores[0]}
    return {name: float(np.mean(values)) if values else None for name, values in known.items()}


def _one_table(method: str, n: int, rate: float, entropy: Sequence[int]) -> dict[str, float | None]:
    rng = np.random.default_rng(entropy)  # the same tables at every rate
    table = plant(rng, n + N_CLEAN)
    observed = table.truth[:n] ^ (rng.random(n) < rate)
    if observed.all() or not observed.any():
        observed = table.truth[:n]
    support, clean = table.frame.iloc[:n], table.frame.iloc[n:].reset_index(drop=True)
    labels, truth = observed.astype(np.int64), table.truth[n:]
    if method == LIMIT:
        return _limit(table, support, labels, clean, entropy[0])
    model = make_raw(method, entropy[0]).fit(support, labels)
    answer = np.asarray(model.predict(clean)).astype(bool)
    named = named_columns(model, list(table.frame.columns))
    size = rule_size(model)
    chances, seen = (np.asarray(model.predict_proba(rows)) for rows in (clean, support))
    return {
        "accuracy": float(np.mean(answer == truth)),
        "exact_columns": float(named == table.columns),
        "foreign": float(bool(named - table.related)),
        "literals": size.literals if size else None,
        "calibration": calibration_gap(chances, truth, rate),
        "floor": calibration_floor(chances, seen),
    }


def _limit(
    table: PlantedTable, support: pd.DataFrame, labels: IntArray, clean: pd.DataFrame, seed: int
) -> dict[str, float | None]:
    """Return the accuracy of all rules of the family, sampled from the planted one on and from nothing."""
    planted = [[(one.column, one.value, one.positive) for one in clause] for clause in table.clauses]
    starts = {"accuracy": planted, "accuracy_from_nothing": None}
    truth = table.truth[len(support) :]
    return {
        name: float(
            np.mean(
                PlantedPosterior(NOISE, start, random_state=seed).fit(support, labels).predict(clean) == truth
            )
        )
        for name, start in starts.items()
    }


def calibration_gap(chances: FloatArray, truth: BoolArray, rate: float) -> float:
    """Return the mean gap of predicted and expected share, by groups of rows with one prediction."""
    expected = np.where(truth, 1 - rate, rate)
    _, which = np.unique(chances[:, 1].round(6), return_inverse=True)
    sizes = np.bincount(which)
    gap = np.bincount(which, chances[:, 1]) / sizes - np.bincount(which, expected) / sizes
    return float(np.abs(gap) @ sizes / sizes.sum())


def calibration_floor(chances: FloatArray, seen: FloatArray) -> float:
    """Return the mean gap to shares drawn around the predictions, as uncertain as few rows leave them.

    A share that was learned from m rows, right on average, is that of a beta distribution of m rows and one.
    """
    groups, sizes = np.unique(chances[:, 1].round(6), return_counts=True)
    rows = np.array([(seen[:, 1].round(6) == group).sum() for group in groups]) + 1.0
    own, other = (np.maximum(rows * share, 1e-9) for share in (groups, 1 - groups))
    drawn = np.random.default_rng(0).beta(own, other, (_DRAWS, len(groups)))
    return float(np.abs(drawn - groups).mean(axis=0) @ sizes / sizes.sum())


def named_columns(model: Any, columns: Sequence[str]) -> set[str]:
    """Return the columns of the table that a fitted model reads."""
    if not isinstance(model, Pipeline):
        return set(model.rule_.columns)
    last = model[-1]
    parts = getattr(last, "estimators_", None) if not hasattr(last, "tree_") else None
    names = list(columns)
    for _, step in model.steps:
        if isinstance(step, OneHot):
            names = [name for name in columns for _ in step.categories_.get(name, [name])]
    used = set().union(*(_used(part) for part in (parts or [last])))
    return {names[place] for place in used}


def _used(model: Any) -> set[int]:
    """Return the positions of the columns that one estimator reads."""
    if isinstance(model, RawRipperClassifier):  # it knows columns as c0, c1, ...
        return {int(cond.feature[1:]) for rule in model.model_.ruleset_.rules for cond in rule.conds}
    if hasattr(model, "tree_"):
        return {int(feature) for feature in model.tree_.feature if feature >= 0}
    used: set[int] = set()
    stack = list(getattr(model, "trees_", ()))
    while stack:
        node = stack.pop()
        if node.left is not None and node.right is not None:
            used.add(int(node.feature))
            stack += [node.left, node.right]
    return used


def table(rows: Sequence[Row]) -> str:
    """Means over all tables of a method, and the share of foreign columns by size."""
    beside = measured_table([row for row in rows if "outcome" in row])
    kept = [row for row in rows if row["status"] == "ok" and "outcome" not in row]
    if not kept:
        return beside or NO_ROWS
    frame = pd.DataFrame([{"floor": np.nan, **row} for row in kept])  # older rows have no floor
    sizes = sorted(frame["n"].unique())
    lines = []
    for name in dict.fromkeys(frame["method"]):
        part = frame[frame["method"] == name]
        by_size = [100 * part[part["n"] == n]["foreign"].mean() for n in sizes]
        means = [100 * part[column].mean() for column in ("accuracy", "exact_columns", "foreign")]
        numbers = [f"{value:.1f}" for value in (*means, *by_size, part["literals"].mean())]
        numbers += [f"{part[column].mean():.3f}" for column in ("calibration", "floor")]
        lines.append([label_of(str(name)), *("" if text == "nan" else text for text in numbers)])
    head = ["method", "accuracy", "exact columns", "foreign column", *(f"n = {n}" for n in sizes)]
    caption = (
        "\nIn %: accuracy on clean rows; rules that name exactly the planted columns; rules that name a"
        " column which is neither of the rule nor a copy of one of its columns, for all tables and by n."
        " Then literals, the mean gap of predicted and true share, and its floor: what the gap would be if"
        " predictions were right for as many rows as each was learned from.\n"
    )
    if "accuracy_from_nothing" in frame and (nothing := 100 * frame["accuracy_from_nothing"].mean()) > 0:
        caption += f"The limit, sampled from nothing instead of from the planted rule: {nothing:.1f}.\n"
    return markdown([*head, "literals", "gap", "floor"], lines) + caption + beside


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw accuracy on clean rows and the share of rules that name a foreign column, method by method."""
    from nri_bench.figures.dots import variant_bars

    kept = [row for row in rows if row["status"] == "ok" and "outcome" not in row and row["method"] != LIMIT]
    labelled = [{**row, "label": label_of(str(row["method"]))} for row in kept]
    titles = (("accuracy", "accuracy (%)", 100.0), ("foreign", "rules with a column not planted (%)", 100.0))
    figure = variant_bars(labelled, titles)
    return {"planted": figure} if figure else {}


EXPERIMENT = Experiment(
    "planted", "Raw tables with a planted rule: accuracy, exact and foreign columns.", jobs, table, figures
)
