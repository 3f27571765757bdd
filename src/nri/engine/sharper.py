"""Sharper cuts on all rows: windows of places around each border of a rule, coarse first, then fine."""

from collections.abc import Mapping

import numpy as np

from nri.engine.columns import EngineColumn
from nri.engine.histogram import Window
from nri.induce.borders import Border, borders_of, is_on
from nri.rule import Clause, Dnf, Label, Literal, RuleSet, Value
from nri.rule.literal import Kind
from nri.table.table import Table

_REACH = 64
"""Places on each side of a border."""
_SHARE = 0.03
"""Share of the rows that the first window takes in on each side."""
_LEVELS = 2
"""Windows around a border, one after the other, each finer by half its reach."""


def first_window(border: Border, column: EngineColumn, sample: Table) -> Window | None:
    """Return places around a border that take in a few percent of the rows; None if there are none."""
    cells = sample.columns[border[0]]
    values = np.sort(_as_numbers(cells.values[cells.known]))
    middle = column.as_number(border[1])
    if len(values) < 2 or values[0] == values[-1]:
        return None
    share = np.searchsorted(values, middle, side="right") / len(values)
    low, high = np.quantile(values, [max(0.0, share - _SHARE), min(1.0, share + _SHARE)])
    width = max(float(high) - middle, middle - float(low))
    distinct = np.unique(values)
    gaps = np.diff(distinct[max(0, np.searchsorted(distinct, middle) - 3) :][:8])
    width = max(width, 2.0 * float(gaps.max()) if len(gaps) else 0.0)
    return _window(column, middle, width / _REACH) if width > 0 else None


def _as_numbers(values: "np.ndarray") -> "np.ndarray":
    return (
        values.astype("datetime64[us]").astype(np.int64).astype(np.float64)
        if values.dtype.kind == "M"
        else values
    )


def _window(column: EngineColumn, middle: float, step: float) -> Window:
    if column.whole or column.kind is Kind.DATE:
        step = max(1.0, np.ceil(step))
    return Window(column.name, middle, float(step), _REACH)


def next_window(window: Window, column: EngineColumn, middle: float, level: int) -> Window | None:
    """Return a finer window, or None if this one was fine enough."""
    finer = _window(column, middle, 2.0 * window.step / _REACH)
    return None if level + 1 >= _LEVELS or finer.step >= window.step else finer


def place_found(before: RuleSet, after: RuleSet, border: Border) -> Value | None:
    """Return where a border went, None if it stayed or cannot be told from another one."""
    column = border[0]
    old = {value for name, value in borders_of(before) if name == column}
    new = {value for name, value in borders_of(after) if name == column}
    added = new - old
    return added.pop() if old - new == {border[1]} and len(added) == 1 else None


def with_borders(ruleset: RuleSet, places: Mapping[Border, Value]) -> dict[Label, Dnf]:
    """Return the rules with some borders elsewhere."""

    def elsewhere(literal: Literal) -> Literal:
        for border, value in places.items():
            if is_on(literal, border):
                return Literal(literal.column, literal.op, value)
        return literal

    def moved(clause: Clause) -> Clause:
        literals = {elsewhere(literal) for literal in clause}
        return Clause(literals, min(clause.at_least, len(literals)))

    return {rule.label: Dnf(map(moved, rule.rule)) for rule in ruleset.rules}
