"""Tables that the tests of the estimator share."""

import numpy as np
import pandas as pd


def random_table(seed: int, n_rows: int = 60) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns of every kind, with missing cells, and labels that follow a noisy rule of two clauses."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "fever": rng.integers(0, 2, n_rows).astype(object),
            "cough": rng.random(n_rows) < 0.4,
            "smoker": rng.integers(0, 2, n_rows),
            "age": rng.normal(50, 15, n_rows).round(1),
            "weight": rng.normal(70, 10, n_rows).round(1),
            "colour": rng.choice(["red", "green", "blue"], n_rows),
            "sex": rng.choice(["f", "m"], n_rows),
        }
    )
    clause = (table["fever"] == 1) & table["cough"]
    truth = np.asarray(clause | ((table["age"] > 60) & (table["colour"] == "red")), dtype=bool)
    labels = truth ^ (rng.random(n_rows) < 0.08)
    for name in ("fever", "age", "colour"):
        table.loc[rng.random(n_rows) < 0.1, name] = None
    return table, np.where(labels, "yes", "no")


def visits() -> tuple[pd.DataFrame, pd.Series]:
    """Visits where flu means fever and cough."""
    table = pd.DataFrame(
        {
            "fever": [1, 1, 0, 0] * 6,
            "cough": [1, 0, 1, 0] * 6,
            "age": [20, 31, 42, 53, 64, 75, 26, 37, 48, 59, 60, 71] * 2,
            "ward": ["a", "b", "c"] * 8,
        }
    )
    return table, pd.Series(["yes", "no", "no", "no"] * 6, name="flu")


def crossed_table(seed: int, n_rows: int = 150, noise: float = 0.03) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers that tell nothing alone: yes where exactly one of ``a > 37`` and ``b > 6.2`` holds."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "a": rng.uniform(0, 100, n_rows).round(1),
            "b": rng.uniform(0, 20, n_rows).round(1),
            "c": rng.normal(size=n_rows).round(2),
            "d": rng.normal(size=n_rows).round(2),
        }
    )
    labels = (table["a"] > 37).to_numpy() ^ (table["b"] > 6.2).to_numpy() ^ (rng.random(n_rows) < noise)
    return table, np.where(labels, "yes", "no")
