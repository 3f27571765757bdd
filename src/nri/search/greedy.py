"""The greedy model: an episode in, rules for its classes out, by counts and search alone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.episode import Episode, literal_truth
from nri.rule.truth import first_to_fire
from nri.search.candidates import CandidatePool, build_pool, clause_truth
from nri.search.clauses import stacked
from nri.search.counts import propose_counts
from nri.search.limits import Limits
from nri.search.lists import ListSearch, list_candidates
from nri.search.objective import DescriptionLength, ExpectedError, Objective
from nri.search.propose import Proposer, SymbolicProposer, baseline_clauses, with_required
from nri.search.result import Branch, Induced
from nri.search.rows import OneVsRest, SearchRows, search_rows
from nri.search.select import Selection, select, shortlist

MAX_CANDIDATES = 4000  # About how many candidates a rule is chosen from; more gain next to nothing.
LIST_CELLS = 40_000  # About how many chances of a class on a row a list is searched by; of more, some rows.


def induce(
    episode: Episode,
    *,
    rng: np.random.Generator,
    propose: Proposer | None = None,
    limits: Limits | None = None,
    objective: Objective | None = None,
    posterior: FloatArray | None = None,
    groups: IntArray | None = None,
    near: bool = False,
    prices: FloatArray | None = None,
    against_price: float = 1.0,
) -> Induced:
    """Find the rules that describe the classes of an episode best.

    Two classes get one rule, for ``limits.positive`` or whichever costs less; more get an ordered list.
    """
    limits, n_variables = limits or Limits(), episode.n_variables
    if groups is not None:
        limits = replace(limits, columns=groups[:n_variables])
    if prices is None:
        prices = np.ones(2 * n_variables) if groups is None else number_prices(groups, n_variables)
    objective = objective or (DescriptionLength() if posterior is None else ExpectedError())
    real = search_rows(episode, posterior)
    evidence = real.priced(episode.prices)
    targets = (1, 0) if limits.positive is None else (limits.positive,)
    search = _Search(evidence, propose or SymbolicProposer(), limits, objective, prices, near, targets)
    induced = search.chosen(search.proposed(against_price, rng))
    if evidence is real:
        return induced
    return replace(induced, errors=described(real, induced.branches, induced.default, 0.0).errors)


def without_copies(limits: Limits, episode: Episode) -> Limits:
    """Return limits that allow no variable whose cells an earlier one has.

    No rule needs it, but it would crowd out others wherever a few are taken.
    """
    n_variables, mask = episode.n_variables, limits.literal_mask(episode.n_variables)
    truth = np.vstack([literal_truth(episode.values, episode.known), mask, *limits.required])
    both = np.vstack([truth[:, :n_variables], truth[:, n_variables:]])
    _, first = np.unique(np.packbits(both, axis=0), axis=1, return_index=True)
    return replace(limits, allowed=mask & np.isin(np.arange(2 * n_variables) % n_variables, first))


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


AGAINST = -0.1  # Correlation with the class below which a literal goes against it.
NUMBER_PRICE = 1.4  # Times its bits that a literal about a number costs: labels chose its cut among many.


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
    prices: FloatArray  # [2N], how many times its bits each literal costs
    near: bool  # whether rules near the best one are wanted
    targets: Sequence[int]  # of two classes those that the rule may be about

    @cached_property
    def rows(self) -> SearchRows:
        """The rows that are searched: all for two classes, not too many for a list."""
        n_classes = self.evidence.n_classes
        return self.evidence.thinned(max(1000, LIST_CELLS // n_classes)) if n_classes > 2 else self.evidence

    @cached_property
    def tasks(self) -> list[OneVsRest]:
        """Each class against the rest."""
        return [self.rows.task(target) for target in range(self.rows.n_classes)]

    def proposed(self, against_price: float, rng: np.random.Generator) -> list[CandidatePool]:
        """Find candidates of each class, each by draws of its own, whichever is named."""
        two = len(self.tasks) == 2
        draws = rng.spawn(len(self.tasks))
        pools = []
        for task, own in zip(self.tasks, draws[::-1] if two else draws, strict=True):
            pool = candidates_for(task, self.propose, self.limits, self.objective, own)
            prices = np.where(against_class(task), against_price, 1.0) * self.prices
            pools.append(pool.priced(prices) if two else pool)
        return pools

    def chosen(self, pools: Sequence[CandidatePool]) -> Induced:
        """Choose from the candidates of each class: one rule for one of two classes, or an ordered list."""
        two = len(pools) == 2
        pairs = list(zip(pools, self.tasks, strict=True)) if two or self.near else []
        selections = [select(pool, task, self.objective, self.limits) for pool, task in pairs]
        induced = self._one_rule(pools, selections) if two else self._list(pools)
        return replace(induced, priced=tuple(one.near() for one in selections) if self.near else ())

    def _one_rule(self, pools: Sequence[CandidatePool], selections: Sequence[Selection]) -> Induced:
        """Choose between two classes: first what is within the bound on errors, then by cost."""
        pricings = [one.pricing for one in selections]
        bound = min(pricings[target].most_errors for target in self.targets)

        def key(target: int) -> tuple[float, float]:
            one = selections[target]
            return max(0.0, round(one.errors - bound, 7)), round(one.cost, 7)

        target = min(self.targets, key=key)
        branches = tuple((target, clause) for clause in selections[target].clauses)
        default = 1 - target if branches else int(np.argmax(self.evidence.masses.sum(axis=0)))
        induced = described(self.evidence, branches, default, selections[target].cost)
        return replace(induced, found_by=(self, pools, pricings))

    def _list(self, pools: Sequence[CandidatePool]) -> Induced:
        """Search an ordered list of the candidates of all classes."""
        pool = list_candidates(pools, self.tasks).priced(self.prices)
        lists = ListSearch(pool, self.rows, self.objective, self.limits)
        best = lists.best()
        branches = tuple(zip(best.classes, pool.rule(best.order), strict=True))
        induced = described(self.evidence, branches, best.default, best.cost)
        return replace(induced, found_by=(self, pools, lists))


def described(evidence: SearchRows, branches: tuple[Branch, ...], default: int, cost: float) -> Induced:
    """Return a rule with the errors that it makes."""
    truth = clause_truth(evidence.literals, [clause for _, clause in branches])
    decided = np.array([*(c for c, _ in branches), default], dtype=np.int64)[first_to_fire(truth.T)]
    right = float(evidence.masses[np.arange(len(decided)), decided].sum())
    return Induced(evidence.n_classes, branches, default, max(0.0, evidence.total - right), cost)
