"""Stability: what stays if other rows had been drawn: predictions, columns, clauses, the whole rule.

A rule is induced from each of several bootstrap samples of the table. Predictions are compared first, on rows
that a sample did not draw; then the columns that rules read; then every clause: exactly, with other
thresholds, and by the rows it covers. A clause that few samples give is one of several that fit equally well.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.induce.assemble import coded_predictions
from nri.induce.settings import Settings
from nri.induce.validate import bootstraps, induce_or_constant
from nri.outcome import Classes
from nri.rule import ClassTarget, Clause, Label, Rule, clause_matrix
from nri.table.table import Table

SAMPLES = 20  # Bootstrap samples by default: shares are good to about ten points.
_ENOUGH = 5  # Samples that are always drawn, however long they take.
_MOST_FREQUENT = 10  # Clauses that are listed, those of most samples first.


@dataclass(frozen=True)
class ClauseStability:
    """How often a clause of the rule came back in the samples."""

    label: Label | None  # the class that it predicts; None for a number or a risk
    clause: Clause
    same_words: float  # Share of the samples whose rule has exactly this clause for this class
    same_conditions: float  # Share of the samples with such a clause, whatever its thresholds
    overlap: float
    """Mean over samples of the rows in common with the most similar clause, by all rows of either."""


@dataclass(frozen=True)
class ClauseFrequency:
    """Conditions that the samples' rules have, whether or not the rule has them."""

    label: Label | None
    clause: Clause  # with the rule's thresholds if it is in the rule, else with its most frequent ones
    share: float  # Of the samples, whatever the thresholds
    in_rule: bool  # Whether the rule of the whole table has them, whatever the thresholds


@dataclass(frozen=True)
class ColumnFrequency:
    """How often the samples' rules read a column."""

    column: str
    share: float  # Of the samples.
    in_rule: bool  # Whether the rule of the whole table reads it.


@dataclass(frozen=True)
class Stability:
    """What bootstrap samples say about a rule."""

    samples: int  # Samples that rules were induced from
    rows: int  # Rows drawn in each
    measure: str
    """what agreement is: ``share`` of rows with the same class, or ``correlation`` of numbers and risks"""
    agreement: float | None
    """Mean agreement of a sample's predictions with the rule's on the rows not drawn; None if all were."""
    by_chance: float | None
    """The same for rules that predict each class as often, but regardless of the row; 0 for a correlation."""
    columns: tuple[ColumnFrequency, ...]
    """The columns of the rule, in its order, then the others that most samples read."""
    clauses: tuple[ClauseStability, ...]  # The clauses of the rule, in its order
    frequent: tuple[ClauseFrequency, ...]  # The conditions of most samples
    n_clauses: tuple[int, ...]  # For each sample, how many clauses its rule had
    same_rule: int  # Samples whose rule has exactly the clauses of the rule
    same_shape: int  # Samples whose rule has these clauses, whatever the thresholds

    @property
    def recurring(self) -> tuple[ClauseFrequency, ...]:
        """Conditions of the rule, and others that more than one sample gave: one alone is chance."""
        return tuple(one for one in self.frequent if one.in_rule or one.share * self.samples > 1.5)

    def count(self, share: float) -> str:
        """Write a share of the samples as a count: ``1 of 5``."""
        return f"{round(share * self.samples)} of {self.samples}"

    def __str__(self) -> str:
        """In one sentence: how far predictions agree, and which columns come back."""
        text = f"{self.samples} bootstrap samples of {self.rows} rows"
        if self.agreement is not None and self.measure == "share":
            by_chance = f"({100 * (self.by_chance or 0.0):.0f} % by chance)"
            on = f"on {100 * self.agreement:.0f} % of the rows not drawn"
            text = f"rules of {text} agree with the rule {on} {by_chance}"
        elif self.agreement is not None:
            by = f"by {self.agreement:.2f} on the rows not drawn"
            text = f"predictions of rules of {text} correlate with the rule's {by}"
        read = ", ".join(f"{one.column} in {self.count(one.share)}" for one in self.columns if one.in_rule)
        return f"{text}; they read {read}" if read else text


def clause_stability(
    table: Table,
    rule: Rule,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    samples: int = SAMPLES,
    max_rows: int | None = None,
    seconds: float | None = None,
    step: Callable[[], None] = lambda: None,
) -> Stability:
    """Induce rules from bootstrap samples and look up the clauses of a rule in them.

    Parameters
    ----------
    table
        The rows that the rule was induced from.
    rule
        The rule: of classes, of a number or of survival. If there are two classes and it has clauses for one
        of them, the samples' rules are about the same class.
    settings
        As for :func:`nri.induce_rule`; everything, thresholds too, is chosen anew.
    rng
        Draws the samples and seeds the models.
    samples
        How many samples to draw.
    max_rows
        Most rows of one sample; with fewer rows than the table has, clauses come back less often.
    seconds
        Stop after this time, though not before five samples; None for no limit.
    step
        Called after each sample.
    """
    if samples < 1:
        raise InputError(f"stability needs at least one sample, not {samples}")
    drawn = len(table) if max_rows is None else min(len(table), max_rows)
    began = time.monotonic()
    induced: list[Rule] = []
    agreed: list[tuple[float, float]] = []
    lone = rule.predicts.kind == "classes" and len(rule.classes) == 2 and len(rule.described) == 1
    # the rules of the samples are about the class that the clauses of a rule for two classes are about
    about = rule.labels.index(rule.described[0]) if lone else None
    source = table.about(about) if isinstance(table.outcome, Classes) else table
    for sample in islice(bootstraps(source, drawn, rng), samples):
        if len(induced) >= _ENOUGH and seconds is not None and time.monotonic() - began > seconds:
            break
        induced.append(induce_or_constant(sample, settings, rng).rule)
        outside = table.take((sample.weights == 0) & (table.weights > 0))
        if len(outside):
            agreed.append(_agreement(outside, rule, induced[-1]))
        step()
    agreement, by_chance = np.mean(agreed, axis=0).tolist() if agreed else (None, None)
    own, shape = Counter(_clauses(rule)), Counter(_shapes(rule))
    return Stability(
        len(induced),
        drawn,
        "share" if isinstance(rule.predicts, ClassTarget) else "correlation",
        agreement,
        by_chance,
        _columns(rule, induced),
        _came_back(table, rule, induced),
        _frequencies(rule, induced),
        tuple(len(one.branches) for one in induced),
        sum(Counter(_clauses(one)) == own for one in induced),
        sum(Counter(_shapes(one)) == shape for one in induced),
    )


def _agreement(rows: Table, one: Rule, other: Rule) -> tuple[float, float]:
    """Return how far two rules agree on rows, and how far they would by chance."""
    weights = rows.weights / rows.weights.sum()
    mine, theirs = coded_predictions(one, rows), coded_predictions(other, rows)
    if not isinstance(rows.outcome, Classes):
        return _correlation(mine, theirs, weights), 0.0
    n_classes = len(rows.classes)
    shares = [np.bincount(predicted, weights, minlength=n_classes) for predicted in (mine, theirs)]
    return float(weights[mine == theirs].sum()), float(shares[0] @ shares[1])


def _correlation(one: FloatArray, other: FloatArray, weights: FloatArray) -> float:
    """Return the weighted correlation; of a constant, 1 with another constant and 0 with all else."""
    one, other = one - weights @ one, other - weights @ other
    spread = float(weights @ one**2), float(weights @ other**2)
    if min(spread) <= 0:
        return float(max(spread) <= 0)
    return float(np.clip(weights @ (one * other) / np.sqrt(spread[0] * spread[1]), -1.0, 1.0))


def _columns(rule: Rule, induced: Sequence[Rule]) -> tuple[ColumnFrequency, ...]:
    """Return how often samples read the columns of a rule, and which others they read."""
    samples_with = Counter(name for sample in induced for name in sample.columns)
    others = sorted(samples_with.keys() - set(rule.columns), key=lambda name: (-samples_with[name], name))
    listed = [*rule.columns, *others[:_MOST_FREQUENT]]
    return tuple(
        ColumnFrequency(name, samples_with[name] / len(induced), name in rule.columns) for name in listed
    )


def _clauses(rule: Rule) -> list[tuple[Label | None, Clause]]:
    """Return the clauses with the class that each predicts; None for a number, which varies with the rows."""
    of_classes = isinstance(rule.predicts, ClassTarget)
    return [(branch.value if of_classes else None, branch.clause) for branch in rule.branches]


def _shapes(rule: Rule) -> list[tuple[Label | None, Hashable]]:
    return [(label, clause.shape) for label, clause in _clauses(rule)]


def _came_back(table: Table, rule: Rule, induced: Sequence[Rule]) -> tuple[ClauseStability, ...]:
    wanted = _clauses(rule)
    mine = clause_matrix(rule.clauses, table.columns, len(table))
    shares = np.zeros((len(wanted), 3))
    for sample in induced:
        theirs, shapes = _clauses(sample), _shapes(sample)
        covered = clause_matrix(sample.clauses, table.columns, len(table))
        for i, (label, clause) in enumerate(wanted):
            alike = [j for j, (other, _) in enumerate(theirs) if other == label]
            both, either = (covered[:, alike].T & mine[:, i]), (covered[:, alike].T | mine[:, i])
            overlap = (both.sum(axis=1) / np.maximum(either.sum(axis=1), 1)).max(initial=0.0)
            shares[i] += (label, clause) in theirs, (label, clause.shape) in shapes, overlap
    shares /= len(induced)
    return tuple(ClauseStability(*pair, *share) for pair, share in zip(wanted, shares.tolist(), strict=True))


def _frequencies(rule: Rule, induced: Sequence[Rule]) -> tuple[ClauseFrequency, ...]:
    samples_with: Counter[Hashable] = Counter()
    wordings: dict[Hashable, Counter[tuple[Label | None, Clause]]] = defaultdict(Counter)
    for sample in induced:
        samples_with.update(set(_shapes(sample)))
        for label, clause in _clauses(sample):
            wordings[label, clause.shape][label, clause] += 1
    own: dict[object, Clause] = {(label, clause.shape): clause for label, clause in _clauses(rule)}
    listed = []
    for key, count in samples_with.items():
        label, clause = min(wordings[key], key=lambda one: (-wordings[key][one], str(one)))
        listed.append(ClauseFrequency(label, own.get(key, clause), count / len(induced), key in own))
    listed.sort(key=lambda one: (-one.share, str(one.label), str(one.clause)))  # ties in one order, always
    return tuple(listed[:_MOST_FREQUENT])
