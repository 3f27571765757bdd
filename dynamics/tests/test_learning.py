"""What is learned from transitions is the system that made them, and what is not known is listed."""

import io
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import all_states, cell_cycle, random_network, transitions

from nri import InputError, read_table
from nri.rule import ColumnPlan, Kind
from nri_dynamics import learn_dynamics, read_dynamics
from nri_dynamics.noisy_regulators import NoisyRegulators
from nri_dynamics.shortest_rule import shortest_rule
from nri_dynamics.variables import Variable


def test_the_cell_cycle_is_found_from_all_of_its_transitions():
    truth = cell_cycle()
    found = learn_dynamics(transitions(truth, all_states(10)))
    assert truth.compare(found).equal
    assert found.seen.explained == 1
    assert all(rule.exact for rule in found.rules.values())


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5))
def test_any_network_is_found_from_all_of_its_transitions(seed, n):
    truth = random_network(np.random.default_rng(seed), n)
    assert truth.compare(learn_dynamics(transitions(truth, all_states(n)))).equal


def test_five_hundred_random_transitions_show_every_variable_of_few_regulators():
    rng = np.random.default_rng(3)
    truth = random_network(rng, 30, most=4)
    found = learn_dynamics(transitions(truth, rng.integers(0, 2, (500, 30))))
    assert truth.compare(found).equal


def test_the_order_of_rows_and_columns_does_not_matter():
    rng = np.random.default_rng(5)
    table = transitions(cell_cycle(), rng.integers(0, 2, (40, 10)))
    other = table.iloc[rng.permutation(len(table)), rng.permutation(table.shape[1])]
    first, second = learn_dynamics(table), learn_dynamics(other)
    for name, rule in first.rules.items():
        assert rule.on_rule == second.rules[name].on_rule


def test_flipped_cells_cost_probability_not_the_rule():
    """One cell in a hundred wrong: exact explanations would need everything as a regulator."""
    rng = np.random.default_rng(0)
    truth = random_network(rng, 10, most=3)
    table = transitions(truth, rng.integers(0, 2, (600, 10)))
    noisy = table ^ (rng.random(table.shape) < 0.01)
    found = learn_dynamics(noisy.astype(int))
    assert len(truth.compare(found).same) >= 9
    assert found.seen.explained is not None
    assert 0.7 < found.seen.explained < 1
    shares = [
        clause.share(1)
        for rule in found.rules.values()
        for clauses in rule.decisions.clauses.values()
        for clause in clauses
        if sum(clause.counts)
    ]
    assert min(shares) < 1
    assert min(shares) > 0.8


def test_a_rare_value_is_found_among_flipped_cells():
    """Five conditions, on next in one row of 32: counting errors alone, no single one of them helps."""
    rng = np.random.default_rng(4)
    truth = read_dynamics(io.StringIO("a, a\nb, b\nc, c\nd, d\ne, e\nf, f\ng, a & b & !c & d & e\nh, !h"))
    table = transitions(truth, rng.integers(0, 2, (600, 8)))
    noisy = table ^ (rng.random(table.shape) < 0.02)
    assert truth.compare(learn_dynamics(noisy.astype(int))).equal


def test_regulators_that_settle_noisy_rows_by_chance_are_not_believed():
    """Seven of twenty columns settle any hundred rows or so, each of them indispensable."""
    rng = np.random.default_rng(1)
    truth = random_network(rng, 20, most=2)
    table = transitions(truth, rng.integers(0, 2, (100, 20)))
    noisy = table ^ (rng.random(table.shape) < 0.05)
    found = learn_dynamics(noisy.astype(int))
    assert max(len(rule.regulators) for rule in found.rules.values()) <= 4


def test_contradictions_are_listed_with_how_often_each_was_seen():
    states = {"a": [0, 0, 0, 1, 1], "b": [0, 0, 0, 1, 1], "a'": [1, 1, 0, 0, 0], "b'": [0, 0, 0, 1, 1]}
    table = {name: cells * 10 for name, cells in states.items()}
    found = learn_dynamics(table)
    (one,) = found.seen.contradictions
    assert one.state == {"a": False, "b": False}
    assert [count for _, count in one.nexts] == [20, 10]
    assert found.seen.explained == pytest.approx(0.8)
    assert "-> a=1   20 times" in found.render("text")  # b is the same after both


def test_what_was_never_seen_is_told_with_what_the_rule_says_there():
    table = {"a": [0, 0, 1], "b": [0, 1, 0], "a'": [0, 1, 1], "b'": [0, 1, 0]}
    found = learn_dynamics(table)
    unseen = found.rules["a"].never_seen
    assert (unseen.total, unseen.missing) == (4, 1)
    assert unseen.examples[0][0] == {"a": True, "b": True}
    assert "never seen: 1 of 4" in found.render("text")


def test_other_regulators_that_explain_as_much_are_named():
    table = {"a": [0, 1, 0, 1], "b": [0, 1, 0, 1], "c": [0, 0, 1, 1], "c'": [0, 1, 0, 1]}
    rule = learn_dynamics(table).rules["c"]
    assert rule.regulators == ("a",)
    assert rule.other_regulators == (("b",),)


@pytest.mark.parametrize("names", list(permutations("fit")))
def test_of_equally_short_rules_the_one_whose_regulators_act_one_way_is_taken(names):
    """(f AND NOT t) OR (i AND NOT f) is as short where f=0 i=1 t=1 was never seen, and was taken at times."""
    cells = np.array([(f, i, t) for f in (0, 1) for i in (0, 1) for t in (0, 1) if (f, i, t) != (0, 1, 1)])
    order = ["fit".index(name) for name in names]
    on = ((cells[:, 0] | cells[:, 1]) & ~cells[:, 2] & 1) == 1
    variables = [Variable(name, ColumnPlan(Kind.BOOLEAN), (False, True)) for name in names]
    rule = shortest_rule(variables, cells[on][:, order], cells[~on][:, order])
    assert {(x.column, x.positive) for clause in rule for x in clause} == {
        ("f", True),
        ("i", True),
        ("t", False),
    }


def test_all_sets_that_a_quick_search_finds_are_handed_back():
    rows = np.array([[0, 0, 1], [1, 1, 0], [0, 0, 0], [1, 1, 1]])
    assert NoisyRegulators(rows, np.array([0, 1, 0, 1])).determining(2) == [(0,), (1,)]
    assert NoisyRegulators(rows[:, 2:], np.array([0, 1, 1, 0])).determining(1) == [(0,)]
    assert NoisyRegulators(rows[:, 2:], np.array([0, 1, 0, 1])).determining(1) == []


def test_a_column_without_a_next_one_is_an_input():
    table = {"light": [0, 1, 0, 1], "on": [0, 0, 1, 1], "on'": [0, 1, 0, 1]}
    found = learn_dynamics(table)
    assert found.variable("light").is_input
    assert found.simulate("light=1", 2)[-1] == {"light": True, "on": True}


def test_asynchronous_transitions_show_the_rules_when_told_so():
    truth = cell_cycle()
    states = all_states(10)
    following = truth.next_codes(states)
    before, after = [], []
    for state, goal in zip(states, following, strict=True):
        for i in np.flatnonzero(state != goal):
            moved = state.copy()
            moved[i] = goal[i]
            before.append(state)
            after.append(moved)
        if (state == goal).all():
            before.append(state)
            after.append(state)
    names = [*truth.names, *(f"{name}'" for name in truth.names)]
    table = pd.DataFrame(np.concatenate([before, after], axis=1), columns=names)
    found = learn_dynamics(table, asynchronous=True)
    assert truth.compare(found).equal
    assert found.seen.explained == 1


def test_categories_and_levels_are_states_too():
    table = pd.DataFrame(
        [(x, y) for x in ("low", "mid", "high") for y in (0, 1, 2)], columns=["dose", "level"]
    )
    table["dose'"] = table["dose"]
    table["level'"] = np.where(table["dose"] == "high", 2, np.where(table["level"] > 0, 1, 0))
    found = learn_dynamics(table)
    said = found.predict(table[["dose", "level"]])
    assert said["level"].tolist() == table["level'"].tolist()
    assert said["dose"].tolist() == table["dose'"].tolist()


def test_measurements_are_cut_into_low_and_high_once():
    rng = np.random.default_rng(1)
    on = rng.integers(0, 2, (60, 2))
    goal = np.stack([1 - on[:, 1], on[:, 0]], axis=1)
    cells = np.concatenate([on, goal], axis=1) * 5.0 + rng.uniform(0, 1, (60, 4))
    found = learn_dynamics(pd.DataFrame(cells, columns=["a", "b", "a'", "b'"]))
    assert 1 < found.variable("a").cut < 5
    assert found.predict({"a": [0.2], "b": [0.4]})["a"].tolist() == [True]
    assert "(a > " in found.render("text")


def test_values_of_a_measurement_are_told_as_they_may_be_given():
    """They were told as 0 and 1, which a reader takes for the measurement itself."""
    table = {"dose": [0.5, 7.1, 0.6], "on": [0, 0, 1], "on'": [1, 1, 0], "dose'": [0.4, 7.3, 7.2]}
    found = learn_dynamics(table)
    assert "dose=high on=1 (the rule says high)" in found.render("text")
    assert found.state("dose=high, on=1").tolist() == [1, 1]


@pytest.mark.parametrize("model", ["seeded", "greedy", "paper"])
def test_the_models_of_the_path_do_the_same_work(model):
    truth = random_network(np.random.default_rng(2), 4, most=1)
    found = learn_dynamics(transitions(truth, all_states(4)), model=model)
    assert set(found.rules) == set(truth.rules)
    if model != "paper":
        assert truth.compare(found).equal


def test_a_table_that_was_read_is_taken_as_well():
    truth = cell_cycle()
    table = read_table(transitions(truth, all_states(10)))
    assert truth.compare(learn_dynamics(table)).equal


def test_a_time_series_is_read_in_order_of_time_and_series():
    table = pd.DataFrame(
        {"t": [1, 0, 2, 0, 1, 2], "who": ["a", "a", "a", "b", "b", "b"], "x": [1, 0, 0, 1, 0, 1]}
    )
    found = learn_dynamics(table, time="t", series="who")
    assert found.seen.transitions == 4
    assert str(found.rules["x"].on_rule) == "(NOT x)"


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        ({"a": [0, 1], "b": [1, 0]}, {}, "no column holds next values"),
        ({"a": [0, 1], "a_next": [1, 0]}, {}, "--next-suffix; perhaps '_next'"),
        ({"a": [0, 1], "c'": [1, 0]}, {}, "\"c'\" holds next values of 'c', which is no column"),
        ({"t": [0, 1, 2, 9], "x": [0, 1, 0, 1]}, {"time": "t"}, "has a gap: t 9 follows 2"),
        ({"t": [0, 1, 1], "x": [0, 1, 0]}, {"time": "t"}, "occurs twice"),
        ({"x": [0, 1]}, {"time": "when"}, "no column 'when'"),
        ({"a": [0, 1], "b": [None] * 2, "a'": [1, 0]}, {}, "no known cell"),
        ({"a": [0, 1], "a'": [1, 0]}, {"without": ["z"]}, "no column 'z'"),
        ({"a": [0, 1], "a'": [1, 0]}, {"model": "magic"}, "no model 'magic'"),
    ],
)
def test_mistakes_are_told_in_one_line(table, options, words):
    with pytest.raises(InputError) as caught:
        learn_dynamics(pd.DataFrame(table), **options)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_series_may_be_taken_apart_at_its_gaps():
    table = {"t": [0, 1, 2, 9, 10], "x": [0, 1, 0, 0, 1]}
    assert learn_dynamics(table, time="t", skip_gaps=True).seen.transitions == 3


def test_two_tables_need_as_many_rows_and_the_same_columns():
    with pytest.raises(InputError, match="one next state for each state"):
        learn_dynamics({"a": [0, 1]}, {"a": [0]})
    with pytest.raises(InputError, match="the table of next states: no column 'b'"):
        learn_dynamics({"a": [0, 1]}, {"b": [0, 1]})
    assert str(learn_dynamics({"a": [0, 1]}, {"a": [1, 0]}).rules["a"].on_rule) == "(NOT a)"
