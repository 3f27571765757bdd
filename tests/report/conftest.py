"""Tables that reports are written about."""

import numpy as np
import pandas as pd
import pytest
from report_tables import labelled

from nri.table import Table


@pytest.fixture(scope="session")
def visits() -> Table:
    """Eighty visits with gaps; flu is fever and cough, or chills in the old, but for a few."""
    rng = np.random.default_rng(1)
    n = 80
    frame = pd.DataFrame(
        {
            "fever": rng.choice(["yes", "no"], n),
            "cough": rng.choice(["yes", "no"], n),
            "chills": rng.choice(["yes", "no"], n),
            "age": rng.integers(20, 90, n).astype(float),
            "visit_id": np.arange(n) * 3 + 100,
        }
    )
    flu = ((frame.fever == "yes") & (frame.cough == "yes")) | ((frame.chills == "yes") & (frame.age > 61))
    flu ^= rng.random(n) < 0.05
    frame.loc[rng.random(n) < 0.15, "age"] = np.nan
    frame.loc[rng.random(n) < 0.1, "cough"] = None
    return labelled(frame, np.where(flu, "flu", "well"))


@pytest.fixture(scope="session")
def flowers() -> Table:
    from sklearn.datasets import load_iris

    data = load_iris(as_frame=True)
    return labelled(data.data, data.target_names[data.target], target="species")
