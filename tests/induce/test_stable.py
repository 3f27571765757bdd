"""Stable rules: what other rows would have given too."""

import numpy as np
import pandas as pd
import pytest
from made_tables import labelled_table

from nri import NRIClassifier
from nri.errors import InputError
from nri.induce.induce import induce_rule
from nri.induce.settings import Settings


def patients(n=60, seed=0):
    """One sign tells of the illness, by chance; four others tell nothing."""
    rng = np.random.default_rng(seed)
    signs = rng.normal(size=(n, 5))
    ill = 2 * signs[:, 0] + 1.2 * rng.normal(size=n) > 0
    return labelled_table(
        pd.DataFrame(signs, columns=list("abcde")), ill.astype(np.int64), ("no", "yes"), "ill"
    )


def test_conditions_that_only_a_few_labels_ask_for_are_not_in_the_steady_rule():
    """What it does for the agreement of two draws is told in docs/log.md."""
    plain, steady = (
        [set(induce_rule(patients(seed=seed), Settings(stable=stable)).rule.columns) for seed in range(8)]
        for stable in (False, True)
    )
    assert all(few <= many for few, many in zip(steady, plain, strict=True))
    assert sum(map(len, steady)) < sum(map(len, plain))


def test_a_rule_that_the_labels_tell_plainly_stays_as_it_is():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (120, 5)), columns=list("abcde"))
    table = labelled_table(frame, (frame.a & frame.b).to_numpy().astype(np.int64), ("no", "yes"), "y")
    plain, steady = (induce_rule(table, Settings(stable=stable)).rule for stable in (False, True))
    assert steady == plain


@pytest.mark.parametrize("model", ["greedy", "paper"])
def test_a_model_without_a_belief_beyond_its_rule_cannot_be_steady(model):
    table = patients(30)
    with pytest.raises(InputError, match="stable is for the model 'seeded'"):
        induce_rule(table, Settings(model=model, stable=True))


def test_an_estimator_takes_it_as_a_yes_or_no():
    with pytest.raises(InputError, match="stable is 'yes': use True or False"):
        NRIClassifier(stable="yes").fit([[0], [1], [0], [1]], [0, 1, 0, 1])
