"""A number as target, as two classes: above a threshold or not."""

import numpy as np
import pandas as pd

from nri import NRIClassifier, read_table

rng = np.random.default_rng(0)
flats = pd.DataFrame(
    {
        "size": rng.uniform(25, 140, 250).round(),
        "floor": rng.integers(0, 9, 250),
        "district": rng.choice(["harbour", "centre", "hill"], 250),
    }
)
flats["rent"] = (9 * flats["size"] + 300 * (flats.district == "centre") + rng.normal(0, 60, 250)).round()

dear = (flats.rent > 900).rename("rent > 900")
print(NRIClassifier(positive=True).fit(flats.drop(columns="rent"), dear).rule_)

# the same as on the command line: the target is a comparison
table = read_table(flats, "rent > 900")
print(f"{len(table)} rows, {table.by_class[1]:.0f} of them dear")
