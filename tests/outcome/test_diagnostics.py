"""Sensitivity and its kin, and whether their intervals hold what they promise."""

import numpy as np
import pytest

from nri.errors import InputError
from nri.outcome.score import Sampled, diagnosed_classes, diagnostics_of


def test_shares_are_counted_as_the_textbook_does():
    truth = np.array([1] * 10 + [0] * 30)
    said = np.array([1] * 8 + [0] * 2 + [1] * 3 + [0] * 27)
    found = diagnostics_of(truth, said, 1, "ill")
    told = {name: measure.value for name, measure in found.measures.items()}
    assert told == pytest.approx(
        {"sensitivity": 0.8, "specificity": 0.9, "PPV": 8 / 11, "NPV": 27 / 29, "balanced accuracy": 0.85}
    )
    assert (found.prevalence, found.assumed) == (0.25, False)
    assert all(m.interval.low < m.value < m.interval.high for m in found.measures.values())


def test_a_prevalence_changes_predictive_values_by_bayes_rule_and_nothing_else():
    truth, said = np.array([1] * 10 + [0] * 30), np.array([1] * 8 + [0] * 2 + [1] * 3 + [0] * 27)
    own, same, rare = (diagnostics_of(truth, said, 1, "ill", prevalence=p) for p in (None, 0.25, 0.01))
    assert same.ppv.value == pytest.approx(own.ppv.value)
    assert same.npv.value == pytest.approx(own.npv.value)
    assert rare.ppv.value == pytest.approx(0.8 * 0.01 / (0.8 * 0.01 + 0.1 * 0.99))
    assert rare.sensitivity == own.sensitivity
    with pytest.raises(InputError, match="a share between 0 and 1, not 5"):
        diagnostics_of(truth, said, 1, "ill", prevalence=5)


def test_intervals_at_another_prevalence_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(0)
    truth = np.repeat([1, 0], [60, 150])
    sensitivity, specificity, prevalence = 0.8, 0.9, 0.05
    true_ppv = sensitivity * prevalence / (sensitivity * prevalence + (1 - specificity) * (1 - prevalence))
    held = 0
    for _ in range(400):
        said = (rng.random(len(truth)) < np.where(truth == 1, sensitivity, 1 - specificity)).astype(int)
        interval = diagnostics_of(truth, said, 1, "ill", prevalence=prevalence).ppv.interval
        held += interval.low <= true_ppv <= interval.high
    assert 0.92 < held / 400 < 0.98


def test_what_cannot_be_counted_is_not_made_up():
    never = diagnostics_of(np.array([1, 0, 0]), np.array([0, 0, 0]), 1, "ill", prevalence=0.1)
    assert never.ppv.value is None
    assert str(never.ppv) == "-"
    perfect = diagnostics_of(np.array([1, 0, 0]), np.array([1, 0, 0]), 1, "ill", prevalence=0.1)
    assert perfect.ppv.value == 1.0
    assert perfect.ppv.interval.low < 0.5


def test_the_class_asked_about_comes_first_then_the_lone_one_with_a_rule():
    assert diagnosed_classes(["no", "yes"], 0, ["yes"]) == [0]
    assert diagnosed_classes(["no", "yes"], None, ["no"]) == [0]
    assert diagnosed_classes(["no", "yes"], None, []) == [1]
    assert diagnosed_classes(list("abc"), None, list("ab")) == [0, 1, 2]


def test_an_interval_is_wider_where_the_rules_of_folds_differ_or_rows_belong_together():
    """Intervals that saw neither held the truth in 69 to 82 % of tables of 100 rows."""
    truth = np.arange(100) % 2
    predicted = np.where(np.arange(100) < 80, truth, 1 - truth)
    fold = np.arange(100) % 5
    same = np.stack([predicted] * 5)
    other = np.stack([np.where(np.arange(100) % 7 < k, 1, predicted) for k in range(5)])

    def width(sampled):
        interval = diagnostics_of(truth, predicted, 1, "ill", sampled=sampled).sensitivity.interval
        return interval.high - interval.low

    plain, agreed = width(None), width(Sampled(fold, None, same))
    assert plain < agreed < width(Sampled(fold, None, other))
    assert agreed < width(Sampled(fold, np.arange(100) // 10, same))
