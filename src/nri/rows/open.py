"""Open a table where it is: in files, in a database, or in one that the caller holds."""

from collections.abc import Iterable, Mapping
from typing import Any

from nri.errors import InputError
from nri.rows.database import engine_of
from nri.rows.duckdb import DuckEngine, copied
from nri.rows.engine import Engine
from nri.rows.files import Files, open_files
from nri.rows.sql import SqlRows
from nri.rows.target import read_survival, read_target
from nri.rule.column import ColumnPlan
from nri.rule.labels import Label
from nri.table.table import Note, logger


def rows_in_engine(
    engine: Engine,
    target: str | None = None,
    *,
    positive: Label | None = None,
    time: str | None = None,
    event: str | None = None,
    exact: bool = False,
    plans: Mapping[str, ColumnPlan] | None = None,
    never: Iterable[str] = (),
    size: int | None = None,
) -> SqlRows:
    """Return the rows of a table in an engine, with what is to be explained.

    Texts that hold numbers or dates are copied once where that can be done, and left out with a note where it
    cannot.
    """
    if time is not None and event is not None:
        outcome = read_survival(engine, time, event)
    else:
        assert target is not None, "there is a target, or a time and an event"
        outcome = read_target(engine, target, positive, exact=exact)
    known, never = dict(plans or {}), tuple(never)
    rows = SqlRows(engine, outcome, exact=exact, plans=known, never=never, size=size)
    if not rows.formatted:
        return rows
    if isinstance(engine, DuckEngine) and engine.folder is not None:
        known |= rows.formatted
        engine = copied(engine, rows.formatted, loose=False)
        return SqlRows(engine, outcome.on(engine), exact=exact, plans=known, never=never, size=size)
    for name, plan in rows.formatted.items():
        logger.warning(
            "%s", Note(name, f"{plan.kind}s written as text are left out; cast the column to use it")
        )
    return rows


def rows_in_files(
    files: Files, target: str | None = None, *, memory: str | None = None, **options: Any
) -> SqlRows:
    """Return the rows of files that DuckDB reads; see :func:`rows_in_engine`."""
    opened = open_files(files, memory=memory, exact=options.get("exact", False))
    try:
        return rows_in_engine(opened.engine, target, plans=opened.plans, **options)
    except BaseException:
        opened.engine.close()
        raise


def rows_held(table: Any, target: str, **options: Any) -> SqlRows:
    """Return the rows of a table that the caller holds in a database or on a cluster."""
    engine = engine_of(table)
    if engine is None:
        raise InputError(
            f"y is the text {target!r}, but X is no table of a database: give labels as an array, or "
            "an ibis table, a DuckDB relation, a polars LazyFrame or a PySpark DataFrame as X"
        )
    return rows_in_engine(engine, target, **options)
