"""Rules of every size: their worth on held-out rows, and how many clauses it takes."""

import time
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from nri.arrays import IntArray
from nri.induce.costs import at_stake, stakes
from nri.induce.estimates import accuracy_of
from nri.induce.resample import HeldOut, induce_or_default, most_frequent
from nri.induce.settings import Settings
from nri.report.records import Curve, CurvePoint
from nri.rule import RuleSet


def by_size(
    held: HeldOut, settings: Settings, *, rng: np.random.Generator, seconds: float | None = None
) -> Mapping[int, IntArray]:
    """Return what rules of every size say about rows that they were not induced from.

    A limit above the size that a fold's rule has of itself changes nothing: only smaller ones are tried.

    Parameters
    ----------
    held
        The folds, and the rules without a further limit.
    settings
        Those that these were induced with.
    rng
        Seeds the models.
    seconds
        Time after which no further size is tried; None for no limit.

    Returns
    -------
    dict of int to int [M]
        By most clauses for a class, class indices; the last one is of rules without a further limit.
    """
    began = time.monotonic()
    insides = list(held.insides)
    whole = [found.ruleset for found in held.inductions]
    largest = max(1, *(largest_rule(rules) for rules in whole))
    staked = (at_stake(inside, stakes(inside, settings)) for inside in insides)
    said = {0: held.joined([most_frequent(inside).predict_index for inside in staked])}
    for size in range(1, largest):
        if seconds is not None and time.monotonic() - began > seconds:
            break
        limited = replace(settings, max_clauses=size)
        rules_of_size = [
            rules if largest_rule(rules) <= size else induce_or_default(inside, limited, rng).ruleset
            for rules, inside in zip(whole, insides, strict=True)
        ]
        said[size] = held.joined([rules.predict_index for rules in rules_of_size])
    said[largest] = held.said
    return said


def curve_of(held: HeldOut, said: Mapping[int, IntArray], settings: Settings, seed: int) -> Curve:
    """Find the simplest rules within one standard error of the best, and induce such from all rows.

    Where errors differ in what they cost, rows weigh that.
    """
    table = at_stake(held.table, stakes(held.table, settings))
    points = tuple(
        CurvePoint(size, accuracy_of(answers == table.codes, table.weights)) for size, answers in said.items()
    )
    best = max(points, key=lambda point: (round(point.accuracy.mean, 12), -point.clauses))
    enough = best.accuracy.mean - best.accuracy.error - 1e-12
    simplest = next(point for point in points if point.accuracy.mean >= enough)
    rule = most_frequent(table)
    if simplest.clauses:
        limited = replace(settings, max_clauses=min(simplest.clauses, settings.max_clauses))
        rule = induce_or_default(held.table, limited, np.random.default_rng(seed)).ruleset
    return Curve(points, best, simplest, rule, len(table))


def largest_rule(ruleset: RuleSet) -> int:
    """Return the most clauses that the rule of one class has."""
    return max((len(rule.rule) for rule in ruleset.rules), default=0)
