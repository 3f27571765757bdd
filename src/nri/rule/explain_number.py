"""Why a row is in its segment: the clause that fired, and what those before it lacked."""

from dataclasses import dataclass

from nri.rule.column import Columns
from nri.rule.explain import Miss
from nri.rule.segments import Segment, Segments
from nri.rule.survival import SurvivalRule, SurvivalSegment
from nri.rule.truth import literal_truth


@dataclass(frozen=True)
class PassedOver:
    """A segment before the one that decided, and why its clause did not fire."""

    segment: Segment | SurvivalSegment
    misses: tuple[Miss, ...]


@dataclass(frozen=True)
class NumberExplanation:
    """Why a row has its value, or its risk."""

    rule: Segments | SurvivalRule
    segment: Segment | SurvivalSegment
    """The one that decides; the rest of the rule if no clause fires."""
    passed: tuple[PassedOver, ...]
    """The segments that would have decided, had their clause fired."""

    @property
    def value(self) -> float:
        """What is said of the row."""
        return self.segment.label

    def __str__(self) -> str:
        from nri.rule.render.phrase import phrase_clause

        lines = [self._said(self.segment)]
        clause = self.segment.clause
        lines.append(f"  because: {phrase_clause(clause)}" if len(clause) else "  because no clause fired")
        for one in self.passed:
            said = self._briefly(one.segment)
            lines.append(f"  passed over: {phrase_clause(one.segment.clause)} => {said}")
            lines.extend(f"    lacks {miss}" for miss in one.misses)
        return "\n".join(lines)

    def _said(self, segment: Segment | SurvivalSegment) -> str:
        from nri.rule.render.phrase import phrase_name

        said = f"{phrase_name(self.rule.target)} = {self._briefly(segment)}"
        if isinstance(self.rule, SurvivalRule):
            assert isinstance(segment, SurvivalSegment)
            return f"{said} (median {phrase_name(self.rule.time)}: {self.rule.amount(segment.curve.median)})"
        assert isinstance(segment, Segment)
        low, high = (self.rule.amount(segment.spread.quantiles[end]) for end in (0, -1))
        return f"{said} (80 % of such rows: {low} to {high})"

    def _briefly(self, segment: Segment | SurvivalSegment) -> str:
        if isinstance(segment, SurvivalSegment):
            return f"risk {segment.risk:.2f}"
        return self.rule.amount(segment.value)


def explain_number(
    segments: Segments | SurvivalRule, columns: Columns, n_rows: int
) -> list[NumberExplanation]:
    """Explain the value of each row; meant for rows that somebody will read, not for millions."""
    truths = {
        literal: literal_truth(literal, columns)[0]
        for segment in segments.segments
        for literal in segment.clause
    }
    deciding = segments.decide(columns, n_rows)
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
            for segment in segments.segments[: deciding[row]]
        ]
        chosen = (*segments.segments, segments.rest)[int(deciding[row])]
        explanations.append(NumberExplanation(segments, chosen, tuple(passed)))
    return explanations
