"""Explanations: for one row, which clauses fired or what the nearest ones lacked."""

import datetime as dt
import math
from collections.abc import Sequence
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
    """Literals that do not hold; those of a counting clause in the order of how little is missing."""

    @property
    def n_held(self) -> int:
        """How many of the clause's literals hold."""
        return len(self.clause) - len(self.misses)

    @property
    def lacks(self) -> int:
        """How many more would have to hold; all that do not, unless the clause counts."""
        return self.clause.at_least - self.n_held

    @property
    def failed(self) -> tuple[Literal, ...]:
        """Literals that are known not to hold."""
        return tuple(miss.literal for miss in self.misses if miss.cell is not None)

    @property
    def unknown(self) -> tuple[Literal, ...]:
        """Literals whose cell is unknown."""
        return tuple(miss.literal for miss in self.misses if miss.cell is None)

    @property
    def told(self) -> tuple[str, ...]:
        """What kept the clause from firing: a line for each literal that it lacks, or one for a count."""
        if not self.clause.counts:
            return tuple(f"lacks {miss}" for miss in self.misses)
        nearest = ", ".join(str(miss) for miss in self.misses[: self.lacks])
        return (f"{tally(self.clause, self.n_held)}; nearest: {nearest}",)


@dataclass(frozen=True)
class Explanation:
    """Why a row has its label."""

    target: str
    label: Label
    probability: float
    fired: tuple[Decision, ...]
    """Clauses that fired, the deciding one first."""
    held: tuple[tuple[Literal, ...], ...]
    """For each of these, its literals that hold: all of them, unless it counts."""
    nearest: tuple[NearMiss, ...]
    """When none fired: the clauses that lack the fewest literals."""

    def __str__(self) -> str:
        from nri.rule.render.phrase import phrase_clause, phrase_label, phrase_name

        name = phrase_name(self.target)
        lines = [f"{name} = {phrase_label(self.label)} (probability {self.probability:.2f})"]
        for number, (decision, held) in enumerate(zip(self.fired, self.held, strict=True)):
            verb = "because" if number == 0 else "also fired"
            lines.append(f"  {verb}: {phrase_clause(decision.clause)} => {phrase_label(decision.label)}")
            if decision.clause.counts:
                lines.append(f"    {tally(decision.clause, len(held))}: {_listed(held)}")
        if not self.fired:
            lines.append("  because no clause fired")
        for near in self.nearest:
            lines.append(f"  nearest: {phrase_clause(near.clause)} => {phrase_label(near.label)}")
            lines.extend(f"    {line}" for line in near.told)
        return "\n".join(lines)


def tally(clause: Clause, n_held: int) -> str:
    """Say how many members of a counting clause hold and how many it needs.

    >>> from nri.rule.literal import Op
    >>> tally(Clause([Literal("age", Op.GT, 50), Literal("fever", Op.EQ, True)], at_least=1), 0)
    '0 of 2 hold, 1 is needed'
    """
    hold = "holds" if n_held == 1 else "hold"
    needed = "1 is" if clause.at_least == 1 else f"{clause.at_least} are"
    return f"{n_held} of {len(clause)} {hold}, {needed} needed"


def _listed(literals: Sequence[Literal]) -> str:
    from nri.rule.render.phrase import phrase_literal

    return ", ".join(map(phrase_literal, literals))


def explain(ruleset: RuleSet, columns: Columns, n_rows: int | None = None) -> list[Explanation]:
    """Explain the label of each row; meant for rows that somebody will read, not for millions."""
    n = row_count(columns, n_rows)
    truths = {
        literal: literal_truth(literal, columns)[0]
        for decision in ruleset.decisions
        for literal in decision.clause
    }
    indices = ruleset.predict_index(columns, n)
    probabilities = ruleset.predict_proba(columns, n)[np.arange(n), indices]
    explanations = []
    for row in range(n):
        held = [
            (decision, tuple(literal for literal in decision.clause if truths[literal][row]))
            for decision in ruleset.decisions
        ]
        fired = [(decision, those) for decision, those in held if len(those) >= decision.clause.at_least]
        explanations.append(
            Explanation(
                target=ruleset.target,
                label=ruleset.classes[indices[row]],
                probability=float(probabilities[row]),
                fired=tuple(decision for decision, _ in fired),
                held=tuple(those for _, those in fired),
                nearest=() if fired else _nearest(held, columns, row),
            )
        )
    return explanations


def _nearest(
    held: Sequence[tuple[Decision, tuple[Literal, ...]]], columns: Columns, row: int
) -> tuple[NearMiss, ...]:
    """Keep the clauses that lack fewest literals; among those, the ones with fewest known to fail."""
    near = [_near_miss(decision, set(those), columns, row) for decision, those in held]

    def distance(miss: NearMiss) -> tuple[int, int]:
        return miss.lacks, max(0, miss.lacks - len(miss.unknown))

    least = min(map(distance, near), default=None)
    return tuple(miss for miss in near if distance(miss) == least)


def _near_miss(decision: Decision, held: set[Literal], columns: Columns, row: int) -> NearMiss:
    lacking = (literal for literal in decision.clause if literal not in held)
    misses = [Miss(literal, columns[literal.column].cell(row)) for literal in lacking]
    if decision.clause.counts:
        misses.sort(key=_gap)
    return NearMiss(decision.label, decision.clause, tuple(misses))


def _gap(miss: Miss) -> float:
    """Return how much a literal lacks: a share of the larger number, years; a category lacks most.

    An unknown cell may be anything: it comes after numbers of the right order and before all others.
    """
    cell, value = miss.cell, miss.literal.value
    if cell is None:
        return 1.0
    if not miss.literal.op.ordered:
        return math.inf
    if isinstance(cell, dt.datetime) and isinstance(value, dt.datetime):
        return abs(cell - value) / dt.timedelta(days=365)
    number, cut = float(cell), float(value)  # type: ignore[arg-type]
    if number == cut:
        return 0.0
    return abs(number - cut) / max(abs(number), abs(cut)) if math.isfinite(number) else math.inf
