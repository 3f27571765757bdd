"""Questions to a system: where it ends up, how it goes on, what a knock-out does, what changed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import cell_cycle, random_network

from nri import InputError
from nri_dynamics import Effect, attractors
from nri_dynamics.formats.bnet import read_bnet


def test_the_cell_cycle_rests_without_cyclin_d_and_turns_with_it():
    found = cell_cycle().attractors()
    (rest,) = found.fixed_points
    (cycle,) = found.cycles
    assert not rest["CycD"]
    assert len(cycle) == 7
    assert all(state["CycD"] for state in cycle)
    assert found.basins == (0.5, 0.5)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_clingo_finds_what_going_through_all_states_finds(seed):
    system = random_network(np.random.default_rng(seed), 5)
    everything = system.attractors()
    solved = attractors._by_solver(system, 3)
    key = lambda state: tuple(state.items())  # noqa: E731
    assert sorted(map(key, solved.fixed_points)) == sorted(map(key, everything.fixed_points))
    turns = lambda cycles: {frozenset(map(key, one)) for one in cycles if len(one) <= 3}  # noqa: E731
    assert turns(solved.cycles) == turns(everything.cycles)


def test_a_large_system_is_put_to_the_solver():
    chain = "\n".join(["x0, !x0", *(f"x{i}, x{i - 1}" for i in range(1, 24))])
    found = read_bnet(chain).attractors(max_length=2)
    assert found.fixed_points == ()
    assert len(found.cycles) == 1
    assert found.longest == 2


def test_a_simulation_ends_where_a_state_recurs():
    course = cell_cycle().simulate("CycD=1")
    assert course[-1] in course[:-1]
    assert len(cell_cycle().simulate("CycD=1", 3)) == 4


def test_a_knocked_out_variable_keeps_its_value():
    system = cell_cycle().knock_out(CycD=0)
    assert system.attractors().cycles == ()
    assert all(not state["CycD"] for state in system.simulate("CycD=1"))
    assert "CycD, 0" in system.render("bnet")


@pytest.mark.parametrize("state", ["CycD", "CycD=7", "CycX=1"])
def test_a_state_that_makes_no_sense_is_told(state):
    with pytest.raises(InputError):
        cell_cycle().simulate(state)


def test_influences_have_the_signs_of_the_literature():
    signs = {(one.source, one.target): one.effect for one in cell_cycle().influences}
    assert signs["CycB", "Cdc20"] is Effect.ACTIVATES
    assert signs["Cdc20", "CycB"] is Effect.INHIBITS
    assert ("CycD", "CycB") not in signs
    (both,) = read_bnet("a, a&!b | !a&b\nb, b").rules["a"].regulators[:1]
    assert both == "a"
    assert read_bnet("a, a&!b | !a&b\nb, b").influences[0].effect is Effect.BOTH


def test_comparing_says_where_two_systems_part():
    old, new = read_bnet("a, b\nb, a & b"), read_bnet("a, b\nb, a | b\nc, a")
    found = old.compare(new)
    assert found.same == ("a",)
    (one,) = found.different
    assert one.name == "b"
    assert sum(one.example.values()) == 1
    assert (one.old, one.new) == (False, True)
    assert found.only_new == ("c",)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_two_systems_are_equal_exactly_if_they_move_alike(seed):
    rng = np.random.default_rng(seed)
    first, second = (random_network(rng, 3, most=2) for _ in range(2))
    states = np.array([[i >> j & 1 for j in range(3)] for i in range(8)])
    alike = (first.next_codes(states) == second.next_codes(states)).all(axis=0)
    assert first.compare(second).same == tuple(
        name for name, same in zip(first.names, alike, strict=True) if same
    )
