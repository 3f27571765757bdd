"""Reading: the rows that commands read, and the settings that their options make."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from nri.cli import options as opt
from nri.cli.console import message, progress
from nri.cli.files import parse_costs, parse_order, read_options, read_rule, read_settings, rows_in_place
from nri.errors import InputError, MissingTargetError, UnknownColumnError

if TYPE_CHECKING:
    import numpy as np

    from nri.induce.settings import Settings
    from nri.rows.base import Rows
    from nri.rows.files import Files
    from nri.rule import Label
    from nri.table import Source, Table
    from nri.table.codes import ReadOptions

_SURELY_SMALL = 1_000_000  # Bytes of text below which a file is read into memory without counting rows.


def open_table(file: str, place: opt.FileOptions, *, rewritable: bool = True) -> "Source":
    """Open a table whose columns are read when they are needed."""
    from nri.table.source import open_source

    choice = None
    if place.sheet is not None or place.header is not None:
        from nri.table.excel import SheetChoice

        choice = SheetChoice(place.sheet, place.header)
    with progress(f"reading {file}"):
        return open_source(file, choice=choice, rewritable=rewritable)


@contextmanager
def open_rows(
    file: str, reading: opt.Reading, rows: opt.RowOptions, config: opt.File = None
) -> "Iterator[Table | Rows]":
    """Open a table with its outcome, as options and settings file say: in memory, or where it is if large."""
    if (reading.time is None) != (reading.event is None):
        missing = "--time" if reading.time is None else "--event"
        raise InputError(f"time and event go together; add {missing} COLUMN")
    if reading.time is not None and (reading.target is not None or reading.positive is not None):
        raise InputError("--time and --event are what is explained; drop --target and --positive")
    with progress(f"reading {file}"):  # the imports take their time too
        in_database = "://" in file and not file.startswith(("http://", "https://"))  # of a file
        files = None if in_database else large_files(file, rows)
        if in_database or files is not None:
            options_of = cache(partial(_outcome_and_options, reading, config))
            opened: Any = rows_in_place(file, files, reading, rows, options_of)
        else:
            opened = _read_rows(file, reading, rows, config)
    with closing(opened) if hasattr(opened, "close") else nullcontext():
        yield opened


def _read_rows(file: str, reading: opt.Reading, place: opt.FileOptions, config: opt.File) -> "Table":
    from nri.table.target import describe, with_survival, with_target

    source = open_table(file, place, rewritable=False)
    target, options = _outcome_and_options(reading, config, source.names)
    table = source.table(options).arranged(reading.groups, reading.time_order)
    del source  # else its cells are in memory twice
    if reading.time is not None and reading.event is not None:
        outcome = with_survival(table, reading.time, reading.event, reading.weights)
    else:
        outcome = with_target(table, target, reading.positive, reading.weights)
    message(describe(outcome, len(table)))
    return outcome


def _outcome_and_options(
    reading: opt.Reading, config: opt.File, names: Sequence[str]
) -> "tuple[str, ReadOptions]":
    """Return the target, and how cells are read: those of what is explained are taken as they are."""
    from nri.table.codes import ReadOptions

    target = resolve_target(reading.target, names) if reading.time is None else ""
    columns = [target]
    if target not in names:
        from nri.table.by_plan import comparison_of

        explained = {"target": target, "time": reading.time, "event": reading.event}
        columns = [comparison_of(text, names, what)[0] for what, text in explained.items() if text]
    if config or reading.missing or reading.labels:
        return target, read_options(reading, config, names, columns)
    return target, ReadOptions(exact=reading.exact_text, outcome=columns)


def large_files(file: str, place: opt.RowOptions | opt.StreamOptions) -> "Files | None":
    """Return the files whose rows are not read into memory at once; None for small ones and other formats."""
    if isinstance(place, opt.StreamOptions):
        engine, large = place.streaming, "stream"
    else:
        engine, large = place.engine, "duckdb"
    if engine not in ("auto", "memory", large):
        raise InputError(f"no engine {engine!r}; use one of auto, memory, {large}")
    if file == "-" or place.sheet is not None or place.header is not None:
        if engine == large:
            raise InputError(f"--engine {large} reads files, not standard input or workbooks; leave it out")
        return None
    is_text = file.lower().endswith((".csv", ".tsv", ".txt"))
    if is_text and engine == "auto" and os.path.isfile(file) and os.path.getsize(file) < _SURELY_SMALL:
        return None
    from nri.rows.files import goes_by_engine

    return goes_by_engine(file, "duckdb" if engine == large else engine)


_LEAST_ENDING = 3  # Letters that the end of a column's name must have to be taken for it.


def resolve_target(target: str | None, names: Sequence[str]) -> str:
    """Return the target; a name that no column has may be the end of just one column's name."""
    if target is None:
        raise MissingTargetError(names)
    if target in names:
        return target
    from nri.table.by_plan import comparison_of

    try:
        name, comparison = comparison_of(target, names)
    except UnknownColumnError as error:
        ending = re.compile(rf"(?:.*[\W_])?{re.escape(error.name)}", re.IGNORECASE | re.DOTALL)
        matching = [name for name in names if ending.fullmatch(name)]
        if len(matching) != 1 or len(error.name) < _LEAST_ENDING:
            raise
        message(f"target {target!r} is read as {matching[0]!r}")
        return target.replace(error.name, f'"{matching[0]}"', 1) if error.name != target else matching[0]
    return name if comparison is None else target  # "age " and '"age"' are age


@dataclass(frozen=True)
class Question:
    """A request for a rule: of which rows, by which settings, and what is to be shown of it."""

    rows: "Table | Rows"
    settings: "Settings"
    scoring: opt.Scoring
    output: opt.OutputOptions
    source: str = "-"
    sample: int | None = None

    @property
    def table(self) -> "Table | None":
        """The rows if they are in memory."""
        from nri.table import Table

        return self.rows if isinstance(self.rows, Table) else None

    @property
    def rng(self) -> "np.random.Generator":
        """A source of chance, for each step the same one."""
        return generator(self.scoring.random_state)


def settings_of(options: opt.RuleOptions, rows: "Table | Rows", *taken: str) -> "Settings":
    """Return the settings for some rows; --without may name columns that are taken, as labels, as well."""
    from nri.induce.settings import Settings

    classes: Sequence[Label] = getattr(rows.outcome, "classes", ())  # a number and survival have none
    present = tuple(rows.columns)
    keys = (getattr(rows, "groups", None), getattr(rows, "time_order", None))
    taken = (*taken, *(one.name for one in keys if one is not None))
    settings = Settings() if options.config is None else read_settings(options.config, classes)
    names = {field.name for field in fields(Settings)} & {field.name for field in fields(options)}
    values: dict[str, Any] = {name: getattr(options, name) or None for name in names}
    values["use"] = split_names(options.use, present)
    values["never"] = split_names(options.never, (*present, *taken))
    if isinstance(options, opt.InduceOptions):
        values["counts"] = "points" if options.points else None
        values["costs"] = parse_costs(options.costs, classes) if options.costs else None
        values["ordered"] = parse_order(options.ordered, classes) if options.ordered else None
        if options.keep is not None:
            values["knowledge"] = replace(settings.knowledge, keep=read_rule(options.keep))
    settings = replace(settings, **{name: value for name, value in values.items() if value is not None})
    return replace(settings, never=[name for name in settings.never if name not in taken])


def generator(seed: int) -> "np.random.Generator":
    """Return the source of chance of a command."""
    import numpy as np

    return np.random.default_rng(seed)


def split_names(texts: list[str] | None, present: Sequence[str]) -> list[str] | None:
    """Return column names from texts with commas between; a name that itself has a comma is kept whole."""
    if not texts:
        return None
    names: list[str] = []
    for text in texts:
        names += [text] if text in present else [part.strip() for part in text.split(",") if part.strip()]
    return names
