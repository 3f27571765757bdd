"""Rows without a label say where rows are; they never count as rows that a rule covers."""

import numpy as np
import pandas as pd
import pytest

from nri import NRIClassifier, read_table
from nri.errors import InputError
from nri.induce.induce import induce_rule


def table(n=160, seed=1):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 4)).round(2), columns=list("abcd"))
    y = np.where(X["a"] + X["b"] - X["c"] + rng.normal(size=n) > 0, "yes", "no")
    return X, y


def test_rows_whose_target_is_empty_are_kept_beside_the_table():
    X, y = table()
    frame = X.assign(y=np.where(np.arange(len(X)) < 40, y, None))
    read = read_table(frame, "y")
    assert len(read) == 40
    assert read.unlabelled is not None
    assert {len(column) for column in read.unlabelled.values()} == {120}
    assert induce_rule(read).rule.support.rows == 40


def test_files_and_fit_agree_on_unlabelled_rows():
    X, y = table()
    frame = X.assign(y=np.where(np.arange(len(X)) < 40, y, None))
    fitted = NRIClassifier().fit(X[:40], y[:40], unlabelled=X[40:])
    assert str(fitted.rule_).replace("class", "y") == str(induce_rule(read_table(frame, "y")).rule).replace(
        "class", "y"
    )


def test_the_order_of_unlabelled_rows_does_not_matter():
    X, y = table()
    rules = [
        str(NRIClassifier().fit(X[:40], y[:40], unlabelled=more).rule_)
        for more in (X[40:], X[40:].iloc[::-1])
    ]
    assert rules[0] == rules[1]


def test_plain_arrays_may_have_unlabelled_rows_too():
    X, y = table()
    values = X.to_numpy()
    fitted = NRIClassifier().fit(values[:40], y[:40], unlabelled=values[40:])
    assert fitted.rule_.support.rows == 40


def test_what_unlabelled_rows_lack_is_told_of_them():
    """Of a frame without the column AGE it was said "no column 'AGE'; did you mean 'FATIGUE'?", as if X
    lacked it; arrays of another width ended in an error of pandas."""
    X, y = table()
    name = X.columns[0]
    with pytest.raises(InputError, match=f"^unlabelled: no column '{name}', which X has; give rows with"):
        NRIClassifier().fit(X[:40], y[:40], unlabelled=X[40:].drop(columns=name))
    values = X.to_numpy()
    with pytest.raises(InputError, match=rf"^unlabelled: {X.shape[1] - 1} columns, X has {X.shape[1]}; give"):
        NRIClassifier().fit(values[:40], y[:40], unlabelled=values[40:, 1:])
