"""The search for numbers and survival: an ordered list of clauses that explain a score of each row.

A number is explained as it is, but for outliers; the time until an event by its log-rank scores. Columns are
cut where equal parts of the score change; a second search has finer cuts of the columns that are used.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray, rounded
from nri.episode import Cells, literal_truth
from nri.induce import constraints
from nri.induce.assemble import count_clauses, literal_meanings
from nri.induce.classes import cells_of
from nri.induce.settings import DEFAULT_MODEL, Settings
from nri.outcome import Number, Survival
from nri.outcome.number import standardised
from nri.rule import Clause, Dnf, Kind, Literal, Op, Rule, clause_matrix, simplify
from nri.rule.literal import plain_value
from nri.rule.truth import first_to_fire
from nri.search.segments import Problem, bits_of_rows, search
from nri.seeded.scores import ScoreExperts
from nri.table.binarizer import Binarizer
from nri.table.cuts import even_thresholds
from nri.table.source import read_columns
from nri.table.table import Table

CUTS = 10
"""Most thresholds of one column; chosen, like the constants below and the equal parts of the score by which
columns are cut, on half of 38 raw tables with numbers that are not those of ``nri bench number``."""
_FINE = 20  # Equal parts of a column between finer cuts, once it is known that a clause uses it
_LEAST_ROWS = 5.0  # Fewest rows of a branch
_PRICE = 1.25  # Bits of rows that one bit of rule must save

_WORTH = 200.0
"""Rows that expected scores are worth at most; fewer rows are worth up to this. So a list for them is as long
as a person reads, not as rows allow."""
_EARNED = 10.0  # Bits that the experts must save to be used: they seem to save some anyway.
_ROUNDS = (1.0, 3.0, 8.0), (4.0, 2.0, 4.0)
"""For each round: standard errors by which rows must follow what experts expect beyond the clauses so far; by
which they must differ for their column not to be dear; and how many times its bits a dear literal costs."""


@dataclass(frozen=True, eq=False)
class ScorePosterior:
    """What the experts expect of any row, for rows that have columns, not variables."""

    table: Table
    outcome: Number | Survival
    features: Binarizer
    order: IntArray  # [N], the variables in the order that the experts see them in
    numbers: IntArray  # [F], the same for numbers
    experts: ScoreExperts
    scores: FloatArray  # [M], what they were formed by
    support: FloatArray
    """[M], what they expect of each row of the table without that row, with mean 0 and variance 1"""
    bits: float  # what it takes to say the scores, given that

    @property
    def left_out(self) -> FloatArray:
        """[M]: numbers or risks to expect of the rows of the table, each without itself."""
        return self._predicted(self.support)

    def predicted(self, rows: Any) -> FloatArray:
        """[S]: numbers or risks to expect of rows."""
        plans = {name: self.table.plans[name] for name in self.features.columns_}
        cells = cells_of(self.features, read_columns(rows, plans))
        return self._predicted(self.experts.expected(_reordered(cells, self.order, self.numbers)))

    def _predicted(self, expected: FloatArray) -> FloatArray:
        share = self.table.weights / self.table.weights.sum()
        mean = share @ self.scores
        scores = mean + expected * np.sqrt(share @ (self.scores - mean) ** 2)
        return self.outcome.from_scores(scores, self.table.weights)


def _reordered(cells: Cells, order: IntArray, numbers: IntArray) -> Cells:
    return Cells(cells.values[:, order], cells.known[:, order], cells.numbers[:, numbers])


@dataclass(frozen=True, eq=False)
class SegmentSearch:
    """What stays the same while a rule for the number or the survival of a table is sought."""

    table: Table
    outcome: Number | Survival
    settings: Settings
    features: Binarizer
    posterior: ScorePosterior | None = None  # The experts, once they are formed
    by_experts: bool = False
    """whether the scores that are searched are what they expect, or for numbers half of it"""
    informative: frozenset[str] = frozenset()
    """columns that the rows speak for, whose literals cost what they take to say"""
    dear: float = 1.0  # how many times its bits a literal of any other column costs
    quick: bool = False  # whether one beginning of each search is enough

    def best(self) -> tuple[Rule, "SegmentSearch"]:
        """Return the best rule by the scores or by what the experts expect of them, and the last search.

        Experts are used only if they need fewer bits than the clauses, and rows follow them beyond these.
        """
        clauses, bits = self._searched()
        search = replace(self, posterior=self._posterior(clauses))
        # a number is half its own, so that columns have no price and only a clear lead protects from chance
        half = self.outcome.own_share > 0
        rival = min(bits, 0.0) - _EARNED if half else min(bits, -_EARNED)
        for followed, least, dear in _ROUNDS[:1] if half else _ROUNDS:
            if search.posterior is None or search.posterior.bits >= rival:
                break
            if not half and self._follows(clauses, search.posterior) <= followed:
                break
            informative = self._informative_columns(clauses, least)
            search = replace(search, by_experts=True, informative=informative, dear=dear)
            clauses, _ = search._searched(clauses)
        return search._counted(clauses), search

    def again(self, best: Rule) -> Rule:
        """Return a rule by the scores that the best rule was found by, with less effort."""
        search = replace(self, quick=True)
        return self._counted(search._searched(best.clauses)[0] if self.features.variables_ else [])

    def _counted(self, clauses: Sequence[Clause]) -> Rule:
        """Drop literals that others imply, and count."""
        alike = [simplify(Dnf([clause]), self.features.domain_).clauses for clause in clauses]
        simple = [one[0] if len(one) == 1 else clause for clause, one in zip(clauses, alike, strict=True)]
        expected = None if self.posterior is None else self._by_branch(simple, self.posterior.left_out)
        return count_clauses(simple, self.table, expected)

    def _follows(self, clauses: Sequence[Clause], posterior: ScorePosterior) -> float:
        """Return by how many standard errors scores go with what is expected, both within branches.

        What is expected of a row is formed without it. So where clauses say all there is, this is chance.
        """
        weights, branch = self.table.weights, first_to_fire(self._fires(clauses))
        own = posterior.scores - np.array(self._by_branch(clauses, posterior.scores))[branch]
        expected = posterior.support - np.array(self._by_branch(clauses, posterior.support))[branch]
        spread = (weights @ own**2) * (weights @ expected**2) / weights.sum()
        return float(weights @ (own * expected)) / math.sqrt(max(float(spread), 1e-300))

    def _informative_columns(self, clauses: Sequence[Clause], least: float) -> frozenset[str]:
        """Return the columns of clauses, and those by which rows differ by so many standard errors.

        Experts have learned from the same rows, and expect what chance has put into any of the columns.
        """
        weights, total, scores = self.table.weights, self.table.weights.sum(), self._scores(())
        meanings, fires = self._literals(self.features)
        rows, around = weights @ fires, weights * (scores - weights @ scores / total)
        variance = (around @ scores) * rows * (1 - rows / total) / total
        informative = (around @ fires) ** 2 > least**2 * np.maximum(variance, 1e-9)
        names = {meanings[j].column for j in np.flatnonzero(informative)}
        return frozenset(names.union(*(clause.columns for clause in clauses)))

    def _by_branch(self, clauses: Sequence[Clause], expected: FloatArray) -> list[float]:
        """Return the mean of what is expected of the rows [M] that each branch decides."""
        weights, branch = self.table.weights, first_to_fire(self._fires(clauses))
        sums = np.bincount(branch, weights * expected, minlength=len(clauses) + 1)
        rows = np.bincount(branch, weights, minlength=len(clauses) + 1)
        overall = float(sums.sum() / rows.sum())
        means: list[float] = np.where(rows > 0, sums / np.maximum(rows, 1e-300), overall).tolist()
        return means

    def _scores(self, clauses: Sequence[Clause]) -> FloatArray:
        """[M]: what is explained, outliers clipped by the branches of clauses."""
        return self.outcome.scores(self.table.weights, self._fires(clauses))

    def _fires(self, clauses: Sequence[Clause]) -> BoolArray:
        return clause_matrix(clauses, self.table.columns, len(self.table))

    def _literals(self, features: Binarizer) -> tuple[tuple[Literal, ...], BoolArray]:
        """Return the literals of features, and where each holds [M, 2N]."""
        meanings = literal_meanings(features.variables_, features.domain_)
        return meanings, literal_truth(*features.cells(self.table.columns))

    def _searched(self, known: Sequence[Clause] = ()) -> tuple[list[Clause], float]:
        """Search, and once more from the clauses found and with finer cuts of their columns."""
        clauses, bits = self._clauses(self.features, (), self._scores(known))
        if not clauses:
            return clauses, bits
        finer = self._finer(clauses) if self.settings.binarize == "auto" else self.features
        return self._clauses(finer, clauses, self._scores(clauses))

    def _posterior(self, clauses: Sequence[Clause]) -> ScorePosterior | None:
        """Form the experts by scores whose outliers are clipped by clauses; other models have none."""
        table, features, weights = self.table, self.features, self.table.weights
        scores = self.outcome.learnt(weights, self._fires(clauses))
        values = standardised(scores, weights)
        if self.settings.model != DEFAULT_MODEL or values is None:
            return None
        meanings = literal_meanings(features.variables_, features.domain_)
        # one order of rows and columns for all tables that hold the same: sums then come out the same
        groups = features.groups_
        order = np.array(sorted(range(len(groups)), key=lambda j: meanings[j].sort_key), dtype=np.int64)
        of_numbers = features.number_groups_.tolist()
        columns = list(dict.fromkeys([*groups[order].tolist(), *of_numbers]))  # as their variables come
        by_column = sorted(range(len(of_numbers)), key=lambda i: columns.index(of_numbers[i]))
        numbers = np.array(by_column, dtype=np.int64)
        cells = _reordered(cells_of(features, table.columns), order, numbers)
        rows = _row_order(literal_truth(cells.values, cells.known), values, weights, cells.numbers)
        groups = np.concatenate([groups[order], features.number_groups_[numbers]])
        experts = ScoreExperts(cells.take(rows), groups, values[rows], weights[rows])
        support = np.empty(len(values))
        support[rows] = rounded(experts.support)
        bits = bits_of_rows(values - support, weights)
        return ScorePosterior(table, self.outcome, features, order, numbers, experts, scores, support, bits)

    def _clauses(
        self, features: Binarizer, start: Sequence[Clause], scores: FloatArray
    ) -> tuple[list[Clause], float]:
        """Return the best clauses for some scores and their bits, from clauses that are there already."""
        table, settings, weights = self.table, self.settings, self.table.weights
        values, total = standardised(scores, weights), float(weights.sum())
        worth, segment_bits = total, 0.5 * math.log2(max(total, 2.0))
        meanings, fires = self._literals(features)
        prices = np.ones(len(meanings))
        if values is not None and self.posterior is not None and self.by_experts:
            own = self.outcome.own_share
            if not own:  # there is no chance in expected values that a mean would have to say
                worth, segment_bits = math.sqrt(_WORTH * min(total, _WORTH)), 0.0
                prices[[x.column not in self.informative for x in meanings]] = self.dear
            values = standardised(own * values + (1 - own) * self.posterior.support, weights)
        if values is None:
            return [], -np.inf
        chosen = self._order(meanings, fires, values, {x for clause in start for x in clause})
        rows = _row_order(fires[:, chosen], values, weights)
        required = constraints.required_literals(meanings, settings, features.left_out_)
        problem = Problem(
            fires=fires[np.ix_(rows, chosen)],
            values=values[rows],
            weights=weights[rows],
            max_clauses=min(settings.most_clauses, max(8, len(table))),
            max_literals=min(settings.max_literals, len(meanings)),
            least_rows=_LEAST_ROWS,
            price=_PRICE,
            worth=worth,
            segment_bits=segment_bits,
            prices=prices[chosen],
            required=tuple(mask[chosen] for mask in required),
        )
        literals = [meanings[j] for j in chosen]
        places = {literal: place for place, literal in enumerate(literals)}
        begin = [tuple(sorted(places[x] for x in clause)) for clause in start]
        best = search(problem, begin, only=self.quick)
        return [Clause(literals[j] for j in clause) for clause in best.clauses], best.bits

    def _order(
        self, meanings: Sequence[Literal], fires: BoolArray, values: FloatArray, kept: Collection[Literal]
    ) -> IntArray:
        """Return the literals that may be used, those that explain most first, however columns come.

        Of literals that hold on the same rows the first one is enough.
        """
        weights, allowed = self.table.weights, constraints.allowed_literals(meanings, self.settings)
        rows = weights @ fires
        gain = np.where(rows > 0, (weights * values) @ fires, 0.0) ** 2 / np.maximum(rows, 1e-9)

        def key(j: int) -> tuple[Any, ...]:
            return meanings[j] not in kept, -round(float(gain[j]), 6), meanings[j].sort_key

        order = np.array(sorted(np.flatnonzero(allowed).tolist(), key=key), dtype=np.int64)
        _, first = np.unique(np.packbits(fires[:, order], axis=0), axis=1, return_index=True)
        return order[np.sort(first)]

    def _finer(self, clauses: Sequence[Clause]) -> Binarizer:
        """Return the features of the columns of some clauses, with many more cuts of those not fixed."""
        names = {name for clause in clauses for name in clause.columns}
        table = self.table
        cuts = [
            Literal(name, Op.GT, plain_value(cut))
            for name in sorted(names - set(self.settings.knowledge.cuts))
            if (column := table.columns[name]).kind in (Kind.NUMBER, Kind.DATE)
            for cut in even_thresholds(column.values[column.known], table.weights[column.known], _FINE)
        ]
        return self.features.narrowed(names, cuts)


def _row_order(fires: BoolArray, values: FloatArray, weights: FloatArray, numbers: Any = ()) -> IntArray:
    """Return one order of rows for all tables that hold the same rows: sums then come out the same."""
    packed = np.packbits(fires, axis=1)
    return np.lexsort((*np.asarray(numbers).T, *packed.T, weights, np.round(values, 9)))
