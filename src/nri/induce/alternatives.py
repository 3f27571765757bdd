"""Alternatives: other rules that are nearly as good as the best one, for a person to choose from.

The candidates and the posterior of the best rule also give the best rule without each of its columns, the
best of each number of lines, and rules near the best. Each is compared with the best rule on the labelled
rows.
"""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray, one_thread
from nri.errors import InputError
from nri.induce.assemble import assemble, coded_predictions, with_plain_values
from nri.induce.classes import Candidate
from nri.induce.constraints import error_prices
from nri.induce.floors import Floored, Floors, meet_floors
from nri.induce.induce import Induction, prepared, searched
from nri.induce.refine import pruned, sharpened
from nri.induce.segments import SegmentSearch
from nri.induce.settings import Settings, shown, whole
from nri.outcome import Number
from nri.outcome.score import Interval, Z, effective_rows
from nri.rows.memory import MemoryRows
from nri.rule import Rule
from nri.search.candidates import CandidatePool
from nri.search.clauses import members
from nri.search.lists import DecisionList, ListSearch
from nri.search.result import Induced
from nri.search.select import Indices, Pricing, best_moves, near_costs, shortlisted
from nri.table.table import Table

_WIDER, _WIDER_BY_LABELS, _WIDER_SEGMENTS = 1.2, 3.0, 4.0
"""What the variance of a difference is multiplied by so that intervals hold on new rows (docs/log.md): the
second where labels alone judge, which chose the rules, the third of numbers and survival."""
_MORE_ROWS = 1.0
"""Rows on which two rules disagree beyond those seen: rules that agree on all rows may differ on new ones."""
_STAND_INS = 3  # Columns, one after the other, that are tried in the place of one
_POINT = 0.01
"""With few rows nearly every difference is within its error, also of rules that are clearly worse."""
_LEAST_SHOWN = 0.0005  # Smaller differences are shown as none
_PAIRED, _SMALL = 300, 2000
"""Candidates of which every pair is priced, those that gain most; pairs, and single ones, that are kept."""


@dataclass(frozen=True)
class Alternative:
    """A rule beside the best one."""

    rule: Rule
    lines: int  # branches beside the ELSE
    literals: int
    columns: tuple[str, ...]
    score: float  # by the basis of all of them
    difference: float  # of this score to that of the best rule
    interval: Interval  # 95 %, of the difference
    words: str  # what sets it apart

    def lost(self, measure: str) -> float:
        """Return how much worse the rule is than the best by a measure."""
        return self.difference if measure == "cost" else -self.difference


@dataclass(frozen=True)
class ColumnWorth:
    """What a column of the best rule is worth: the best rule without it."""

    column: str
    without: Alternative
    stand_ins: tuple[str, ...]  # columns any one of which can take its place in a rule that is nearly as good


@dataclass(frozen=True)
class Alternatives:
    """The best rule, rules that are nearly as good, what columns are worth and what lines bring."""

    measure: str  # accuracy, cost (where errors have costs; less is better), R² or concordance
    basis: (
        str  # ``to expect`` where scores are what a posterior expects of new rows, else how they were counted
    )
    within: float  # how much worse than the best an alternative may be
    best: Alternative
    others: tuple[Alternative, ...]  # short ones first
    columns: tuple[ColumnWorth, ...]  # those of the best rule, the dearest to do without first
    groups: tuple[tuple[str, ...], ...]  # columns that can stand in for each other
    frontier: tuple[Alternative, ...]  # the best rule of one line, of two, ...
    floored: Floored | None = None  # how floors were met by the best rule
    sampled: int | None = None  # rows of the sample that was searched and counted, where there are more

    @property
    def rules(self) -> tuple[Alternative, ...]:
        """The best rule, then the others: what a person chooses from, by number."""
        return (self.best, *self.others)

    @property
    def all_rules(self) -> tuple[Alternative, ...]:
        """Those to choose from, then the best without each column and of each number of lines."""
        listed = [*self.rules, *(one.without for one in self.columns), *self.frontier]
        return tuple({id(one.rule): one for one in listed}.values())

    @property
    def shortest(self) -> Alternative:
        """The first of the frontier that loses no more than a standard error, nor than a point."""
        most = math.inf if self.measure == "cost" else _POINT
        errors = ((one.interval.high - one.interval.low) / (2 * Z) for one in self.frontier)
        pairs = zip(self.frontier, errors, strict=True)
        return next((one for one, error in pairs if one.lost(self.measure) <= min(error, most)), self.best)


@one_thread()
def alternatives(
    table: Table,
    settings: Settings | None = None,
    within: float = 0.01,
    most: int = 20,
    *,
    rng: np.random.Generator | None = None,
    induction: Induction | None = None,
    floors: Floors | None = None,
) -> Alternatives:
    """Return the best rule for a table and others that are nearly as good.

    Parameters
    ----------
    table
        The support rows, with a target; see :func:`nri.read_table`. Of a long table a sample is searched.
    settings
        What the rules may be.
    within
        How much less than that of the best rule the score of others may be: 0.01 is one point.
    most
        How many others there are at most.
    rng
        The only source of chance; seeded with 0 by default.
    induction
        The induction of the best rule with its search, if that is there already.
    floors
        Least sensitivity or specificity. The best rule is then the one that reaches them on cross-validated
        rows; others reach them, or as much of them as the best, by what is expected of rows.

    Raises
    ------
    InputError
        If no column can be used, or a setting cannot be met.

    Examples
    --------
    >>> from nri import read_table
    >>> result = alternatives(read_table("docs/examples/visits.csv", "flu"), within=0.03)
    >>> print(result.others[0].words)
    without `body_aches`, 0.7 points less
    """
    settings, rng = settings or Settings(), rng or np.random.default_rng(0)
    if isinstance(within, bool) or not isinstance(within, int | float) or not 0 <= within < math.inf:
        raise InputError(f"within is {shown(within)}; give a difference of scores, 0 or more, e.g. 0.01")
    whole("most", most)
    if settings.knowledge.keep is not None:
        raise InputError("keep fixes the clauses of a rule, so that there are no others; drop it")
    if settings.counts == "points":
        raise InputError("a card of points is chosen as a whole; drop the points to see other rules")
    floored = None
    if floors:
        floored, _ = meet_floors(table, settings, floors, rng=deepcopy(rng))
        settings = replace(settings, tilt=floored.tilt)
    table, settings = prepared(table, settings)
    n_rows, table = len(table), MemoryRows(table).sample(table.explained.searched_rows)
    sampled = len(table) if n_rows > table.explained.searched_rows else None
    if induction is None or induction.search is None:
        induction = searched(table, settings, rng)
    if induction.search is None:
        name = table.explained.name
        raise InputError(f"{name!r} is the same in all rows, so that there is no rule; give rows that differ")
    search, best = induction.search, induction.rule
    if isinstance(search, Candidate) and search.induced.found_by is None:
        raise InputError(f"model {settings.model!r} has no other rules; use 'seeded' or 'greedy'")
    rules = _ClassRules(best, search) if isinstance(search, Candidate) else _SegmentRules(best, search)
    return replace(_Ranking(rules, within, most, floors).alternatives(), floored=floored, sampled=sampled)


class _ClassRules:
    """Rules for classes, by what is believed of the labelled rows without their labels, and by these."""

    def __init__(self, best: Rule, first: Candidate) -> None:
        self.first, self.table, self.settings = first, first.search.table, first.search.settings
        self.best = with_plain_values(best, self.table).reduced
        prices = error_prices(self.table, self.settings, tilted=False)  # what a floor needs is no cost
        self.measure = "accuracy" if prices is None else "cost"
        self.prices = 1.0 - np.eye(len(self.table.classes)) if prices is None else prices
        self.rows, masses = first.judged_masses()
        by_labels = first.induced.held_out is None
        self.basis, self.wider = ("on these rows", _WIDER_BY_LABELS) if by_labels else ("to expect", _WIDER)
        self.masses = masses / masses.sum()

    def without(self, names: Collection[str]) -> Rule:
        """Choose again from the candidates that do not read some columns."""
        search, pools, _ = self.first.induced.found_by
        banned = np.array([literal.column in names for literal in self.first.view.literals])
        n_variables = len(banned) // 2
        limits = replace(
            search.limits,
            allowed=search.limits.literal_mask(n_variables) & ~banned,
            among=search.limits.n_priced(n_variables),  # so that bits stay what they were
        )
        rest = [_pool_without(pool, banned, search.rows.literals) for pool in pools]
        return self._in_columns(replace(search, limits=limits, near=False).chosen(rest))

    def others(self, most: int) -> Iterator[Rule]:
        """Yield what the search has looked at or has near by, of each number of lines the best first."""
        induced = self.first.induced
        search, _, left = induced.found_by
        rarer = [target for target in search.targets if target != induced.default]
        target = ([c for c, _ in induced.branches] or rarer or search.targets)[0]
        if isinstance(left, ListSearch):
            costs, pool, total = left.seen, left.pool, most  # cuts of long lists take long
        else:
            costs = _small_costs(left[target]) | near_costs(left[target])
            pool, total = left[target].pool, _SMALL
        for rule in _differing(costs, pool, search.limits.columns, most, total):
            decisions = DecisionList(rule, (target,) * len(rule), 1 - target, costs[rule])
            if isinstance(left, ListSearch):
                decisions = left.described(rule)
            branches = tuple(zip(decisions.classes, pool.rule(rule), strict=True))
            yield self._in_columns(replace(induced, branches=branches, default=decisions.default))

    def _in_columns(self, induced: Induced) -> Rule:
        """Return a rule about columns, its cuts moved where those of the best rule were."""
        first, table, settings = self.first, self.table, self.settings
        rule = assemble(induced, first.view.literals, first.features.domain_, table, settings)
        if settings.binarize == "auto" and first.labels_place_cuts:
            rule = sharpened(replace(first, induced=induced, rule=rule))
        if first.is_pruned and rule.branches:
            rule = pruned(rule, table, first.n_literals, settings)
        return with_plain_values(first.with_expected(rule), table).reduced

    def predicted(self, rule: Rule) -> NDArray[Any]:
        """[M]: indices of classes."""
        return coded_predictions(rule, self.table)

    def worth(self, predicted: NDArray[Any]) -> tuple[float, FloatArray, FloatArray]:
        """Return right rows or their cost to expect, [S, classes] what that is the mean of, [M] by labels."""
        prices, codes = self.prices, self.table.codes
        paid = prices.T[predicted[self.rows]]
        worth = 1 - paid if self.measure == "accuracy" else paid
        return float((self.masses * worth).sum()), worth, prices.max(axis=1)[codes] - prices[codes, predicted]

    def reached(self, predicted: NDArray[Any]) -> FloatArray:
        """[2]: sensitivity and specificity for the class that rules are about."""
        right = (np.eye(2)[predicted[self.rows]] * self.masses).sum(axis=0) / self.masses.sum(axis=0)
        return np.asarray(right if self.table.positive == 0 else right[::-1])


class _SegmentRules:
    """Rules for a number or survival, by the rows that they were counted on."""

    wider, basis = _WIDER_SEGMENTS, "without the row itself"

    def __init__(self, best: Rule, search: SegmentSearch) -> None:
        self.search, self.outcome = search, search.outcome
        self.table, self.settings = search.table, search.settings
        self.best = with_plain_values(best, self.table).reduced
        self.masses = (self.table.weights / self.table.weights.sum())[:, None]
        self.measure = self.outcome.score(self.predicted(self.best), self.table.weights).measure

    def without(self, names: Collection[str]) -> Rule:
        """Search the other columns by the same scores."""
        features = self.search.features
        return self._by(features=features.narrowed(set(features.columns_) - set(names), ()))

    def others(self, most: int) -> Iterator[Rule]:
        """Yield the rules of fewer lines."""
        for fewer in range(1, len(self.best.branches)):
            yield self._by(settings=replace(self.settings, max_branches=fewer))

    def _by(self, **changed: Any) -> Rule:
        rule = replace(self.search, **changed).again(self.best)
        return with_plain_values(rule, self.table).reduced

    def predicted(self, rule: Rule) -> NDArray[Any]:
        """[M]: risks, or numbers without what each row adds to the mean of its own branch."""
        predicted = coded_predictions(rule, self.table)
        if not isinstance(self.outcome, Number):
            return predicted
        weights = self.table.weights
        branch = rule.decide(self.table.columns, len(self.table))
        others = np.bincount(branch, weights)[branch] - weights
        return predicted + (predicted - self.outcome.values) * weights / np.maximum(others, weights)

    def worth(self, predicted: NDArray[Any]) -> tuple[float, FloatArray, FloatArray]:
        """Return R² or concordance, and [M, 1] and [M], what rows add to it."""
        score, influence = self.outcome.influences(predicted, self.table.weights)
        added = influence / self.masses[:, 0]
        return score, added[:, None], added


class _Ranking:
    """The rules of a search, judged against its best one."""

    def __init__(
        self, rules: _ClassRules | _SegmentRules, within: float, most: int, floors: Floors | None = None
    ) -> None:
        self.rules, self.best, self.within, self.most, self.floors = rules, rules.best, within, most, floors
        self.predicted, self.measure = rules.predicted(self.best), rules.measure
        score, self.worth, self.by_labels = rules.worth(self.predicted)
        self.score = round(score, 9)

    def alternatives(self) -> Alternatives:
        """Find all rules, and keep the good ones and those that show the worth of a column or a line."""
        best, columns, chained = self._judged(self.best), [], []
        for name in self.best.columns:
            if name not in self.rules.settings.require:
                worth, chain = self._worth(name)
                columns.append(worth)
                chained += chain
        columns.sort(key=lambda one: (-one.without.lost(self.measure), one.column))
        others = [self._judged(rule) for rule in self.rules.others(self.most) if self._keeps_floors(rule)]
        frontier = {one.lines: one for one in (*others[::-1], best) if 0 < one.lines <= best.lines + 1}
        return Alternatives(
            self.measure,
            self.rules.basis,
            self.within,
            best,
            self._shown(best, [*(one for one in chained if self._keeps_floors(one.rule)), *others]),
            tuple(columns),
            tuple(sorted({tuple(sorted((x.column, *x.stand_ins))) for x in columns if x.stand_ins})),
            tuple(frontier[lines] for lines in sorted(frontier)),
        )

    def _worth(self, column: str) -> tuple[ColumnWorth, list[Alternative]]:
        """Do without a column, then also without the column that came in its place, and so on."""
        chain, banned = [self._judged(self.rules.without([column]))], [column]
        while chain[-1].lost(self.measure) <= self.within and len(banned) <= _STAND_INS:
            new = [name for name in chain[-1].columns if name not in self.best.columns]
            if len(new) != 1:
                break
            banned += new
            chain.append(self._judged(self.rules.without(banned)))
        return ColumnWorth(column, chain[0], tuple(banned[1:])), chain

    def _keeps_floors(self, rule: Rule) -> bool:
        """Whether a rule reaches the floors, or as much of them as the best one."""
        if not self.floors or not isinstance(self.rules, _ClassRules):
            return True
        floors = [self.floors.sensitivity, self.floors.specificity]
        least = np.minimum(floors, self.rules.reached(self.predicted))
        return bool((self.rules.reached(self.rules.predicted(rule)) >= least - 1e-9).all())

    def _judged(self, rule: Rule) -> Alternative:
        """Compare a rule with the best one; what is rounded is the same in whatever order rows come."""
        predicted = self.rules.predicted(rule)
        score, worth, by_labels = self.rules.worth(predicted)
        score = round(score, 9)
        difference = round(score - self.score, 9)
        reach = 0.0 if rule is self.best else Z * self._error(worth - self.worth, by_labels - self.by_labels)
        ends = Interval(round(difference - reach, 9), round(difference + reach, 9))
        text = self._text(rule, difference, same=bool((predicted == self.predicted).all()))
        size = len(rule.branches), rule.n_literals
        return Alternative(rule, *size, rule.columns, score, difference, ends, text)

    def _error(self, apart: FloatArray, own: FloatArray) -> float:
        """Return the standard error of a mean difference [S, classes], by row [M]; groups count as one."""
        table, expected = self.rules.table, self.rules.masses * apart
        n_rows, share = effective_rows(table.weights), table.weights / table.weights.sum()
        variance = max(float((expected * apart).sum()) - float(expected.sum()) ** 2, 0.0) / n_rows
        variance += _MORE_ROWS / n_rows**2
        moves = share * (own - share @ own)
        alone = float(moves @ moves)
        if table.groups is not None and alone > 0:
            together = np.bincount(table.groups.codes, moves)
            variance *= max(1.0, float(together @ together) / alone)
        return math.sqrt(self.rules.wider * variance)

    def _shown(self, best: Alternative, candidates: Iterable[Alternative]) -> tuple[Alternative, ...]:
        """Choose the best of those that differ in columns or lines, and put short ones first."""

        def keys(one: Alternative) -> set[tuple[frozenset[str], Any]]:
            """Return what no two rules share: columns with lines, and with the rows that they decide."""
            columns = frozenset(one.columns)
            return {(columns, one.lines), (columns, self.rules.predicted(one.rule).tobytes())}

        size = attrgetter("lines", "literals", "columns")
        kept: list[Alternative] = []
        taken = keys(best)
        wanted = [one for one in candidates if self._is_wanted(one)]
        for one in sorted(wanted, key=lambda one: (one.lost(self.measure), size(one))):
            if len(kept) < self.most and taken.isdisjoint(keys(one)):
                taken |= keys(one)
                kept.append(one)
        return tuple(sorted(kept, key=lambda one: (size(one), one.lost(self.measure))))

    def _is_wanted(self, one: Alternative) -> bool:
        """Whether a rule is good, and better than the best, or no longer, or without one of its columns."""
        shorter = one.lines <= len(self.best.branches) or not set(one.columns) >= set(self.best.columns)
        lost = one.lost(self.measure)
        return one.lines > 0 and lost <= self.within and (shorter or lost < 0)

    def _text(self, rule: Rule, difference: float, *, same: bool) -> str:
        """Say what sets a rule apart from the best one."""
        if rule is self.best:
            return "the rule chosen to meet the floor" if self.floors else "the best rule"
        gone = _named([name for name in self.best.columns if name not in rule.columns])
        new = _named([name for name in rule.columns if name not in self.best.columns])
        lines, usual = len(rule.branches), len(self.best.branches)
        if not lines:
            change = "no rule, one answer for all rows"
        elif gone and new:
            change = f"{new} in the place of {gone}"
        elif gone:
            change = f"without {gone}"
        elif new:
            change = f"with {new}"
        else:
            change = "other conditions on the same columns" if lines == usual else ""
        length = ""
        if lines not in (0, usual):
            length = f"{_number(lines)} {'line' if lines == 1 else 'lines'} instead of {_number(usual)}"
        amount = "the same on every row" if same else self._amount(difference)
        return ", ".join(text for text in (change, length, amount) if text)

    def _amount(self, difference: float) -> str:
        """Say how much better or worse a rule is."""
        if abs(difference) < _LEAST_SHOWN:
            return "as good"
        if self.measure == "cost":
            return f"{abs(difference):.3f} a row {'dearer' if difference > 0 else 'cheaper'}"
        return f"{abs(difference) * 100:.1f} points {'more' if difference > 0 else 'less'}"


def _named(columns: list[str]) -> str:
    """List columns; of more than three the first two and how many more."""
    n_shown = len(columns) if len(columns) <= 3 else 2
    more = [f"{len(columns) - n_shown} more"] if n_shown < len(columns) else []
    return ", ".join([*(f"`{name}`" for name in columns[:n_shown]), *more])


def _number(count: int) -> str:
    numerals = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    return numerals[count] if count < len(numerals) else str(count)


def _pool_without(pool: CandidatePool, banned: BoolArray, literals: BoolArray) -> CandidatePool:
    """Return the candidates without some literals [2N]; others that hold on the same rows replace these."""
    rows = [one.tobytes() for one in np.ascontiguousarray(literals.T)]
    free = {rows[j]: j for j in np.flatnonzero(~banned)[::-1].tolist()}
    swap = np.array([free.get(rows[j], j) if banned[j] else j for j in range(len(rows))] + [len(rows)])
    index = np.sort(swap[pool.index], axis=1)
    return replace(pool, index=index).take(np.flatnonzero(~np.append(banned, False)[index].any(axis=1)))


def _small_costs(pricing: Pricing) -> dict[Indices, float]:
    """Return the cheapest rules of one clause and of two, with their costs.

    Every candidate is looked at, and every pair of those that gain most.
    """
    limit, places = pricing.limits.max_clauses, shortlisted(pricing.pool, pricing.task, _PAIRED)
    costs = best_moves(pricing, [()], limit, _SMALL)
    if limit > 1:
        truth, bits = pricing.pool.truth[places].astype(np.float64), pricing.bits[places]
        gains, both = truth @ pricing.gain, (truth * pricing.gain) @ truth.T
        first, second = np.triu_indices(len(places), k=1)
        errors = np.maximum(0.0, pricing.nothing - (gains[first] + gains[second] - both[first, second]))
        cost = np.round(pricing.objective.cost(errors, bits[first] + bits[second], pricing.total), 7)
        for i in np.argsort(cost, kind="stable")[:_SMALL].tolist():
            costs[int(places[first[i]]), int(places[second[i]])] = float(cost[i])
    return costs


def _differing(
    costs: Mapping[Indices, float], pool: CandidatePool, columns: IntArray, most: int, total: int
) -> list[Indices]:
    """Return the cheapest rule of each set of columns and number of clauses, so many of a number and in all.

    A rule is skipped if a cheaper one has as few clauses and no other columns, but each number has its best.
    """
    of_literal = np.tile(columns, 2).tolist()
    used = sorted({i for rule in costs for i in rule})
    read = {
        i: {of_literal[j] for j in members(clause)} for i, clause in zip(used, pool.rule(used), strict=True)
    }
    kept: dict[Indices, set[int]] = {}
    room = Counter[int]()
    for rule in sorted(costs, key=lambda rule: (round(costs[rule], 7), rule)):
        names: set[int] = set().union(*(read[i] for i in rule))
        new = not any(own <= names and len(one) <= len(rule) for one, own in kept.items())
        if not room[len(rule)] or (new and room[len(rule)] < most and len(kept) < total):
            room[len(rule)] += 1
            kept[rule] = names
    return list(kept)
