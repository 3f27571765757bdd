"""scikit-learn's own contract, with no expected failure."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from nri import NRIClassifier


@parametrize_with_checks([NRIClassifier()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)
