"""Dates: columns of texts that are dates in one format and only one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import IntArray
from nri.errors import InputError
from nri.rule.column import ColumnPlan
from nri.rule.literal import Kind
from nri.table.cells import ParsedTexts, example, some_cells
from nri.table.number import is_missing_word

if TYPE_CHECKING:
    import pandas as pd

_LEAST_BESIDE_WORDS = 6
"""Different dates that it takes to believe that a column with other cells is about dates."""
_LOOKED_AT = 5
"""Cells by which most columns are known to hold no dates."""
_AMBIGUOUS = "looks like dates, but day and month cannot be told apart; write them as YYYY-MM-DD"
_SEVERAL_FORMATS = "looks like dates in several formats; write them all as YYYY-MM-DD"
_NO_DATES = "are no dates and count as missing"
_SAMPLE = 20
"""Texts by which dates in several formats are recognised."""

Moments = NDArray[np.datetime64]

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_MONTH_OF = {name: i for i, full in enumerate(_MONTHS, start=1) for name in (full, full[:3])} | {"sept": 9}
_TIME = (
    r"(?:,?[ T]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d+)?)?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?)?"
)
_ORDINAL = r"(?:st|nd|rd|th)?"
_MONTH = r"(?P<name>[a-z]{3,9})\.?"
_YEAR = r"(?P<year>\d{4}|\d{2})"
_SHAPES = {
    "numbers": rf"(?P<a>\d{{1,2}})(?P<mark>[/.-])(?P<b>\d{{1,2}})(?P=mark){_YEAR}",
    "day month": rf"(?P<day>\d{{1,2}}){_ORDINAL}(?P<mark>[-/ ]?)\.?{_MONTH}(?P=mark),? ?{_YEAR}",
    "month day": rf"{_MONTH} (?P<day>\d{{1,2}}){_ORDINAL},? (?P<year>\d{{4}})",
    "month": rf"{_MONTH}[-/ ,]+(?P<year>\d{{4}})",
    "year month": r"(?P<year>\d{4})[-/](?P<b>\d{2})",
}
_PATTERNS = {
    shape: re.compile(text + (_TIME if "day" in shape or shape == "numbers" else ""), re.IGNORECASE)
    for shape, text in _SHAPES.items()
}


@dataclass(frozen=True, eq=False, slots=True)
class TextDates:
    """Texts as moments."""

    moments: Moments
    """[D]; NaT where a text does not fit the format of the others"""
    day_first: bool | None = None
    """whether the day comes before the month, where only the column as a whole tells"""
    ambiguous: bool = False
    """whether all are dates, but with the day first as well as with the month first"""
    several: bool = False
    """whether they are in several formats"""

    @property
    def complete(self) -> bool:
        """Whether every text was read."""
        return not np.isnat(self.moments).any()


def recognise(texts: Sequence[str], counts: IntArray) -> ParsedTexts | None:
    """Read texts as dates if that is what most of them are, else return None.

    Words for nothing and the few cells that are no dates become missing, with a note.

    >>> recognise(["2024-01-31", "2024-02-01"], np.ones(2, int)).plan.kind
    <Kind.DATE: 'date'>
    """
    words = np.array([is_missing_word(text) for text in texts], dtype=bool)
    first = next((text for text, word in zip(texts, words, strict=True) if not word), None)
    if first is None or not (_may_be_date(first) or any(map(_may_be_date, texts[:_LOOKED_AT]))):
        return None  # most columns are ruled out by their first cells
    read_dates = read_text_dates(texts)
    moments = read_dates.moments
    dates = ~np.isnat(moments)
    odd = ~dates & ~words
    enough = read_dates.complete or len(np.unique(moments[dates])) >= _LEAST_BESIDE_WORDS
    if not dates.any() or not enough or 2 * counts[odd].sum() > counts[~words].sum():
        return None
    plan = ColumnPlan(
        Kind.DATE,
        day_first=read_dates.day_first,
        missing=tuple(sorted(text for text, word in zip(texts, words, strict=True) if word)),
    )
    several = "dates in several formats are each read by its own" if read_dates.several else ""
    notes = (several, some_cells(texts, counts, ~dates, _NO_DATES))
    return ParsedTexts(moments, plan, "; ".join(filter(None, notes)))


def read(texts: Sequence[str], counts: IntArray, plan: ColumnPlan) -> ParsedTexts:
    """Read texts as the dates that a plan says they are; NaT where a text is none."""
    dates = read_text_dates(texts, plan.day_first)
    if dates.ambiguous and not plan.stated:
        raise InputError(
            f"day and month cannot be told apart in {example(texts[0])} and the other dates; "
            "write them as YYYY-MM-DD"
        )
    note = some_cells(texts, counts, np.isnat(dates.moments), _NO_DATES)
    return ParsedTexts(dates.moments, plan, note)


def guess(texts: Sequence[str], plan: ColumnPlan) -> object:
    """Return what is decided by all texts together: whether each speaks for itself, and else their format."""
    form = _format_of([_take_apart(text) for text in texts])
    plain = parse_dates(np.asarray(texts, dtype=object))
    if form is None or not np.isnat(plain).any():
        return "plain"
    dates = read_text_dates(texts, plan.day_first)
    return form, dates.day_first, dates.ambiguous, bool(np.isnat(dates.moments).all())


def ambiguity(texts: Sequence[str]) -> str:
    """Return a note if texts are dates, but their order is unknown or they have no common format."""
    if not len(texts) or not _may_be_date(texts[0]):
        return ""
    if read_text_dates(texts).ambiguous:
        return _AMBIGUOUS
    return _SEVERAL_FORMATS if all(map(_may_be_date, texts[:_SAMPLE])) else ""


def read_text_dates(texts: Sequence[str], day_first: bool | None = None) -> TextDates:
    """Read texts as dates in one format.

    ISO dates and times (also ``2024/01/31``) and ``31.01.2024`` may stand side by side. Everything else must
    be alike in the whole column: ``01/22/2023``, ``22-Jan-23``, ``January 22, 2023``, ``2023-01``, ... A day
    after the 12th tells whether day or month comes first, unless the caller knows it.

    >>> read_text_dates(["01/22/2023", "02/03/2023"]).moments.astype("datetime64[D]").tolist()
    [datetime.date(2023, 1, 22), datetime.date(2023, 2, 3)]
    >>> read_text_dates(["01/02/2023", "02/03/2023"]).ambiguous
    True
    """
    moments = parse_dates(np.asarray(texts, dtype=object))
    if not np.isnat(moments).any():
        return TextDates(moments)
    import pandas as pd

    parts = [_take_apart(text) for text in texts]
    orders: set[bool | None] = set()
    iso, formats = ~np.isnat(moments), 0
    for chosen in sorted({part[0] for part in parts if part is not None}):
        fields = pd.DataFrame(
            [part[1] if part is not None and part[0] == chosen else {} for part in parts],
            columns=["a", "b", "day", "month", "year", "hour", "minute", "second"],
            dtype=float,
        ).dropna(subset="year")
        read = _in_order(fields, chosen[0], chosen[1], day_first)
        if read.ambiguous:
            return TextDates(np.full(len(texts), np.datetime64("NaT"), "datetime64[us]"), ambiguous=True)
        moments[fields.index] = read.moments
        orders.add(read.day_first)
        formats += 1
    orders.discard(None)
    order = orders.pop() if len(orders) == 1 else None
    return TextDates(moments, order, several=bool(formats + iso.any() > 1))


def _format_of(parts: Sequence[tuple[tuple[str, ...], dict[str, float]] | None]) -> tuple[str, ...] | None:
    """Return the format that most dates have; None if none has one of those that must be alike."""
    formats = Counter(part[0] for part in parts if part is not None)
    return max(formats, key=lambda form: (formats[form], form)) if formats else None


def parse_dates(texts: NDArray[Any]) -> Moments:
    """Read ISO dates and times (also ``2024/01/31`` and ``31.01.2024``), each by itself; NaT for others.

    Month and day are never guessed: ``01/02/2024`` is not read.
    """
    import pandas as pd

    series = pd.Series(texts, dtype=object).astype(str).str.strip()
    iso = series.str.fullmatch(
        r"\d{4}[-/]\d{1,2}[-/]\d{1,2}([T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?(Z|[+-]\d{2}:?\d{2}))?)?"
    )
    dotted = series.str.fullmatch(r"\d{1,2}\.\d{1,2}\.\d{4}")
    out = np.full(len(series), np.datetime64("NaT"), dtype="datetime64[us]")
    for mask, form in ((iso, "ISO8601"), (dotted, "%d.%m.%Y")):
        chosen = np.asarray(mask, dtype=bool)
        if chosen.any():
            cleaned = series[chosen].str.replace("/", "-", regex=False)
            moments = pd.to_datetime(cleaned, format=form, errors="coerce", utc=True)
            out[chosen] = moments.dt.tz_localize(None).to_numpy(dtype="datetime64[us]")
    return out


def _may_be_date(text: str) -> bool:
    if not any(map(str.isdigit, text)):
        return False  # as most texts
    return _take_apart(text) is not None or not np.isnat(parse_dates(np.array([text], dtype=object))).any()


def _take_apart(text: str) -> tuple[tuple[str, ...], dict[str, float]] | None:
    """Return the format of a date and its fields, None if it is none."""
    for shape, pattern in _PATTERNS.items():
        match = pattern.fullmatch(text.strip())
        if match is not None:
            groups = {key: value for key, value in match.groupdict().items() if value is not None}
            return _fields_of(shape, groups)
    return None


def _fields_of(shape: str, groups: dict[str, str]) -> tuple[tuple[str, ...], dict[str, float]] | None:
    mark, year = groups.pop("mark", ""), groups["year"]
    half, name = groups.pop("half", ""), groups.pop("name", None)
    padded = len(groups.get("a", "")) == 2 and len(groups.get("b", "")) == 2
    if shape == "numbers" and len(year) == 2 and (mark == "-" or (mark == "." and not padded)):
        return None  # 22-01-23 may begin with the year, and 1.10.12 is a version
    fields = {key: float(value) for key, value in groups.items()}
    if name is not None:
        if name.lower() not in _MONTH_OF:
            return None
        fields["month"] = _MONTH_OF[name.lower()]
    if len(year) == 2:  # as Python and POSIX read them
        fields["year"] += 1900 if fields["year"] > 68 else 2000
    if half:
        if not 1 <= fields["hour"] <= 12:
            return None
        fields["hour"] = fields["hour"] % 12 + (12 if half.lower() == "p" else 0)
    timed = "" if "hour" not in fields else "half" if half else "time"
    return (shape, mark, str(len(year)), timed), fields


def _in_order(fields: pd.DataFrame, shape: str, mark: str, day_first: bool | None) -> TextDates:
    """Read fields of one format, by the only order of day and month that fits all of them."""
    if shape == "year month":
        seasons = (fields["b"] == (fields["year"] + 1) % 100).all()  # 2008-09 may be a winter
        return TextDates(_moments(fields.assign(month=np.nan if seasons else fields["b"], day=1)))
    if shape == "month":
        return TextDates(_moments(fields.assign(day=1)))
    if shape != "numbers":
        return TextDates(_moments(fields))
    by_day = TextDates(_moments(fields.assign(day=fields["a"], month=fields["b"])), day_first=True)
    if mark == "." or day_first:
        return by_day
    by_month = TextDates(_moments(fields.assign(day=fields["b"], month=fields["a"])), day_first=False)
    if day_first is not None:
        return by_month
    if by_day.complete and (by_month.complete or _may_begin_with_year(fields)):
        return TextDates(np.full_like(by_day.moments, "NaT"), ambiguous=True)
    fits_better = np.isnat(by_day.moments).sum() <= np.isnat(by_month.moments).sum()
    return by_day if fits_better else by_month


def _may_begin_with_year(fields: pd.DataFrame) -> bool:
    """Whether ``22/01/23`` may be 2022: its ends both look like days, and the last one varies more."""
    ends = fields["year"] - 2000
    return bool(ends.between(1, 31).all()) and fields["a"].nunique() <= ends.nunique() > 1


def _moments(fields: pd.DataFrame) -> Moments:
    import pandas as pd

    times = fields[["hour", "minute", "second"]].fillna(0)
    parts = pd.concat([fields[["year", "month", "day"]], times], axis="columns")
    # pandas takes 2023-13-01 for a date of its own making, so months and days are checked here
    valid = parts["month"].between(1, 12) & parts["day"].between(1, 31) & parts["hour"].between(0, 23)
    valid &= parts["minute"].between(0, 59) & parts["second"].between(0, 59)
    out = np.full(len(fields), np.datetime64("NaT"), dtype="datetime64[us]")
    chosen = np.asarray(valid, dtype=bool)
    if chosen.any():
        moments = pd.to_datetime(parts[chosen].astype(int), errors="coerce")
        out[chosen] = moments.to_numpy(dtype="datetime64[us]")
    return out
