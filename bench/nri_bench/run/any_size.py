"""What others do with the tables of ``nri bench size``: ``python -m nri_bench.run.any_size NAME ...``.

A process of its own, so that its seconds and its memory are those of the whole task: read the file, fit, and
say what share of fresh rows is right. ``duckdb`` only aggregates every column once, the least that anybody
who looks at all rows must do.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def aggregate(path: str) -> None:
    """Ask DuckDB for the sum of every column, of texts that of their lengths."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("SET threads = 1")
        columns = connection.execute(f"DESCRIBE SELECT * FROM '{path}'").fetchall()
        asked = ", ".join(
            f'SUM(LENGTH("{name}"))' if kind == "VARCHAR" else f'SUM("{name}")' for name, kind, *_ in columns
        )
        connection.execute(f"SELECT {asked} FROM '{path}'").fetchall()


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


def main(name: str, path: str, fresh: str, out: str) -> None:
    """Do it."""
    if name == "duckdb":
        return aggregate(path)
    X, y = read(path)
    model = fitted(name, X, y)
    rows, truth = read(fresh)
    said = model.predict(rows.fillna(-1.0) if name == "tree" else rows)
    wanted = truth if name == "tree" else truth.astype("category").cat.codes
    Path(out).write_text(str(float((said == wanted.to_numpy()).mean())), encoding="utf-8")
    return None


if __name__ == "__main__":
    main(*sys.argv[1:])
