"""Predictions: what a rule predicts for the rows of a table, as columns beside them, and how good that is.

Rows of any number go through a rule batch by batch, with the same predictions as in one table. Batches whose
texts would be read differently are refused.
"""

import itertools
import logging
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.errors import InputError, UnknownColumnError
from nri.induce.induce import TablePosterior, induce_rule
from nri.outcome import Score
from nri.rows.batches import Batch, batches
from nri.rows.files import Files
from nri.rule import NumberTarget, Rule, SurvivalTarget
from nri.rule.column import Column, ColumnPlan, Columns
from nri.rule.labels import label_array
from nri.rule.literal import Kind
from nri.rule.phrase import phrase_label
from nri.table.by_plan import comparison_of, read_by
from nri.table.cells import ReadColumn, fold, missing_cells, objects_of
from nri.table.codes import stated_by
from nri.table.frames import columns_of
from nri.table.source import Source, understand
from nri.table.table import Note, Table
from nri.table.target import labels_as_text, with_target
from nri.table.write import atomic_file, delimiter_for, format_of, lines_beside, write_rows

if TYPE_CHECKING:
    import pyarrow as pa

_LOGGER = logging.getLogger(__name__)


def predictions(rule: Rule, source: Source) -> dict[str, NDArray[Any]]:
    """Return for each row what is predicted: a class with its probability, a number, or a risk.

    Totals and footnotes below the table of a workbook get nothing.
    """
    predicted = _columns(rule, rule.read(source), len(source), added_names(rule, source.names))
    n_foot = _foot_rows(source)
    if not n_foot:
        return predicted
    return {name: objects_of([*cells[:-n_foot], *[None] * n_foot]) for name, cells in predicted.items()}


_TOTAL = re.compile(
    r"\W*(grand |sub)?-?(total|sum|mean|average|note|source|gesamt|summe)s?\b.*", re.IGNORECASE
)
"""The first text of a row below a table that is none of its rows."""


def _foot_rows(source: Source) -> int:
    """Return how many rows at the end of a workbook's table are totals and footnotes."""
    if source.workbook is None or len(source.names) < 3:
        return 0
    for n_foot, row in enumerate(zip(*map(reversed, map(list, source.rows.values())), strict=True)):
        cells = [cell for cell in row if cell is not None and str(cell).strip()]
        if len(cells) > 1 and not _TOTAL.fullmatch(str(cells[0])):
            return n_foot
    return 0


def _columns(rule: Rule, columns: Columns, n_rows: int, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Return the predictions of typed rows in columns of these names."""
    decided = rule.decide(columns, n_rows)
    values = [label_array(tuple(one))[decided] for one in rule.predicts.predictions(rule.estimates).values()]
    return dict(zip(names, values, strict=True))


def posterior_columns(rule: Rule, source: Source, learned_from: Source) -> dict[str, FloatArray]:
    """Return what the default model believes of each class, learned from the table of the rule."""
    target = rule.labels  # a number and survival have no classes to believe in
    plans = dict(rule.plans) if target.plan is None else {**rule.plans, target.name: target.plan}
    column, _ = comparison_of(target.name, learned_from.names)
    learned = with_target(learned_from.table(stated_by(plans, [column])), target.name)
    induction = induce_rule(learned)
    if not isinstance(induction.posterior, TablePosterior) or learned.classes != rule.classes:
        raise InputError("--posterior needs the table that the rule was induced from, with all its classes")
    names = [_free(f"posterior_{label}", source.names) for label in rule.classes]
    return dict(zip(names, induction.posterior.chances(source).round(4).T, strict=True))


def added_names(rule: Rule, taken: Sequence[str]) -> list[str]:
    """Return names for the columns of predictions that no column of the table has."""
    return [_free(name, taken) for name in rule.predicts.predictions(rule.estimates)]


def _free(name: str, taken: Sequence[str]) -> str:
    if name not in taken:
        return name
    free = next(f"{name}_{i}" for i in itertools.count(2) if f"{name}_{i}" not in taken)
    _LOGGER.warning("the table has a column %r already; the new one is called %r", name, free)
    return free


def folded_labels(column: Column, plan: ColumnPlan) -> tuple[list[str], IntArray]:
    """Return the different cells of a column as folded texts, and [M] which of them each row has, or -1."""
    if column.categories is not None:
        return list(map(fold, column.categories)), column.values
    values, inverse = np.unique(column.values[column.known], return_inverse=True)
    codes = np.full(len(column), -1, dtype=np.int64)
    codes[column.known] = inverse
    return list(map(fold, labels_as_text(Column(values, np.ones(len(values), dtype=bool)), plan))), codes


@dataclass
class Truth:
    """Counts how good predictions are, rows after rows, where the table holds what is true.

    Concordance of risks compares rows with each other: it cannot be counted so, and there is no score.
    """

    rule: Rule
    known: int = 0  # rows whose truth and whose prediction are known
    sums: Any = 0
    """of classes [2, n_classes]: their rows, and those that are predicted rightly; of a number [4]: absolute
    and squared errors, distances from the origin and their squares"""
    origin: float = 0.0  # the first number: sums of squares near to it lose no digits
    strange: bool = False  # whether the target holds something that is no class of the rule

    def add(self, rows: Source | Table, predicted: NDArray[Any]) -> None:
        """Take further rows into account."""
        target, name = self.rule.predicts, self.rule.target
        if isinstance(target, SurvivalTarget) or name not in rows.names:
            return
        if isinstance(rows, Table):
            read = ReadColumn(rows.columns[name], rows.plans[name])
        elif isinstance(target, NumberTarget):
            read = read_by(rows.cells(name), target.plan, name)
        else:
            plans = {} if target.plan is None else {name: target.plan}
            read = understand(rows.cells(name), name, stated_by(plans, [name]))
        known = read.column.known & ~missing_cells(predicted)
        if isinstance(target, NumberTarget):
            self._add_numbers(read.column.values[known].astype(float), predicted[known].astype(float))
        else:
            self._add_classes(read, known, predicted[known].astype(str))

    def _add_classes(self, read: ReadColumn, known: BoolArray, predicted: NDArray[Any]) -> None:
        classes = [str(label) for label in self.rule.classes]
        places = {fold(label): place for place, label in enumerate(classes)}
        texts, codes = folded_labels(read.column, read.plan)
        truth = np.array([*(places.get(text, -1) for text in texts), -1], dtype=np.int64)[codes]
        self.strange |= bool((truth[read.column.known] < 0).any())
        if not self.strange:
            truth = truth[known]
            right = truth[np.array(classes)[truth] == predicted]
            self.sums += np.stack([np.bincount(one, minlength=len(classes)) for one in (truth, right)])
            self.known += len(truth)

    def _add_numbers(self, values: FloatArray, predicted: FloatArray) -> None:
        if not self.known:
            self.origin = float(values[0]) if len(values) else 0.0
        off, apart = np.abs(values - predicted), values - self.origin
        self.sums += np.array([off.sum(), off @ off, apart.sum(), apart @ apart])
        self.known += len(values)

    @property
    def score(self) -> Score | None:
        """Accuracy or R²; None if the table does not hold the truth."""
        if self.strange or not self.known:
            return None
        target, means = self.rule.predicts, self.sums / self.known
        if isinstance(target, NumberTarget):
            off, missed, apart, squares = means.tolist()
            spread = squares - apart**2
            explained = 1.0 - missed / spread if spread > 0 else 0.0
            constant = target.amount(self.origin + apart)
            return Score("R²", explained, 0.0, 0.0, constant, {"mean_absolute_error": off})
        of_class, right = means
        share, most = float(right.sum()), int(of_class.argmax())
        error = math.sqrt(share * (1 - share) / self.known)
        return Score("accuracy", share, error, float(of_class[most]), phrase_label(self.rule.classes[most]))

    @property
    def text(self) -> str | None:
        """The score and the number of rows in one line; None if the table does not hold the truth."""
        score, target = self.score, self.rule.predicts
        if score is None:
            return None
        if isinstance(target, NumberTarget):
            off = target.amount(score.details["mean_absolute_error"])
            return f"R² {score.value:.2f}, off by {off} on average, on the {self.known} rows"
        return f"accuracy {score} on the {self.known} rows"


def stream_predictions(
    rule: Rule,
    files: Files,
    out: Path | IO[str],
    *,
    only: bool = False,
    step: Callable[[int], None] = lambda rows: None,
) -> str | None:
    """Write rows with a rule's predictions; return how good they are if the rows have the target.

    They go to a CSV, TSV or Parquet file, which appears when it is complete, or as CSV to a stream.
    ``only`` leaves the columns of the table out. ``step`` gets the number of rows done.
    """
    reader, truth = PlanReader(rule.plans), Truth(rule)
    names: list[str] | None = None
    with row_sink(out, only) as write:
        for batch in batches(files):
            names = names or added_names(rule, batch.names)
            predicted = _columns(rule, reader.read(batch), len(batch), names)
            write(batch, predicted)
            truth.add(batch.source([rule.target]), next(iter(predicted.values())))
            step(batch.last)
    return truth.text


def stream_parts(rule: Rule, files: Files) -> Iterator[tuple[int, int, Columns]]:
    """Yield for each batch of rows the number of the first, how many they are, and the columns of a rule."""
    reader = PlanReader(rule.plans)
    for batch in batches(files, rule.plans):
        yield batch.first, len(batch), reader.read(batch)


@dataclass
class PlanReader:
    """Reads batches by plans, all batches alike."""

    plans: Mapping[str, ColumnPlan]
    guesses: dict[str, object] = field(default_factory=dict)
    noted: set[str] = field(default_factory=set)

    def read(self, batch: Batch) -> Columns:
        """Return the columns of a batch."""
        columns, source = {}, batch.source(self.plans)
        rows = f"rows {batch.first} to {batch.last}"
        for name, plan in self.plans.items():
            if name not in batch.names:
                raise UnknownColumnError(name, batch.names)
            cells = source.cells(name, plainly=plan.is_plain_number)
            try:
                reading = read_by(cells, plan, name)
            except InputError as error:
                raise InputError(f"in {rows}: {error}") from None
            self._check(name, plan, reading.plan)
            columns[name] = reading.column
            if reading.note and name not in self.noted:
                self.noted.add(name)
                _LOGGER.warning("%s", Note(name, f"in {rows}, {reading.note}"))
        return columns

    def _check(self, name: str, plan: ColumnPlan, read: ColumnPlan) -> None:
        """Refuse cells that decide together how they are read, if batches decide differently."""
        if read == plan:
            return
        remedy = "write its cells in one way, or read the whole table with --engine memory"
        if plan.kind is Kind.NUMBER and not plan.stated:
            raise InputError(f"column {name!r}: the rule does not say how its numbers are written; {remedy}")
        guess = (read.unit, read.day_first)
        if self.guesses.setdefault(name, guess) != guess:
            raise InputError(f"column {name!r} has several units or formats of dates; {remedy}")


RowSink = Callable[[Batch, Mapping[str, NDArray[Any]]], None]
"""What writes some rows, and the columns that are added to them, behind those before."""


@contextmanager
def row_sink(destination: Path | IO[str], only: bool) -> Iterator[RowSink]:
    """Open what rows are written to, as CSV, TSV or Parquet; a file is there only when all was written.

    ``only`` leaves the columns of the rows themselves out.
    """
    chosen, begun = format_of(destination), False
    file: Any = destination
    writer: Any = None
    if chosen == "xlsx":
        raise InputError(f"{destination}: a workbook is no place for so many rows; end in .csv or .parquet")

    def write_parquet(batch: Batch, added: Mapping[str, NDArray[Any]]) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        nonlocal writer
        rows = batch.rows.select([]) if only else batch.rows
        for name, column in added.items():
            rows = rows.append_column(name, pa.array(column))
        writer = writer or opened.enter_context(parquet.ParquetWriter(file, rows.schema))
        writer.write_table(rows)

    def write_text(batch: Batch, added: Mapping[str, NDArray[Any]]) -> None:
        nonlocal begun
        if batch.written is None or only:
            columns = added if only else {**_written(batch.rows), **added}
            write_rows(columns, file, chosen, header=not begun)
        else:
            delimiter = delimiter_for(destination, batch.written.delimiter) or ","
            lines = lines_beside(batch.written, added, delimiter)
            if lines is None:
                cause = f"the rows from {batch.first} on cannot be separated line by line"
                raise InputError(f"{cause}; use --out FILE.parquet, or --engine memory")
            file.writelines(lines[begun:])
        begun = True

    with ExitStack() as opened:
        if isinstance(destination, Path):
            file = opened.enter_context(atomic_file(destination, binary=chosen == "parquet"))
        yield write_parquet if chosen == "parquet" else write_text


def _written(rows: "pa.Table") -> dict[str, Any]:
    """Return rows whose moments are texts: else they were written by what else a batch holds."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, (name, column) in enumerate(zip(rows.column_names, rows.columns, strict=True)):
        if pa.types.is_timestamp(column.type):
            text = pc.replace_substring_regex(column.cast(pa.string()), r"\.0+$", "")
            rows = rows.set_column(place, name, text)
    return columns_of(rows)
