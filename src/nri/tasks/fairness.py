"""Fairness: how often a rule fires, and how good it is, on each group of a column that may be protected.

A rule can repeat an injustice in the rows. Which columns are protected is for people to decide; names that
look so, in several languages, only give a hint.
"""

import itertools
import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from nri.arrays import BoolArray
from nri.induce.assemble import coded_predictions
from nri.outcome import Classes, Number, Survival
from nri.outcome.score import Measure, share_of
from nri.outcome.survival import expected_events
from nri.rule import Column, Kind, Rule
from nri.rule.literal import plain_value
from nri.rule.phrase import phrase_label, phrase_name, phrase_value
from nri.table.cuts import plain_number
from nri.table.table import Table

MISSING = "(missing)"  # What the group of rows without a cell is called.
MOST_GROUPS = 8  # More categories are joined into one group of others.
_BANDS = 4  # Numbers are cut into so many bands of about as many rows.


def _folded(name: str) -> str:
    """Return a name in plain small letters, accents and the ways of writing umlauts made alike."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss").lower())
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    return re.sub(r"([aou])e", r"\1", plain)


@cache
def _meanings(table: str) -> dict[str, str]:
    """Return what words of column names are about, by a table of ``protected.toml``."""
    tables = tomllib.loads(files("nri.tasks").joinpath("protected.toml").read_text(encoding="utf-8"))
    return {_folded(word): what for what, words in tables[table].items() for word in words.split()}


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that have one value, or a range of them, in a column."""

    name: str
    rows: float
    fires: Measure  # share of its rows on which a branch fires
    right: Measure | None  # share of its rows whose class is predicted; None for a number or a risk
    predicted: float | None = None  # mean of the predicted numbers or risks; None for classes
    actual: float | None = None
    """mean of the numbers, or events for each one expected of rows like all others; None for classes"""


@dataclass(frozen=True, slots=True)
class Groups:
    """A rule on the groups of a column."""

    column: str
    used: bool  # whether the rule reads the column
    groups: tuple[Group, ...]


def looks_protected(name: str) -> str | None:
    """Return what a column seems to be about, if that is commonly protected by law, else None.

    >>> looks_protected("Applicant_Race"), looks_protected("Geschlecht"), looks_protected("package")
    ('origin', 'sex', None)
    """
    words = re.findall(r"[a-z]+", _folded(name))
    if len(words) == 1 and words[0] in _meanings("whole_names"):
        return _meanings("whole_names")[words[0]]
    pairs = [f"{first}_{second}" for first, second in itertools.pairwise(words)]
    return next(filter(None, map(_meanings("words").get, (*words, *pairs))), None)


def protected_columns(rule: Rule) -> tuple[str, ...]:
    """Return the columns of a rule that look protected."""
    return tuple(name for name in rule.columns if looks_protected(name))


def by_group(table: Table, rule: Rule, column: str) -> Groups:
    """Count for each group of a column how often the rule fires, and how good it is.

    The rule need not read the column. Numbers and dates are cut into bands of about as many rows.
    """
    table.require([column])
    fires = rule.decide(table.columns, len(table)) < len(rule.branches)
    predicted, outcome = coded_predictions(rule, table), table.explained
    groups = []
    for name, rows in _groups(table.columns[column]):
        if not rows.any():
            continue
        weights = table.weights[rows]
        total, share = float(weights.sum()), share_of(fires, rows, table.weights).measure()
        if isinstance(outcome, Classes):
            right = share_of(predicted == outcome.codes, rows, table.weights).measure()
            groups.append(Group(name, total, share, right))
        else:
            mean = float(weights @ predicted[rows]) / max(total, 1e-300)
            groups.append(Group(name, total, share, None, mean, _actual(table, rows)))
    return Groups(column, column in rule.columns, tuple(groups))


def _actual(table: Table, rows: BoolArray) -> float | None:
    """Return the mean of a number, or the events for each one expected, on some rows."""
    outcome, weights = table.outcome, table.weights[rows]
    if isinstance(outcome, Number) and weights.sum() > 0:
        return float(weights @ outcome.values[rows] / weights.sum())
    if isinstance(outcome, Survival):
        due = float(weights @ expected_events(outcome.time, outcome.event, table.weights)[rows])
        return float(weights @ outcome.event[rows]) / due if due > 0 else None
    return None


def note_on(groups: Groups) -> str:
    """Return a sentence on a protected-looking column that the rule uses: the groups that differ most."""
    known = [group for group in groups.groups if group.name != MISSING] or list(groups.groups)
    ordered = sorted(known, key=lambda group: group.fires.value or 0.0)
    ends = ordered if len(ordered) < 3 else [ordered[0], ordered[-1]]
    described = []
    for one in ends:
        actual = "" if one.actual is None else f", actual {one.actual:.4g}"
        good = f"right on {_percent(one.right)}" if one.right else f"predicted {one.predicted:.4g}{actual}"
        described.append(f"{one.name}: fires on {_percent(one.fires)}, {good}")
    return f"the rule uses {groups.column!r}, which may be protected ({'; '.join(described)})"


def _percent(measure: Measure) -> str:
    return "-" if measure.value is None else f"{measure.value:.0%}".replace("%", " %")


def _groups(column: Column) -> list[tuple[str, BoolArray]]:
    """Return names and rows of the groups, those without a cell last."""
    if column.kind is Kind.BOOLEAN:
        groups = [("yes", column.values & column.known), ("no", ~column.values & column.known)]
    else:
        groups = _categories(column) if column.kind is Kind.TEXT else _bands(column)
    return [*groups, (MISSING, ~column.known)]


def _categories(column: Column) -> list[tuple[str, BoolArray]]:
    assert column.categories is not None
    codes, counts = np.unique(column.values[column.known], return_counts=True)
    order = codes[np.argsort(-counts, kind="stable")]
    kept = order if len(order) <= MOST_GROUPS else order[: MOST_GROUPS - 1]
    groups = [(phrase_label(column.categories[code]), column.values == code) for code in kept]
    if len(order) > len(kept):
        groups.append((f"{len(order) - len(kept)} others", column.known & ~np.isin(column.values, kept)))
    return groups


def _bands(column: Column) -> list[tuple[str, BoolArray]]:
    cells = np.sort(column.values[column.known])
    if not len(cells):
        return []
    edges = [cells[min(len(cells) - 1, round(len(cells) * k / _BANDS))] for k in range(1, _BANDS)]
    edges = sorted(set(edges) - {cells[-1]})
    if column.kind is Kind.NUMBER:  # as plain as the cuts of a rule
        above = cells[np.searchsorted(cells, edges, side="right")].tolist()
        edges = [x if x.is_integer() else plain_number(x, y) for x, y in zip(edges, above, strict=True)]
    # an edge belongs to the band that it ends
    band = np.searchsorted(np.array(edges, dtype=cells.dtype), column.values)
    shown = [phrase_value(plain_value(edge)) for edge in edges]
    names = [f"above {low}, up to {high}" for low, high in itertools.pairwise(shown)]
    names = [f"up to {shown[0]}", *names, f"above {shown[-1]}"] if shown else [phrase_name("all")]
    return [(name, (band == i) & column.known) for i, name in enumerate(names)]
