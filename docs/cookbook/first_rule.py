"""A rule from a DataFrame: print it, predict with it, and explain a prediction."""

from visits import draw_visits

from nri import NRIClassifier

visits = draw_visits()
features, flu = visits.drop(columns="flu"), visits["flu"]

classifier = NRIClassifier().fit(features, flu)
print(classifier.rule_)

newcomer = features.head(1).assign(fever="no", cough="yes", chills="yes", age=71)
print("prediction:", classifier.predict(newcomer)[0])
print(classifier.explain(newcomer)[0])
