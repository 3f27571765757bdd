"""Engines that execute an exported rule: Python, SQLite, DuckDB, clingo."""

import datetime as dt
import sqlite3
from contextlib import closing

import clingo
import duckdb
from rule_strategies import columns_of, n_rows

from nri.rule import Kind, asp_facts
from nri.rule.render.sql_dialects import identifier

DUCKDB = duckdb.connect(":memory:", config={"threads": 1})


def rows_of(table):
    return [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]


def by_python(schema, rule, table):
    space = {}
    exec(compile(rule.render("python"), "export", "exec"), space)
    return [space["predict"](row) for row in rows_of(table)]


def by_sqlite(schema, rule, table, name="data", expression=False):
    types = {Kind.BOOLEAN: "INTEGER", Kind.NUMBER: "REAL", Kind.TEXT: "TEXT", Kind.DATE: "TEXT"}
    cells = {
        column: [cell.isoformat(sep=" ") if isinstance(cell, dt.datetime) else cell for cell in column_cells]
        for column, column_cells in table.items()
    }
    with closing(sqlite3.connect(":memory:")) as connection:
        return run_sql(connection, types, schema, rule, cells, name, expression)


def by_duckdb(schema, rule, table, name="data", expression=False):
    types = {Kind.BOOLEAN: "BOOLEAN", Kind.NUMBER: "DOUBLE", Kind.TEXT: "VARCHAR", Kind.DATE: "TIMESTAMP"}
    DUCKDB.execute("BEGIN")  # starting a database takes longer than a query, so all share one
    try:
        return run_sql(DUCKDB, types, schema, rule, table, name, expression)
    finally:
        DUCKDB.execute("ROLLBACK")


def run_sql(connection, types, schema, rule, table, name, expression):
    declared = ", ".join(f"{identifier(column)} {types[kind]}" for column, (kind, _) in schema.items())
    connection.execute(f"CREATE TABLE {identifier(name)} ({declared})")
    marks = ", ".join("?" for _ in schema)
    rows = zip(*(table[column] for column in schema), strict=True)
    connection.executemany(f"INSERT INTO {identifier(name)} VALUES ({marks})", [*rows])
    if expression:
        query = f"SELECT {rule.render('sql')} FROM {identifier(name)}"
    else:
        query = rule.render("sql", table=(name,))
    found = connection.execute(query).fetchall()
    assert connection.execute(f"SELECT count(*) FROM {identifier(name)}").fetchone() == (n_rows(table),)
    return [row[-1] for row in found]


def by_clingo(schema, rule, table):
    control = clingo.Control(["--warn=none"])
    control.add("base", [], rule.render("asp"))
    control.add("base", [], asp_facts(rule, columns_of(schema, table)))
    control.ground([("base", [])])
    labels = {}
    with control.solve(yield_=True) as models:
        (model,) = [m.symbols(atoms=True) for m in models]
    for symbol in model:
        if symbol.match("predict", 2):
            row, label = symbol.arguments
            assert row.number not in labels, "one label for each row"
            labels[row.number] = label_of(label, rule)
    return [labels[row] for row in range(n_rows(table))]


def label_of(symbol, rule):
    if symbol.type is clingo.SymbolType.Number:
        return symbol.number
    if symbol.type is clingo.SymbolType.String:
        return symbol.string if isinstance(rule.classes[0], str) else float(symbol.string)
    return symbol.name == "true"


EXECUTORS = {"python": by_python, "sqlite": by_sqlite, "duckdb": by_duckdb, "clingo": by_clingo}
