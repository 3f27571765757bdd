"""The path to a rule for a number: a table in, segments out.

It goes as that for classes does (:mod:`nri.induce.path`), with the same columns, categories and literals;
numbers are cut where equal parts of the target change. A search finds the list of clauses
(:mod:`nri.regress.search`), once more with finer cuts of the columns that it uses; then it is told in the
words of the table and counted on all rows.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.episode import literal_truth
from nri.induce import knowledge
from nri.induce.settings import Settings
from nri.induce.wishes import allowed_literals, chosen_columns, required_literals
from nri.induce.words import literal_meanings
from nri.regress.count import (
    count_segments,
    deciding_clause,
    fence_of,
    taken_values,
    weighted_quantiles,
)
from nri.regress.search import Problem, search
from nri.rule import Clause, Dnf, Kind, Literal, Op, simplify
from nri.rule.literal import plain_value
from nri.rule.regions import Domain
from nri.rule.segments import Segments
from nri.search.limits import Limits
from nri.table.binarizer import Binarizer
from nri.table.table import Table, Target
from nri.table.thresholds import even_thresholds
from nri.table.usable import LeftOut, UselessColumnsError
from nri.threads import one_thread

SEARCHED_ROWS = 3000
"""Most rows that clauses are looked for in; means are counted on all."""


@dataclass(frozen=True)
class Knobs:
    """Constants of the search, chosen on half of the tables of ``nri bench regression``."""

    price: float = 1.0
    """bits of rows that one bit of rule must save"""
    least_rows: float = 5.0
    """fewest rows of a segment"""
    cuts: int = 10
    """most thresholds of one column"""
    parts: int = 8
    """equal parts of the number by which columns are cut"""
    fine: int = 20
    """equal parts of a column between finer cuts, once it is known that a clause speaks of it"""


KNOBS = Knobs()


@dataclass(frozen=True)
class NumberInduction:
    """What was found, and what was not looked at."""

    segments: Segments
    left_out: tuple[LeftOut, ...]
    """Columns that could be of no use to a rule, and why."""


@one_thread()
def induce_segments(
    table: Table,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator | None = None,
    knobs: Knobs = KNOBS,
) -> NumberInduction:
    """Induce a rule for the number that a table is to explain.

    Parameters
    ----------
    table
        Rows with a number as target; see :func:`nri.read_table`.
    settings
        What the rule may be; the model and what concerns classes have no say.
    rng
        Draws the rows that are searched, of very many; seeded with 0 by default.
    knobs
        Constants of the search.

    Examples
    --------
    >>> from nri import read_table
    >>> flats = {"rooms": [1, 1, 2, 2, 3, 3] * 4, "rent": [400.0 + i % 6 // 4 * 500 + i for i in range(24)]}
    >>> print(induce_segments(read_table(flats, "rent")).segments)
    IF      (rooms > 2)     rent 913   (907 to 920)   covers 8 of 24
    ELSE                    rent 411   (407 to 414)   covers 16 of 24
    explains 100 % of the variance of these rows
    """
    settings, rng = settings or Settings(), rng or np.random.default_rng(0)
    table = chosen_columns(table, settings)
    settings = replace(settings, knowledge=knowledge.resolved_for_number(settings.knowledge, table))
    if not (table.weights > 0).all():
        table = table.take(table.weights > 0)  # rows of weight zero are as good as absent
    if _standard(table.outcome.values, table.weights) is None:
        return NumberInduction(count_segments([], table), ())
    searched = table
    if len(table) > SEARCHED_ROWS:
        searched = table.take(np.sort(rng.choice(len(table), SEARCHED_ROWS, replace=False)))
    named = {*(settings.use or ()), *settings.require, *settings.knowledge.cuts}
    binarizer = Binarizer(settings.binarize, max_thresholds=knobs.cuts, named=named)
    binarizer = binarizer.fit(searched.labelled(_parts(searched, knobs.parts)))
    binarizer = knowledge.with_cuts(binarizer, settings.knowledge.cuts)
    if not binarizer.variables_:
        raise UselessColumnsError(binarizer.left_out_)
    clauses = _clauses(searched, settings, binarizer, knobs)
    if clauses:
        finer = binarizer
        if settings.binarize == "auto":
            finer = _with_finer_cuts(searched, binarizer, clauses, knobs.fine, settings.knowledge.cuts)
        clauses = _clauses(searched, settings, finer, knobs, clauses)
    told = [_simplest(clause, binarizer.domain_) for clause in clauses]
    return NumberInduction(count_segments(told, table), binarizer.left_out_)


def _with_finer_cuts(
    table: Table, binarizer: Binarizer, clauses: Sequence[Clause], parts: int, fixed: Collection[str]
) -> Binarizer:
    """Return a binarizer for the columns of some clauses, with many more cuts of those that are not fixed."""
    names = {name for clause in clauses for name in clause.columns}
    cuts = [
        Literal(name, Op.GT, plain_value(cut))
        for name in sorted(names - set(fixed))
        if (column := table.columns[name]).kind in (Kind.NUMBER, Kind.DATE)
        for cut in even_thresholds(column.values[column.known], table.weights[column.known], parts)
    ]
    return binarizer.narrowed(names, cuts)


def _parts(table: Table, parts: int) -> Target:
    """Return equal parts of the number as classes, for the cuts of columns."""
    values = table.outcome.values
    shares = [part / parts for part in range(1, parts)]
    borders = np.unique(weighted_quantiles(values, table.weights, shares))
    codes = np.searchsorted(borders, values, side="left").astype(np.int64)
    return Target(table.target, tuple(range(len(borders) + 1)), codes)


def _clauses(
    table: Table,
    settings: Settings,
    binarizer: Binarizer,
    knobs: Knobs,
    start: Sequence[Clause] | None = None,
) -> list[Clause]:
    """Search, from clauses that are there already if there are some, and say what is found in words."""
    meanings = literal_meanings(binarizer.variables_, binarizer.domain_)
    fires = literal_truth(*binarizer.cells(table.columns))
    if start is None:
        taken = fence_of(table.outcome.values, table.weights).inside(table.outcome.values)
    else:
        taken = taken_values(table.outcome.values, table.weights, deciding_clause(start, table))
    values = _standard(taken, table.weights)
    if values is None:  # all rows that were drawn are alike
        return []
    Limits(
        max_clauses=settings.max_clauses, max_literals=settings.max_literals
    )  # refuses what makes no sense
    chosen = _order(
        meanings,
        fires,
        values,
        table.weights,
        allowed_literals(meanings, settings),
        {x for clause in start or () for x in clause},
    )
    rows = _row_order(fires[:, chosen], values, table.weights)
    required = required_literals(meanings, settings, binarizer.left_out_)
    problem = Problem(
        fires=fires[np.ix_(rows, chosen)],
        values=values[rows],
        weights=table.weights[rows],
        max_clauses=min(settings.max_clauses, max(8, len(table))),
        max_literals=min(settings.max_literals, len(meanings)),
        least_rows=knobs.least_rows,
        price=knobs.price,
        required=tuple(wanted[chosen] for wanted in required),
    )
    words = [meanings[j] for j in chosen]
    places = {word: place for place, word in enumerate(words)}
    found = search(problem, [tuple(sorted(places[x] for x in clause)) for clause in start or ()])
    return [Clause(words[j] for j in clause) for clause in found.clauses]


def _standard(values: FloatArray, weights: FloatArray) -> FloatArray | None:
    """[M]: values with mean 0 and variance 1, None if all are the same."""
    centred = values - weights @ values / weights.sum()
    scale = float(np.sqrt(weights @ centred**2 / weights.sum()))
    if scale <= 1e-12 * max(1.0, float(np.abs(values).max())):
        return None
    standard: FloatArray = centred / scale
    return standard


def _order(
    meanings: Sequence[Literal],
    fires: BoolArray,
    values: FloatArray,
    weights: FloatArray,
    allowed: BoolArray,
    wanted: Collection[Literal],
) -> IntArray:
    """Return the literals that may be used, those that tell most first, however the caller ordered columns.

    Of literals that hold on the same rows the first one is enough.
    """
    rows = weights @ fires
    told = np.where(rows > 0, (weights * values) @ fires, 0.0) ** 2 / np.maximum(rows, 1e-9)
    order = sorted(
        np.flatnonzero(allowed).tolist(), key=lambda j: (-round(float(told[j]), 6), meanings[j].sort_key)
    )
    seen: set[bytes] = set()
    kept = []
    order.sort(key=lambda j: meanings[j] not in wanted)
    for j in order:
        pattern = np.packbits(fires[:, j]).tobytes()
        if pattern not in seen:
            seen.add(pattern)
            kept.append(j)
    return np.array(kept, dtype=np.int64)


def _row_order(fires: BoolArray, values: FloatArray, weights: FloatArray) -> IntArray:
    """Return one order of rows for all tables that hold the same rows: sums then come out the same."""
    packed = np.packbits(fires, axis=1)
    return np.lexsort((*packed.T, weights, np.round(values, 9)))


def _simplest(clause: Clause, domain: Domain) -> Clause:
    """Return the clause without literals that others imply."""
    simple = simplify(Dnf([clause]), domain)
    return simple.clauses[0] if len(simple) == 1 else clause
