"""Everyday tasks on top of induction: each is one function here and one command on the command line."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nri.tasks.compare import Comparison, compare_rules
    from nri.tasks.slices import Slices, error_slices, find_slices
    from nri.tasks.stability import Stability, clause_stability
    from nri.tasks.surrogate import Surrogate, mimic, surrogate_of_model

_PLACES = {
    "Comparison": "compare",
    "Slices": "slices",
    "Stability": "stability",
    "Surrogate": "surrogate",
    "clause_stability": "stability",
    "compare_rules": "compare",
    "error_slices": "slices",
    "find_slices": "slices",
    "mimic": "surrogate",
    "surrogate_of_model": "surrogate",
}

__all__ = [
    "Comparison",
    "Slices",
    "Stability",
    "Surrogate",
    "clause_stability",
    "compare_rules",
    "error_slices",
    "find_slices",
    "mimic",
    "surrogate_of_model",
]


def __getattr__(name: str) -> Any:
    """Load a task when it is asked for, with what it needs."""
    if name in _PLACES:
        from importlib import import_module

        return getattr(import_module(f"nri.tasks.{_PLACES[name]}"), name)
    raise AttributeError(f"module 'nri.tasks' has no attribute {name!r}")
