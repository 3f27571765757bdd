"""Slices as they are judged: counted on rows that took no part in the search.

Beside the counts stands the chance of such counts where errors fall blindly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nri.arrays import BoolArray, IntArray
from nri.induce.estimates import Interval, wilson
from nri.rule import Clause, clause_truth
from nri.table.table import Table

Test = Literal["holdout", "permutation"]


@dataclass(frozen=True)
class Slice:
    """Rows on which errors are more frequent; all counts are on the rows that judge it."""

    clause: Clause
    rows: int
    """How many rows it has: its support."""
    errors: int
    rate: float
    """Share of errors among its rows."""
    lift: float
    """Its rate by the rate of all rows."""
    interval: Interval
    """Of the rate, 95 %."""
    p_value: float
    """Chance of such a slice where errors fall blindly, corrected for all that were tried."""


@dataclass(frozen=True)
class Slices:
    """What was found, and how it was judged."""

    slices: tuple[Slice, ...]
    """Those whose p-value is at most alpha, the surest first."""
    rejected: tuple[Slice, ...]
    """Those that were found by the search and did not hold up."""
    test: Test
    alpha: float
    rows: int
    """Rows that judged."""
    errors: int
    """Errors among them."""

    @property
    def rate(self) -> float:
        """Share of errors among all rows that judged."""
        return self.errors / self.rows if self.rows else 0.0


@dataclass(frozen=True, eq=False)
class SliceCounts:
    """Rows that judge slices, counted."""

    rows: int
    errors: int
    of_slices: IntArray
    """[n_slices, 2]: rows and errors of each"""

    @classmethod
    def of(
        cls, clauses: Sequence[Clause], table: Table, wrong: BoolArray, judges: BoolArray
    ) -> "SliceCounts":
        """Count on the rows of a table that judge."""
        masks = (clause_truth(clause, table.columns, len(table)) & judges for clause in clauses)
        pairs = [(int(mask.sum()), int((mask & wrong).sum())) for mask in masks]
        of_slices = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return cls(int(judges.sum()), int((judges & wrong).sum()), of_slices)

    def __add__(self, other: "SliceCounts") -> "SliceCounts":
        return SliceCounts(
            self.rows + other.rows, self.errors + other.errors, self.of_slices + other.of_slices
        )

    def __sub__(self, other: "SliceCounts") -> "SliceCounts":
        return self + SliceCounts(-other.rows, -other.errors, -other.of_slices)


def judged_slices(
    clauses: Sequence[Clause],
    counts: SliceCounts,
    alpha: float,
    by_shuffling: Sequence[float] | None = None,
) -> Slices:
    """Tell those that hold up from those that do not; without p-values by Fisher's test."""
    rate = counts.errors / counts.rows if counts.rows else 0.0
    of_slices = counts.of_slices.tolist()
    p_values = by_shuffling or _holm([_fisher(rows, errors, counts) for rows, errors in of_slices])
    found = [
        Slice(
            clause,
            rows,
            errors,
            share := errors / rows if rows else 0.0,
            share / rate if rate else 0.0,
            wilson(share, rows),
            p_value,
        )
        for clause, (rows, errors), p_value in zip(clauses, of_slices, p_values, strict=True)
    ]
    found.sort(key=lambda one: one.p_value)
    return Slices(
        tuple(one for one in found if one.p_value <= alpha),
        tuple(one for one in found if one.p_value > alpha),
        "holdout" if by_shuffling is None else "permutation",
        alpha,
        counts.rows,
        counts.errors,
    )


def _fisher(rows: int, errors: int, judged: SliceCounts) -> float:
    """Chance that as many rows, drawn blindly, hold at least as many errors."""
    from scipy.stats import hypergeom

    return float(hypergeom.sf(errors - 1, judged.rows, judged.errors, rows))


def _holm(p_values: Sequence[float]) -> list[float]:
    """Correct for the number of tests: the chance of any false finding stays below alpha.

    >>> _holm([0.01, 0.04])
    [0.02, 0.04]
    """
    corrected, highest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(np.argsort(p_values, kind="stable").tolist()):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[i]))
        corrected[i] = highest
    return corrected
