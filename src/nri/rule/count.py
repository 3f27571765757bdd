"""From rules and the rows they were induced on to a rule set: count the evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from nri.arrays import FloatArray
from nri.errors import InputError
from nri.rule.clause import Dnf
from nri.rule.column import Columns, row_count
from nri.rule.decide import Evidence, shrink
from nri.rule.labels import Label, as_label
from nri.rule.ruleset import ClassRule, RuleSet
from nri.rule.truth import clause_matrix


def count_ruleset(
    target: str,
    classes: Sequence[Label],
    rules: Mapping[Label, Dnf],
    columns: Columns,
    class_weights: FloatArray,
    default: Label | None = None,
    shrinkage: float = 2.0,
) -> RuleSet:
    """Count what each clause covers on the support rows and join it all into a rule set.

    Parameters
    ----------
    target
        Name of the predicted column.
    classes
        Labels, in the order of the columns of ``class_weights``.
    rules
        The rule of each class that has one.
    columns
        The support rows; at least the columns that the rules read.
    class_weights
        [M, n_classes]: how much of each row counts as each class. One-hot for plain labels, times a
        row's weight if rows are weighted, a posterior for soft labels.
    default
        Label of rows that no clause covers. If not given: the other class of a two-class task with one
        rule, else the class with the most weight among such rows.
    shrinkage
        How many rows of the overall class distribution each clause's counts are mixed with.

    Returns
    -------
    RuleSet
    """
    classes = tuple(as_label(label) for label in classes)
    weights = np.asarray(class_weights, dtype=np.float64)
    if weights.ndim != 2 or weights.shape[1] != len(classes):
        raise InputError(f"class weights have shape {weights.shape}: give [rows, {len(classes)} classes]")
    if shrinkage < 0:
        raise InputError(f"shrinkage is a number of rows and cannot be {shrinkage}: use 0 or more")
    n = row_count(columns, len(weights))
    support = Evidence(weights.sum(axis=0))
    prior = tuple(float(p) * shrinkage for p in shrink(support, (0.0,) * len(classes)))
    covered = np.zeros(n, dtype=bool)
    class_rules = []
    for label, rule in rules.items():
        fires = clause_matrix(rule, columns, n)
        covered |= fires.any(axis=1)
        class_rules.append(ClassRule(label, rule, [Evidence(weights[f].sum(axis=0)) for f in fires.T]))
    rest = Evidence(weights[~covered].sum(axis=0))
    if default is None:
        default = _default_label(classes, tuple(rules), rest, prior)
    weighted = not np.allclose(weights.sum(axis=1), 1.0)
    covering = RuleSet(target, classes, tuple(class_rules), default, rest, support, prior, weighted=weighted)
    return _with_decided(covering, columns, weights)


def _with_decided(ruleset: RuleSet, columns: Columns, weights: FloatArray) -> RuleSet:
    """Count for each clause the rows that are given its class; who goes first is known by now."""
    given = ruleset.predict_index(columns, len(weights))
    rules = []
    for rule in ruleset.rules:
        fires = (
            clause_matrix(rule.rule, columns, len(weights)) & (given == ruleset.index_of(rule.label))[:, None]
        )
        decided = [Evidence(weights[f].sum(axis=0)) for f in fires.T]
        rules.append(ClassRule(rule.label, rule.rule, rule.evidence, decided))
    return replace(ruleset, rules=tuple(rules))


def _default_label(
    classes: tuple[Label, ...], ruled: tuple[Label, ...], rest: Evidence, prior: tuple[float, ...]
) -> Label:
    if len(classes) == 2 and len(ruled) == 1:
        (other,) = (label for label in classes if label != ruled[0])
        return other
    return classes[int(np.argmax(shrink(rest, prior)))]
