"""Everyday tasks on top of induction: each is one function here and one command on the command line."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nri.tasks.stability import Stability, clause_stability

_PLACES = {
    "Stability": "nri.tasks.stability",
    "clause_stability": "nri.tasks.stability",
}

__all__ = [
    "Stability",
    "clause_stability",
]


def __getattr__(name: str) -> Any:
    """Load a task when it is asked for, with what it needs."""
    if name in _PLACES:
        from importlib import import_module

        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module 'nri.tasks' has no attribute {name!r}")
