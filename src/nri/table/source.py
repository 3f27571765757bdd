"""Source: a table as it came, from a file or from a caller, whose cells nobody has looked at yet.

Each column is looked at once, when somebody asks for it: to find out what it means (:meth:`Source.table`), or
to read it by the plan of a rule (:meth:`Source.columns`). A column that nobody asks for is not looked at.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nri.errors import UnknownColumnError
from nri.rule.column import Column, Columns
from nri.rule.literal import Kind
from nri.rule.plan import ColumnPlan
from nri.table.cells import Cells, TypedCells, cells_of, plain_numbers_of, text_cells
from nri.table.kinds import boolean
from nri.table.reading import ReadColumn, read_by, understand
from nri.table.table import Note, Table, logger, make_table

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class DelimitedText:
    """A text that holds a table, and what stands between its cells."""

    text: str
    delimiter: str


@dataclass(frozen=True, eq=False)
class Workbook:
    """Where in which workbook a table was."""

    content: bytes
    sheets: tuple[str, ...]
    """sheets that hold something"""
    sheet: str
    header: int
    """row of the names, the last one if the header has several, counted from 0"""
    rows: tuple[int, ...]
    """row of the sheet for each row of the table, counted from 0"""
    right: int
    """last column of the table, counted from 0"""
    texts: frozenset[str]
    """columns whose cells are texts, so that marks such as NA among them mean nothing"""

    @property
    def can_be_kept(self) -> bool:
        """Whether predictions can be put into the same workbook: only into the newer format."""
        return b"xl/workbook.xml" in self.content


@dataclass(frozen=True, eq=False)
class Source:
    """Columns with distinct text names."""

    rows: "pd.DataFrame | pa.Table"
    """the cells as they came; from text files all are texts"""
    written: DelimitedText | None = None
    """the text file that it was; then every cell is text"""
    workbook: Workbook | None = None
    """the workbook that it was in"""
    plain: Mapping[str, TypedCells] = field(default_factory=dict)
    """columns of plain numbers that were read already; in the rows they are empty"""

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The cells as they came; of a wide text file it takes much longer to make than to read."""
        return self.rows if isinstance(self.rows, pd.DataFrame) else self.rows.to_pandas()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        rows = self.rows
        return tuple(rows.columns if isinstance(rows, pd.DataFrame) else rows.column_names)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def cells(self, name: str, *, plainly: bool = False) -> Cells:
        """Return the cells of a column; ``plainly``, plain numbers of a text file as numbers."""
        if name in self.plain:
            return self.plain[name]
        if not isinstance(self.rows, pd.DataFrame):
            texts = self.rows.column(self._places[name]).combine_chunks()
            return (plain_numbers_of(texts) if plainly else None) or text_cells(texts)
        series: pd.Series[Any] = self.rows[name]
        if self.written is not None or (self.workbook is not None and name in self.workbook.texts):
            return text_cells(series.to_numpy(dtype=object))
        return cells_of(series)

    def table(self, *, kinds: Mapping[str, Kind] | None = None, exact: bool = False) -> Table:
        """Decide what each column means, and read it.

        Parameters
        ----------
        kinds
            What some columns are, where somebody knows.
        exact
            Whether texts that differ only in case and blanks are kept apart.
        """
        kinds = kinds or {}
        for name in kinds:
            if name not in self._places:
                raise UnknownColumnError(name, self.names)
        cells: dict[str, Cells] = {}
        if self.written is None:  # texts are no matrix
            cells = {name: self.cells(name) for name in self.names}
            if not kinds and all(_is_of_matrix(one) for one in cells.values()):
                typed = {name: one.column for name, one in cells.items() if isinstance(one, TypedCells)}
                return _matrix(typed)
        comma = self.written is not None and self.written.delimiter == ";"
        found: dict[str, ReadColumn] = {}
        for name in self.names:
            kind = kinds.get(name)
            # what is read need not be kept as it came
            one = cells.pop(name) if cells else self.cells(name, plainly=kind is None)
            found[name] = understand(one, kind=kind, exact=exact, decimal_comma=comma)
        return make_table(
            {name: one.column for name, one in found.items()},
            {name: one.plan for name, one in found.items()},
            len(self),
            [Note(name, one.note) for name, one in found.items() if one.note],
        )

    def columns(self, plans: Mapping[str, ColumnPlan]) -> Columns:
        """Read some columns by the plans that were made for them; others are not looked at."""
        columns = {}
        for name, plan in plans.items():
            if name not in self._places:
                raise UnknownColumnError(name, self.names)
            found = read_by(self.cells(name, plainly=plan.is_plain_number), plan, name)
            columns[name] = found.column
            if found.note:
                logger.warning("%s", Note(name, found.note))
        return columns


def _is_of_matrix(cells: Cells) -> bool:
    """Whether a column could be one of a matrix of 0, 1 and NaN."""
    if not isinstance(cells, TypedCells) or not cells.floating or cells.note:
        return False
    return boolean.are_zero_one(cells.column.values[cells.column.known])


def _matrix(columns: Mapping[str, Column]) -> Table:
    n_rows = len(next(iter(columns.values()))) if columns else 0
    return make_table(
        {name: Column(np.asarray(column.values == 1), column.known) for name, column in columns.items()},
        dict.fromkeys(columns, boolean.DIGITS),
        n_rows,
        is_matrix=True,
    )
