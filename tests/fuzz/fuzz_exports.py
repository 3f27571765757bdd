"""Rules, counting clauses included, in every engine that executes them: row by row as the rule set says."""

from typing import Any

import numpy as np
import pyarrow as pa
from engines import DUCKDB, EXECUTORS
from fuzz_tally import DifferentError
from hypothesis import strategies as st
from rule_strategies import cases, columns_of, n_rows

from nri.rule import Kind, from_json
from nri.rule.render.sql_dialects import identifier

TYPES = {
    Kind.BOOLEAN: pa.bool_(),
    Kind.NUMBER: pa.float64(),
    Kind.TEXT: pa.string(),
    Kind.DATE: pa.timestamp("us"),
}

exports = st.tuples(cases(), st.integers(0, 2**32 - 1), st.sampled_from([0, 0, 0, 2000]))


def stretched(schema: Any, table: Any, seed: int, rows: int) -> Any:
    """Return a longer table of the same cells, drawn anew column by column; the same one for no rows."""
    if not rows:
        return table
    rng = np.random.default_rng(seed)
    found = {}
    for name, (_, pool) in schema.items():
        seen = [*table[name], *pool, None]
        found[name] = [seen[i] for i in rng.integers(0, len(seen), rows)]
    return found


def execute(case: Any) -> int:
    """Run a rule set in every engine; return how many rows went through each."""
    (schema, ruleset, table), seed, rows = case
    table = stretched(schema, table, seed, rows)
    columns = columns_of(schema, table)
    expected = ruleset.predict(columns).tolist()
    engines = {**EXECUTORS, "duckdb": by_arrow} if rows else EXECUTORS
    for language, engine in engines.items():
        if engine(schema, ruleset, table) != expected:
            raise DifferentError(f"{language} says something else")
    if from_json(ruleset.render("json")).predict(columns).tolist() != expected:
        raise DifferentError("JSON says something else")
    return n_rows(table)


def by_arrow(schema: Any, ruleset: Any, table: Any) -> list[Any]:
    """DuckDB on many rows, which it takes from Arrow at once."""
    cells = pa.table(
        {f"c{i}": pa.array(table[name], TYPES[kind]) for i, (name, (kind, _)) in enumerate(schema.items())}
    )
    renamed = ", ".join(f"c{i} AS {identifier(name)}" for i, name in enumerate(schema))
    DUCKDB.register("arrow_cells", cells)
    try:
        DUCKDB.execute(f"CREATE OR REPLACE TEMP TABLE data AS SELECT {renamed} FROM arrow_cells")
        return [row[-1] for row in DUCKDB.execute(ruleset.render("sql", table=("data",))).fetchall()]
    finally:
        DUCKDB.execute("DROP TABLE IF EXISTS data")
        DUCKDB.unregister("arrow_cells")
