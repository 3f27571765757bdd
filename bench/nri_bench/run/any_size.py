"""What others do with the tables of ``nri bench size``: ``python -m nri_bench.run.any_size NAME ...``.

A process of its own, so that its seconds and its memory are those of the whole task: read the file, fit, and
say what share of fresh rows is right. ``duckdb`` only aggregates every column once, the least that anybody
who looks at all rows must do.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def aggregate(path: str) -> None:
    """Ask DuckDB for the sum of every column, of texts that of their lengths."""
    import duckdb

    view = path.endswith(".db")
    with duckdb.connect(path, read_only=True) if view else duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        rows = "rows" if view else f"'{path}'"
        columns = connection.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()
        asked = ", ".join(
            f'SUM(LENGTH("{name}"))' if kind == "VARCHAR" else f'SUM("{name}")' for name, kind, *_ in columns
        )
        connection.execute(f"SELECT {asked} FROM {rows}").fetchall()


def read(path: str) -> tuple[pd.DataFrame, pd.Series[Any]]:
    """Return numbers, and texts as flags of their categories."""
    import pandas as pd

    frame = pd.read_csv(path) if path.endswith(".csv") else pd.read_parquet(path)
    texts = [name for name in frame.columns if name.startswith("c")]
    return pd.get_dummies(frame.drop(columns="y"), columns=texts), frame["y"].astype(str)


def fitted(name: str, X: pd.DataFrame, y: pd.Series[Any]) -> Any:
    """Fit a tree of depth four, or a hundred boosted trees on histograms."""
    if name == "tree":
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(max_depth=4, random_state=0).fit(X.fillna(-1.0), y)
    from xgboost import XGBClassifier

    codes = y.astype("category").cat.codes
    return XGBClassifier(tree_method="hist", n_estimators=100, n_jobs=1, random_state=0).fit(X, codes)


def fitting(path: str) -> dict[str, float]:
    """Fit our classifier to a DataFrame; return processor seconds and memory beyond imports and the frame."""
    import resource
    import time

    import pandas as pd

    from nri import NRIClassifier

    frame = pd.read_parquet(path)
    X, y = frame.drop(columns="y"), frame["y"]
    NRIClassifier().fit(X.head(1000), y.head(1000))  # whatever is imported on the way
    before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    NRIClassifier().fit(X, y)
    after = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"fit_cpu_seconds": after[0] - before[0], "fit_mb": (after[1] - before[1]) / 1024}


def main(name: str, path: str, fresh: str, out: str) -> None:
    """Do it."""
    if name == "duckdb":
        return aggregate(path)
    if name == "nri-fit":
        Path(out).write_text(json.dumps(fitting(path)), encoding="utf-8")
        return None
    X, y = read(path)
    model = fitted(name, X, y)
    rows, truth = read(fresh)
    predicted = model.predict(rows.fillna(-1.0) if name == "tree" else rows)
    wanted = truth if name == "tree" else truth.astype("category").cat.codes
    scores = {"accuracy": float((predicted == wanted.to_numpy()).mean())}
    Path(out).write_text(json.dumps(scores), encoding="utf-8")
    return None


if __name__ == "__main__":
    main(*sys.argv[1:])
