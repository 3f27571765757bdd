"""A column that a person names is used, whatever it looks like."""

import numpy as np
import pandas as pd
import pytest

from nri import NRIClassifier
from nri.errors import InputError
from nri.table import Reason

YEARS = pd.DataFrame({"year": np.arange(1944, 2024), "noise": np.random.default_rng(0).integers(0, 9, 80)})
SINCE_1990 = np.where(YEARS["year"] > 1990, "yes", "no")


def test_years_without_a_gap_were_always_dropped_as_identifiers_and_can_be_forced_in() -> None:
    guessed = NRIClassifier(model="greedy").fit(YEARS, SINCE_1990)
    assert [(one.column, one.reason, one.usable) for one in guessed.left_out_] == [
        ("year", Reason.IDENTIFIER, True)
    ]
    for named in ({"columns": ["year", "noise"]}, {"columns": {"year": True}}, {"require": ["year"]}):
        clf = NRIClassifier(model="greedy", **named).fit(YEARS, SINCE_1990)
        assert clf.rule_.columns == ("year",)
        assert clf.left_out_ == ()
        assert clf.score(YEARS, SINCE_1990) == 1


def test_too_many_categories_are_used_if_they_are_named() -> None:
    towns = pd.DataFrame({"town": ["Rome"] * 30 + [f"town{i // 2}" for i in range(770)], "x": [1, 2] * 400})
    labels = towns["town"] == "Rome"
    assert NRIClassifier(model="greedy").fit(towns, labels).left_out_[0].reason is Reason.TOO_MANY
    clf = NRIClassifier(model="greedy", columns=["town"]).fit(towns, labels)
    assert "town = Rome" in str(clf.rule_)


def test_a_name_that_never_comes_again_is_of_no_use_even_if_it_is_named() -> None:
    people = pd.DataFrame({"who": [f"person {i}" for i in range(30)]})
    with pytest.raises(InputError, match="who looks like an identifier; give numbers, or"):
        NRIClassifier(columns=["who"]).fit(people, [0, 1] * 15)
