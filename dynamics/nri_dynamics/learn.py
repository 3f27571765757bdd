"""Learn: one rule for each variable of a system, from transitions.

Where the transitions allow it the result is exact: the fewest regulators that determine the next value on
every row, and the shortest rule over them (combinations that were never seen may fall either way, and are
listed). Where transitions contradict each other, or only a large set of regulators would explain them all,
the rule is the one that describes them in the fewest bits, errors included. Which of the two holds is decided
for the whole table, since noise seldom spares a column. Any model of :func:`nri.induce_rule` can be named
instead.
"""

import logging
import numbers
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nri.errors import InputError
from nri_dynamics.evidence import (
    asynchronous_target,
    contradictions,
    looks_asynchronous,
    share_explained,
)
from nri_dynamics.learner import Candidate, Learner, by_name
from nri_dynamics.system import Dynamics, Seen, VariableRule
from nri_dynamics.transitions import SUFFIX, Layout, Transitions, read_transitions

logger = logging.getLogger("nri.dynamics")  # below nri, so that the command line prints it

DEFAULT = "fewest"
"""The default model: the fewest regulators, then the shortest rule."""
_BENEFIT_OF_DOUBT = 5.0
"""Bits a doubtful variable that errors may save before transitions without contradiction are called noisy.
On random networks of 8 to 20 variables exact rules cost at most 4.5 more on average without noise, from 30
transitions on, and with 1 % of cells flipped 4 to 20 more from 30 to 100 transitions, 48 or more from 300."""


def learn_dynamics(
    table: Any,
    next_table: Any = None,
    *,
    next_suffix: str = SUFFIX,
    time: str | None = None,
    series: str | None = None,
    skip_gaps: bool = False,
    without: Sequence[str] = (),
    asynchronous: bool = False,
    model: str = DEFAULT,
    exact_text: bool = False,
    rng: np.random.Generator | None = None,
    step: Callable[[], None] = lambda: None,
) -> Dynamics:
    """Learn how a system moves: a rule for the next value of each variable.

    Parameters
    ----------
    table
        Transitions, as a file or as anything that :func:`nri.read_table` takes: columns ``x`` (now) and
        ``x'`` (next), or a time series. A column without a next one is an input.
    next_table
        The next states, row by row, if they are a table of their own.
    next_suffix
        The ending of columns that hold next values.
    time, series
        For time series: the column of time, and the column that separates several series.
    skip_gaps
        Whether a series is taken apart at gaps in time instead of being refused.
    without
        Columns that are no part of a state.
    asynchronous
        Whether a variable may also stay as it is when its rule gives another value, because only some are
        updated at a time. A state's next value is then the other one if any transition from it shows it.
    model
        ``"fewest"`` (regulators, exactly where the rows allow it), or a model of :func:`nri.induce_rule`.
    exact_text
        Whether texts that differ only in case and blanks are kept apart.
    rng
        For models with chance in them; seeded with 0 by default.
    step
        Called after each variable.

    Raises
    ------
    InputError
        If the table has no pairs, a next column has no counterpart, or a series has gaps.

    Examples
    --------
    >>> now = [[a, b] for a in (0, 1) for b in (0, 1)]
    >>> rows = {
    ...     "a": [s[0] for s in now],
    ...     "b": [s[1] for s in now],
    ...     "a'": [1 - s[1] for s in now],
    ...     "b'": [s[0] for s in now],
    ... }
    >>> system = learn_dynamics(rows)
    >>> print(system.render("bnet"))
    targets, factors
    a, !b
    b, a
    <BLANKLINE>
    >>> len(system.attractors().cycles[0])
    4
    """
    layout = _layout(next_suffix, time, series, skip_gaps=skip_gaps, without=without)
    if not isinstance(model, str):
        raise InputError(f"model is {_shown(model)}; use 'fewest' or the name of a model")
    seen = read_transitions(table, next_table, layout, exact=exact_text)
    if not asynchronous and looks_asynchronous(seen):
        logger.warning(
            "no transition changes more than one variable: if updates are asynchronous, set asynchronous"
        )
    target = asynchronous_target(seen) if asynchronous else seen.after
    rows = np.ascontiguousarray(seen.before[:, by_name(seen.variables)])
    learners = [Learner(seen.variables, i, rows, target[:, i], seen.columns) for i in seen.learned]
    if model == DEFAULT:
        rules = _fewest(learners, step)
    else:
        rules = _by_model(learners, model, rng or np.random.default_rng(0), step)
    system = Dynamics(seen.variables, dict(zip((one.variable.name for one in learners), rules, strict=True)))
    return replace(system, seen=_evidence(system, seen, asynchronous=asynchronous))


def _layout(next_suffix: Any, time: Any, series: Any, *, skip_gaps: bool, without: Sequence[str]) -> Layout:
    """Return how the table is read; refuse options of a type that means nothing."""
    if not (isinstance(next_suffix, str) and next_suffix):
        raise InputError(f"next_suffix is {_shown(next_suffix)}; give the ending of columns of next values")
    for name, column in (("time", time), ("series", series)):
        if column is not None and not isinstance(column, str):
            raise InputError(f"{name} is {_shown(column)}; name a column")
    return Layout(next_suffix, time, series, skip_gaps, tuple(_names(without)))


def _names(columns: Any) -> list[str]:
    if isinstance(columns, str | bytes) or not isinstance(columns, Iterable):
        raise InputError(f"without is {_shown(columns)}; give a list of names")
    names = list(columns)
    for one in names:
        if isinstance(one, bool) or not isinstance(one, str | numbers.Integral):
            raise InputError(
                f"without lists {_shown(one)}, which is no name of a column; give a list of names"
            )
    return [str(one) for one in names]


def _shown(value: Any) -> str:
    """Return a value in few characters, on one line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # the repr of a caller's object may raise anything
        text = f"a {type(value).__name__}"
    return text if len(text) <= 40 else f"{text[:37]}..."


def _evidence(system: Dynamics, seen: Transitions, *, asynchronous: bool) -> Seen:
    """Return the transitions in numbers, and where they contradict each other."""
    listed, n_contradictions = contradictions(seen)
    return Seen(
        transitions=len(seen),
        states=len(np.unique(seen.before, axis=0)),
        explained=share_explained(system, seen, asynchronous=asynchronous),
        contradictions=listed,
        n_contradictions=n_contradictions,
        asynchronous=asynchronous,
    )


def _by_model(
    learners: Sequence[Learner], model: str, rng: np.random.Generator, step: Callable[[], None]
) -> list[VariableRule]:
    """Let a model induce the rule of one variable after the other."""
    rules = []
    for one in learners:
        rules.append(one.by_model(model, rng))
        step()
    return rules


def _fewest(learners: Sequence[Learner], step: Callable[[], None]) -> list[VariableRule]:
    """Choose between exact and MDL rules: for all variables at once, where exact ones exist."""
    exact: list[Candidate | None] = []
    for one in learners:
        exact.append(one.exact())
        step()
    proven = any(one.contradicts_itself for one in learners)
    several = [i for i, rule in enumerate(exact) if rule is None or len(rule.columns) > 1]
    rivals: dict[int, Candidate] = {}

    def add_rivals(indices: Iterable[int]) -> None:
        rivals.update({i: learners[i].mdl() for i in indices if i not in rivals})

    add_rivals(
        i for i in several if proven or (rule := exact[i]) is None or learners[i].is_thin(rule.columns)
    )
    saved = [rule.bits - rivals[i].bits for i, rule in enumerate(exact) if rule is not None and i in rivals]
    clean = sum(saved) <= (0.0 if proven else _BENEFIT_OF_DOUBT) * len(saved) + 1e-6
    if not clean:
        add_rivals(several)
    chosen = [
        rivals[i] if rule is None or (i in rivals and not clean) else rule for i, rule in enumerate(exact)
    ]
    return [one.rule_of(rule) for one, rule in zip(learners, chosen, strict=True)]
