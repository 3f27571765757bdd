"""Dates as people write them: read where the whole column fits one format, and never guessed."""

import datetime as dt
import io
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nri import NRIClassifier
from nri.errors import InputError
from nri.rule import Kind
from nri.table.columns import columns_of
from nri.table.dates import read_text_dates
from nri.table.notes import note_once
from nri.table.read import read_table

DAYS = [dt.datetime(2023, 1, 22), dt.datetime(2023, 4, 3), dt.datetime(2024, 12, 31)]
FORMATS = [
    "%m/%d/%Y", "%d/%m/%Y", "%m-%d-%Y", "%d-%m-%Y", "%d.%m.%Y", "%d.%m.%y", "%m/%d/%y", "%d/%m/%y",
    "%d-%b-%Y", "%d-%b-%y", "%d %b %Y", "%d %B %Y", "%d/%b/%Y", "%d%b%Y", "%B %d, %Y", "%b %d %Y",
    "%m/%d/%Y %I:%M %p", "%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%d.%m.%Y %H:%M",
    "%Y-%m-%d", "%Y/%m/%d", "%Y-%m-%d %H:%M",
]  # fmt: skip


def read(texts: list[str]) -> tuple[Kind, list[object]]:
    column = columns_of(read_table(io.StringIO("a\tb\n" + "".join(f"{text}\tx\n" for text in texts))))["a"]
    return column.kind, [column.cell(row) for row in range(len(column))]


@pytest.mark.parametrize("form", FORMATS)
def test_dates_in_one_format_are_read(form: str) -> None:
    assert read([day.strftime(form) for day in DAYS]) == (Kind.DATE, DAYS)


@pytest.mark.parametrize("form", ["%Y-%m", "%b %Y", "%B %Y"])
def test_months_are_read_as_their_first_day(form: str) -> None:
    assert read([day.strftime(form) for day in DAYS]) == (Kind.DATE, [day.replace(day=1) for day in DAYS])


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.dates(dt.date(1990, 1, 1), dt.date(2040, 12, 31)), min_size=1, max_size=8),
    st.sampled_from(FORMATS),
)
def test_a_date_is_read_as_itself_or_not_at_all(days: list[dt.date], form: str) -> None:
    found = read_text_dates([day.strftime(form) for day in days])
    assert found.ambiguous or found.moments.astype("datetime64[D]").tolist() == days


def test_noon_and_midnight_are_told_apart() -> None:
    kind, moments = read(["01/22/2023 12:00 AM", "01/22/2023 12:30 PM", "01/23/2023 1:05 pm"])
    assert kind is Kind.DATE
    assert [str(moment)[11:16] for moment in moments] == ["00:00", "12:30", "13:05"]


@pytest.mark.parametrize(
    "texts",
    [
        ["01/02/2023", "03/04/2023"],
        ["22/01/2023", "01/22/2023"],
        ["02/30/2023", "01/22/2023"],
        ["01/22/2023", "22-Jan-2023"],
        ["01/22/2023", "soon"],
        ["22-Foo-2023", "23-Foo-2023"],
        ["22-01-23", "23-01-23"],
        ["1.10.12", "1.2.13"],
        ["22/01/23", "22/02/24", "22/03/25"],
        ["2007-08", "2008-09", "2009-10"],
        ["2023-01", "2023-13"],
        ["15:21", "01:14"],
    ],
    ids=" and ".join,
)
def test_what_is_no_date_in_one_format_stays_text(texts: list[str]) -> None:
    assert read(texts) == (Kind.TEXT, texts)


def test_ambiguous_dates_are_told_once(caplog: pytest.LogCaptureFixture) -> None:
    note_once.cache_clear()
    frame = pd.DataFrame({"when": ["01/02/2023", "03/04/2023", "05/06/2023"] * 4})
    NRIClassifier(model="greedy").fit(frame, [0, 1, 0] * 4)
    assert caplog.messages == [
        "when: looks like dates, but day and month cannot be told apart; write them as YYYY-MM-DD"
    ]


def test_new_rows_are_read_by_the_order_that_fits_them_and_ambiguous_ones_are_refused(tmp_path: Path) -> None:
    days = pd.date_range("2023-01-01", periods=60)
    labels = (days > "2023-01-31").tolist()
    clf = NRIClassifier(model="greedy").fit(pd.DataFrame({"when": days.strftime("%m/%d/%Y")}), labels)
    assert clf.predict(pd.DataFrame({"when": days.strftime("%d/%m/%Y")})).tolist() == labels
    assert clf.predict(pd.DataFrame({"when": ["02/22/2023", "01/05/2023"]})).tolist() == [True, False]
    with pytest.raises(InputError, match=r"day and month cannot be told apart in .01/05/2023"):
        clf.predict(pd.DataFrame({"when": ["01/05/2023"]}))
    with pytest.raises(InputError, match=r"column 'when', row 2: 'soon' is no date"):
        clf.predict(pd.DataFrame({"when": ["01/22/2023", "soon"]}))
