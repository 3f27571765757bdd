"""Stability: what stays when the rows had been drawn a little differently: answers, columns, clauses.

The table is drawn anew with replacement (a bootstrap sample), and rules are induced from each sample. They
may say the same in other words, so their answers are compared first, on rows that the sample did not draw;
then the columns that they read; then every clause is looked for in them: in the same words, with the same
conditions whatever the thresholds, and by the rows it covers. A clause that few samples find is one of
several that fit equally well.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import islice

import numpy as np

from nri.arrays import BoolArray
from nri.errors import InputError
from nri.induce.resample import bootstraps, induce_or_default
from nri.induce.settings import Settings
from nri.rule import Clause, Label, RuleSet, clause_matrix
from nri.table.table import Table

SAMPLES = 20
"""Bootstrap samples of those who name no number: shares are good to about ten points."""
_ENOUGH = 5
"""Samples that are always drawn, however long they take."""
_MOST_FREQUENT = 10
"""Clauses that are listed, found in most samples first."""


@dataclass(frozen=True)
class ClauseStability:
    """How a clause of the rule fared in the samples."""

    label: Label
    clause: Clause
    same_words: float
    """Share of the samples whose rule for this class has exactly this clause."""
    same_conditions: float
    """Share of the samples with such a clause, whatever its thresholds."""
    overlap: float
    """Mean over samples of the rows in common with the most similar clause, by all rows of either."""


@dataclass(frozen=True)
class ClauseFrequency:
    """Conditions that the samples' rules have, whether or not the rule has them."""

    label: Label
    clause: Clause
    """In its most frequent wording."""
    share: float
    """Of the samples, whatever the thresholds."""
    in_rule: bool
    """Whether the rule of the whole table has them, whatever the thresholds."""


@dataclass(frozen=True)
class ColumnFrequency:
    """How often the samples' rules read a column."""

    column: str
    share: float
    """Of the samples."""
    in_rule: bool
    """Whether the rule of the whole table reads it."""


@dataclass(frozen=True)
class Stability:
    """What bootstrap samples say about a rule set."""

    samples: int
    """Samples that rules were induced from."""
    rows: int
    """Rows drawn in each."""
    agreement: float | None
    """Mean share of the rows not drawn on which a sample's rules give the rule's answer; None if all were."""
    by_chance: float | None
    """The same for rules that give each answer as often, but regardless of the row."""
    columns: tuple[ColumnFrequency, ...]
    """The columns of the rule set, in its order, then the others that most samples read."""
    clauses: tuple[ClauseStability, ...]
    """The clauses of the rule set, in its order."""
    frequent: tuple[ClauseFrequency, ...]
    """The conditions found in most samples."""
    n_clauses: tuple[int, ...]
    """For each sample, how many clauses its rules had."""

    @property
    def recurring(self) -> tuple[ClauseFrequency, ...]:
        """Conditions of the rule, and others that more than one sample found: one alone is chance."""
        return tuple(one for one in self.frequent if one.in_rule or one.share * self.samples > 1.5)

    def __str__(self) -> str:
        """In one sentence: how far answers agree, and which columns come back."""
        told = f"{self.samples} bootstrap samples of {self.rows} rows"
        if self.agreement is not None and self.by_chance is not None:
            told = (
                f"rules of {told} agree with the rule on {_percent(self.agreement)} of the rows not drawn "
                f"({_percent(self.by_chance)} by chance)"
            )
        back = ", ".join(f"{one.column} in {_percent(one.share)}" for one in self.columns if one.in_rule)
        return f"{told}; they read {back}" if back else told


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def clause_stability(
    table: Table,
    ruleset: RuleSet,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    samples: int = SAMPLES,
    max_rows: int | None = None,
    seconds: float | None = None,
    step: Callable[[], None] = lambda: None,
) -> Stability:
    """Induce rules from bootstrap samples and look for the clauses of a rule set in them.

    Parameters
    ----------
    table
        The rows that the rule set was induced from.
    ruleset
        The rules whose clauses are looked for. If there are two classes and a rule for one of them, the
        samples' rules are about the same class.
    settings
        As for :func:`nri.induce.path.induce_rules`; everything, thresholds too, is found anew.
    rng
        Draws the samples and seeds the inducers.
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
    n = len(table)
    drawn = n if max_rows is None else min(n, max_rows)
    began = time.monotonic()
    found: list[RuleSet] = []
    agreed: list[tuple[float, float]] = []
    for sample in islice(bootstraps(table.about(_described_class(ruleset)), drawn, rng), samples):
        if len(found) >= _ENOUGH and seconds is not None and time.monotonic() - began > seconds:
            break
        found.append(induce_or_default(sample, settings, rng).ruleset)
        outside = table.take((sample.weights == 0) & (table.weights > 0))
        if len(outside):
            agreed.append(_same_answers(outside, ruleset, found[-1]))
        step()
    same, by_chance = np.mean(agreed, axis=0).tolist() if agreed else (None, None)
    return Stability(
        len(found),
        drawn,
        same,
        by_chance,
        _columns(ruleset, found),
        _fates(table, ruleset, found),
        _frequencies(ruleset, found),
        tuple(sum(len(rule.rule) for rule in rules.rules) for rules in found),
    )


def _described_class(ruleset: RuleSet) -> int | None:
    """Index of the class that the one rule of a two-class task is about."""
    labels = [rule.label for rule in ruleset.rules if rule.rule.clauses]
    return ruleset.index_of(labels[0]) if len(ruleset.classes) == 2 and len(labels) == 1 else None


def _same_answers(rows: Table, one: RuleSet, other: RuleSet) -> tuple[float, float]:
    """Return on which share of rows two rule sets agree, and on which they would by chance."""
    n_classes, weights = len(rows.classes), rows.weights / rows.weights.sum()
    mine, theirs = one.predict_index(rows), other.predict_index(rows)
    shares = [np.bincount(said, weights, minlength=n_classes) for said in (mine, theirs)]
    return float(weights[mine == theirs].sum()), float(shares[0] @ shares[1])


def _columns(ruleset: RuleSet, found: list[RuleSet]) -> tuple[ColumnFrequency, ...]:
    """Return how often samples read the columns of a rule set, and which others they read."""
    samples_with = Counter(name for sample in found for name in sample.columns)
    others = sorted(samples_with.keys() - set(ruleset.columns), key=lambda name: (-samples_with[name], name))
    told = [*ruleset.columns, *others[:_MOST_FREQUENT]]
    return tuple(
        ColumnFrequency(name, samples_with[name] / len(found), name in ruleset.columns) for name in told
    )


def _labelled_clauses(ruleset: RuleSet) -> list[tuple[Label, Clause]]:
    return [(rule.label, clause) for rule in ruleset.rules for clause in rule.rule]


def _fates(table: Table, ruleset: RuleSet, found: list[RuleSet]) -> tuple[ClauseStability, ...]:
    wanted = _labelled_clauses(ruleset)
    mine = _coverage(table, ruleset)
    words, shapes = np.zeros(len(wanted)), np.zeros(len(wanted))
    overlap = np.zeros(len(wanted))
    for sample in found:
        theirs = _labelled_clauses(sample)
        covered = _coverage(table, sample)
        exact, loose = set(theirs), {(label, clause.shape) for label, clause in theirs}
        for i, (label, clause) in enumerate(wanted):
            words[i] += (label, clause) in exact
            shapes[i] += (label, clause.shape) in loose
            alike = [j for j, (other, _) in enumerate(theirs) if other == label]
            overlap[i] += max((_jaccard(mine[:, i], covered[:, j]) for j in alike), default=0.0)
    n = max(len(found), 1)
    return tuple(
        ClauseStability(label, clause, float(words[i] / n), float(shapes[i] / n), float(overlap[i] / n))
        for i, (label, clause) in enumerate(wanted)
    )


def _coverage(table: Table, ruleset: RuleSet) -> BoolArray:
    """[M, clauses]: where each clause fires."""
    return clause_matrix([clause for _, clause in _labelled_clauses(ruleset)], table.columns, len(table))


def _jaccard(one: BoolArray, other: BoolArray) -> float:
    either = int((one | other).sum())
    return int((one & other).sum()) / either if either else 0.0


def _frequencies(ruleset: RuleSet, found: list[RuleSet]) -> tuple[ClauseFrequency, ...]:
    samples_with: Counter[Hashable] = Counter()
    wordings: dict[Hashable, Counter[tuple[Label, Clause]]] = defaultdict(Counter)
    for sample in found:
        clauses = _labelled_clauses(sample)
        samples_with.update({(label, clause.shape) for label, clause in clauses})
        for label, clause in clauses:
            wordings[label, clause.shape][label, clause] += 1
    in_rule = {(label, clause.shape) for label, clause in _labelled_clauses(ruleset)}
    listed = []
    for key, count in samples_with.items():
        label, clause = min(wordings[key], key=lambda one: (-wordings[key][one], str(one)))
        listed.append(ClauseFrequency(label, clause, count / len(found), key in in_rule))
    listed.sort(key=lambda one: (-one.share, str(one.label), str(one.clause)))  # ties in one order, always
    return tuple(listed[:_MOST_FREQUENT])
