"""Compare: two rule sets, what changed between them, and on which rows they differ."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray
from nri.errors import InputError
from nri.induce.estimates import Accuracy, accuracy_of
from nri.rule import (
    TRUE,
    Clause,
    Dnf,
    Kind,
    Label,
    RuleSet,
    column_of,
    difference,
    implies,
    literal_truth,
    simplify,
)
from nri.rule.counting import can_fire, meeting
from nri.rule.literal import Value
from nri.table.frame import as_frame
from nri.table.source import Source
from nri.table.table import Table
from nri.tasks.predictions import true_labels


@dataclass(frozen=True)
class Moved:
    """A clause that asks the same with other thresholds, or for another number of the same conditions."""

    old: Clause
    new: Clause


@dataclass(frozen=True)
class ClassChange:
    """What became of the rule of one class."""

    label: Label
    kept: tuple[Clause, ...]
    moved: tuple[Moved, ...]
    dropped: tuple[Clause, ...]
    added: tuple[Clause, ...]
    relation: str
    """Where the new rule fires: on the same, more, fewer or other rows, whatever the table, gaps aside. If
    the rules are about opposite classes, where the new one says this class, by a clause or by default."""
    example: Clause | None
    """On all rows where this holds, just one of the two fires, or opposite rules say opposite classes; None
    if there are no such rows."""


SHOWN = 20
"""Numbers of so many differing rows are shown."""


@dataclass(frozen=True)
class RowCounts:
    """How many rows of a table the two speak differently of."""

    n_rows: int
    differing: int
    first: tuple[int, ...]
    """Numbers, from 1, of the first rows on which they differ."""
    changes: tuple[tuple[Label, Label, int], ...]
    """See :class:`RowChanges`, and for the accuracies too."""
    accuracy_old: Accuracy | None
    accuracy_new: Accuracy | None


@dataclass(frozen=True, eq=False)
class RowChanges:
    """What the two say about the rows of a table."""

    old: NDArray[Any]
    """[M], labels"""
    new: NDArray[Any]
    """[M], labels"""
    differs: BoolArray
    """[M]"""
    changes: tuple[tuple[Label, Label, int], ...]
    """From which label to which, on how many rows, the most frequent first."""
    accuracy_old: Accuracy | None
    """None if the table does not hold the truth."""
    accuracy_new: Accuracy | None

    @property
    def counts(self) -> RowCounts:
        """The same without the rows themselves."""
        where = np.flatnonzero(self.differs)
        first = tuple((1 + where[:SHOWN]).tolist())
        return RowCounts(
            len(self.differs), len(where), first, self.changes, self.accuracy_old, self.accuracy_new
        )


@dataclass(frozen=True, eq=False)
class Comparison:
    """What changed from one rule set to another."""

    target: str
    classes: tuple[ClassChange, ...]
    default_old: Label
    default_new: Label
    columns_dropped: tuple[str, ...]
    columns_added: tuple[str, ...]
    rows: RowChanges | RowCounts | None
    """None if no table was given; counts alone if it was too large for more."""
    opposite: bool = False
    """Whether one rule is about one of two classes and the other about the other: where they fire is then no
    measure of how they differ, what they say is."""

    @property
    def same_words(self) -> bool:
        """Whether the two say the same in the same words, numbers beside clauses apart."""
        unchanged = all(not (one.moved or one.dropped or one.added) for one in self.classes)
        return unchanged and self.default_old == self.default_new


def compare_rules(old: RuleSet, new: RuleSet, table: Any = None) -> Comparison:
    """Tell what changed between two rule sets with the same target.

    Parameters
    ----------
    old, new
        E.g. of last year and of this year; see :func:`nri.rule.from_json`.
    table
        Rows to try both on, with the columns that either uses; if it has the target, accuracies are counted.
    """
    if {str(label) for label in old.classes} != {str(label) for label in new.classes}:
        raise InputError(
            f"the rules are about different classes, {list(old.classes)} and {list(new.classes)}; "
            "compare rules for the same target"
        )
    labels = [label for label in new.classes if _rule_of(old, label) or _rule_of(new, label)]
    changes = tuple(_class_change(label, _rule_of(old, label), _rule_of(new, label)) for label in labels)
    opposite = _are_opposite(old, new)
    return Comparison(
        new.target,
        _by_what_they_say(changes) if opposite else changes,
        old.default,
        new.default,
        tuple(name for name in old.columns if name not in new.columns),
        tuple(name for name in new.columns if name not in old.columns),
        None if table is None else row_changes(old, new, table),
        opposite,
    )


def _rule_of(ruleset: RuleSet, label: Label) -> Dnf:
    """Return the rule of a class, the one that never fires if it has none."""
    return next((rule.rule for rule in ruleset.rules if str(rule.label) == str(label)), Dnf())


def _class_change(label: Label, old: Dnf, new: Dnf) -> ClassChange:
    kept = tuple(clause for clause in old if clause in new.clauses)
    gone = [clause for clause in old if clause not in kept]
    come = [clause for clause in new if clause not in kept]
    moved = [*_twins(gone, come, lambda clause: clause.shape), *_twins(gone, come, lambda x: x.criteria)]
    relation, example = _relation(old, new)
    return ClassChange(label, kept, tuple(moved), tuple(gone), tuple(come), relation, example)


def _twins(gone: list[Clause], come: list[Clause], asks: Callable[[Clause], Hashable]) -> Iterator[Moved]:
    """Take pairs that ask the same from the two lists."""
    for clause in list(gone):
        twin = next((other for other in come if asks(other) == asks(clause)), None)
        if twin is not None:
            gone.remove(clause)
            come.remove(twin)
            yield Moved(clause, twin)


def _relation(old: Dnf, new: Dnf) -> tuple[str, Clause | None]:
    _same_kinds(old, new)
    row = difference(old, new)
    if row is None:
        return "the same rows", None
    example = _conditions_of(row, old, new)
    if implies(old, new):
        return "more rows", example
    if implies(new, old):
        return "fewer rows", example
    return "other rows", example


def _are_opposite(old: RuleSet, new: RuleSet) -> bool:
    """Whether each is about one of two classes, not the same one, and says the other by default."""
    about = [[str(rule.label) for rule in one.rules if rule.rule.clauses] for one in (old, new)]
    if len(old.classes) != 2 or len(about[0]) != 1 or len(about[1]) != 1:
        return False
    return about[0] == [str(new.default)] and about[1] == [str(old.default)]


def _by_what_they_say(changes: tuple[ClassChange, ...]) -> tuple[ClassChange, ...]:
    """Tell of two opposite rules where they say what: they differ where both fire, and where neither does."""
    old = Dnf(clause for change in changes for clause in change.dropped)
    new = Dnf(clause for change in changes for clause in change.added)
    _same_kinds(old, new)
    both, neither = _where_both_fire(old, new), _where_none_fires(Dnf([*old, *new]))
    told = []
    for change in changes:
        of_old = bool(change.dropped)
        loses, gains = (both, neither) if of_old else (neither, both)
        relation = {
            (False, False): "the same rows",
            (False, True): "more rows",
            (True, False): "fewer rows",
            (True, True): "other rows",
        }[loses is not None, gains is not None]
        told.append(replace(change, relation=relation, example=neither if both is None else both))
    return tuple(told)


def _where_both_fire(old: Dnf, new: Dnf) -> Clause | None:
    possible = (meeting(one, other) for one in old for other in new)
    told = [simplify(Dnf([clause])).clauses[0] for clause in possible if clause is not None]
    return min(told, key=len, default=None)


def _where_none_fires(rule: Dnf) -> Clause | None:
    row = difference(rule, TRUE)
    return None if row is None else _conditions_of(row, rule, TRUE)


def _conditions_of(row: Mapping[str, Value | None], old: Dnf, new: Dnf) -> Clause:
    """Say in the rules' own conditions where a row lies, as shortly as tells the rules apart."""
    columns = {name: column_of([cell]) for name, cell in row.items()}
    literals = {literal for rule in (old, new) for clause in rule for literal in clause}
    clause = Clause(x if literal_truth(x, columns)[0][0] else x.negate() for x in literals)
    for literal in clause:
        shorter = Clause(x for x in clause if x != literal)
        if _separates(shorter, old, new) or _separates(shorter, new, old):
            clause = shorter
    return clause


def _separates(where: Clause, one: Dnf, other: Dnf) -> bool:
    """Whether on all rows where a clause holds, one rule fires and the other does not."""
    return not any(can_fire(clause, where) for clause in other) and implies(Dnf([where]), one)


def _same_kinds(old: Dnf, new: Dnf) -> None:
    kinds: dict[str, Kind] = {}
    for literal in (literal for rule in (old, new) for clause in rule for literal in clause):
        if kinds.setdefault(literal.column, literal.kind) is not literal.kind:
            raise InputError(
                f"column {literal.column!r} is {kinds[literal.column]} in one rule and {literal.kind} "
                "in the other; induce both from columns of the same kind"
            )


def row_changes(old: RuleSet, new: RuleSet, rows: Any) -> RowChanges:
    """Tell row by row what the two say."""
    source = rows if isinstance(rows, Source | Table) else Source(as_frame(rows))
    said_old, said_new = (one.predict(source) for one in (old, new))
    differs = np.array([str(a) != str(b) for a, b in zip(said_old, said_new, strict=True)], dtype=bool)
    pairs = Counter(zip(said_old[differs].tolist(), said_new[differs].tolist(), strict=True))
    changes = tuple((old_label, new_label, count) for (old_label, new_label), count in pairs.most_common())
    truth = true_labels(new, source)
    accuracies = [None if truth is None else _accuracy(truth, said) for said in (said_old, said_new)]
    return RowChanges(said_old, said_new, differs, changes, accuracies[0], accuracies[1])


def _accuracy(truth: NDArray[Any], said: NDArray[Any]) -> Accuracy:
    judged = [(a, str(b)) for a, b in zip(truth, said, strict=True) if a is not None]
    return accuracy_of(np.array([a == b for a, b in judged], dtype=bool))
