"""A rule that runs in a database: SQL predicts what the rule predicts, missing cells included."""

import sqlite3

from visits import draw_visits

from nri import NRIClassifier

visits = draw_visits()
features = visits.drop(columns="flu")
classifier = NRIClassifier().fit(features, visits["flu"])
query = classifier.rule_.render("sql", table="visits")
print(query)

database = sqlite3.connect(":memory:")
visits.to_sql("visits", database, index=False)
predicted = [row[-1] for row in database.execute(query)]
print("same as predict:", predicted == classifier.predict(features).tolist())

print(classifier.rule_.to_sql("postgres", table="clinic.visits", statement="view"))
