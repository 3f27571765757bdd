"""The paper's model on arrays: gates from a file, rules from gates, and no torch anywhere."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from nri.episode import make_episode
from nri.induce import models
from nri.induce.induce import induce_rule
from nri.paper import model as paper
from nri.paper.model import (
    PUBLISHED,
    TUNED,
    DeployConfig,
    Gates,
    PaperModel,
    count,
    rows_to_show,
    tuned_paper_model,
)
from nri.search.limits import Limits
from nri.table import label_table, table_of


class Scripted:
    """A network that answers what it is told to, and remembers what it was shown."""

    def __init__(self, *answers: tuple[list, list]) -> None:
        self.answers = list(answers)
        self.shown = []

    def gates(self, values, known, labels) -> list[Gates]:
        self.shown.append((values[0], known[0], labels))
        z, w = self.answers[(len(self.shown) - 1) % len(self.answers)]
        return [Gates(np.array(z, np.float32), np.array(w, np.float32))] * len(values)


XOR = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], bool)


def induce(network, episode, limits=None, positive=None, **options):
    model = PaperModel(network, **{"config": PUBLISHED} | options)
    groups = np.arange(episode.n_variables)
    limits = replace(limits or Limits(), positive=positive)
    return model.induce(episode, groups, limits, np.random.default_rng(0))


def test_open_gates_are_the_rule_and_everything_else_is_the_other_class():
    table = make_episode(XOR, labels=np.array([0, 0, 0, 1]))
    found = induce(Scripted(([[0.9, 0.8, 0, 0], [0.9, 0, 0, 0]], [0.7, 0.2])), table, positive=1)
    assert found.rules == ((), ((0, 1),))
    assert found.default == 0
    assert found.errors == 0


def test_the_class_whose_rule_decides_more_rows_rightly_is_described():
    table = make_episode(XOR, labels=np.array([0, 0, 0, 1]))
    both = induce(Scripted(([[0, 0, 0, 0.9]], [1.0]), ([[0, 0, 0.9, 0]], [1.0])), table, both_sides=True)
    assert both.rules == (((2,),), ())


def test_the_texts_rule_has_every_open_slot_and_is_for_the_positive_class():
    """Tables once showed the tuned deployment under the paper's name; the two are two models now."""
    table = make_episode(XOR, labels=np.array([0, 0, 0, 1]))
    answers = ([[0, 0, 0, 0.9], [0.9, 0.9, 0, 0]], [1.0, 0.5]), ([[0, 0, 0.9, 0]], [1.0])
    for model, rules in (
        (PaperModel(Scripted(*answers)), ((), ((0, 1), (3,)))),
        (tuned_paper_model(Scripted(*answers)), ((), ((0, 1),))),
    ):
        found = model.induce(table, np.arange(2), Limits(), np.random.default_rng(0))
        assert found.rules == rules


class FirstColumn:
    """A network that always asks for the first column it is shown to be true."""

    def gates(self, values, known, labels) -> list[Gates]:
        z = np.zeros((1, 2 * values.shape[2]), np.float32)
        z[0, 0] = 1
        return [Gates(z, np.ones(1, np.float32))] * len(values)


def test_restarts_find_the_view_whose_rule_decides_most_rows_rightly():
    """Signs and orders of columns are undone: the rule speaks about the table as it is."""
    values = np.random.default_rng(3).random((40, 5)) < 0.5
    table = make_episode(values, labels=(~values[:, 3]).astype(np.int64))
    assert induce(FirstColumn(), table).rules == ((), ((0,),))
    found = induce(FirstColumn(), table, restarts=64)
    assert found.rules == ((), ((8,),))
    assert found.errors == 0


def test_the_texts_network_sees_the_table_as_it_is():
    """Columns were once sorted and flipped before the paper's network saw them, and no page said so."""
    rows = [{"a": i % 4 == 0, "b": i % 3 > 0, "y": i % 3 > 0} for i in range(24)]
    shown = Scripted(([[0.9, 0, 0, 0]], [1.0]))
    table = label_table(table_of({name: [row[name] for row in rows] for name in "aby"}), "y")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "get_inducer", lambda name, **_: PaperModel(shown))
        induce_rule(table)
    np.testing.assert_array_equal(shown.shown[0][0], [[row["a"], row["b"]] for row in rows])


def test_each_of_several_classes_is_set_against_the_rest():
    labels = np.array([0, 1, 2, 2])
    table = make_episode(XOR, labels=labels)
    network = Scripted(([[0, 0, 0.9, 0.9]], [1]), ([[0, 0.9, 0.9, 0]], [1]), ([[0.9, 0, 0, 0]], [0.9]))
    found = induce(network, table)
    assert found.rules == (((2, 3),), ((1, 2),), ((0,),))
    assert [shown[2].tolist() for shown in network.shown] == [(labels == c).tolist() for c in range(3)]
    np.testing.assert_array_equal(found.predict(table.values, table.known), labels)


def test_rows_that_no_rule_covers_go_to_the_most_frequent_class_among_them():
    """Always taking the first class, as the published code does, costs car fifteen points."""
    table = make_episode(XOR, labels=np.array([2, 2, 1, 0]))
    found = induce(Scripted(([[0.9, 0.9, 0, 0]], [1]), ([[0.9, 0, 0, 0.9]], [1]), ([[0] * 4], [0])), table)
    assert found.default == 2


def test_limits_hold():
    table = make_episode(XOR, labels=np.array([0, 0, 0, 1]))
    gates = ([[0.9, 0.8, 0, 0], [0, 0.7, 0, 0], [0, 0, 0.9, 0]], [0.9, 0.8, 0.7])
    assert induce(Scripted(gates), table, Limits(max_clauses=1), 1).rules[1] == ((0, 1),)
    assert induce(Scripted(gates), table, Limits(max_literals=1), 1).rules[1] == ((0,), (1,), (2,))
    assert induce(Scripted(gates), table, Limits(allowed=np.arange(4) < 2), 1).rules[1] == ((0, 1), (1,))
    assert induce(Scripted(gates), table, Limits(min_precision=0.6), 1).rules[1] == ((0, 1),)


def test_every_clause_speaks_about_the_required_columns():
    table = make_episode(XOR, labels=np.array([0, 0, 0, 1]))
    gates = ([[0.9, 0, 0, 0], [0.0, 0.7, 0.1, 0]], [0.9, 0.8])
    second = np.array([False, True, False, True])
    limits = Limits(max_literals=1, required=(second,))
    assert induce(Scripted(gates), table, limits, 1).rules[1] == ((1,),)
    first = np.array([True, False, True, False])
    assert induce(Scripted(gates), table, Limits(required=(first,)), 1).rules[1] == ((0,), (1, 2))


def test_the_top_filter_keeps_what_discriminates_best():
    table = make_episode(XOR, labels=np.array([0, 0, 0, 1]))
    gates = ([[0, 0, 0.9, 0], [0.9, 0.9, 0, 0]], [0.9, 0.6])
    found = induce(Scripted(gates), table, positive=1, config=DeployConfig(top_clauses=1))
    assert found.rules[1] == ((0, 1),)
    # a rule of fewer clauses than there are slots is the text's K', not the widest open gates
    assert induce(Scripted(gates), table, Limits(max_clauses=1), 1).rules[1] == ((0, 1),)


def test_tuned_a_silent_slot_that_is_cut_to_four_literals_stays_silent():
    """Unneeded slots ask for all variables; cut short they fired on half of the table."""
    rng = np.random.default_rng(0)
    X = rng.random((60, 8)) < 0.5
    table = make_episode(X, labels=X[:, 0].astype(int))
    needed, silent = [0.9] + [0.0] * 15, [0.0] * 8 + [0.8] * 8
    gates = ([needed, silent], [0.9, 0.9])
    assert induce(Scripted(gates), table, positive=1).rules[1] == ((0,), (8, 9, 10, 11))
    assert induce(Scripted(gates), table, positive=1, config=TUNED).rules[1] == ((0,),)


def test_a_row_of_weight_two_is_shown_twice_and_counted_twice():
    table = make_episode(XOR, labels=np.array([0, 0, 0, 1]), weights=np.array([1.0, 1, 2, 3]))
    network = Scripted(([[0.9, 0, 0, 0]], [1.0]))
    found = induce(network, table, positive=1)
    assert len(network.shown[0][0]) == 7
    assert found.errors == 2


def test_of_a_large_table_some_rows_of_every_class_are_shown(monkeypatch):
    monkeypatch.setattr(paper, "MAX_CELLS", 100)
    rng = np.random.default_rng(0)
    labels = np.r_[np.zeros(500, int), np.ones(490, int), np.full(10, 2)]
    table = make_episode(rng.random((1000, 2)) < 0.5, labels=labels)
    shown = rows_to_show(table, np.random.default_rng(1))
    assert 40 <= len(shown) <= 60
    assert set(shown.labels) == {0, 1, 2}
    assert shown.n_classes == 3


@pytest.mark.parametrize("weights", [[0.5, 0.5, 0.5, 0.5], [0.1, 2.5, 0.7, 0.7]])
def test_weights_that_are_no_whole_numbers_are_settled_by_drawing(weights):
    table = make_episode(XOR, labels=np.array([0, 0, 1, 1]), weights=np.array(weights))
    shown = rows_to_show(table, np.random.default_rng(1))
    assert 2 <= len(shown) <= 5
    assert set(shown.labels) == {0, 1}


def test_no_clause_at_all_says_the_most_frequent_class():
    table = make_episode(XOR, labels=np.array([1, 1, 0, 1]))
    assert count(table, [(), ()], Limits()).default == 1


def test_it_runs_without_torch():
    code = "import sys, nri.paper.model, nri.induce.models; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
