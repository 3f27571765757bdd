"""Every engine gives the same rule on the same rows, with the same counts to the last one."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars
import programs
import psycopg
import pytest
import servers
from effort import usually
from large_tables import planted

from nri import Knowledge, NRIClassifier, Rule
from nri.cli.app import main
from nri.errors import InputError

ibis = pytest.importorskip("ibis", reason="ibis-framework is in the extra scale")

_MADE = (
    "(size double precision, weight double precision, visits bigint, "
    "colour text, seen timestamp, bought text)"
)


def fitted(table: object) -> Rule:
    return NRIClassifier("greedy").fit(table, "bought").rule_


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return planted(usually(3000, 7000)).drop(columns="member").astype({"seen": "datetime64[us]"})


@pytest.fixture(scope="module")
def expected(rows: pd.DataFrame) -> Rule:
    return fitted(duckdb.from_df(rows))


def cells(rows: pd.DataFrame) -> list[tuple[object, ...]]:
    return [(*row[:2], int(row[2]), row[3], str(row[4]), row[5]) for row in rows.itertuples(index=False)]


def test_the_rule_is_counted_on_all_rows(rows: pd.DataFrame, expected: Rule) -> None:
    assert expected.support.rows == len(rows)
    assert {"size", "colour", "weight", "seen"} == set(expected.columns)


def test_a_lazy_frame_of_polars(rows: pd.DataFrame, expected: Rule) -> None:
    assert fitted(polars.from_pandas(rows).lazy()) == expected


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # that ibis still asks for
def test_duckdb_by_ibis(rows: pd.DataFrame, expected: Rule) -> None:
    connection = duckdb.connect()
    connection.register("held", rows)
    connection.execute("CREATE TABLE rows AS SELECT * FROM held")
    assert fitted(ibis.duckdb.from_connection(connection).table("rows")) == expected


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")  # which ibis still sets
def test_a_frame_that_ibis_holds_in_memory(rows: pd.DataFrame, expected: Rule) -> None:
    """``ibis.memtable(frame)`` ended in an error of DuckDB, which had no table of that name yet."""
    assert fitted(ibis.memtable(rows)) == expected


def test_sqlite(
    rows: pd.DataFrame, expected: Rule, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    connection = sqlite3.connect(tmp_path / "rows.db")
    connection.execute(f"CREATE TABLE rows {_MADE}")
    connection.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?)", cells(rows))
    connection.commit()
    connection.close()
    backend = ibis.sqlite.connect(tmp_path / "rows.db")
    found = fitted(backend.table("rows"))
    backend.disconnect()
    assert found == expected
    asked = ["induce", f"sqlite://{tmp_path / 'rows.db'}", "--table", "rows", "--target", "bought"]
    with pytest.raises(SystemExit) as ended:
        main([*asked, "--model", "greedy"])
    assert not ended.value.code
    assert "THEN bought = yes" in capsys.readouterr().out


def test_postgres(rows: pd.DataFrame, expected: Rule) -> None:
    with servers.postgres() as server:
        with psycopg.connect(server.postgres_address) as connection:
            connection.execute(f"CREATE TABLE rows {_MADE}")
            with connection.cursor().copy("COPY rows FROM STDIN") as copy:
                for row in cells(rows):
                    copy.write_row(row)
        backend = ibis.postgres.connect(host=str(server.folder), user=server.user, database="postgres")
        found = fitted(backend.table("rows"))
        backend.disconnect()
    assert found == expected


_ON_SPARK = """
import sys
from pyspark.sql import SparkSession
from nri import NRIClassifier
builder = SparkSession.builder.master(sys.argv[3])
for name, value in {
    "spark.sql.codegen.wholeStage": "false",  # compiling each query takes longer than a few thousand rows
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}.items():
    builder = builder.config(name, value)
session = builder.getOrCreate()
rules = NRIClassifier("greedy").fit(session.read.parquet(sys.argv[1]), "bought").rule_
open(sys.argv[2], "w").write(rules.render("json"))
session.stop()
"""


def test_spark_with_two_workers(rows: pd.DataFrame, expected: Rule, tmp_path: Path) -> None:
    """Two threads of one process, or two processes that are sent what they need: then it takes a minute."""
    workers = usually("local[2]", "local-cluster[2,1,1024]")
    programs.java()
    pytest.importorskip("pyspark", reason="pyspark is in the extra spark")
    table, out = tmp_path / "rows.parquet", tmp_path / "rule.json"
    rows.to_parquet(table)
    done = subprocess.run(
        [sys.executable, "-c", _ON_SPARK, str(table), str(out), workers],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=tmp_path,
        env=os.environ | {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(out.read_text()) == json.loads(expected.render("json"))


def test_a_name_as_labels_needs_a_table_of_an_engine() -> None:
    with pytest.raises(InputError, match="no table of a database"):
        NRIClassifier().fit(pd.DataFrame({"a": [1, 2], "b": [0, 1]}), "b")


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # that ibis still asks for
def test_a_number_is_refused_as_labels_before_a_rule_is_sought(rows: pd.DataFrame) -> None:
    """A rule without classes was sought on all rows, and only then a message came that named no way out."""
    connection = duckdb.connect()
    connection.register("held", rows)
    connection.execute("CREATE TABLE rows AS SELECT * FROM held")
    for table in (connection.table("rows"), ibis.duckdb.from_connection(connection).table("rows")):
        with pytest.raises(InputError, match=r"'size' is a number, not classes; .* NRIRegressor"):
            NRIClassifier().fit(table, "size")


def test_what_needs_the_rows_in_memory_is_refused_where_they_are_not(
    rows: pd.DataFrame, expected: Rule
) -> None:
    """Groups and clauses to keep were taken and had no effect."""
    table = duckdb.from_df(rows)
    for estimator, more, cause in (
        (NRIClassifier(), {"groups": "weight"}, "groups is for tables in memory"),
        (NRIClassifier(), {"sample_weight": np.ones(len(rows))}, "sample_weight is for tables in memory"),
        (NRIClassifier(min_sensitivity=0.9), {}, "min_sensitivity is for tables in memory"),
        (NRIClassifier(knowledge=Knowledge(keep=expected)), {}, "clauses to keep are for tables in memory"),
    ):
        with pytest.raises(InputError, match=cause):
            estimator.fit(table, "bought", **more)
