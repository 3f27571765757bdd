"""The system: variables and a rule for each, what its rules rest on, and what can be asked of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import IntArray
from nri.dynamics.variables import Variable
from nri.errors import InputError, UnknownColumnError
from nri.rule import FALSE, TRUE, ClassRule, Dnf, Evidence, Label, RuleSet
from nri.rule.labels import label_array
from nri.table.frame import read_columns

if TYPE_CHECKING:
    from nri.dynamics.attractors import Attractors
    from nri.dynamics.compare import SystemComparison
    from nri.dynamics.influence import Influence

State = Mapping[str, Any]
"""A value for each variable."""


@dataclass(frozen=True)
class NeverSeen:
    """Combinations of the regulators' values that no transition shows; there the rule is a guess."""

    total: int
    """combinations that there are"""
    missing: int = 0
    """those that were never seen"""
    examples: tuple[tuple[State, Label], ...] = ()
    """some of them, and what the rule says there"""


@dataclass(frozen=True)
class VariableRule:
    """How the next value of one variable comes about."""

    ruleset: RuleSet
    """the rule, with the rows that each clause covers"""
    regulators: tuple[str, ...]
    """the variables that it depends on"""
    explained: float = 1.0
    """share of the transitions with the next value that the rule says"""
    never_seen: NeverSeen = NeverSeen(1)
    other_regulators: tuple[tuple[str, ...], ...] = ()
    """other sets of as few variables that explain every transition as well"""
    others_are_all: bool = True
    """whether these are all such sets"""
    exact: bool = False
    """whether it explains every transition, with the fewest regulators as far as could be proven; if not
    all smaller sets could be ruled out in time, ``others_are_all`` is False"""

    @property
    def on_rule(self) -> Dnf:
        """When a Boolean variable is next on."""
        for one in self.ruleset.rules:
            if one.label is True:
                return one.rule
        if self.ruleset.rules:
            raise InputError(
                f"the rule of {self.ruleset.target!r} is about being off; learn it by the default model"
            )
        return TRUE if self.ruleset.default is True else FALSE


@dataclass(frozen=True)
class Contradiction:
    """A state that leads to different next states."""

    state: State
    nexts: tuple[tuple[State, int], ...]
    """where it led, and how often"""


@dataclass(frozen=True)
class Seen:
    """The transitions that a system was learned from."""

    transitions: int = 0
    states: int = 0
    """different states before"""
    explained: float | None = None
    """share of transitions in which every next value is what the rules say"""
    contradictions: tuple[Contradiction, ...] = ()
    """some states that lead to different next states"""
    n_contradictions: int = 0
    """how many such states there are"""
    asynchronous: bool = False
    """whether variables might also stay as they are"""


@dataclass(frozen=True, eq=False)
class Dynamics:
    """A system of variables with a rule for the next value of each.

    All variables move at once, each to what its rule says; inputs stay as they are.
    """

    variables: tuple[Variable, ...]
    rules: Mapping[str, VariableRule]
    """by variable; inputs have none"""
    seen: Seen = Seen()
    fixed: Mapping[str, int] = field(default_factory=dict)
    """variables that were knocked out, and the index of the value that they keep"""

    def __str__(self) -> str:
        return self.render("text")

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return tuple(one.name for one in self.variables)

    @cached_property
    def influences(self) -> "tuple[Influence, ...]":
        """Who acts on whom, and whether for or against it."""
        from nri.dynamics.influence import influences_of

        return influences_of(self)

    @property
    def n_states(self) -> int:
        """How many states there are."""
        total = 1
        for one in self.variables:
            total *= len(one.values)
        return total

    def variable(self, name: str) -> Variable:
        """Return the variable of that name."""
        for one in self.variables:
            if one.name == name:
                return one
        raise UnknownColumnError(name, self.names, "variable")

    def predict(self, rows: Any) -> dict[str, NDArray[Any]]:
        """Return for each variable with a rule its next values, row by row.

        Parameters
        ----------
        rows
            States: a frame, a dict of columns or a table with the columns of the variables.
        """
        columns = read_columns(rows, {one.name: one.plan for one in self.variables})
        n = len(next(iter(columns.values())))
        found = {}
        for name, rule in self.rules.items():
            own = {used: columns[used] for used in rule.ruleset.columns}
            index = rule.ruleset.predict_index(own, n)
            found[name] = label_array(self.variable(name).values)[index]
        return found

    def next_codes(self, codes: IntArray) -> IntArray:
        """[M, N]: the next states of [M, N] states, as indices of values."""
        following = codes.copy()
        columns = {one.name: one.column(codes[:, i]) for i, one in enumerate(self.variables)}
        for i, one in enumerate(self.variables):
            if one.name in self.rules:
                ruleset = self.rules[one.name].ruleset
                own = {used: columns[used] for used in ruleset.columns}
                following[:, i] = ruleset.predict_index(own, len(codes))
        return following

    def state(self, given: "State | str" = "") -> IntArray:
        """[N]: the indices of a state; variables that are not mentioned have their first value (0, no).

        Parameters
        ----------
        given
            ``"a=1, b=0"``, or values by name.
        """
        asked = _parsed(given) if isinstance(given, str) else given
        for name in asked:
            self.variable(name)
        codes = [one.value_of(_text(asked[one.name])) if one.name in asked else 0 for one in self.variables]
        for name, value in self.fixed.items():
            codes[self.names.index(name)] = value
        return np.array(codes, dtype=np.int64)

    def told(self, codes: IntArray) -> dict[str, Label]:
        """Return a state as values by name."""
        return {one.name: one.values[int(code)] for one, code in zip(self.variables, codes, strict=True)}

    def simulate(self, start: "State | str" = "", steps: int | None = None) -> list[dict[str, Label]]:
        """Return the states from a start on.

        Parameters
        ----------
        start
            See :meth:`state`.
        steps
            How many steps; by default until a state occurs again, which is then the last one.
        """
        codes = self.state(start)
        course, met = [codes], {codes.tobytes()}
        while steps is None or len(course) <= steps:
            codes = self.next_codes(codes[None, :])[0]
            course.append(codes)
            if steps is None and codes.tobytes() in met:
                break
            met.add(codes.tobytes())
        return [self.told(one) for one in course]

    def attractors(self, max_length: int | None = None) -> "Attractors":
        """Return the fixed points and cycles: where the system ends up.

        Parameters
        ----------
        max_length
            Longest cycles to look for in a system too large to go through all of its states, 4 by default.
        """
        from nri.dynamics.attractors import attractors_of

        return attractors_of(self, max_length)

    def knock_out(self, **values: Any) -> "Dynamics":
        """Return the system with some variables held at a value, e.g. ``knock_out(p53=0)``."""
        return self.with_fixed({name: _text(value) for name, value in values.items()})

    def with_fixed(self, values: Mapping[str, str]) -> "Dynamics":
        """Return the system with some variables held at values that a person wrote."""
        rules, fixed, variables = dict(self.rules), dict(self.fixed), list(self.variables)
        for name, text in values.items():
            variable = self.variable(name)
            index = variable.value_of(text)
            rules[name] = VariableRule(_constant(variable, index), ())
            fixed[name] = index
            variables[self.names.index(name)] = replace(variable, is_input=False)
        ordered = {one.name: rules[one.name] for one in variables if one.name in rules}
        return replace(self, variables=tuple(variables), rules=ordered, fixed=fixed)

    def compare(self, other: "Dynamics") -> "SystemComparison":
        """Tell, exactly, which variables move by another rule in another system."""
        from nri.dynamics.compare import compare_systems

        return compare_systems(self, other)

    def render(self, form: str = "text") -> str:
        """Write the system: text, bnet, prolog, asp, json, sbml or svg."""
        from nri.dynamics.render import render_system

        return render_system(self, form)


def _constant(variable: Variable, index: int) -> RuleSet:
    nothing = Evidence([0.0] * len(variable.values))
    label = variable.values[index]
    rules = (ClassRule(True, TRUE, [nothing]),) if label is True else ()
    default = False if variable.is_boolean else label
    prior = tuple(1.0 for _ in variable.values)
    return RuleSet(variable.name, variable.values, rules, default, nothing, nothing, prior)


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, bool | np.bool_) else str(value)


def _parsed(text: str) -> dict[str, str]:
    """Read ``a=1, b=0``.

    >>> _parsed("a=1, b = no")
    {'a': '1', 'b': 'no'}
    """
    found = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, sign, value = part.rpartition("=")
        if not sign:
            raise InputError(f"{part!r} says no value; write a state as a=1, b=0")
        found[name.strip()] = value.strip()
    return found
