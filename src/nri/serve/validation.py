"""Validation: how the rule's search does on rows it has not seen, told fold by fold."""

from collections.abc import Callable
from typing import Any

import numpy as np

from nri.induce.diagnostics import Diagnostics
from nri.induce.resample import HeldOut, cores, hold_out
from nri.rule.render.phrase import phrase_label
from nri.serve.view import view_cost
from nri.serve.work import SEED, Work


def validate(work: Work, step: Callable[[], None]) -> dict[str, Any]:
    """Cross-validate the search with the visitor's wishes, not a rule that was edited by hand.

    The folds are kept with the work: a report about the same rows takes them over.
    """
    held = held_out(work, step)
    told = held.diagnostics([rule.label for rule in work.found.rules], work.question.prevalence)
    return {
        "accuracy": held.accuracy.mean,
        "error": held.accuracy.error,
        "cost": view_cost(held.cost(work.question.settings.costs)),
        "diagnostics": [_plain(one) for one in told],
    }


def held_out(work: Work, step: Callable[[], None]) -> HeldOut:
    """Return the rules without each fold: those that were found before, or new ones."""
    if not work.folds:
        work.folds.append(
            hold_out(
                work.tried,
                work.question.settings,
                rng=np.random.default_rng(SEED),
                jobs=cores(),
                step=step,
            )
        )
    return work.folds[0]


def _plain(one: Diagnostics) -> dict[str, Any]:
    return {
        "label": phrase_label(one.label),
        "prevalence": one.prevalence,
        "assumed": one.assumed,
        "measures": [
            {"name": name, "value": measure.value, "low": measure.interval.low, "high": measure.interval.high}
            for name, measure in one.measures.items()
        ],
    }
