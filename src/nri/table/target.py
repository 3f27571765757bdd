"""Target: from a column, or a time and an event, to the outcome of the rows that have one; their weights."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray
from nri.errors import InputError, TargetError
from nri.outcome import Classes, Number, Survival
from nri.rule import Column, ColumnPlan, Kind, Label, as_label, spelled
from nri.table.by_plan import comparison_of
from nri.table.cells import TYPED_BOOLEAN, as_numbers, number_as_text
from nri.table.cuts import plain_number
from nri.table.table import Table
from nri.table.weights import column_weights

MAX_CLASSES = 20  # More classes than this are no classes but names, counts or measurements.
_MAX_UNREPEATED = 10  # so many at most if they are numbers with fractions, or most of them occur once


@dataclass(frozen=True, eq=False)
class Answers:
    """A column as labels, for every row: what is to be explained, or what a model predicted."""

    name: str  # the column, or the comparison, as the caller wrote it
    column: str  # the column that was read
    labels: Column  # [M]; true or false if the caller compares
    plan: ColumnPlan
    compared: bool = False
    what: str = "target"  # what it is called in messages


def read_answers(table: Table, query: str, what: str = "target") -> Answers:
    """Return the column that a text names or compares; messages say ``what`` it is to serve as."""
    if query in [key.name for key in (table.groups, table.time_order) if key is not None]:
        raise InputError(f"{what} {query!r} groups or orders the rows as well; name another column there")
    name, comparison = (query, None) if query in table.columns else comparison_of(query, table.names, what)
    column, plan = table.columns[name], table.plans[name]
    if comparison is None:
        return Answers(name, name, column, plan, what=what)
    truth = Column(comparison.truth(column, plan, name), column.known)
    return Answers(query, name, truth, TYPED_BOOLEAN, compared=True, what=what)


def label_table(
    table: Table, target: str, positive: Label | None = None, weights: str | None = None
) -> Table:
    """Return the rows whose target is known with their classes, without the columns that are spoken for.

    A positive class of several leaves two, it and the rest; of a comparison (``price > 100``) it is true.
    """
    answers = read_answers(table, target)
    labels, known = encode(answers)
    features = _features(table, [answers.column], weights, known)
    more = None if known.all() else features.take(~known).columns
    features = features if more is None else features.take(known)
    if positive is not None:
        labels = _about(labels, positive)
    elif answers.compared:
        labels = replace(labels, positive=1)
    return replace(features.with_outcome(labels), unlabelled=more)


def with_target(
    table: Table, target: str, positive: Label | None = None, weights: str | None = None
) -> Table:
    """Return the rows whose target is known with their classes, or with numbers where it is measured.

    A number of few values is classes, as is a comparison, and a target of which a positive class is named.
    """
    answers = read_answers(table, target)
    known = answers.labels.known
    values = answers.labels.values[known]
    measured = answers.labels.kind is Kind.NUMBER and len(values) > 0
    if positive is not None or not measured or not _are_many(values, np.unique(values)):
        return label_table(table, target, positive, weights)
    features = _features(table, [answers.column], weights, known)
    return features.take(known).with_outcome(Number(answers.name, values, answers.plan))


def _about(labels: Classes, positive: Label) -> Classes:
    """Return labels with a positive class; of several classes, this one and any other."""
    index = class_index(labels.classes, positive)
    if len(labels.classes) == 2:
        return replace(labels, positive=index)
    chosen = str(labels.classes[index])
    other = "other" if chosen != "other" else "rest"
    codes = np.asarray(labels.codes == index, dtype=np.int64)
    return replace(labels, classes=(other, chosen), codes=codes, positive=1)


def _features(table: Table, taken: Sequence[str], weights: str | None, known: BoolArray) -> Table:
    """Return the columns that are left to explain the target by, weighted if weights are named."""
    features = table.without(*taken)
    if weights is not None:
        table.require([weights])
        counts = column_weights(features.columns, weights, known)
        taken, features = [*taken, weights], features.without(weights).reweighted(counts)
    if not features.names:
        names = " and ".join(map(repr, taken))
        raise InputError(f"the table has no column but {names}; give columns to explain it by")
    return features


def encode(answers: Answers) -> tuple[Classes, BoolArray]:
    """Return the classes of the rows whose answer is known, and which rows these are."""
    column, name = answers.labels, f"{answers.what} {answers.name!r}"
    if not column.known.any():
        raise InputError(f"no row is left: {name} is missing in all rows; choose another column")
    values = _label_values(column, answers.plan)[column.known]
    distinct, codes = np.unique(values, return_inverse=True)
    labels = (as_label(value) for value in distinct)
    classes = tuple(int(x) if isinstance(x, float) and x.is_integer() else x for x in labels)
    if len(classes) == 1:
        only = f"{_listed(classes)} in all {len(values)} rows with one"
        raise InputError(f"{name} has one class only, {only}; a rule needs rows of two classes")
    if _are_many(values, distinct):
        raise _too_many_classes(values, distinct, answers)
    plan = answers.plan if answers.plan.labels or answers.plan.missing else None
    return Classes(answers.name, classes, codes.reshape(-1).astype(np.int64), plan=plan), column.known


def _label_values(column: Column, plan: ColumnPlan) -> NDArray[Any]:
    """[M]: cells as the values that labels are made of; a yes that was written as 1 is the label 1."""
    if column.kind is Kind.TEXT:
        return column.texts
    if column.kind is Kind.BOOLEAN and plan.is_zero_one:
        return column.values.astype(np.float64)
    if column.kind is Kind.DATE:
        return column.values.astype(str).astype(object)
    return column.values


def _are_many(values: NDArray[Any], distinct: NDArray[Any]) -> bool:
    """Whether values are too many for classes, fewer being enough where they hardly repeat."""
    fractions = values.dtype.kind == "f" and bool((distinct != np.round(distinct)).any())
    hardly_repeated = fractions or 2 * len(distinct) > len(values)
    return len(distinct) > MAX_CLASSES or (hardly_repeated and len(distinct) > _MAX_UNREPEATED)


def _too_many_classes(values: NDArray[Any], distinct: NDArray[Any], answers: Answers) -> TargetError:
    name, shown = f"{answers.what} {answers.name!r}", " ".join(answers.name.split())
    if values.dtype.kind == "f":
        middle = float(np.median(values))
        cut = plain_number(middle, float(distinct[distinct > middle].min(initial=np.inf)))
        cause = f"{name} is a number with {len(distinct)} different values, not a class"
        return TargetError(cause, f"{shown} > {cut:.15g}")
    counts = np.unique(values, return_counts=True)[1]
    most_frequent = " ".join(str(distinct[np.argmax(counts)]).split())
    cause = f"{name} has {len(distinct)} different values in {len(values)} rows, too many for classes"
    return TargetError(cause, f"{shown} = {most_frequent}")


def class_index(classes: Sequence[Label], wanted: str | Label) -> int:
    """Return the index of a class that a person named, e.g. on the command line."""
    for index, label in enumerate(classes):
        if label == wanted and isinstance(label, bool) == isinstance(wanted, bool):
            return index
    texts = [str(label) for label in classes]
    for names, key in ((texts, str(wanted)), ([text.lower() for text in texts], str(wanted).lower())):
        if names.count(key) == 1:
            return names.index(key)
    raise InputError(f"the target has no class {wanted!r}; choose one of {_listed(classes)}")


def _listed(classes: Sequence[Label]) -> str:
    """Name classes in a message, texts in quotes."""
    shown = ", ".join(repr(label) if isinstance(label, str) else spelled(label) for label in classes[:10])
    return shown + (", ..." if len(classes) > 10 else "")


def with_survival(table: Table, time: str, event: str, weights: str | None = None) -> Table:
    """Return the rows whose time and event are known, with these as their outcome."""
    until, ended = read_answers(table, time, "time"), read_answers(table, event, "event")
    if until.column == ended.column:
        raise InputError(f"{time!r} cannot be both the time and the event; name a column for each")
    if until.plan.is_zero_one:  # times of 0 and 1 are numbers like any others
        values = Column(as_numbers(until.labels), until.labels.known)
        until = replace(until, labels=values, plan=ColumnPlan(Kind.NUMBER))
    if until.labels.kind is not Kind.NUMBER and not until.compared:
        raise InputError(f"time {time!r} has {until.labels.kind} cells; give numbers, e.g. days")
    known = until.labels.known & ended.labels.known
    if not known.any():
        raise InputError(f"no row is left: time {time!r} or event {event!r} is missing in every one of them")
    length, happened = as_numbers(until.labels)[known], _happened(ended)[known]
    if until.compared or (length < 0).any():
        row = np.argmax(length < 0)
        shown = "" if until.compared else f", but row {table.numbers[known][row]} has {length[row]:g}"
        raise InputError(f"time {time!r} must be a column of numbers of 0 or more{shown}")
    if not happened.any():
        raise InputError(f"event {event!r} happens in no row, so that no curve falls; choose another")
    features = _features(table, [until.column, ended.column], weights, known)
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


def labels_as_text(column: Column, plan: ColumnPlan) -> NDArray[Any]:
    """[M]: labels as texts, however they were typed; None where unknown."""
    texts = np.full(len(column), None, dtype=object)
    values = _label_values(column, plan)[column.known]
    texts[column.known] = [number_as_text(v) if values.dtype.kind == "f" else str(v) for v in values]
    return texts


def describe(table: Table, n_read: int) -> str:
    """Return one line on the rows that a rule is looked for in, out of so many that were read."""
    more = n_read - len(table)
    dropped = f"; {more} more without a target" if more else ""
    total = float(table.weights.sum())
    weighted = "" if np.allclose(table.weights, 1.0) else f", their weights sum to {total:.10g}"
    return f"{len(table)} rows ({table.explained.describe()}){weighted}, {len(table.names)} columns{dropped}"
