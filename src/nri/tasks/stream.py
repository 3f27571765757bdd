"""Streamed predictions: rows of any number go through a rule batch by batch, and out with what it says.

What a rule says of a row depends on the row alone, so that batches get what the whole table would. Where
reading a text would be decided by all cells of its column together, batches that differ in that are refused.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from nri.engine.batches import Batch, as_frame, batches
from nri.engine.files import Files
from nri.errors import InputError, UnknownColumnError
from nri.induce.estimates import Accuracy
from nri.rule import RuleSet, Segments, SurvivalRule
from nri.rule.column import Columns
from nri.rule.literal import Kind
from nri.rule.plan import ColumnPlan
from nri.table.atomic import atomic_file
from nri.table.cells import TextCells
from nri.table.reading import guess_of, read_by
from nri.table.source import Source
from nri.table.table import Note, logger
from nri.table.write import delimiter_for, format_of, lines_beside, write_rows
from nri.tasks.predictions import added_names, said_of, true_index

if TYPE_CHECKING:
    import pyarrow as pa

AnyRule = RuleSet | Segments | SurvivalRule


def stream_predictions(
    rule: AnyRule,
    files: Files,
    destination: Path | None,
    *,
    only: bool = False,
    step: Callable[[int], None] = lambda rows: None,
) -> str | None:
    """Write rows with what a rule says of them; return how good that is, where the truth is there.

    Parameters
    ----------
    rule
        What speaks.
    files
        The rows.
    destination
        A CSV, TSV or Parquet file, which is there when all was written; None is standard output, as CSV.
    only
        Whether the columns of the table are left out.
    step
        Told how many rows are done.
    """
    reader, judge = PlanReader(rule.plans), Judge(rule)
    names: list[str] | None = None
    with row_sink(destination, only) as sink:
        for batch in batches(files):
            names = names or added_names(rule, batch.names)
            source = batch.source([*rule.plans, rule.target])
            columns = reader.read(source, batch)
            said = said_of(rule, columns, len(batch), names)
            sink.write(batch, said)
            judge.add(source, said.iloc[:, 0].to_numpy())
            step(batch.first + len(batch) - 1)
    return judge.text


@dataclass
class PlanReader:
    """Reads batches by plans, and sees to it that they are read alike."""

    plans: Mapping[str, ColumnPlan]
    guesses: dict[str, object] = field(default_factory=dict)
    noted: set[str] = field(default_factory=set)

    def read(self, source: Source, batch: Batch) -> Columns:
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
                found = read_by(cells, plan, name)
            except InputError as error:
                raise InputError(f"in {rows}: {error}") from None
            columns[name] = found.column
            if found.note and name not in self.noted:
                self.noted.add(name)
                logger.warning("%s", Note(name, f"in {rows}, {found.note}"))
        return columns

    def _agree(self, name: str, guess: object, plan: ColumnPlan) -> None:
        """Refuse cells that a whole table would decide about together, if batches would differ."""
        remedy = "write its cells in one way, or read the whole table with --engine memory"
        if plan.kind is Kind.NUMBER and not plan.stated:
            raise InputError(f"column {name!r}: the rule does not say how its numbers are written; {remedy}")
        if guess is not None and self.guesses.setdefault(name, guess) != guess:
            raise InputError(f"column {name!r} has several units or formats of dates; {remedy}")


@dataclass
class Judge:
    """Counts how good predictions are, where the table holds the truth."""

    rule: AnyRule
    known: int = 0
    right: int = 0
    strange: bool = False
    """whether the target holds something that is no class of the rule"""
    off: float = 0.0
    missed: float = 0.0
    """sum of squared errors"""
    mean: float = 0.0
    spread: float = 0.0
    """sum of squared distances from the mean"""

    def add(self, source: Source, said: Any) -> None:
        """Take further rows into account."""
        if isinstance(self.rule, SurvivalRule) or self.rule.target not in source.names:
            return
        if isinstance(self.rule, Segments):
            self._add_numbers(self.rule, source, said)
            return
        truth = true_index(self.rule, source)
        self.strange = self.strange or truth is None
        if truth is not None:
            labels = np.array([*map(str, self.rule.classes), ""], dtype=object)
            known = truth >= 0
            self.known += int(known.sum())
            self.right += int((labels[truth[known]] == said[known].astype(str)).sum())

    def _add_numbers(self, rule: Segments, source: Source, said: Any) -> None:
        column = read_by(source.cells(rule.target), rule.target_plan, rule.target).column
        values, said = column.values[column.known].astype(np.float64), said[column.known]
        if not len(values):
            return
        apart = float(values.mean()) - self.mean
        total = self.known + len(values)
        self.spread += float(((values - values.mean()) ** 2).sum())
        self.spread += apart**2 * self.known * len(values) / total
        self.mean += apart * len(values) / total
        self.known = total
        self.off += float(np.abs(values - said).sum())
        self.missed += float(((values - said) ** 2).sum())

    @property
    def accuracy(self) -> Accuracy | None:
        """Share of right classes; None if the table does not hold the truth."""
        if self.strange or not self.known:
            return None
        share = self.right / self.known
        return Accuracy(share, float(np.sqrt(share * (1 - share) / self.known)))

    @property
    def text(self) -> str | None:
        """What is told; None if the table does not hold the truth."""
        if self.accuracy is None:
            return None
        if isinstance(self.rule, Segments):
            explained = 1.0 - self.missed / self.spread if self.spread > 0 else 0.0
            off = self.rule.amount(self.off / self.known)
            return f"R² {explained:.2f}, off by {off} on average, on the {self.known} rows"
        return f"accuracy {self.accuracy} on the {self.known} rows"


class RowSink(Protocol):
    """What rows are written to, batch by batch."""

    def write(self, batch: Batch, added: pd.DataFrame) -> None:
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

    def write(self, batch: Batch, added: pd.DataFrame) -> None:
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

    def write(self, batch: Batch, added: pd.DataFrame) -> None:
        if batch.written is not None and not self.only:
            delimiter = delimiter_for(self.named, batch.written.delimiter) or ","
            lines = lines_beside(batch.written, added, delimiter)
            if lines is None:
                raise InputError(
                    f"the rows from {batch.first} on cannot be told apart line by line; "
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

    columns = {}
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        if pa.types.is_timestamp(column.type):
            column = pc.replace_substring_regex(column.cast(pa.string()), r"\.0+$", "")
        columns[name] = column
    return as_frame(pa.table(columns))
