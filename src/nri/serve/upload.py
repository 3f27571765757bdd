"""Upload: a dropped file becomes a table, and what the page shows of it; or a message why it does not."""

import csv
import io
import logging
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from logging.handlers import BufferingHandler
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from nri.errors import InputError, TargetError, missing_file
from nri.rows.files import Files, files_of, some_rows
from nri.rule import Kind
from nri.rule.column import Column
from nri.rule.labels import Label
from nri.rule.literal import plain_value
from nri.rule.phrase import phrase_label
from nri.table.binarizer import why_useless
from nri.table.cuts import plain_number
from nri.table.excel import SheetChoice
from nri.table.files import Budget, size_text
from nri.table.source import Source, open_source
from nri.table.table import Table
from nri.table.target import encode, read_answers
from nri.table.write import write_rows

Json = dict[str, Any]
MAX_BYTES = 50 * 2**20  # Most bytes of a file as it is sent.

BUDGET = Budget(
    bytes=MAX_BYTES,
    unpacked=4 * MAX_BYTES,
    cells=50_000_000,
    memory=2**30,
    remedy="drop a part of its rows or columns, or start nri serve with its name, which takes some rows",
)
"""What a dropped file may take, whatever its format and however it is packed."""

TOO_LARGE = f"the file is larger than {size_text(MAX_BYTES)}, the most this page takes; {BUDGET.remedy}"

MAX_VALUES = 60  # Most categories of one column that the page offers in a list.
_TARGET_NAMES = ("target", "label", "class", "outcome", "y", "diagnosis", "result", "survived", "churn")
"""Usual names of a target."""
_MIN_ROWS = 1000  # A table of which not even so many rows fit is too wide for the page.


@dataclass(frozen=True, eq=False)
class Upload:
    """A table that was dropped on the page."""

    name: str
    source: Source  # the cells as they came
    table: Table  # what they mean; no target is chosen yet
    notes: tuple[str, ...]  # warnings of the reader, e.g. about an unusual encoding


def read_upload(name: str, content: bytes, choice: SheetChoice | None = None) -> Upload:
    """Read a dropped file; only the last part of its name is used, to recognise the format."""
    last = PurePath(name.replace("\\", "/")).name
    name = "".join(c if c.isprintable() else " " for c in last).strip()[-120:] or "the file"
    file = io.BytesIO(content)
    file.name = name
    with _collected_notes() as notes:
        source = open_source(file, choice=choice, budget=BUDGET)
        table = source.table()
    return Upload(name, source, table, tuple(_on_page(note.getMessage(), name) for note in notes))


def _on_page(note: str, name: str) -> str:
    """Return a note without the file's name, which stands above it, and without options of a command line."""
    plain = re.sub(rf"^{re.escape(name)}(?:, sheet '[^']*')?: ", "", re.sub(r" \(--[^)]*\)$", "", note))
    return plain if plain == note else plain[:1].upper() + plain[1:]


@contextmanager
def _collected_notes() -> Iterator[list[logging.LogRecord]]:
    """Collect what the library logs in this thread as warnings, to be shown on the page."""
    thread, logger, collector = threading.get_ident(), logging.getLogger("nri"), BufferingHandler(sys.maxsize)
    collector.setLevel(logging.WARNING)
    collector.addFilter(lambda record: record.thread == thread)
    logger.addHandler(collector)
    try:
        yield collector.buffer
    finally:
        logger.removeHandler(collector)


@dataclass(frozen=True)
class InitialFile:
    """The file that the page begins with."""

    name: str  # stands above the table, so it also says how many rows were taken
    content: bytes
    target: str | None = None  # the column to explain, None to let the page ask for it


def initial_file(file: str, sample: int) -> InitialFile:
    """Return the file of a path or pattern, or about ``sample`` rows of one that is too large."""
    files = files_of(file)
    if files is not None and (files.is_large or files.size > MAX_BYTES):
        return _sampled(files, sample)
    path = Path(file)
    if not path.is_file():
        raise missing_file(path)
    if path.stat().st_size > MAX_BYTES:
        raise InputError(TOO_LARGE)
    return InitialFile(path.name, path.read_bytes())


def _sampled(files: Files, sample: int) -> InitialFile:
    """Take some rows, fewer where so many would be too large."""
    while True:
        taken, n_rows = some_rows(files, sample)
        if files.parquet:
            file = io.BytesIO()
            write_rows(taken.rows, file, "parquet")
            content = file.getvalue()
        else:
            text = io.StringIO()
            csv.writer(text).writerows([taken.rows, *zip(*map(taken.listed, taken.rows), strict=True)])
            content = text.getvalue().encode()
        if len(content) <= MAX_BYTES:
            break
        if sample <= _MIN_ROWS:
            raise InputError(TOO_LARGE)
        sample = max(_MIN_ROWS, sample * MAX_BYTES // (2 * len(content)))
    whole = files.paths[0].name if not files.many else f"{len(files.paths)} files"
    name = f"{len(taken)} of {n_rows} rows of {whole}".removesuffix(".gz")
    ending = ".parquet" if files.parquet else ".csv"
    return InitialFile(name if name.endswith(ending) else name + ending, content)


def view_upload(upload: Upload) -> Json:
    """Describe an uploaded table."""
    columns, place = profile_columns(upload.table), upload.source.workbook
    return {
        "name": upload.name,
        "rows": len(upload.table),
        "columns": columns,
        "target": guess_target(columns),
        "notes": list(upload.notes),
        "workbook": place
        and {"sheets": list(place.sheets), "sheet": place.sheet, "header": place.header + 1},
    }


def profile_columns(table: Table) -> list[Json]:
    """Describe each column as the page lists it; ``left_out`` says why no rule will use it, if none will."""
    return [_profile(name, column, table.plans[name].whole) for name, column in table.columns.items()]


def _profile(name: str, column: Column, whole: bool) -> Json:
    useless = why_useless(column, name, whole=whole)
    distinct, counts = column.distinct()
    profile: Json = {
        "name": name,
        "kind": column.kind,
        "left_out": None if useless is None else str(useless),
        "missing": int((~column.known).sum()),
        "distinct": len(distinct),
        "values": [],
    }
    if column.kind is Kind.TEXT:
        order = np.argsort(-counts, kind="stable")[:MAX_VALUES]
        profile["values"] = sorted(str(distinct[i]) for i in order)
    elif column.kind is not Kind.BOOLEAN and len(distinct):
        cells = np.sort(column.values[column.known])
        ends = {"low": cells[0], "middle": _cut(cells), "high": cells[-1]}
        profile |= {end: plain_value(cell) for end, cell in ends.items()}
    return profile


def view_target(table: Table, name: str) -> Json:
    """Return what a column offers as a target: classes, or a comparison that makes it true or false."""
    answers = read_answers(table, name)
    target: Json = {"column": name, "classes": [], "compare": None, "problem": None}
    try:
        labels, _ = encode(answers)
    except TargetError:
        return {**target, "compare": _comparison(answers.labels)}
    except InputError as error:
        return {**target, "problem": str(error)}
    rows = np.bincount(labels.codes, minlength=len(labels.classes)).tolist()
    classes = [{**view_label(label), "rows": n} for label, n in zip(labels.classes, rows, strict=True)]
    return {**target, "classes": classes}


def view_label(label: Label) -> Json:
    """Describe a class: itself, and how it reads."""
    return {"label": label, "text": phrase_label(label)}


def guess_target(columns: Sequence[Json]) -> str | None:
    """Return the likeliest target, None if none suggests itself."""
    possible = [str(one["name"]) for one in columns if 2 <= one["distinct"] <= 20 and one["left_out"] is None]
    named = [name for usual in _TARGET_NAMES for name in possible if name.strip().lower() == usual]
    last = [name for name in possible[-1:] if name == columns[-1]["name"]]
    return next(iter(named + last), None)


def _comparison(column: Column) -> Json:
    """Cut numbers and dates in the middle; of many texts ask for the most frequent one."""
    if column.kind is Kind.TEXT:
        distinct, counts = column.distinct()
        return {"op": "=", "value": str(distinct[int(np.argmax(counts))])}
    middle = _cut(np.sort(column.values[column.known]))
    return {"op": ">", "value": plain_value(middle)}


def _cut(cells: Any) -> Any:
    """Return a plain number near the median of sorted cells, with cells on both sides if there can be."""
    middle = cells[(len(cells) - 1) // 2]
    if cells.dtype.kind != "f":
        return middle
    above = cells[cells > middle]
    return plain_number(float(middle), float(above[0])) if len(above) else float(middle)
