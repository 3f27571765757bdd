"""Every format of a system is executed or read back, and steps as the system does."""

import subprocess

import clingo
import libsbml
import numpy as np
import pandas as pd
import programs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks import all_states, cell_cycle, random_network, transitions

from nri import InputError
from nri_dynamics import learn_dynamics, read_dynamics
from nri_dynamics.formats.bnet import read_bnet
from nri_dynamics.formats.programs import atom, render_asp, value_atom, value_term, variable_term
from nri_dynamics.layout import place


def several_values():
    """A system with categories and levels, and with a name that needs quotes."""
    table = pd.DataFrame(
        [(x, y, z) for x in ("low", "mid", "high") for y in (0, 1, 2) for z in (0, 1)],
        columns=["the 'dose'", "level", "on"],
    )
    table["the 'dose'>"] = np.where(table["on"] == 1, "high", table["the 'dose'"])
    high = table["the 'dose'"] == "high"
    table["level>"] = np.where(high, 2, np.where(table["level"] > 0, table["level"] - 1, 0))
    table["on>"] = (table["level"] == 1).astype(int)
    return learn_dynamics(table, next_suffix=">")


def next_by_clingo(system, codes):
    facts = " ".join(
        f"holds({variable_term(one)}, {value_term(one, int(code))}, 0)."
        for one, code in zip(system.variables, codes, strict=True)
    )
    control = clingo.Control(["--warn=none"])
    control.add("base", [], render_asp(system) + facts)
    control.ground([("base", [])])
    found = {}

    def keep(model):
        for symbol in model.symbols(shown=True):
            if symbol.arguments[2].number == 1:
                assert str(symbol.arguments[0]) not in found
                found[str(symbol.arguments[0])] = str(symbol.arguments[1])

    control.solve(on_model=keep)
    terms = [[value_term(one, i) for i in range(len(one.values))] for one in system.variables]
    return [own.index(found[variable_term(one)]) for one, own in zip(system.variables, terms, strict=True)]


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_one_step_of_clingo_is_one_step_of_the_system(seed):
    rng = np.random.default_rng(seed)
    system = random_network(rng, 5)
    codes = rng.integers(0, 2, 5)
    assert next_by_clingo(system, codes) == system.next_codes(codes[None, :])[0].tolist()


def test_clingo_and_prolog_step_a_system_of_several_values_alike():
    system = several_values()
    sizes = [len(one.values) for one in system.variables]
    states = np.stack(np.unravel_index(np.arange(np.prod(sizes)), sizes), axis=1)
    expected = system.next_codes(states)
    for state, goal in zip(states, expected, strict=True):
        assert next_by_clingo(system, state) == goal.tolist()


def test_prolog_steps_as_the_system_does(tmp_path):
    swipl = programs.prolog()
    system = several_values()
    program = tmp_path / "system.pl"
    program.write_text(system.render("prolog"), encoding="utf-8")
    sizes = [len(one.values) for one in system.variables]
    states = np.stack(np.unravel_index(np.arange(np.prod(sizes)), sizes), axis=1)
    goals = []
    for state in states:
        facts = "".join(
            f"assertz(now({atom(one.name)}, {value_atom(one, int(code))})), "
            for one, code in zip(system.variables, state, strict=True)
        )
        goals.append(f"{facts}forall(next(X, V), (print(X-V), nl)), retractall(now(_, _))")
    script = tmp_path / "ask.pl"
    script.write_text(f":- initialization(main).\nmain :- {', '.join(goals)}, halt.\n", encoding="utf-8")
    done = subprocess.run(
        [swipl, "-q", str(program), str(script)], capture_output=True, text=True, check=True, timeout=60
    )
    printed = done.stdout.split("\n")[:-1]
    expected = [
        f"{one.name}-{value_atom(one, int(code)).strip(chr(39))}"
        for goal in system.next_codes(states)
        for one, code in zip(system.variables, goal, strict=True)
    ]
    assert [line.replace("'", "").replace("\\", "") for line in printed] == [
        line.replace("'", "") for line in expected
    ]


def test_bnet_is_read_back_as_the_same_system():
    system = cell_cycle()
    assert read_bnet(system.render("bnet")).compare(system).equal


def test_bnet_refuses_what_it_cannot_say():
    with pytest.raises(InputError, match=r"3 values and \.bnet knows 0 and 1"):
        several_values().render("bnet")


@pytest.mark.parametrize("formula", ["a &", "(a", "a b", "a ? b", "!"])
def test_broken_formulas_are_refused(formula):
    with pytest.raises(InputError, match="formula"):
        read_bnet(f"a, {formula}")


@pytest.mark.parametrize("make", [cell_cycle, several_values])
def test_json_is_read_back_as_it_was_written(make, tmp_path):
    system = make()
    file = tmp_path / "system.json"
    file.write_text(system.render("json"), encoding="utf-8")
    again = read_dynamics(file)
    assert again.render("json") == system.render("json")
    assert again.render("text") == system.render("text")


@pytest.mark.parametrize("text", ["{", "[]", '{"format": "nri-dynamics", "version": 1}', '{"format": 3}'])
def test_a_broken_system_file_is_refused(text, tmp_path):
    file = tmp_path / "system.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="system file"):
        read_dynamics(file)


@pytest.mark.parametrize("make", [cell_cycle, several_values])
def test_sbml_is_valid_and_its_terms_step_as_the_system_does(make):
    system = make()
    document = libsbml.readSBMLFromString(system.render("sbml"))
    document.checkConsistency()
    errors = [document.getError(i) for i in range(document.getNumErrors())]
    assert not [one.getMessage() for one in errors if one.getSeverity() >= libsbml.LIBSBML_SEV_ERROR]
    qual = document.getModel().getPlugin("qual")
    names = [qual.getQualitativeSpecies(i).getId() for i in range(qual.getNumQualitativeSpecies())]
    rng = np.random.default_rng(0)
    for _ in range(20):
        codes = np.array([rng.integers(len(one.values)) for one in system.variables])
        level = dict(zip(names, codes.tolist(), strict=True))
        goal = system.next_codes(codes[None, :])[0].tolist()
        assert [_level(qual, name, level) for name in names] == goal


def _level(qual, name, level):
    transition = qual.getTransition(f"tr_{name}")
    for i in range(transition.getNumFunctionTerms()):
        term = transition.getFunctionTerm(i)
        formula = libsbml.formulaToL3String(term.getMath())
        python = formula.replace("&&", " and ").replace("||", " or ").replace("!(", " not (")
        if eval(python, {"true": True}, dict(level)):
            return term.getResultLevel()
    return transition.getDefaultTerm().getResultLevel()


def test_the_picture_shows_every_variable_and_influence():
    system = cell_cycle()
    picture = system.render("svg")
    for name in system.names:
        assert f">{name}</text>" in picture
    assert picture.count("inhibits Rb") == sum(
        one.target == "Rb" and one.effect == "inhibits" for one in system.influences
    )
    assert picture == cell_cycle().render("svg")


def test_names_in_a_picture_cannot_break_it():
    table = {"<b>&": [0, 1], "<b>&'": [1, 0]}
    assert "<b>" not in learn_dynamics(table).render("svg")


def test_no_two_boxes_of_a_picture_overlap():
    rng = np.random.default_rng(0)
    edges = [tuple(rng.integers(0, 25, 2).tolist()) for _ in range(60)]
    widths = rng.uniform(40, 140, 25)
    spots = place(25, edges, widths.tolist(), 30.0)
    apart = np.abs(spots[:, None, :] - spots[None, :, :])
    clear = (apart[..., 0] >= (widths[:, None] + widths) / 2) | (apart[..., 1] >= 30.0)
    assert (clear | np.eye(25, dtype=bool)).all()


def test_the_text_of_a_system_shows_its_rules():
    system = learn_dynamics(transitions(cell_cycle(), all_states(10)))
    assert "CycB(t+1) IF (NOT Cdc20 AND NOT cdh1)" in system.render("text")
