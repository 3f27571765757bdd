"""What a caller can say about how a rule set is written, and what formats for reading leave out."""

from dataclasses import dataclass, replace

from nri.rule.ruleset import RuleSet


@dataclass(frozen=True)
class RenderOptions:
    """Options of all formats; a format reads those that concern it."""

    note: str | None = None
    """A line about the whole rule, e.g. its cross-validated accuracy (formats for people)."""
    table: str | None = None
    """Name of the table to select from; without it SQL is an expression."""
    function: str = "predict"
    """Name of the Python function."""


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
