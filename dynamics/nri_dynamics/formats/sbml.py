"""SBML-qual: qualitative models as GINsim, CellNOpt and BioModels exchange them; written by libSBML."""

import importlib.util
from typing import Any

from nri.errors import InputError
from nri.rule import Clause, Label
from nri_dynamics.formats.bnet import plain_names
from nri_dynamics.influence import Effect
from nri_dynamics.system import Dynamics
from nri_dynamics.variables import Variable


def render_sbml(system: Dynamics) -> str:
    """Write the model: a species with levels for each variable, a transition with terms for each rule."""
    if importlib.util.find_spec("libsbml") is None:
        raise InputError("SBML needs libsbml, not installed; run: pip install python-libsbml")
    import libsbml

    names = {
        name: plain.replace(".", "_").replace("[", "_").replace("]", "_")
        for name, plain in plain_names(system.names).items()
    }
    document = libsbml.SBMLDocument(libsbml.SBMLNamespaces(3, 1, "qual", 1))
    document.setPackageRequired("qual", True)
    model = document.createModel()
    model.setId("learned_by_nri")
    place = model.createCompartment()
    place.setId("system")
    place.setConstant(True)
    qual = model.getPlugin("qual")
    for one in system.variables:
        _species(qual, system, one, names[one.name])
    for one in system.variables:
        if one.name in system.rules:
            _transition(libsbml, qual, system, one, names)
    return str(libsbml.writeSBMLToString(document))


def _species(qual: Any, system: Dynamics, variable: Variable, name: str) -> None:
    species = qual.createQualitativeSpecies()
    species.setId(name)
    species.setName(variable.name)
    species.setCompartment("system")
    species.setConstant(variable.name not in system.rules)
    species.setMaxLevel(len(variable.values) - 1)


def _transition(libsbml: Any, qual: Any, system: Dynamics, variable: Variable, names: dict[str, str]) -> None:
    signs = {
        Effect.ACTIVATES: libsbml.INPUT_SIGN_POSITIVE,
        Effect.INHIBITS: libsbml.INPUT_SIGN_NEGATIVE,
        Effect.BOTH: libsbml.INPUT_SIGN_DUAL,
        Effect.SETS: libsbml.INPUT_SIGN_UNKNOWN,
    }
    rule = system.rules[variable.name].decisions
    own = names[variable.name]
    transition = qual.createTransition()
    transition.setId(f"tr_{own}")
    effects = {one.source: one.effect for one in system.influences if one.target == variable.name}
    for source in rule.columns:
        entry = transition.createInput()
        entry.setId(f"tr_{own}_in_{names[source]}")
        entry.setQualitativeSpecies(names[source])
        entry.setTransitionEffect(libsbml.INPUT_TRANSITION_EFFECT_NONE)
        entry.setSign(signs[effects.get(source, Effect.SETS)])
    output = transition.createOutput()
    output.setId(f"tr_{own}_out")
    output.setQualitativeSpecies(own)
    output.setTransitionEffect(libsbml.OUTPUT_TRANSITION_EFFECT_ASSIGNMENT_LEVEL)
    transition.createDefaultTerm().setResultLevel(variable.values.index(rule.default))
    for value, condition in _terms(system, variable, names):
        term = transition.createFunctionTerm()
        term.setResultLevel(variable.values.index(value))
        term.setMath(libsbml.parseL3Formula(condition))


def _terms(system: Dynamics, variable: Variable, names: dict[str, str]) -> list[tuple[Label, str]]:
    """Return a level and its condition, such that at most one condition holds."""
    rule = system.rules[variable.name].decisions
    joined: dict[Label, list[str]] = {}
    before: list[str] = []
    for value, clause in rule.ordered:
        condition = _condition(system, clause, names)
        own = " && ".join([f"({condition})", *before]) if len(rule.clauses) > 1 else condition
        joined.setdefault(value, []).append(f"({own})")
        before.append(f"!({condition})")
    return [(value, " || ".join(conditions)) for value, conditions in joined.items()]


def _condition(system: Dynamics, clause: Clause, names: dict[str, str]) -> str:
    parts = []
    for column in clause.columns:
        levels = system.variable(column).allowed(clause)
        parts.append("(" + " || ".join(f"({names[column]} == {level})" for level in levels) + ")")
    return " && ".join(parts) or "true"
