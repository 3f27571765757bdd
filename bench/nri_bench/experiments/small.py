"""``nri bench small``: the rule and its posterior by the protocol of SmallDataBenchmarks.

The ARFF files of that benchmark (firefly1248/SmallDataBenchmarks, commit 05542b4) lie in a folder
(``--data``). Four stratified folds, at most 10 000 rows of a set, precision averaged over recall and classes.
Figures of other models are those that the benchmark publishes (``datasets/small.json``): they were tuned in
inner folds, ours are not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nri import InputError, NRIClassifier
from nri_bench.arrays import FloatArray, IntArray
from nri_bench.experiments.base import Experiment, Options
from nri_bench.run import Job, Measures, Row
from nri_bench.tables.cell import NO_ROWS, markdown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FOLDS, MOST_ROWS, SEED = 4, 10_000, 0
TARGET = "Class"
QUICK_SETS = ("appendicitis", "iris", "hepatitis")
OURS = {"posterior": "NRI posterior", "rule": "NRI rule"}
PUBLISHED = {
    "tabpfn3": "TabPFN-3, published",
    "tabicl": "TabICL, published",
    "catboost": "CatBoost, published",
    "random_forest": "Random forest, published",
    "logreg": "Logistic regression, published",
}


@cache
def published() -> dict[str, dict[str, float]]:
    """Return the published scores of other models: means over the folds, set by set."""
    text = resources.files("nri_bench.datasets").joinpath("small.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, float]] = json.loads(text)
    return found


def read_set(file: Path) -> tuple[pd.DataFrame, IntArray]:
    """Return columns and classes of a set, numbered in the order of their names as the benchmark does."""
    from scipy.io import arff

    frame = pd.DataFrame(arff.loadarff(file)[0])
    for name in frame.select_dtypes(object):
        frame[name] = frame[name].str.decode("utf-8").replace("?", None)
    columns, y = frame.drop(columns=TARGET), pd.factorize(frame[TARGET], sort=True)[0]
    if len(y) > MOST_ROWS:
        chosen = np.random.default_rng(SEED).choice(len(y), MOST_ROWS, replace=False)
        columns, y = columns.iloc[chosen].reset_index(drop=True), y[chosen]
    return columns, y


def jobs(options: Options) -> list[Job]:
    """One job for each set at hand and fold."""
    folder = options.data_dir or Path(os.environ.get("NRI_DATA", "."))
    names = options.sets or (QUICK_SETS if options.quick else tuple(published()))
    files = {name: folder / f"{name}.arff" for name in names}
    at_hand = {name: file for name, file in files.items() if file.is_file()}
    if not at_hand:
        raise InputError(f"--data {folder}: no ARFF file of SmallDataBenchmarks there; name their folder")
    return [
        Job(
            key={"experiment": "small", "method": "seeded", "dataset": name, "fold": fold},
            work=fit_and_judge,
            arguments={"file": file, "fold": fold},
        )
        for name, file in at_hand.items()
        for fold in range(FOLDS)
    ]


def fit_and_judge(file: Path, fold: int) -> Measures:
    """Learn from three folds and judge rule and posterior on the fourth."""
    from sklearn.model_selection import StratifiedKFold

    X, y = read_set(file)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(X, y)
    support, query = list(folds)[fold]
    model: Any = NRIClassifier().fit(X.iloc[support].reset_index(drop=True), y[support])
    rows = X.iloc[query].reset_index(drop=True)
    answers = {"rule": model.predict_proba(rows), "posterior": model.posterior_proba(rows)}
    scores = {name: average_precision(y[query], said, model.classes_) for name, said in answers.items()}
    rule = model.rule_
    return {**scores, "branches": len(rule.branches), "literals": rule.n_literals, "n": len(y)}


def average_precision(y: IntArray, said: FloatArray, classes: IntArray) -> float:
    """Return the area below precision over recall: of the second class of two, else weighed over classes."""
    from sklearn.metrics import average_precision_score

    truth = y[:, None] == classes
    if len(classes) == 2:
        truth, said = truth[:, 1], said[:, 1]
    return float(average_precision_score(truth, said, average="weighted"))


def by_set(rows: Sequence[Row]) -> pd.DataFrame:
    """Return the scores of sets whose folds all succeeded: ours, and those that are published."""
    frame = pd.DataFrame([row for row in rows if row["status"] == "ok"])
    if frame.empty:
        return frame
    means = frame.groupby("dataset")[[*OURS, "branches", "literals", "n"]].mean()
    means = means[frame.groupby("dataset").size() == FOLDS]
    return means.join(pd.DataFrame(published()).T[list(PUBLISHED)])


def table(rows: Sequence[Row]) -> str:
    """Means over the sets that every model covers, and how often the posterior and the rule are ahead."""
    scores = by_set(rows)
    if scores.empty:
        return NO_ROWS
    names = {**OURS, **PUBLISHED}
    covered = scores.dropna(subset=list(names))
    small = covered[covered["n"] <= 500]
    lines = []
    for name, label in sorted(names.items(), key=lambda item: -covered[item[0]].mean()):
        behind = [
            "" if name == own else f"{(covered[own] > covered[name]).sum()} of {len(covered)}" for own in OURS
        ]
        lines.append([label, f"{covered[name].mean():.3f}", f"{small[name].mean():.3f}", *behind])
    head = [
        "model",
        f"{len(covered)} sets",
        f"{len(small)} of at most 500 rows",
        *(f"{one} ahead" for one in OURS.values()),
    ]
    sizes = f"{scores['branches'].median():.0f} branches and {scores['literals'].median():.0f} literals"
    return (
        markdown(head, lines)
        + f"\nMean area below precision over recall. {len(scores)} of the {len(published())} sets were at"
        f" hand; the means are over those that every model covers. The rule has {sizes} (medians).\n"
    )


def figures(rows: Sequence[Row]) -> Mapping[str, Figure]:
    """Draw every model: its mean, and the sets as dots."""
    from nri_bench.figures.dots import variant_dots

    scores = by_set(rows)
    looks = {"rule": "seeded", "random_forest": "random-forest", "logreg": "logistic"}
    records: list[dict[str, object]] = [
        {"label": label, "method": looks.get(name, name), "score": score}
        for name, label in ({**OURS, **PUBLISHED}.items() if len(scores) else ())
        for score in scores[name].dropna()
    ]
    figure = variant_dots(records, [("score", "area below precision over recall", 1.0)])
    return {"small": figure} if figure else {}


EXPERIMENT = Experiment(
    "small",
    "The rule and its posterior beside published figures on small data sets.",
    jobs,
    table,
    figures,
    takes=("sets",),
)
