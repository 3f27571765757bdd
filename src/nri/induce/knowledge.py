"""What a person knows goes in: clauses to keep, conditions never to say, cuts to use, ways that columns go.

The rule is the best around them. Clauses to keep stand as they are: rows that they cover are decided, so the
others are looked for on the rows that are left. All else limits the conditions that clauses are made of.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nri.errors import InputError
from nri.induce.words import counted
from nri.rule import Kind, Literal, Op, Rule, RuleSet, rule_truth
from nri.table.binarizer import Binarizer
from nri.table.table import Table
from nri.table.target import read_condition

if TYPE_CHECKING:
    from nri.induce.path import Settings

UP, DOWN = "up", "down"


def knows(settings: "Settings") -> bool:
    """Whether a person has said anything of the kind."""
    return bool(settings.keep or settings.forbid or settings.cuts or settings.monotone)


def without_knowledge(settings: "Settings") -> "Settings":
    """Return the settings as if nobody had said anything: what the rule would be then is what it costs."""
    return replace(settings, keep=None, forbid=(), cuts={}, monotone={})


def resolved(settings: "Settings", table: Table) -> "Settings":
    """Check what a person said against the table, and read conditions as its cells are read."""
    for names in (settings.cuts, settings.monotone):
        table.require(list(names))
    for name in settings.cuts:
        _check_ordered(table, name, "cuts")
    for name, way in settings.monotone.items():
        if way not in (UP, DOWN):
            raise InputError(f"a column goes up or down, not {way!r}: write {name}=up or {name}=down")
        _check_ordered(table, name, "a direction", flags=True)
    if settings.monotone and (len(table.classes) != 2 or table.positive is None):
        raise InputError("what goes up must be said of one class: name it (--positive VALUE)")
    forbidden = tuple(
        one if isinstance(one, Literal) else read_condition(table, one) for one in settings.forbid
    )
    return replace(settings, forbid=forbidden)


def permitted(literal: Literal, settings: "Settings") -> bool:
    """Whether a clause may say this: it implies nothing that is forbidden, and goes the right way."""
    if any(isinstance(one, Literal) and _implies(literal, one) for one in settings.forbid):
        return False
    way = settings.monotone.get(literal.column)
    return way is None or literal.positive == (way == UP)


def fixed_columns(settings: "Settings") -> set[str]:
    """Return the columns whose cuts are not to be moved once a rule stands."""
    return {*settings.cuts, *(one.column for one in settings.forbid if isinstance(one, Literal))}


def with_cuts(binarizer: Binarizer, cuts: Mapping[str, Sequence[float]]) -> Binarizer:
    """Return a binarizer that cuts some columns where a person says, and nowhere else."""
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


def kept_rule(settings: "Settings", table: Table) -> tuple[int, Rule]:
    """Return the class of the clauses to keep, and these, if the table has what they speak about."""
    assert settings.keep is not None
    ruled = [rule for rule in settings.keep.rules if not rule.rule.is_false]
    if len(table.classes) != 2 or len(ruled) != 1:
        raise InputError("clauses are kept in a rule about one of two classes; give such a rule (--keep)")
    (kept,) = ruled
    if kept.label not in table.classes:
        raise InputError(f"the rule to keep is about {kept.label!r}, classes are {list(table.classes)}")
    index = table.classes.index(kept.label)
    if table.positive not in (None, index):
        raise InputError(f"the rule to keep is about {kept.label!r}, the rule asked for is not; choose one")
    table.require(kept.rule.columns)
    if len(kept.rule) > settings.max_clauses:
        raise InputError(f"{len(kept.rule)} clauses to keep, {settings.max_clauses} at most: raise the limit")
    return index, kept.rule


def rows_left(rule: Rule, table: Table) -> Table:
    """Return the rows that no clause of a rule covers."""
    return table.take(~rule_truth(rule, table.columns, len(table)))


def joined(kept: Rule, found: RuleSet, index: int, table: Table) -> RuleSet:
    """Return kept and found clauses of a class as one rule, counted on all rows."""
    label = table.classes[index]
    own = next((rule.rule for rule in found.rules if rule.label == label), Rule([]))
    (other,) = (one for one in table.classes if one != label)
    return counted({label: Rule([*kept, *own])}, other, table)


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
