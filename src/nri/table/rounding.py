"""Rounding: among cut points that mean the same on the rows at hand, the one a person would say."""

import math

import numpy as np

_MOST_DIGITS = 17
"""A double is exact with 17 significant digits, so no search needs more."""


def plain_number(low: float, high: float, middle: float | None = None) -> float:
    """Return a number ``t`` with ``low <= t < high`` and the fewest significant digits.

    ``x > t`` then separates ``low`` from ``high``. Zero is the plainest of all; among numbers of
    the same length a multiple of five near the middle is preferred, then what is nearest to the middle.

    Examples
    --------
    >>> plain_number(61, 62), plain_number(58, 65), plain_number(22, 29), plain_number(-1.5, 3)
    (61.0, 60.0, 25.0, 0.0)
    """
    assert low < high, f"nothing lies between {low} and {high}"
    if low <= 0 < high:
        return 0.0
    low, high = _finite(low, high)
    middle = low / 2 + high / 2 if middle is None else middle
    largest = math.floor(math.log10(max(abs(low), abs(high))))
    for exponent in range(largest, largest - _MOST_DIGITS, -1):
        number = _multiple(low, high, middle, exponent)
        if number is not None:
            return number
    return float(low)


def plain_date(low: np.datetime64, high: np.datetime64, middle: np.datetime64) -> np.datetime64:
    """Return a moment ``t`` with ``low <= t < high``: the start of a year, else month, day, hour, ...

    Examples
    --------
    >>> low, high = np.datetime64("2019-11-05", "us"), np.datetime64("2020-02-03", "us")
    >>> print(np.datetime_as_string(plain_date(low, high, low), unit="D"))
    2020-01-01
    """
    for unit in ("Y", "M", "D", "h", "m", "s"):
        step = f"datetime64[{unit}]"
        first = low.astype(step).astype(np.int64)
        first += int(np.datetime64(int(first), unit).astype(low.dtype) < low)
        last = high.astype(step).astype(np.int64)
        last -= int(np.datetime64(int(last), unit).astype(high.dtype) >= high)
        if first <= last:
            nearest = int(np.clip(middle.astype(step).astype(np.int64), first, last))
            return np.datetime64(nearest, unit).astype(low.dtype)
    return low


def _finite(low: float, high: float) -> tuple[float, float]:
    """Put a finite end in place of an infinite one: a rule cannot compare with infinity."""
    if math.isinf(low):
        low = high - max(1.0, abs(high)) if math.isfinite(high) else -1.0
    if math.isinf(high):
        high = low + max(1.0, abs(low))
    return low, high


def _multiple(low: float, high: float, middle: float, exponent: int) -> float | None:
    """Return the best multiple of ``10 ** exponent`` in ``[low, high)``, None if there is none."""
    step = 10.0**exponent
    if step == 0 or math.isinf(step):
        return None
    first, last = math.ceil(low / step), math.ceil(high / step) - 1
    if first > last:
        return None
    count = min(max(round(middle / step), first), last)
    fives = 5 * round(count / 5)
    if first <= fives <= last and abs(fives - middle / step) * 4 <= (high - low) / step:
        count = fives
    number = float(f"{count}e{exponent}")  # the nearest double to the decimal number, unlike count * step
    return number if low <= number < high else None
