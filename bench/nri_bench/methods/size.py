"""How large a fitted model is to read: clauses and literals, where these words make sense."""

from dataclasses import dataclass
from typing import Any

from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline


@dataclass(frozen=True)
class RuleSize:
    """Clauses of a model and the literals in all of them together."""

    clauses: int
    literals: int

    def __add__(self, other: "RuleSize") -> "RuleSize":
        return RuleSize(self.clauses + other.clauses, self.literals + other.literals)


NOTHING = RuleSize(0, 0)


def rule_size(model: Any) -> RuleSize | None:
    """Count a fitted model's clauses and literals; None for a model that has no rules to read.

    Pipelines and one-vs-rest wrappers are seen through. A model says its own size by a method
    ``rule_size``; trees, sums of trees and our own classifier are counted here: each leaf is a
    clause, the conditions on the way to it are its literals.
    """
    if isinstance(model, Pipeline):
        return rule_size(model[-1])
    if isinstance(model, DummyClassifier):
        return NOTHING
    if isinstance(model, OneVsRestClassifier):
        parts = [rule_size(estimator) for estimator in model.estimators_]
        known = [part for part in parts if part is not None]
        return sum(known, NOTHING) if known else None
    if hasattr(model, "rule_size"):
        size: RuleSize = model.rule_size()
        return size
    if hasattr(model, "tree_"):
        return _tree_size(model)
    if hasattr(model, "trees_"):  # imodels' FIGS
        return sum((_linked_tree_size(tree) for tree in model.trees_), NOTHING)
    if isinstance(model, AdaBoostClassifier):  # imodels' BoostedRules
        return sum((_tree_size(tree) for tree in model.estimators_), NOTHING)
    if hasattr(model, "rule_"):
        return RuleSize(len(model.rule_.branches), model.rule_.n_literals)
    return None


def _tree_size(tree: Any) -> RuleSize:
    """Count the leaves of a scikit-learn tree and the conditions above them."""
    left, right = tree.tree_.children_left, tree.tree_.children_right
    size, stack = NOTHING, [(0, 0)]
    while stack:
        node, depth = stack.pop()
        if left[node] < 0:
            size += RuleSize(1, depth)
        else:
            stack += [(left[node], depth + 1), (right[node], depth + 1)]
    return size


def _linked_tree_size(root: Any, depth: int = 0) -> RuleSize:
    """Count the leaves of a tree whose nodes have ``left`` and ``right`` (imodels' FIGS)."""
    if root.left is None or root.right is None:
        return RuleSize(1, depth)
    return _linked_tree_size(root.left, depth + 1) + _linked_tree_size(root.right, depth + 1)
