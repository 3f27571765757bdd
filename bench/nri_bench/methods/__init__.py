"""The rivals and our own models, one registry of scikit-learn estimators."""

from nri_bench.methods.registry import (
    METHODS,
    QUICK_METHODS,
    TABLE_METHODS,
    Method,
    choose_methods,
    get_method,
)
from nri_bench.methods.size import RuleSize, rule_size

__all__ = [
    "METHODS",
    "QUICK_METHODS",
    "TABLE_METHODS",
    "Method",
    "RuleSize",
    "choose_methods",
    "get_method",
    "rule_size",
]
