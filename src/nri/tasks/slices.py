"""Slices: on which rows does a model fail more often than elsewhere?

A slice is a conjunction such as ``age > 61 AND ward = north``. A search of thousands of conjunctions returns
one with a high error rate, by pure chance too, so its own counts must not judge it. Slices are searched on
one half of the rows and counted on the other, which took no part in the search. Error rate, lift and p-value
(Fisher's exact test, one-sided) are therefore unbiased; the p-values are corrected for the number of slices
tested by Holm's method: the chance of returning any where errors fall at random is at most ``alpha``.

Every row counts as one: exact tests know no weights. Rows that belong together (groups, exact copies) are
searched or judged together; as far as their errors are alike they count as one.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.episode import literal_truth
from nri.errors import InputError, ScoresError
from nri.induce.assemble import literal_meanings
from nri.induce.folds import groups_of, make_folds
from nri.outcome import Classes, Interval
from nri.outcome.score import share_of, wilson
from nri.rows.batches import batches
from nri.rows.files import Files
from nri.rule import Clause, Kind, Op, clause_truth
from nri.table.binarizer import Binarizer
from nri.table.cells import as_numbers
from nri.table.source import Source, table_of
from nri.table.table import Table
from nri.table.target import MAX_CLASSES, Answers, read_answers
from nri.tasks.predictions import PlanReader, folded_labels

_BEAM = 40  # Conjunctions of each length that longer ones are made from.
_LEAST_GAIN = 0.5  # Standard deviations that a further literal must add.
_SAME = 0.8  # Share of the smaller one's rows from which of two slices only one is kept.
_NEW = 2.0
"""Standard deviations by which a further slice exceeds chance on the rows that no better slice has."""


@dataclass(frozen=True)
class Slice:
    """Rows on which errors are more frequent; all counts are on the rows that judge it."""

    clause: Clause
    rows: int  # How many rows it has: its support
    errors: int
    rate: float  # Share of errors among its rows
    lift: float  # Its rate by the rate of all rows
    interval: Interval  # Of the rate, 95 %
    p_value: float  # Chance of such a slice where errors fall at random, corrected for all that were tried


@dataclass(frozen=True)
class Slices:
    """Slices, and how they were judged."""

    slices: tuple[Slice, ...]  # Those whose p-value is at most alpha, the surest first
    rejected: tuple[Slice, ...]  # Those that the search returned and that did not hold up
    alpha: float
    rows: int  # Rows that judged
    errors: int  # Errors among them

    @property
    def rate(self) -> float:
        """Share of errors among all rows that judged."""
        return self.errors / self.rows if self.rows else 0.0


def error_slices(
    X: Any,
    labels: Any,
    predictions: Any,
    *,
    tolerance: float | None = None,
    groups: Any = None,
    time_order: Any = None,
    alpha: float = 0.05,
    most: int = 5,
    max_literals: int = 3,
    min_rows: int | None = None,
    columns: Sequence[str] | None = None,
    never: Sequence[str] = (),
    negations: bool = False,
    rng: np.random.Generator | None = None,
) -> Slices:
    """Find where a model's predictions differ from the labels more often than elsewhere.

    Parameters
    ----------
    X : table
        The columns that slices may use.
    labels, predictions : array [M]
        The truth and the model's predictions. Rows where either is missing are left out.
    tolerance : float, optional
        For numbers: an error is a difference larger than this. By default an error is any difference.
    groups, time_order : str or array [M], optional
        Which rows belong together, e.g. ``"patient"``: they are searched or judged together. When they came:
        the earlier half is searched, the later one judges.
    alpha : float
        Most chance of returning any slice where there is none.
    most : int
        Most slices that the search hands on to be judged.
    max_literals : int
        Most conditions of one slice.
    min_rows : int, optional
        Least rows of a slice, among those that are searched; by default 2 % of them, at least 10.
    columns, never : sequence of str
        The only columns to use, and those never to use.
    negations : bool
        Whether slices may have ``NOT x`` and ``x != a``.
    rng : Generator, optional
        Splits rows; seeded with 0 by default.

    Examples
    --------
    >>> X = {"site": ["a", "a", "b", "b"] * 50, "size": [1, 2] * 100}
    >>> result = error_slices(X, [1] * 200, [1, 1, 0, 1] * 50)
    >>> [str(one.clause) for one in result.slices]
    ['site = b AND size <= 1']
    """
    table = table_of(X).arranged(groups, time_order)
    truth, predicted = _answers_of("label", labels), _answers_of("prediction", predictions)
    if not len(table) == len(truth.labels) == len(predicted.labels):
        counts = f"{len(truth.labels)} labels, {len(predicted.labels)} predictions"
        raise InputError(f"{len(table)} rows, {counts}; give one of each for each row")
    known, wrong = _compared(truth, predicted, tolerance, check=True)
    wrong, table = wrong[known], _features(table.take(known), wrong[known], columns, never)
    n_folds = 1 if table.time_order is not None else 2  # in time order the earliest rows are in no fold
    fold = make_folds(table, n_folds, rng or np.random.default_rng(0)).fold
    judged = fold == fold.max()
    clauses = _search(table.take(~judged), wrong[~judged], most, max_literals, min_rows, negations)
    independent = share_of(wrong, judged, np.ones(len(table)), groups_of(table)).rows / judged.sum()
    return _judged(clauses, _counts(clauses, table, wrong, judged), alpha, independent)


def _answers_of(name: str, given: Any) -> Answers:
    return given if isinstance(given, Answers) else read_answers(table_of({name: given}), name)


def _compared(
    truth: Answers, predicted: Answers, tolerance: float | None, *, check: bool = False
) -> tuple[BoolArray, BoolArray]:
    """[M] each: where labels and predictions are known, and where they are and differ.

    If they are to be checked, raise where the two cannot be compared.
    """
    known = truth.labels.known & predicted.labels.known
    if {truth.labels.kind, predicted.labels.kind} <= {Kind.NUMBER, Kind.BOOLEAN}:
        right, guessed = as_numbers(truth.labels), as_numbers(predicted.labels)
        # scores beside labels of a few classes: nearly every one would be an error
        scores, classes = len(predicted.labels.distinct()[0]), len(truth.labels.distinct()[0])
        few = classes <= MAX_CLASSES and scores > 2 * classes
        if check and tolerance is None and few and (guessed % 1 > 0).any():
            raise ScoresError(predicted.name, scores, classes)
        return known, np.asarray(known & (np.abs(right - guessed) > (tolerance or 0.0)), dtype=bool)
    if tolerance is not None:
        raise InputError("a tolerance is for numbers, but labels or predictions are not; leave it out")
    right, guessed = _texts(truth), _texts(predicted)
    if check and not {*right[known]} & {*guessed[known]}:
        one, other = min(right[known], default=""), min(guessed[known], default="")
        shared = f"labels ({one!r}, ...) and predictions ({other!r}, ...) share no value"
        raise InputError(f"{shared}; give both in the same words, e.g. as comparisons")
    return known, np.asarray(known & (right != guessed), dtype=bool)


def _texts(answers: Answers) -> NDArray[Any]:
    """[M]: answers as folded texts, any text where they are unknown."""
    texts, codes = folded_labels(answers.labels, answers.plan)
    return np.array([*texts, ""], dtype=object)[codes]


def _counts(clauses: Sequence[Clause], table: Table, wrong: BoolArray, judges: BoolArray) -> IntArray:
    """[1 + slices, 2]: rows that judge and errors among them, first of all rows, then of each slice."""
    masks = [judges, *(clause_truth(clause, table.columns, len(table)) & judges for clause in clauses)]
    return np.array([(mask.sum(), (mask & wrong).sum()) for mask in masks], dtype=np.int64)


def _judged(clauses: Sequence[Clause], counts: IntArray, alpha: float, independent: float = 1.0) -> Slices:
    """Separate those that hold up from those that do not, by Fisher's test.

    ``independent`` is the share of rows that count, where rows belong together.
    """
    from scipy.stats import hypergeom

    (n_rows, n_errors), *of_slices = counts.tolist()
    rate = n_errors / n_rows if n_rows else 0.0
    # the chance that as many rows as a slice has, drawn at random, hold at least as many errors
    all_rows, *rows = np.floor(counts * independent + 1e-9).astype(np.int64)
    p_values = _holm([float(hypergeom.sf(errors - 1, *all_rows, n)) for n, errors in rows])
    slices = []
    for clause, (rows, errors), p_value in zip(clauses, of_slices, p_values, strict=True):
        share = errors / rows if rows else 0.0
        lift = share / rate if rate else 0.0
        slices.append(Slice(clause, rows, errors, share, lift, wilson(share, rows * independent), p_value))
    slices.sort(key=lambda one: one.p_value)
    return Slices(
        tuple(one for one in slices if one.p_value <= alpha),
        tuple(one for one in slices if one.p_value > alpha),
        alpha,
        n_rows,
        n_errors,
    )


def _holm(p_values: Sequence[float]) -> list[float]:
    """Correct for the number of tests: the chance of any false slice stays below alpha.

    >>> _holm([0.01, 0.04])
    [0.02, 0.04]
    """
    corrected, order = np.array(p_values), np.argsort(p_values, kind="stable")
    tests = np.arange(len(order), 0, -1)
    corrected[order] = np.maximum.accumulate(np.minimum(corrected[order] * tests, 1.0))
    return list(map(float, corrected))


class Candidate(NamedTuple):
    """A conjunction, as indices of literals."""

    literals: tuple[int, ...]
    score: float
    """Standard deviations by which its errors exceed what drawing as many rows at random would give."""


def search_slices(
    truth: BoolArray, wrong: BoolArray, *, max_literals: int, min_rows: int, most: int
) -> list[Candidate]:
    """Return the conjunctions whose rows hold most errors beyond chance, no two of them nearly alike.

    ``truth`` [M, L] is where each literal is known to hold, ``wrong`` [M] where there is an error.
    """
    if not truth.shape[1] or not wrong.any() or wrong.all():
        return []
    literals, outcome = truth.astype(np.float32), wrong.astype(np.float32)
    beam = [Candidate((), 0.0)]
    pool: dict[tuple[int, ...], float] = {}
    for _ in range(max_literals):
        masks = np.stack([truth[:, list(one.literals)].all(axis=1) for one in beam]).astype(np.float32)
        rows = np.asarray(masks @ literals, dtype=np.float64)
        errors = np.asarray((masks * outcome) @ literals, dtype=np.float64)
        scores = _scores(rows, errors, wrong, min_rows)
        scores[scores <= np.array([one.score for one in beam])[:, None] + _LEAST_GAIN] = -np.inf
        grown: dict[tuple[int, ...], float] = {}
        order = np.argsort(-scores, axis=None, kind="stable")[: 4 * _BEAM]
        for parent, literal in zip(*np.unravel_index(order, scores.shape), strict=True):
            score = float(scores[parent, literal])
            if np.isfinite(score):
                grown.setdefault(tuple(sorted({*beam[parent].literals, int(literal)})), score)
        pool |= grown
        beam = sorted(map(Candidate._make, grown.items()), key=lambda one: (-one.score, one.literals))[:_BEAM]
        if not beam:
            break
    every = map(Candidate._make, pool.items())
    ranked = sorted(every, key=lambda one: (-round(one.score, 6), len(one.literals), one.literals))
    return _different(ranked, truth, wrong, most)


def _scores(rows: FloatArray, errors: FloatArray, wrong: BoolArray, min_rows: int) -> FloatArray:
    """Return errors less those expected, by the hypergeometric standard deviation; -inf for too few rows."""
    n, rate = len(wrong), float(wrong.mean())
    variance = rows * rate * (1 - rate) * (n - rows) / max(n - 1, 1)
    scores = np.full(rows.shape, -np.inf)
    usable = (rows >= min_rows) & (variance > 1e-9)
    scores[usable] = (errors[usable] - rows[usable] * rate) / np.sqrt(variance[usable])
    return scores


def _different(ranked: Sequence[Candidate], truth: BoolArray, wrong: BoolArray, most: int) -> list[Candidate]:
    """Take the best first, and then what has too many errors even without the rows taken before."""
    taken: dict[Candidate, BoolArray] = {}
    left = np.ones(len(wrong), dtype=bool)
    for one in ranked:
        rows = np.asarray(truth[:, list(one.literals)].all(axis=1))
        shared = ((rows & other).sum() / max(1, min(rows.sum(), other.sum())) for other in taken.values())
        if max(shared, default=0.0) > _SAME:
            continue
        n_own, n_errors = float((rows & left).sum()), float((rows & left & wrong).sum())
        if _scores(np.array([n_own]), np.array([n_errors]), wrong[left], 1)[0] > _NEW:
            taken[one], left = rows, left & ~rows
        if len(taken) == most or not left.any():
            break
    return list(taken)


def _search(
    table: Table, wrong: BoolArray, most: int, max_literals: int, min_rows: int | None, negations: bool
) -> list[Clause]:
    """Return the slices that hold most errors among some rows."""
    binarizer = Binarizer().fit(table)
    literals = literal_meanings(binarizer.variables_, binarizer.domain_)
    truth = literal_truth(*binarizer.cells(table.columns, len(table)))
    if not negations:
        truth[:, [j for j, literal in enumerate(literals) if literal.op is Op.NE]] = False
    least = max(10, math.ceil(0.02 * len(table))) if min_rows is None else min_rows
    slices = search_slices(truth, wrong, max_literals=max_literals, min_rows=least, most=most)
    return [Clause(literals[j] for j in one.literals) for one in slices]


def _features(table: Table, wrong: BoolArray, columns: Sequence[str] | None, never: Sequence[str]) -> Table:
    """Return the columns that slices may use, with the errors as outcome; raise if there are none."""
    if len(table) < 4:
        raise InputError(f"{len(table)} rows are too few to look for slices; give more")
    table.require([*(columns or ()), *never])
    kept = [name for name in table.names if name not in never and (columns is None or name in columns)]
    if not kept:
        raise InputError("the columns to use and never to use rule out every column; allow at least one")
    return table.only(kept).with_outcome(Classes("wrong", (False, True), wrong.astype(np.int64)))


def stream_slices(
    files: Files,
    searched: Source,
    n_rows: int,
    answers: Callable[[Table], tuple[Answers, Answers]],
    *,
    tolerance: float | None,
    alpha: float,
    columns: Sequence[str] | None,
    never: Sequence[str],
    step: Callable[[int], None],
    **limits: Any,
) -> Slices:
    """Find where a model's predictions differ from the labels: search some rows, count on all others.

    ``searched`` are rows that were drawn from the files, which have ``n_rows`` rows. ``answers`` reads labels
    and predictions.
    """
    if len(searched) >= n_rows:
        raise InputError("every row was searched, so that none is left to judge; use --engine memory")
    table = searched.table()
    truth, predicted = answers(table)
    known, wrong = _compared(truth, predicted, tolerance, check=True)
    taken = {truth.column, predicted.column}
    features = _features(table.without(*taken), wrong, columns, never).take(known)
    clauses = _search(features, wrong[known], **limits)
    counts = -_counts(clauses, table, wrong, known)  # taken off, for all files are counted below
    used = {literal.column for clause in clauses for literal in clause} | taken
    reader = PlanReader({name: table.plans[name] for name in table.names if name in used})
    for batch in batches(files, used):
        numbers = np.arange(batch.first, batch.last + 1)
        part = Table(reader.read(batch), reader.plans, np.ones(len(batch)), numbers)
        known, wrong = _compared(*answers(part), tolerance)
        counts += _counts(clauses, part, wrong, known)
        step(batch.last)
    return _judged(clauses, counts, alpha)
