"""SQL in the dialect of a database is executed there, or read back by sqlglot and executed elsewhere."""

import datetime as dt
import math
import sqlite3
from contextlib import closing

import duckdb
import jinja2
import numpy as np
import psycopg
import pymysql
import pytest
import servers
import sqlglot
from effort import usually
from hypothesis import assume, given, settings
from rule_strategies import cases, columns_of, counted
from sqlglot import exp

from nri.errors import InputError
from nri.rule import Clause, Column, Dnf, Kind, Literal, Op, column_of
from nri.rule.column import ColumnPlan
from nri.rule.render.sql import table_parts
from nri.rule.render.sql_dialects import DIALECTS, dialect_of, identifier

TYPES = {
    "postgres": ("BOOLEAN", "DOUBLE PRECISION", "TEXT", "TIMESTAMP"),
    "mysql": ("BOOLEAN", "DOUBLE", "LONGTEXT", "DATETIME(6)"),
    "duckdb": ("BOOLEAN", "DOUBLE", "VARCHAR", "TIMESTAMP"),
    "sqlite": ("INTEGER", "REAL", "TEXT COLLATE NOCASE", "TEXT"),
}


class Database:
    """A connection and the dialect that is spoken there."""

    def __init__(self, dialect, connection, mark="?"):
        self.dialect, self.mark = dialect, mark
        self.connection = connection
        self.cursor = connection.cursor()

    def create(self, schema, table, name="data"):
        """Make a table anew and fill it; one that was there goes."""
        kinds = dict(zip(Kind, TYPES[self.dialect], strict=True))
        quoted = [identifier(column, dialect_of(self.dialect)) for column in schema]
        declared = ", ".join(
            f"{column} {kinds[kind]}" for column, (kind, _) in zip(quoted, schema.values(), strict=True)
        )
        self.cursor.execute(f"DROP TABLE IF EXISTS {name}")
        self.cursor.execute(f"CREATE TABLE {name} (row_number_ INTEGER, {declared})")
        rows = zip(*(table[column] for column in schema), strict=True)
        cells = [(i, *map(self._cell, row)) for i, row in enumerate(rows)]
        self.cursor.executemany(
            f"INSERT INTO {name} VALUES ({', '.join([self.mark] * (1 + len(schema)))})", cells
        )

    def _cell(self, cell):
        return cell.isoformat(sep=" ") if self.dialect == "sqlite" and isinstance(cell, dt.datetime) else cell

    def last_column(self, query):
        """Return the last column of what a query selects, in the order of the rows."""
        self.cursor.execute(query)
        return [row[-1] for row in sorted(self.cursor.fetchall(), key=lambda row: row[0])]


@pytest.fixture(scope="module")
def postgres():
    options = {"autocommit": True, "prepare_threshold": None}  # tables of one name change their types here
    with servers.postgres() as server, psycopg.connect(server.postgres_address, **options) as connection:
        yield Database("postgres", connection, "%s")


@pytest.fixture(scope="module")
def mysql():
    with (
        servers.mariadb() as server,
        pymysql.connect(**server.mariadb_address, autocommit=True) as connection,
    ):
        yield Database("mysql", connection, "%s")


@pytest.fixture(scope="module", name="duckdb")
def in_duckdb():
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        yield Database("duckdb", connection)


@pytest.fixture(scope="module")
def sqlite():
    with closing(sqlite3.connect(":memory:")) as c:
        yield Database("sqlite", c)


@pytest.fixture(params=["postgres", "mysql", "duckdb", "sqlite"])
def database(request):
    return request.getfixturevalue(request.param)


def finite(table):
    """MariaDB has no infinite numbers."""
    return {
        name: [
            math.copysign(1e300, cell) if isinstance(cell, float) and math.isinf(cell) else cell
            for cell in cells
        ]
        for name, cells in table.items()
    }


def check(database, case):
    schema, rule, table = case
    table = finite(table)
    try:
        [identifier(name, dialect_of(database.dialect)) for name in (*schema, f"predicted_{rule.target}")]
    except InputError:  # no table of this database can have such a name
        assume(False)
    query = rule.to_sql(database.dialect, table="data")
    assume("row_number_" not in schema)
    database.create(schema, table)
    expected = rule.predict(columns_of(schema, table)).tolist()
    assert database.last_column(query) == expected


@settings(max_examples=usually(6, 20))
@given(case=cases())
def test_sql_for_postgres_predicts_as_the_rule_set_does(postgres, case):
    check(postgres, case)


@settings(max_examples=usually(6, 20))
@given(case=cases())
def test_sql_for_mariadb_predicts_as_the_rule_set_does(mysql, case):
    check(mysql, case)


@settings(max_examples=usually(6, 20))
@given(case=cases())
def test_sql_for_duckdb_predicts_as_the_rule_set_does(duckdb, case):
    check(duckdb, case)


@settings(max_examples=usually(6, 20))
@given(case=cases())
def test_sql_for_sqlite_predicts_as_the_rule_set_does(sqlite, case):
    check(sqlite, case)


@pytest.mark.parametrize("dialect", ["bigquery", "snowflake", "spark", "oracle", "tsql", "redshift"])
@settings(max_examples=usually(4, 12))
@given(case=cases())
def test_sql_that_no_server_here_runs_is_read_back_as_it_was_meant(duckdb, dialect, case):
    """sqlglot reads the dialect and writes DuckDB's, where it is executed."""
    schema, rule, table = case
    try:
        query = rule.to_sql(dialect, table="data")
    except InputError:
        assume(False)
    (tree,) = sqlglot.parse(query, read=dialect)
    assert {column.name for column in tree.find_all(exp.Column)} - {"*"} <= set(rule.columns)
    duckdb.create(schema, table)
    found = duckdb.last_column(in_duckdb_words(tree, dialect).sql(dialect="duckdb"))
    assert found == rule.predict(columns_of(schema, table)).tolist()


def in_duckdb_words(tree, dialect):
    """Casts to bytes and Oracle's function have no twin in DuckDB: take what they are wrapped around."""

    def plain(node):
        if dialect == "tsql" and isinstance(node, exp.Cast) and "BINARY" in node.to.sql(dialect="tsql"):
            return plain(node.this.this) if isinstance(node.this, exp.Cast) else plain(node.this)
        if isinstance(node, exp.National):
            return exp.Literal.string(node.this)
        if isinstance(node, exp.StrToTime):
            return exp.cast(node.this, "timestamp")
        if isinstance(node, exp.Anonymous) and node.name.upper() == "TO_BINARY_DOUBLE":
            return exp.cast(node.expressions[0], "double")
        return node

    return tree.transform(plain)


ANSWERS = ["no", "no ", "NO", "nö", "no\\", None, "yes"]


def story(rule, table, classes=("out", "in"), plans=None):
    """A rule for the second class, its evidence counted on the table that it is applied to."""
    columns = {name: column_of(cells) for name, cells in table.items()}
    half = np.eye(2)[[1] * len(next(iter(table.values())))]
    rule = counted("y", classes, {classes[1]: rule}, columns, half, default=classes[0])
    return rule if plans is None else rule.with_plans(plans)


@pytest.mark.parametrize("answer", ["no", "no\\"])
def test_blanks_case_accents_and_backslashes_tell_texts_apart_in_every_database(database, answer):
    """In MariaDB 'no ' = 'no', 'NO' = 'no' and 'nö' = 'no', and a backslash at the end escaped the quote."""
    table = {"said": ANSWERS}
    rule = story(Dnf([Clause([Literal("said", Op.EQ, answer)])]), table)
    database.create({"said": (Kind.TEXT, [])}, table)
    found = database.last_column(rule.to_sql(database.dialect, table="data"))
    assert found == ["in" if said == answer else "out" for said in ANSWERS]


def test_every_spelling_that_a_category_had_is_asked_for_and_no_other(database):
    table = {"said": ["yes", "YES", "Yes", "no", None]}
    plan = ColumnPlan(Kind.TEXT, spellings={"YES": "yes"})
    columns = {"said": column_of(["yes", "yes", "no"])}
    either = {"in": Dnf([Clause([Literal("said", Op.EQ, "yes")])])}
    rule = counted("y", ("in", "out"), either, columns, np.eye(2)[[0, 0, 1]], default="out")
    database.create({"said": (Kind.TEXT, [])}, table)
    query = rule.with_plans({"said": plan}).to_sql(database.dialect, table="data")
    assert database.last_column(query) == ["in", "in", "out", "out", "out"]


def test_a_name_is_a_column_in_mariadb_not_a_text(mysql):
    """Without a dialect `"age" > 50` compared the word age there, without an error."""
    table = {"age": [40.0, 60.0, None]}
    rule = story(Dnf([Clause([Literal("age", Op.GT, 50)])]), table)
    mysql.create({"age": (Kind.NUMBER, [])}, table)
    assert mysql.last_column(rule.to_sql("mysql", table="data")) == ["out", "in", "out"]
    assert mysql.last_column(f"SELECT row_number_, {rule.to_sql()} FROM data") != ["out", "in", "out"]


@pytest.mark.parametrize("kind", ["BOOLEAN", "INTEGER"])
def test_yes_and_no_may_be_booleans_or_numbers_in_postgres(postgres, kind):
    """PostgreSQL refuses boolean = 1, and integer = TRUE as well."""
    rule = story(Dnf([Clause([Literal("ill", Op.EQ, True)])]), {"ill": [True, False, None]}, (False, True))
    postgres.cursor.execute("DROP TABLE IF EXISTS data")
    postgres.cursor.execute(f"CREATE TABLE data (row_number_ INTEGER, ill {kind})")
    yes, no = ("TRUE", "FALSE") if kind == "BOOLEAN" else ("1", "0")
    postgres.cursor.execute(f"INSERT INTO data VALUES (0, {yes}), (1, {no}), (2, NULL)")
    assert postgres.last_column(rule.to_sql("postgres", table="data")) == [True, False, False]


MIXED = Dnf(
    [
        Clause([Literal("age", Op.GT, 9.5), Literal("day", Op.GT, dt.datetime(2024, 5, 1))]),
        Clause([Literal("smoker", Op.EQ, True), Literal("colour", Op.NE, "red")]),
    ]
)
MIXED_TABLE = {
    "age": [10.0, 9.0, None, 10.0],
    "day": [dt.datetime(2024, 5, 2), None, dt.datetime(2024, 5, 2), dt.datetime(2024, 5, 1)],
    "smoker": [False, True, True, None],
    "colour": ["red", "blue", "red", "blue"],
}
MIXED_SCHEMA = {
    name: (kind, [])
    for name, kind in zip(MIXED_TABLE, (Kind.NUMBER, Kind.DATE, Kind.BOOLEAN, Kind.TEXT), strict=True)
}


def test_a_view_and_an_update_say_what_predict_says(database):
    rule = story(MIXED, MIXED_TABLE)
    expected = rule.predict(columns_of(MIXED_SCHEMA, MIXED_TABLE)).tolist()
    assert expected == ["in", "in", "out", "out"]
    database.create(MIXED_SCHEMA, MIXED_TABLE, name="visits")
    options = {"dialect": database.dialect, "table": "visits"}
    database.cursor.execute(rule.render("sql", statement="view", **options))
    assert database.last_column("SELECT * FROM visits_predicted") == expected
    database.cursor.execute("DROP VIEW visits_predicted")
    update = rule.render("sql", statement="update", into="said", **options)
    first = next(line for line in update.splitlines() if "ALTER TABLE" in line)
    database.cursor.execute(first[first.index("ALTER TABLE") :])
    database.cursor.execute(update)
    assert database.last_column("SELECT * FROM visits") == expected


def test_the_model_for_dbt_becomes_the_query_also_where_texts_look_like_templates():
    table = {"said": ["{{ evil() }}", "{% raw", "b"]}
    rule = story(Dnf([Clause([Literal("said", Op.EQ, text)]) for text in table["said"][:2]]), table)
    environment = jinja2.Environment(keep_trailing_newline=True)
    seen = {"config": lambda **given: "", "source": lambda *name: ".".join(f'"{x}"' for x in name)}
    made = environment.from_string(rule.to_sql("duckdb", table="clinic.visits", statement="dbt"))
    assert made.render(**seen).strip() == rule.to_sql("duckdb", table="clinic.visits").strip()
    other = rule.to_sql("duckdb", table="visits", statement="dbt")
    assert other.endswith("FROM {{ ref('visits') }} AS t\n")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_is_said_in_its_first_line_and_read_back(dialect):
    for statement in (None, "view", "update"):
        text = story(MIXED, MIXED_TABLE).to_sql(dialect, table="clinic.visits", statement=statement)
        assert text.startswith(f"-- for {DIALECTS[dialect].product}\n")
        (tree,) = sqlglot.parse(text, read=dialect)
        assert {one.name for one in tree.find_all(exp.Column)} - {"*", "predicted_y"} == set(MIXED_TABLE)
        assert [(one.db, one.name) for one in tree.find_all(exp.Table)][-1] == ("clinic", "visits")


def test_a_dot_in_the_name_of_a_view_separates_schema_and_name():
    """`public.churn_risk` became `"public"."public.churn_risk"`."""
    rule = story(MIXED, MIXED_TABLE)
    options = {"table": "public.visits", "statement": "view"}
    assert 'CREATE VIEW "public"."risk" AS' in rule.to_sql("postgres", into="public.risk", **options)
    assert 'CREATE VIEW "other"."risk" AS' in rule.to_sql("postgres", into="other.risk", **options)
    assert 'CREATE VIEW "public"."risk" AS' in rule.to_sql("postgres", into="risk", **options)
    assert "CREATE VIEW `public`.`risk` AS" in rule.to_sql("bigquery", into="public.risk", **options)
    assert 'CREATE VIEW "public"."a.b" AS' in rule.to_sql("duckdb", into='"a.b"', **options)


@pytest.mark.parametrize("op", list(Op))
@pytest.mark.parametrize("name", ["postgres", "duckdb", "sqlite"])
def test_infinity_and_nan_are_missing_in_every_database(request, name, op):
    database = request.getfixturevalue(name)
    cells = [1.0, 2.0, 3.0, math.inf, -math.inf, math.nan, None]
    rule = story(Dnf([Clause([Literal("x", op, 2)])]), {"x": [1.0]})
    database.create({"x": (Kind.NUMBER, [])}, {"x": cells})
    expected = rule.predict({"x": column_of([*cells[:3], *[None] * 4])}).tolist()
    assert database.last_column(rule.to_sql(database.dialect, table="data")) == expected
    two = Clause([Literal("x", op, 2), Literal("x", Op.NE, 7), Literal("x", Op.NE, 9)], at_least=2)
    counted = story(Dnf([two]), {"x": [1.0]})
    assert database.last_column(counted.to_sql(database.dialect, table="data")) == ["in"] * 3 + ["out"] * 4


@pytest.mark.parametrize("op", list(Op))
def test_integers_beyond_float64_compare_as_in_memory(database, op):
    cells = [2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**62 + 1]
    rule = story(Dnf([Clause([Literal("n", op, float(2**53))])]), {"n": [1.0]})
    database.cursor.execute("DROP TABLE IF EXISTS data")
    database.cursor.execute("CREATE TABLE data (row_number_ INTEGER, n BIGINT)")
    rows = ", ".join(f"({i}, {cell})" for i, cell in enumerate(cells))
    database.cursor.execute(f"INSERT INTO data VALUES {rows}")
    expected = rule.predict({"n": column_of(cells)}).tolist()
    assert database.last_column(rule.to_sql(database.dialect, table="data")) == expected


LATE = dt.datetime(2024, 5, 1)


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kolkata"])
@pytest.mark.parametrize("kind", ["TIMESTAMP", "TIMESTAMPTZ", "DATE"])
@pytest.mark.parametrize("name", ["postgres", "duckdb"])
def test_dates_compare_in_utc_in_every_time_zone_of_a_session(request, name, kind, zone):
    """A column with a time zone was cast by the zone of the session."""
    database = request.getfixturevalue(name)
    setting = "TIME ZONE" if name == "postgres" else "TimeZone ="
    moments = ["2024-04-30 22:00:00", "2024-05-01 00:00:00", "2024-05-01 03:00:00", "2024-05-02 00:00:00"]
    database.cursor.execute(f"SET {setting} 'UTC'")
    try:
        database.cursor.execute("DROP TABLE IF EXISTS data")
        database.cursor.execute(f"CREATE TABLE data (row_number_ INTEGER, day {kind})")
        for i, moment in enumerate(moments):
            database.cursor.execute(f"INSERT INTO data VALUES ({i}, CAST('{moment}' AS {kind}))")
        database.cursor.execute(f"SET {setting} '{zone}'")
        for op in Op:
            rule = story(Dnf([Clause([Literal("day", op, LATE)])]), {"day": [LATE]})
            cells = [dt.datetime.fromisoformat(one) for one in moments]
            if kind == "DATE":
                cells = [cell.replace(hour=0) for cell in cells]
            expected = rule.predict({"day": column_of(cells)}).tolist()
            query = rule.to_sql(name, table="data")
            only = f"SELECT row_number_, predicted_y FROM (\n{query}\n) AS predicted"
            assert database.last_column(only) == expected
    finally:
        database.cursor.execute(f"SET {setting} 'UTC'")


@pytest.mark.parametrize("op", list(Op))
def test_nanoseconds_are_dropped_in_duckdb_as_in_memory(duckdb, op):
    nanoseconds = [-1001, -1000, -999, -1, 0, 1, 499, 500, 999, 1000, 1999]
    duckdb.cursor.execute("DROP TABLE IF EXISTS data")
    duckdb.cursor.execute("CREATE TABLE data (row_number_ INTEGER, day TIMESTAMP_NS)")
    for i, n in enumerate(nanoseconds):
        duckdb.cursor.execute(f"INSERT INTO data VALUES ({i}, make_timestamp_ns({n}))")
    cells = np.array(nanoseconds, dtype="datetime64[ns]").astype("datetime64[us]")
    rule = story(Dnf([Clause([Literal("day", op, dt.datetime(1970, 1, 1))])]), {"day": [LATE]})
    expected = rule.predict({"day": Column(cells, np.ones(len(cells), bool))}).tolist()
    assert duckdb.last_column(rule.to_sql("duckdb", table="data")) == expected


@pytest.mark.parametrize("name", ["mysql", "sqlite"])
@pytest.mark.parametrize("op", [Op.EQ, Op.NE])
def test_yes_and_no_may_be_words_where_they_compare_with_1_without_an_error(request, name, op):
    database = request.getfixturevalue(name)
    words = ["TRUE", "false", "1", "0", "maybe", None]
    rule = story(
        Dnf([Clause([Literal("ill", op, True)])]), {"ill": [True]}, plans={"ill": ColumnPlan(Kind.BOOLEAN)}
    )
    database.create({"ill": (Kind.TEXT, [])}, {"ill": words})
    read = column_of([True, False, True, False, None, None])
    query = rule.to_sql(name, table="data")
    assert database.last_column(query) == rule.predict({"ill": read}).tolist()
    assert "not text" not in query


@pytest.mark.parametrize(
    ("name", "dialect", "message"),
    [
        ("x" * 64, "postgres", "at most 63 bytes"),
        ("é" * 32, "postgres", "at most 63 bytes"),
        ("x" * 65, "mysql", "at most 64 characters"),
        ("x ", "mysql", "cannot end with a blank"),
        ("x\r", "mysql", "cannot end with a blank"),
        ("\U0001f912", "mysql", "beyond U\\+FFFF"),
        ('a"b', "oracle", "cannot have the character"),
        ("a`b", "bigquery", "cannot have the character"),
    ],
)
def test_names_that_a_database_would_cut_or_refuse_are_told_before(name, dialect, message):
    """PostgreSQL cuts a longer name without an error, so that two columns may become one."""
    rule = story(Dnf([Clause([Literal(name, Op.GT, 1)])]), {name: [2.0]})
    with pytest.raises(InputError, match=message):
        rule.to_sql(dialect)


def test_names_in_quotes_keep_their_case_where_the_database_does():
    both = story(
        Dnf([Clause([Literal("Age", Op.GT, 1), Literal("age", Op.GT, 1)])]), {"Age": [2], "age": [2]}
    )
    assert '"Age" > 1 AND "age" > 1' in both.to_sql("postgres")
    with pytest.raises(InputError, match="differ in case only"):
        both.to_sql("mysql")


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("visits", ("visits",)),
        ("a.b.c", ("a", "b", "c")),
        ('"a.b"', ("a.b",)),
        ('a."say ""hi"""', ("a", 'say "hi"')),
        ("a..b", ("a..b",)),
        ('say "hi"', ('say "hi"',)),
    ],
)
def test_a_dot_parts_schema_and_table_unless_it_is_quoted(name, parts):
    assert table_parts(name) == parts


def test_a_dialect_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(InputError, match="no SQL dialect 'access': use one of postgres, mysql"):
        story(MIXED, MIXED_TABLE).to_sql("access")
    with pytest.raises(InputError, match="needs the name of the table"):
        story(MIXED, MIXED_TABLE).to_sql("postgres", statement="view")
