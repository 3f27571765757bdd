"""The greedy model: an episode in, rules for its classes out, by counts and search alone."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.episode import Episode
from nri.rule.truth import first_to_fire
from nri.search.candidates import CandidatePool, build_pool, clause_truth, joined, precise
from nri.search.clauses import stacked
from nri.search.counts import propose_counts
from nri.search.limits import Limits
from nri.search.lists import ListSearch
from nri.search.objective import DescriptionLength, ExpectedError, Objective
from nri.search.propose import Proposer, SymbolicProposer, baseline_clauses, baseline_errors, with_required
from nri.search.result import Branch, Induced, PricedRules
from nri.search.rows import OneVsRest, SearchRows, search_rows
from nri.search.select import Selection, Selector, select, shortlist, shortlisted

MAX_CANDIDATES = 4000
"""About how many candidates a rule is chosen from; more gain next to nothing."""
LIST_CANDIDATES = 2000
"""About how many candidates a list is made of, and at most a fifth of them of one class."""
LIST_CELLS = 40_000
"""About how many chances of a class on a row a list is searched by: of more rows some are taken."""
LIST_LITERALS = 800
"""Single literals that are among them whatever they gain, those of each class that are the most telling."""


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
    choose: Selector = select,
) -> Induced:
    """Find the rules that describe the classes of an episode best.

    Two classes get one rule: for ``positive``, or for the class whose rule costs less. More classes
    get an ordered list of clauses.
    """
    propose = propose or SymbolicProposer()
    limits = limits or Limits()
    if objective is None:
        objective = DescriptionLength() if posterior is None else ExpectedError()
    if groups is not None:
        limits = replace(limits, columns=groups[: episode.n_variables])
    if prices is None:
        prices = (
            np.ones(2 * episode.n_variables) if groups is None else number_prices(groups, episode.n_variables)
        )
    real = search_rows(episode, posterior)
    evidence = real.cost_weighted(episode.costs)
    if evidence.n_classes == 2:
        targets = (1, 0) if positive is None else (positive,)
        induced = _induce_two(
            evidence, targets, propose, limits, objective, choose, rng, near, prices, against_price
        )
    else:
        induced = _induce_many(evidence, propose, limits, objective, choose, rng, near, prices)
    if evidence is real:
        return induced
    return replace(described(real, induced.branches, induced.default, induced.cost), priced=induced.priced)


def candidates_for(
    task: OneVsRest, propose: Proposer, limits: Limits, objective: Objective, rng: np.random.Generator
) -> CandidatePool:
    """Return one pool: what the proposer suggests, ALWAYS, the single literals, and counting clauses."""
    proposed = [baseline_clauses(task, limits), propose(task, limits, rng)]
    clauses = stacked(proposed, 2 * task.n_variables)
    clauses = with_required(clauses, task, limits)
    pool = build_pool(task.literals, clauses, limits, positive=task.positive, weights=task.weights)
    pool = shortlist(pool, task, MAX_CANDIDATES)
    if limits.counts == "never":
        return pool
    if limits.counts == "only":
        pool = pool.take(np.flatnonzero(pool.lengths <= 1))
    counts = pool.with_counts(propose_counts(task, limits, objective), task.literals)
    if limits.min_precision <= 0.0:
        return counts
    return counts.take(np.flatnonzero(precise(counts, task.positive, task.weights, limits)))


AGAINST = -0.1
"""Correlation with the class below which a literal goes against it."""
NUMBER_PRICE = 1.4
"""How many times its bits a literal about a number costs: labels have chosen its cut among many."""


def number_prices(groups: IntArray, n_variables: int, share: float = 1.0) -> FloatArray:
    """[2N], how many times its bits each literal costs by labels, which have this share of the say."""
    of_number = np.isin(groups[:n_variables], groups[n_variables:])
    return np.tile(np.where(of_number, 1 + share * (NUMBER_PRICE - 1), 1.0), 2)


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


def _induce_two(
    evidence: SearchRows,
    targets: Sequence[int],
    propose: Proposer,
    limits: Limits,
    objective: Objective,
    choose: Selector,
    rng: np.random.Generator,
    near: bool,
    prices: FloatArray,
    against_price: float,
) -> Induced:
    """One rule for one of two classes; the other class is what remains.

    Both classes are looked at even where one is named, each by draws of its own: naming the class that would
    be chosen anyway changes nothing.
    """
    tasks = {target: evidence.task(target) for target in (1, 0)}
    draws = dict(zip((1, 0), rng.spawn(2), strict=True))
    pools = {
        target: candidates_for(task, propose, limits, objective, draws[target])
        for target, task in tasks.items()
    }
    pools = {
        target: pool.priced(np.where(against_class(tasks[target]), against_price, 1.0) * prices)
        for target, pool in pools.items()
    }
    selections = {
        target: choose(pools[target], task, objective, limits, max_errors=baseline_errors(task, limits))
        for target, task in tasks.items()
    }
    bound = min(baseline_errors(tasks[target], limits) for target in targets)
    target = min(targets, key=lambda t: _key(selections[t], bound))
    selection = selections[target]
    branches = tuple((target, clause) for clause in selection.clauses)
    mass = evidence.masses.sum(axis=0)
    default = 1 - target if selection.clauses else int(np.argmax(mass))
    priced = _near_rules([selections[target] for target in (0, 1)]) if near else ()
    return replace(described(evidence, branches, default, selection.cost), priced=priced)


def _near_rules(selections: Sequence[Selection]) -> tuple[PricedRules, ...]:
    return tuple(selection.near() for selection in selections if selection.near is not None)


def _key(selection: Selection, bound: float) -> tuple[float, float]:
    """Order of two selections: first those within the bound on errors, then by cost."""
    return (max(0.0, round(selection.errors - bound, 7)), round(selection.cost, 7))


def _induce_many(
    evidence: SearchRows,
    propose: Proposer,
    limits: Limits,
    objective: Objective,
    choose: Selector,
    rng: np.random.Generator,
    near: bool,
    prices: FloatArray,
) -> Induced:
    """Candidates of each class against the rest, then one ordered list of them."""
    whole, evidence = evidence, evidence.thinned(max(1000, LIST_CELLS // evidence.n_classes))
    tasks = [evidence.task(target) for target in range(evidence.n_classes)]
    draws = rng.spawn(len(tasks))
    pools = [
        candidates_for(task, propose, limits, objective, own) for task, own in zip(tasks, draws, strict=True)
    ]
    priced: tuple[PricedRules, ...] = ()
    if near:
        selections = [choose(pool, task, objective, limits) for pool, task in zip(pools, tasks, strict=True)]
        priced = _near_rules(selections)
    pool = joined([_for_lists(pool, task, len(tasks)) for pool, task in zip(pools, tasks, strict=True)])
    pool = pool.priced(prices)
    best = ListSearch(pool, evidence, objective, limits).best()
    branches = tuple(zip(best.classes, pool.rule(best.order), strict=True))
    return replace(described(whole, branches, best.default, best.cost), priced=priced)


def _for_lists(pool: CandidatePool, task: OneVsRest, n_classes: int) -> CandidatePool:
    """Return the candidates that gain most, and the most telling single literals."""
    gaining = shortlisted(pool, task, LIST_CANDIDATES // max(5, n_classes), simple=False)
    literals = np.flatnonzero(pool.lengths <= 1)
    sides = [mass / max(mass.sum(), 1e-12) for mass in (task.positive, task.negative)]
    inside, outside = np.stack(sides) @ pool.truth[literals].T
    telling = literals[np.argsort(outside - inside, kind="stable")[: LIST_LITERALS // max(5, n_classes)]]
    return pool.take(np.union1d(gaining, telling))


def described(evidence: SearchRows, branches: tuple[Branch, ...], default: int, cost: float) -> Induced:
    """Count what branches cover and what they decide."""
    masses = evidence.masses
    truth = clause_truth(evidence.literals, [clause for _, clause in branches])
    owner = np.array([c for c, _ in branches], dtype=np.int64)
    decided = np.append(owner, default)[first_to_fire(truth.T)]
    right = float(masses[np.arange(len(decided)), decided].sum())
    clauses = [clause for _, clause in branches]
    return Induced(
        rules=tuple(tuple(clauses[i] for i in np.flatnonzero(owner == c)) for c in range(evidence.n_classes)),
        counts=tuple(truth[owner == c] @ masses for c in range(evidence.n_classes)),
        default=default,
        default_counts=masses[~truth.any(axis=0)].sum(axis=0),
        prior=masses.sum(axis=0) / evidence.total,
        errors=max(0.0, evidence.total - right),
        cost=cost,
        branches=branches,
    )
