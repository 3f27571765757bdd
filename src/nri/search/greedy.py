"""The greedy model: an episode in, rules for its classes out, by counts and search alone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.episode import Episode
from nri.rule.truth import first_to_fire
from nri.search.candidates import CandidatePool, build_pool, clause_truth
from nri.search.clauses import AnyClause, members, stacked
from nri.search.counts import propose_counts
from nri.search.limits import Limits
from nri.search.lists import DecisionList, ListSearch, list_candidates
from nri.search.objective import DescriptionLength, ExpectedError, Objective
from nri.search.propose import Proposer, SymbolicProposer, baseline_clauses, baseline_errors, with_required
from nri.search.result import Branch, Induced, PricedRules
from nri.search.rows import OneVsRest, SearchRows, search_rows
from nri.search.select import Selection, near_costs, select, shortlist, small_costs

MAX_CANDIDATES = 4000
"""About how many candidates a rule is chosen from; more gain next to nothing."""
LIST_CELLS = 40_000
"""About how many chances of a class on a row a list is searched by: of more rows some are taken."""


def induce(
    episode: Episode,
    *,
    rng: np.random.Generator,
    propose: Proposer | None = None,
    limits: Limits | None = None,
    objective: Objective | None = None,
    positive: int | None = None,
    posterior: FloatArray | None = None,
    groups: IntArray | None = None,
    near: bool = False,
    prices: FloatArray | None = None,
    against_price: float = 1.0,
) -> Induced:
    """Find the rules that describe the classes of an episode best.

    Two classes get one rule: for ``positive``, or for the class whose rule costs less. More classes
    get an ordered list of clauses.
    """
    limits, n_variables = limits or Limits(), episode.n_variables
    if groups is not None:
        limits = replace(limits, columns=groups[:n_variables])
    if prices is None:
        prices = np.ones(2 * n_variables) if groups is None else number_prices(groups, n_variables)
    objective = objective or (DescriptionLength() if posterior is None else ExpectedError())
    real = search_rows(episode, posterior)
    evidence = real.cost_weighted(episode.costs)
    search = _Search(evidence, propose or SymbolicProposer(), limits, objective, prices, near)
    if evidence.n_classes == 2:
        induced = search.two((1, 0) if positive is None else (positive,), against_price, rng)
    else:
        induced = search.many(rng)
    if evidence is real:
        return induced
    on_real = described(real, induced.branches, induced.default, induced.cost)
    return replace(on_real, priced=induced.priced, choices=induced.choices)


def candidates_for(
    task: OneVsRest, propose: Proposer, limits: Limits, objective: Objective, rng: np.random.Generator
) -> CandidatePool:
    """Return one pool: what the proposer suggests, ALWAYS, the single literals, and counting clauses."""
    proposed = [baseline_clauses(task, limits), propose(task, limits, rng)]
    clauses = with_required(stacked(proposed, 2 * task.n_variables), task, limits)
    masses = task.positive, task.weights, limits.min_precision
    pool = shortlist(build_pool(task.literals, clauses, limits).precise(*masses), task, MAX_CANDIDATES)
    if limits.counts == "never":
        return pool
    if limits.counts == "only":
        pool = pool.take(np.flatnonzero(pool.lengths <= 1))
    return pool.with_counts(propose_counts(task, limits, objective), task.literals).precise(*masses)


AGAINST = -0.1
"""Correlation with the class below which a literal goes against it."""
NUMBER_PRICE = 1.4
"""How many times its bits a literal about a number costs: labels have chosen its cut among many."""


def number_prices(groups: IntArray, n_variables: int) -> FloatArray:
    """[2N], how many times its bits each literal costs by labels."""
    of_number = np.isin(groups[:n_variables], groups[n_variables:])
    return np.tile(np.where(of_number, NUMBER_PRICE, 1.0), 2)


def against_class(task: OneVsRest) -> BoolArray:
    """[2N], literals that hold on fewer rows of the class than of others.

    A condition that contradicts what its column says on its own is mostly luck, and no reader believes it.
    """
    truth = task.literals.astype(np.float64)
    share = (task.weights @ truth) / task.total
    aim = task.gain - task.weights * (task.gain.sum() / task.total)
    spread = np.sqrt(np.maximum(share * (1 - share), 1e-12) * task.total)
    size = np.sqrt(max(float((aim**2 / np.maximum(task.weights, 1e-12)).sum()), 1e-12))
    return np.asarray((aim @ truth) / (spread * size) < AGAINST)


@dataclass(frozen=True, eq=False)
class _Search:
    """What stays the same for all classes of an episode."""

    evidence: SearchRows
    propose: Proposer
    limits: Limits
    objective: Objective
    prices: FloatArray
    """[2N], how many times its bits each literal costs"""
    near: bool
    """whether rules near the best one are wanted"""

    def two(self, targets: Sequence[int], against_price: float, rng: np.random.Generator) -> Induced:
        """Find one rule for one of two classes; the other class is what remains.

        Both classes are looked at even where one is named, each by draws of its own: naming the class that
        would be chosen anyway changes nothing.
        """
        tasks = [self.evidence.task(target) for target in (0, 1)]
        bounds = [baseline_errors(task, self.limits) for task in tasks]
        draws = rng.spawn(2)[::-1]
        selections = []
        for task, most_errors, own in zip(tasks, bounds, draws, strict=True):
            pool = candidates_for(task, self.propose, self.limits, self.objective, own)
            pool = pool.priced(np.where(against_class(task), against_price, 1.0) * self.prices)
            selections.append(select(pool, task, self.objective, self.limits, max_errors=most_errors))
        bound = min(bounds[target] for target in targets)
        target = min(targets, key=lambda t: _key(selections[t], bound))
        induced = self.about(target, selections[target].clauses, selections[target].cost, selections)
        return replace(induced, choices=TwoClassChoices(self, tasks, selections, targets, target))

    def about(
        self, target: int, clauses: tuple[AnyClause, ...], cost: float, selections: Sequence[Selection] = ()
    ) -> Induced:
        """Return the rule that has clauses for one of two classes."""
        branches = tuple((target, clause) for clause in clauses)
        default = 1 - target if branches else int(np.argmax(self.evidence.masses.sum(axis=0)))
        return self._described(branches, default, cost, selections)

    def many(self, rng: np.random.Generator) -> Induced:
        """Find candidates of each class against the rest, then one ordered list of them."""
        n_classes = self.evidence.n_classes
        evidence = self.evidence.thinned(max(1000, LIST_CELLS // n_classes))
        tasks = [evidence.task(target) for target in range(n_classes)]
        pools = [
            candidates_for(task, self.propose, self.limits, self.objective, own)
            for task, own in zip(tasks, rng.spawn(n_classes), strict=True)
        ]
        selections = []
        if self.near:
            pairs = zip(pools, tasks, strict=True)
            selections = [select(pool, task, self.objective, self.limits) for pool, task in pairs]
        pool = list_candidates(pools, tasks).priced(self.prices)
        lists = ListSearch(pool, evidence, self.objective, self.limits)
        best = lists.best()
        return replace(self.listed(pool, best, selections), choices=ListChoices(self, lists, best))

    def listed(
        self, pool: CandidatePool, found: DecisionList, selections: Sequence[Selection] = ()
    ) -> Induced:
        """Return a list of candidates as a rule."""
        branches = tuple(zip(found.classes, pool.rule(found.order), strict=True))
        return self._described(branches, found.default, found.cost, selections)

    def _described(
        self, branches: tuple[Branch, ...], default: int, cost: float, selections: Sequence[Selection]
    ) -> Induced:
        priced: tuple[PricedRules, ...] = tuple(one.near() for one in selections) if self.near else ()
        return replace(described(self.evidence, branches, default, cost), priced=priced)


@dataclass(frozen=True, eq=False)
class TwoClassChoices:
    """The candidates of both of two classes; see :class:`nri.search.result.Choices`."""

    search: _Search
    tasks: Sequence[OneVsRest]
    selections: Sequence[Selection]
    targets: Sequence[int]
    target: int
    """The class that the rule is about"""

    def without(self, banned: BoolArray) -> Induced:
        """Select from the candidates that are left, for either class."""
        found = {}
        for target in self.targets:
            pool, task = self.selections[target].pricing.pool, self.tasks[target]
            rest, _ = pool_without(pool, banned, task.literals)
            found[target] = select(rest, task, self.search.objective, self.search.limits, rough=500)
        bound = min(one.pricing.wall for one in found.values())
        target = min(found, key=lambda t: _key(found[t], bound))
        return self.search.about(target, found[target].clauses, found[target].cost)

    def others(self, columns: IntArray, most: int) -> list[Induced]:
        """Take rules of one and two clauses, and what is near the best ones."""
        pricing, limit = self.selections[self.target].pricing, self.search.limits.max_clauses
        costs = small_costs(pricing, self.tasks[self.target], limit, OTHERS)
        costs.update(near_costs(pricing, limit))
        return [
            self.search.about(self.target, pricing.pool.rule(rule), costs[rule])
            for rule in differing(costs, pricing.pool, columns, most, OTHERS)
        ]


@dataclass(frozen=True, eq=False)
class ListChoices:
    """The candidates of a list for several classes; see :class:`nri.search.result.Choices`."""

    search: _Search
    lists: ListSearch
    best: DecisionList

    def without(self, banned: BoolArray) -> Induced:
        """Search the candidates that are left, from what is left of the list and from nothing."""
        lists = self.lists
        rest, kept = pool_without(lists.pool, banned, lists.evidence.literals)
        place = {old: new for new, old in enumerate(kept.tolist())}
        start = tuple(place[i] for i in self.best.order if i in place)
        found = ListSearch(rest, lists.evidence, lists.objective, lists.limits).from_starts([start, ()])
        return self.search.listed(rest, found)

    def others(self, columns: IntArray, most: int) -> list[Induced]:
        """Take the lists that the search has seen."""
        seen = self.lists.seen
        return [
            self.search.listed(self.lists.pool, self.lists.described(order))
            for order in differing(seen, self.lists.pool, columns, most, most)  # cuts of long lists take long
        ]


OTHERS = 2000
"""Rules of each size that others are chosen among."""


def pool_without(
    pool: CandidatePool, banned: BoolArray, literals: BoolArray
) -> tuple[CandidatePool, IntArray]:
    """Return the candidates that do without some literals [2N], and where they stood.

    A pool has one clause of all that fire on the same rows: a literal that holds on the same rows
    [M, 2N] as a banned one takes its place.
    """
    rows = [one.tobytes() for one in np.ascontiguousarray(literals.T)]
    free = {rows[j]: j for j in np.flatnonzero(~banned)[::-1].tolist()}
    swap = np.array([free.get(rows[j], j) if banned[j] else j for j in range(len(rows))] + [len(rows)])
    index = np.sort(swap[pool.index], axis=1)
    kept = np.flatnonzero(~np.append(banned, False)[index].any(axis=1))
    return replace(pool, index=index).take(kept), kept


def differing(
    costs: Mapping[tuple[int, ...], float], pool: CandidatePool, columns: IntArray, most: int, total: int
) -> list[tuple[int, ...]]:
    """Return the cheapest rule of each set of columns and number of clauses, so many of a number and in all.

    A rule that is dearer than one of no more clauses and of no other columns says nothing new, unless it is
    the cheapest of its number of clauses.
    """
    of_literal = [1 << column for column in np.tile(columns, 2).tolist()]
    masks = {
        i: reduce(or_, (of_literal[j] for j in members(clause)), 0)
        for used in [sorted({i for rule in costs for i in rule})]
        for i, clause in zip(used, pool.rule(used), strict=True)
    }
    kept: list[tuple[int, int]] = []
    rules: list[tuple[int, ...]] = []
    room = Counter[int]()
    for rule in sorted(costs, key=lambda rule: (round(costs[rule], 7), rule)):
        mask, size = reduce(or_, (masks[i] for i in rule), 0), len(rule)
        new = not any(one & ~mask == 0 and less <= size for one, less in kept)
        if not room[size] or (new and room[size] < most and len(rules) < total):
            room[size] += 1
            kept.append((mask, size))
            rules.append(rule)
    return rules


def _key(selection: Selection, bound: float) -> tuple[float, float]:
    """Order of two selections: first those within the bound on errors, then by cost."""
    return (max(0.0, round(selection.errors - bound, 7)), round(selection.cost, 7))


def described(evidence: SearchRows, branches: tuple[Branch, ...], default: int, cost: float) -> Induced:
    """Return a rule with the errors that it makes."""
    truth = clause_truth(evidence.literals, [clause for _, clause in branches])
    decided = np.array([*(c for c, _ in branches), default], dtype=np.int64)[first_to_fire(truth.T)]
    right = float(evidence.masses[np.arange(len(decided)), decided].sum())
    return Induced(evidence.n_classes, branches, default, max(0.0, evidence.total - right), cost)
