"""Slices: on which rows does a model fail more often than elsewhere?

A slice is a conjunction such as ``age > 61 AND ward = north``. Whoever searches thousands of conjunctions for
a high error rate finds one, on pure chance too, so the search must not be its own judge. There are two ways:

``holdout`` (the default)
    Slices are looked for on one half of the rows and counted on the other, which took no part in the search.
    Error rate, lift and p-value (Fisher's exact test, one-sided) are therefore unbiased; the p-values are
    corrected for the number of slices tested by Holm's method.
``permutation``
    Slices are looked for and counted on all rows, for tables too small to be halved. The whole search is
    repeated on shuffled errors, and the p-value is the share of shuffles whose best slice is at least as
    extreme (corrected by construction). Error rate and lift are then on the hopeful side.

Either way the chance of naming any slice where errors fall blindly is at most ``alpha``.
Every row counts as one: exact tests know no weights.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from nri.episode import BoolArray, literal_truth
from nri.errors import InputError
from nri.induce.intervals import Interval, wilson
from nri.induce.resample import stratified_folds
from nri.induce.words import is_negated, literal_meanings
from nri.rule import Clause, clause_truth
from nri.table.binarizer import Binarizer
from nri.table.columns import columns_of, kinds_read, require_columns
from nri.table.frame import as_frame
from nri.table.target import MAX_CLASSES
from nri.tasks.slice_search import Candidate, search_slices

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


def error_slices(
    X: Any, labels: Any, predictions: Any, *, tolerance: float | None = None, **options: Any
) -> Slices:
    """Find where a model's predictions differ from the labels; see :func:`find_slices` for the options.

    Parameters
    ----------
    X : table
        What slices may speak about.
    labels, predictions : array [M]
        The truth and what the model said. Rows where either is missing are left out.
    tolerance : float, optional
        For numbers: an error is a difference larger than this. By default an error is any difference.

    Examples
    --------
    >>> X = pd.DataFrame({"site": ["a", "a", "b", "b"] * 50, "size": [1, 2] * 100})
    >>> found = error_slices(X, [1] * 200, [1, 1, 0, 1] * 50)
    >>> [str(one.clause) for one in found.slices]
    ['site = b AND size <= 1']
    """
    frame = as_frame(X)
    truth, said = pd.Series(labels).reset_index(drop=True), pd.Series(predictions).reset_index(drop=True)
    if not len(frame) == len(truth) == len(said):
        raise InputError(
            f"{len(frame)} rows, {len(truth)} labels, {len(said)} predictions; give one of each for each row"
        )
    known = np.asarray(truth.notna() & said.notna(), dtype=bool)
    wrong = np.zeros(len(frame), dtype=bool)
    wrong[known] = _errors(truth[known], said[known], tolerance)
    return find_slices(frame[known], wrong[known], **options)


def _errors(truth: "pd.Series[Any]", said: "pd.Series[Any]", tolerance: float | None) -> BoolArray:
    if tolerance is not None:
        try:
            difference = np.asarray(truth, dtype=np.float64) - np.asarray(said, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(
                "a tolerance is for numbers, but labels or predictions are not; leave it out"
            ) from None
        return np.asarray(np.abs(difference) > tolerance, dtype=bool)
    numeric = [pd.api.types.is_numeric_dtype(one.dtype) for one in (truth, said)]
    if not set(map(str, truth)) & set(map(str, said)) and not all(numeric):
        raise InputError(
            f"labels ({truth.iloc[0]!r}, ...) and predictions ({said.iloc[0]!r}, ...) share no value; "
            "give both in the same words, e.g. as comparisons"
        )
    if all(numeric):
        _refuse_scores(truth, said)
        return np.asarray(np.asarray(truth) != np.asarray(said), dtype=bool)
    return np.asarray([str(a) != str(b) for a, b in zip(truth, said, strict=True)], dtype=bool)


def _refuse_scores(truth: "pd.Series[Any]", said: "pd.Series[Any]") -> None:
    """Raise if predictions are scores beside labels of a few classes: nearly every one would be an error."""
    scores, classes = said.nunique(), truth.nunique()
    fractions = bool((np.asarray(said, dtype=np.float64) % 1 != 0).any())
    if fractions and classes <= MAX_CLASSES and scores > 2 * classes:
        name = said.name or "score"
        raise InputError(
            f"{said.name or 'what the model said'} is a number with {scores} values, labels have {classes}; "
            f'compare it, e.g. --predictions "{name} > 0.5", or give a tolerance (--tolerance)'
        )


def find_slices(
    X: Any,
    wrong: Any,
    *,
    test: Test = "holdout",
    alpha: float = 0.05,
    most: int = 5,
    max_literals: int = 3,
    min_rows: int | None = None,
    columns: Sequence[str] | None = None,
    never: Sequence[str] = (),
    negations: bool = False,
    permutations: int = 200,
    rng: np.random.Generator | None = None,
    step: Callable[[], None] = lambda: None,
) -> Slices:
    """Find conjunctions on whose rows something goes wrong more often than elsewhere.

    Parameters
    ----------
    X : table
        Anything :func:`nri.table.frame.as_frame` takes.
    wrong : bool [M]
        Where it goes wrong.
    test : {"holdout", "permutation"}
        How slices are judged; see the head of this module.
    alpha : float
        Most chance of naming any slice where there is none.
    most : int
        Most slices that the search hands on to be judged.
    max_literals : int
        Most conditions of one slice.
    min_rows : int, optional
        Least rows of a slice, among those that are searched; by default 2 % of them, at least 10.
    columns, never : sequence of str
        The only columns to speak about, and those never to.
    negations : bool
        Whether slices may say ``NOT x`` and ``x != a``.
    permutations : int
        How often errors are shuffled; the p-value cannot be below 1 / (permutations + 1).
    rng : Generator, optional
        Deals rows out and shuffles; seeded with 0 by default.
    step
        Called after each shuffle.
    """
    frame, wrong = _checked(X, wrong, columns, never)
    rng = rng or np.random.default_rng(0)
    if test not in ("holdout", "permutation"):
        raise InputError(f"no test {test!r}; use 'holdout' or 'permutation'")
    searched = judged = np.ones(len(wrong), dtype=bool)
    if test == "holdout":
        judged = stratified_folds(wrong.astype(np.int64), 2, rng) == 1
        searched = ~judged
    least = min_rows if min_rows is not None else max(10, math.ceil(0.02 * searched.sum()))
    search = _Search(
        frame[searched], wrong[searched], max_literals, least, negations, by_errors=test == "holdout"
    )
    found = search.run(most)
    clauses = [search.clause(candidate) for candidate in found]
    rows = [_rows_of(clause, frame[judged]) for clause in clauses]
    if test == "holdout":
        p_values = _holm([_fisher(mask, wrong[judged]) for mask in rows])
    else:
        p_values = _by_shuffling(search, found, permutations, rng, step)
    return _sorted_out(
        [_counted(*one, wrong[judged]) for one in zip(clauses, rows, p_values, strict=True)],
        test,
        alpha,
        wrong[judged],
    )


def _sorted_out(found: list[Slice], test: Test, alpha: float, wrong: BoolArray) -> Slices:
    """Tell those that hold up from those that do not."""
    found = sorted(found, key=lambda one: one.p_value)
    return Slices(
        tuple(one for one in found if one.p_value <= alpha),
        tuple(one for one in found if one.p_value > alpha),
        test,
        alpha,
        len(wrong),
        int(wrong.sum()),
    )


class _Search:
    """The search on one set of rows, to be repeated with other errors on the same rows."""

    def __init__(
        self,
        frame: pd.DataFrame,
        wrong: BoolArray,
        max_literals: int,
        min_rows: int,
        negations: bool,
        *,
        by_errors: bool,
    ) -> None:
        # where the same rows judge, thresholds must not know the errors: shuffling would not undo that
        binarizer = Binarizer().fit(frame, wrong.astype(np.int64) if by_errors else None)
        self.literals = literal_meanings(binarizer.variables_, binarizer.domain_)
        cells = binarizer.transform(frame)
        self.truth = literal_truth(cells.values, cells.known)
        if not negations:
            self.truth[:, [j for j, literal in enumerate(self.literals) if is_negated(literal)]] = False
        self.wrong = wrong
        self.max_literals = max_literals
        self.min_rows = min_rows

    def run(self, most: int, wrong: BoolArray | None = None) -> list[Candidate]:
        wrong = self.wrong if wrong is None else wrong
        if not self.truth.shape[1] or not wrong.any() or wrong.all():
            return []
        return search_slices(
            self.truth, wrong, max_literals=self.max_literals, min_rows=self.min_rows, most=most
        )

    def clause(self, candidate: Candidate) -> Clause:
        return Clause(self.literals[j] for j in candidate.literals)


def _checked(
    X: Any, wrong: Any, columns: Sequence[str] | None, never: Sequence[str]
) -> tuple[pd.DataFrame, BoolArray]:
    frame = as_frame(X)
    mask = np.asarray(wrong, dtype=bool)
    if mask.shape != (len(frame),):
        raise InputError(f"{len(frame)} rows, but errors of shape {mask.shape}; give one for each row")
    if len(frame) < 4:
        raise InputError(f"{len(frame)} rows are too few to look for slices; give more")
    require_columns(frame, [*(columns or ()), *never])
    kept = [name for name in frame.columns if name not in never and (columns is None or name in columns)]
    if not kept:
        raise InputError("the columns to use and never to use rule out every column; allow at least one")
    return frame[kept], mask


def _rows_of(clause: Clause, frame: pd.DataFrame) -> BoolArray:
    return clause_truth(clause, columns_of(frame, clause.columns, kinds_read(clause)), len(frame))


def _fisher(rows: BoolArray, wrong: BoolArray) -> float:
    """Chance that as many rows, drawn blindly, hold at least as many errors."""
    from scipy.stats import hypergeom

    errors = int((rows & wrong).sum())
    return float(hypergeom.sf(errors - 1, len(wrong), int(wrong.sum()), int(rows.sum())))


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


def _by_shuffling(
    search: _Search,
    found: list[Candidate],
    permutations: int,
    rng: np.random.Generator,
    step: Callable[[], None],
) -> list[float]:
    """Compare each score with the best that the same search finds on shuffled errors."""
    if permutations < 1:
        raise InputError(f"{permutations} permutations cannot judge; use at least 1, better 200")
    best = np.zeros(permutations)
    for i in range(permutations if found else 0):
        shuffled = search.run(1, rng.permutation(search.wrong))
        best[i] = shuffled[0].score if shuffled else 0.0
        step()
    return [float((1 + (best >= one.score - 1e-9).sum()) / (permutations + 1)) for one in found]


def _counted(clause: Clause, mask: BoolArray, p_value: float, wrong: BoolArray) -> Slice:
    rows, errors = int(mask.sum()), int((mask & wrong).sum())
    rate, usual = errors / rows if rows else 0.0, float(wrong.mean())
    return Slice(clause, rows, errors, rate, rate / usual if usual else 0.0, wilson(rate, rows), p_value)
