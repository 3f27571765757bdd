"""Stability: which clauses come back when the rows had been drawn a little differently.

The table is drawn anew with replacement (a bootstrap sample), rules are induced from each sample, and
every clause is looked for in them: in the same words, with the same conditions whatever the thresholds,
and by the rows it covers. A clause that few samples find is one of several that fit equally well.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from itertools import islice

import numpy as np

from nri.arrays import BoolArray
from nri.errors import InputError
from nri.induce.path import Settings
from nri.induce.resample import bootstraps, induce_or_default
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
class Stability:
    """What bootstrap samples say about a rule set."""

    samples: int
    """Samples that rules were induced from."""
    rows: int
    """Rows drawn in each."""
    clauses: tuple[ClauseStability, ...]
    """The clauses of the rule set, in its order."""
    frequent: tuple[ClauseFrequency, ...]
    """The conditions found in most samples."""
    n_clauses: tuple[int, ...]
    """For each sample, how many clauses its rules had."""


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
    for sample in islice(bootstraps(table.about(_described_class(ruleset)), drawn, rng), samples):
        if len(found) >= _ENOUGH and seconds is not None and time.monotonic() - began > seconds:
            break
        found.append(induce_or_default(sample, settings, rng).ruleset)
        step()
    return Stability(
        len(found),
        drawn,
        _fates(table, ruleset, found),
        _frequencies(ruleset, found),
        tuple(sum(len(rule.rule) for rule in rules.rules) for rules in found),
    )


def _described_class(ruleset: RuleSet) -> int | None:
    """Index of the class that the one rule of a two-class task is about."""
    labels = [rule.label for rule in ruleset.rules if rule.rule.clauses]
    return ruleset.index_of(labels[0]) if len(ruleset.classes) == 2 and len(labels) == 1 else None


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
