"""Compare: two rules for one target, what changed between them, and on which rows they differ."""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray
from nri.errors import InputError
from nri.outcome import Score
from nri.rows.batches import Batch, batches
from nri.rows.files import Files
from nri.rule import (
    TRUE,
    ClassTarget,
    Clause,
    Dnf,
    Label,
    Literal,
    Rule,
    column_of,
    difference,
    implies,
    literal_truth,
    simplify,
)
from nri.rule.literal import Value
from nri.rule.regions import Regions, can_fire, meeting, must_fire
from nri.table.source import Source, source_of
from nri.table.table import Table
from nri.tasks.predictions import PlanReader, RowSink, Truth, row_sink

SHOWN = 20  # Numbers of so many differing rows are kept.
_MOST_REGIONS = 1 << 16
"""Combinations of regions of columns that are looked at; of more, so many drawn at random."""


@dataclass(frozen=True)
class Moved:
    """A clause with other thresholds, or with another number of the same conditions."""

    old: Clause
    new: Clause


@dataclass(frozen=True)
class ClassChange:
    """What became of the clauses of one class, or of all clauses of a rule for a number or a risk."""

    label: Label | None  # the class; None for a number or a risk
    kept: tuple[Clause, ...]
    moved: tuple[Moved, ...]
    dropped: tuple[Clause, ...]
    added: tuple[Clause, ...]
    relation: str
    """Where the new clauses fire: on the same, more, fewer or other rows, whatever the table, gaps aside. If
    the rules are about opposite classes, where the new one predicts this class, by a clause or by default."""
    example: Clause | None
    """On all rows where this holds, just one of the two fires, or opposite rules predict opposite classes;
    None if there are no such rows."""


@dataclass(frozen=True)
class RegionChange:
    """Rows for which the two predict different values, whatever the table, gaps aside."""

    old: Any
    new: Any  # the predictions
    where: Clause  # some of these rows: all on which this holds


@dataclass(frozen=True, eq=False)
class RowChanges:
    """What the two predict for the rows of a table."""

    n_rows: int
    first: tuple[int, ...]  # Numbers, from 1, of the first rows on which they differ
    changes: tuple[tuple[Any, Any, int], ...]
    """From which prediction to which, on how many rows, the most frequent first."""
    score_old: Score | None  # None if the table does not hold the truth
    score_new: Score | None
    old: NDArray[Any] | None = None
    new: NDArray[Any] | None = None  # [M] each: the predictions; None if the table was too large to keep them
    differs: BoolArray | None = None  # [M]

    @property
    def differing(self) -> int:
        """Rows on which they differ."""
        return sum(count for _, _, count in self.changes)


@dataclass(frozen=True, eq=False)
class Comparison:
    """What changed from one rule to another."""

    target: str
    classes: tuple[ClassChange, ...]
    """for each class with clauses; for a number or a risk one for all clauses"""
    default_old: Any
    default_new: Any
    columns_dropped: tuple[str, ...]
    columns_added: tuple[str, ...]
    rows: RowChanges | None  # None if no table was given
    opposite: bool = False
    """Whether one rule is about one of two classes and the other about the other: where they fire is then no
    measure of how they differ, what they predict is."""
    regions: tuple[RegionChange, ...] = ()
    """Where the two predict different values; of two classes :attr:`ClassChange.example` has it already."""

    @property
    def same_words(self) -> bool:
        """Whether the two have the same clauses and defaults, whatever their counts."""
        unchanged = all(not (one.moved or one.dropped or one.added) for one in self.classes)
        return unchanged and self.default_old == self.default_new and not self.regions


def compare_rules(old: Rule, new: Rule, table: Any = None) -> Comparison:
    """Compare two rules for the same target: their clauses, where they differ, and the rows of a table.

    Parameters
    ----------
    old, new
        E.g. of last year and of this year; see :func:`nri.read_rule`. Both are of classes, of a number, or of
        survival.
    table
        Rows to apply both to, with the columns that either uses; if it has the target, both are scored.
    """
    remedy = "compare rules for the same target"
    if old.predicts.kind != new.predicts.kind:
        raise InputError(f"one rule predicts {old.predicts.kind}, the other {new.predicts.kind}; {remedy}")
    opposite, of_classes = False, isinstance(new.predicts, ClassTarget)
    if of_classes and {*map(str, old.classes)} != {*map(str, new.classes)}:
        classes = f"{list(old.classes)} and {list(new.classes)}"
        raise InputError(f"the rules are about different classes, {classes}; {remedy}")
    for part in ("name", "time"):
        was, now = (getattr(one.predicts, part, "") for one in (old, new))
        if was.replace(" ", "") != now.replace(" ", ""):  # price>100 is price > 100
            raise InputError(f"the rules are about different targets, {was!r} and {now!r}; {remedy}")
    for name in new.columns:
        kind, other = old.kinds.get(name, new.kinds[name]), new.kinds[name]
        if kind is not other:
            in_rules = f"{kind} in one rule and {other} in the other"
            raise InputError(f"column {name!r} is {in_rules}; induce both from the same kind")
    if of_classes:
        pairs = [(label, _conditions(old, label), _conditions(new, label)) for label in new.classes]
        changes = tuple(_class_change(*one) for one in pairs if one[1] or one[2])
        about = [[*map(str, one.described)] for one in (old, new)]
        # each is about one of two classes, not the same one, and predicts the other by default
        opposite = len(old.classes) == 2 and about == [[str(new.default)], [str(old.default)]]
        changes = _by_predictions(changes) if opposite else changes
    else:
        changes = (_class_change(None, Dnf(old.clauses), Dnf(new.clauses)),)
    return Comparison(
        new.target,
        changes,
        old.default,
        new.default,
        tuple(name for name in old.columns if name not in new.columns),
        tuple(name for name in new.columns if name not in old.columns),
        None if table is None else row_changes(old, new, table),
        opposite,
        () if of_classes and len(new.classes) <= 2 else _regions(old, new),
    )


def _conditions(rule: Rule, label: Label) -> Dnf:
    """Return the clauses of a class, by its text: one file may have true where another has "True"."""
    return Dnf(branch.clause for branch in rule.branches if str(branch.value) == str(label))


def _class_change(label: Label | None, old: Dnf, new: Dnf) -> ClassChange:
    kept = tuple(clause for clause in old if clause in new.clauses)
    gone = [clause for clause in old if clause not in kept]
    come = [clause for clause in new if clause not in kept]
    moved = _take_moved(gone, come, attrgetter("shape")) + _take_moved(gone, come, attrgetter("criteria"))
    relation = _RELATIONS[not implies(old, new), not implies(new, old)]
    return ClassChange(label, kept, tuple(moved), tuple(gone), tuple(come), relation, _example(old, new))


def _take_moved(old: list[Clause], new: list[Clause], key: Callable[[Clause], Hashable]) -> list[Moved]:
    """Remove pairs of clauses with the same key from the two lists, and return them."""
    moved = []
    for clause in list(old):
        same = [other for other in new if key(other) == key(clause)]
        if same:
            old.remove(clause)
            new.remove(same[0])
            moved.append(Moved(clause, same[0]))
    return moved


_RELATIONS = {
    (False, False): "the same rows",
    (False, True): "more rows",
    (True, False): "fewer rows",
    (True, True): "other rows",
}
"""By whether the new rule loses rows of the old one, and whether it gains others."""


def _by_predictions(changes: tuple[ClassChange, ...]) -> tuple[ClassChange, ...]:
    """Relate two opposite rules by what they predict: they differ where both fire, and where neither does."""
    old = Dnf(clause for change in changes for clause in change.dropped)
    new = Dnf(clause for change in changes for clause in change.added)
    meetings = (meeting(one, other) for one in old for other in new)
    simple = [simplify(Dnf([clause])).clauses[0] for clause in meetings if clause is not None]
    both, neither = min(simple, key=len, default=None), _example(Dnf([*old, *new]), TRUE)
    related = []
    for change in changes:
        loses, gains = (both, neither) if change.dropped else (neither, both)
        relation = _RELATIONS[loses is not None, gains is not None]
        related.append(replace(change, relation=relation, example=neither if both is None else both))
    return tuple(related)


def _example(old: Dnf, new: Dnf) -> Clause | None:
    """Write in the rules' own conditions, as shortly as separates them, where they differ; None: nowhere."""
    row = difference(old, new)
    if row is None:
        return None
    literals = {literal for rule in (old, new) for clause in rule for literal in clause}
    return _shortest(
        _place(row, literals), lambda where: _separates(where, old, new) or _separates(where, new, old)
    )


def _place(row: Mapping[str, Value | None], literals: Iterable[Literal]) -> Clause:
    """Return which literals hold on a row, those that do not negated."""
    columns = {name: column_of([cell]) for name, cell in row.items()}
    return Clause(x if literal_truth(x, columns)[0][0] else x.negate() for x in literals)


def _shortest(clause: Clause, serves: Callable[[Clause], bool]) -> Clause:
    """Drop the literals without which a clause still serves."""
    for literal in clause:
        shorter = Clause(x for x in clause if x != literal)
        if serves(shorter):
            clause = shorter
    return clause


def _separates(where: Clause, one: Dnf, other: Dnf) -> bool:
    """Whether on all rows where a clause holds, one rule fires and the other does not."""
    return not any(can_fire(clause, where) for clause in other) and implies(Dnf([where]), one)


def _regions(old: Rule, new: Rule) -> tuple[RegionChange, ...]:
    """Compare the rules on a row of each region that literals separate; list a pair of predictions once."""
    literals = {literal for clause in (*old.clauses, *new.clauses) for literal in clause}
    cells = Regions(literals, {}, unknown_cells=False).cells
    shape = [len(column) for column in cells.values()]
    n_rows = min(math.prod(shape), _MOST_REGIONS)
    if math.prod(shape) > _MOST_REGIONS:
        rng = np.random.default_rng(0)
        places = [rng.integers(0, n, n_rows) for n in shape]
    else:
        places = [*np.unravel_index(np.arange(n_rows), shape)] if shape else []
    columns = {name: column.take(index) for (name, column), index in zip(cells.items(), places, strict=True)}
    by_old, by_new = old.decide(columns, n_rows), new.decide(columns, n_rows)
    pairs, first = np.unique(np.stack([by_old, by_new]), axis=1, return_index=True)
    changes = []
    for (i, j), row in zip(pairs.T.tolist(), first.tolist(), strict=True):
        was, now = old.estimates[i].value, new.estimates[j].value
        if str(was) == str(now):
            continue
        here = _place({name: column.cell(row) for name, column in columns.items()}, literals)
        where = _shortest(here, lambda x, i=i, j=j: _decides(old, i, x) and _decides(new, j, x))  # type: ignore[misc]
        changes.append(RegionChange(was, now, where))
    return tuple(changes)


def _decides(rule: Rule, index: int, where: Clause) -> bool:
    """Whether a branch, or the ELSE, surely decides all rows on which a clause holds."""
    if any(can_fire(clause, where) for clause in rule.clauses[:index]):
        return False
    return index == len(rule.branches) or must_fire(rule.clauses[index], where)


_Predicted = tuple[Source | Table, NDArray[Any], NDArray[Any], BoolArray]
"""Rows, which may hold the truth, what the old and the new rule predict for them, and where they differ."""


def _predicted(rows: Source | Table, old: NDArray[Any], new: NDArray[Any]) -> _Predicted:
    return rows, old, new, np.asarray(old.astype(str) != new.astype(str), dtype=bool)


def _row_changes(rule: Rule, parts: Iterable[_Predicted]) -> RowChanges:
    """Count on rows after rows what changed from one rule to another."""
    n_rows, first, changes = 0, list[int](), Counter[tuple[Any, Any]]()
    truths = Truth(rule), Truth(rule)  # one reading of the truth for both
    for source, old, new, differs in parts:
        changes.update(zip(old[differs].tolist(), new[differs].tolist(), strict=True))
        first += (n_rows + 1 + np.flatnonzero(differs)[: SHOWN - len(first)]).tolist()
        n_rows += len(old)
        for truth, predicted in zip(truths, (old, new), strict=True):
            truth.add(source, predicted)
    counts = tuple((*pair, count) for pair, count in changes.most_common())
    return RowChanges(n_rows, tuple(first), counts, truths[0].score, truths[1].score)


def row_changes(old: Rule, new: Rule, rows: Any) -> RowChanges:
    """Compare row by row what the two predict."""
    source = rows if isinstance(rows, Source | Table) else source_of(rows)
    whole = _, was, now, differs = _predicted(source, old.predict(source), new.predict(source))
    return replace(_row_changes(new, [whole]), old=was, new=now, differs=differs)


def stream_changes(
    old: Rule, new: Rule, files: Files, destination: Path | None, *, step: Callable[[int], None]
) -> RowChanges:
    """Count on all rows what changed from one rule to another; rows that differ go to the destination."""
    old_reader, new_reader = PlanReader(old.plans), PlanReader(new.plans)
    wanted = {*old.plans, *new.plans, new.target} if destination is None else None

    def parts(sink: RowSink | None) -> Iterator[_Predicted]:
        for batch in batches(files, wanted):
            was = old.predict(old_reader.read(batch), len(batch))
            now = new.predict(new_reader.read(batch), len(batch))
            part = *_, differs = _predicted(batch.source([new.target]), was, now)
            if sink is not None:
                both = {f"old_{new.target}": was[differs], f"new_{new.target}": now[differs]}
                sink(Batch(batch.first, batch.rows.filter(differs)), both)
            yield part
            step(batch.last)

    with nullcontext() if destination is None else row_sink(destination, only=False) as sink:
        return _row_changes(new, parts(sink))
