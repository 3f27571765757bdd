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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray
from nri.episode import literal_truth
from nri.errors import InputError, ScoresError
from nri.induce.resample import stratified_folds
from nri.induce.words import is_negated, literal_meanings
from nri.rule import Clause, Kind
from nri.table.answers import Answers, read_answers
from nri.table.binarizer import Binarizer
from nri.table.kinds.category import fold
from nri.table.reading import as_numbers
from nri.table.source import table_of
from nri.table.table import Table, Target
from nri.table.target import MAX_CLASSES, labels_as_text
from nri.tasks.predictions import different_cells
from nri.tasks.slice_judge import SliceCounts, Slices, Test, judged_slices
from nri.tasks.slice_search import Candidate, search_slices


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
    >>> X = {"site": ["a", "a", "b", "b"] * 50, "size": [1, 2] * 100}
    >>> found = error_slices(X, [1] * 200, [1, 1, 0, 1] * 50)
    >>> [str(one.clause) for one in found.slices]
    ['site = b AND size <= 1']
    """
    table = table_of(X)
    truth, said = _answers(labels, "label"), _answers(predictions, "prediction")
    if not len(table) == len(truth.labels) == len(said.labels):
        raise InputError(
            f"{len(table)} rows, {len(truth.labels)} labels, {len(said.labels)} predictions; "
            "give one of each for each row"
        )
    check_comparable(truth, said, tolerance)
    known = truth.labels.known & said.labels.known
    return find_slices(table.take(known), errors_of(truth, said, tolerance)[known], **options)


def _answers(given: Any, name: str) -> Answers:
    """Return labels or predictions as somebody holds them, read."""
    return given if isinstance(given, Answers) else read_answers(table_of({name: given}), name)


def check_comparable(truth: Answers, said: Answers, tolerance: float | None) -> None:
    """Raise if a difference between the two would say nothing."""
    if _are_numbers(truth, said):
        if tolerance is None:
            _refuse_scores(truth, said)
        return
    if tolerance is not None:
        raise InputError("a tolerance is for numbers, but labels or predictions are not; leave it out")
    known = truth.labels.known & said.labels.known
    true_words, said_words = ({*_words(one)[known].tolist()} for one in (truth, said))
    if not true_words & said_words:
        told = [repr(min(words, default="")) for words in (true_words, said_words)]
        raise InputError(
            f"labels ({told[0]}, ...) and predictions ({told[1]}, ...) share no value; "
            "give both in the same words, e.g. as comparisons"
        )


def errors_of(truth: Answers, said: Answers, tolerance: float | None) -> BoolArray:
    """[M]: where both are known and differ."""
    known = truth.labels.known & said.labels.known
    if _are_numbers(truth, said):
        difference = as_numbers(truth.labels) - as_numbers(said.labels)
        return np.asarray(known & (np.abs(difference) > (tolerance or 0.0)), dtype=bool)
    return np.asarray(known & (_words(truth) != _words(said)), dtype=bool)


def _are_numbers(truth: Answers, said: Answers) -> bool:
    return all(one.labels.kind in (Kind.NUMBER, Kind.BOOLEAN) for one in (truth, said))


def _words(answers: Answers) -> NDArray[Any]:
    """[M]: answers as folded texts, each different one written once; any text where they are unknown."""
    different, codes = different_cells(answers.labels)
    texts = [fold(text) for text in labels_as_text(different, answers.plan)]
    return np.array([*texts, ""], dtype=object)[codes]


def _refuse_scores(truth: Answers, said: Answers) -> None:
    """Raise if predictions are scores beside labels of a few classes: nearly every one would be an error."""
    scores, classes = len(said.labels.distinct()[0]), len(truth.labels.distinct()[0])
    fractions = bool((as_numbers(said.labels) % 1 > 0).any())
    if fractions and classes <= MAX_CLASSES and scores > 2 * classes:
        raise ScoresError(said.name, scores, classes)


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
        Anything :func:`nri.table.source.table_of` takes.
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
    table, wrong = checked(X, wrong, columns, never)
    rng = rng or np.random.default_rng(0)
    if test not in ("holdout", "permutation"):
        raise InputError(f"no test {test!r}; use 'holdout' or 'permutation'")
    searched = judged = np.ones(len(wrong), dtype=bool)
    if test == "holdout":
        judged = stratified_folds(wrong.astype(np.int64), 2, rng) == 1
        searched = ~judged
    search = SliceSearch(
        table.take(searched), wrong[searched], max_literals, min_rows, negations, by_errors=test == "holdout"
    )
    found = search.run(most)
    clauses = [search.clause(candidate) for candidate in found]
    counts = SliceCounts.of(clauses, table, wrong, judged)
    p_values = _by_shuffling(search, found, permutations, rng, step) if test == "permutation" else None
    return judged_slices(clauses, counts, alpha, p_values)


class SliceSearch:
    """The search on one set of rows, to be repeated with other errors on the same rows."""

    def __init__(
        self,
        table: Table,
        wrong: BoolArray,
        max_literals: int,
        min_rows: int | None,
        negations: bool,
        *,
        by_errors: bool,
    ) -> None:
        # where the same rows judge, thresholds must not know the errors: shuffling would not undo that
        labelled = table.labelled(Target("wrong", (False, True), wrong.astype(np.int64)))
        binarizer = Binarizer().fit(labelled, by_labels=by_errors)
        self.literals = literal_meanings(binarizer.variables_, binarizer.domain_)
        self.truth = literal_truth(*binarizer.cells(table.columns, len(table)))
        if not negations:
            self.truth[:, [j for j, literal in enumerate(self.literals) if is_negated(literal)]] = False
        self.wrong = wrong
        self.max_literals = max_literals
        self.min_rows = min_rows if min_rows is not None else max(10, math.ceil(0.02 * len(table)))

    def run(self, most: int, wrong: BoolArray | None = None) -> list[Candidate]:
        """Return the best slices for these errors, or for others."""
        wrong = self.wrong if wrong is None else wrong
        if not self.truth.shape[1] or not wrong.any() or wrong.all():
            return []
        return search_slices(
            self.truth, wrong, max_literals=self.max_literals, min_rows=self.min_rows, most=most
        )

    def clause(self, candidate: Candidate) -> Clause:
        """Say a slice in words."""
        return Clause(self.literals[j] for j in candidate.literals)


def checked(
    X: Any, wrong: Any, columns: Sequence[str] | None, never: Sequence[str]
) -> tuple[Table, BoolArray]:
    """Return the columns that slices may speak about, and the errors; raise if they do not fit."""
    table = table_of(X)
    mask = np.asarray(wrong, dtype=bool)
    if mask.shape != (len(table),):
        raise InputError(f"{len(table)} rows, but errors of shape {mask.shape}; give one for each row")
    if len(table) < 4:
        raise InputError(f"{len(table)} rows are too few to look for slices; give more")
    table.require([*(columns or ()), *never])
    kept = [name for name in table.names if name not in never and (columns is None or name in columns)]
    if not kept:
        raise InputError("the columns to use and never to use rule out every column; allow at least one")
    return table.only(kept), mask


def _by_shuffling(
    search: SliceSearch,
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
