"""A surrogate: a rule that mimics a random forest, and its fidelity."""

import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from visits import draw_visits

from nri import Settings, surrogate_of_model

visits = draw_visits(400)
features: pd.DataFrame = visits.drop(columns="flu")
encoder = make_column_transformer(
    (OneHotEncoder(), ["fever", "cough", "chills", "ward"]), remainder="passthrough"
)
forest = make_pipeline(encoder, RandomForestClassifier(30, min_samples_leaf=5, random_state=0))
forest.fit(features, visits["flu"])

surrogate = surrogate_of_model(forest, features, settings=Settings(max_clauses=3))
print(surrogate.rule)
print(f"fidelity {surrogate.fidelity} (cross-validated), baseline {surrogate.fidelity.baseline:.2f}")
