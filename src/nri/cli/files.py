"""Files that commands read and write: tables, rules and results, and the packages that they need."""

import importlib.util
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nri.cli.console import message, progress
from nri.cli.options import Reading, RowOptions
from nri.errors import InputError, MissingTargetError, UnknownColumnError

if TYPE_CHECKING:
    from nri.rows.base import Rows
    from nri.rows.engine import Engine
    from nri.rows.files import Files
    from nri.rule import Rule
    from nri.table import Source, Table

SAMPLE = 20_000
"""Rows of a large table that are taken by default where they must be in memory."""


def read_rule(path: Path) -> "Rule":
    """Read a rule file; if there is none, say how one is made."""
    from nri.api import read_rule as read
    from nri.table.files import similar_files

    if not os.path.exists(path) and not similar_files(path):
        how = "nri induce FILE --target COLUMN --out RULE.json"
        raise InputError(f"no rule file {path}; make one with: {how}")
    return read(path)


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    from nri.table import atomic_file

    with atomic_file(path) as file:
        file.write(text if text.endswith("\n") else text + "\n")


def open_table(
    file: str, sheet: str | None = None, header: int | None = None, *, rewritable: bool = True, quiet: bool
) -> "Source":
    """Open a table whose columns are read when they are needed."""
    from nri.table.excel import SheetChoice
    from nri.table.source import open_source

    with progress(f"reading {file}", quiet=quiet):
        return open_source(file, choice=SheetChoice(sheet, header), rewritable=rewritable)


@contextmanager
def open_rows(file: str, reading: Reading, rows: RowOptions, *, quiet: bool) -> "Iterator[Table | Rows]":
    """Open a table with its outcome: read into memory, or left where it is if it is large."""
    with progress(f"reading {file}", quiet=quiet):  # the imports take their time too
        opened = _rows_in_place(file, reading, rows, quiet=quiet) or _read_rows(file, reading, quiet=quiet)
    try:
        yield opened
    finally:
        if hasattr(opened, "close"):
            opened.close()


def _read_rows(file: str, reading: Reading, *, quiet: bool) -> "Table":
    from nri.table.target import describe, with_survival, with_target

    source = open_table(file, reading.sheet, reading.header, rewritable=False, quiet=quiet)
    table = source.table(exact=reading.exact_text)
    del source  # else its cells are in memory twice
    if reading.time is not None and reading.event is not None:
        outcome = with_survival(table, reading.time, reading.event, reading.weights)
    else:
        target = resolve_target(reading.target, table.names, quiet=quiet)
        outcome = with_target(table, target, reading.positive, reading.weights)
    message(describe(outcome, len(table)), quiet=quiet)
    return outcome


def _rows_in_place(file: str, reading: Reading, rows: RowOptions, *, quiet: bool) -> "Rows | None":
    """Open rows that stay in a database or in large files; None if they are to be read into memory."""
    files = None
    if "://" not in file:
        files = large_files(file, rows.engine, reading.sheet, reading.header)
        if files is None:
            return None
    if reading.weights is not None:
        raise InputError("--weights is for tables that are read into memory; add --engine memory")
    from nri.rows.database import open_database
    from nri.rows.files import open_files
    from nri.rows.open import rows_in_engine

    if files is None:
        engine: Engine = open_database(file, rows.table, rows.query, memory=rows.memory)
    else:
        shown = files.paths[0] if not files.many else f"{len(files.paths)} files"
        message(f"{shown}: rows stay where they are, in DuckDB (--engine memory reads them)", quiet=quiet)
        engine = open_files(files, memory=rows.memory, exact=reading.exact_text)
    try:
        names = [one.name for one in engine.columns]
        target = resolve_target(reading.target, names, quiet=quiet) if reading.time is None else None
        large: Rows = rows_in_engine(
            engine,
            target,
            positive=reading.positive,
            time=reading.time,
            event=reading.event,
            exact=reading.exact_text,
            size=rows.sample,
        )
        message(large.remark, quiet=quiet)
        return large
    except BaseException:
        engine.close()
        raise


def large_files(file: str, engine: str, sheet: str | None = None, header: int | None = None) -> Any:
    """Return the files whose rows stay where they are; None for small ones and other formats."""
    if file == "-" or sheet is not None or header is not None:
        if engine == "duckdb":
            raise InputError("--engine duckdb reads files, not standard input or workbooks; leave it out")
        return None
    from nri.rows import files

    is_text = file.endswith((".csv", ".tsv", ".txt")) and os.path.isfile(file)
    if engine == "auto" and is_text and os.path.getsize(file) <= files.LARGE_BYTES:
        return None
    return files.goes_by_engine(file, engine)


def files_to_stream(
    file: str, engine: str, sheet: str | None = None, header: int | None = None
) -> "Files | None":
    """Return the files whose rows are to be read some at a time; None if they fit into memory."""
    engines = {"auto": "auto", "memory": "memory", "stream": "duckdb"}
    if engine not in engines:
        raise InputError(f"no engine {engine!r}; use one of {', '.join(engines)}")
    if file == "-" or sheet is not None or header is not None:
        can_stream = False
    else:
        from nri.rows.files import files_of, goes_by_engine

        can_stream = files_of(file) is not None
    if engine == "stream" and not can_stream:
        raise InputError(f"CSV, TSV and Parquet files can be streamed, not {file}; leave --engine out")
    return goes_by_engine(file, engines[engine]) if can_stream else None


def in_memory(rows: "Table | Rows", size: int | None, *, quiet: bool) -> "Table":
    """Return the rows of a table, or some of them if they stay where they are."""
    from nri.table import Table

    if isinstance(rows, Table):
        return rows
    with progress("drawing a sample", quiet=quiet):
        sample = rows.sample(size or SAMPLE)
    taken = f"{len(sample)} of {rows.n_rows:.10g} rows were taken, by a hash of their cells"
    message(f"{taken} (--sample ROWS for more, --engine memory for all)", quiet=quiet)
    return sample


_LEAST_ENDING = 3
"""Letters that the end of a column's name must have to be taken for it."""


def resolve_target(target: str | None, names: Sequence[str], *, quiet: bool = True) -> str:
    """Return the target; a name that no column has may be the end of just one column's name.

    >>> resolve_target("flu = yes", ["visit.flu", "visit.age"])
    '"visit.flu" = yes'
    """
    from nri.table.by_plan import comparison_of

    if target is None:
        raise MissingTargetError(names)
    if target in names:
        return target
    try:
        comparison_of(target, names)
    except UnknownColumnError as error:
        ending = re.compile(rf"(?:.*[\W_])?{re.escape(error.name)}", re.IGNORECASE | re.DOTALL)
        matching = [name for name in names if ending.fullmatch(name)]
        if len(matching) != 1 or len(error.name) < _LEAST_ENDING:
            raise
        message(f"target {target!r} is read as {matching[0]!r}", quiet=quiet)
        return target.replace(error.name, f'"{matching[0]}"', 1) if error.name != target else matching[0]
    return target


def check_outputs(outputs: Mapping[str, Path | None], inputs: Mapping[str, str | Path | None]) -> None:
    """Raise before the work begins if a result could not be written in the end, or would destroy an input.

    Outputs are by their option, None where it was not given; inputs by their name in the message.
    """
    given = {option: path for option, path in outputs.items() if path is not None}
    for option, path in given.items():
        _check_writable(path)
        for what, source in inputs.items():
            if source not in (None, "-") and _same_file(path, str(source)):
                raise InputError(f"{option} {path} is {what} itself; choose another name")
        for other, earlier in given.items():
            if other < option and _same_place(path, earlier):
                raise InputError(f"{other} and {option} are both {path}; choose two names")


def _same_file(path: Path, other: str) -> bool:
    """Whether both are one regular file, also by another path or a link; a terminal may be both ends."""
    return os.path.isfile(path) and os.path.exists(other) and os.path.samefile(path, other)


def _same_place(path: Path, other: Path) -> bool:
    return path.resolve() == other.resolve() and (path.is_file() or not path.exists())


def _check_writable(path: Path) -> None:
    try:
        path.exists()
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be written ({cause}); choose another name") from None
    if path.is_dir():
        raise InputError(f"{path} is a folder; name a file to write to")
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent} to write {path.name} to; make it first")
    place = path if path.exists() else path.parent
    if not os.access(place, os.W_OK):
        raise InputError(f"{path} cannot be written (permission denied); choose another place")


def require_extra(extra: str | None, what: str, *packages: str) -> None:
    """Refuse to go on where a package is not installed; it comes with an extra, or by its own name.

    >>> require_extra("train", "training", "no_such_package")
    Traceback (most recent call last):
        ...
    nri.errors.InputError: training needs no_such_package, not installed; run: pip install 'nri[train]'
    """
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        wanted = f"'nri[{extra}]'" if extra else " ".join(missing)
        raise InputError(f"{what} needs {', '.join(missing)}, not installed; run: pip install {wanted}")
