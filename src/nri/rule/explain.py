"""Explanations: for one row, which clauses fired or what the nearest ones lacked."""

from dataclasses import dataclass

import numpy as np

from nri.rule.clause import Clause
from nri.rule.column import Columns, row_count
from nri.rule.labels import Label
from nri.rule.literal import Literal, Value
from nri.rule.ruleset import Decision, RuleSet
from nri.rule.truth import literal_truth


@dataclass(frozen=True)
class Miss:
    """A literal that kept a clause from firing on a row, and the cell it met."""

    literal: Literal
    cell: Value | None
    """None if the cell is unknown: then the literal is unknown rather than false."""

    def __str__(self) -> str:
        from nri.rule.render.phrase import phrase_literal, phrase_value

        met = "is unknown" if self.cell is None else f"is {phrase_value(self.cell)}"
        return f"{phrase_literal(self.literal)} (it {met})"


@dataclass(frozen=True)
class NearMiss:
    """A clause that did not fire, and why."""

    label: Label
    clause: Clause
    misses: tuple[Miss, ...]

    @property
    def failed(self) -> tuple[Literal, ...]:
        """Literals that are known not to hold."""
        return tuple(miss.literal for miss in self.misses if miss.cell is not None)

    @property
    def unknown(self) -> tuple[Literal, ...]:
        """Literals whose cell is unknown."""
        return tuple(miss.literal for miss in self.misses if miss.cell is None)


@dataclass(frozen=True)
class Explanation:
    """Why a row has its label."""

    target: str
    label: Label
    probability: float
    fired: tuple[Decision, ...]
    """Clauses that fired, the deciding one first."""
    nearest: tuple[NearMiss, ...]
    """When none fired: the clauses that lack the fewest literals."""

    def __str__(self) -> str:
        from nri.rule.render.phrase import phrase_clause, phrase_label, phrase_name

        name = phrase_name(self.target)
        lines = [f"{name} = {phrase_label(self.label)} (probability {self.probability:.2f})"]
        for number, decision in enumerate(self.fired):
            verb = "because" if number == 0 else "also fired"
            lines.append(f"  {verb}: {phrase_clause(decision.clause)} => {phrase_label(decision.label)}")
        if not self.fired:
            lines.append("  because no clause fired")
        for near in self.nearest:
            lines.append(f"  nearest: {phrase_clause(near.clause)} => {phrase_label(near.label)}")
            lines.extend(f"    lacks {miss}" for miss in near.misses)
        return "\n".join(lines)


def explain(ruleset: RuleSet, columns: Columns, n_rows: int | None = None) -> list[Explanation]:
    """Explain the label of each row; meant for rows that somebody will read, not for millions."""
    n = row_count(columns, n_rows)
    truths = {
        literal: literal_truth(literal, columns)
        for decision in ruleset.decisions
        for literal in decision.clause
    }
    indices = ruleset.predict_index(columns, n)
    probabilities = ruleset.predict_proba(columns, n)[np.arange(n), indices]
    explanations = []
    for row in range(n):
        near = [
            (decision, [literal for literal in decision.clause if not truths[literal][0][row]])
            for decision in ruleset.decisions
        ]
        fired = tuple(decision for decision, lacking in near if not lacking)
        explanations.append(
            Explanation(
                target=ruleset.target,
                label=ruleset.classes[indices[row]],
                probability=float(probabilities[row]),
                fired=fired,
                nearest=() if fired else _nearest(near, columns, row),
            )
        )
    return explanations


def _nearest(near: list[tuple[Decision, list[Literal]]], columns: Columns, row: int) -> tuple[NearMiss, ...]:
    """Keep the clauses that lack fewest literals; among those, the ones with fewest known to fail."""

    def distance(lacking: list[Literal]) -> tuple[int, int]:
        failed = sum(columns[literal.column].cell(row) is not None for literal in lacking)
        return len(lacking), failed

    if not near:
        return ()
    least = min(distance(lacking) for _, lacking in near)
    return tuple(
        NearMiss(
            decision.label,
            decision.clause,
            tuple(Miss(literal, columns[literal.column].cell(row)) for literal in lacking),
        )
        for decision, lacking in near
        if distance(lacking) == least
    )
