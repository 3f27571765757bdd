"""Missing cells are unknown: no condition holds on them, so such rows get the ELSE class."""

import pandas as pd

from nri import NRIClassifier

readings = pd.DataFrame({"pressure": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] * 5, "valve": ["open", "shut"] * 15})
failed = pd.Series(["no", "no", "no", "yes", "yes", "yes"] * 5, name="failed")
classifier = NRIClassifier(positive="yes").fit(readings, failed)
print(classifier.rule_)

unknown = pd.DataFrame({"pressure": [None], "valve": ["open"]})
print(classifier.explain(unknown)[0])
