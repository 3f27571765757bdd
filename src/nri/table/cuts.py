"""Cuts: where to cut a number or date column; of equivalent cuts, the one that a person would write."""

import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray, IntArray, class_bits

_EQUAL_EVIDENCE_BITS = 1.0
"""Cuts whose gain differs by less than this are alike on the rows, so the plainest of them is used."""
_QUANTILES = (0.5, 0.25, 0.75, 0.125, 0.875)  # Where to cut when the labels do not decide, by preference.
_QUANTILE_SLACK = 0.025  # share of the rows by which a quantile may be moved to a plainer number
_LEAST_APART = 0.1  # share of the rows between a cut that fills up and any other one


@dataclass(frozen=True, eq=False, slots=True)
class Cut:
    """A cut between distinct values: ``best`` separates ``value[best - 1]`` from ``value[best]``."""

    best: int
    alike: NDArray[np.intp]  # increasing: the cuts that are as good, ``best`` among them
    gain: float = 0.0  # its information about the class, in bits
    pays: bool = False  # whether it saves more than it costs to write


def find_thresholds(
    values: NDArray[Any],
    labels: IntArray | None = None,
    weights: FloatArray | None = None,
    *,
    max_thresholds: int = 6,
    min_thresholds: int = 3,
) -> list[Any]:
    """Return increasing thresholds ``t`` for literals ``x > t``, each a number a person would write.

    The cuts with the most information about the labels, best first, are kept while they pay for themselves
    (the test of Fayyad and Irani); the best one that does not and quantiles make up ``min_thresholds``.
    """
    weights = np.ones(len(values)) if weights is None else weights
    labels = np.zeros(len(values), np.int64) if labels is None else labels
    counted = weights > 0
    distinct, codes = np.unique(values[counted], return_inverse=True)
    if len(distinct) < 2:
        return []
    cumulative = _cumulative_counts(codes, labels[counted], weights[counted], len(distinct))
    first = _best_cut(cumulative, 0, len(distinct)) if cumulative.shape[1] > 1 else None
    cuts, least = _supervised_cuts(cumulative, first, max_thresholds), min(min_thresholds, max_thresholds)
    if first and not cuts and least > 0:  # the best one all the same, though it does not pay
        cuts = [first]
    return _thresholds(distinct, _filled_up(cuts, cumulative.sum(axis=1), least))


def _cumulative_counts(
    codes: NDArray[np.intp], labels: IntArray, weights: FloatArray, n_distinct: int
) -> FloatArray:
    """[D + 1, C]: the weight of each class among the values below each cut."""
    n_classes = int(labels.max(initial=0)) + 1
    flat = np.bincount(codes * n_classes + labels, weights, minlength=n_distinct * n_classes)
    counts = flat.reshape(n_distinct, n_classes)
    counts = counts[:, counts.sum(axis=0) > 0]
    return np.concatenate([np.zeros((1, counts.shape[1])), np.cumsum(counts, axis=0)])


def _supervised_cuts(cumulative: FloatArray, first: Cut | None, most: int) -> list[Cut]:
    """Split best first: always the segment whose best cut gains most, while cuts pay for themselves."""
    waiting: list[tuple[float, int, int, Cut]] = []

    def offer(cut: Cut | None, start: int, stop: int) -> None:
        if cut is not None and cut.pays:
            heapq.heappush(waiting, (-cut.gain, start, stop, cut))

    cuts: list[Cut] = []
    offer(first, 0, len(cumulative) - 1)
    while waiting and len(cuts) < most:
        _, start, stop, cut = heapq.heappop(waiting)
        cuts.append(cut)
        for part in ((start, cut.best), (cut.best, stop)):
            offer(_best_cut(cumulative, *part), *part)
    return cuts


def _best_cut(cumulative: FloatArray, start: int, stop: int) -> Cut | None:
    """Return the best cut of one segment, if any is informative."""
    if stop - start < 2:
        return None
    total = cumulative[stop] - cumulative[start]
    left = cumulative[start + 1 : stop] - cumulative[start]
    sides = np.stack([left, total - left])
    sizes = sides.sum(axis=-1)
    # rounded, so that sums taken in another order of rows do not decide between equal cuts
    gain = np.round(class_bits(total) - class_bits(sides).sum(axis=0), 6)
    smallest = 2.0 if total.sum() >= 10 else 1.0
    gain[(sizes < smallest).any(axis=0)] = -np.inf
    place = int(np.argmax(gain))
    if gain[place] <= 0:
        return None
    alike = np.flatnonzero(gain >= gain[place] - min(_EQUAL_EVIDENCE_BITS, 0.5 * gain[place]))
    pays = gain[place] > _description_bits(np.array([total, *sides[:, place]]))
    return Cut(place + start + 1, alike + start + 1, float(gain[place]), bool(pays))


def _description_bits(counts: FloatArray) -> float:
    """Bits that a cut costs: its place, and the mixtures of classes [3, C] of all, on its left and right."""
    sizes, classes = counts.sum(axis=1), (counts > 0).sum(axis=1)
    places = np.log2(max(sizes[0] - 1, 1))
    whole, left, right = classes * class_bits(counts) / sizes
    return float(places + np.log2(3.0 ** classes[0] - 2) - whole + left + right)


def _filled_up(cuts: list[Cut], rank: FloatArray, least: int) -> list[Cut]:
    """Add quantiles where they do not repeat what is there, until there are enough cuts."""
    filled = list(cuts)
    for cut in (_quantile_cut(rank, quantile) for quantile in _QUANTILES):
        if len(filled) >= least:
            break
        if all(abs(rank[cut.best] - rank[other.best]) >= _LEAST_APART * rank[-1] for other in filled):
            filled.append(cut)
    return filled


def _quantile_cut(rank: FloatArray, quantile: float) -> Cut:
    """Return the cut nearest to a quantile, and those close by."""
    wanted = quantile * rank[-1]
    above = min(max(int(np.searchsorted(rank, wanted * (1 - 1e-12))), 1), len(rank) - 2)
    below = max(above - 1, 1)
    best = above if rank[above] - wanted <= (wanted - rank[below]) * (1 + 1e-9) else below
    slack = _QUANTILE_SLACK * rank[-1]
    first, last = np.searchsorted(rank, [rank[best] - slack, rank[best] + slack])
    return Cut(best, np.arange(max(min(first, best), 1), min(max(last, best + 1), len(rank) - 1)))


def even_thresholds(values: NDArray[Any], weights: FloatArray, parts: int) -> list[Any]:
    """Return increasing thresholds, each a number a person would say, that part rows about evenly."""
    distinct, codes = np.unique(values[weights > 0], return_inverse=True)
    if len(distinct) < 2:
        return []
    rank = np.concatenate([[0.0], np.cumsum(np.bincount(codes, weights[weights > 0]))])
    return _thresholds(distinct, [_quantile_cut(rank, part / parts) for part in range(1, parts)])


def _thresholds(distinct: NDArray[Any], cuts: list[Cut]) -> list[Any]:
    """Return the thresholds of cuts, most wanted first, so that no two part the rows alike."""
    thresholds: dict[int, Any] = {}
    for cut in cuts:
        for choice in (cut, Cut(cut.best, np.array([cut.best]))):  # its plainest number, or its own place
            threshold = plain_threshold(distinct, choice)
            place = int(np.searchsorted(distinct, threshold, side="right"))
            if place not in thresholds:
                thresholds[place] = threshold
                break
    return [thresholds[place] for place in sorted(thresholds)]


def plain_threshold(distinct: NDArray[Any], cut: Cut) -> Any:
    """Return the plainest threshold of a cut or of one that is as good."""
    low, high = distinct[cut.alike[0] - 1], distinct[cut.alike[-1]]
    below, above = distinct[cut.best - 1], distinct[cut.best]
    allowed = set(cut.alike.tolist())

    def accept(threshold: Any) -> bool:
        return int(np.searchsorted(distinct, threshold, side="right")) in allowed

    if distinct.dtype.kind == "M":
        return plain_date(low, high, below + (above - below) // 2, accept)
    middle = below / 2 + above / 2
    return plain_number(float(low), float(high), float(middle) if np.isfinite(middle) else None, accept)


_MOST_DIGITS = 17  # a double is exact with 17 significant digits, so no search needs more
_MOST_TRIED = 40  # numbers of one length that are tried: of many more, a shorter one was tried before


def plain_number(
    low: float, high: float, middle: float | None = None, accept: Callable[[float], bool] = lambda _: True
) -> float:
    """Return a number ``t`` with ``low <= t < high`` and the fewest significant digits, zero first of all.

    Of the same length a multiple of five near the middle is preferred, then what is nearest to the middle,
    which is half way by default. The interval may be unbounded, and ``accept`` may refuse numbers.
    """
    assert low < high, f"nothing lies between {low} and {high}"
    if low <= 0 < high and accept(0.0):
        return 0.0
    low, high = _finite(low, high)
    middle = low / 2 + high / 2 if middle is None else middle
    largest = math.floor(math.log10(max(abs(low), abs(high))))
    exponents = range(largest, largest - _MOST_DIGITS, -1)
    tried = chain.from_iterable(_multiples(low, high, middle, exponent) for exponent in exponents)
    return next(filter(accept, tried), float(low))


def plain_date(
    low: np.datetime64,
    high: np.datetime64,
    middle: np.datetime64,
    accept: Callable[[np.datetime64], bool] = lambda _: True,
) -> np.datetime64:
    """Return a moment ``t`` with ``low <= t < high``: the start of a year, else month, day, hour, ..."""
    for unit in ("Y", "M", "D", "h", "m", "s"):
        ends = np.array([low, high, middle]).astype(f"datetime64[{unit}]").astype(np.int64).tolist()
        for count in _nearest(*ends):
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
