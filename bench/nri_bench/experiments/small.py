"""``nri bench small``: the rule and its posterior by the protocol of SmallDataBenchmarks.

The ARFF files of that benchmark (firefly1248/SmallDataBenchmarks, commit 05542b4) lie in a folder
(``--data``). Four stratified folds, at most 10 000 rows of a set, precision averaged over recall and classes.
Figures of other models are those that the benchmark publishes (``datasets/small.json``, means over the same
folds): they were tuned in inner folds but for TabFM, ours are not. Other configurations of the same data,
which the benchmark leaves out of its figures, are left out here.
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
    "tabfm": "TabFM, published",
    "tabpfn3": "TabPFN-3, published",
    "tabicl": "TabICL, published",
    "catboost": "CatBoost, published",
    "random_forest": "Random forest, published",
    "logreg": "Logistic regression, published",
}
FOUNDATION = ("tabfm", "tabpfn3", "tabicl")
BESIDE = "tabpfn3"
"""The foundation model that has figures on every set: what sorts of sets are parted by."""
NUMERIC_SHARE = 0.9
"""A column of texts of which more are numbers is given to every model as numbers."""
LARGEST = 8
"""Sets that are named, where a foundation model or the posterior is furthest ahead."""
DUPLICATES = (
    *("statlog-german-credit-numeric", "waveform-v2", "wine-quality-white-5class", "volcanoes-a3"),
    *("volcanoes-b3", "volcanoes-b4", "volcanoes-b5", "volcanoes-b6", "volcanoes-d3", "volcanoes-d4"),
    *("thyroid-allhyper", "thyroid-allhypo", "thyroid-allrep", "thyroid-dis", "thyroid-hypothyroid"),
)
"""Other configurations of data that other sets have."""


@cache
def published() -> dict[str, dict[str, float]]:
    """Return the published scores of other models: means over the folds, set by set."""
    text = resources.files("nri_bench.datasets").joinpath("small.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, float]] = json.loads(text)
    return {name: scores for name, scores in found.items() if name not in DUPLICATES}


def read_set(file: Path) -> tuple[pd.DataFrame, IntArray]:
    """Return columns and classes of a set, numbered in the order of their names as the benchmark does."""
    from scipy.io import arff

    frame = pd.DataFrame(arff.loadarff(file)[0])
    for name in frame.select_dtypes(object):
        texts = frame[name].str.decode("utf-8").replace("?", None)
        numbers = pd.to_numeric(texts, errors="coerce")
        as_numbers = name != TARGET and numbers.notna().mean() > NUMERIC_SHARE
        frame[name] = numbers if as_numbers else texts
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
    scores = {name: average_precision(y[query], chances, model.classes_) for name, chances in answers.items()}
    sizes = {"branches": len(model.rule_.branches), "literals": model.rule_.n_literals}
    return {**scores, **sizes, "n": len(y), "classes": len(model.classes_)}


def average_precision(y: IntArray, chances: FloatArray, classes: IntArray) -> float:
    """Return the area below precision over recall: of the second class of two, else weighed over classes."""
    from sklearn.metrics import average_precision_score

    truth = y[:, None] == classes
    if len(classes) == 2:
        truth, chances = truth[:, 1], chances[:, 1]
    return float(average_precision_score(truth, chances, average="weighted"))


def by_set(rows: Sequence[Row]) -> pd.DataFrame:
    """Return the scores of sets whose folds all succeeded: ours, and those that are published."""
    frame = pd.DataFrame([row for row in rows if row["status"] == "ok"])
    if frame.empty:
        return frame
    means = frame.groupby("dataset")[[*OURS, "branches", "literals", "n", "classes"]].mean()
    means = means[frame.groupby("dataset").size() == FOLDS]
    return means.join(pd.DataFrame(published()).T.reindex(columns=list(PUBLISHED)))


def table(rows: Sequence[Row]) -> str:
    """How far each published model is ahead: over all its sets, over sorts of sets, and where by most."""
    scores = by_set(rows)
    if scores.empty:
        return NO_ROWS
    sizes = f"{scores['branches'].median():.0f} branches and {scores['literals'].median():.0f} literals"
    about = (
        f"Mean area below precision over recall on {len(scores)} of the {len(published())} sets; a model is"
        " compared on those that it has figures for. Posterior "
        f"{scores['posterior'].mean():.3f}, rule {scores['rule'].mean():.3f} ({sizes}, medians) on all.\n"
    )
    return "\n".join([about, _by_model(scores), _by_sort(scores), _furthest(scores)])


def _by_model(scores: pd.DataFrame) -> str:
    head = ["model", "sets", "mean", *(f"{own} {what}" for own in OURS for what in ("minus it", "ahead on"))]
    lines = [
        [label, str(len(part)), f"{part[name].mean():.3f}", *_against(part, name)]
        for name, label in PUBLISHED.items()
        if len(part := scores.dropna(subset=[name]))
    ]
    return markdown(head, lines)


def _by_sort(scores: pd.DataFrame) -> str:
    """Part the sets by size and number of classes, beside the foundation model that has them all."""
    n, classes = scores["n"], scores["classes"]
    sorts = {
        "at most 500 rows": n <= 500,
        "501 to 2000 rows": (n > 500) & (n <= 2000),
        "more than 2000 rows": n > 2000,
        "two classes": classes == 2,
        "three to five classes": (classes > 2) & (classes <= 5),
        "more than five classes": classes > 5,
    }
    head = ["sets with", "sets", PUBLISHED[BESIDE]]
    head += [f"{own} {what}" for own in OURS for what in ("minus it", "ahead on")]
    lines = [
        [label, str(len(part)), f"{part[BESIDE].mean():.3f}", *_against(part, BESIDE)]
        for label, chosen in sorts.items()
        if len(part := scores[chosen])
    ]
    return markdown(head, lines)


def _against(part: pd.DataFrame, name: str) -> list[str]:
    """Return for posterior and rule: the mean difference with its standard error, and on how many sets."""
    cells = []
    for own in OURS:
        lead = part[own] - part[name]
        error = f" ± {lead.std() / len(lead) ** 0.5:.3f}" if len(lead) > 1 else ""
        cells += [f"{lead.mean():+.3f}{error}", f"{(lead > 0).sum()} of {len(lead)}"]
    return cells


def _furthest(scores: pd.DataFrame) -> str:
    """Name the sets where the best foundation model, and where the posterior, is furthest ahead."""
    best = scores[list(FOUNDATION)].max(axis=1)
    shown = scores.assign(best=best, lead=scores["posterior"] - best).sort_values("lead")
    some = shown if len(shown) <= 2 * LARGEST else pd.concat([shown[:LARGEST], shown[-LARGEST:]])
    lines = [
        [str(name), f"{row['n']:.0f}", f"{row['classes']:.0f}"]
        + [f"{row[field]:.3f}" for field in ("best", *OURS)]
        + [f"{row['lead']:+.3f}"]
        for name, row in some.iterrows()
    ]
    head = ["set", "rows", "classes", "best foundation model", *OURS, "posterior minus the best"]
    return markdown(head, lines)


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
