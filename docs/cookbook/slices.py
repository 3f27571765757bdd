"""Error slices: where does a model fail more often than elsewhere, beyond chance?"""

import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from visits import draw_visits

from nri import error_slices

visits = draw_visits(600, noise=0.02)
features, flu = visits.drop(columns="flu"), visits["flu"]

# a logistic regression on fever, cough and chills misses old patients with chills
model_columns = pd.get_dummies(features[["fever", "cough", "chills"]])
predicted = cross_val_predict(LogisticRegression(), model_columns, flu)

result = error_slices(features, flu, predicted)
print(f"error rate {result.rate:.2f} on the {result.rows} rows held out to judge")
for one in result.slices:
    print(f"{one.clause}: {one.errors} of {one.rows} wrong, lift {one.lift:.1f}, p = {one.p_value:.1g}")
