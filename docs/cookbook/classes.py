"""More than two classes: one rule for each, and where several apply the surest clause decides."""

from sklearn.datasets import load_iris

from nri import NRIClassifier

iris = load_iris(as_frame=True)
species = iris.target_names[iris.target]

classifier = NRIClassifier(max_clauses=2).fit(iris.data, species)
print(classifier.rule_)
print("accuracy on these rows:", round(classifier.score(iris.data, species), 3))
