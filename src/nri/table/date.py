"""Dates: columns of texts that are dates in one format and only one."""

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nri.arrays import IntArray
from nri.errors import InputError
from nri.rule import ColumnPlan, Kind
from nri.table.cells import ParsedTexts, example, some_cells
from nri.table.number import is_missing_word

Moments = NDArray[np.datetime64]
Format = tuple[str, str, str, str]  # shape, mark between numbers, digits of the year, how the time is written
Fields = dict[str, int]

_LEAST_BESIDE_WORDS = 6  # different dates without which a column with other cells is not about dates
_LOOKED_AT = 5  # cells by which most columns are known to hold no dates
_SAMPLE = 20  # texts by which dates in several formats are recognised
_AMBIGUOUS = "looks like dates, but day and month cannot be told apart; write them as YYYY-MM-DD"
_SEVERAL_FORMATS = "looks like dates in several formats; write them all as YYYY-MM-DD"
_NO_DATES = "are no dates and count as missing"

_MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august"]
_MONTHS += ["september", "october", "november", "december"]
_MONTH_OF = {name: i for i, full in enumerate(_MONTHS, start=1) for name in (full, full[:3])} | {"sept": 9}
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.(?P<fraction>\d+))?)?"
_TIME = rf"(?:,?[ T]+{_CLOCK}(?: ?(?P<half>[ap])\.?m\.?)?)?"
_ZONE = r"(?P<zone>Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)"
_ORDINAL = r"(?:st|nd|rd|th)?"
_MONTH = r"(?P<name>[a-z]{3,9})\.?"
_YEAR = r"(?P<year>\d{4}|\d{2})"
_SHAPES = {
    "iso": rf"(?P<year>\d{{4}})[-/](?P<month>\d{{1,2}})[-/](?P<day>\d{{1,2}})([T ]{_CLOCK}( ?{_ZONE})?)?",
    "points": r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})",
    "numbers": rf"(?P<a>\d{{1,2}})(?P<mark>[/.-])(?P<b>\d{{1,2}})(?P=mark){_YEAR}{_TIME}",
    "day month": rf"(?P<day>\d{{1,2}}){_ORDINAL}(?P<mark>[-/ ]?)\.?{_MONTH}(?P=mark),? ?{_YEAR}{_TIME}",
    "month day": rf"{_MONTH} (?P<day>\d{{1,2}}){_ORDINAL},? (?P<year>\d{{4}}){_TIME}",
    "month": rf"{_MONTH}[-/ ,]+(?P<year>\d{{4}})",
    "year month": r"(?P<year>\d{4})[-/](?P<b>\d{2})",
}
_PATTERNS = {shape: re.compile(text, re.IGNORECASE) for shape, text in _SHAPES.items()}
_PLAIN = ("plain", "", "", "")  # the format of dates that say what they are without their column


@dataclass(frozen=True, eq=False, slots=True)
class TextDates:
    """Texts as moments."""

    moments: Moments  # [D]; NaT where a text does not fit the format of the others
    day_first: bool | None = None  # whether the day comes before the month, if the column as a whole shows it
    ambiguous: bool = False  # whether all are dates, but with the day first as well as with the month first
    several: bool = False  # whether they are in several formats


def recognise(texts: Sequence[str], counts: IntArray) -> ParsedTexts | None:
    """Read texts as dates if that is what most of them are, else return None; other cells become missing."""
    missing = tuple(sorted(filter(is_missing_word, texts)))
    first = next((text for text in texts if text not in missing), None)
    if first is None or not any(map(_may_be_date, (first, *texts[:_LOOKED_AT]))):
        return None  # most columns are ruled out by their first cells
    read_dates = read_text_dates(texts)
    moments = read_dates.moments
    dates, marked = ~np.isnat(moments), np.isin(texts, missing)
    enough = dates.all() or len(np.unique(moments[dates])) >= _LEAST_BESIDE_WORDS
    if not dates.any() or not enough or 2 * counts[~dates & ~marked].sum() > counts[~marked].sum():
        return None
    plan = ColumnPlan(Kind.DATE, day_first=read_dates.day_first, missing=missing)
    several = "dates in several formats are each read by its own" if read_dates.several else ""
    notes = (several, some_cells(texts, counts, ~dates, _NO_DATES))
    return ParsedTexts(moments, plan, "; ".join(filter(None, notes)))


def read(texts: Sequence[str], counts: IntArray, plan: ColumnPlan) -> ParsedTexts:
    """Read texts as the dates that a plan says they are; NaT where a text is none."""
    dates = read_text_dates(texts, plan.day_first)
    if dates.ambiguous and not plan.stated:
        raise InputError(f"day and month cannot be told apart in {example(texts[0])}; write YYYY-MM-DD")
    note = some_cells(texts, counts, np.isnat(dates.moments), _NO_DATES)
    order = dates.day_first if plan.day_first is None else plan.day_first
    return ParsedTexts(dates.moments, replace(plan, day_first=order), note)


def ambiguity(texts: Sequence[str]) -> str:
    """Return a note if texts are dates, but their order is unknown or they have no common format."""
    if not len(texts) or not _may_be_date(texts[0]):
        return ""
    if read_text_dates(texts).ambiguous:
        return _AMBIGUOUS
    return _SEVERAL_FORMATS if all(map(_may_be_date, texts[:_SAMPLE])) else ""


def read_text_dates(texts: Sequence[str], day_first: bool | None = None) -> TextDates:
    """Read texts as dates, each format by itself: ISO, ``01/22/2023``, ``22-Jan-23``, ``January 22, 2023``.

    A day after the 12th shows whether day or month comes first, unless the caller knows it.

    >>> read_text_dates(["01/22/2023", "02/03/2023"]).moments.astype("datetime64[D]").tolist()
    [datetime.date(2023, 1, 22), datetime.date(2023, 2, 3)]
    """
    by_format: dict[Format, dict[int, Fields]] = {}
    for place, text in enumerate(texts):
        if (part := _take_apart(text)) is not None:
            by_format.setdefault(part[0], {})[place] = part[1]
    moments, orders, n_formats = _unknown(len(texts)), set(), 0
    for form, dates in by_format.items():
        read = _in_order([*dates.values()], form, day_first)
        if read.ambiguous:
            return TextDates(_unknown(len(texts)), ambiguous=True)
        moments[[*dates]] = read.moments
        n_formats += not np.isnat(read.moments).all()
        orders.add(read.day_first)
    orders.discard(None)
    order = orders.pop() if len(orders) == 1 else None
    return TextDates(moments, order, several=n_formats > 1)


def _unknown(n: int) -> Moments:
    return np.full(n, np.datetime64("NaT", "us"), dtype="datetime64[us]")


def _may_be_date(text: str) -> bool:
    if not any(map(str.isdigit, text)):
        return False  # as most texts
    part = _take_apart(text)
    return part is not None and (part[0] != _PLAIN or not np.isnat(_moments([part[1]])).any())


def _take_apart(text: str) -> tuple[Format, Fields] | None:
    """Return the format of a date and its fields, None if it is none."""
    text = text.strip()
    for shape, pattern in _PATTERNS.items():
        match = pattern.fullmatch(text)
        if match is not None:
            return _fields_of(shape, {key: value for key, value in match.groupdict().items() if value})
    return None


def _fields_of(shape: str, groups: dict[str, str]) -> tuple[Format, Fields] | None:
    mark, half, name = groups.pop("mark", ""), groups.pop("half", ""), groups.pop("name", "").lower()
    fraction, zone = groups.pop("fraction", ""), groups.pop("zone", "")
    year_digits = len(groups["year"])
    padded = len(groups.get("a", "")) == 2 and len(groups.get("b", "")) == 2
    if shape == "numbers" and year_digits == 2 and (mark == "-" or (mark == "." and not padded)):
        return None  # 22-01-23 may begin with the year, and 1.10.12 is a version
    fields = {key: int(value) for key, value in groups.items()}
    if fraction:
        fields["microsecond"] = int(f"{fraction:0<6}"[:6])
    if zone[:1] in ("+", "-"):
        fields["ahead"] = int(f"{zone[0]}1") * (60 * int(zone[1:3]) + int(zone[-2:]))
    if name:
        if name not in _MONTH_OF:
            return None
        fields["month"] = _MONTH_OF[name]
    if year_digits == 2:  # as Python and POSIX read them
        fields["year"] += 1900 if fields["year"] > 68 else 2000
    if half:
        if not 1 <= fields["hour"] <= 12:
            return None
        fields["hour"] = fields["hour"] % 12 + (12 if half.lower() == "p" else 0)
    if shape in ("iso", "points"):
        return _PLAIN, fields
    timed = "" if "hour" not in fields else "half" if half else "time"
    return (shape, mark, str(year_digits), timed), fields


def _in_order(dates: Sequence[Fields], form: Format, day_first: bool | None) -> TextDates:
    """Read dates of one format, by the only order of day and month that fits all of them."""
    shape, mark, *_ = form
    if shape == "year month":
        seasons = all(one["b"] == (one["year"] + 1) % 100 for one in dates)  # 2008-09 may be a winter
        return TextDates(_unknown(len(dates)) if seasons else _moments(dates, month="b"))
    if shape != "numbers":
        return TextDates(_moments(dates))
    by_day = TextDates(_moments(dates, day="a", month="b"), day_first=True)
    if mark == "." or day_first:
        return by_day
    by_month = TextDates(_moments(dates, day="b", month="a"), day_first=False)
    if day_first is not None:
        return by_month
    wrong_by_day, wrong_by_month = (int(np.isnat(one.moments).sum()) for one in (by_day, by_month))
    if not wrong_by_day and (not wrong_by_month or _may_begin_with_year(dates)):
        return TextDates(_unknown(len(dates)), ambiguous=True)
    return by_day if wrong_by_day <= wrong_by_month else by_month


def _may_begin_with_year(dates: Sequence[Fields]) -> bool:
    """Whether ``22/01/23`` may be 2022: its ends both look like days, and the last one varies more."""
    starts, ends = {one["a"] for one in dates}, {one["year"] - 2000 for one in dates}
    return all(1 <= end <= 31 for end in ends) and len(starts) <= len(ends) > 1


def _moments(dates: Sequence[Fields], day: str = "day", month: str = "month") -> Moments:
    """Return the moments of dates, day and month by the names of their fields; NaT where there is no such."""
    return np.array([_moment(one, one[month], one.get(day, 1)) for one in dates], dtype="datetime64[us]")


def _moment(fields: Fields, month: int, day: int) -> dt.datetime | None:
    """Return a date at UTC, None if the calendar has no such."""
    hour, minute, second, part = (fields.get(x, 0) for x in ("hour", "minute", "second", "microsecond"))
    try:
        moment = dt.datetime(fields["year"], month, day, hour, minute, second, part)
        return moment - dt.timedelta(minutes=fields["ahead"]) if "ahead" in fields else moment
    except (ValueError, OverflowError):
        return None
