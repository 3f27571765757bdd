"""What a cell means is the same in predict and in every export, whatever the cell is.

Each case is a column as it was when the rule was made, and cells that come later: infinities, moments with a
zone, integers that no float64 holds, nanoseconds, durations, and every way to write a number or a date.
"""

import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pandas as pd
import pytest

from nri import NRIClassifier
from nri.rule import Rule

N = 60
BIG, HUGE = 2**53, 2**63
DAYS = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(N), unit="D")
MIDDLE = pd.Timestamp("2024-01-31")

CASES: dict[str, tuple[object, list[object], str]] = {
    "infinity": (
        np.arange(N, dtype=float),
        [np.inf, -np.inf, np.nan, None, 3.0, 50.0],
        "python sqlite duckdb",
    ),
    "int64": (BIG + 2 * np.arange(N), [BIG + 57, BIG + 58, BIG + 59, BIG + 61, None], "python sqlite duckdb"),
    "uint64": (
        np.array([HUGE + 4096 * i for i in range(N)], dtype=np.uint64),
        [HUGE + 4096 * 29 + 1, HUGE + 4096 * 30 - 1, HUGE + 4096 * 30 + 1025, HUGE],
        "python duckdb",
    ),
    "zone": (
        DAYS.tz_localize("America/New_York"),
        [MIDDLE.tz_localize("UTC") + pd.Timedelta(hours=h) for h in range(-30, 31, 3)],
        "python duckdb",
    ),
    "nanoseconds": (DAYS, [MIDDLE + pd.Timedelta(n, "ns") for n in (-1, 0, 1, 999, 1000)], "python duckdb"),
    "durations": (
        pd.to_timedelta(np.arange(N), unit="h"),
        [pd.Timedelta(h, "h") for h in (0, 29, 30, 31, 50)],
        "python",
    ),
    "numbers as text": (
        [f"{i / 10:.1f}".replace(".", ",") for i in range(N)],
        [
            "<0,5",
            ">5,5",
            "N.A.",
            "n.a.",
            "Unknown",
            "inf",
            "~4,1",
            "4,1*",
            "ca. 5",
            "(3)",
            "-1",
            "5.5",
            "-",
            "",
        ],
        "python",
    ),
    "thousands": (
        [f"{100 * i:,}" for i in range(N)],
        ["5,500", "12", "1,000,000", "2.500,50", "3 000", "<=200"],
        "python",
    ),
    "unit": ([f"{i} years" for i in range(N)], ["5 year", "45 years", "45", "< 3 years", "NA"], "python"),
    "yes and no": ([0, 1] * (N // 2), ["1", "0", "TRUE", "1.0", "2", "N.A.", "1,0"], "python"),
    "categories": (["yes", "no", "Yes"] * 20, ["YES", " yes", "No ", "maybe", None], "python"),
    "spelled": (
        ["Ulm", "Bonn", "ulm", "Bonn", "Ulm", "Ulm"] * 10,
        ["ulm", "Ulm", "Bonn", None],
        "python sqlite duckdb",
    ),
    "dates as text": (
        [day.strftime("%d/%m/%Y") for day in DAYS],
        ["01/02/2024", "31/01/2024", "30/01/2024", "5/2/2024", "n.a.", "03/01/2024"],
        "python",
    ),
    "months": (
        [day.strftime("%b %d, %Y") for day in DAYS],
        ["Feb 1, 2024", "January 3, 2024", "Jan 31, 2024", "unknown"],
        "python",
    ),
}


def rule_and_cells(case: str) -> tuple[Rule, pd.DataFrame]:
    trained, later, _ = CASES[case]
    frame = pd.DataFrame({"x": trained})
    half = np.arange(N) >= N // 2
    if case in ("yes and no", "categories", "spelled"):
        half = frame["x"].astype(str).str.lower().isin(["1", "yes", "ulm"]).to_numpy()
    rule = NRIClassifier(model="greedy").fit(frame, np.where(half, "b", "a")).rule_
    assert rule.columns == ("x",)
    if frame["x"].dtype.kind in "iu" and case != "yes and no":
        return rule, pd.DataFrame(
            {"x": pd.array(later, dtype=frame["x"].dtype.name.replace("i", "I").replace("u", "U"))}
        )
    if isinstance(later[0], str):  # among cells as they were, so that columns of odd cells are not refused
        return rule, pd.DataFrame({"x": [*map(str, frame["x"]), *later]}, dtype=object)
    return rule, pd.DataFrame({"x": pd.Series(later)})


def by_python(rule: Rule, cells: pd.DataFrame) -> list[object]:
    space: dict = {}
    exec(rule.render("python"), space)
    return [space["predict"](row) for row in cells.to_dict("records")]


def by_sqlite(rule: Rule, cells: pd.DataFrame) -> list[object]:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"CREATE TABLE data (x {'TEXT' if cells['x'].dtype == object else 'NUMERIC'})")
        rows = [(None if pd.isna(x) else x if isinstance(x, str | float) else int(x),) for x in cells["x"]]
        database.executemany("INSERT INTO data VALUES (?)", rows)
        return [row[-1] for row in database.execute(rule.render("sql", table="data", dialect="sqlite"))]


@pytest.mark.parametrize("case", CASES)
def test_python_means_by_a_cell_what_predict_means(case):
    rule, cells = rule_and_cells(case)
    assert by_python(rule, cells) == rule.predict(cells).tolist()


@pytest.mark.parametrize("case", [case for case, (*_, engines) in CASES.items() if "sqlite" in engines])
def test_sqlite_means_by_a_cell_what_predict_means(case):
    rule, cells = rule_and_cells(case)
    assert by_sqlite(rule, cells) == rule.predict(cells).tolist()


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Tokyo"])
@pytest.mark.parametrize("case", [case for case, (*_, engines) in CASES.items() if "duckdb" in engines])
def test_duckdb_means_by_a_cell_what_predict_means_in_any_session_zone(case, zone):
    rule, cells = rule_and_cells(case)
    with duckdb.connect() as database:
        database.execute(f"SET TimeZone = '{zone}'")
        database.register("cells", cells)
        database.execute("CREATE TABLE data AS SELECT * FROM cells")
        rows = database.sql(rule.render("sql", table="data", dialect="duckdb"))
        predicted = rows.project(f'"{rows.columns[-1]}"').fetchall()
        assert [label for (label,) in predicted] == rule.predict(cells).tolist()


def test_a_rule_names_the_zone_of_times_and_the_unit_of_durations():
    assert "units: x in UTC" in str(rule_and_cells("zone")[0])
    assert "units: x in s" in str(rule_and_cells("durations")[0])
    assert "units: x in year" in str(rule_and_cells("unit")[0])
    assert "units" not in str(rule_and_cells("nanoseconds")[0])


@pytest.mark.parametrize("dialect", ["spark", "snowflake", "redshift"])
def test_a_moment_with_a_zone_is_compared_with_one_where_the_session_would_decide(dialect):
    """Four of a hundred rows differed in a Spark session of New York."""
    zoned, _ = rule_and_cells("zone")
    plain, _ = rule_and_cells("nanoseconds")
    assert "+00:00'" in zoned.render("sql", dialect=dialect)
    assert "a time with time zone" in zoned.render("sql", dialect=dialect)
    assert "+00:00" not in plain.render("sql", dialect=dialect)
    assert "a date or time without time zone" in plain.render("sql", dialect=dialect)
