"""Rules: literals, clauses and branches with their estimates; no tensors, no tables."""

from nri.rule.column import Column, ColumnPlan, Columns, column_of, row_count
from nri.rule.equivalence import difference, equivalent, implies
from nri.rule.estimate import Mean, NumberTarget, Risk, SurvivalTarget
from nri.rule.explain import Explanation, Miss, NearMiss
from nri.rule.labels import ClassTarget, Label, Shares
from nri.rule.literal import ALWAYS, FALSE, TRUE, Clause, Dnf, Kind, Literal, Op, Value
from nri.rule.render import (
    FORMATS,
    Format,
    RenderOptions,
    asp_facts,
    from_json,
    prolog_facts,
    render,
    to_sympy,
)
from nri.rule.rule import Branch, Rule
from nri.rule.simplify import BOOLEAN, OPEN, ColumnDomain, Domain, simplify
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
    "Branch",
    "ClassTarget",
    "Clause",
    "Column",
    "ColumnDomain",
    "ColumnPlan",
    "Columns",
    "Dnf",
    "Domain",
    "Explanation",
    "Format",
    "Kind",
    "Label",
    "Literal",
    "Mean",
    "Miss",
    "NearMiss",
    "NumberTarget",
    "Op",
    "RenderOptions",
    "Risk",
    "Rule",
    "Shares",
    "SurvivalTarget",
    "Value",
    "asp_facts",
    "clause_matrix",
    "clause_truth",
    "column_of",
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
