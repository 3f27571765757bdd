"""Constraints: the columns and literals that settings and a person's knowledge leave to a rule.

Clauses to keep stand as they are: rows that they cover are decided, so the others are sought on the rows that
are left. All other knowledge limits the conditions that clauses are made of.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from nri.arrays import BoolArray
from nri.errors import InputError
from nri.induce.assemble import count_classes, is_negated
from nri.induce.settings import Knowledge, Settings
from nri.outcome import Classes
from nri.rule import Dnf, Kind, Literal, Op, Rule, rule_truth
from nri.table.binarizer import Binarizer, LeftOut
from nri.table.by_plan import read_condition
from nri.table.table import Table

UP, DOWN = "up", "down"


def chosen_columns(table: Table, settings: Settings) -> Table:
    """Return the table with the columns that the caller allows, in its own order."""
    for names in (settings.use or (), settings.never, settings.require):
        table.require(names)
    for name in settings.require:
        if name in settings.never:
            raise InputError(f"column {name!r} is required and never to be used; choose one of the two")
    chosen = [
        name
        for name in table.names
        if (settings.use is None or name in settings.use or name in settings.require)
        and name not in settings.never
    ]
    if not chosen:
        raise InputError("the columns to use and never to use exclude every column; allow at least one")
    return table if len(chosen) == len(table.names) else table.only(chosen)


def allowed_literals(literals: tuple[Literal, ...], settings: Settings) -> BoolArray:
    """[2N]: which literals may be used."""
    known = settings.knowledge
    allowed = [
        (settings.negations or not is_negated(literal)) and permitted(literal, known) for literal in literals
    ]
    return np.array(allowed, dtype=bool)


def required_literals(
    literals: tuple[Literal, ...], settings: Settings, left_out: tuple[LeftOut, ...]
) -> tuple[BoolArray, ...]:
    """For each required column [2N]: which literals are about it."""
    reasons = {one.column: str(one.reason) for one in left_out}
    masks = []
    for name in dict.fromkeys(settings.require):
        mask = np.array([literal.column == name for literal in literals], dtype=bool)
        if not (mask & allowed_literals(literals, settings)).any():
            why = reasons.get(name, "gives no condition that may be used")
            raise InputError(f"column {name!r} is required, but it {why}; do not require it")
        masks.append(mask)
    return tuple(masks)


def resolved(known: Knowledge, table: Table) -> Knowledge:
    """Check what a person knows against the table, and read conditions as its cells are read."""
    if not isinstance(table.outcome, Classes) and known.monotone:
        raise InputError(
            f"a direction (monotone) is for a rule about a class, but {table.target!r} is none; drop it"
        )
    for names in (known.cuts, known.monotone):
        table.require(list(names))
    for name in known.cuts:
        _check_ordered(table, name, "cuts")
    for name, way in known.monotone.items():
        if way not in (UP, DOWN):
            raise InputError(f"column {name!r} goes up or down, not {way!r}; use one of the two")
        _check_ordered(table, name, "a direction", flags=True)
    if known.monotone and (len(table.classes) != 2 or table.positive is None):
        raise InputError("a direction is about one class: name it (positive=..., or --positive VALUE)")
    forbidden = tuple(one if isinstance(one, Literal) else read_condition(table, one) for one in known.forbid)
    return replace(known, forbid=forbidden)


def permitted(literal: Literal, known: Knowledge) -> bool:
    """Whether a clause may have this literal: it implies nothing forbidden, and goes the right way."""
    if any(isinstance(one, Literal) and _implies(literal, one) for one in known.forbid):
        return False
    way = known.monotone.get(literal.column)
    return way is None or literal.positive == (way == UP)


def fixed_columns(known: Knowledge) -> set[str]:
    """Return the columns whose cuts are not to be moved once a rule stands."""
    return {*known.cuts, *(one.column for one in known.forbid if isinstance(one, Literal))}


def with_cuts(binarizer: Binarizer, cuts: Mapping[str, Sequence[float]]) -> Binarizer:
    """Return a binarizer that cuts some columns at given places, and nowhere else."""
    reasons = {one.column: str(one.reason) for one in binarizer.left_out_}
    for name in cuts:
        if name not in binarizer.columns_:
            raise InputError(f"cuts for {name!r}: it {reasons.get(name, 'does not vary')}; leave them out")
    if not cuts:
        return binarizer
    closer = copy(binarizer)
    variables = {
        name: [Literal(name, Op.GT, cut) for cut in sorted(set(cuts[name]))]
        if name in cuts
        else [variable for variable in binarizer.variables_ if variable.column == name]
        for name in binarizer.columns_
    }
    closer.variables_ = tuple(variable for made in variables.values() for variable in made)
    places = {name: place for place, name in enumerate(binarizer.columns_)}
    closer.groups_ = np.array([places[variable.column] for variable in closer.variables_], dtype=np.int64)
    return closer


def kept_clauses(keep: Rule, table: Table, max_clauses: int) -> tuple[int, Dnf]:
    """Return the class of the clauses to keep, and these, if the table has the columns that they use."""
    if len(table.classes) != 2 or len(keep.described) != 1:
        raise InputError("clauses are kept in a rule about one of two classes; give such a rule (--keep)")
    (label,) = keep.described
    if label not in table.classes:
        raise InputError(f"the rule to keep is about {label!r}, classes are {list(table.classes)}")
    index = table.classes.index(label)
    if table.positive not in (None, index):
        raise InputError(f"the rule to keep is about {label!r}, the rule asked for is not; choose one")
    return index, kept_branches(keep, table, max_clauses)


def kept_branches(keep: Rule, table: Table, max_clauses: int) -> Dnf:
    """Return the clauses to keep, if the table has the columns that they use."""
    table.require(keep.columns)
    if len(keep.clauses) > max_clauses:
        raise InputError(f"{len(keep.clauses)} clauses to keep, {max_clauses} at most: raise the limit")
    return Dnf(keep.clauses)


def rows_left(rule: Dnf, table: Table) -> Table:
    """Return the rows that no clause of a rule covers."""
    return table.take(~rule_truth(rule, table.columns, len(table)))


def joined(kept: Dnf, added: Rule, index: int, table: Table) -> Rule:
    """Return kept and added clauses of a class as one rule, counted on all rows."""
    label = table.classes[index]
    own = added.conditions(label) if label in added.described else Dnf([])
    (other,) = (one for one in table.classes if one != label)
    return count_classes({label: Dnf([*kept, *own])}, other, table)


def _implies(literal: Literal, other: Literal) -> bool:
    if (literal.column, literal.op) != (other.column, other.op) or literal.kind is not other.kind:
        return False
    if not literal.op.ordered:
        return literal.value == other.value
    first, second = literal.value, other.value
    if isinstance(first, dt.datetime) and isinstance(second, dt.datetime):
        return first >= second if literal.op is Op.GT else first <= second
    assert isinstance(first, int | float)
    assert isinstance(second, int | float)
    return first >= second if literal.op is Op.GT else first <= second


def _check_ordered(table: Table, name: str, what: str, *, flags: bool = False) -> None:
    kind = table.columns[name].kind
    if kind is Kind.NUMBER or (flags and kind in (Kind.BOOLEAN, Kind.DATE)):
        return
    raise InputError(f"{what} for {name!r}: its cells are {kind}, so there is no more and less of it")
