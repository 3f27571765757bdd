"""The weights that ship: whole, small, and good enough to find simple rules."""

import numpy as np
import pandas as pd
import pytest

from nri import NRIClassifier
from nri.episode import make_episode
from nri.paper.model import PaperModel, shipped_paper_network
from nri.search.limits import Limits
from nri.weights import shipped_file


def test_the_card_states_training_and_the_file_is_small():
    card = shipped_paper_network().card
    assert card["inducer"] == "paper"
    assert card["episodes"] == card["step"] * card["config"]["batch"]
    assert card["config"]["model"]["slots"] == 8
    assert len(card["commit"]) >= 7
    assert shipped_file("paper").stat().st_size < 5 * 2**20


@pytest.mark.parametrize("n_variables", [8, 40])
def test_conjunctions_are_found_in_most_tables(n_variables):
    rng = np.random.default_rng(0)
    right = []
    for _ in range(10):
        X = rng.random((400, n_variables)) < 0.5
        a, b = rng.choice(n_variables, 2, replace=False)
        labels = (X[:, a] & ~X[:, b]).astype(int)
        table = make_episode(X[:100], labels=labels[:100])
        found = PaperModel().induce(table, np.arange(n_variables), Limits(), rng, 1)
        right.append(np.mean(found.predict(X[100:], np.ones_like(X[100:])) == labels[100:]))
    assert np.mean(right) > 0.9


def test_the_classifier_takes_it_by_name_with_missing_cells_and_several_classes():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (150, 6)).astype(float)
    y = np.select([X[:, 0] == 1, X[:, 1] == 1], ["a", "b"], "c")
    frame = pd.DataFrame(X, columns=list("uvwxyz"))
    frame.iloc[::7, 3] = np.nan
    model = NRIClassifier(model="paper", random_state=0).fit(frame, y)
    assert model.score(frame, y) > 0.8
    assert NRIClassifier(model="paper", random_state=0).fit(frame, y).rules_ == model.rules_
