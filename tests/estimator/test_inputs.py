"""Tables and labels as people have them, in the estimator."""

import pandas as pd
import polars as pl
import pytest

from nri import NRIClassifier
from nri.errors import InputError
from nri.table import label_table, table_of

ALIKE = "y: texts that differ only in case or blanks are read as one: ' yes' as 'yes', 'Yes' as 'yes'"


def test_a_lazy_frame_of_polars_is_read_without_a_warning_that_it_is_slow() -> None:
    table = pl.DataFrame({"age": list(range(40)), "sex": ["f", "m"] * 20})
    labels = [age > 19 for age in range(40)]
    clf = NRIClassifier(model="greedy", columns=["age"]).fit(table.lazy(), labels)  # warnings are errors here
    assert clf.feature_names_in_.tolist() == ["age", "sex"]
    assert clf.predict(table.lazy()).tolist() == labels


@pytest.mark.parametrize("face", ["estimator", "command line"])
def test_classes_that_differ_only_in_case_or_blanks_are_one_with_a_note_each_time(
    face: str, caplog: pytest.LogCaptureFixture
) -> None:
    """They were searched for as classes of their own, for minutes, and the note was told but once."""
    frame = pd.DataFrame({"x": range(9), "y": ["Yes", "no", "yes", "yes", "no", " yes", "no", "no", "no"]})
    for _ in range(2):
        if face == "estimator":
            classes = NRIClassifier(model="greedy").fit(frame[["x"]], frame["y"]).classes_.tolist()
        else:
            classes = list(label_table(table_of(frame), "y").classes)
        assert classes == ["no", "yes"]
    assert caplog.messages == [ALIKE] * 2


def test_classes_that_differ_only_in_case_are_kept_apart_if_somebody_wants_it() -> None:
    frame = pd.DataFrame({"x": range(9), "y": ["Yes", "no", "yes"] * 3})
    exact = NRIClassifier(model="greedy", exact_text=True).fit(frame[["x"]], frame["y"])
    assert exact.classes_.tolist() == ["Yes", "no", "yes"]


@pytest.mark.parametrize("labels", [[1, "1"], [True, "True"], [True, 1]])
def test_labels_of_several_sorts_are_refused_rather_than_merged(labels: list[object]) -> None:
    """numpy made one class of 1 and "1", without a word."""
    with pytest.raises(InputError, match="labels mix text, numbers or booleans"):
        NRIClassifier(model="greedy").fit({"x": range(8)}, labels * 4)
