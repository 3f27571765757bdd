"""Explanations: for one row, which branch decides it, and what the branches before it lacked."""

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from nri.rule.column import Columns
from nri.rule.labels import ClassTarget
from nri.rule.literal import Clause, Literal, Value, is_card
from nri.rule.phrase import phrase_clause, phrase_literal, phrase_name, phrase_value
from nri.rule.rule import Branch, Rule, extend
from nri.rule.truth import literal_truth


@dataclass(frozen=True)
class Miss:
    """A literal that kept a clause from firing on a row, and the cell of the row."""

    literal: Literal
    cell: Value | None  # None if the cell is unknown: then the literal is unknown rather than false.

    def __str__(self) -> str:
        cell = "is unknown" if self.cell is None else f"is {phrase_value(self.cell)}"
        return f"{phrase_literal(self.literal)} (it {cell})"


@dataclass(frozen=True)
class NearMiss:
    """A branch that did not fire, and why."""

    branch: Branch
    misses: tuple[Miss, ...]
    """Literals that do not hold; those of a counting clause in the order of how little is missing."""

    @property
    def clause(self) -> Clause:
        """The condition that did not hold."""
        return self.branch.clause

    @property
    def n_held(self) -> int:
        """How many of the clause's literals hold."""
        return len(self.clause) - len(self.misses)

    @property
    def lacks(self) -> int:
        """How many more would have to hold; all that do not, unless the clause counts."""
        return self.clause.at_least - self.n_held

    @property
    def unknown(self) -> tuple[Literal, ...]:
        """Literals whose cell is unknown."""
        return tuple(miss.literal for miss in self.misses if miss.cell is None)

    @property
    def lines(self) -> tuple[str, ...]:
        """What kept the clause from firing: a line for each literal that it lacks, or one for a count."""
        if not self.clause.counts:
            return tuple(f"lacks {miss}" for miss in self.misses)
        nearest = ", ".join(str(miss) for miss in self.misses[: self.lacks])
        return (f"{tally(self.clause, self.n_held)}; nearest: {nearest}",)


@dataclass(frozen=True)
class Explanation:
    """Why a row has its prediction."""

    rule: Rule = field(repr=False)
    index: int  # of the branch that decides; the number of branches where none fires
    fired: tuple[Branch, ...]  # Branches that fired, the deciding one first
    held: tuple[tuple[Literal, ...], ...]
    """For each of these, its literals that hold: all of them, unless it counts."""
    nearest: tuple[NearMiss, ...]
    """The branches that might have decided instead: of classes, where none fired, those that lack the fewest
    literals; of a number or a risk, all branches before the one that decides."""

    @property
    def estimate(self) -> Any:
        """What is known of the rows that the branch decides."""
        return self.rule.estimates[self.index]

    @property
    def value(self) -> Any:
        """The prediction."""
        return self.estimate.value

    @property
    def probability(self) -> float:
        """How probable the predicted class is."""
        return self.rule.labels.probability(self.estimate)

    def __str__(self) -> str:
        target = self.rule.predicts
        lines = [f"{phrase_name(target.name)} = {target.describe(self.estimate)}"]
        for place, (branch, held) in enumerate(zip(self.fired, self.held, strict=True)):
            verb = "because" if place == 0 else "also fired"
            lines.append(f"  {verb}: {phrase_clause(branch.clause)} => {target.cells(branch.estimate)[0]}")
            if branch.clause.counts:
                listed = ", ".join(map(phrase_literal, held))
                lines.append(f"    {tally(branch.clause, len(held))}: {listed}")
        if not self.fired:
            lines.append("  because no branch fired")
        for near in self.nearest:
            value = target.cells(near.branch.estimate)[0]
            lines.append(f"  nearest: {phrase_clause(near.clause)} => {value}")
            lines.extend(f"    {line}" for line in near.lines)
        return "\n".join(lines)


def tally(clause: Clause, n_held: int) -> str:
    """Write how many members of a counting clause hold and how many it needs."""
    hold = "holds" if n_held == 1 else "hold"
    needed = "1 is" if clause.at_least == 1 else f"{clause.at_least} are"
    return f"{n_held} of {len(clause)} {hold}, {needed} needed"


def explain(rule: Rule, columns: Columns, n_rows: int) -> list[Explanation]:
    """Explain the prediction of each row; meant for rows that a person will read, not for millions."""
    truths = {literal: literal_truth(literal, columns)[0] for clause in rule.clauses for literal in clause}
    deciding = rule.decide(columns, n_rows)

    def held(branch: Branch, row: int) -> tuple[Literal, ...]:
        return tuple(literal for literal in branch.clause if truths[literal][row])

    def near_miss(branch: Branch, row: int) -> NearMiss:
        lacking = [literal for literal in branch.clause if not truths[literal][row]]
        misses = [Miss(literal, columns[literal.column].cell(row)) for literal in lacking]
        return NearMiss(branch, tuple(sorted(misses, key=_gap) if branch.clause.counts else misses))

    explanations = []
    for row, index in enumerate(deciding.tolist()):
        fired = [one for one in rule.branches if len(held(one, row)) >= one.clause.at_least]
        nearest = [near_miss(branch, row) for branch in rule.branches[:index]]
        if is_card(rule.clauses):
            fired, nearest = fired[:1], nearest[-1:]
        elif not isinstance(rule.predicts, ClassTarget):
            fired = fired[:1]
        else:
            nearest = [] if fired else _nearest(nearest)
        explanations.append(
            Explanation(rule, index, tuple(fired), tuple(held(one, row) for one in fired), tuple(nearest))
        )
    return explanations


def _nearest(misses: Sequence[NearMiss]) -> list[NearMiss]:
    """Keep the branches that lack fewest literals; among those, the ones with fewest known to fail."""
    distances = [(miss.lacks, max(0, miss.lacks - len(miss.unknown))) for miss in misses]
    return [miss for miss, distance in zip(misses, distances, strict=True) if distance == min(distances)]


def _gap(miss: Miss) -> float:
    """Return how much a literal lacks: a share of the larger number, years; unknown cells, categories."""
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


extend(explain=explain)
