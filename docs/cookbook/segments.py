"""A number as target: branches with a mean each, and the explanation of one row."""

import numpy as np
import pandas as pd

from nri import NRIRegressor

rng = np.random.default_rng(0)
flats = pd.DataFrame(
    {
        "size": rng.uniform(25, 140, 250).round(),
        "floor": rng.integers(0, 9, 250),
        "district": rng.choice(["harbour", "centre", "hill"], 250),
    }
)
rent = (
    400 + 500 * (flats["size"] > 80) + 300 * (flats.district == "centre") + rng.normal(0, 60, 250)
).round()

regressor = NRIRegressor().fit(flats, rent.rename("rent"))
print(regressor.rule_)
print(regressor.explain(flats.iloc[[0]])[0])
print(f"R\u00b2 on these rows {regressor.score(flats, rent):.2f}")
