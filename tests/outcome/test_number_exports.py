"""A rule for a number in other forms: executed, and equal to predict on every row."""

import datetime as dt
import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest

from nri import InputError, NRIRegressor
from nri.rule import from_json
from nri.rule.estimate import Mean, NumberTarget
from nri.rule.render.sql_dialects import identifier

HOSTILE = ['a"b', "it's; DROP TABLE x --", "naïve ≤ 3", "select"]


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    n = 240
    frame = pd.DataFrame(
        {
            HOSTILE[0]: rng.normal(size=n).round(2),
            HOSTILE[1]: rng.choice(["x'", 'y"', "back\\"], n),
            HOSTILE[2]: rng.integers(0, 2, n).astype(bool),
            HOSTILE[3]: [
                dt.datetime(2024, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 300, n)
            ],
        }
    )
    y = 10.0 * (frame[HOSTILE[0]] > 0) + 20 * (frame[HOSTILE[1]] == "x'") * frame[HOSTILE[2]]
    y = y + 7 * (frame[HOSTILE[3]] > "2024-06-01") + rng.normal(0, 0.5, n)
    holes = frame.astype(object).mask(rng.random(frame.shape) < 0.1, None)
    return NRIRegressor().fit(frame, y.rename("pay per hour")).rule_, frame, holes


def test_all_columns_are_used(fitted):
    assert set(fitted[0].columns) == set(HOSTILE)  # else the tests below would test little


def test_python_says_what_predict_says(fitted):
    rule, _, holes = fitted
    space = {}
    exec(compile(rule.render("python"), "export", "exec"), space)
    said = [space["predict"](row) for row in holes.to_dict("records")]
    assert said == rule.predict(holes).tolist()


@pytest.mark.parametrize("engine", [sqlite3, duckdb])
def test_sql_says_what_predict_says(fitted, engine):
    rule, _, holes = fitted
    types = dict(zip(HOSTILE, ("DOUBLE", "VARCHAR", "BOOLEAN", "TIMESTAMP"), strict=True))
    with engine.connect(":memory:") as connection:
        columns = ", ".join(f"{identifier(name)} {kind}" for name, kind in types.items())
        connection.execute(f"CREATE TABLE data ({columns})")
        cells = [
            [str(cell) if isinstance(cell, dt.datetime) else cell for cell in row]
            for row in holes[HOSTILE].itertuples(index=False, name=None)
        ]
        connection.executemany("INSERT INTO data VALUES (?, ?, ?, ?)", cells)
        rows = connection.execute(rule.render("sql", table="data")).fetchall()
    assert [row[-1] for row in rows] == rule.predict(holes).tolist()


def test_json_gives_back_the_rule(fitted):
    assert from_json(fitted[0].render("json")) == fitted[0]


def test_a_file_edited_by_hand_is_refused_with_its_place(fitted):
    text = fitted[0].render("json").replace('"value"', '"valve"', 1)
    with pytest.raises(InputError, match=r"lacks 'value'"):
        from_json(text)


def test_forms_for_people_escape_names_and_tell_each_value(fitted):
    rule = fitted[0]
    page, table, text = (rule.render(form) for form in ("html", "markdown", "text"))
    assert "DROP TABLE" in page
    assert "<select" not in page
    assert "x&#x27;" in page
    for estimate in rule.estimates:
        assert all(rule.predicts.amount(estimate.value) in form for form in (page, table, text))


def written(values):
    """The one line of a rule about numbers that nothing explains."""
    reg = NRIRegressor().fit(pd.DataFrame({"x": [0, 1] * (len(values) // 2)}), values)
    return reg.rule_.predicts.cells(reg.rule_.otherwise)


def test_the_ends_of_an_interval_differ_from_each_other_and_the_mean():
    """Of seconds since 1970 all three were 1700000000.0, and of many rows the ends were the mean."""
    spread = np.repeat(np.linspace(-15, 15, 2000), 2)
    value, interval, *_ = written(1_700_000_000 + spread)
    assert (value, interval) == ("1700000000.0", "1699999999.7 to 1700000000.3")
    many = Mean(100.0, 1e6, 100.0, 99.98, 100.02, (88.0, 92.5, 100.0, 107.5, 112.0))
    assert NumberTarget("y", decimals=1).cells(many)[:2] == ("100.0", "99.98 to 100.02")


def test_very_large_and_very_small_numbers_are_powers_of_ten():
    """They were a hundred digits, or only zeros."""
    one, two = [1.0, 2.0] * 30, [1.0, 1.0, 2.0, 2.0] * 15
    assert written(1e99 * np.array(two))[0] == "1.5e+99"
    assert written(1e-12 * np.array(two))[:2] == ("1.5e-12", "1.37e-12 to 1.63e-12")
    assert set("".join(written(1e-300 * np.array(one))[:2])) > set("e300")
