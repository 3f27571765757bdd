"""Columns of a DataFrame, as the plain arrays that rules are evaluated on."""

import difflib
from collections.abc import Iterable, Mapping

import pandas as pd

from nri.errors import InputError
from nri.rule import Kind, Literal, Rule
from nri.rule.column import Column
from nri.table.cells import read_cells
from nri.table.coerce import coerce


def columns_of(
    frame: pd.DataFrame,
    names: Iterable[str] | None = None,
    kinds: Mapping[str, Kind] | None = None,
) -> dict[str, Column]:
    """Return columns of a DataFrame as typed arrays with a mask for known cells.

    Parameters
    ----------
    frame : DataFrame
        With text names, as :func:`nri.table.frame.as_frame` makes it.
    names : iterable of str, optional
        The columns wanted; all by default. Others are not looked at.
    kinds : mapping of str to Kind, optional
        What a column must be read as; by default what its cells are.

    Raises
    ------
    InputError
        If a wanted column is absent, or a cell cannot be read as the kind asked for.

    Examples
    --------
    >>> columns_of(pd.DataFrame({"age": [30, None]}))["age"].known.tolist()
    [True, False]
    """
    wanted = frame.columns.tolist() if names is None else list(names)
    require_columns(frame, wanted)
    kinds = kinds or {}
    columns = {}
    for name in wanted:
        column = read_cells(frame[name])
        columns[name] = coerce(column, kinds[name], name) if name in kinds else column
    return columns


def columns_for(rule: Rule, frame: pd.DataFrame) -> dict[str, Column]:
    """Return only the columns that a rule reads, each as the kind its literals speak about."""
    kinds = kinds_read(literal for clause in rule for literal in clause)
    return columns_of(frame, rule.columns, kinds)


def kinds_read(literals: Iterable[Literal]) -> dict[str, Kind]:
    """Return for each column the kind that literals compare it as."""
    return {literal.column: literal.kind for literal in literals}


def require_columns(frame: pd.DataFrame, names: Iterable[str]) -> None:
    """Raise an InputError that names the first absent column and the present ones most like it."""
    present = set(frame.columns)
    for name in names:
        if name not in present:
            raise InputError(f"no column {name!r}{nearest(name, frame.columns.tolist())}")


def nearest(name: str, present: list[str]) -> str:
    """Return the remedy for an absent name: the names most like it, or a few of those there are."""
    by_lower = {column.lower(): column for column in present}
    close = [by_lower[low] for low in difflib.get_close_matches(name.lower(), list(by_lower), n=3)]
    if close:
        return "; did you mean " + " or ".join(repr(column) for column in close) + "?"
    shown = ", ".join(repr(column) for column in present[:8]) + (", ..." if len(present) > 8 else "")
    return f"; the table has {shown}"
