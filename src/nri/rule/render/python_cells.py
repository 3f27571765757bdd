# mypy: ignore-errors
"""Readers of cells for the Python export: their source is copied into it, so they need nothing but Python.

Each reads one cell as a plan says, and returns None where it is unknown; see :mod:`nri.table.number` and
:mod:`nri.table.date`, which read whole columns in the same way.
"""

import datetime
import math
import re


def stands_for_nothing(text, missing=()):
    """Whether a text beside numbers or dates is a sign or a word for a missing cell."""
    signs = ["", "-", "--", "---", ".", "..", "...", "*", "/", "?", "??", "\u2013", "\u2014", "\u2026"]
    words = [
        *("#n/a", "#na", "#null!", "#value!", "#div/0!", "#ref!", "#num!", "#name?", "n.a.", "n.a", "n. a."),
        *(
            "n/a",
            "na",
            "nan",
            "null",
            "nil",
            "n.d.",
            "nd",
            "<na>",
            "nat",
            "none",
            "unknown",
            "unk",
            "missing",
        ),
        *("not available", "not applicable", "not known", "not measured", "not done", "undefined", "blank"),
        *("empty", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity", "\u221e", "-\u221e"),
    ]
    return text in missing or text.lower() in signs or text.lower() in words


def number(cell, decimal=".", groups="", unit=("", ""), missing=(), words=()):
    """Return a number; a text may have the unit of its column, separators, brackets and a bound."""
    if isinstance(cell, str):
        if stands_for_nothing(cell.strip(), words):
            return None
        cell = written_number(cell.strip(), decimal, groups, *map(re.escape, unit))
    elif hasattr(cell, "total_seconds"):
        cell = cell.total_seconds()
    if cell is None or repr(cell) == "<NA>" or cell != cell:
        return None
    value = float(cell)
    return value if math.isfinite(value) and value not in missing else None


def written_number(text, decimal, groups, front, unit):
    """Return the number that a text is in the style of its column, or can only be."""
    error = ValueError(f"{text!r} is no number")
    bracketed = text[:1] == "(" and text[-1:] == ")"
    match = re.fullmatch(
        r"(?:(<=?|>=?|\u2264|\u2265)\s?|(?:~|\u2248|(?i:ca|circa|approx|about)\.?)\s?)?"
        rf"([+\u2212-]?)(?:{front})?\s?([+\u2212-]?)"
        r"([0-9.,](?:[0-9.,'\u2019 \u00a0\u2009\u202f]*[0-9.,])?)((?:[eE][+-]?[0-9]+)?)"
        rf"\s*(?:{unit}s?)?\s*[*\u2020\u2021]{{0,3}}",
        text[1:-1] if bracketed else text,
    )
    if match is None or (match[2] and match[3]) or (bracketed and (match[1] or match[2] or match[3])):
        raise error
    digits, point = match[4], re.escape(decimal)
    style = rf"[0-9]+(?:{point}[0-9]*)?|{point}[0-9]+"
    if groups:
        style = rf"(?:[1-9][0-9]{{0,2}}(?:[{groups}][0-9]{{3}})+|[0-9]{{1,3}})(?:{point}[0-9]+)?"
    once = re.fullmatch(r"([0-9]+)[.,]([0-9]+)", digits)
    if re.fullmatch(style, digits) and not (groups and match[5]):
        digits = "".join(one for one in digits if one not in groups).replace(decimal, ".")
    elif match[5]:
        raise error
    elif digits.isdigit() or (once and (len(once[2]) != 3 or len(once[1]) > 3 or once[1][0] == "0")):
        digits = digits.replace(",", ".")
    elif once:
        raise error
    elif re.fullmatch(r"[1-9][0-9]{0,2}([.,'\u2019 ])[0-9]{3}(?:\1[0-9]{3})*", digits):
        digits = re.sub("[^0-9]", "", digits)
    elif re.fullmatch(r"[1-9][0-9]{0,2}(?:([.,])[0-9]{3})+(?!\1)[.,][0-9]+", digits):
        digits = ".".join(re.sub("[.,]", "", one) for one in re.split("[.,](?=[0-9]+$)", digits))
    else:
        raise error
    value = float(digits + match[5])
    value = -value if bracketed or (match[2] or match[3]) in ("-", "\u2212") else value
    return math.nextafter(value, math.inf) if match[1] == ">" else value


def flag(cell, **as_number):
    """Return True for yes and False for no, as words or numbers."""
    if isinstance(cell, str):
        words = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
        if cell.strip().lower() in words:
            return words[cell.strip().lower()]
        if not as_number:
            if stands_for_nothing(cell.strip()):
                return None
            raise ValueError(f"{cell!r} is neither yes nor no")
    value = number(cell, **as_number)
    return None if value is None else value == 1


def text(cell, missing=(), labels=None, folded=False):
    """Return a category; of a code its label, and without differences of case and blanks if it is folded."""
    if cell is None or repr(cell) == "<NA>" or cell != cell or cell == "":
        return None
    if isinstance(cell, (bool, str)) or not hasattr(cell, "__float__"):
        cell = str(cell)
    else:
        cell = str(int(cell)) if float(cell).is_integer() else repr(float(cell))
    if cell.strip() in missing:
        return None
    if labels is not None:
        return labels.get(re.sub(r"\.0+$", "", cell.strip()), cell)
    return " ".join(cell.split()).casefold() if folded else cell


def moment(cell, day_first=None, missing=()):
    """Return a moment in UTC; a date is its midnight, and nanoseconds are dropped."""
    if isinstance(cell, str):
        if stands_for_nothing(cell.strip(), missing):
            return None
        cell = written_moment(cell.strip().lower(), day_first)
    if cell is None or repr(cell) == "<NA>" or cell != cell:
        return None
    if not isinstance(cell, datetime.datetime):
        cell = datetime.datetime.combine(cell, datetime.time())
    cell = datetime.datetime(*cell.timetuple()[:6], cell.microsecond, cell.tzinfo)
    if cell.tzinfo is not None:
        cell = cell.astimezone(datetime.UTC).replace(tzinfo=None)
    return None if cell.isoformat() in missing or cell.date().isoformat() in missing else cell


def written_moment(text, day_first):
    """Return the moment that a text in small letters names."""
    time = (
        r"(?:,?[ t]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.(?P<part>\d+))?)?"
        r"(?: ?(?P<half>[ap])\.?m\.?)?(?: ?(?P<zone>z|[+-]\d{2}:?\d{2}))?)?"
    )
    month, end, year = r"(?P<name>[a-z]{3,9})\.?", r"(?:st|nd|rd|th)?", r"(?P<year>\d{4}|\d{2})"
    for pattern in (
        r"(?P<year>\d{4})[-/](?P<month>\d{1,2})[-/](?P<day>\d{1,2})" + time,
        rf"(?P<a>\d{{1,2}})(?P<mark>[/.-])(?P<b>\d{{1,2}})(?P=mark){year}{time}",
        rf"(?P<day>\d{{1,2}}){end}(?P<mark>[-/ ]?)\.?{month}(?P=mark),? ?{year}{time}",
        rf"{month} (?P<day>\d{{1,2}}){end},? (?P<year>\d{{4}}){time}",
        rf"{month}[-/ ,]+(?P<year>\d{{4}})",
        r"(?P<year>\d{4})[-/](?P<month>\d{2})",
    ):
        match = re.fullmatch(pattern, text)
        if match is not None:
            break
    else:
        raise ValueError(f"{text!r} is no date")
    part = match.groupdict()
    if part.get("a"):
        order = ("a", "b") if part["mark"] == "." or day_first else ("b", "a")
        part["day"], part["month"] = (part[one] for one in order)
    if part.get("name"):
        names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        part["month"] = 1 + names.index(part["name"][:3]) if part["name"][:3] in names else 13
    date = [int(part.get(one) or 1) for one in ("year", "month", "day")]
    if len(part["year"]) == 2:
        date[0] += 1900 if date[0] > 68 else 2000
    hour, minute, second = (int(part.get(one) or 0) for one in ("hour", "minute", "second"))
    if part.get("half"):
        hour = hour % 12 + 12 * (part["half"] == "p")
    fraction = int(((part.get("part") or "") + "000000")[:6])
    zone = part.get("zone")
    zone = datetime.datetime.strptime(zone.upper(), "%z").tzinfo if zone else None
    return datetime.datetime(*date, hour, minute, second, fraction, zone)
