"""Targets, times and events of tables that stay where they are: how many values a column may have."""

import duckdb
import numpy as np
import pandas as pd
import pytest

from nri import Settings, induce_rule, read_table
from nri.errors import InputError
from nri.rows import open as opening
from nri.rows.database import engine_of
from nri.rows.open import rows_held, rows_in_engine


def relation(**columns: object) -> duckdb.DuckDBPyRelation:
    return duckdb.connect().from_df(pd.DataFrame(columns))


@pytest.mark.parametrize("looked_at", [100, 200_000])
def test_a_target_has_too_many_values_from_one_number_on_however_they_are_counted(
    looked_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first rows were refused from 2001 different values on, all rows together from 2002 on."""
    monkeypatch.setattr(opening, "_LOOKED_AT", looked_at)
    names = [f"name {i}" for i in range(2001)]
    with pytest.raises(InputError, match="has more than 2000 different values, too many for classes"):
        rows_held(relation(x=range(2001), y=names), "y")
    with pytest.raises(InputError, match="has 2000 different values"):
        rows_held(relation(x=range(2001), y=[None, *names[1:]]), "y")


@pytest.mark.parametrize("asked", [{"target": "name"}, {"time": "days", "event": "name"}])
def test_a_column_of_ever_new_values_is_known_by_its_first_rows(
    asked: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All values of a column that was chosen as event by mistake were counted first, which took long."""
    engine = engine_of(relation(days=range(3000), name=[f"name {i}" for i in range(3000)]))
    assert engine is not None
    queries, query = [], engine.query
    monkeypatch.setattr(engine, "query", lambda sql: queries.append(sql) or query(sql))
    with pytest.raises(InputError, match="different values"):
        rows_in_engine(engine, **asked)
    assert queries
    assert not any("GROUP BY" in sql for sql in queries)


@pytest.mark.parametrize(
    "target", ["name = Bingo", "name != Bingo", "seen > 2024-01-03", "seen <= 2024-01-03"]
)
def test_a_text_or_a_moment_of_many_values_can_be_compared_in_place(target: str) -> None:
    """More than 2000 different cells were refused, though two classes were asked for."""
    rows = pd.DataFrame({"name": [f"n{i}" for i in range(4000)], "place": range(4000)})
    rows["seen"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rows["place"], unit="min")
    rows.loc[rows["place"] % 7 == 0, "name"] = "Bingo"
    rows.loc[rows["place"] % 11 == 0, "name"] = None
    rows.loc[rows["place"] % 13 == 0, "name"] = "N/A"
    in_memory = induce_rule(read_table(rows, target), Settings(model="greedy")).rule
    with duckdb.connect() as database:
        database.register("held", rows)
        in_place = induce_rule(
            rows_held(database.sql("SELECT * FROM held"), target), Settings(model="greedy")
        ).rule
    assert in_place == in_memory
    assert in_place.support == in_memory.support


def test_an_event_of_many_values_can_be_compared_in_place() -> None:
    """A target of more than 2000 texts could be compared, an event could not."""
    rows = pd.DataFrame({"place": np.arange(4000.0), "days": 1.0 + np.arange(4000) % 97})
    rows["why"] = [f"note {i}" for i in range(4000)]
    rows.loc[rows["place"] % 3 == 0, "why"] = "Dead"
    asked = {"time": "days", "event": "why = Dead"}
    in_memory = induce_rule(read_table(rows, **asked)).rule
    with duckdb.connect() as database:
        database.register("held", rows)
        in_place = induce_rule(rows_in_engine(engine_of(database.sql("SELECT * FROM held")), **asked)).rule
    assert in_place.support.events == in_memory.support.events > 1000


def test_an_event_that_is_not_known_is_none_that_did_not_happen() -> None:
    """NaN and infinity counted as rows without the event; in memory they are left out."""
    rows = pd.DataFrame({"place": np.arange(90.0) % 7, "days": 1.0 + np.arange(90) % 11})
    rows["ended"] = [1.0, 0.0, np.nan, np.inf, 0.0] * 18
    asked = {"time": "days", "event": "ended"}
    in_memory = induce_rule(read_table(rows, **asked)).rule
    with duckdb.connect() as database:
        database.register("held", rows)
        in_place = induce_rule(rows_in_engine(engine_of(database.sql("SELECT * FROM held")), **asked)).rule
    assert in_place.support.rows == in_memory.support.rows == 54


@pytest.mark.parametrize("counts", [{"hid": 40, "hId": 40, "x": 40}, {"ill": 2, "ILL": 90, "well": 50}])
def test_spellings_of_a_class_are_weighed_by_all_their_rows(counts: dict[str, int]) -> None:
    """Three rows at most of each spelling were looked at: frequent ones were joined, and rare ones used."""
    label = np.repeat([*counts], [*counts.values()])
    number = np.arange(len(label)) * 1.0
    outcome = read_table({"x": number, "y": label}, "y").explained
    rows = rows_held(relation(x=number, y=label), "y")
    assert rows.outcome.classes == outcome.classes
    assert rows.strata.tolist() == np.bincount(outcome.codes).tolist()
