"""A long table of awkward cells: every engine that runs here predicts it row by row as the rule does.

Infinities, missing codes, whole numbers that no float64 holds, moments with a zone: each decides a rule of
its own, and all of them one together. A few thousand rows by default, 10^6 with NRI_THOROUGH=1.
"""

import csv
import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import cache
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import programs
import psycopg
import pymysql
import pytest
import servers
from effort import THOROUGH, usually

from nri import NRIClassifier
from nri.rule import Rule

ROWS = usually(3_000, 1_000_000)
BIG, HUGE, NOON = 2**53, 2**63, pd.Timestamp("2024-03-31 12:00", tz="UTC")
RULES = ("dose", "serial", "huge", "seen", "code", "all")
ZONES = ("UTC", "America/New_York", "Asia/Tokyo")


def table(rows: int, seed: int) -> pd.DataFrame:
    """Return awkward cells, most of them near the places where a rule decides."""
    rng = np.random.default_rng(seed)
    dose = rng.normal(size=rows)
    for special in (np.inf, -np.inf, np.nan):
        dose[rng.random(rows) < 0.05] = special
    seconds = rng.integers(-2 * 86_400, 2 * 86_400, rows)
    frame = pd.DataFrame(
        {
            "dose": dose,
            "serial": BIG + rng.integers(-40, 41, rows),
            "huge": (HUGE + rng.integers(-40_000, 40_001, rows).astype(object)).astype(np.uint64),
            "seen": (NOON + pd.to_timedelta(seconds, unit="s")).tz_convert("Europe/Berlin"),
            "code": rng.choice([-999.0, *range(12)], rows, p=[0.16, *[0.07] * 12]),
        }
    )
    for name in frame:
        empty = rng.random(rows) < 0.03
        if name in ("serial", "huge"):
            frame[name] = pd.array(frame[name], dtype="Int64" if name == "serial" else "UInt64")
        frame.loc[empty, name] = None
    return frame


@cache
def rules() -> dict[str, Rule]:
    """Return a rule on each column alone, and one on all of them."""
    seen = table(600, seed=1)
    holds = {
        "dose": seen["dose"].where(np.isfinite(seen["dose"])) > 0,
        "serial": seen["serial"] > BIG,
        "huge": seen["huge"] > HUGE,
        "seen": seen["seen"] > NOON,
        "code": seen["code"] > 5,
    }
    found = {}
    for name, truth in holds.items():
        answer = np.where(truth.fillna(False), "in", "out")
        found[name] = NRIClassifier(model="greedy").fit(seen[[name]], answer).rule_
    several = sum(truth.fillna(False).astype(int) for truth in holds.values()) >= 3
    found["all"] = (
        NRIClassifier(model="greedy", counts="only").fit(seen, np.where(several, "in", "out")).rule_
    )
    return found


def test_each_rule_decides_by_its_columns():
    """Else the comparison below would be one of constants."""
    for name, rule in rules().items():
        assert rule.columns == (name,) if name != "all" else len(rule.columns) >= 4
        assert 0.2 < np.mean(predicted(name) == "in") < 0.8


@cache
def cells() -> pd.DataFrame:
    return table(ROWS, seed=2)


@cache
def predicted(name: str) -> np.ndarray:
    return rules()[name].predict(cells())


def plain_rows(*, moments: str = "zone", huge: bool = True):
    """Return the rows as values of Python; moments with their zone, or in UTC as text."""
    columns = {name: cells()[name].astype(object).where(cells()[name].notna(), None) for name in cells()}
    if moments == "text":
        utc = cells()["seen"].dt.tz_convert("UTC").dt.tz_localize(None)
        columns["seen"] = utc.dt.strftime("%Y-%m-%d %H:%M:%S").where(utc.notna(), None)
    return zip(range(ROWS), *(columns[name] for name in columns if huge or name != "huge"), strict=True)


def differing(name: str, answers) -> int:
    """Return how many rows of a query, which begin with their number, say something else than the rule."""
    found = np.empty(ROWS, dtype=object)
    for row in answers:
        found[row[0]] = row[-1]
    return int((found != predicted(name)).sum())


@pytest.mark.parametrize("name", RULES)
def test_python(name):
    space: dict = {}
    exec(rules()[name].render("python"), space)
    columns = rules()[name].columns
    some = cells()[[*columns]]
    answers = (space["predict"](dict(zip(columns, row, strict=True))) for row in some.itertuples(index=False))
    assert differing(name, enumerate(answers)) == 0


@pytest.fixture(scope="module")
def in_duckdb():
    with duckdb.connect() as database:
        database.register("cells", cells().assign(row=range(ROWS)))
        kinds = "CAST(huge AS UBIGINT) AS huge, CAST(serial AS BIGINT) AS serial"
        database.execute(f"CREATE TABLE data AS SELECT row, dose, {kinds}, seen, code FROM cells")
        yield database


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("zone", ZONES)
def test_duckdb(in_duckdb, name, zone):
    in_duckdb.execute(f"SET TimeZone = '{zone}'")
    answers = in_duckdb.sql(query(name, "duckdb"))
    answers = answers.project(f'row, "{answers.columns[-1]}"')  # moments with a zone need another package
    assert differing(name, answers.fetchall()) == 0


@pytest.fixture(scope="module")
def in_sqlite():
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE data (row INTEGER, dose REAL, serial INTEGER, seen TEXT, code REAL)")
        rows = plain_rows(moments="text", huge=False)  # its integers end at 2^63
        database.executemany("INSERT INTO data VALUES (?, ?, ?, ?, ?)", rows)
        yield database


@pytest.mark.parametrize("name", [name for name in RULES if name not in ("huge", "all")])
def test_sqlite(in_sqlite, name):
    assert differing(name, in_sqlite.execute(query(name, "sqlite"))) == 0


@pytest.fixture(scope="module")
def in_postgres():
    with servers.postgres() as server, psycopg.connect(server.postgres_address, autocommit=True) as database:
        kinds = "dose DOUBLE PRECISION, serial BIGINT, huge NUMERIC, seen TIMESTAMPTZ, code DOUBLE PRECISION"
        cursor = database.cursor()
        cursor.execute(f"CREATE TABLE data (row INTEGER, {kinds})")
        with cursor.copy("COPY data FROM STDIN") as copy:
            for row in plain_rows():
                copy.write_row(row)
        yield cursor


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("zone", ZONES)
def test_postgres(in_postgres, name, zone):
    in_postgres.execute(f"SET TIME ZONE '{zone}'")
    assert differing(name, in_postgres.execute(query(name, "postgres"))) == 0


@pytest.fixture(scope="module")
def in_mariadb():
    with servers.mariadb() as server, pymysql.connect(**server.mariadb_address, autocommit=True) as database:
        kinds = "dose DOUBLE, serial BIGINT, huge BIGINT UNSIGNED, seen DATETIME, code DOUBLE"
        cursor = database.cursor()
        cursor.execute(f"CREATE TABLE data (`row` INTEGER, {kinds})")
        rows = [
            tuple(None if isinstance(cell, float) and not np.isfinite(cell) else cell for cell in row)
            for row in plain_rows(moments="text")  # no number is infinite there, and moments have no zone
        ]
        for start in range(0, ROWS, 50_000):
            cursor.executemany(
                "INSERT INTO data VALUES (%s, %s, %s, %s, %s, %s)", rows[start : start + 50_000]
            )
        yield cursor


@pytest.mark.parametrize("name", RULES)
def test_mariadb(in_mariadb, name):
    in_mariadb.execute("SET time_zone = '+09:00'")
    in_mariadb.execute(query(name, "mysql"))
    assert differing(name, in_mariadb.fetchall()) == 0


_ON_SPARK = """
import json, sys
from pyspark.sql import SparkSession
folder, zone = sys.argv[1:]
host = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
host["spark.ui.enabled"] = "false"
builder = SparkSession.builder.master("local[1]").config("spark.sql.session.timeZone", zone)
for name, value in host.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
spark.read.parquet(f"{folder}/data.parquet").createOrReplaceTempView("data")
queries = json.loads(open(f"{folder}/queries.json").read())
for name, query in queries.items():
    spark.sql(query).toPandas().iloc[:, [0, -1]].to_csv(f"{folder}/{name}.csv", index=False, header=False)
spark.stop()
"""


@pytest.mark.skipif(not THOROUGH, reason="Spark takes half a minute to start: NRI_THOROUGH=1")
@pytest.mark.parametrize("zone", ZONES[1:])
def test_spark(tmp_path: Path, zone):
    programs.java()
    pytest.importorskip("pyspark", reason="pyspark is in the extra spark")
    frame = cells().drop(columns="huge").assign(row=range(ROWS))  # its integers end at 2^63
    frame["seen"] = frame["seen"].dt.tz_convert("UTC").astype("datetime64[us, UTC]")
    frame[["row", *frame.columns.drop("row")]].to_parquet(tmp_path / "data.parquet")
    names = [name for name in RULES if "huge" not in rules()[name].columns]
    (tmp_path / "queries.json").write_text(json.dumps({name: query(name, "spark") for name in names}))
    command = [sys.executable, "-c", _ON_SPARK, str(tmp_path), zone]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr[-2000:]
    for name in names:
        with (tmp_path / f"{name}.csv").open(newline="") as file:
            assert differing(name, ((int(row), label) for row, label in csv.reader(file))) == 0, name


def query(name: str, dialect: str) -> str:
    return rules()[name].render("sql", table="data", dialect=dialect)
