"""scikit-learn's newer conventions: tags, routed weights and groups, frames as output, HTML."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from nri import NRIClassifier, NRIRegressor

rng = np.random.default_rng(0)
X = pd.DataFrame({"age": rng.integers(20, 80, 60).astype(float), "smoker": rng.random(60) < 0.5})
Y = ((X["age"] > 50) & X["smoker"]).astype(int)


@pytest.fixture
def _routed():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@pytest.mark.parametrize(("estimator", "kind"), [(NRIClassifier, "classifier"), (NRIRegressor, "regressor")])
def test_tags_say_what_is_taken(estimator, kind):
    tags = get_tags(estimator())
    assert tags.estimator_type == kind
    assert (tags.input_tags.allow_nan, tags.input_tags.string, tags.input_tags.categorical) == (True,) * 3
    assert not tags.input_tags.sparse
    assert tags.target_tags.required


@pytest.mark.parametrize(
    "estimator", [NRIClassifier("greedy"), NRIRegressor()], ids=lambda one: type(one).__name__
)
@pytest.mark.usefixtures("_routed")
def test_weights_and_groups_are_routed_to_the_fits_of_folds(estimator):
    """Rows of weight 0 are absent: with all labels of one kind weighted away, nothing else can be learnt."""
    weights = np.where(Y == 1, 0.0, 1.0)
    wanted = {"sample_weight": True} | ({"groups": True} if isinstance(estimator, NRIClassifier) else {})
    model = estimator.set_fit_request(**wanted).set_score_request(sample_weight=False)
    scores = cross_validate(
        model,
        X,
        Y,
        cv=GroupKFold(2),
        params={"sample_weight": weights, "groups": np.arange(60) % 6},
        return_estimator=True,
    )
    assert all((fitted.predict(X) == 0).all() for fitted in scores["estimator"])


@pytest.mark.usefixtures("_routed")
def test_weights_that_nobody_asked_for_are_refused():
    with pytest.raises(ValueError, match="sample_weight"):
        cross_validate(make_pipeline(NRIClassifier("greedy")), X, Y, params={"sample_weight": np.ones(60)})


def test_names_come_through_a_transformer_whose_output_is_a_frame():
    """The estimators are no transformers: set_output is for the steps before them, whose names rules keep."""
    scaled = ColumnTransformer(
        [("scaled", StandardScaler(), ["age"])], remainder="passthrough", verbose_feature_names_out=False
    )
    model = make_pipeline(scaled, NRIClassifier("greedy")).set_output(transform="pandas").fit(X, Y)
    assert set(model[-1].feature_names_in_) == {"age", "smoker"}
    assert "age >" in str(model[-1].rule_)


def test_a_fitted_estimator_shows_its_rule_and_a_pipeline_its_steps():
    fitted = NRIClassifier("greedy").fit(X, Y)
    assert "<table" in fitted._repr_html_()
    assert "NRIClassifier" in make_pipeline(NRIClassifier("greedy"))._repr_html_()
