"""Symbols: literals, clauses and rules, with no tensors and no tables."""

from nri.rule.clause import ALWAYS, Clause
from nri.rule.literal import Kind, Literal, Op, Value
from nri.rule.rule import FALSE, TRUE, Rule

__all__ = ["ALWAYS", "FALSE", "TRUE", "Clause", "Kind", "Literal", "Op", "Rule", "Value"]
