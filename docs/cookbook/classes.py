"""More than two classes: an ordered list of branches, of which the first that fires decides."""

from sklearn.datasets import load_iris

from nri import NRIClassifier

iris = load_iris(as_frame=True)
species = iris.target_names[iris.target]

classifier = NRIClassifier(max_clauses=2).fit(iris.data, species)
print(classifier.rule_)
print("accuracy on these rows:", round(classifier.score(iris.data, species), 3))
