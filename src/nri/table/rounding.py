"""Rounding: among cut points that mean the same on the rows at hand, the one a person would say."""

import math
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np

_MOST_DIGITS = 17
"""A double is exact with 17 significant digits, so no search needs more."""
_MOST_TRIED = 40
"""Numbers of one length that are tried; were there many more, a shorter one would have been tried before."""


def _anything(_: Any) -> bool:
    return True


def plain_number(
    low: float, high: float, middle: float | None = None, accept: Callable[[float], bool] = _anything
) -> float:
    """Return a number ``t`` with ``low <= t < high`` and the fewest significant digits.

    ``x > t`` then separates ``low`` from ``high``. Zero is the plainest of all; among numbers of
    the same length a multiple of five near the middle is preferred, then what is nearest to the middle.
    The interval may be unbounded, the middle is half way by default, and ``accept`` may refuse numbers.

    >>> plain_number(61, 62), plain_number(58, 65), plain_number(22, 29), plain_number(-1.5, 3)
    (61.0, 60.0, 25.0, 0.0)
    """
    assert low < high, f"nothing lies between {low} and {high}"
    if low <= 0 < high and accept(0.0):
        return 0.0
    low, high = _finite(low, high)
    middle = low / 2 + high / 2 if middle is None else middle
    largest = math.floor(math.log10(max(abs(low), abs(high))))
    for exponent in range(largest, largest - _MOST_DIGITS, -1):
        for number in _multiples(low, high, middle, exponent):
            if accept(number):
                return number
    return float(low)


def plain_date(
    low: np.datetime64,
    high: np.datetime64,
    middle: np.datetime64,
    accept: Callable[[np.datetime64], bool] = _anything,
) -> np.datetime64:
    """Return a moment ``t`` with ``low <= t < high``: the start of a year, else month, day, hour, ...

    >>> low, high = np.datetime64("2019-11-05", "us"), np.datetime64("2020-02-03", "us")
    >>> print(np.datetime_as_string(plain_date(low, high, low), unit="D"))
    2020-01-01
    """
    for unit in ("Y", "M", "D", "h", "m", "s"):
        first, wanted, last = (
            int(end.astype(f"datetime64[{unit}]").astype(np.int64)) for end in (low, middle, high)
        )
        for count in _nearest(first, last, wanted):
            moment = np.datetime64(count, unit).astype(low.dtype)
            if low <= moment < high and accept(moment):
                return moment
    return low


def _finite(low: float, high: float) -> tuple[float, float]:
    """Put a finite end in place of an infinite one: a rule cannot compare with infinity."""
    if math.isinf(low):
        low = high - max(1.0, abs(high)) if math.isfinite(high) else -1.0
    if math.isinf(high):
        high = low + max(1.0, abs(low))
    return low, high


def _multiples(low: float, high: float, middle: float, exponent: int) -> Iterator[float]:
    """Yield multiples of ``10 ** exponent`` in ``[low, high)``, the ones to be preferred first."""
    step = 10.0**exponent
    if step == 0 or math.isinf(step):
        return
    first, last = math.ceil(low / step), math.ceil(high / step) - 1
    if first > last:
        return
    centre = min(max(round(middle / step), first), last)
    fives = 5 * round(centre / 5)
    plainer = first <= fives <= last and abs(fives - middle / step) * 4 <= (high - low) / step
    for count in chain((fives,) if plainer else (), _nearest(first, last, centre)):
        number = float(f"{count}e{exponent}")  # the nearest double to the decimal number, unlike count * step
        if low <= number < high:
            yield number


def _nearest(first: int, last: int, wanted: int) -> Iterator[int]:
    """Yield whole numbers from first to last, those nearest to the wanted one first, and not too many."""
    centre = min(max(wanted, first), last)
    yield centre
    for away in range(1, _MOST_TRIED // 2 + 1):
        if centre - away >= first:
            yield centre - away
        if centre + away <= last:
            yield centre + away
