"""Count what a rule set does on labelled rows."""

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.induce.estimates import accuracy_of, effective_rows, wilson
from nri.induce.settings import Settings
from nri.report.records import (
    ClauseCard,
    ColumnUse,
    Confusion,
    GapColumn,
    Gaps,
    Member,
    Pattern,
    ReportOptions,
    TableReport,
    Tally,
)
from nri.rule import Clause, Columns, RuleSet, clause_matrix, literal_truth
from nri.rule.simplify import most_together
from nri.table.table import Table
from nri.table.usable import LeftOut
from nri.tasks.stability import Stability


class RuleCounts:
    """A rule set on a labelled table: where each clause fires, which one decides, and who is right."""

    def __init__(self, table: Table, ruleset: RuleSet) -> None:
        n = len(table)
        self.ruleset = ruleset
        self.columns: Columns = ruleset.read(table)
        self.codes = table.codes
        self.weights: FloatArray = table.weights
        self.clauses = [(rule.label, clause) for rule in ruleset.rules for clause in rule.rule]
        self.fires: BoolArray = clause_matrix([clause for _, clause in self.clauses], self.columns, n)
        """[M, clauses]"""
        self.said: IntArray = ruleset.predict_index(self.columns, n)
        """[M], class indices"""
        self.decided_by: IntArray = ruleset.decide(self.columns, n)
        """[M], index into the rule set's decisions"""

    def cards(self, stability: Stability | None) -> tuple[ClauseCard, ...]:
        """Return a card for each clause, in the order of reading."""
        decisions = [(decision.label, decision.clause) for decision in self.ruleset.decisions]
        cards = []
        for i, (label, clause) in enumerate(self.clauses):
            index = self.ruleset.index_of(label)
            place = decisions.index((label, clause))
            decides = np.asarray(self.decided_by == place, dtype=bool)
            cards.append(
                ClauseCard(
                    i + 1,
                    label,
                    clause,
                    self.tally(self.fires[:, i], index),
                    self.tally(decides, index),
                    self.ruleset.decisions[place].precision,
                    None if stability is None else stability.clauses[i],
                    *(self.members(clause, index) if clause.counts else ()),
                )
            )
        return tuple(cards)

    def members(self, clause: Clause, index: int) -> tuple[tuple[Member, ...], tuple[Tally, ...]]:
        """Count for each member of a counting clause where it holds, and the rows by how many hold."""
        holds = np.stack([literal_truth(literal, self.columns)[0] for literal in clause])
        held = holds.sum(axis=0)
        covered, just_enough = held >= clause.at_least, held == clause.at_least
        members = tuple(
            Member(
                literal,
                self.tally(truth, index),
                float(self.weights[truth & covered].sum()),
                float(self.weights[truth & just_enough].sum()),
            )
            for literal, truth in zip(clause, holds, strict=True)
        )
        return members, tuple(self.tally(held == n, index) for n in range(len(clause) + 1))

    def default(self) -> Tally:
        """Count the rows that no clause covers."""
        uncovered: BoolArray = ~np.logical_or.reduce(self.fires, axis=1)
        return self.tally(uncovered, self.ruleset.index_of(self.ruleset.default))

    def tally(self, rows: BoolArray, index: int) -> Tally:
        """Count the rows of a mask that are of one class."""
        weights = self.weights[rows]
        total, right = float(weights.sum()), float(weights[self.codes[rows] == index].sum())
        share = min(1.0, right / total) if total > 0 else 0.0
        return Tally(total, right, float(self.weights.sum()), wilson(share, effective_rows(weights)))

    def confusion(self) -> Confusion:
        """Count rows by true and said class."""
        return confusion_of(self.codes, self.said, self.weights, len(self.ruleset.classes))

    def patterns(self) -> tuple[Pattern, ...]:
        """Group rows by the clauses that fire on them, most rows first."""
        kinds, inverse = np.unique(self.fires, axis=0, return_inverse=True)
        inverse = inverse.reshape(-1)
        right = self.said == self.codes
        found = []
        for k, kind in enumerate(kinds):
            of_kind = inverse == k
            rows = float(self.weights[of_kind].sum())
            found.append(
                Pattern(
                    tuple(int(i) + 1 for i in np.flatnonzero(kind)),
                    rows,
                    float(self.weights[of_kind & right].sum()),
                )
            )
        return tuple(sorted(found, key=lambda pattern: (-pattern.rows, pattern.clauses)))

    def gaps(self) -> Gaps:
        """Count what missing cells do."""
        unknown = {name: ~column.known for name, column in self.columns.items()}
        gap: BoolArray = np.zeros(len(self.codes), dtype=bool)
        for mask in unknown.values():
            gap |= mask
        right = self.said == self.codes
        return Gaps(
            gap_columns(self.columns),
            int(gap.sum()),
            int((self.possible().any(axis=1) & ~self.fires.any(axis=1)).sum()),
            accuracy_of(right[~gap], self.weights[~gap]) if self.weights[~gap].sum() > 0 else None,
            accuracy_of(right[gap], self.weights[gap]) if self.weights[gap].sum() > 0 else None,
        )

    def possible(self) -> BoolArray:
        """[M, clauses]: where a clause fires or might, were its missing cells known."""
        possible = np.zeros_like(self.fires)
        for i, (_, clause) in enumerate(self.clauses):
            held = np.zeros(len(self.codes), dtype=np.int64)
            for name, most in most_together(clause).items():
                held += np.where(self.columns[name].known, 0, most)
            for literal in clause:
                held += literal_truth(literal, self.columns)[0]
            possible[:, i] = held >= clause.at_least
        return possible


def confusion_of(truth: IntArray, said: IntArray, weights: FloatArray, n_classes: int) -> Confusion:
    """Count rows by true and said class."""
    counts = np.zeros((n_classes, n_classes))
    np.add.at(counts, (truth, said), weights)
    return Confusion(
        tuple(tuple(float(count) for count in row) for row in counts), accuracy_of(truth == said, weights)
    )


def gap_columns(columns: Columns) -> tuple[GapColumn, ...]:
    """Return those of some columns that have missing cells, most first."""
    gaps = [GapColumn(name, int((~column.known).sum())) for name, column in columns.items()]
    return tuple(sorted((one for one in gaps if one.missing), key=lambda one: -one.missing))


def about_table(
    table: Table,
    options: ReportOptions,
    settings: Settings,
    used: tuple[str, ...],
    left_out: tuple[LeftOut, ...],
) -> TableReport:
    """Return what every report begins with, given the columns that the rule uses and those of no use."""
    columns = _column_use(table, settings, used, left_out)
    return TableReport(options, len(table), len(table.names), float(table.weights.sum()), columns)


def _column_use(
    table: Table, settings: Settings, used: tuple[str, ...], left_out: tuple[LeftOut, ...]
) -> ColumnUse:
    """Tell which columns took which part."""
    names = table.names
    excluded = [
        name
        for name in names
        if name in settings.never
        or (settings.use is not None and name not in {*settings.use, *settings.require})
    ]
    unfit = {one.column for one in left_out}
    unused = [name for name in names if name not in {*used, *excluded, *unfit}]
    return ColumnUse(used, tuple(unused), tuple(excluded), left_out)
