"""Target: from a column, or a time and an event, to the outcome of the rows that have one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray
from nri.errors import InputError, TargetError
from nri.outcome import Classes, Number, Survival
from nri.rule.column import Column, ColumnPlan
from nri.rule.labels import Label, as_label, spelled
from nri.rule.literal import Kind
from nri.table.answers import Answers, read_answers
from nri.table.cells import number_as_text
from nri.table.kinds import ZERO_ONE
from nri.table.reading import as_numbers
from nri.table.rounding import plain_number
from nri.table.table import Table
from nri.table.weights import settled_weights

MAX_CLASSES = 20
"""More classes than this are no classes but names, counts or measurements."""
_MAX_UNREPEATED = 10
"""So many at most if they are numbers with fractions, or most of them occur once."""


def label_table(
    table: Table,
    target: str,
    positive: Label | None = None,
    weights: str | None = None,
    *,
    what: str = "target",
) -> Table:
    """Return the rows whose target is known with their classes, without the columns that are spoken for.

    A positive class of a target with several classes makes it a matter of two: this class, or another.
    The positive class of a comparison such as ``price > 100`` is that it holds.

    >>> from nri.table.source import table_of
    >>> table = label_table(table_of({"price": [50, 150, None], "size": [1, 2, 3]}), "price > 100")
    >>> table.codes.tolist(), table.classes, table.positive, len(table)
    ([0, 1], (False, True), 1, 2)
    """
    if weights is not None:
        table.require([weights])
    answers = read_answers(table, target, what)
    labels, known = encode(answers)
    features = _features(table, [answers.column], weights, known)
    more = None if known.all() else features.take(~known).columns
    features = features if more is None else features.take(known)
    table = features.with_outcome(_about(labels, positive, answers.compared))
    return replace(table, unlabelled=more)


def with_target(
    table: Table,
    target: str,
    positive: Label | None = None,
    weights: str | None = None,
) -> Table:
    """Return the rows whose target is known with their classes, or with numbers where it is measured.

    A number of few different values is classes, as is a comparison, and a target of which a positive class
    is named. Otherwise it goes as for :func:`label_table`.

    >>> from nri.table.source import table_of
    >>> rents = table_of({"rent": [400.5 + i for i in range(30)], "rooms": [1, 2, 3] * 10})
    >>> with_target(rents, "rent").outcome.values[:2].tolist()
    [400.5, 401.5]
    """
    if weights is not None:
        table.require([weights])
    answers = read_answers(table, target)
    if positive is not None or not _is_measurement(answers):
        return label_table(table, target, positive, weights)
    known = answers.labels.known
    features = _features(table, [answers.column], weights, known)
    number = Number(answers.name, answers.labels.values[known], answers.plan)
    return features.take(known).with_outcome(number)


_YES_AND_NO = {"yes", "no", "y", "n"}


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
    features = _features(table, [until.column, ended.column], weights, known)
    return features.take(known).with_outcome(Survival(event, time, length, happened, until.plan))


def _happened(answers: Answers) -> BoolArray:
    """[M]: where the event is known to have happened."""
    column = answers.labels
    if column.kind is Kind.BOOLEAN:
        return np.asarray(column.values, dtype=bool)
    values = np.unique(
        column.texts[column.known] if column.kind is Kind.TEXT else column.values[column.known]
    )
    if column.kind is Kind.TEXT and {str(text).lower() for text in values} <= _YES_AND_NO:
        return np.array([str(text).lower() in ("yes", "y") for text in column.texts], dtype=bool)
    if column.kind is Kind.NUMBER and set(values.tolist()) <= {0.0, 1.0}:
        return np.asarray(column.values == 1.0)
    last = as_label(values[-1])
    shown = f"{last:g}" if isinstance(last, float) else last
    raise InputError(
        f"event {answers.name!r} has {len(values)} different values; name the one that is the event, "
        f'e.g. "{answers.name} = {shown}"'
    )


def _features(table: Table, taken: Sequence[str], weights: str | None, known: BoolArray) -> Table:
    """Return the columns that are left to explain the target by, weighted if weights are named."""
    features = table.without(*taken)
    if not features.names:
        names = " and ".join(map(repr, taken))
        raise InputError(f"the table has no column but {names}; give columns to explain it by")
    return features if weights is None else take_weights(features, weights, known)


def _is_measurement(answers: Answers) -> bool:
    """Whether answers are numbers of too many different values for classes."""
    values = answers.labels.values[answers.labels.known]
    if answers.labels.kind is not Kind.NUMBER or not len(values):
        return False
    return _are_many(values, np.unique(values), MAX_CLASSES)


def encode(answers: Answers, *, max_classes: int = MAX_CLASSES) -> tuple[Classes, BoolArray]:
    """Return the classes of the rows whose answer is known, and which rows these are.

    More distinct values than ``max_classes`` are refused.
    """
    column, name = answers.labels, f"{answers.what} {answers.name!r}"
    if not column.known.any():
        raise InputError(
            f"no row is left: {name} is missing in all {len(column)} rows; choose another column"
        )
    values = _label_values(column, answers.plan)[column.known]
    distinct, codes = np.unique(values, return_inverse=True)
    _refuse_one_class(distinct, name, len(values))
    _refuse_many_classes(values, distinct, answers, max_classes)
    classes = tuple(_label(value) for value in distinct)
    return Classes(answers.name, classes, codes.reshape(-1).astype(np.int64)), column.known


def class_index(classes: Sequence[Label], wanted: str | Label) -> int:
    """Return the index of a class that a person named, e.g. on the command line.

    >>> class_index((0, 1), "1")
    1
    """
    for index, label in enumerate(classes):
        if label == wanted and isinstance(label, bool) == isinstance(wanted, bool):
            return index
    texts = [str(label) for label in classes]
    for names in (texts, [text.lower() for text in texts]):
        key = str(wanted) if names is texts else str(wanted).lower()
        if names.count(key) == 1:
            return names.index(key)
    raise InputError(f"the target has no class {wanted!r}; choose one of {listed_classes(classes)}")


def labels_as_text(column: Column, plan: ColumnPlan) -> NDArray[Any]:
    """[M]: labels as texts, however they were typed; None where unknown."""
    texts = np.full(len(column), None, dtype=object)
    values = _label_values(column, plan)[column.known]
    written = map(number_as_text, values) if values.dtype.kind == "f" else map(str, values)
    texts[column.known] = list(written)
    return texts


def _about(labels: Classes, positive: Label | None, compared: bool) -> Classes:
    if positive is None:
        return replace(labels, positive=1) if compared else labels
    index = class_index(labels.classes, positive)
    if len(labels.classes) == 2:
        return replace(labels, positive=index)
    chosen = str(labels.classes[index])
    other = "other" if chosen != "other" else "rest"
    return Classes(labels.name, (other, chosen), np.asarray(labels.codes == index, dtype=np.int64), 1)


def take_weights(table: Table, name: str, counted: BoolArray) -> Table:
    """Return the table weighted by one of its columns, which must be good on the rows that are counted."""
    if name not in table.columns:
        raise InputError(f"column {name!r} cannot be target and weights; choose another column of weights")
    column = table.columns[name]
    if column.kind not in (Kind.NUMBER, Kind.BOOLEAN):
        raise InputError(f"weights {name!r} are {column.kind} cells; give numbers of 0 or more")
    weights: FloatArray = as_numbers(column)
    bad = (~column.known | ~(weights >= 0)) & counted
    if bad.any():
        raise InputError(
            f"weights {name!r}: {int(bad.sum())} cells are missing or no number of 0 or more; correct them"
        )
    others = table.without(name)
    if not others.names:
        raise InputError("the table has no column but target and weights; give columns to explain it by")
    return others.reweighted(settled_weights(np.where(counted, weights, 0.0), f"weights {name!r}"))


def _label_values(column: Column, plan: ColumnPlan) -> NDArray[Any]:
    """[M]: cells as the values that labels are made of; a yes that was written as 1 is the label 1."""
    if column.kind is Kind.TEXT:
        return column.texts
    if column.kind is Kind.BOOLEAN and plan.no_and_yes == ZERO_ONE.no_and_yes:
        return column.values.astype(np.float64)
    if column.kind is Kind.DATE:
        return column.values.astype(str).astype(object)
    return column.values


def _refuse_one_class(distinct: NDArray[Any], name: str, n_rows: int) -> None:
    if len(distinct) == 1:
        only = listed_classes([_label(distinct[0])])
        raise InputError(
            f"{name} has one class only, {only} in all {n_rows} rows with one; "
            "a rule needs rows of two classes"
        )


def _refuse_many_classes(
    values: NDArray[Any], distinct: NDArray[Any], answers: Answers, max_classes: int
) -> None:
    if not _are_many(values, distinct, max_classes):
        return
    count, n_rows, number = len(distinct), len(values), values.dtype.kind == "f"
    name, shown = f"{answers.what} {answers.name!r}", " ".join(answers.name.split())
    if number:
        middle = float(np.median(values))
        cut = plain_number(middle, float(distinct[distinct > middle].min(initial=np.inf)))
        cause = f"{name} is a number with {count} different values, not a class"
        raise TargetError(cause, f"{shown} > {cut:.15g}")
    cause = f"{name} has {count} different values in {n_rows} rows, too many for classes"
    raise TargetError(cause, f"{shown} = {' '.join(_most_frequent(values).split())}")


def _are_many(values: NDArray[Any], distinct: NDArray[Any], max_classes: int) -> bool:
    """Whether values are too many for classes, fewer being enough where they hardly repeat."""
    fractions = values.dtype.kind == "f" and bool((distinct != np.round(distinct)).any())
    hardly_repeated = fractions or 2 * len(distinct) > len(values)
    return len(distinct) > max_classes or (hardly_repeated and len(distinct) > _MAX_UNREPEATED)


def _most_frequent(values: NDArray[Any]) -> str:
    distinct, counts = np.unique(values, return_counts=True)
    return str(distinct[np.argmax(counts)])


def _label(value: Any) -> Label:
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return int(value)
    return as_label(value)


def listed_classes(classes: Sequence[Label]) -> str:
    """Name classes in a message, texts in quotes."""
    shown = ", ".join(repr(label) if isinstance(label, str) else spelled(label) for label in classes[:10])
    return shown + (", ..." if len(classes) > 10 else "")


def describe(table: Table, n_read: int) -> str:
    """Return one line on the rows that a rule is looked for in, out of so many that were read.

    >>> from nri.table.source import table_of
    >>> describe(label_table(table_of({"price": [50, 150, None], "size": [1, 2, 3]}), "price > 100"), 3)
    '2 rows (1 false, 1 true), 1 columns; 1 more without a target'
    """
    more = n_read - len(table)
    dropped = f"; {more} more without a target" if more else ""
    total = float(table.weights.sum())
    weighted = "" if np.allclose(table.weights, 1.0) else f", their weights sum to {total:.10g}"
    return f"{len(table)} rows ({table.explained.describe()}){weighted}, {len(table.names)} columns{dropped}"
