"""Transitions: from a table with pairs of columns, two tables or time series to pairs of states.

Every state is a row of one table, so that the kind of a column is decided once, by the cells before and
after; a transition is two row numbers.
"""

import logging
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from nri.errors import InputError, UnknownColumnError, listed
from nri.rule import Column, Kind
from nri.table import ReadOptions, Source, Table, open_source, source_of
from nri_dynamics.arrays import IntArray
from nri_dynamics.variables import Variable, variable_of

logger = logging.getLogger("nri.dynamics")  # below nri, so that the command line prints it

SUFFIX = "'"
"""What marks the next value of a column by default: ``x`` and ``x'``."""


@dataclass(frozen=True)
class Layout:
    """Where in a table the states before and after are."""

    next_suffix: str = SUFFIX
    """the ending of the columns that hold next values"""
    time: str | None = None
    """the column that orders the rows of a time series"""
    series: str | None = None
    """the column that separates several time series"""
    skip_gaps: bool = False
    """whether a time series is split at gaps instead of being refused"""
    without: Collection[str] = ()
    """columns that are no part of a state"""


@dataclass(frozen=True, eq=False)
class Transitions:
    """States as rows of codes, and which of them follow each other."""

    variables: tuple[Variable, ...]
    before: IntArray
    """[M, N], the index of each value; every cell known"""
    after: IntArray
    """[M, N], -1 where unknown and for inputs"""

    def __len__(self) -> int:
        return len(self.before)

    @property
    def columns(self) -> dict[str, Column]:
        """The states before, as a rule reads them."""
        return {one.name: one.column(self.before[:, i]) for i, one in enumerate(self.variables)}

    @property
    def learned(self) -> list[int]:
        """Indices of the variables that have next values."""
        return [i for i, variable in enumerate(self.variables) if not variable.is_input]


def read_transitions(
    table: Any, next_table: Any = None, layout: Layout | None = None, *, exact: bool = False
) -> Transitions:
    """Read pairs of states from a file, a frame or a table.

    They are pairs of columns, a time series, or the rows of ``table`` and ``next_table``. If ``exact``, texts
    that differ only in case and blanks are kept apart.
    """
    layout = layout or Layout()
    if next_table is not None and (layout.time or layout.series):
        raise InputError("two tables and a column of time: give either a table of next states or time series")
    if next_table is not None:
        states, before, after, inputs = _two_tables(_opened(table), _opened(next_table), layout, exact)
    elif layout.time is not None or layout.series is not None:
        states, before, after, inputs = _series(_opened(table), layout, exact)
    else:
        states, before, after, inputs = _pairs(_opened(table), layout, exact)
    return _coded(states, before, after, inputs)


_States = tuple[Table, IntArray, IntArray, Collection[str]]
"""The table of states, the rows before and after, and columns without next values."""


def _opened(table: Any) -> Source | Table:
    if isinstance(table, Source | Table):
        return table
    if isinstance(table, str | Path) or hasattr(table, "read"):
        return open_source(table)
    return source_of(table)


def _pairs(source: Source | Table, layout: Layout, exact: bool) -> _States:
    suffix = layout.next_suffix
    left = [name for name in source.names if name not in _known(layout.without, source.names)]
    after = [name for name in left if name.endswith(suffix) and name != suffix]
    names = [name for name in left if name not in after]
    for name in after:
        if name.removesuffix(suffix) not in names:
            cause = f"column {name!r} holds next values of {name.removesuffix(suffix)!r}, which is no column"
            raise InputError(f"{cause}; the table has {listed(names)}")
    if not after:
        raise InputError(
            f"no column holds next values: none of {listed(left)} ends in {suffix!r}; name the ending "
            f"(next_suffix, --next-suffix{_perhaps(left)}), give a second table of next states, or for a "
            "time series its column of time"
        )
    inputs = [name for name in names if name + suffix not in after]
    learned = [name for name in names if name not in inputs]
    if inputs:
        logger.warning("without a next column, so inputs: %s", ", ".join(inputs))
    following = {name: name + suffix for name in learned} | {name: name for name in inputs}
    return _stacked(source, source, names, following, inputs, exact)


def _perhaps(names: Sequence[str]) -> str:
    """Guess what ends the names of next columns: what half of all names have more than another one.

    >>> _perhaps(["a", "b", "a_next", "b_next"])
    "; perhaps '_next'"
    """
    endings = Counter(
        long[len(short) :] for short in names for long in names if long != short and long.startswith(short)
    )
    ending, count = max(endings.items(), key=lambda one: one[1], default=("", 0))
    return f"; perhaps {ending!r}" if 2 * count >= len(names) > 0 else ""


def _two_tables(first: Source | Table, second: Source | Table, layout: Layout, exact: bool) -> _States:
    left_out = _known(layout.without, first.names)
    names = [name for name in first.names if name not in left_out]
    if len(first) != len(second):
        raise InputError(
            f"{len(first)} states and {len(second)} next states; give one next state for each state, in order"
        )
    for name in second.names:
        if name not in names and name not in left_out:
            raise UnknownColumnError(name, names, "column", "the table of next states")
    inputs = [name for name in names if name not in second.names]
    if len(inputs) == len(names):
        raise InputError(f"the table of next states has none of the columns {listed(names)}; name them alike")
    following = {name: name for name in names}
    second_or_first = _filled(second, first, inputs)
    return _stacked(first, second_or_first, names, following, inputs, exact)


def _filled(second: Source | Table, first: Source | Table, inputs: Sequence[str]) -> Source | Table:
    """Add columns that only the first table has to the second."""
    if isinstance(second, Table) and isinstance(first, Table):
        return replace(second, columns={**second.columns, **{name: first.columns[name] for name in inputs}})
    if isinstance(second, Table) or isinstance(first, Table):
        raise InputError("one table is read already and the other is not; give two files or two frames")
    return second.beside({name: first.rows[name] for name in inputs})


def _stacked(
    first: Source | Table,
    second: Source | Table,
    names: Sequence[str],
    following: dict[str, str],
    inputs: Collection[str],
    exact: bool,
) -> _States:
    """Stack states before and after and read them as one table, so that both are read alike."""
    n = len(first)
    rows = np.arange(n)
    if isinstance(first, Table) or isinstance(second, Table):
        assert isinstance(first, Table), "both were read"
        assert isinstance(second, Table), "both were read"
        columns = {
            name: _joined(first.columns[name], second.columns[following[name]], name) for name in names
        }
        table = Table(columns, first.plans, np.ones(2 * n), np.arange(1, 2 * n + 1))
        return table, rows, rows + n, inputs
    both = {name: [*first.listed(name), *second.listed(following[name])] for name in names}
    written = first.written if first.written is not None and second.written is not None else None
    if written is None and (first.written is not None or second.written is not None):
        raise InputError("one table is text and the other is typed; give two files of one format")
    stacked = Source({name: np.array(cells, dtype=object) for name, cells in both.items()}, written)
    return stacked.table(ReadOptions(exact=exact)), rows, rows + n, inputs


def _joined(before: Column, after: Column, name: str) -> Column:
    """Return the cells of two columns of one kind in one."""
    if before.kind is not after.kind and not after.known.any():
        after = Column(np.full(len(after), before.values[:1]), after.known, before.categories)
    if before.kind is not after.kind:
        raise InputError(
            f"{name!r} is {before.kind} before and {after.kind} after; write its cells alike, or give a file"
        )
    known = np.concatenate([before.known, after.known])
    if before.kind is Kind.TEXT:
        return Column(np.concatenate([before.texts, after.texts]), known)
    return Column(np.concatenate([before.values, after.values]), known)


def _series(source: Source | Table, layout: Layout, exact: bool) -> _States:
    table = source if isinstance(source, Table) else source.table(ReadOptions(exact=exact))
    marks = [name for name in (layout.time, layout.series) if name is not None]
    table.require([*marks, *layout.without])
    states = table.without(*marks, *layout.without)
    if not states.names:
        raise InputError("the time series has no column but time and series; give columns that make a state")
    before: list[int] = []
    after: list[int] = []
    for rows in _runs(table, layout):
        before += rows[:-1].tolist()
        after += rows[1:].tolist()
    if not before:
        raise InputError("every series has one row only, so nothing follows anything; give longer series")
    return states, np.array(before, dtype=np.int64), np.array(after, dtype=np.int64), ()


def _runs(table: Table, layout: Layout) -> list[IntArray]:
    """Return the rows of each stretch of a series without gaps, in order of time."""
    groups = _groups(table, layout.series)
    if layout.time is None:
        return list(groups.values())
    times = _times(table, layout.time)
    ordered = {name: rows[np.argsort(times[rows], kind="stable")] for name, rows in groups.items()}
    steps = np.concatenate([np.diff(times[rows]) for rows in ordered.values()])
    if len(steps) == 0:
        return list(ordered.values())
    usual = float(np.median(steps))
    runs = []
    for name, rows in ordered.items():
        own = np.diff(times[rows])
        if bool((own == 0).any()):
            _refuse_twice(table, layout, name, rows[int(np.argmax(own == 0))])
        uneven = np.flatnonzero((own > 1.5 * usual) | (own < 0.5 * usual))
        if len(uneven) and not layout.skip_gaps:
            _refuse_gap(table, layout, name, rows[uneven[0]], rows[uneven[0] + 1])
        runs += np.split(rows, uneven + 1)
    return runs


def _groups(table: Table, series: str | None) -> dict[str, IntArray]:
    if series is None:
        return {"": np.arange(len(table))}
    column = table.columns[series]
    if not column.known.all():
        row = int(np.argmin(column.known)) + 1
        raise InputError(f"column {series!r}, row {row}: no series is named; fill the cell")
    keys = np.array([str(column.cell(i)) for i in range(len(column))], dtype=object)
    return {str(key): np.flatnonzero(keys == key) for key in dict.fromkeys(keys.tolist())}


def _times(table: Table, name: str) -> Any:
    column = table.columns[name]
    if column.kind is Kind.TEXT:
        raise InputError(
            f"column {name!r} holds texts, which have no distance in time; give numbers or dates"
        )
    if not column.known.all():
        row = int(np.argmin(column.known)) + 1
        raise InputError(f"column {name!r}, row {row}: the time is missing; fill the cell or drop the row")
    return column.values.astype(np.float64)


def _refuse_gap(table: Table, layout: Layout, series: str, row: int, following: int) -> None:
    assert layout.time is not None, "gaps are gaps in time"
    column = table.columns[layout.time]
    where = f"series {series!r}" if series else "the series"
    before, after = _moment(column, row), _moment(column, following)
    raise InputError(
        f"{where} has a gap: {layout.time} {after} follows {before}, unlike the "
        "usual step; add the missing rows, or split the series there (skip_gaps, --skip-gaps)"
    )


def _moment(column: Column, row: int) -> str:
    """Write a time as in its cell: of a series at 0 and 1 it was read as no and yes."""
    cell = column.cell(row)
    return str(int(cell) if isinstance(cell, bool) else cell)


def _refuse_twice(table: Table, layout: Layout, series: str, row: int) -> None:
    assert layout.time is not None, "times were compared"
    cell = _moment(table.columns[layout.time], row)
    if layout.series is None:
        raise InputError(f"{layout.time} {cell} occurs twice; name the column of series")
    raise InputError(f"{layout.time} {cell} occurs twice in series {series!r}; keep one row for each time")


def _known(names: Collection[str], present: Sequence[str]) -> Collection[str]:
    for name in names:
        if name not in present:
            raise UnknownColumnError(name, present)
    return names


def _coded(states: Table, before: IntArray, after: IntArray, inputs: Collection[str]) -> Transitions:
    """Turn states into codes; leave out transitions whose state before has an unknown cell."""
    variables = tuple(
        variable_of(name, states.columns[name], states.plans[name], is_input=name in inputs)
        for name in states.names
    )
    still = [one.name for one in variables if len(one.values) == 1]
    if still:
        logger.warning("the same in every state, so left out: %s", ", ".join(still))
        variables = tuple(one for one in variables if one.name not in still)
    if all(one.is_input for one in variables):
        raise InputError("no variable ever changes its value; give states that differ")
    codes = np.stack([one.codes(states.columns[one.name]) for one in variables], axis=1)
    now, following = codes[before], codes[after]
    following[:, [one.is_input for one in variables]] = -1
    whole = np.asarray((now >= 0).all(axis=1))
    if not whole.any():
        raise InputError("in every state before some cell is unknown; fill cells, or leave columns out")
    left_out = int((~whole).sum())
    if left_out:
        logger.warning(
            "%d of %d transitions start with an unknown cell and are left out", left_out, len(whole)
        )
    for variable in variables:
        if variable.cut is not None:
            logger.warning("%s is a measurement: above %g it is high", variable.name, variable.cut)
    return Transitions(variables, now[whole], following[whole])
