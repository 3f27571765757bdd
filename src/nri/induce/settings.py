"""Settings: what a user can ask of a rule, checked where it comes in.

Every bad argument is an :class:`~nri.errors.InputError` that names it, its value and what it may be.
"""

import numbers
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from os import PathLike
from typing import Any
from typing import Literal as OneOf

import numpy as np

from nri.errors import InputError
from nri.rule import Label, Literal, Rule, as_label

DEFAULT_MODEL = "seeded"
Costs = Mapping[Label, float] | OneOf["balanced"] | None


@dataclass(frozen=True)
class Knowledge:
    """What a person knows; the rule is the best around it.

    >>> from nri import Knowledge, NRIClassifier
    >>> rows, ill = {"age": [30, 45, 48, 58, 66, 71] * 4}, ["no", "no", "yes", "yes", "yes", "yes"] * 4
    >>> known = Knowledge(cuts={"age": [50, 65]}, monotone={"age": "up"})
    >>> clf = NRIClassifier(knowledge=known, positive="yes").fit(rows, ill)
    >>> print(clf.rule_)
    IF  (age > 50)     12 of 12 rows, about 0.95 on new ones
    THEN y = yes       ELSE no   8 of 12 rows, about 0.63 on new ones
    >>> print(clf.knowledge_price_)
    what you asked for costs 16.7 points: accuracy 0.833 on these rows, 1.000 without
    """

    keep: Rule | None = None
    """A rule whose clauses stay; the others are found around them. Of classes, it is about one of two."""
    forbid: Collection[str | Literal] = ()  # Conditions that no clause has, nor stricter ones: ``age > 80``
    cuts: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """For number columns the only places where they are cut."""
    monotone: Mapping[str, str] = field(default_factory=dict)
    """Columns of which more never speaks against the positive class (``up``), or for it (``down``)."""

    def __post_init__(self) -> None:
        if self.keep is not None and not isinstance(self.keep, Rule):
            raise InputError(f"keep is {shown(self.keep)}; give a rule, e.g. read_rule('rule.json')")
        if isinstance(self.forbid, str | bytes) or not isinstance(self.forbid, Iterable):
            raise InputError(f"forbid is {shown(self.forbid)}; give a list of conditions, e.g. ['age > 80']")
        for one in self.forbid:
            if not isinstance(one, str | Literal):
                raise InputError(f"forbid lists {shown(one)}; give conditions such as 'age > 80'")
        for column, cuts in mapping("cuts", self.cuts, "numbers for each column").items():
            if isinstance(cuts, str | bytes) or not isinstance(cuts, Collection):
                raise InputError(f"the cuts of {column!r} are {shown(cuts)}; give a list of numbers")
            if not len(cuts):
                raise InputError(f"no cut of {column!r} is given; give one, or leave the column out")
            for cut in cuts:
                if isinstance(cut, bool) or not isinstance(cut, numbers.Real) or not isfinite(cut):
                    raise InputError(f"the cuts of {column!r} list {shown(cut)}; give finite numbers")
        mapping("monotone", self.monotone, "up or down for each column")

    def __bool__(self) -> bool:
        return bool(self.keep or self.forbid or self.cuts or self.monotone)


@dataclass(frozen=True)
class Settings:
    """What a user can set; one record for the estimators, the command line and the page."""

    model: str = DEFAULT_MODEL  # Which model finds them; see :mod:`nri.induce.models`
    max_clauses: int = 8  # Most clauses in the rule of one class
    max_branches: int | None = None
    """Most branches of the whole rule; by default about two a class, see
    :meth:`nri.search.limits.Limits.branches`."""
    max_literals: int = 6  # Most literals in one clause
    use: Collection[str] | None = None  # The only columns that rules may use; None for all
    never: Collection[str] = ()  # Columns that rules never use
    require: Collection[str] = ()  # Columns that every clause uses
    negations: bool = True  # Whether ``NOT x`` and ``x != a`` may occur; ``x <= 3`` always may
    min_precision: float = 0.0  # Least share of its class among the rows that a clause covers
    binarize: OneOf["auto", "paper"] = "auto"
    """How columns become boolean variables; see :class:`nri.table.binarizer.Binarizer`."""
    costs: Costs = None
    """What it costs to take a row of a class for another one; 1 where none is given. ``balanced`` makes all
    classes weigh the same together."""
    ordered: Sequence[Label] = ()
    """The classes from low to high, where they have an order: an error costs as many as it is classes off."""
    tilt: float = 1.0
    """How much more errors on the positive class count than they cost: what a floor for sensitivity or
    specificity needs, see :func:`nri.induce.floors.meet_floors`."""
    counts: OneOf["auto", "never", "only", "points"] = "auto"
    """Whether clauses may count, at least so many of their literals: where it is worth it, never, always; or
    whether the whole rule for two classes is a card of points."""
    knowledge: Knowledge = field(default_factory=Knowledge)  # What a person knows
    stable: bool = False
    """Whether the rule is to be one that other rows would give too; see :mod:`nri.induce.models`."""

    def __post_init__(self) -> None:
        if not isinstance(self.model, str | PathLike):
            raise InputError(f"model is {shown(self.model)}; name a model, or a file NAME.onnx")
        whole("max_clauses", self.max_clauses)
        whole("max_literals", self.max_literals)
        whole("max_branches", 1 if self.max_branches is None else self.max_branches)
        for name, what in (("use", "to use"), ("never", "never to use"), ("require", "to require")):
            if (columns := getattr(self, name)) is not None:
                object.__setattr__(self, name, names(f"columns {what}", columns))
        yes_or_no("negations", self.negations)
        yes_or_no("stable", self.stable)
        real("min_precision", self.min_precision)
        one_of("binarize", self.binarize, ("auto", "paper"))
        one_of("counts", self.counts, ("auto", "never", "only", "points"))
        if self.costs is not None and not isinstance(self.costs, str):
            mapping("costs", self.costs, "a cost for each class, or 'balanced'")
        object.__setattr__(self, "ordered", order(self.ordered))
        if not isinstance(self.knowledge, Knowledge):
            known = shown(self.knowledge)
            raise InputError(f"knowledge is {known}; give a record, e.g. Knowledge(forbid=['age > 80'])")
        about = {"require": self.require, "keep": self.knowledge.keep, "min_precision": self.min_precision}
        for name in (name for name, value in about.items() if value and self.counts == "points"):
            raise InputError(f"{name} is about single clauses, and a card of points has none; drop it")

    @property
    def most_clauses(self) -> int:
        """Most clauses of a class: a class has no more of them than the rule has branches."""
        return min(self.max_clauses, self.max_branches or self.max_clauses)

    @property
    def is_free(self) -> bool:
        """Whether columns, conditions and costs are unrestricted."""
        stated = (self.use is not None, self.never, self.require, not self.negations, self.knowledge)
        return not (any(stated) or self.weighs_errors)

    @property
    def weighs_errors(self) -> bool:
        """Whether some errors count for more than others, by what they cost or to meet a floor."""
        return self.prices_errors or self.tilt != 1.0

    @property
    def prices_errors(self) -> bool:
        """Whether errors have costs, so that there is a mean cost."""
        return self.costs is not None or bool(self.ordered)


def shown(value: Any) -> str:
    """Return a value in few characters, on one line.

    >>> shown("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # whatever the repr of a caller's object does
        text = f"a {type(value).__name__}"
    return text if len(text) <= 40 else f"{text[:37]}..."


def whole(name: str, value: Any) -> int:
    """Return a parameter that counts; a bool counts nothing, though Python takes it for a number."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise InputError(f"{name} is {shown(value)}, which is no whole number: use 1 or more")
    if value < 1:
        raise InputError(f"{name} is {value}: use 1 or more")
    return int(value)


def real(name: str, value: Any) -> float:
    """Return a parameter that measures."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InputError(f"{name} is {shown(value)}, which is no number: use one from 0 to 1")
    return float(value)


def yes_or_no(name: str, value: Any) -> bool:
    """Return a parameter that is on or off."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise InputError(f"{name} is {shown(value)}: use True or False")


def one_of(name: str, value: Any, choices: Iterable[str]) -> str:
    """Return a parameter that is one of some words."""
    known = tuple(choices)
    if isinstance(value, str) and value in known:
        return value
    raise InputError(f"{name} is {shown(value)}, which is none of {', '.join(known)}: use one of them")


def names(name: str, value: Any) -> list[str]:
    """Return a parameter that lists columns."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        text = "the text " if isinstance(value, str | bytes) else ""
        raise InputError(f"{name} is {text}{shown(value)}; give a list of names")
    listed = list(value)
    for one in listed:
        if isinstance(one, bool) or not isinstance(one, str | numbers.Integral):
            raise InputError(f"{name} lists {shown(one)}, which is no name of a column; give a list of names")
    return [str(one) for one in listed]


def order(value: Any) -> tuple[Label, ...]:
    """Return a parameter that lists classes from low to high."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        raise InputError(f"ordered is {shown(value)}; list the classes from low to high")
    return tuple(as_label(label) for label in value)


def mapping(name: str, value: Any, what: str) -> Mapping[Any, Any]:
    """Return a parameter that maps names to values."""
    if not isinstance(value, Mapping):
        raise InputError(f"{name} is {shown(value)}; give {what}")
    return value
