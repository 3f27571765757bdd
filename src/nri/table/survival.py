"""Survival as a target: the time until an event, and whether it happened."""

import numpy as np

from nri.arrays import BoolArray
from nri.errors import InputError
from nri.outcome import Survival
from nri.rule import Kind, as_label
from nri.table.cells import as_numbers
from nri.table.table import Table
from nri.table.target import Answers, features_for, read_answers


def with_survival(table: Table, time: str, event: str, weights: str | None = None) -> Table:
    """Return the rows whose time and event are known, with these as their outcome.

    >>> from nri.table.source import table_of
    >>> patients = table_of({"days": [5, 9], "status": ["dead", "alive"], "age": [70, 50]})
    >>> rows = with_survival(patients, "days", "status = dead")
    >>> rows.outcome.event.tolist(), rows.names
    ([True, False], ('age',))
    """
    until, ended = read_answers(table, time, "time"), read_answers(table, event, "event")
    if until.column == ended.column:
        raise InputError(f"{time!r} cannot be both the time and the event; name a column for each")
    if until.labels.kind is not Kind.NUMBER and not until.compared:
        raise InputError(f"time {time!r} has {until.labels.kind} cells; give numbers, e.g. days")
    known = until.labels.known & ended.labels.known
    if not known.any():
        raise InputError(f"no row is left: time {time!r} or event {event!r} is missing in every one of them")
    length, happened = as_numbers(until.labels)[known], _happened(ended)[known]
    if until.compared or (length < 0).any():
        raise InputError(f"time {time!r} must be a column of numbers of 0 or more")
    if not happened.any():
        raise InputError(f"event {event!r} happens in no row, so that no curve falls; choose another")
    features = features_for(table, [until.column, ended.column], weights, known)
    return features.take(known).with_outcome(Survival(event, time, length, happened, until.plan))


_HAPPENED, _DID_NOT = {"yes", "y", "true", "t"}, {"no", "n", "false", "f"}
"""How people write that an event has happened, and that it did not."""


def _happened(answers: Answers) -> BoolArray:
    """[M]: where the event is known to have happened."""
    column = answers.labels
    if column.kind is Kind.BOOLEAN:
        return np.asarray(column.values, dtype=bool)
    values = column.distinct()[0]
    if column.kind is Kind.TEXT and {text.lower() for text in values} <= _HAPPENED | _DID_NOT:
        return np.array([str(text).lower() in _HAPPENED for text in column.texts], dtype=bool)
    if column.kind is Kind.NUMBER and set(values.tolist()) <= {0.0, 1.0}:
        return np.asarray(column.values == 1.0)
    if column.kind is Kind.NUMBER and set(values.tolist()) == {1.0, 2.0}:  # as R has it
        return np.asarray(column.values == 2.0)
    last = as_label(values[-1])
    shown = f"{last:g}" if isinstance(last, float) else last
    raise InputError(
        f"event {answers.name!r} has {len(values)} different values; name the one that is the event, "
        f'e.g. "{answers.name} = {shown}"'
    )
