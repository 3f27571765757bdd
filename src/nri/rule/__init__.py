"""Symbols: literals, clauses and rules, with no tensors and no tables."""

from nri.rule.clause import ALWAYS, FALSE, TRUE, Clause, Dnf
from nri.rule.column import Column, Columns, column_of, row_count
from nri.rule.count import count_ruleset
from nri.rule.decide import Evidence
from nri.rule.equivalence import difference, equivalent, implies
from nri.rule.explain import Explanation, Miss, NearMiss
from nri.rule.labels import Label
from nri.rule.literal import Kind, Literal, Op, Value
from nri.rule.plan import ColumnPlan
from nri.rule.regions import BOOLEAN, OPEN, ColumnDomain, Domain
from nri.rule.render import (
    FORMATS,
    Format,
    any_rule_from_json,
    asp_facts,
    from_json,
    prolog_facts,
    render,
    to_sympy,
)
from nri.rule.ruleset import ClassRule, Decision, RuleSet
from nri.rule.segments import Segment, Segments, Spread
from nri.rule.simplify import simplify
from nri.rule.survival import SurvivalRule
from nri.rule.truth import (
    clause_matrix,
    clause_truth,
    literal_truth,
    rule_truth,
)

__all__ = [
    "ALWAYS",
    "BOOLEAN",
    "FALSE",
    "FORMATS",
    "OPEN",
    "TRUE",
    "ClassRule",
    "Clause",
    "Column",
    "ColumnDomain",
    "ColumnPlan",
    "Columns",
    "Decision",
    "Dnf",
    "Domain",
    "Evidence",
    "Explanation",
    "Format",
    "Kind",
    "Label",
    "Literal",
    "Miss",
    "NearMiss",
    "Op",
    "RuleSet",
    "Segment",
    "Segments",
    "Spread",
    "SurvivalRule",
    "Value",
    "any_rule_from_json",
    "asp_facts",
    "clause_matrix",
    "clause_truth",
    "column_of",
    "count_ruleset",
    "difference",
    "equivalent",
    "from_json",
    "implies",
    "literal_truth",
    "prolog_facts",
    "render",
    "row_count",
    "rule_truth",
    "simplify",
    "to_sympy",
]
