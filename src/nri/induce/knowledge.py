"""What a person knows goes in: clauses to keep, conditions never to say, cuts to use, ways that columns go.

The rule is the best around them. Clauses to keep stand as they are: rows that they cover are decided, so the
others are looked for on the rows that are left. All else limits the conditions that clauses are made of.
"""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

import numpy as np

from nri.errors import InputError
from nri.induce.arguments import check_knowledge
from nri.induce.words import counted
from nri.rule import Dnf, Kind, Literal, Op, RuleSet, rule_truth
from nri.table.answers import read_condition
from nri.table.binarizer import Binarizer
from nri.table.table import Table

UP, DOWN = "up", "down"


@dataclass(frozen=True)
class Knowledge:
    """What a person knows: the rule is the best around it.

    >>> from nri import Knowledge, NRIClassifier
    >>> rows, ill = {"age": [30, 45, 48, 58, 66, 71] * 4}, ["no", "no", "yes", "yes", "yes", "yes"] * 4
    >>> known = Knowledge(cuts={"age": [50, 65]}, monotone={"age": "up"})
    >>> clf = NRIClassifier(knowledge=known, positive="yes").fit(rows, ill)
    >>> print(clf.rules_)
    IF  (age > 50)     precision 1.00   covers 12 of 24
    THEN y = yes       ELSE no
    >>> print(clf.knowledge_price_)
    what you asked for costs 16.7 points: accuracy 0.833 on these rows, 1.000 without
    """

    keep: RuleSet | None = None
    """A rule about one of two classes whose clauses stay; the others are found around them."""
    forbid: Collection[str | Literal] = ()
    """Conditions that no clause says, nor stricter ones: ``age > 80``."""
    cuts: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """For number columns the only places where they are cut."""
    monotone: Mapping[str, str] = field(default_factory=dict)
    """Columns of which more never speaks against the class asked about (``up``), or for it (``down``)."""

    def __post_init__(self) -> None:
        check_knowledge(self)

    def __bool__(self) -> bool:
        return bool(self.keep or self.forbid or self.cuts or self.monotone)


NOTHING = Knowledge()


def resolved(known: Knowledge, table: Table) -> Knowledge:
    """Check what a person said against the table, and read conditions as its cells are read."""
    for names in (known.cuts, known.monotone):
        table.require(list(names))
    for name in known.cuts:
        _check_ordered(table, name, "cuts")
    for name, way in known.monotone.items():
        if way not in (UP, DOWN):
            raise InputError(f"column {name!r} goes up or down, not {way!r}; say one of the two")
        _check_ordered(table, name, "a direction", flags=True)
    if known.monotone and (len(table.classes) != 2 or table.positive is None):
        raise InputError(
            "what goes up must be said of one class: name it (positive=..., or --positive VALUE)"
        )
    forbidden = tuple(one if isinstance(one, Literal) else read_condition(table, one) for one in known.forbid)
    return replace(known, forbid=forbidden)


def resolved_for_number(known: Knowledge, table: Table) -> Knowledge:
    """Do the same where a number is to be explained: cuts and forbidden conditions make sense there."""
    if known.keep is not None or known.monotone:
        what = "clauses to keep (--keep)" if known.keep is not None else "a direction (--monotone)"
        raise InputError(f"{what} are for a rule about a class, but the target is a number; leave them out")
    return resolved(known, table)


def permitted(literal: Literal, known: Knowledge) -> bool:
    """Whether a clause may say this: it implies nothing that is forbidden, and goes the right way."""
    if any(isinstance(one, Literal) and _implies(literal, one) for one in known.forbid):
        return False
    way = known.monotone.get(literal.column)
    return way is None or literal.positive == (way == UP)


def fixed_columns(known: Knowledge) -> set[str]:
    """Return the columns whose cuts are not to be moved once a rule stands."""
    return {*known.cuts, *(one.column for one in known.forbid if isinstance(one, Literal))}


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


def kept_rule(keep: RuleSet, table: Table, max_clauses: int) -> tuple[int, Dnf]:
    """Return the class of the clauses to keep, and these, if the table has what they speak about."""
    ruled = [rule for rule in keep.rules if not rule.rule.is_false]
    if len(table.classes) != 2 or len(ruled) != 1:
        raise InputError("clauses are kept in a rule about one of two classes; give such a rule (--keep)")
    (kept,) = ruled
    if kept.label not in table.classes:
        raise InputError(f"the rule to keep is about {kept.label!r}, classes are {list(table.classes)}")
    index = table.classes.index(kept.label)
    if table.positive not in (None, index):
        raise InputError(f"the rule to keep is about {kept.label!r}, the rule asked for is not; choose one")
    table.require(kept.rule.columns)
    if len(kept.rule) > max_clauses:
        raise InputError(f"{len(kept.rule)} clauses to keep, {max_clauses} at most: raise the limit")
    return index, kept.rule


def rows_left(rule: Dnf, table: Table) -> Table:
    """Return the rows that no clause of a rule covers."""
    return table.take(~rule_truth(rule, table.columns, len(table)))


def joined(kept: Dnf, found: RuleSet, index: int, table: Table) -> RuleSet:
    """Return kept and found clauses of a class as one rule, counted on all rows."""
    label = table.classes[index]
    own = next((rule.rule for rule in found.rules if rule.label == label), Dnf([]))
    (other,) = (one for one in table.classes if one != label)
    return counted({label: Dnf([*kept, *own])}, other, table)


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
