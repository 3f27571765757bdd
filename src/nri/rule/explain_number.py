"""Why a row is in its segment: the clause that fired, and what those before it lacked."""

from dataclasses import dataclass
from typing import Any

from nri.rule.column import Columns
from nri.rule.decision_list import Branch
from nri.rule.explain import Miss
from nri.rule.segments import SegmentList
from nri.rule.truth import literal_truth


@dataclass(frozen=True)
class PassedOver:
    """A segment before the one that decided, and why its clause did not fire."""

    segment: Branch
    misses: tuple[Miss, ...]


@dataclass(frozen=True)
class NumberExplanation:
    """Why a row has its value, or its risk."""

    rule: SegmentList[Any]
    segment: Branch
    """The one that decides; the rest of the rule if no clause fires."""
    passed: tuple[PassedOver, ...]
    """The segments that would have decided, had their clause fired."""

    @property
    def value(self) -> float:
        """What is said of the row."""
        return float(self.segment.label)

    def __str__(self) -> str:
        from nri.rule.render.phrase import phrase_clause, phrase_name

        rule, clause = self.rule, self.segment.clause
        said = f"{phrase_name(rule.target)} = {rule.said_of(self.segment)} ({rule.usual_in(self.segment)})"
        lines = [said]
        lines.append(f"  because: {phrase_clause(clause)}" if len(clause) else "  because no clause fired")
        for one in self.passed:
            said = rule.said_of(one.segment)
            lines.append(f"  passed over: {phrase_clause(one.segment.clause)} => {said}")
            lines.extend(f"    lacks {miss}" for miss in one.misses)
        return "\n".join(lines)


def explain_number(rule: SegmentList[Any], columns: Columns, n_rows: int) -> list[NumberExplanation]:
    """Explain the value of each row; meant for rows that somebody will read, not for millions."""
    truths = {literal: literal_truth(literal, columns)[0] for clause in rule.clauses() for literal in clause}
    deciding = rule.decide(columns, n_rows)
    explanations = []
    for row in range(n_rows):
        passed = [
            PassedOver(
                segment,
                tuple(
                    Miss(literal, columns[literal.column].cell(row))
                    for literal in segment.clause
                    if not truths[literal][row]
                ),
            )
            for segment in rule.segments[: deciding[row]]
        ]
        explanations.append(NumberExplanation(rule, rule.parts[int(deciding[row])], tuple(passed)))
    return explanations
