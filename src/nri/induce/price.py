"""What it costs on the rows at hand that a person knows better."""

from dataclasses import dataclass, replace

import numpy as np

from nri.induce.knowledge import NOTHING
from nri.induce.path import induce_rules
from nri.induce.settings import Settings
from nri.rule import RuleSet
from nri.table.table import Table


@dataclass(frozen=True)
class Price:
    """What it costs on the rows at hand that a person knows better."""

    accuracy: float
    """Share of the rows that the rule gets right."""
    free: float
    """Share that a rule would get right for which nobody had said anything."""

    def __str__(self) -> str:
        told = f"accuracy {self.accuracy:.3f} on these rows, {self.free:.3f} without"
        if self.free > self.accuracy:
            return f"what you asked for costs {(self.free - self.accuracy) * 100:.1f} points: {told}"
        return f"what you asked for costs nothing here: {told}"


def price_of_knowledge(
    table: Table, settings: Settings, ruleset: RuleSet, *, rng: np.random.Generator | None = None
) -> Price | None:
    """Return what a person's knowledge costs a rule that was found with it; None if nothing was said."""
    if not settings.knowledge:
        return None
    free = induce_rules(table, replace(settings, knowledge=NOTHING), rng=rng).ruleset

    def right(rules: RuleSet) -> float:
        return float(np.average(rules.predict_index(table) == table.codes, weights=table.weights))

    return Price(right(ruleset), right(free))
