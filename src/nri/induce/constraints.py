"""Constraints: the columns and literals that a rule may use, and what errors cost.

Columns are those that the user allows; of a wide table the most informative ones. Clauses to keep are
unchanged: the others are searched on the rows that these leave. All other knowledge limits the conditions.
"""

from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray, class_bits
from nri.errors import InputError
from nri.induce.assemble import count_classes, count_clauses
from nri.induce.settings import Knowledge, Settings, shown
from nri.outcome import Classes
from nri.rows.hashing import as_floats
from nri.rows.memory import MemoryRows
from nri.rule import Dnf, Kind, Label, Literal, Op, Rule, rule_truth
from nri.rule.column import Column, Columns
from nri.table.binarizer import Binarizer
from nri.table.by_plan import read_condition
from nri.table.left_out import LeftOut
from nri.table.table import Table

UP, DOWN = "up", "down"
PARTS = 8  # Equal parts of a number or a score by which columns are cut and chosen
SEARCHED_COLUMNS = 1000  # Columns up to which all are searched; of more, so many.
_SCORED_ROWS = 1000  # Rows by which columns are chosen.
_AT_ONCE = 500  # Columns that are scored at once, which bounds memory.
LEAST_COST, MOST_COST = 1e-6, 1e6  # What an error may cost; beyond, one class is all that is looked at.


# Columns


def chosen_columns(table: Table, settings: Settings) -> Table:
    """Return the table with the columns that the caller allows, in its own order."""
    named = [*(settings.use or ()), *settings.never, *settings.require]
    if table.target in named and table.target not in table.columns:
        raise InputError(f"column {table.target!r} is the target; name columns to explain it by")
    table.require(named)
    for name in settings.require:
        if name in settings.never:
            raise InputError(f"column {name!r} is required and never to be used; choose one of the two")
    allowed = table.names if settings.use is None else {*settings.use, *settings.require}
    chosen = [name for name in table.names if name in allowed and name not in settings.never]
    if len(chosen) == len(table.names):
        return table
    if not chosen:
        raise InputError("the columns to use and never to use exclude every column; allow at least one")
    return table.only(chosen)


def columns_to_search(table: Table, named: Collection[str] = ()) -> Table:
    """Return a wide table with so many columns, named ones and the most informative; others unchanged."""
    if len(table.names) <= SEARCHED_COLUMNS:
        return table
    rows = MemoryRows(replace(table, unlabelled=None)).sample(_SCORED_ROWS)
    classes = rows.explained.as_classes(rows.weights, PARTS)
    bits = bits_of_columns(rows.columns, classes.codes, rows.weights)
    ranked = sorted(table.names, key=lambda name: (name not in named, -bits[name], name))
    return table.only(ranked[: max(SEARCHED_COLUMNS, len(named))])


def bits_of_columns(columns: Columns, codes: IntArray, weights: FloatArray) -> dict[str, float]:
    """Return for each column the information of its best cut or category about the class, in bits.

    >>> from nri.rule import column_of
    >>> columns = {"age": column_of([20, 30, 60, 70]), "ward": column_of(["a", "b", "a", "b"])}
    >>> bits_of_columns(columns, np.array([0, 0, 1, 1]), np.ones(4))
    {'age': 4.0, 'ward': 0.0}
    """
    masses = np.eye(int(codes.max(initial=0)) + 1)[codes] * weights[:, None]
    bits = {name: _best_category(one, masses) for name, one in columns.items() if one.categories is not None}
    ordered = [name for name in columns if name not in bits]
    for start in range(0, len(ordered), _AT_ONCE):
        names = ordered[start : start + _AT_ONCE]
        cells = [np.where(columns[name].known, as_floats(columns[name]), np.nan) for name in names]
        bits.update(zip(names, _best_cuts(np.stack(cells, axis=1), masses).tolist(), strict=True))
    return {name: bits[name] for name in columns}


def _best_cuts(cells: FloatArray, masses: FloatArray) -> FloatArray:
    """[columns], bits of information of the best cut of each column of [M, columns]."""
    order = np.argsort(cells, axis=0, kind="stable")  # what is unknown comes last
    cells = np.take_along_axis(cells, order, axis=0)
    below = np.cumsum(masses[order], axis=0)  # [M, columns, classes]
    total = np.where(np.isfinite(cells)[..., None], masses[order], 0.0).sum(axis=0)
    gains = _gain(below[:-1], total)
    gains[~(cells[:-1] < cells[1:])] = 0.0
    return np.asarray(np.round(gains.max(axis=0, initial=0.0), 6))


def _best_category(column: Column, masses: FloatArray) -> float:
    """Bits of information of the best category of a text column."""
    inside = np.zeros((len(column.categories or ()), masses.shape[1]))
    np.add.at(inside, column.values[column.known], masses[column.known])
    return round(float(_gain(inside, inside.sum(axis=0)).max(initial=0.0)), 6)


def _gain(inside: FloatArray, total: FloatArray) -> FloatArray:
    """[...]: information of a literal in bits, by class masses [..., classes] where it holds and of all."""
    return np.asarray(class_bits(total) - class_bits(inside) - class_bits(np.maximum(total - inside, 0.0)))


# Literals


def allowed_literals(literals: Sequence[Literal], settings: Settings) -> BoolArray:
    """[2N]: which literals may be used: they imply nothing forbidden, and go the right way."""
    known = settings.knowledge
    forbidden = [one for one in known.forbid if isinstance(one, Literal)]

    def allowed(literal: Literal) -> bool:
        way = known.monotone.get(literal.column)
        right_way = way is None or literal.positive == (way == UP)
        expressible = settings.negations or literal.op is not Op.NE  # age <= 61 is no negation
        return expressible and right_way and not any(_implies(literal, one) for one in forbidden)

    return np.array([allowed(literal) for literal in literals], dtype=bool)


def required_literals(
    literals: Sequence[Literal], settings: Settings, left_out: Sequence[LeftOut]
) -> tuple[BoolArray, ...]:
    """For each required column [2N]: which literals are about it."""
    masks = [np.array([x.column == name for x in literals], dtype=bool) for name in settings.require]
    for name, mask in zip(settings.require, masks, strict=True):
        if not (mask & allowed_literals(literals, settings)).any():
            reasons = {one.column: str(one.reason) for one in left_out}
            why = reasons.get(name, "gives no condition that may be used")
            raise InputError(f"column {name!r} is required, but it {why}; do not require it")
    return tuple(masks)


def _implies(literal: Literal, other: Literal) -> bool:
    """Whether a literal is another one, or a stricter one on the same side."""
    if (literal.column, literal.op, literal.kind) != (other.column, other.op, other.kind):
        return False
    value: Any = literal.value
    if not literal.op.ordered:
        return bool(value == other.value)
    return bool(value >= other.value if literal.op is Op.GT else value <= other.value)


# What a person knows


def with_knowledge(settings: Settings, table: Table) -> Settings:
    """Return settings with what a person knows checked against the table, and read as its cells are."""
    known = settings.knowledge
    if not isinstance(table.outcome, Classes) and known.monotone:
        cause = f"a direction (monotone) is for a rule about a class, but {table.target!r} is none"
        raise InputError(f"{cause}; drop it")
    table.require([*known.cuts, *known.monotone])
    for name in known.cuts:
        _check_ordered(table, name, "cuts")
    for name, way in known.monotone.items():
        if way not in (UP, DOWN):
            raise InputError(f"column {name!r} goes up or down, not {way!r}; use one of the two")
        _check_ordered(table, name, "a direction", flags=True)
    if known.monotone and (len(table.classes) != 2 or table.positive is None):
        raise InputError("a direction is about one class: name it (positive=..., or --positive VALUE)")
    forbidden = (x if isinstance(x, Literal) else read_condition(table, x, "forbid") for x in known.forbid)
    return replace(settings, knowledge=replace(known, forbid=tuple(forbidden)))


def _check_ordered(table: Table, name: str, what: str, *, flags: bool = False) -> None:
    kind = table.columns[name].kind
    if kind is Kind.NUMBER or (flags and kind in (Kind.BOOLEAN, Kind.DATE)):
        return
    raise InputError(f"{what} for {name!r}: its cells are {kind}, so there is no more and less of it")


def fixed_columns(known: Knowledge) -> set[str]:
    """Return the columns whose cuts are not to be moved once a rule stands."""
    return {*known.cuts, *(one.column for one in known.forbid if isinstance(one, Literal))}


def with_cuts(binarizer: Binarizer, cuts: Mapping[str, Sequence[float]]) -> Binarizer:
    """Return a binarizer that cuts some columns at given places, and nowhere else."""
    reasons = {one.column: str(one.reason) for one in binarizer.left_out_}
    for name in cuts:
        if name not in binarizer.columns_:
            raise InputError(f"cuts for {name!r}: it {reasons.get(name, 'does not vary')}; leave them out")
    uncut = copy(binarizer)
    uncut.variables_ = tuple(one for one in binarizer.variables_ if one.column not in cuts)
    literals = [Literal(name, Op.GT, cut) for name in cuts for cut in sorted(set(cuts[name]))]
    return uncut.narrowed(binarizer.columns_, literals)


def kept_clauses(keep: Rule, table: Table, max_clauses: int) -> tuple[Dnf, Table]:
    """Return the clauses to keep, and the rows that none of them covers; of classes, about the class kept."""
    index = _kept_class(keep, table) if isinstance(table.outcome, Classes) else None
    table.require(keep.columns)
    if len(keep.clauses) > max_clauses:
        raise InputError(f"{len(keep.clauses)} clauses to keep, {max_clauses} at most: raise the limit")
    kept = Dnf(keep.clauses)
    rest = table.take(~rule_truth(kept, table.columns, len(table)))
    return kept, rest if index is None else rest.about(index)


def _kept_class(keep: Rule, table: Table) -> int:
    if len(table.classes) != 2 or len(keep.described) != 1:
        raise InputError("clauses are kept in a rule about one of two classes; give such a rule (--keep)")
    (label,) = keep.described
    if label not in table.classes:
        raise InputError(f"the rule to keep is about {label!r}, classes are {list(table.classes)}")
    index = table.classes.index(label)
    if table.positive not in (None, index):
        raise InputError(f"the rule to keep is about {label!r}, the rule asked for is not; choose one")
    return index


def joined(kept: Dnf, added: Rule, keep: Rule, table: Table) -> Rule:
    """Return kept and added clauses as one rule, counted on all rows."""
    if not isinstance(table.outcome, Classes):
        return count_clauses([*kept, *added.clauses], table)
    (label,) = keep.described
    own = added.conditions(label) if label in added.described else ()
    (other,) = (one for one in table.classes if one != label)
    return count_classes({label: Dnf([*kept, *own])}, other, table)


# What errors cost


def error_costs(table: Table, settings: Settings, *, tilted: bool = True) -> FloatArray | None:
    """[n_classes], what an error on each class costs, or counts if ``tilted`` to a floor; None if alike."""
    costs, tilt = settings.costs, settings.tilt if tilted else 1.0
    if costs is None and (tilt == 1.0 or table.positive is None):
        return None
    of_class = np.ones(len(table.classes))
    if isinstance(costs, str):
        if costs != "balanced":
            raise InputError(f"costs are {costs!r}; give a cost for each class, or 'balanced'")
        of_class = table.by_class.sum() / np.maximum(table.by_class, 1e-12)
        costs = None
    for label, cost in (costs or {}).items():
        if label not in table.classes:
            known = ", ".join(map(repr, table.classes))
            raise InputError(f"a cost is given for {label!r}, but the classes are {known}; name one of them")
        if not (isinstance(cost, int | float) and LEAST_COST <= cost <= MOST_COST):
            span = f"{LEAST_COST:g} to {MOST_COST:g}"
            raise InputError(f"the cost of {label!r} is {shown(cost)}; give a number from {span}")
        of_class[table.classes.index(label)] = cost
    if tilt != 1.0 and table.positive is not None:
        of_class[table.positive] *= tilt
    return of_class


def error_prices(table: Table, settings: Settings, *, tilted: bool = True) -> FloatArray | None:
    """[n_classes, n_classes], what it costs to say one class of another's row; None if that is the same."""
    of_class = error_costs(table, settings, tilted=tilted)
    if of_class is None and not settings.ordered:
        return None
    apart = _classes_apart(table, settings.ordered) if settings.ordered else 1.0 - np.eye(len(table.classes))
    return apart if of_class is None else of_class[:, None] * apart


def _classes_apart(table: Table, ordered: Sequence[Label]) -> FloatArray:
    """[n_classes, n_classes], how far classes are from each other in the order that is given."""
    order = list(ordered)
    strange = [label for label in table.classes if order.count(label) != 1]
    if strange:
        known = ", ".join(map(repr, table.classes))
        raise InputError(f"ordered must name {strange[0]!r} once; list all of {known} from low to high")
    ranks = np.array([order.index(label) for label in table.classes], dtype=np.float64)
    return np.asarray(np.abs(ranks[:, None] - ranks))


def cost_weighted(table: Table, settings: Settings) -> Table:
    """Return the table with rows that weigh what the dearest error on them costs; lesser ones save some."""
    prices = error_prices(table, settings)
    if prices is None:
        return table
    most = prices.max(axis=1)
    weighted = table.reweighted(table.weights * most[table.codes])
    if not settings.ordered:
        return weighted
    worth = 1.0 - prices / most[:, None]
    return weighted.with_outcome(replace(table.labels, worth=tuple(map(tuple, worth.tolist()))))
