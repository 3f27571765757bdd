"""Source: a table as it came, from a file or from a caller.

:func:`understand` alone decides what a column means; after that its cells are read by the plan that was made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any

import numpy as np

from nri.errors import InputError, UnknownColumnError, nearest
from nri.rule import Column, ColumnPlan, Columns, Kind, empty_column
from nri.table import date, number
from nri.table.by_plan import read_by, recast
from nri.table.cells import (
    TRUE_FALSE,
    TYPED_BOOLEAN,
    ZERO_ONE,
    Cells,
    ParsedTexts,
    ReadColumn,
    TextCells,
    TypedCells,
    as_code,
    number_as_text,
    recognise_categories,
    recognise_plain,
    spread,
    text_cells,
)
from nri.table.codes import DEFAULT, ReadOptions, missing_codes
from nri.table.delimited import TextColumn, read_delimited, sniff_delimiter
from nri.table.excel import WORKBOOKS, SheetChoice, Workbook, is_workbook, read_workbook
from nri.table.files import REMEDY, Budget, decode, machine_budget, read_content
from nri.table.formats import GZIP, PARQUET, read_arff, unpacked
from nri.table.split import header_for, plain_numbers_of, read_wide
from nri.table.table import Note, Table, logger

_BY_SUFFIX = {".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".parquet": "parquet", ".pq": "parquet"}
_BY_SUFFIX |= {".arff": "arff", **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"), "excel")}
_ARFF = re.compile(r"(?:\s|%[^\r\n]*[\r\n])*@(?:relation|attribute)", re.IGNORECASE)
"""The first line that is no comment declares a relation or an attribute."""
_ROUNDED = "whole numbers beyond 2^53 are rounded; give codes and identifiers as text"
WIDE = 5000  # columns from which on a text is wide


@dataclass(frozen=True, slots=True)
class DelimitedText:
    """A text that holds a table, and what stands between its cells."""

    text: str
    delimiter: str


@dataclass(frozen=True, eq=False)
class Source:
    """Columns with distinct text names."""

    rows: Mapping[str, TextColumn]
    """the cells as they came, by column: arrays, or series of narwhals; from text files all are texts, or
    numbers that were read already"""
    written: DelimitedText | None = None  # the text file that it was; then every cell is text
    workbook: Workbook | None = None  # the workbook that it was in
    unreadable: Mapping[str, str] = field(default_factory=dict)
    """columns whose cells are no plain values, and what they are instead"""

    def __len__(self) -> int:
        return len(next(iter(self.rows.values()), ()))

    def renamed(self, names: Sequence[str]) -> Source:
        """Return the columns under other names."""
        return replace(self, rows=dict(zip(names, self.rows.values(), strict=True)))

    def beside(self, more: Mapping[str, Any]) -> Source:
        """Return the columns with more at their end, in the place of those of the same name."""
        from nri.table.frames import columns_of

        return replace(self, rows={**self.rows, **columns_of(more)}) if more else self

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(map(str, self.rows))

    def cells(self, name: str, *, plainly: bool = False) -> Cells:
        """Return the cells of a column; ``plainly``, plain numbers of a text file as numbers."""
        if name not in self.rows:  # of a text file names are read without blanks around them, of a frame with
            alike = [one for one in self.rows if one.strip() == name.strip()]
            if len(alike) != 1:
                raise UnknownColumnError(name, self.names)
            name = alike[0]
        column: Any = self.rows[name]
        if isinstance(column, TypedCells):
            return column
        if name in self.unreadable:
            return TypedCells(empty_column(Kind.TEXT, len(self)), note=self.unreadable[name])
        if hasattr(column, "dictionary_encode"):  # from pyarrow
            texts = column.combine_chunks() if hasattr(column, "combine_chunks") else column
            return (plain_numbers_of(texts) if plainly else None) or text_cells(texts)
        if self.written is not None or (self.workbook is not None and isinstance(column[0], str)):
            return text_cells(np.asarray(column, dtype=object))
        from nri.table.frames import cells_of

        return cells_of(column, name)

    def listed(self, name: str) -> list[Any]:
        """Return the cells of a column as Python has them, None where one is missing."""
        from nri.table.frames import plain_cells

        return plain_cells(self.rows[name])

    def table(self, options: ReadOptions = DEFAULT) -> Table:
        """Decide what each column means, and read it; see :func:`read_table`."""
        options.check(self.names)
        cells = {} if self.written is not None else {name: self.cells(name) for name in self.names}
        is_matrix = self.written is None and not options.kinds and all(map(_is_of_matrix, cells.values()))
        comma = self.written is not None and self.written.delimiter == ";"
        read: dict[str, ReadColumn] = {}
        for name in self.names:
            # popped, so that the cells of a column are freed once it is read
            one = cells.pop(name) if cells else self.cells(name, plainly=name not in options.kinds)
            if name in options.labels:
                _check_codes(one, name, options.labels[name])
            if is_matrix:
                assert isinstance(one, TypedCells), "a matrix holds floats"
                read[name] = ReadColumn(_as_boolean(one.column), ZERO_ONE)
            else:
                read[name] = understand(one, name, options, decimal_comma=comma)
        notes = tuple(Note(name, one.note) for name, one in read.items() if one.note)
        for note in notes:
            logger.warning("%s", note)
        columns = {name: one.column for name, one in read.items()}
        plans = {name: one.plan for name, one in read.items()}
        numbers = np.arange(1, len(self) + 1)
        return Table(columns, plans, np.ones(len(self)), numbers, notes=notes, is_matrix=is_matrix)

    def columns(self, plans: Mapping[str, ColumnPlan]) -> Columns:
        """Read some columns by the plans that were made for them; others are not looked at."""
        columns = {}
        for name, plan in plans.items():
            read = read_by(self.cells(name, plainly=plan.is_plain_number), plan, name)
            columns[name] = read.column
            if read.note:
                logger.warning("%s", Note(name, read.note))
        return columns


def _check_codes(cells: Cells, name: str, words: Mapping[str, str]) -> None:
    """Refuse words for a code that no cell has, unless all cells have words, as by the list of a codebook."""
    held = [as_code(x) for x in (cells.texts if isinstance(cells, TextCells) else cells.column.distinct()[0])]
    absent = next((code for code in words if code not in held), None)
    if absent is not None and not words.keys() >= {*held}:
        raise InputError(f"labels: no cell of {name!r} is {absent}{nearest(absent, held, 'the column')}")


def _is_of_matrix(cells: Cells) -> bool:
    """Whether a column could be one of a matrix of 0, 1 and NaN."""
    return isinstance(cells, TypedCells) and cells.floating and not cells.note and _is_zero_one(cells.column)


def _is_zero_one(column: Column) -> bool:
    known = column.values[column.known]
    return bool(((known == 0) | (known == 1)).all())


def _as_boolean(column: Column) -> Column:
    return Column(column.values == 1, column.known)


def open_source(
    source: str | Path | IO[Any],
    *,
    choice: SheetChoice | None = None,
    budget: Budget | None = None,
    rewritable: bool = True,
) -> Source:
    r"""Open a table from a path, a file object or, as ``"-"``, standard input; gzip is undone.

    The format is inferred from the content and the name's ending. Of a workbook, ``choice`` is the sheet and
    the row of the header. In CSV and TSV files empty cells and the usual marks (``NA``, ``NaN``, ``?``,
    ``null``) are missing; ``None`` is a word like any other. The budget is checked before anything is read;
    by default it is the memory that is free on this machine. With ``rewritable`` the text of a file is kept,
    to be written again with further columns.

    >>> import io
    >>> table = open_source(io.StringIO("age;smoker\n61;true\n?;false\n")).table()
    >>> {name: str(plan.kind) for name, plan in table.plans.items()}
    {'age': 'number', 'smoker': 'boolean'}
    """
    budget = budget or machine_budget()
    name, text = read_content(source, budget)
    expected = _BY_SUFFIX.get(Path(name.removesuffix(".gz")).suffix.lower())
    if isinstance(text, bytes):
        content = unpacked(text, name, budget) if text.startswith(GZIP) else text
        if content.startswith(PARQUET):
            from nri.table.parquet import read_parquet

            columns, unreadable = read_parquet(content, name, budget)
            return Source(columns, unreadable=unreadable)
        if content.startswith(WORKBOOKS) and is_workbook(content, by_name=expected == "excel"):
            columns, place = read_workbook(content, name, choice or SheetChoice(), budget)
            return Source(columns, workbook=place)
        text = decode(content, name)
        del content  # its text is enough
    if choice is not None and (choice.sheet is not None or choice.header):
        raise InputError(f"{name} is no Excel workbook, so it has no sheets to choose from; drop that option")
    if _ARFF.match(text):
        expected = "arff"
    if expected in ("parquet", "excel"):
        what = "Parquet file" if expected == "parquet" else "Excel workbook"
        raise InputError(f"{name} is no {what}, whatever its name says; {REMEDY}")
    nameless = choice is not None and choice.header == 0
    return _open_text(text, name, expected or "csv", budget, rewritable, nameless)


def _open_text(text: str, name: str, format: str, budget: Budget, rewritable: bool, nameless: bool) -> Source:
    delimiter = {"tsv": "\t", "arff": ","}.get(format) or sniff_delimiter(text)
    if nameless:
        text = f"{header_for(text, delimiter)}\n{text}"
    lines = max(text.count("\n"), text.count("\r")) + 1
    budget.check_text(len(text), lines + text.count(delimiter), name)
    width = (text[: text.find("\n") + 1] or text).count(delimiter) + 1
    if format == "arff":
        return Source(read_arff(text, name))
    start = text.lstrip()[:200].lower()
    if start.startswith(("{", "[{", "[[")):
        raise InputError(f"{name} looks like JSON, not like a table; {REMEDY}")
    if start.startswith(("<!doctype", "<html", "<?xml")):
        raise InputError(f"{name} is a web page or XML, not a table; {REMEDY}")
    wide = read_wide(text, delimiter) if width > WIDE and not rewritable else None
    rows = wide or read_delimited(text, name, delimiter)
    return Source(rows, DelimitedText(text if rewritable else "", delimiter))


def table_of(X: Any, options: ReadOptions = DEFAULT) -> Table:
    """Return anything that :func:`source_of` takes as a table, its columns read and no target chosen.

    >>> table_of({"age": [30, None]}).columns["age"].known.tolist()
    [True, False]
    """
    return X if isinstance(X, Table) else source_of(X).table(options)


def source_of(X: Any) -> Source:
    """Return a frame of any library, an array, a list of rows or records, or a dict of columns."""
    from nri.table.frames import columns_of

    return Source(columns_of(X))


def read_columns(rows: Any, plans: Mapping[str, ColumnPlan]) -> Columns:
    """Return the columns that plans are for, of a table, a source or whatever :func:`source_of` takes."""
    if isinstance(rows, Table):
        rows.require(plans)
        return {name: recast(rows.columns[name], plan, name) for name, plan in plans.items()}
    return (rows if isinstance(rows, Source) else source_of(rows)).columns(plans)


def understand(
    cells: Cells, name: str = "the column", options: ReadOptions = DEFAULT, *, decimal_comma: bool = False
) -> ReadColumn:
    """Decide what a column means by all of its cells, and by what the options say of it.

    With ``decimal_comma`` ``3,14`` is a number, as it is in files with semicolons.

    >>> read = understand(text_cells(np.array(["1", "?", " 2"], dtype=object)))
    >>> read.plan.kind.value, read.column.values.tolist()
    ('number', [1.0, nan, 2.0])
    """
    kind, missing, labels = options.kinds.get(name), options.missing_in(name), options.labels.get(name)
    if labels is not None:
        values = tuple(sorted(set(labels.values())))
        return read_by(cells, ColumnPlan(Kind.TEXT, missing=missing, labels=labels, categories=values), name)
    if isinstance(cells, TypedCells):
        flags = cells.column.kind is Kind.BOOLEAN
        unit, whole = ("", cells.unit), cells.whole
        plan = TYPED_BOOLEAN if flags else ColumnPlan(cells.column.kind, unit=unit, whole=whole)
        plan = ColumnPlan(kind) if kind is not None and kind is not plan.kind else plan
        read = ReadColumn(recast(cells.column, plan, name), plan, cells.note)
    elif kind is not None and kind is not Kind.TEXT:
        return read_by(cells, ColumnPlan(kind, stated=False), name)
    else:
        cells = cells.without(missing)
        cells = replace(cells, declared=cells.declared or kind is Kind.TEXT)
        parsed = _recognise(cells, options.exact, decimal_comma)
        read = ReadColumn(spread(parsed, cells), parsed.plan, parsed.note)
    if read.plan.whole and read.column.kind is Kind.NUMBER and not read.note:
        rounded = np.abs(read.column.values[read.column.known]).max(initial=0.0) >= 2**53  # so is 2^53 + 1
        read = replace(read, note=_ROUNDED if rounded else "")
    if read.column.kind is Kind.NUMBER and name not in options.missing and name not in options.outcome:
        missing, read = _with_codes(read, name, missing)
    if missing:
        plan = replace(read.plan, missing=tuple(dict.fromkeys((*read.plan.missing, *missing))))
        read = replace(read, column=recast(read.column, plan, name), plan=plan)
    column = read.column
    if kind is None and column.kind is Kind.NUMBER and column.known.any() and _is_zero_one(column):
        plan = replace(read.plan, kind=Kind.BOOLEAN, no_and_yes=ZERO_ONE.no_and_yes, whole=False)
        return ReadColumn(_as_boolean(column), plan, read.note)
    return read


def _with_codes(read: ReadColumn, name: str, missing: tuple[str, ...]) -> tuple[tuple[str, ...], ReadColumn]:
    """Add codes for nothing that are plain to those that are known; note these and others."""
    distinct, counts = read.column.distinct()
    codes = missing_codes(distinct, counts)
    notes = [read.note] if read.note else []
    for value, plain in codes.items():
        code = number_as_text(value)
        share = f"{code} in {int(counts[distinct == value][0])} of {int(counts.sum())} cells"
        if plain:
            notes.append(f"{share} is read as missing (--missing {name}= keeps it)")
        elif code not in missing:
            notes.append(f"{share} may stand for missing; if it does, say so (--missing {name}={code})")
    recognised = tuple(number_as_text(value) for value, plain in codes.items() if plain)
    return (*missing, *recognised), replace(read, note="; ".join(notes))


def _recognise(cells: TextCells, exact: bool, decimal_comma: bool) -> ParsedTexts:
    """Try the kinds one by one; texts that are nothing else are categories."""
    texts, counts = cells.texts, cells.counts
    if not texts:
        return ParsedTexts(np.zeros(0), ColumnPlan(Kind.NUMBER))
    if cells.loose and not cells.declared and all(text.lower() in ("true", "false") for text in texts):
        return number.read_boolean(texts, counts, TRUE_FALSE)
    has_digits = any(letter.isdigit() for text in texts for letter in text)
    if cells.declared or not has_digits:  # as most texts: no number, no date
        return recognise_categories(texts, counts, exact=exact)
    parsed = recognise_plain(texts, decimal_comma=decimal_comma) if cells.loose else None
    parsed = parsed or date.recognise(texts, counts)
    if parsed is not None:
        return parsed
    parsed = number.recognise_formatted(texts, counts, decimal_comma=decimal_comma)
    if parsed is not None and (parsed.note or cells.loose):  # typed texts of plain numbers are categories
        return parsed
    parsed = recognise_categories(texts, counts, exact=exact)
    return replace(parsed, note="; ".join(filter(None, (parsed.note, date.ambiguity(texts)))))
