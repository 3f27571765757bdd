"""Targets, times and events of tables that stay where they are: how many values a column may have."""

import duckdb
import pandas as pd
import pytest

from nri.errors import InputError
from nri.rows import open as opening
from nri.rows.open import rows_held


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
