"""Rows as a data frame, with one rule for failed fits."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from nri_bench.methods import METHODS
from nri_bench.run import Row

MEASURES = (
    *("accuracy", "majority_accuracy", "balanced_accuracy", "auc", "shifted_accuracy", "support_accuracy"),
    *("equal", "clauses", "literals", "literals_per_clause", "fit_seconds", "peak_mb", "n_classes"),
    *("log_loss", "cost", "cost_best_cut", "agreement"),
)
"""Columns of numbers that tables read; rows that failed lack most of them."""


def frame_of(rows: Iterable[Row]) -> pd.DataFrame:
    """Return the rows as a frame with a column ``score``.

    A fit that failed, crashed or ran out of time scores what its support's majority class would
    have, in every measure: that is what its user falls back to. ``ok`` marks them, and tables mark
    them. Where the majority is not known, as in experiments of many fits in a row, half are right.
    """
    frame = pd.DataFrame(list(rows))
    if frame.empty:
        return frame
    frame["ok"] = frame["status"] == "ok"
    for column in MEASURES:
        if column not in frame:
            frame[column] = np.nan
        frame[column] = frame[column].astype(np.float64)
    majority = frame["majority_accuracy"].fillna(0.5)
    n_classes = frame["n_classes"].fillna(2.0)
    frame["score"] = frame["accuracy"].where(frame["ok"], majority)
    for column in ("shifted_accuracy", "support_accuracy"):
        frame[column] = frame[column].where(frame["ok"], majority)
    frame["balanced_accuracy"] = frame["balanced_accuracy"].where(frame["ok"], 1 / n_classes)
    frame["auc"] = frame["auc"].where(frame["ok"], 0.5)
    frame["equal"] = frame["equal"].where(frame["ok"], 0.0)
    frame["log_loss"] = frame["log_loss"].where(frame["ok"], np.log(n_classes))
    return frame


def with_values(rows: Iterable[Row], conditions: str) -> list[Row]:
    """Return the rows whose fields, written out, have the values asked for, e.g. ``K=1,L=2``."""
    wanted = dict(condition.split("=", 1) for condition in conditions.split(","))
    return [row for row in rows if all(str(row.get(name)) == value for name, value in wanted.items())]


def in_order(methods: Iterable[str]) -> list[str]:
    """Sort method names as the registry does, unknown ones last."""
    known = list(METHODS)
    return sorted(set(methods), key=lambda name: (known.index(name) if name in known else len(known), name))


def label_of(method: str) -> str:
    """Return a method's name in tables."""
    return METHODS[method].label if method in METHODS else method


def scores_by_set(rows: Sequence[Row], protocol: str) -> pd.DataFrame:
    """Return [data sets, methods] mean scores of a protocol, without gaps.

    Comparing means over different data sets would compare the data sets. So data sets that fewer than
    half of the methods have are left out first, then methods that lack one of the rest.
    """
    frame = frame_of(rows)
    if frame.empty or not (frame["protocol"] == protocol).any():
        return pd.DataFrame()
    chosen = frame[frame["protocol"] == protocol]
    means = chosen.groupby(["dataset", "method"])["score"].mean().unstack("method")
    common = means[means.notna().mean(axis=1) >= 0.5].dropna(axis=1)
    return common[in_order(common.columns)]
