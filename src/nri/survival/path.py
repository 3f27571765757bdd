"""The path to a rule for the time until an event: rows that were followed in, segments out.

It goes as that for a number does (:mod:`nri.regress.path`): what is parted there are the rows' log-rank
scores, events less those expected of all rows alike. A clause whose scores sum to much is one whose curve the
log-rank test tells from that of all. The clauses are then told with Kaplan and Meier's curves of all rows.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.errors import InputError
from nri.induce.resample import FOLDS
from nri.induce.settings import Settings
from nri.regress.path import induce_segments
from nri.regress.validate import even_folds
from nri.rule import Clause, Kind
from nri.rule.clause import ALWAYS
from nri.rule.decide import first_to_fire
from nri.rule.labels import as_label
from nri.rule.plan import ColumnPlan
from nri.rule.survival import SurvivalRule, SurvivalSegment
from nri.rule.truth import clause_matrix
from nri.survival.estimate import concordant_pairs, expected_events, kaplan_meier, logrank, logrank_scores
from nri.table.answers import Answers, read_answers
from nri.table.reading import as_numbers
from nri.table.table import Measured, Table
from nri.table.target import take_weights
from nri.table.usable import LeftOut

TIMES = 61
"""Points in time at which curves are told, from 0 to the longest."""
_DRAWN = 1.0
"""Events, seen and expected, by which a risk is drawn towards 1."""


@dataclass(frozen=True, eq=False)
class Followed:
    """Rows that were followed for a time, until an event or until somebody stopped looking."""

    table: Table
    """without time, event and weights"""
    time: FloatArray
    """[M], 0 or more"""
    event: BoolArray
    """[M], whether it ended in the event"""
    time_name: str
    event_name: str
    time_plan: ColumnPlan

    def __len__(self) -> int:
        return len(self.time)

    def take(self, rows: BoolArray) -> "Followed":
        """Return some of the rows."""
        return replace(self, table=self.table.take(rows), time=self.time[rows], event=self.event[rows])

    @property
    def scored(self) -> Table:
        """The table with the rows' log-rank scores as the number to be explained."""
        scores = logrank_scores(self.time, self.event, self.table.weights)
        return self.table.measured_by(Measured(self.event_name, scores, ColumnPlan(Kind.NUMBER)))


@dataclass(frozen=True)
class SurvivalInduction:
    """What was found, and what was not looked at."""

    rule: SurvivalRule
    left_out: tuple[LeftOut, ...]
    """Columns that could be of no use to a rule, and why."""


def follow(table: Table, time: str, event: str, weights: str | None = None) -> Followed:
    """Split off how long each row was followed and whether it ended in the event.

    Rows of which either is unknown are left out.

    Parameters
    ----------
    table
        Without a target.
    time
        A column of numbers of 0 or more.
    event
        A column of yes and no (1 and 0), or a comparison such as ``"status = dead"``.
    weights
        A column that says how many rows each row stands for.

    >>> from nri import read_table
    >>> patients = read_table({"days": [5, 9], "status": ["dead", "alive"], "age": [70, 50]})
    >>> rows = follow(patients, "days", "status = dead")
    >>> rows.event.tolist(), rows.table.names
    ([True, False], ('age',))
    """
    until, ended = read_answers(table, time, "time"), read_answers(table, event, "event")
    if until.column == ended.column:
        raise InputError(f"{time!r} cannot be both the time and the event; name a column for each")
    if until.labels.kind is not Kind.NUMBER and not until.compared:
        raise InputError(
            f"time {time!r} has {until.labels.kind} cells; give numbers, e.g. days since the start"
        )
    known = until.labels.known & ended.labels.known
    if not known.any():
        raise InputError(f"no row is left: time {time!r} or event {event!r} is missing in every one of them")
    length, happened = as_numbers(until.labels)[known], _happened(ended)[known]
    if until.compared or (length < 0).any():
        raise InputError(f"time {time!r} must be a column of numbers of 0 or more")
    if not happened.any():
        raise InputError(f"event {event!r} happens in no row, so that no curve falls; choose another")
    features = table.without(until.column, ended.column)
    if weights is not None:
        features = take_weights(features, weights, known)
    if not features.names:
        raise InputError("the table has no column but time and event; give columns to explain them by")
    return Followed(features.take(known), length, happened, time, event, until.plan)


def _happened(answers: Answers) -> BoolArray:
    """[M]: where the event is known to have happened."""
    column = answers.labels
    if column.kind is Kind.BOOLEAN:
        return np.asarray(column.values, dtype=bool)
    values = np.unique(
        column.texts[column.known] if column.kind is Kind.TEXT else column.values[column.known]
    )
    if column.kind is Kind.NUMBER and set(values.tolist()) <= {0.0, 1.0}:
        return np.asarray(column.values == 1.0)
    last = as_label(values[-1])
    shown = f"{last:g}" if isinstance(last, float) else last
    raise InputError(
        f"event {answers.name!r} has {len(values)} different values; say which one is the event, "
        f'e.g. "{answers.name} = {shown}"'
    )


def induce_survival(
    rows: Followed, settings: Settings | None = None, *, rng: np.random.Generator | None = None
) -> SurvivalInduction:
    """Induce a rule whose segments have survival curves that part.

    Parameters
    ----------
    rows
        See :func:`follow`.
    settings
        What the rule may be; the model and what concerns classes have no say.
    rng
        Draws the rows that are searched, of very many; seeded with 0 by default.

    Examples
    --------
    >>> from nri import follow, read_table
    >>> days = [12 + i if i % 2 else 100 + i for i in range(30)]
    >>> rows = {"age": [40, 70] * 15, "days": days, "dead": [1, 1, 0] * 10}
    >>> print(induce_survival(follow(read_table(rows), "days", "dead")).rule)
    IF      (age <= 50)     median days 118   (106 to 128)   risk 0.62   dead: 10 of 15
    ELSE                    median days  31   (19 to 39)     risk 2.50   dead: 10 of 15
    the curves differ (log-rank test on these rows, p < 0.001)
    """
    found = induce_segments(rows.scored, settings, rng=rng)
    return SurvivalInduction(count_survival(list(found.segments.clauses()), rows), found.left_out)


def count_survival(clauses: Sequence[Clause], rows: Followed) -> SurvivalRule:
    """Count what became of the rows that each clause decides."""
    table, weights = rows.table, rows.table.weights
    deciding = first_to_fire(clause_matrix(clauses, table.columns, len(rows)))
    expected = expected_events(rows.time, rows.event, weights)
    times = np.linspace(0.0, float(rows.time.max()) or 1.0, TIMES)

    def part(clause: Clause, of: BoolArray) -> SurvivalSegment:
        seen, due = float(weights[of & rows.event].sum()), float((weights * expected)[of].sum())
        curve = kaplan_meier(rows.time[of], rows.event[of], weights[of], times)
        return SurvivalSegment(clause, round((seen + _DRAWN) / (due + _DRAWN), 3), curve)

    return SurvivalRule(
        time=rows.time_name,
        target=rows.event_name,
        segments=tuple(part(clause, deciding == i) for i, clause in enumerate(clauses)),
        rest=part(ALWAYS, deciding == len(clauses)),
        support=kaplan_meier(rows.time, rows.event, weights, times),
        times=tuple(times.tolist()),
        p_value=logrank(rows.time, rows.event, weights, deciding),
        time_plan=rows.time_plan,
    ).with_plans(table.plans)


@dataclass(frozen=True, slots=True)
class Concordance:
    """Of two rows of which one had the event first, how often the rule gives that one the higher risk."""

    mean: float
    """0.5 is guessing; rows of one segment count half"""
    error: float
    """standard error, from the folds"""

    def __str__(self) -> str:
        return f"{self.mean:.3f} ± {self.error:.3f}"


def concordance_of(rows: Followed, risk: FloatArray) -> float | None:
    """Return how often the order of events is told rightly; None if no two rows can be compared."""
    right, total = concordant_pairs(rows.time, rows.event, risk, rows.table.weights)
    return right / total if total > 0 else None


def cross_validate_survival(
    rows: Followed,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator,
    folds: int = FOLDS,
    step: Callable[[], None] = lambda: None,
) -> Concordance | None:
    """Return the concordance of rules on rows that they were not induced from; None if there are too few.

    Parameters
    ----------
    rows, settings
        As for :func:`induce_survival`; everything is found anew for each fold.
    rng
        Deals the rows out.
    folds
        How many parts the rows are dealt into; early and late events are as frequent in each.
    step
        Called after each fold.
    """
    fold: IntArray = even_folds(rows.scored.outcome.values, folds, rng)
    found = []
    for k in range(int(fold.max()) + 1):
        inside, outside = rows.take(fold != k), rows.take(fold == k)
        try:
            rule = induce_survival(inside, settings, rng=rng).rule
        except InputError:  # e.g. no column varies in this part
            rule = count_survival([], inside)
        judged = concordance_of(outside, rule.predict(outside.table.columns, len(outside)))
        found += [] if judged is None else [judged]
        step()
    if not found:
        return None
    error = float(np.std(found, ddof=1)) / math.sqrt(len(found)) if len(found) > 1 else 0.0
    return Concordance(float(np.mean(found)), error)
