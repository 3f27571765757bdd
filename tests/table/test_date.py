"""Dates as people write them: read where the whole column fits one format, and never guessed."""

import datetime as dt
import io

import pandas as pd
import pytest
from effort import usually
from hypothesis import given, settings
from hypothesis import strategies as st

from nri import NRIClassifier, read_table
from nri.errors import InputError
from nri.rule import Kind, from_json
from nri.rule.column import ColumnPlan
from nri.table import read_columns, table_of
from nri.table.date import read_text_dates

DAYS = [dt.datetime(2023, 1, 22), dt.datetime(2023, 4, 3), dt.datetime(2024, 12, 31)]
FORMATS = [
    "%m/%d/%Y", "%d/%m/%Y", "%m-%d-%Y", "%d-%m-%Y", "%d.%m.%Y", "%d.%m.%y", "%m/%d/%y", "%d/%m/%y",
    "%d-%b-%Y", "%d-%b-%y", "%d %b %Y", "%d %B %Y", "%d/%b/%Y", "%d%b%Y", "%B %d, %Y", "%b %d %Y",
    "%m/%d/%Y %I:%M %p", "%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M:%S", "%d.%m.%Y %H:%M",
    "%Y-%m-%d", "%Y/%m/%d", "%Y-%m-%d %H:%M",
]  # fmt: skip


def read(texts: list[str]) -> tuple[Kind, list[object]]:
    column = read_table(io.StringIO("a\tb\n" + "".join(f"{text}\tx\n" for text in texts))).columns["a"]
    return column.kind, [column.cell(row) for row in range(len(column))]


@pytest.mark.parametrize("form", FORMATS)
def test_dates_in_one_format_are_read(form: str) -> None:
    assert read([day.strftime(form) for day in DAYS]) == (Kind.DATE, DAYS)


@pytest.mark.parametrize("form", ["%Y-%m", "%b %Y", "%B %Y"])
def test_months_are_read_as_their_first_day(form: str) -> None:
    assert read([day.strftime(form) for day in DAYS]) == (Kind.DATE, [day.replace(day=1) for day in DAYS])


@settings(deadline=None, max_examples=usually(13, 40))
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
    frame = pd.DataFrame({"when": ["01/02/2023", "03/04/2023", "05/06/2023"] * 4})
    NRIClassifier(model="greedy").fit(frame, [0, 1, 0] * 4)
    assert caplog.messages == [
        "when: looks like dates, but day and month cannot be told apart; write them as YYYY-MM-DD"
    ]


DAYS_OF_2023 = pd.date_range("2023-01-01", periods=60)
IN_FEBRUARY = (DAYS_OF_2023 > "2023-01-31").tolist()


@pytest.mark.parametrize("form", ["%d/%m/%Y", "%m/%d/%Y"])
def test_the_order_of_day_and_month_is_kept_for_rows_that_do_not_tell_it(form: str) -> None:
    """Predicted alone, ``05/01/2023`` was refused; among others it was read in the order that fitted them."""
    clf = NRIClassifier(model="greedy").fit(pd.DataFrame({"when": DAYS_OF_2023.strftime(form)}), IN_FEBRUARY)
    for when, label in zip(DAYS_OF_2023, IN_FEBRUARY, strict=True):
        assert clf.predict(pd.DataFrame({"when": [when.strftime(form)]})).tolist() == [label]
    again = from_json(clf.rule_.render("json"))
    assert again.predict(pd.DataFrame({"when": DAYS_OF_2023.strftime(form)})).tolist() == IN_FEBRUARY


def test_a_few_cells_of_new_rows_that_are_no_dates_are_missing_and_most_are_refused(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clf = NRIClassifier(model="greedy").fit(
        pd.DataFrame({"when": DAYS_OF_2023.strftime("%m/%d/%Y")}), IN_FEBRUARY
    )
    new = ["02/22/2023", "01/05/2023", "soon"]
    assert clf.predict(pd.DataFrame({"when": new})).tolist()[:2] == [True, False]
    assert caplog.messages == ["when: 1 of 3 cells are no dates and count as missing, such as 'soon'"]
    with pytest.raises(InputError, match=r"column 'when', row 2: 'soon' is no date"):
        clf.predict(pd.DataFrame({"when": ["01/22/2023", "soon", "later"]}))


def test_a_rule_that_says_nothing_of_the_order_refuses_ambiguous_dates() -> None:
    """Rules that older versions wrote know that a column holds dates, but not in which format."""
    with pytest.raises(InputError, match=r"day and month cannot be told apart in .01/05/2023"):
        read_columns({"when": ["01/05/2023"]}, {"when": ColumnPlan(Kind.DATE, stated=False)})


def test_odd_cells_among_dates_are_missing_with_a_note() -> None:
    cells = [f"2024-03-{day:02d}" for day in range(1, 19)] + ["soon", "unknown"]
    table = table_of({"when": cells})
    assert table.columns["when"].known.tolist() == [True] * 18 + [False] * 2
    assert [str(note) for note in table.notes] == [
        "when: 2 of 20 cells are no dates and count as missing, such as 'soon', 'unknown'"
    ]


@pytest.mark.parametrize("text", ["0000-05-07", "07.05.0000", "05/22/0000", "22-May-0000", "0000-05"])
def test_the_year_zero_is_no_date_since_python_cannot_hold_it(text: str) -> None:
    """Registers write it for nothing; the date was read, and failed wherever it became one of Python's."""
    assert read([text]) == (Kind.TEXT, [text])
    cells = [f"2024-03-{day:02d}" for day in range(1, 19)] + [text]
    assert read(cells) == (Kind.DATE, [*(dt.datetime(2024, 3, day) for day in range(1, 19)), None])


def test_dates_in_several_formats_are_read_each_by_its_own_with_a_note() -> None:
    texts = ["2024-01-31", "05/31/2024", "Feb 3, 2024", "4-Mar-2024", "06/01/2024", "2024-07-08"]
    table = table_of({"seen": texts})
    days = ["2024-01-31", "2024-05-31", "2024-02-03", "2024-03-04", "2024-06-01", "2024-07-08"]
    assert table.columns["seen"].values.astype("datetime64[D]").astype(str).tolist() == days
    assert [one.text for one in table.notes] == ["dates in several formats are each read by its own"]
