"""``nri bench together``: do scores on grouped and copied rows hold for new groups and rows?

Thirty patients with eight visits each, and forty rows written four times. Their labels are drawn at random,
by patient or by row, or follow a rule. Cross-validated accuracy is compared with that of the rule on new
patients and rows; slices of errors that are drawn at random by group are false, each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nri import Settings, cross_validate, error_slices, induce_rule, read_table
from nri_bench.experiments.base import Experiment, Options, method_facts
from nri_bench.methods.raw import choose_raw
from nri_bench.run import Job, Measures, Row
from nri_bench.tables.cell import NO_ROWS, markdown
from nri_bench.tables.frame import label_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHOD_NAMES = ("seeded", "greedy")
EPISODES = 10
"""Tables of each kind and seed."""
N_NEW = 300
"""New patients, and new rows, that a rule is judged on."""
JUDGED_GROUPS = 120
"""Groups of a table in which slices are sought: of fewer hardly any could be found."""
LABELS = ("random", "rule")


def _visits(rng: np.random.Generator, n_groups: int, labels: str) -> pd.DataFrame:
    """Draw patients whose visits differ little; the label is the patient's."""
    age, sex, pressure, weight = (
        rng.integers(20, 90, n_groups),
        rng.choice(["f", "m"], n_groups),
        rng.normal(130, 15, n_groups),
        rng.normal(75, 12, n_groups),
    )
    likely = np.where((age > 55) & (labels == "rule"), 0.9, 0.1 if labels == "rule" else 0.5)
    ill, who = rng.random(n_groups) < likely, np.repeat(np.arange(n_groups), 8)
    offset = int(rng.integers(1000, 9000))  # new patients have names of their own
    frame = pd.DataFrame({"patient": [f"P{offset + i}" for i in who], "age": age[who], "sex": sex[who]})
    frame["pressure"] = (pressure[who] + rng.normal(0, 3, len(who))).round()
    frame["weight"] = (weight[who] + rng.normal(0, 1, len(who))).round(1)
    frame["ward"] = rng.choice(["a", "b", "c"], len(who))
    return frame.assign(y=np.where(ill, "yes", "no")[who])


def _copies(rng: np.random.Generator, n_groups: int, labels: str) -> pd.DataFrame:
    """Draw rows of numbers and words, each written four times."""
    frame = pd.DataFrame(rng.normal(size=(n_groups, 5)).round(2), columns=list("abcde"))
    frame["colour"] = rng.choice(["red", "green", "blue"], n_groups)
    likely = np.where((frame["a"] > 0) & (labels == "rule"), 0.9, 0.1 if labels == "rule" else 0.5)
    frame["y"] = np.where(rng.random(n_groups) < likely, "yes", "no")
    rows = pd.concat([frame] * 4, ignore_index=True)
    return rows.iloc[rng.permutation(len(rows))].reset_index(drop=True)


_KINDS: dict[str, tuple[int, str | None, Callable[[np.random.Generator, int, str], pd.DataFrame]]] = {
    "visits": (30, "patient", _visits),
    "copies": (40, None, _copies),
}
"""For each kind the number of groups, the column that names them, and how a table is drawn."""


def jobs(options: Options) -> list[Job]:
    """One job for each method, kind of table, way of labels and seed."""
    methods = choose_raw(options.methods or (("greedy",) if options.quick else METHOD_NAMES))
    seeds = options.seeds or ((0,) if options.quick else tuple(range(10)))
    episodes = 2 if options.quick else EPISODES
    return [
        Job(
            key={"experiment": "together", "method": one.name, "kind": kind, "labels": how, "seed": seed},
            work=find_together,
            arguments={
                **{"method": one.name, "kind": kind, "labels": how, "seed": seed, "n_episodes": episodes},
                "slices": one is methods[0] and how == "random",
            },
            facts={"n_episodes": episodes, **method_facts(one)},
            packages=one.packages,
        )
        for seed in seeds
        for kind in _KINDS
        for how in LABELS
        for one in methods
    ]


def find_together(method: str, kind: str, labels: str, seed: int, n_episodes: int, slices: bool) -> Measures:
    """Return mean accuracies, how often the interval holds, and how often slices are false."""
    found: dict[str, list[float]] = {}
    for episode in range(n_episodes):
        rng = np.random.default_rng([seed, episode, list(_KINDS).index(kind), LABELS.index(labels), 11])
        measured = _accuracies(kind, labels, rng, Settings(model=method))
        if slices:
            measured |= _false_slices(kind, rng)
        for name, value in measured.items():
            found.setdefault(name, []).append(value)
    return {name: float(np.mean(values)) for name, values in found.items()}


def _accuracies(kind: str, labels: str, rng: np.random.Generator, settings: Settings) -> dict[str, float]:
    n_groups, groups, draw = _KINDS[kind]
    frame, new = draw(rng, n_groups, labels), draw(rng, N_NEW, labels)
    if frame["y"].nunique() < 2:  # cannot be, but in one of millions of tables
        return {}
    table = read_table(frame, "y", groups=groups)
    rule = induce_rule(table, settings, rng=np.random.default_rng(0)).rule
    score = cross_validate(table, settings, rng=np.random.default_rng(0))
    truth = float((np.asarray(rule.predict(new)) == new["y"].to_numpy()).mean())
    assert score.interval is not None
    return {
        "told": score.value,
        "true": truth,
        "held": float(score.interval.low <= truth <= score.interval.high),
    }


def _false_slices(kind: str, rng: np.random.Generator) -> dict[str, float]:
    """Return whether slices are named where errors were drawn by group."""
    _, groups, draw = _KINDS[kind]
    frame = draw(rng, JUDGED_GROUPS, "random")
    predicted = draw(rng, JUDGED_GROUPS, "random")["y"] if groups else _by_copy(frame.drop(columns="y"), rng)
    columns, chance = frame.drop(columns="y"), np.random.default_rng(0)
    slices = error_slices(columns, frame["y"], predicted, groups=groups or None, rng=chance)
    return {"slices_holdout": float(bool(slices.slices))}


def _by_copy(frame: pd.DataFrame, rng: np.random.Generator) -> pd.Series[Any]:
    """Return an answer at random, the same one for every copy of a row."""
    which = frame.groupby(list(frame), sort=False).ngroup()
    return pd.Series(rng.choice(["no", "yes"], int(which.max()) + 1)[which])


def table(rows: Sequence[Row]) -> str:
    """Accuracies told and true, and the share of tables with a false slice."""
    kept = [row for row in rows if row["status"] == "ok"]
    if not kept:
        return NO_ROWS
    frame = pd.DataFrame(kept)
    lines = []
    for method in dict.fromkeys(frame["method"]):
        for kind, labels in dict.fromkeys(zip(frame["kind"], frame["labels"], strict=True)):
            of_kind = (frame["kind"] == kind) & (frame["labels"] == labels)
            part = frame[of_kind & (frame["method"] == method)]
            if part.empty:
                continue
            told, true = part["told"].mean(), part["true"].mean()
            shares = [
                f"{100 * part[name].mean():.0f}" if name in part and part[name].notna().any() else "-"
                for name in ("held", "slices_holdout")
            ]
            scores = [f"{told:.3f}", f"{true:.3f}", f"{told - true:+.3f}"]
            named = [label_of(str(method)), str(kind), str(labels)]
            lines.append([*named, *scores, *shares, str(int(part["n_episodes"].sum()))])
    head = ["method", "rows", "labels", "estimated", "true", "difference", "held", "false slices", "tables"]
    caption = (
        "\nEstimated: cross-validated accuracy of 30 patients with 8 visits each, the patient named, and of"
        f" 40 rows written four times, without an option. True: accuracy of the rule from all rows on {N_NEW}"
        " new patients and rows. In % of the tables: the 95 % interval holds the truth; a slice is named"
        f" where errors are random by group (5 % promised; {JUDGED_GROUPS} groups).\n"
    )
    return markdown(head, lines) + caption


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw the estimated beside the true accuracy."""
    from nri_bench.figures.dots import variant_dots

    labelled = [
        {**row, "label": f"{label_of(row['method'])}, {row['kind']}, {row['labels']}"}
        for row in rows
        if row["status"] == "ok"
    ]
    axes = (("told", "estimated accuracy (%)", 100.0), ("true", "on new groups (%)", 100.0))
    figure = variant_dots(labelled, axes, one_scale=True)
    return {"together": figure} if figure else {}


EXPERIMENT = Experiment(
    "together", "Whether scores and slices of grouped and copied rows hold on new ones.", jobs, table, figures
)
