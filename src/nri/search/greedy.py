"""The greedy model: an episode in, rules for its classes out, by counts and search alone."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nri.arrays import FloatArray
from nri.episode import Episode
from nri.rule.decide import estimated_precision
from nri.search.candidates import CandidatePool, build_pool, clause_truth, precise
from nri.search.clauses import AnyClause, stacked
from nri.search.counts import propose_counts
from nri.search.joint import JointSelection, polish
from nri.search.limits import Limits
from nri.search.local import rooms
from nri.search.objective import DescriptionLength, ExpectedError, Objective
from nri.search.propose import Proposer, SymbolicProposer, baseline_clauses, baseline_errors, with_required
from nri.search.result import Induced, decide
from nri.search.rows import OneVsRest, SearchRows, search_rows
from nri.search.select import Selection, Selector, select, shortlist, shortlisted

MAX_CANDIDATES = 4000
"""About how many candidates a rule is chosen from; more gain next to nothing."""
JOINT_CANDIDATES = 400
"""About how many candidates of each class take part in the joint polish."""
JOINT_LITERALS = 200
"""Single literals of each class that do so whatever they gain, those first that tell most about the class."""

Rules = tuple[tuple[AnyClause, ...], ...]


def induce(
    episode: Episode,
    *,
    rng: np.random.Generator,
    propose: Proposer | None = None,
    limits: Limits | None = None,
    objective: Objective | None = None,
    positive: int | None = None,
    posterior: FloatArray | None = None,
    choose: Selector = select,
) -> Induced:
    """Find the rules that describe the classes of an episode best.

    Two classes get one rule: for ``positive``, or for the class whose rule costs less. More classes
    get a rule each, first alone against the rest, then polished together.

    Parameters
    ----------
    episode
        Table, labels and weights.
    rng
        Source of the proposer's samples.
    propose
        Where candidates come from; the symbolic proposer by default.
    limits
        Bounds on the rules.
    objective
        What a rule costs; by default description length for labels and expected error for a posterior.
    positive
        For two classes, the class the rule must speak about; more classes have a rule each anyway.
    posterior
        [M, n_classes] probabilities that take the place of the labels.
    choose
        How a rule is chosen from candidates: the local search, or :func:`nri.search.exact.select_exact`.
    """
    propose = propose or SymbolicProposer()
    limits = limits or Limits()
    if objective is None:
        objective = DescriptionLength() if posterior is None else ExpectedError()
    real = search_rows(episode, posterior)
    evidence = real.staked(episode.costs)
    if evidence.n_classes == 2:
        targets = (1, 0) if positive is None else (positive,)
        found = _induce_two(evidence, targets, propose, limits, objective, choose, rng)
    else:
        found = _induce_many(evidence, propose, limits, objective, choose, rng)
    if evidence is real:
        return found
    return described(real, found.rules, found.default, found.cost)


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


def _induce_two(
    evidence: SearchRows,
    targets: Sequence[int],
    propose: Proposer,
    limits: Limits,
    objective: Objective,
    choose: Selector,
    rng: np.random.Generator,
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
    selections = {
        target: choose(pools[target], task, objective, limits, max_errors=baseline_errors(task, limits))
        for target, task in tasks.items()
    }
    bound = min(baseline_errors(tasks[target], limits) for target in targets)
    target = min(targets, key=lambda t: _key(selections[t], bound))
    selection = selections[target]
    rules: list[tuple[AnyClause, ...]] = [(), ()]
    rules[target] = selection.clauses
    mass = evidence.masses.sum(axis=0)
    default = 1 - target if selection.clauses else int(np.argmax(mass))
    return described(evidence, tuple(rules), default, selection.cost)


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
) -> Induced:
    """One rule for each class alone, then all of them together."""
    tasks = [evidence.task(target) for target in range(evidence.n_classes)]
    draws = rng.spawn(len(tasks))
    pools = [
        candidates_for(task, propose, limits, objective, own) for task, own in zip(tasks, draws, strict=True)
    ]
    found = [
        _polished(evidence, tasks, pools, limits, objective, choose, room)
        for room in rooms(limits.max_clauses)
    ]
    chosen = min(found, key=lambda one: (one.excess, round(one.cost, 7)))
    return described(evidence, chosen.rules, chosen.default, chosen.cost)


def _polished(
    evidence: SearchRows,
    tasks: list[OneVsRest],
    pools: list[CandidatePool],
    limits: Limits,
    objective: Objective,
    choose: Selector,
    room: int,
) -> JointSelection:
    """Choose a rule for each class with room for so many clauses, and polish them within the limits."""
    roomy = replace(limits, max_clauses=room)
    alone = tuple(
        choose(pool, task, objective, roomy).clauses for pool, task in zip(pools, tasks, strict=True)
    )
    best_literal, bound = _best_literal(pools, evidence)
    pools = [
        _for_polish(pool, task, rule + other)
        for pool, task, rule, other in zip(pools, tasks, alone, best_literal[0], strict=True)
    ]
    majority = int(np.argmax(evidence.masses.sum(axis=0)))
    starts = [(alone, majority), best_literal]
    for default in range(evidence.n_classes):
        starts.append((tuple(() if c == default else rule for c, rule in enumerate(alone)), default))
    return polish(pools, starts, evidence, objective, limits, bound, room)


def _for_polish(pool: CandidatePool, task: OneVsRest, chosen: tuple[AnyClause, ...]) -> CandidatePool:
    """Return the candidates that gain most, the most telling single literals, and these clauses."""
    gaining = shortlisted(pool, task, JOINT_CANDIDATES, simple=False)
    literals = np.flatnonzero(pool.lengths <= 1)
    sides = [mass / max(mass.sum(), 1e-12) for mass in (task.positive, task.negative)]
    inside, outside = np.stack(sides) @ pool.truth[literals].T
    telling = literals[np.argsort(outside - inside, kind="stable")[:JOINT_LITERALS]]
    return pool.take(sorted({*gaining.tolist(), *telling.tolist(), *pool.positions(chosen)}))


def _best_literal(pools: list[CandidatePool], evidence: SearchRows) -> tuple[tuple[Rules, int], float]:
    """Return the best "if literal then this class else that one", and its errors; or the majority class."""
    masses = evidence.masses
    everything = masses.sum(axis=0)
    default = int(np.argmax(everything))
    nothing: Rules = ((),) * evidence.n_classes
    best, right = (nothing, default), float(everything[default])
    for c, pool in enumerate(pools):
        short = np.flatnonzero(pool.lengths <= 1)
        inside = pool.truth[short] @ masses
        outside = everything - inside
        total = inside[:, c] + outside.max(axis=1)
        i = int(np.argmax(total)) if len(short) else -1
        if i >= 0 and total[i] > right:
            rule = pool.rule([short[i]])
            best = ((*nothing[:c], rule, *nothing[c + 1 :]), int(np.argmax(outside[i])))
            right = float(total[i])
    return best, max(0.0, evidence.total - right)


def described(evidence: SearchRows, rules: Rules, default: int, cost: float) -> Induced:
    """Count what each clause of rules found elsewhere, and the default, cover."""
    masses = evidence.masses
    truths = [clause_truth(evidence.literals, rule) for rule in rules]
    counts = tuple(truth @ masses for truth in truths)
    uncovered = ~np.concatenate(truths).any(axis=0)
    default_counts = masses[uncovered].sum(axis=0)
    prior = masses.sum(axis=0) / evidence.total
    precisions = [
        estimated_precision(count[:, c], count.sum(axis=1), float(prior[c])) for c, count in enumerate(counts)
    ]
    decided = decide(truths, precisions, default)
    right = float(masses[np.arange(len(decided)), decided].sum())
    return Induced(rules, counts, default, default_counts, prior, max(0.0, evidence.total - right), cost)
