"""Executable exports are executed, on hostile names and missing cells, and compared row by row."""

import csv
import datetime as dt
import sqlite3
import subprocess
from contextlib import closing

import numpy as np
import pandas as pd
import programs
import pytest
from effort import usually
from engines import EXECUTORS, by_duckdb, by_sqlite
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_strategies import cases, columns_of, counted, n_rows, text

from nri.errors import InputError
from nri.rule import (
    TRUE,
    Clause,
    Dnf,
    Kind,
    Literal,
    Op,
    column_of,
    prolog_facts,
)


def by_prolog(schema, rule, table, folder):
    (folder / "rules.pl").write_text(rule.render("prolog"), encoding="utf-8")
    (folder / "facts.pl").write_text(prolog_facts(rule, columns_of(schema, table)), encoding="utf-8")
    show = "(number(L) -> print(L) ; atom_codes(L, C), print(C)), nl"
    goal = f"forall(between(0, {n_rows(table) - 1}, R), (predict(R, L), {show}))"
    load = "consult('rules.pl'), consult('facts.pl')"
    command = [programs.prolog(), "-q", "-f", "none", "-g", load, "-g", goal, "-t", "halt"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=True)
    assert not done.stderr
    return [label_from_prolog(line, rule) for line in done.stdout.splitlines()]


def label_from_prolog(line, rule):
    """Read a number, or an atom from the list of its character codes."""
    if not line.startswith("["):
        return float(line)
    atom = "".join(chr(int(code)) for code in line.strip("[]").split(","))
    return atom if isinstance(rule.classes[0], str) else atom == "true"


@pytest.mark.parametrize("language", EXECUTORS)
@settings(max_examples=usually(20, 60))
@given(case=cases())
def test_an_export_predicts_as_the_rule_does(language, case):
    schema, rule, table = case
    assert EXECUTORS[language](schema, rule, table) == rule.predict(columns_of(schema, table)).tolist()


@settings(max_examples=usually(5, 15))
@given(case=cases())
def test_the_prolog_export_predicts_as_the_rule_does(tmp_path_factory, case):
    schema, rule, table = case
    found = by_prolog(schema, rule, table, tmp_path_factory.mktemp("prolog"))
    assert found == rule.predict(columns_of(schema, table)).tolist()


@settings(max_examples=usually(10, 30))
@given(cases(max_columns=3), text, st.sampled_from([by_sqlite, by_duckdb]))
def test_sql_works_as_expression_and_on_tables_of_any_name(case, name, execute):
    schema, rule, table = case
    expected = rule.predict(columns_of(schema, table)).tolist()
    assert execute(schema, rule, table, name=name) == expected
    assert execute(schema, rule, table, expression=True) == expected


SMOKER = Dnf([Clause([Literal("smoker", Op.EQ, True)]), Clause([Literal("old", Op.NE, True)])])


@pytest.mark.parametrize("language", EXECUTORS)
def test_boolean_literals_read_numbers_in_every_language(language):
    schema = {"smoker": (Kind.NUMBER, []), "old": (Kind.NUMBER, [])}
    table = {"smoker": [0.0, 1.0, None, 0.0], "old": [1.0, 1.0, 0.0, None]}
    columns = columns_of(schema, table)
    rule = counted("y", ["no", "yes"], {"yes": SMOKER}, columns, np.eye(2)[[0, 1, 1, 0]])
    assert EXECUTORS[language](schema, rule, table) == ["no", "yes", "yes", "no"]


def test_the_python_export_takes_nan_and_dates():
    late = Dnf([Clause([Literal("day", Op.GT, dt.datetime(2024, 5, 1)), Literal("x", Op.NE, 2)])])
    columns = {"day": column_of([dt.date(2024, 5, 2)]), "x": column_of([1])}
    rule = counted("late", [False, True], {True: late}, columns, np.eye(2)[[1]])
    space = {}
    exec(rule.render("python", function="is_late"), space)
    is_late = space["is_late"]
    assert is_late({"day": dt.date(2024, 5, 2), "x": 1}) is True
    assert is_late({"day": dt.date(2024, 5, 2), "x": float("nan")}) is False
    assert is_late({"day": None, "x": 1}) is False
    evening_in_new_york = dt.datetime(2024, 4, 30, 21, tzinfo=dt.timezone(dt.timedelta(hours=-4)))
    assert is_late({"day": evening_in_new_york, "x": 1}) is True, "it is already May in UTC"
    with pytest.raises(KeyError):
        is_late({"x": 1})


WANTED = Dnf(
    [
        Clause(
            [
                Literal("age", Op.GT, 9.5),
                Literal("employed", Op.EQ, True),
                Literal("left", Op.NE, True),
                Literal("day", Op.GT, dt.datetime(2024, 5, 1)),
                Literal("colour", Op.NE, "red"),
            ]
        )
    ]
)
FITTING = {"age": 10, "employed": True, "left": False, "day": dt.date(2024, 5, 2), "colour": "blue"}


def wanted_export(form):
    columns = {name: column_of([cell]) for name, cell in FITTING.items()}
    return counted("y", ["no", "yes"], {"yes": WANTED}, columns, np.eye(2)[[1]]).render(form)


@pytest.fixture
def by_text():
    """The Python export of a rule with columns of every kind."""
    space = {}
    exec(wanted_export("python"), space)
    return lambda **cells: space["predict"](FITTING | cells)


def test_the_python_export_takes_cells_as_csv_gives_them(by_text):
    """Text 'TRUE' was silently false, and a date in text a TypeError."""
    lines = ["age,employed,left,day,colour", "10,TRUE,false,2024-05-02,blue", "9,1,0,2024-05-02,blue"]
    rows = list(csv.DictReader(lines))
    assert [by_text(**row) for row in rows] == ["yes", "no"]
    for yes, no in (("true", "FALSE"), ("1", "0"), ("1.0", "0.0"), (1, 0), (np.True_, np.False_)):
        assert by_text(employed=yes, left=no) == "yes"
        assert by_text(employed=no) == by_text(left=yes) == "no"
    assert by_text(day="2024-05-01 00:00:00") == "no"
    assert by_text(day="2024-05-01T00:00:01") == by_text(day=pd.Timestamp("2024-05-03")) == "yes"
    assert by_text(day="2024-04-30T21:00:00-04:00") == "yes", "it is already May in UTC"


@pytest.mark.parametrize("unknown", [None, float("nan"), pd.NA, pd.NaT, ""])
@pytest.mark.parametrize("column", FITTING)
def test_every_way_of_saying_nothing_is_unknown_to_the_python_export(by_text, column, unknown):
    assert by_text() == "yes"
    assert by_text(**{column: unknown}) == "no"


@pytest.mark.parametrize("cells", [{"employed": "maybe"}, {"age": "old"}, {"day": "yesterday"}])
def test_a_text_that_is_no_such_thing_is_an_error_of_the_python_export_not_a_no(by_text, cells):
    with pytest.raises((KeyError, ValueError)):
        by_text(**cells)


def test_the_python_export_brings_only_the_readers_that_it_needs():
    assert "def known" in single("colour").render("python")
    assert all(word not in single("colour").render("python") for word in ("number", "flag", "moment"))


@pytest.mark.parametrize("infinite", [float("inf"), -float("inf"), np.float64("inf")])
def test_infinity_is_unknown_to_the_python_export(infinite):
    either = Dnf([Clause([Literal("x", Op.LE, 2)]), Clause([Literal("x", Op.GT, 5)])])
    other = Clause([Literal("x", Op.NE, 2), Literal("y", Op.GT, 0)])
    columns = {"x": column_of([1.5]), "y": column_of([1.5])}
    rule = counted("z", ["no", "yes"], {"yes": Dnf([*either, other])}, columns, np.eye(2)[[1]])
    space = {}
    exec(rule.render("python"), space)
    assert space["predict"]({"x": infinite, "y": 1.0}) == "no"
    assert space["predict"]({"x": 3.0, "y": 1.0}) == "yes"
    assert space["predict"]({"x": 3.0, "y": infinite}) == "no"


def test_sql_says_which_columns_must_not_be_text():
    assert wanted_export("sql").startswith(
        "-- for SQLite and DuckDB; for others name a dialect: postgres, mysql, bigquery, snowflake, duckdb, "
        "sqlite, spark, tsql, oracle, redshift\n"
        '-- "employed", "left": 1 or 0, true or false; not text\n'
        '-- "day": a date or time; in SQLite text like 2024-05-01 00:00:00\n'
        "-- x - x = 0: x is finite; infinity and NaN count as missing\n"
        "CASE\n"
    )
    assert single("colour").render("sql").splitlines()[1].startswith("CASE WHEN")


@pytest.mark.parametrize("name", ["", "class", "a b", "f():\n    pass\ndef g"])
def test_a_python_function_needs_a_name_that_python_takes(name):
    with pytest.raises(InputError, match="cannot name a Python function"):
        single("x").render("python", function=name)


def single(column, value="a", target="y", classes=("no", "yes")):
    rule = Dnf([Clause([Literal(column, Op.EQ, value)])])
    columns = {column: column_of([value])}
    return counted(target, classes, {classes[1]: rule}, columns, np.eye(2)[[1]])


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (single(""), "columns without a name"),
        (single("a\0b"), "character NUL"),
        (single("a", "x\0"), "character NUL"),
        (single("a", classes=("\0", "b")), "character NUL"),
    ],
)
def test_what_sql_cannot_say_is_refused(rule, message):
    with pytest.raises(InputError, match=message):
        rule.render("sql")


def test_what_asp_cannot_say_is_refused():
    with pytest.raises(InputError, match="character NUL"):
        single("a\0b").render("asp")


def test_columns_that_sql_would_confuse_are_refused():
    rule = Dnf([Clause([Literal("Age", Op.EQ, True), Literal("age", Op.EQ, True)])])
    columns = {"Age": column_of([True]), "age": column_of([True])}
    rule = counted("y", "ab", {"b": rule}, columns, np.eye(2)[[1]])
    with pytest.raises(InputError, match="'Age' and 'age' differ in case only"):
        rule.render("sql")


def test_a_misspelt_column_is_an_error_in_sqlite_not_a_text():
    """SQLite takes an unknown name in double quotes for a text, and would compare that."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE data (other TEXT)")
        with pytest.raises(sqlite3.OperationalError, match="no such column"):
            connection.execute(single("colour").render("sql", table="data"))


@pytest.mark.parametrize("execute", [by_sqlite, by_duckdb])
def test_columns_named_true_and_false_do_not_stand_in_for_the_words(execute):
    """SQLite reads TRUE as a column if the table has one, so the export must not say it."""
    schema = {name: (Kind.BOOLEAN, []) for name in ("TRUE", "false", "x")}
    table = {"TRUE": [False, None], "false": [True, None], "x": [True, False]}
    rule = Dnf([Clause([Literal("x", Op.EQ, True)])])
    rule = counted("y", [False, True], {True: rule}, columns_of(schema, table), np.eye(2)[[1, 0]])
    assert execute(schema, rule, table) == [True, False]
    always = counted("y", [False, True], {True: TRUE}, columns_of(schema, table), np.eye(2)[[1, 0]])
    assert execute(schema, always, table) == [True, True]


def test_newlines_inside_names_and_values_are_not_indented():
    """The query was once indented after it was written, which put blanks into texts."""
    query = single("two\nlines", "more\nlines").render("sql", table="t\nt")
    assert "\"two\nlines\" = 'more\nlines'" in query
    assert 'FROM "t\nt"' in query


@pytest.mark.parametrize("form", ["sql", "python", "prolog", "asp"])
def test_rules_that_always_or_never_fire_are_exported(form):
    always = counted("y", ["no", "yes"], {"yes": TRUE}, {}, np.eye(2)[[1]])
    never = counted("y", ["no", "yes"], {}, {}, np.eye(2)[[0]])
    assert always.render(form) != never.render(form)
    if form == "sql":
        with closing(sqlite3.connect(":memory:")) as connection:
            assert connection.execute(f"SELECT {always.render(form)}").fetchone() == ("yes",)
            assert connection.execute(f"SELECT {never.render(form)}").fetchone() == ("no",)


def test_prolog_text_is_quoted_so_that_nothing_escapes():
    program = single("it's\n:- halt.", "\\'). evil", target="%\n:- halt.").render("prolog")
    assert r"cell(Row, 'it\'s\xa\:- halt.', V1)" in program
    assert r"V1 == '\\\'). evil'" in program
    assert not any(line.startswith(":- halt") for line in program.splitlines())


def test_unassigned_characters_reach_prolog_as_they_are(tmp_path):
    """Written as an escape, U+D8000 was an illegal character code to SWI-Prolog."""
    odd = "\U000d8000"
    schema, table = {"c": (Kind.TEXT, [odd])}, {"c": [odd, None, "other"]}
    assert by_prolog(schema, single("c", odd, classes=(0, 1)), table, tmp_path) == [1, 0, 0]


def test_prolog_declares_its_encoding_only_where_it_matters():
    assert single("発熱").render("prolog").startswith(":- encoding(utf8).\n")
    assert "encoding" not in single("fever").render("prolog")
