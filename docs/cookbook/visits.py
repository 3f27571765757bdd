"""Data for the other scripts: visits to a practice, drawn at random; flu follows a rule, with some noise."""

import numpy as np
import pandas as pd


def draw_visits(rows: int = 300, seed: int = 0, noise: float = 0.05) -> pd.DataFrame:
    """Draw visits; flu is fever with cough, or chills above sixty, but for a share of the rows."""
    rng = np.random.default_rng(seed)
    visits = pd.DataFrame(
        {
            "fever": rng.choice(["yes", "no"], rows),
            "cough": rng.choice(["yes", "no"], rows),
            "chills": rng.choice(["yes", "no"], rows),
            "age": rng.integers(18, 95, rows),
            "ward": rng.choice(["north", "south", "west"], rows),
        }
    )
    fever_and_cough = (visits.fever == "yes") & (visits.cough == "yes")
    old_with_chills = (visits.chills == "yes") & (visits.age > 60)
    flu = (fever_and_cough | old_with_chills) ^ (rng.random(rows) < noise)
    return visits.assign(flu=np.where(flu, "yes", "no"))
