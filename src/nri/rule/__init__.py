"""Symbols: literals, clauses and rules, with no tensors and no tables."""

from nri.rule.clause import ALWAYS, Clause
from nri.rule.columns import Column, Columns, column_of, row_count
from nri.rule.evaluate import (
    clause_matrix,
    clause_truth,
    literal_truth,
    rule_truth,
    soft_clause,
    soft_literal,
    soft_rule,
)
from nri.rule.evidence import Evidence
from nri.rule.explain import Explanation, Miss, NearMiss
from nri.rule.gather import gather_ruleset
from nri.rule.labels import Label
from nri.rule.literal import Kind, Literal, Op, Value
from nri.rule.render import FORMATS, render
from nri.rule.rule import FALSE, TRUE, Rule
from nri.rule.ruleset import ClassRule, Decision, RuleSet

__all__ = [
    "ALWAYS",
    "FALSE",
    "FORMATS",
    "TRUE",
    "ClassRule",
    "Clause",
    "Column",
    "Columns",
    "Decision",
    "Evidence",
    "Explanation",
    "Kind",
    "Label",
    "Literal",
    "Miss",
    "NearMiss",
    "Op",
    "Rule",
    "RuleSet",
    "Value",
    "clause_matrix",
    "clause_truth",
    "column_of",
    "gather_ruleset",
    "literal_truth",
    "render",
    "row_count",
    "rule_truth",
    "soft_clause",
    "soft_literal",
    "soft_rule",
]
