"""Databases where a file is expected: recognised, and told how they are asked."""

import sqlite3

import duckdb
import pytest


@pytest.fixture
def shop(tmp_path):
    """A folder with an SQLite and a DuckDB database, both called by their kind."""
    connection = sqlite3.connect(tmp_path / "shop.sqlite")
    connection.execute("CREATE TABLE orders AS SELECT 1 AS age")
    connection.close()
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as held:
        held.execute("CREATE TABLE orders AS SELECT 1 AS age")
    return tmp_path


@pytest.mark.parametrize(
    ("scheme", "what"), [("sqlite", "an SQLite database"), ("duckdb", "a DuckDB database")]
)
def test_a_database_given_as_a_file_is_told_its_url(nri, shop, scheme, what):
    """For SQLite an export was asked for, though its URL works; DuckDB was "a binary file, no table"."""
    file = shop / f"shop.{scheme}"
    done = nri("induce", file, "--table", "orders", "--target", "age")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {file} is {what}; give nri induce its URL, ")
    assert f"{scheme}://{file} --table NAME" in done.err


def test_predictions_in_a_database_are_left_to_its_sql(nri, rule, shop):
    """It said: no file duckdb:/tmp/..; there is no folder duckdb:/tmp either."""
    for scheme, dialect in (("sqlite", "sqlite"), ("duckdb", "duckdb"), ("postgresql", "postgres")):
        told = f"nri export {rule} --format sql --dialect {dialect} --table NAME\n"
        assert nri("predict", rule, f"{scheme}://{shop}/shop").err.endswith(told)
        assert "SELECT" in nri(*told.replace("NAME", "orders").split()[1:]).out
    assert "--dialect duckdb" in nri("predict", rule, shop / "shop.duckdb").err


def test_a_url_where_a_file_is_read_is_told_so(nri, rule):
    done = nri("explain", rule, "postgres://me:secret@host/shop", "--row", "1")
    told = "error: postgres://host/shop is a URL, not a file; download the table and give that\n"
    assert (done.code, done.err) == (2, told)
