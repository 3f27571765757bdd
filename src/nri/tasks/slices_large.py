"""Slices of tables of any size: looked for in some rows, judged by all others, batch by batch."""

from collections.abc import Callable, Sequence

import numpy as np

from nri.engine.batches import batches
from nri.engine.files import Files
from nri.engine.some_rows import SomeRows
from nri.errors import InputError
from nri.rule import Clause
from nri.table.answers import Answers, read_answers
from nri.table.table import Table
from nri.tasks.slice_judge import SliceCounts, Slices, judged_slices
from nri.tasks.slices import SliceSearch, check_comparable, checked, errors_of
from nri.tasks.stream import PlanReader


def slices_of_files(
    files: Files,
    some: SomeRows,
    labels: str,
    predictions: str,
    *,
    tolerance: float | None = None,
    alpha: float = 0.05,
    most: int = 5,
    max_literals: int = 3,
    min_rows: int | None = None,
    columns: Sequence[str] | None = None,
    never: Sequence[str] = (),
    negations: bool = False,
    step: Callable[[int], None] = lambda rows: None,
) -> Slices:
    """Find where a model's predictions differ from the labels; all rows judge but those searched.

    Parameters
    ----------
    files, some
        The table, and some of its rows, which are searched.
    labels, predictions
        Columns of the truth and of what the model said, or comparisons of such.
    tolerance, alpha, most, max_literals, min_rows, columns, never, negations
        See :func:`nri.tasks.slices.error_slices`.
    step
        Told how many rows are done.
    """
    if len(some.source) >= some.n_rows:
        raise InputError("every row was searched, so that none is left to judge; use --engine memory")
    table = some.source.table()
    truth, said = _answers(table, labels, predictions)
    check_comparable(truth, said, tolerance)
    known = truth.labels.known & said.labels.known
    wrong = errors_of(truth, said, tolerance)
    features, _ = checked(table.without(truth.column, said.column), wrong, columns, never)
    search = SliceSearch(
        features.take(known), wrong[known], max_literals, min_rows, negations, by_errors=True
    )
    clauses = [search.clause(candidate) for candidate in search.run(most)]
    counts = SliceCounts(0, 0, np.zeros((len(clauses), 2), dtype=np.int64))
    used = {literal.column for clause in clauses for literal in clause} | {truth.column, said.column}
    reader = PlanReader({name: table.plans[name] for name in table.names if name in used})
    for batch in batches(files, used):
        read = reader.read(batch.source([*reader.plans]), batch)
        part = Table(read, reader.plans, np.ones(len(batch)), np.arange(len(batch)) + batch.first)
        counts += _counted(part, labels, predictions, tolerance, clauses)
        step(batch.first + len(batch) - 1)
    counts -= _counted(table, labels, predictions, tolerance, clauses)
    return judged_slices(clauses, counts, alpha)


def _answers(table: Table, labels: str, predictions: str) -> tuple[Answers, Answers]:
    return read_answers(table, labels, "--labels"), read_answers(table, predictions, "--predictions")


def _counted(
    table: Table, labels: str, predictions: str, tolerance: float | None, clauses: Sequence[Clause]
) -> SliceCounts:
    truth, said = _answers(table, labels, predictions)
    known = truth.labels.known & said.labels.known
    return SliceCounts.of(clauses, table, errors_of(truth, said, tolerance), known)
