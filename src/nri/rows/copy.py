"""Copies: columns that are written as texts are read once, by their plans, into a file that goes again.

A text file is all text, and a Parquet file may hold ``72 kg``. What a column means is decided on a sample,
and all its cells are read by that plan: plain numbers, dates and words by DuckDB itself, whatever wears a
unit or another dress by the readers of :mod:`nri.table.kinds`, each different text once.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from nri.rows.duckdb import DuckEngine, parquet_source, quoted
from nri.errors import InputError
from nri.rule.literal import Kind
from nri.rule.plan import ColumnPlan
from nri.rule.render.sql_dialects import text_literal
from nri.table.cells import TextCells
from nri.table.kinds import MISSING_MARKS, ZERO_ONE
from nri.table.reading import read_by

_MOST_TEXTS = 3_000_000
"""Most different texts of a column whose cells DuckDB cannot read by itself."""


def copied(rows: DuckEngine, plans: Mapping[str, ColumnPlan], *, loose: bool) -> DuckEngine:
    """Return the table with some text columns read by their plans."""
    assert rows.folder is not None, "there is a place for copies"
    items, joins = [], []
    for place, one in enumerate(rows.columns):
        column = f"r.{quoted(one.name)}"
        plan = plans.get(one.name)
        if plan is None:
            items.append(column)
            continue
        text = f"TRIM({column})" if loose else column
        read = _by_duckdb(text, plan, loose)
        if read is None:
            _map_texts(rows, one.name, text.replace("r.", "", 1), plan, place)
            joins.append(f"LEFT JOIN map{place} ON map{place}.t = {text}")
            read = f"map{place}.v"
        items.append(f"{read} AS {quoted(one.name)}")
    file = Path(rows.folder.name) / f"copy{len(list(Path(rows.folder.name).iterdir()))}.parquet"
    select = f"SELECT {', '.join(items)} FROM {rows.source} AS r {' '.join(joins)}"
    rows.execute(f"COPY ({select}) TO {text_literal(str(file))} (FORMAT parquet, COMPRESSION zstd)")
    return DuckEngine(rows.connection, parquet_source([file]), rows.folder)


def _by_duckdb(text: str, plan: ColumnPlan, loose: bool) -> str | None:
    """Write how DuckDB reads cells by a plan; None if it cannot."""
    if plan.kind is Kind.TEXT:
        marks = ", ".join(text_literal(mark) for mark in sorted(MISSING_MARKS))
        return f"CASE WHEN {text} IN ({marks}) THEN NULL ELSE {text} END" if loose else text
    dressed = plan.unit != ("", "") or plan.thousands or plan.decimal != "."
    if plan.kind is Kind.NUMBER or plan.no_and_yes == ZERO_ONE.no_and_yes:
        if dressed:
            return None
        value = f"TRY_CAST({text} AS DOUBLE)"
        return f"CASE WHEN ISFINITE({value}) THEN {value} END"
    if plan.kind is Kind.BOOLEAN:
        yes, no = "('true', '1', '1.0')", "('false', '0', '0.0')"
        return f"CASE WHEN LOWER({text}) IN {yes} THEN TRUE WHEN LOWER({text}) IN {no} THEN FALSE END"
    return None


def _map_texts(rows: DuckEngine, name: str, text: str, plan: ColumnPlan, place: int) -> None:
    """Keep what each different text of a column means, as a table of the database."""
    import pyarrow as pa

    found = rows.execute(f"SELECT DISTINCT {text} AS t FROM {rows.source} LIMIT {_MOST_TEXTS + 1}").fetchall()
    if len(found) > _MOST_TEXTS:
        raise InputError(
            f"column {name!r} holds more than {_MOST_TEXTS} different texts, too many for {plan.kind}s; "
            "write it as such, or leave it out (--without)"
        )
    texts = [one for (one,) in found if one is not None and one not in MISSING_MARKS]
    read = read_by(TextCells(np.arange(len(texts), dtype=np.int64), tuple(texts), loose=True), plan, name)
    values: Any = read.column.values
    meant = pa.table({"t": texts, "v": pa.array(values, mask=~read.column.known)})
    rows.connection.register(f"meant{place}", meant)
    rows.execute(f"CREATE OR REPLACE TEMP TABLE map{place} AS SELECT * FROM meant{place}")
    rows.connection.unregister(f"meant{place}")
