"""Long tables: a rule is sought in some of the rows, and chosen, cut and counted by all of them.

Search compares thousands of clauses row by row, and beyond some thousand rows it learns little that is new.
So of a long table it sees a sample. Rows are taken by a hash of what they hold: the same ones on every run
and in whatever order they come. What was found is then asked of all rows. Over the few literals that matter
most rows are alike, and rows that are alike are one row with their weight: a search among these is a search
in the whole table.
"""

from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.episode import make_episode
from nri.induce.canonical import CanonicalEpisode, Hashes, mixed
from nri.rule.column import Column, Columns
from nri.rule.literal import Literal
from nri.rule.truth import literal_truth
from nri.search.clauses import AnyClause, IndexCount, members
from nri.search.greedy import induce
from nri.search.limits import Limits
from nri.search.objective import DescriptionLength, clause_bits
from nri.search.result import Induced
from nri.table.table import Table

SEARCHED_ROWS = 8192
"""Rows up to which all are searched; of more, about so many. Rules from more rows are no better."""
_LEAST_SHARE = 0.25
"""Share of the sample that is dealt out evenly among the classes, as far as they have the rows."""
_PATTERNS = 3000
"""Most different rows over the literals that matter."""
_VARIABLES = 32
"""Most variables that rows are compared by: two bits each fill a word."""


@dataclass(frozen=True, eq=False)
class Searched:
    """The rows that a rule is sought in."""

    table: Table
    """Some rows, each with the weight that it stands for"""
    whole: bool
    """Whether no row is left out: then those that are alike are one"""


def rows_to_search(table: Table, most: int | None = None) -> Searched:
    """Return about so many rows of a long table; a short one whole, as it is.

    If no more than ``most`` rows are different, each of them is there with the weight of all its likes. If
    not, classes are sampled in proportion, but rare ones get more rows of less weight. A row of the
    class that is sampled most densely keeps its weight.

    Parameters
    ----------
    table
        With a target.
    most
        About how many rows; by default :data:`SEARCHED_ROWS`.
    """
    most = SEARCHED_ROWS if most is None else most
    if len(table) <= most:
        return Searched(table, whole=True)
    hashes = _row_hashes(table.columns, table)
    order = np.argsort(hashes, kind="stable")
    first = np.ones(len(order), dtype=bool)
    first[1:] = np.diff(hashes[order]) != 0
    starts = np.flatnonzero(first)
    if len(starts) <= most:
        rows = order[starts]
        merged = table.take(rows).reweighted(np.add.reduceat(table.weights[order], starts))
        return Searched(merged, whole=True)
    # the copies of a row are numbered, so that each of them has a fate of its own
    copies = np.empty(len(order), dtype=np.uint64)
    copies[order] = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    fates = mixed(hashes + mixed(copies))
    kept, factors = [], []
    n_classes = len(table.classes)
    for code in range(n_classes):
        rows = np.flatnonzero(table.codes == code)
        fair = most * len(rows) / len(table)
        wanted = min(len(rows), max(round(fair), int(_LEAST_SHARE * most) // n_classes))
        if wanted < len(rows):
            rows = rows[np.argpartition(fates[rows], wanted)[:wanted]]
        kept.append(rows)
        factors.append(min(1.0, fair / max(wanted, 1)))
    weights = [table.weights[rows] * factor for rows, factor in zip(kept, factors, strict=True)]
    chosen = np.concatenate(kept)
    scale = min(factor for factor, rows in zip(factors, kept, strict=True) if len(rows))
    by_place = np.argsort(chosen)
    sample = table.take(chosen[by_place]).reweighted(np.concatenate(weights)[by_place] / scale)
    return Searched(sample, whole=False)


def unlabelled_to_search(table: Table, most: int | None = None) -> Columns | None:
    """Return so many of the rows without a label; if they are few, all of them."""
    columns, most = table.unlabelled, SEARCHED_ROWS if most is None else most
    n_rows = 0 if columns is None else len(next(iter(columns.values()), ()))
    if columns is None or n_rows <= most:
        return columns
    # copies of a row stay together: which of them would be left out cannot matter
    rows = np.argsort(mixed(_row_hashes(columns)), kind="stable")[:most]
    return {name: column.take(rows) for name, column in columns.items()}


def _row_hashes(columns: Columns, table: Table | None = None) -> Hashes:
    """[M], equal for rows that are alike in every column, whatever the order of columns."""
    n_rows = len(next(iter(columns.values()), ()))
    hashes = np.zeros(n_rows, dtype=np.uint64)
    for name, column in columns.items():
        hashes += mixed(_cell_numbers(column) + _text_hash(name))
    if table is not None:
        hashes += mixed(mixed(table.codes.astype(np.uint64)) + np.uint64(1))
        hashes += mixed(mixed(table.weights.view(np.uint64)) + np.uint64(2))
    return hashes


def _cell_numbers(column: Column) -> Hashes:
    """[M], a number for each cell that depends on what it holds alone."""
    if column.categories is not None:
        texts = [*map(_text_hash, column.categories), np.uint64(0)]
        return np.asarray(np.array(texts, dtype=np.uint64)[column.values])  # code -1 is the last
    if column.values.dtype.kind == "b":
        return np.asarray(column.values.astype(np.uint64) + column.known)
    if column.values.dtype.kind == "M":
        return np.asarray(column.values.view(np.uint64))
    plain = np.where(column.known, column.values, 0.0) + 0.0  # there is one zero, and one unknown cell
    return np.asarray(plain.view(np.uint64)) + (~column.known).astype(np.uint64)


def _text_hash(text: str) -> np.uint64:
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def chosen_on_all_rows(
    found: Induced,
    view: CanonicalEpisode,
    table: Table,
    limits: Limits,
    costs: FloatArray | None,
    rng: np.random.Generator,
) -> Induced | None:
    """Search once more, in all rows, among the literals of a rule found in some, and the most telling others.

    Parameters
    ----------
    found
        The rule of the sample, in the literals of its view.
    view
        The sample, in canonical order.
    table
        All rows.
    limits, costs
        As the sample was searched with.
    rng
        The source of the proposer's draws.

    Returns
    -------
    Induced or None
        In the same literals; None where nothing can be told apart.
    """
    variables = _variables_that_matter(found, view.episode.n_variables)
    patterns = _patterns(table, [view.literals[variable] for variable in variables])
    variables = variables[: patterns.values.shape[1]]
    literals = np.concatenate([variables, variables + view.episode.n_variables])
    near = replace(
        limits,
        allowed=None if limits.allowed is None else limits.allowed[literals],
        required=tuple(mask[literals] for mask in limits.required),
    )
    if not near.literal_mask(len(variables)).any() or not all(mask.any() for mask in near.required):
        return None
    episode = make_episode(
        patterns.values, patterns.known, patterns.codes, patterns.weights, len(table.classes), costs=costs
    )
    objective = _as_among(2 * view.episode.n_variables, 2 * len(variables))
    again = induce(episode, rng=rng, limits=near, objective=objective, positive=table.positive)
    rules = tuple(tuple(_in_literals(clause, literals) for clause in rule) for rule in again.rules)
    return replace(again, rules=rules, posterior=found.posterior)


def _as_among(n_literals: int, n_near: int) -> DescriptionLength:
    """Return an objective under which clauses of few literals cost what they cost among all of them."""
    objective, pair = DescriptionLength(), np.array([2])
    dearer = float(clause_bits(pair, n_literals)[0] / clause_bits(pair, n_near)[0])
    return replace(objective, price=objective.price * dearer)


def _variables_that_matter(found: Induced, n_variables: int) -> IntArray:
    """Return the variables of a rule, then those that tell most: a view has them in this order."""
    said = [j % n_variables for rule in found.rules for clause in rule for j in members(clause)]
    return np.array(list(dict.fromkeys([*said, *range(n_variables)])), dtype=np.int64)[:_VARIABLES]


def _in_literals(clause: AnyClause, literals: IntArray) -> AnyClause:
    named = tuple(sorted(literals[list(members(clause))].tolist()))
    return IndexCount(named, clause.at_least) if isinstance(clause, IndexCount) else named


@dataclass(frozen=True, eq=False)
class _Patterns:
    """The different rows over some variables, one for each class that has any, and their weights."""

    values: BoolArray
    """[P, variables]"""
    known: BoolArray
    codes: IntArray
    """[P], class indices"""
    weights: FloatArray
    """[P]"""


def _patterns(table: Table, variables: list[Literal]) -> _Patterns:
    """Merge rows that are alike over variables, over as many of the first ones as leave few patterns."""
    words: Hashes = np.zeros(len(table), dtype=np.uint64)
    for variable in variables:  # the first in the highest bits
        holds, known = literal_truth(variable, table.columns)
        cells = np.where(holds, 3, known).astype(np.uint64)  # 3 holds, 1 does not, 0 is unknown
        words = (words << np.uint64(2)) + cells
    order = np.argsort(words, kind="stable")
    kept = _affordable(words[order], len(variables))
    words >>= np.uint64(2 * (len(variables) - kept)) if kept else np.uint64(63)
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.diff(words[order]) != 0
    which = np.empty(len(order), dtype=np.int64)
    which[order] = np.cumsum(new) - 1
    different = words[order][new]
    n_classes = len(table.classes)
    places, size = which * n_classes + table.codes, len(different) * n_classes
    # rounded, so that sums taken in another order of rows are the same
    masses: FloatArray = np.round(np.bincount(places, table.weights, minlength=size), 9).astype(np.float64)
    pattern, codes = np.divmod(np.flatnonzero(masses), n_classes)
    shifts = np.arange(2 * kept - 1, -1, -1, dtype=np.uint64)
    bits = (different[pattern, None] >> shifts & np.uint64(1)).astype(bool)
    return _Patterns(bits[:, 0::2], bits[:, 1::2], codes, masses[masses > 0])


def _affordable(words: Hashes, n_variables: int) -> int:
    """Return over how many of the first variables sorted rows have few enough patterns.

    Rows part at the highest bit in which a word differs from the one before it.
    """
    differ = words[1:] ^ words[:-1]
    differ = differ[differ > 0]
    high = differ >> np.uint64(32)  # floats hold 32 bits, but not 64
    _, length = np.frexp(np.where(high > 0, high, differ).astype(np.float64))
    length = length + np.where(high > 0, 32, 0)
    parted = n_variables - (length + 1) // 2  # the first variable that tells them apart
    patterns = 1 + np.cumsum(np.bincount(parted, minlength=n_variables))
    return int((patterns <= _PATTERNS).sum())
