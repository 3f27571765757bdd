"""What a caller can say about how a rule set is written."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RenderOptions:
    """Options of all formats; a format reads those that concern it."""

    note: str | None = None
    """A line about the whole rule, e.g. its cross-validated accuracy (formats for people)."""
    table: str | None = None
    """Name of the table to select from; without it SQL is an expression."""
    function: str = "predict"
    """Name of the Python function."""
