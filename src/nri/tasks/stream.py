"""Streams: rows of any number go through a rule batch by batch. Only this module reads batches.

What a rule predicts for a row depends on the row alone, so that batches get what the whole table would. Where
reading a text would be decided by all cells of its column together, batches that differ in that are refused.
"""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from nri.errors import InputError, UnknownColumnError
from nri.rule import Clause, Rule
from nri.rule.column import ColumnPlan, Columns
from nri.rule.literal import Kind
from nri.table.by_plan import guess_of, read_by
from nri.table.cells import TextCells
from nri.table.source import Source
from nri.table.table import Note, Table, logger
from nri.table.target import read_answers
from nri.table.write import atomic_file, delimiter_for, format_of, lines_beside, write_rows
from nri.tasks.compare import RowChanges, RowComparison
from nri.tasks.predictions import Truth, added_names, predicted_columns
from nri.tasks.slices import (
    SliceCounts,
    Slices,
    SliceSearch,
    check_comparable,
    checked,
    errors_of,
    judged_slices,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from nri.rows.batches import Batch
    from nri.rows.files import Files


def _batches(files: "Files", columns: Collection[str] | None = None) -> "Iterator[Batch]":
    from nri.rows.batches import batches

    return batches(files, columns)


def stream_predictions(
    rule: Rule,
    files: "Files",
    destination: Path | None,
    *,
    only: bool = False,
    step: Callable[[int], None] = lambda rows: None,
) -> str | None:
    """Write rows with what a rule predicts for them; return how good that is, where the truth is there.

    The destination is a CSV, TSV or Parquet file, which is there when all was written; None is standard
    output, as CSV. ``only`` leaves the columns of the table out. ``step`` gets the number of rows done.
    """
    reader, truth = PlanReader(rule.plans), Truth(rule)
    names: list[str] | None = None
    with row_sink(destination, only) as sink:
        for batch in _batches(files):
            names = names or added_names(rule, batch.names)
            source = batch.source([*rule.plans, rule.target])
            predicted = predicted_columns(rule, reader.read(source, batch), len(batch), names)
            sink.write(batch, predicted)
            truth.add(source, predicted.iloc[:, 0].to_numpy())
            step(batch.first + len(batch) - 1)
    return truth.text


def stream_explanations(rule: Rule, files: "Files", numbers: Sequence[int]) -> list[str]:
    """Return why rows of some numbers, from 1, have their prediction; later rows are not read."""
    reader, last, n_rows = PlanReader(rule.plans), max(numbers), 0
    explained: dict[int, str] = {}
    if min(numbers) < 1:
        raise InputError(f"no row {min(numbers)}: rows are counted from 1")
    for batch in _batches(files, rule.plans):
        n_rows = batch.first + len(batch) - 1
        here = sorted({number for number in numbers if batch.first <= number <= n_rows})
        if here:
            rows = np.array([number - batch.first for number in here])
            read = reader.read(batch.source([*rule.plans]), batch)
            columns = {name: column.take(rows) for name, column in read.items()}
            explanations = rule.explain(columns, len(rows))
            explained |= {number: str(one) for number, one in zip(here, explanations, strict=True)}
        if n_rows >= last:
            break
    for number in numbers:
        if number not in explained:
            raise InputError(f"no row {number}: {files.paths[0]} has rows 1 to {n_rows}")
    return [explained[number] for number in numbers]


def stream_changes(
    old: Rule,
    new: Rule,
    files: "Files",
    destination: Path | None = None,
    *,
    step: Callable[[int], None] = lambda rows: None,
) -> RowChanges:
    """Count on all rows what changed from one rule to another; rows that differ go to the destination."""
    from nri.rows.batches import Batch

    readers, counts = [PlanReader(rule.plans) for rule in (old, new)], RowComparison(old, new)
    wanted = {*old.plans, *new.plans, new.target} if destination is None else None
    with nullcontext() if destination is None else row_sink(destination, only=False) as sink:
        for batch in _batches(files, wanted):
            source = batch.source([*{**old.plans, **new.plans}, new.target])
            predicted = [
                rule.predict(reader.read(source, batch), len(batch))
                for rule, reader in zip((old, new), readers, strict=True)
            ]
            differs = counts.add(source, predicted[0], predicted[1])
            if sink is not None:
                names = f"old_{new.target}", f"new_{new.target}"
                both = {name: values[differs] for name, values in zip(names, predicted, strict=True)}
                sink.write(Batch(batch.first, batch.rows.filter(differs)), pd.DataFrame(both))
            step(counts.n_rows)
    return counts.result


def stream_slices(
    files: "Files",
    searched: Source,
    n_rows: int,
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
    """Find where a model's predictions differ from the labels: search some rows, count on all others.

    ``searched`` are rows that were drawn from the files, which have ``n_rows`` rows. ``labels`` and
    ``predictions`` are columns, or comparisons of such; the other options are those of
    :func:`nri.error_slices`.
    """
    if len(searched) >= n_rows:
        raise InputError("every row was searched, so that none is left to judge; use --engine memory")
    table = searched.table()
    truth, predicted = (
        read_answers(table, labels, "--labels"),
        read_answers(table, predictions, "--predictions"),
    )
    check_comparable(truth, predicted, tolerance)
    known = truth.labels.known & predicted.labels.known
    wrong = errors_of(truth, predicted, tolerance)
    features, _ = checked(table.without(truth.column, predicted.column), wrong, columns, never)
    search = SliceSearch(
        features.take(known), wrong[known], max_literals, min_rows, negations, by_errors=True
    )
    clauses = [search.clause(candidate) for candidate in search.run(most)]

    def counted(part: Table) -> SliceCounts:
        return _slice_counts(part, labels, predictions, tolerance, clauses)

    counts = SliceCounts(0, 0, np.zeros((len(clauses), 2), dtype=np.int64)) - counted(table)
    used = {literal.column for clause in clauses for literal in clause} | {truth.column, predicted.column}
    reader = PlanReader({name: table.plans[name] for name in table.names if name in used})
    for batch in _batches(files, used):
        read = reader.read(batch.source([*reader.plans]), batch)
        counts += counted(Table(read, reader.plans, np.ones(len(batch)), np.arange(len(batch)) + batch.first))
        step(batch.first + len(batch) - 1)
    return judged_slices(clauses, counts, alpha)


def _slice_counts(
    table: Table, labels: str, predictions: str, tolerance: float | None, clauses: Sequence[Clause]
) -> SliceCounts:
    truth, predicted = (
        read_answers(table, labels, "--labels"),
        read_answers(table, predictions, "--predictions"),
    )
    known = truth.labels.known & predicted.labels.known
    return SliceCounts.of(clauses, table, errors_of(truth, predicted, tolerance), known)


@dataclass
class PlanReader:
    """Reads batches by plans, and sees to it that they are read alike."""

    plans: Mapping[str, ColumnPlan]
    guesses: dict[str, object] = field(default_factory=dict)
    noted: set[str] = field(default_factory=set)

    def read(self, source: Source, batch: "Batch") -> Columns:
        """Return the columns of a batch."""
        columns = {}
        rows = f"rows {batch.first} to {batch.first + len(batch) - 1}"
        for name, plan in self.plans.items():
            if name not in batch.names:
                raise UnknownColumnError(name, batch.names)
            cells = source.cells(name, plainly=plan.is_plain_number)
            if isinstance(cells, TextCells):
                self._agree(name, guess_of(cells, plan), plan)
            try:
                reading = read_by(cells, plan, name)
            except InputError as error:
                raise InputError(f"in {rows}: {error}") from None
            columns[name] = reading.column
            if reading.note and name not in self.noted:
                self.noted.add(name)
                logger.warning("%s", Note(name, f"in {rows}, {reading.note}"))
        return columns

    def _agree(self, name: str, guess: object, plan: ColumnPlan) -> None:
        """Refuse cells that are read by the whole column together, if batches would differ."""
        remedy = "write its cells in one way, or read the whole table with --engine memory"
        if plan.kind is Kind.NUMBER and not plan.stated:
            raise InputError(f"column {name!r}: the rule does not say how its numbers are written; {remedy}")
        if guess is not None and self.guesses.setdefault(name, guess) != guess:
            raise InputError(f"column {name!r} has several units or formats of dates; {remedy}")


class RowSink(Protocol):
    """What rows are written to, batch by batch."""

    def write(self, batch: "Batch", added: pd.DataFrame) -> None:
        """Write rows with columns beside their own."""
        ...


@contextmanager
def row_sink(destination: Path | None, only: bool) -> Iterator[RowSink]:
    """Open what rows are written to; a file is there only when all of it was written."""
    if destination is None:
        yield _TextSink(sys.stdout, sys.stdout, only)
        return
    chosen = format_of(destination)
    if chosen == "xlsx":
        raise InputError(f"{destination}: a workbook is no place for so many rows; end in .csv or .parquet")
    with atomic_file(destination, binary=chosen == "parquet") as file:
        if chosen != "parquet":
            yield _TextSink(file, destination, only)
            return
        sink = _ParquetSink(file, only)
        try:
            yield sink
        finally:
            sink.close()


@dataclass
class _ParquetSink:
    file: IO[bytes]
    only: bool
    writer: Any = None

    def write(self, batch: "Batch", added: pd.DataFrame) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        rows = pa.table({name: pa.array(column.to_numpy()) for name, column in added.items()})
        if not self.only:
            for column in reversed(batch.rows.schema):
                rows = rows.add_column(0, column, batch.rows.column(column.name))
        if self.writer is None:
            self.writer = parquet.ParquetWriter(self.file, rows.schema)
        self.writer.write_table(rows)

    def close(self) -> None:
        if self.writer is not None:
            self.writer.close()


@dataclass
class _TextSink:
    file: IO[str]
    named: Path | IO[str]
    """what says the format by its name"""
    only: bool
    begun: bool = False

    def write(self, batch: "Batch", added: pd.DataFrame) -> None:
        if batch.written is not None and not self.only:
            delimiter = delimiter_for(self.named, batch.written.delimiter) or ","
            lines = lines_beside(batch.written, added, delimiter)
            if lines is None:
                raise InputError(
                    f"the rows from {batch.first} on cannot be separated line by line; "
                    "use --out FILE.parquet, or read the whole table with --engine memory"
                )
            self.file.writelines(lines[self.begun :])
        else:
            frame = added if self.only else _written(batch.rows).join(added)
            write_rows(frame, self.file, format_of(self.named), header=not self.begun)
        self.begun = True


def _written(rows: "pa.Table") -> pd.DataFrame:
    """Return rows whose moments are texts: pandas would write them by what else a batch holds."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from nri.rows.engine import as_frame

    columns = {}
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        if pa.types.is_timestamp(column.type):
            column = pc.replace_substring_regex(column.cast(pa.string()), r"\.0+$", "")
        columns[name] = column
    return as_frame(pa.table(columns))
