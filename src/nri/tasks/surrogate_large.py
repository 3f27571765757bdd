"""Surrogates on tables of any size: the model's answers are the target, and all rows tell the fidelity."""

from collections.abc import Callable
from dataclasses import dataclass

from nri.engine.cross import cross_validated
from nri.engine.large import induce_from
from nri.engine.path import LargeInduction
from nri.engine.profile import Profile
from nri.engine.rows import select
from nri.engine.target import EngineTarget
from nri.induce.estimates import Accuracy
from nri.induce.settings import Settings
from nri.rule import RuleSet
from nri.rule.render.sql import first_clause


@dataclass(frozen=True, eq=False)
class LargeSurrogate:
    """Rules in a model's place; see :class:`nri.tasks.surrogate.Surrogate`."""

    induction: LargeInduction
    fidelity: Accuracy
    """Share of all rows on which rules that were induced without them say what the model says."""
    baseline: float

    @property
    def ruleset(self) -> RuleSet:
        """The rules."""
        return self.induction.ruleset


def mimic_large(
    found: Profile,
    settings: Settings,
    sample: int,
    *,
    seed: int = 0,
    step: Callable[[], None] = lambda: None,
) -> LargeSurrogate:
    """Induce rules for a table whose target are a model's predictions, and cross-validate their fidelity.

    Parameters
    ----------
    found
        The table.
    settings
        What the rules may be.
    sample
        About how many rows are searched at once.
    seed
        Of chance in the search.
    step
        Called after each fold.
    """
    induced = induce_from(found, settings, seed=seed)
    tried = cross_validated(found, settings, sample, seed=seed, step=step)
    counts = found.target.counts
    return LargeSurrogate(induced, tried.accuracy, float(counts.max() / counts.sum()))


def right_shares(found: Profile, truth: EngineTarget, rules: RuleSet) -> tuple[float, float]:
    """Return on which share of all rows model and rules say the truth, where it is known.

    Classes are compared by their words; true and false are 1 and 0.
    """
    said = [decision.label for decision in rules.decisions] + [rules.default]
    clause = first_clause([decision.clause for decision in rules.decisions], found.columns)
    items = {"d": clause, "k": found.target.code, "t": truth.code, "n": "COUNT(*)"}
    counted = found.rows.query(select(items, group=["d", "k", "t"])).to_pydict()
    total = model = rule = 0
    for place, answer, true, n in zip(*(counted[name] for name in "dktn"), strict=True):
        if answer is None or true is None:
            continue
        word = as_word(truth.labels.classes[true])
        total += n
        model += n * (as_word(found.target.labels.classes[answer]) == word)
        rule += n * (as_word(said[place]) == word)
    return model / max(total, 1), rule / max(total, 1)


def as_word(label: object) -> str:
    """Write a class so that labels and predictions can be compared."""
    return {"True": "1", "False": "0"}.get(str(label), str(label))
