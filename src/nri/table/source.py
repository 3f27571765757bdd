"""Source: a table as it came, from a file or from a caller, and the ways to read it.

A column is read once, when it is needed: its meaning is inferred (:meth:`Source.table`), or given by the plan
of a rule (:meth:`Source.columns`). Other columns are not read. What a caller holds becomes a DataFrame first
(:func:`as_frame`).
"""

import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from nri.errors import InputError, UnknownColumnError
from nri.rule.column import Column, ColumnPlan, Columns
from nri.rule.literal import Kind
from nri.table.cells import Cells, TypedCells, cells_of, plain_numbers_of, text_cells, writable
from nri.table.kinds import ZERO_ONE
from nri.table.kinds.number import are_zero_one
from nri.table.reading import ReadColumn, read_by, recast, understand
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
    unreadable: Mapping[str, str] = field(default_factory=dict)
    """columns whose cells are no plain values, and what they are instead"""

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
        if name in self.unreadable:
            unknown = np.zeros(len(self), dtype=bool)
            return TypedCells(Column(np.full(len(self), -1), unknown, ()), note=self.unreadable[name])
        if not isinstance(self.rows, pd.DataFrame):
            texts = self.rows.column(self._places[name]).combine_chunks()
            return (plain_numbers_of(texts) if plainly else None) or text_cells(texts)
        series: pd.Series[Any] = self.rows[name]
        if self.written is not None or (self.workbook is not None and name in self.workbook.texts):
            return text_cells(series.to_numpy(dtype=object))
        return cells_of(series)

    def table(self, *, kinds: Mapping[str, Kind] | None = None, exact: bool = False) -> Table:
        """Decide what each column means, and read it; see :func:`nri.table.files.read_table`."""
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
        read: dict[str, ReadColumn] = {}
        for name in self.names:
            kind = kinds.get(name)
            # what is read need not be kept as it came
            one = cells.pop(name) if cells else self.cells(name, plainly=kind is None)
            read[name] = understand(one, kind=kind, exact=exact, decimal_comma=comma)
        return make_table(
            {name: one.column for name, one in read.items()},
            {name: one.plan for name, one in read.items()},
            len(self),
            [Note(name, one.note) for name, one in read.items() if one.note],
        )

    def columns(self, plans: Mapping[str, ColumnPlan]) -> Columns:
        """Read some columns by the plans that were made for them; others are not looked at."""
        columns = {}
        for name, plan in plans.items():
            if name not in self._places:
                raise UnknownColumnError(name, self.names)
            read = read_by(self.cells(name, plainly=plan.is_plain_number), plan, name)
            columns[name] = read.column
            if read.note:
                logger.warning("%s", Note(name, read.note))
        return columns


def _is_of_matrix(cells: Cells) -> bool:
    """Whether a column could be one of a matrix of 0, 1 and NaN."""
    if not isinstance(cells, TypedCells) or not cells.floating or cells.note:
        return False
    return are_zero_one(cells.column.values[cells.column.known])


def _matrix(columns: Mapping[str, Column]) -> Table:
    n_rows = len(next(iter(columns.values()))) if columns else 0
    return make_table(
        {name: Column(np.asarray(column.values == 1), column.known) for name, column in columns.items()},
        dict.fromkeys(columns, ZERO_ONE),
        n_rows,
        is_matrix=True,
    )


def table_of(X: Any, *, kinds: Mapping[str, Kind] | None = None, exact: bool = False) -> Table:
    """Return anything that :func:`as_frame` takes as a table, its columns read and no target chosen.

    For ``kinds`` and ``exact`` see :func:`nri.table.files.read_table`.

    >>> table_of({"age": [30, None]}).columns["age"].known.tolist()
    [True, False]
    """
    return X if isinstance(X, Table) else Source(as_frame(X)).table(kinds=kinds, exact=exact)


def read_columns(rows: Any, plans: Mapping[str, ColumnPlan]) -> Columns:
    """Return the columns that plans are for, read by them; other columns are not read.

    The rows are a table, a source, or whatever :func:`as_frame` takes.
    """
    if isinstance(rows, Table):
        rows.require(plans)
        return {name: recast(rows.columns[name], plan, name) for name, plan in plans.items()}
    source = rows if isinstance(rows, Source) else Source(as_frame(rows))
    return source.columns(plans)


def as_frame(X: Any) -> pd.DataFrame:
    """Return a table as a DataFrame whose column names are distinct strings; its cells stay as they are.

    It may be a DataFrame, polars frame, pyarrow table, array, list of rows or of records, or a dict of
    columns, and is never changed. Columns without names are called ``x0``, ``x1``, ...

    >>> as_frame([[1, "red"], [2, "blue"]]).columns.tolist()
    ['x0', 'x1']
    """
    frame = _to_pandas(X)
    if frame.shape[1] == 0:
        raise InputError(
            f"the table has 0 feature(s) (shape=({len(frame)}, 0)) while a minimum of 1 is required; "
            "give at least one column"
        )
    frame = frame.set_axis(_text_names(frame.columns), axis="columns")
    check_distinct(frame.columns.tolist())
    return frame


def check_distinct(names: list[str]) -> None:
    """Raise an InputError when two columns have the same name."""
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        shown = ", ".join(repr(name) for name in repeated[:3]) + (", ..." if len(repeated) > 3 else "")
        raise InputError(f"duplicate column names: {shown}; give each column its own name")


def _to_pandas(X: Any) -> pd.DataFrame:
    """Turn whatever container it is into a DataFrame, with names ``x0``, ``x1``, ... if it had none."""
    if isinstance(X, pd.DataFrame):
        return X
    if isinstance(X, pd.Series):
        return X.to_frame()
    foreign = _from_other_library(X)
    if foreign is not None:
        return foreign
    if isinstance(X, Mapping):
        return _built(dict(X))
    if isinstance(X, list | tuple) and X and all(isinstance(row, Mapping) for row in X):
        return _built(list(X))
    return _from_array(X)


def _from_other_library(X: Any) -> pd.DataFrame | None:
    """Convert a polars, pyarrow or scipy object; None if it is none of these.

    A library the caller has not imported cannot have made ``X``, so none is imported here.
    """
    polars = sys.modules.get("polars")
    if polars is not None:
        if isinstance(X, polars.LazyFrame):
            X = X.collect()
        if isinstance(X, polars.Series):
            X = X.to_frame()
        if isinstance(X, polars.DataFrame):
            return _from_polars(X)
    arrow = sys.modules.get("pyarrow")
    if arrow is not None and isinstance(X, arrow.Table):
        frame: pd.DataFrame = X.to_pandas()
        return frame
    sparse = sys.modules.get("scipy.sparse")
    if sparse is not None and sparse.issparse(X):
        raise InputError("Sparse data was passed, but dense data is required; use X.toarray() to convert it")
    return None


def _from_polars(X: Any) -> pd.DataFrame:
    """Convert column by column: polars' own ``to_pandas`` would turn integers with gaps into floats."""
    columns = [
        pd.Series(_known_to_arrow(column).to_arrow().to_pandas(integer_object_nulls=True)) for column in X
    ]
    frame = pd.concat(columns, axis="columns") if columns else pd.DataFrame(index=range(X.height))
    return frame.set_axis(X.columns, axis="columns")


def _known_to_arrow(column: Any) -> Any:
    """Return a polars column that Arrow can hold: no whole numbers of 128 bits, no name with a zero byte."""
    column = column.alias("column")
    if str(column.dtype) in ("Int128", "UInt128"):
        small = column.cast(sys.modules["polars"].Int64, strict=False)
        fits = small.null_count() == column.null_count()
        return small if fits else column.cast(sys.modules["polars"].Float64)
    return column


def _from_array(X: Any) -> pd.DataFrame:
    """Convert an array or a list of rows; text and numbers side by side keep their own types."""
    try:
        array = X if isinstance(X, np.ndarray) else np.asarray(X)
        if not isinstance(X, np.ndarray) and array.dtype.kind in "USO":
            array = np.asarray(X, dtype=object)  # numpy would turn [1, "red"] into two strings
    except ValueError as error:
        raise InputError(f"the rows differ in length or are no rows at all ({error}); give a table") from None
    if array.ndim != 2:
        raise InputError(
            f"Expected 2D array, got {array.ndim}D array instead: the table has no rows and columns. "
            "Reshape your data with array.reshape(-1, 1) for one column or array.reshape(1, -1) for one row"
        )
    if array.dtype.kind == "c":
        raise InputError("Complex data not supported: give real numbers")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))  # pandas counts only in the machine's own order
    try:
        frame = pd.DataFrame(array, columns=pd.Index([f"x{i}" for i in range(array.shape[1])]))
        return frame.infer_objects() if array.dtype == object else frame
    except UnicodeEncodeError as error:
        writable(str(error.object))
        raise


def _built(data: Any) -> pd.DataFrame:
    """Build a DataFrame from a dict of columns or a list of records."""
    try:
        return pd.DataFrame(data)
    except UnicodeEncodeError as error:
        writable(str(error.object))
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(f"the columns do not make a table ({error}); give columns of one length") from None


def _text_names(names: "pd.Index[Any]") -> list[str]:
    """Return each name as text; the levels of a MultiIndex are joined by a slash."""
    return [
        writable("/".join(str(part) for part in name) if isinstance(name, tuple) else str(name))
        for name in names
    ]
