"""What all formats for people say, before any of them decides how it looks."""

from dataclasses import dataclass

from nri.rule.clause import Clause
from nri.rule.evidence import Evidence
from nri.rule.labels import Label
from nri.rule.render.phrase import number
from nri.rule.ruleset import RuleSet

CONFLICTS = "where several apply, the clause with the highest estimated precision decides"


@dataclass(frozen=True)
class Strength:
    """How well something did on the support rows, as text."""

    precision: str
    """Share of the rows it covers that are of its class, "-" if it covers none."""
    covers: str
    """How many of the support rows it covers."""


@dataclass(frozen=True)
class OutlineRule:
    """A rule with at least one clause."""

    label: Label
    clauses: tuple[tuple[Clause, Strength], ...]


@dataclass(frozen=True)
class Outline:
    """A rule set as a person is told about it; classes without clauses are passed over."""

    target: str
    rules: tuple[OutlineRule, ...]
    default: Label
    default_strength: Strength


def outline_of(ruleset: RuleSet) -> Outline:
    """Collect what is to be told."""

    def strength(evidence: Evidence, label: Label) -> Strength:
        share = evidence.share(ruleset.index_of(label))
        covers = f"{number(evidence.total)} of {number(ruleset.support.total)}"
        return Strength("-" if share is None else f"{share:.2f}", covers)

    rules = tuple(
        OutlineRule(
            rule.label,
            tuple(
                (clause, strength(evidence, rule.label))
                for clause, evidence in zip(rule.rule, rule.evidence, strict=True)
            ),
        )
        for rule in ruleset.rules
        if not rule.rule.is_false
    )
    return Outline(
        ruleset.target, rules, ruleset.default, strength(ruleset.default_evidence, ruleset.default)
    )
