"""What a caller can say about how a rule set is written, and what formats for reading leave out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from nri.rule.ruleset import RuleSet


@dataclass(frozen=True)
class RenderOptions:
    """Options of all formats; a format reads those that concern it."""

    note: str | None = None
    """A line about the whole rule, e.g. its cross-validated accuracy (formats for people)."""
    table: str | Sequence[str] | None = None
    """Name of the table to select from, or its parts; without it SQL is an expression."""
    function: str = "predict"
    """Name of the Python function."""
    validation: Mapping[str, Any] | None = None
    """What was estimated about the rule, as plain data; JSON keeps it, readers pass over it."""
    dialect: str | None = None
    """The SQL dialect; see :mod:`nri.rule.render.sql_dialects`."""
    statement: str | None = None
    """What SQL does with the table: select (default), view, update or dbt."""
    into: str | None = None
    """Name of the view, or of the column to update."""


def settled(ruleset: RuleSet) -> RuleSet:
    """Return a rule set that decides alike, but without clauses if one that always holds makes them idle.

    A rule about the most frequent class for which nothing pays comes as the clause that always holds.
    ``IF (always) THEN yes ELSE no`` is an odd way of saying ALWAYS yes.
    """
    labels = []
    for decision in ruleset.decisions:
        labels.append(decision.label)
        if not decision.clause.literals:  # nobody after this one gets a say
            break
    else:
        return ruleset
    if len(set(labels)) > 1:
        return ruleset
    return replace(ruleset, rules=(), default=labels[0], default_evidence=ruleset.support)
