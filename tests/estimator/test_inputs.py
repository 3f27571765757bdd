"""Tables and labels as people have them, in the estimator."""

import pandas as pd
import polars as pl
import pytest

from nri import NRIClassifier
from nri.induce.labelled import label_table
from nri.table.notes import note_once

ALIKE = "y: the classes 'Yes', 'yes' differ only in case or spaces; write them alike if they are one"


def test_a_lazy_frame_of_polars_is_read_without_a_warning_that_it_is_slow() -> None:
    table = pl.DataFrame({"age": list(range(40)), "sex": ["f", "m"] * 20})
    labels = [age > 19 for age in range(40)]
    clf = NRIClassifier(model="greedy", columns=["age"]).fit(table.lazy(), labels)  # warnings are errors here
    assert clf.feature_names_in_.tolist() == ["age", "sex"]
    assert clf.predict(table.lazy()).tolist() == labels


@pytest.mark.parametrize("face", ["estimator", "command line"])
def test_classes_that_differ_only_in_case_or_spaces_are_told(
    face: str, caplog: pytest.LogCaptureFixture
) -> None:
    note_once.cache_clear()
    frame = pd.DataFrame({"x": range(6), "y": ["Yes", "no", "yes"] * 2})
    if face == "estimator":
        NRIClassifier(model="greedy").fit(frame[["x"]], frame["y"])
    else:
        label_table(frame, "y")
    assert caplog.messages == [ALIKE]
