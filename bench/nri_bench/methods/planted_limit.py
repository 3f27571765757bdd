"""The limit of what labels allow if the family of a planted rule is known: all rules, sampled by chance.

The rules of :mod:`nri_bench.experiments.planted` are too many to list, so they are sampled: a Markov chain
changes a literal, a clause or a length at a time, and warmer chains beside it, which believe the labels less,
hand it what they find. Labels are wrong with the chances of the experiment. No method does better on average
than all rules together, weighted by their probability given the labels. A chain from nothing may miss the
best rules, and one from the planted rule may stay there too long: the limit lies between the two.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin

from nri_bench.arrays import BoolArray, FloatArray, IntArray

Clauses = tuple[tuple[int, ...], ...]
"""Places of literals in the list of all."""
_SURENESS = (1.0, 0.75, 0.55, 0.4, 0.28, 0.18, 0.1)  # How much each chain believes of the labels.
_STEPS = 4  # Changes between two exchanges of neighbouring chains.
_MOST = 3  # Clauses, and literals of each.
_LEAST_LITERALS = 3
_NEAR = 3  # How many cuts a threshold moves on average.


class PlantedPosterior(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn is untyped
    """Answers by rules sampled from the posterior of the planted family.

    ``start`` holds clauses of (column, value, positive) to begin with; without it chains begin anywhere.
    """

    def __init__(
        self,
        rates: Sequence[float] = (0.0, 0.05, 0.1),
        start: Sequence[Sequence[tuple[str, Any, bool]]] | None = None,
        sweeps: int = 3000,
        random_state: int = 0,
    ) -> None:
        self.rates, self.start, self.sweeps, self.random_state = rates, start, sweeps, random_state

    def fit(self, X: pd.DataFrame, y: IntArray) -> Self:
        """Sample rules by their chance given the labels."""
        family = _Family(X, y, self.rates, np.random.default_rng(self.random_state))
        begun = None if self.start is None else family.nearest(self.start)
        rules = [begun or family.any_rule() for _ in _SURENESS]
        drawn: Counter[Clauses] = Counter()
        for sweep in range(self.sweeps):
            for place, sureness in enumerate(_SURENESS):
                for _ in range(_STEPS):
                    rules[place] = family.changed(rules[place], sureness)
            lower = int(family.rng.integers(len(rules) - 1))
            gain = family.likelihood(rules[lower + 1]) - family.likelihood(rules[lower])
            if np.log(family.rng.random()) < (_SURENESS[lower] - _SURENESS[lower + 1]) * gain:
                rules[lower : lower + 2] = rules[lower + 1], rules[lower]
            if 3 * sweep > self.sweeps:
                drawn[rules[0]] += 1
        self.literals_, self.drawn_ = family.literals, drawn
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X: pd.DataFrame) -> FloatArray:
        """[S, 2]: shares of the sampled rules that say no and yes."""
        holds = _truths(X, self.literals_)
        votes = sum(times * _covers(holds, rule) for rule, times in self.drawn_.items())
        yes = np.asarray(votes) / self.drawn_.total()
        return np.column_stack([1 - yes, yes])

    def predict(self, X: pd.DataFrame) -> IntArray:
        """[S]: what most of the sampled rules say."""
        return np.asarray(self.predict_proba(X)[:, 1] > 0.5, dtype=np.int64)


class _Family:
    """All rules on a table, and how likely labels make each."""

    def __init__(
        self, frame: pd.DataFrame, y: IntArray, rates: Sequence[float], rng: np.random.Generator
    ) -> None:
        self.rng, self.y = rng, y == 1
        self.literals: list[tuple[str, Any, bool]] = []
        self.sides: list[list[list[int]]] = []  # for each column those of either sign, in the order of values
        for name in frame:
            cells = frame[name]
            number = cells.dtype.kind == "f"
            low, high = np.quantile(cells, [0.25, 0.75], method="lower") if number else (None, None)
            values = [v for v in sorted(cells.unique().tolist()) if not number or low <= v <= high]
            signs = (True,) if not number and len(values) == 2 else (True, False)
            added = [[(str(name), value, sign) for value in values] for sign in signs]
            ends = len(self.literals) + np.cumsum([0, *map(len, added)])
            self.sides.append([list(range(a, b)) for a, b in pairwise(ends)])
            self.literals += [literal for side in added for literal in side]
        self.truth = _truths(frame, self.literals)
        self.column = {i: c for c, sides in enumerate(self.sides) for side in sides for i in side}
        errors, n = np.arange(len(y) + 1), len(y)
        chances = [np.where(errors == 0, 0.0, -1e6) if r == 0 else _log_chance(errors, n, r) for r in rates]
        self.by_errors = np.logaddexp.reduce(chances, axis=0)
        self._known: dict[Clauses, float] = {}

    def likelihood(self, rule: Clauses) -> float:
        """Return the logarithm of the chance of the labels; -inf for what is no rule of the family."""
        if rule not in self._known:
            covers = _covers(self.truth, rule)
            fits = sum(map(len, rule)) >= _LEAST_LITERALS and 0.15 <= covers.mean() <= 0.85
            matters = fits and all((_covers(self.truth, less) != covers).any() for less in _shorter(rule))
            errors = int((covers != self.y).sum())
            self._known[rule] = float(self.by_errors[errors]) if matters else -np.inf
        return self._known[rule]

    def literal(self, taken: Sequence[int] = ()) -> int:
        """Draw a literal about a column that is not taken; of a category it is mostly positive."""
        used = {self.column[i] for i in taken}
        sides = self.sides[int(self.rng.choice([c for c in range(len(self.sides)) if c not in used]))]
        categories = isinstance(self.literals[sides[0][0]][1], str)
        negative = len(sides) > 1 and self.rng.random() > (0.7 if categories else 0.5)
        return int(self.rng.choice(sides[negative]))

    def clause(self) -> tuple[int, ...]:
        """Draw a clause."""
        drawn: list[int] = []
        for _ in range(int(self.rng.integers(1, _MOST + 1))):
            drawn.append(self.literal(drawn))
        return tuple(drawn)

    def any_rule(self) -> Clauses:
        """Draw a rule that is one of the family."""
        while True:
            rule = tuple(self.clause() for _ in range(int(self.rng.integers(1, _MOST + 1))))
            if np.isfinite(self.likelihood(rule)):
                return rule

    def nearest(self, start: Sequence[Sequence[tuple[str, Any, bool]]]) -> Clauses | None:
        """Return the rule of these clauses with the nearest cuts of the table; None if it says nothing."""

        def place(name: str, value: Any, positive: bool) -> int:
            same = [i for i, (n, _, sign) in enumerate(self.literals) if n == name and sign == positive]
            if isinstance(value, str):
                return next(i for i in same if self.literals[i][1] == value)
            return min(same, key=lambda i: abs(self.literals[i][1] - value))

        rule = tuple(tuple(place(*one) for one in clause) for clause in start)
        return rule if np.isfinite(self.likelihood(rule)) else None

    def changed(self, rule: Clauses, sureness: float) -> Clauses:
        """Take one step of the chain: draw a change, and make it by what it does to the likelihood."""
        other = self._proposed(rule)
        if other is None or not np.isfinite(gain := self.likelihood(other) - self.likelihood(rule)):
            return rule
        return other if np.log(self.rng.random()) < sureness * gain else rule

    def _proposed(self, rule: Clauses) -> Clauses | None:
        rng, kind = self.rng, self.rng.random()
        at = int(rng.integers(len(rule)))
        before, clause, after = rule[:at], rule[at], rule[at + 1 :]
        if kind < 0.15:  # a clause more or less
            if rng.random() < 0.5:
                at = int(rng.integers(len(rule) + 1))
                return (*rule[:at], self.clause(), *rule[at:]) if len(rule) < _MOST else None
            return (*before, *after) if len(rule) > 1 else None
        if kind < 0.25:
            return (*before, self.clause(), *after)
        if kind < 0.4:  # a literal more or less
            if rng.random() < 0.5:
                more = (*clause, self.literal(clause)) if len(clause) < _MOST else None
                return None if more is None else (*before, more, *after)
            gone = int(rng.integers(len(clause)))
            less = clause[:gone] + clause[gone + 1 :]
            return (*before, less, *after) if less else None
        place = int(rng.integers(len(clause)))
        rest = clause[:place] + clause[place + 1 :]
        literal = self.literal(rest) if kind < 0.7 else self._near(clause[place])
        return None if literal is None else (*before, (*rest[:place], literal, *rest[place:]), *after)

    def _near(self, literal: int) -> int | None:
        """Return a neighbouring cut; None beyond the last."""
        side = next(side for side in self.sides[self.column[literal]] if literal in side)
        place = side.index(literal) + round(self.rng.normal(0, _NEAR))
        return side[place] if 0 <= place < len(side) else None


def _log_chance(errors: IntArray, n: int, rate: float) -> FloatArray:
    return np.asarray(errors * np.log(rate) + (n - errors) * np.log1p(-rate))


def _truths(frame: pd.DataFrame, literals: Sequence[tuple[str, Any, bool]]) -> BoolArray:
    """[L, M], where literals hold: above a number, or equal to a text."""
    cells = {name: frame[name].to_numpy() for name in frame}
    return np.array(
        [
            ((cells[name] > value) if isinstance(value, float) else (cells[name] == value)) == positive
            for name, value, positive in literals
        ],
        dtype=bool,
    )


def _covers(truth: BoolArray, rule: Clauses) -> BoolArray:
    """[M], where a clause holds."""
    covered = np.zeros(truth.shape[1], dtype=bool)
    for clause in rule:
        covered |= truth[list(clause)].all(axis=0)
    return covered


def _shorter(rule: Clauses) -> list[Clauses]:
    """Return the rule without each clause, and without each literal of a longer one."""
    found = [rule[:i] + rule[i + 1 :] for i in range(len(rule))]
    return found + [
        (*rule[:i], clause[:j] + clause[j + 1 :], *rule[i + 1 :])
        for i, clause in enumerate(rule)
        if len(clause) > 1
        for j in range(len(clause))
    ]
