"""Cross-validation on a table in an engine: folds by the hash of rows, rules tried on all rows of a fold."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nri.arrays import FloatArray, IntArray
from nri.engine.large import induce_from
from nri.engine.profile import Profile, profile
from nri.engine.rows import ROWS, RawColumn, Rows, select
from nri.engine.sample import Hash
from nri.induce.diagnostics import Diagnostics, classes_asked_about, diagnostics_of
from nri.induce.estimates import Accuracy
from nri.induce.resample import FOLDS
from nri.induce.settings import Settings
from nri.rule.labels import Label
from nri.rule.render.sql import first_clause
from nri.rule.render.sql_dialects import Dialect, float_literal, identifier
from nri.rule.ruleset import RuleSet

_DEAL = 7919.375
"""Another stretch of the hash: which fold a row is in has nothing to do with whether it is drawn."""
_FINEST = 1_000_000
"""Rows that intervals tell apart; beyond they are narrow anyway."""


@dataclass(frozen=True, eq=False)
class Fold:
    """The rows of one fold, or those of all others."""

    rows: Rows
    hashed: Hash
    number: int
    inside: bool
    """whether it is the fold itself"""

    @property
    def dialect(self) -> Dialect:
        """How SQL is written there."""
        return self.rows.dialect

    @property
    def columns(self) -> Sequence[RawColumn]:
        """What the table has."""
        return self.rows.columns

    def query(self, sql: str) -> Any:
        """Answer a query on the rows of the fold."""
        places = {f"x{place}": identifier(one.name, self.dialect) for place, one in enumerate(self.columns)}
        back = ", ".join(f"{alias} AS {column}" for alias, column in places.items())
        dealt = f"(h * {float_literal(_DEAL)} - FLOOR(h * {float_literal(_DEAL)})) * {float_literal(FOLDS)}"
        same = "=" if self.inside else "<>"
        hashed = self.hashed.query(places)
        part = f"SELECT {back} FROM ({hashed}) AS dealt WHERE FLOOR({dealt}) {same} {self.number}"
        return self.rows.query(sql.replace(f"FROM {ROWS}", f"FROM ({part}) AS fold"))


@dataclass(frozen=True, eq=False)
class Tried:
    """What rules said about rows that they were induced without."""

    classes: tuple[Label, ...]
    positive: int | None
    said: FloatArray
    """[n_classes, n_classes]: rows by what was said of them (first) and what they are"""

    @property
    def accuracy(self) -> Accuracy:
        """Share of rows that were decided rightly."""
        total = float(self.said.sum())
        mean = float(np.trace(self.said)) / total
        return Accuracy(mean, math.sqrt(mean * (1 - mean) / total))

    def diagnostics(
        self, ruled: Sequence[Label] = (), prevalence: float | None = None
    ) -> tuple[Diagnostics, ...]:
        """Count sensitivity and its kin; see :meth:`nri.induce.resample.HeldOut.diagnostics`."""
        unit = max(1.0, float(self.said.sum()) / _FINEST)
        said, truth = np.nonzero(self.said)
        times = np.ceil(self.said[said, truth] / unit).astype(np.int64)
        weights = np.repeat(self.said[said, truth] / times, times)
        codes: tuple[IntArray, IntArray] = np.repeat(truth, times), np.repeat(said, times)
        return tuple(
            diagnostics_of(*codes, index, self.classes[index], weights=weights, prevalence=prevalence)
            for index in classes_asked_about(self.classes, self.positive, ruled)
        )


def cross_validated(
    found: Profile,
    settings: Settings,
    sample: int,
    *,
    seed: int = 0,
    step: Callable[[], None] = lambda: None,
) -> Tried:
    """Induce rules without each fold, on all other rows, and try them on all rows of the fold."""
    labels = found.target.labels
    said = np.zeros((len(labels.classes), len(labels.classes)))
    for fold in range(FOLDS):
        others = Fold(found.rows, found.hashed, fold, inside=False)
        target = found.target.on(others)
        never = [one.name for one in found.rows.columns if one.name not in found.columns]
        seen = profile(others, target, sample, known=found.plans, never=never)
        rules = induce_from(seen, settings, seed=seed).ruleset
        said += confusion(found, Fold(found.rows, found.hashed, fold, inside=True), rules)
        step()
    return Tried(labels.classes, labels.positive, said)


def confusion(found: Profile, rows: Rows, rules: RuleSet) -> FloatArray:
    """[n_classes, n_classes]: all rows by what rules say of them (first) and what they are."""
    number_of = first_clause([decision.clause for decision in rules.decisions], found.columns)
    counted = rows.query(
        select({"d": number_of, "k": found.target.code, "n": "COUNT(*)"}, group=["d", "k"])
    ).to_pydict()
    order = [decision.label for decision in rules.decisions] + [rules.default]
    table = np.zeros((len(rules.classes), len(rules.classes)))
    for place, truth, n in zip(counted["d"], counted["k"], counted["n"], strict=True):
        if truth is not None:
            table[rules.index_of(order[place]), truth] += n
    return table
