"""Dynamics: how a system moves, as a rule for the next value of each variable, learned from transitions."""

from nri_dynamics.attractors import Attractors
from nri_dynamics.compare import SystemComparison, VariableDifference
from nri_dynamics.decision_list import CountedClause, DecisionList
from nri_dynamics.formats import read_dynamics
from nri_dynamics.influence import Effect, Influence
from nri_dynamics.learn import learn_dynamics
from nri_dynamics.system import Contradiction, Dynamics, NeverSeen, Seen, VariableRule

__all__ = [
    "Attractors",
    "Contradiction",
    "CountedClause",
    "DecisionList",
    "Dynamics",
    "Effect",
    "Influence",
    "NeverSeen",
    "Seen",
    "SystemComparison",
    "VariableDifference",
    "VariableRule",
    "learn_dynamics",
    "read_dynamics",
]
