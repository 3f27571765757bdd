"""NRIRegressor keeps scikit-learn's contract."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from nri import NRIRegressor


@parametrize_with_checks([NRIRegressor()])
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)
