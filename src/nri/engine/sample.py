"""Samples: rows are drawn by a hash of their cells, so that neither order nor engine nor run matters.

The hash is made of multiplications, sums and floors of float64 numbers, which every engine computes to the
same last bit: ``fraction(fraction(sum of fraction((cell - least cell) * factor)) * big)``, and so on. A row
is drawn if its hash is below the share wanted of its stratum. Number and date columns are hashed, four of
them as long as these tell rows apart; all of them, and texts too (by length and a few letters), where they do
not. Rows that are alike in all cells share a hash: they come as one row with their number as its weight.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from nri.arrays import FloatArray, IntArray
from nri.engine.rows import RawColumn, Rows, select
from nri.rule.literal import Kind
from nri.rule.render.sql_dialects import float_literal, identifier

_FEW = 4
"""Columns that are hashed first."""
_SPREAD = 2.0**24
"""The range of a column is stretched to about this before its fraction is taken."""
_ROUNDS = (104729.375, 15485.8671875, 32452.843505859375)
_UNKNOWN = 0.3779296875
"""What an unknown cell adds."""


@dataclass(frozen=True)
class Hash:
    """How a number from 0 to 1 is made of each row."""

    terms: tuple[str, ...]
    """SQL of the fractions that are summed, in this order"""

    def query(self, items: Mapping[str, str], where: str = "") -> str:
        """Write a query that adds the hash to some expressions, as ``h``.

        Each step is a query of its own, so that nothing is computed twice.
        """
        listed = ", ".join(items)
        sql = select({**items, "h0": " + ".join(self.terms)}, where=where)
        stretched = f"h0 * {float_literal(_ROUNDS[0])}"
        for factor in _ROUNDS[1:]:
            sql = f"SELECT {listed}, {stretched} AS h0 FROM ({sql}) AS stretched"
            stretched = f"(h0 - FLOOR(h0)) * {float_literal(factor)}"
        sql = f"SELECT {listed}, {stretched} AS h0 FROM ({sql}) AS stretched"
        return f"SELECT {listed}, h0 - FLOOR(h0) AS h FROM ({sql}) AS hashed"


@dataclass(frozen=True, eq=False)
class Drawn:
    """Rows that were drawn."""

    frame: pd.DataFrame
    """the cells, each different row once"""
    codes: IntArray
    """[M], the class of each"""
    strata: IntArray
    """[M], the stratum of each"""
    counts: FloatArray
    """[M], how many rows of the table each stands for by being alike"""
    n_hashes: int
    """how many different hashes there are"""


def hashes(raw: Sequence[RawColumn], ranges: Mapping[str, tuple[float, float]], rows: Rows) -> list[Hash]:
    """Return ways to hash the rows, the quickest first; later ones tell more rows apart.

    Parameters
    ----------
    raw
        The columns that may be hashed.
    ranges
        Least and largest number of each number and date column, over all rows.
    rows
        The engine.
    """
    measured = [one for one in raw if one.name in ranges and ranges[one.name][1] > ranges[one.name][0]]
    measured.sort(key=lambda one: one.name)
    flags = sorted((one for one in raw if one.flags), key=lambda one: one.name)
    words = sorted((one for one in raw if one.kind is Kind.TEXT), key=lambda one: one.name)
    numbers = [
        _fraction(*_stretched(one, ranges[one.name], place, rows)) for place, one in enumerate(measured)
    ]
    others = [_flag(one, place, rows) for place, one in enumerate(flags)]
    others += [term for place, one in enumerate(words) for term in _letters(one, place, rows)]
    ways = dict.fromkeys(tuple(terms) for terms in (numbers[:_FEW], [*numbers, *others]) if terms)
    return [Hash(terms) for terms in ways]


def _stretched(one: RawColumn, span: tuple[float, float], place: int, rows: Rows) -> tuple[str, str]:
    """Write a cell as a number whose whole part is about as long as its fraction, and whether it is known."""
    low, high = span
    quoted = identifier(one.name, rows.dialect)
    value = rows.dialect.microseconds.format(x=quoted) if one.kind is Kind.DATE else quoted
    value = rows.dialect.double.format(x=value)
    exponent = np.floor(np.log2(_SPREAD / (high - low)))
    factor = (1.0 + (0.6180339887498949 * (place + 1)) % 1.0) * 2.0 ** float(np.clip(exponent, -1000, 1000))
    product = f"(({value} - {float_literal(low)}) * {float_literal(factor)})"
    inside = f"{value} BETWEEN {float_literal(low)} AND {float_literal(high)}"
    return product, inside


def _fraction(product: str, inside: str = "") -> str:
    part = f"({product} - FLOOR({product}))"
    return f"CASE WHEN {inside} THEN {part} ELSE {float_literal(_UNKNOWN)} END" if inside else part


def _flag(one: RawColumn, place: int, rows: Rows) -> str:
    quoted = identifier(one.name, rows.dialect)
    yes, no = (float_literal((0.7548776662466927 * (2 * place + k)) % 1.0) for k in (1, 2))
    return f"CASE WHEN {quoted} THEN {yes} WHEN NOT {quoted} THEN {no} ELSE {float_literal(_UNKNOWN)} END"


def _letters(one: RawColumn, place: int, rows: Rows) -> list[str]:
    """Write a text as fractions: of its length, its first letter, its last one and one in the middle."""
    text = identifier(one.name, rows.dialect)
    length = f"LENGTH({text})"
    middle = f"SUBSTR({text}, CAST(FLOOR({rows.dialect.double.format(x=length)} / 2e0) AS INTEGER) + 1, 1)"
    asked = [length, f"SUBSTR({text}, 1, 1)", f"SUBSTR({text}, {length}, 1)", middle]
    found = []
    for k, part in enumerate(asked):
        value = part if k == 0 else f"COALESCE({rows.dialect.letter.format(x=part)}, 0)"
        factor = (0.5698402909980532 * (4 * place + k + 1)) % 1.0
        product = f"({rows.dialect.double.format(x=value)} * {float_literal(factor)})"
        found.append(_fraction(product, f"{text} IS NOT NULL"))
    return found


def draw(
    rows: Rows,
    hashed: Hash,
    raw: Sequence[RawColumn],
    code: str,
    stratum: str,
    shares: Sequence[float],
) -> Drawn:
    """Draw a share of the rows of each stratum.

    Parameters
    ----------
    rows
        The engine.
    hashed
        How rows are hashed.
    raw
        The columns to fetch.
    code, stratum
        SQL of a row's class and of its stratum, from 0; rows without a class are not drawn.
    shares
        Of each stratum, which share is wanted, 0 to 1.
    """
    quoted = {f"c{place}": identifier(one.name, rows.dialect) for place, one in enumerate(raw)}
    listed = ", ".join([*quoted, "k", "s", "h"])
    ends = "".join(
        f" WHEN s = {place} THEN {float_literal(min(1.0, share))}" for place, share in enumerate(shares)
    )
    found = rows.query(
        f"SELECT {listed}, COUNT(*) AS n FROM ({hashed.query({**quoted, 'k': code, 's': stratum})}) AS drawn "
        f"WHERE k IS NOT NULL AND h < (CASE{ends} ELSE 0e0 END) GROUP BY {listed}"
    )
    order = np.lexsort((np.arange(found.num_rows), _array(found, "h")))
    found = found.take(order)
    frame = found.select(list(quoted)).to_pandas(integer_object_nulls=True)
    return Drawn(
        frame.set_axis([one.name for one in raw], axis="columns"),
        _array(found, "k").astype(np.int64),
        _array(found, "s").astype(np.int64),
        _array(found, "n").astype(np.float64),
        len(np.unique(_array(found, "h"))),
    )


def _array(found: "object", column: str) -> FloatArray:
    return np.asarray(found.column(column).to_numpy(), dtype=np.float64)  # type: ignore[attr-defined]


def shares_of(counts: FloatArray, size: int) -> FloatArray:
    """Return which share of each stratum to draw, about so many rows in all.

    Every stratum gets at least half of an equal part, if it has so many rows, and the rest goes by size.

    >>> shares_of(np.array([10_000.0, 90_000.0, 10.0]), 1000).round(4).tolist()
    [0.0167, 0.0093, 1.0]
    """
    counts = np.asarray(counts, dtype=np.float64)
    total = max(float(counts.sum()), 1.0)
    if total <= size:
        return np.ones(len(counts))
    least = np.minimum(counts, size / (2 * max(len(counts), 1)))
    wanted = np.maximum(counts * size / total, least)
    wanted *= size / max(wanted.sum(), 1.0) if wanted.sum() > size else 1.0
    return np.minimum(1.0, np.maximum(wanted, least) / np.maximum(counts, 1.0))
