"""Labels of the estimator: what may be one class, and what must not."""

import numpy as np
import pandas as pd
import pytest

from nri import NRIClassifier
from nri.errors import InputError

X = pd.DataFrame({"x": np.arange(12) + 0.5})


@pytest.mark.parametrize("pair", [[1, "1"], [True, "True"], [0, False], [1.5, "a"]])
@pytest.mark.parametrize("container", ["list", "array", "series"])
def test_labels_of_several_sorts_are_refused(pair: list[object], container: str) -> None:
    """numpy made one class of 1 and ``"1"``, though nobody had said that they were one."""
    y: object = pair * 6
    if container == "array":
        y = np.array(y, dtype=object)
    elif container == "series":
        y = pd.Series(y, dtype=object)
    with pytest.raises(InputError, match="labels mix text, numbers or booleans"):
        NRIClassifier(model="greedy").fit(X, y)


def test_labels_that_differ_in_case_and_blanks_are_one_class_unless_they_are_to_be_kept_apart(
    caplog: pytest.LogCaptureFixture,
) -> None:
    y = ["f", "F", "f ", "f", "f", "f", *["m"] * 6]
    clf = NRIClassifier(model="greedy").fit(X, y)
    assert clf.classes_.tolist() == ["f", "m"]
    assert clf.predict(X).tolist() == ["f"] * 6 + ["m"] * 6
    assert caplog.messages == [
        "y: texts that differ only in case or blanks are read as one: 'F' as 'f', 'f ' as 'f'"
    ]
    exact = NRIClassifier(model="greedy", exact_text=True).fit(X, y)
    assert exact.classes_.tolist() == ["F", "f", "f ", "m"]
