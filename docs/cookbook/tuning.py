"""The classifier is an ordinary scikit-learn estimator: cross-validate it, search over its parameters."""

from sklearn.model_selection import GridSearchCV
from visits import draw_visits

from nri import NRIClassifier

visits = draw_visits(150)
search = GridSearchCV(NRIClassifier(), {"max_clauses": [1, 2, 3]}, cv=3)
search.fit(visits.drop(columns="flu"), visits["flu"])
print("clauses:", search.best_params_["max_clauses"], "accuracy:", round(search.best_score_, 3))
print(search.best_estimator_.rule_)
