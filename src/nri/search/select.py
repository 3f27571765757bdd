"""Select: choose the best small set of candidates for one class.

A local search over sets: what rules cost, the rules one move away, and the way down. Many rules are priced at
a time, by matrix products over the rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.search.candidates import CandidatePool
from nri.search.clauses import AnyClause
from nri.search.limits import Limits
from nri.search.objective import Objective
from nri.search.result import PricedRules
from nri.search.rows import ERROR_WEIGHTS, OneVsRest

Indices = tuple[int, ...]  # Chosen candidates, as rising positions in a pool.


class Pricing:
    """Errors, bits and cost of sets of candidates.

    Sums over moves are of single precision, those over rules of double precision.
    """

    def __init__(self, pool: CandidatePool, task: OneVsRest, objective: Objective, limits: Limits) -> None:
        self.pool, self.task, self.objective, self.limits = pool, task, objective, limits
        self.gain = task.gain
        self.gain32 = self.gain.astype(np.float32)
        self.total = task.total
        self.bits = pool.bits(limits.n_priced(task.n_variables))
        # Candidates of one length and form stand together.
        self.stretches = np.flatnonzero(np.diff(self.bits, prepend=-1))
        self.stretch_ends = np.append(self.stretches[1:], len(pool))
        self.nothing = task.errors(np.zeros(task.n_rows, dtype=bool))
        simple = pool.truth[pool.lengths < 2] @ self.gain
        self.most_errors = self.nothing - max(0.0, float(simple.max(initial=0.0)))
        """errors of the best of no clause, ALWAYS and one literal: more are never worth it"""
        self.wall = self.most_errors + 1e-9 * max(1.0, self.total)
        self.known: dict[Indices, tuple[float, float]] = {}  # value and errors of all rules measured so far

    def errors_with(self, free: BoolArray) -> FloatArray:
        """[R], expected weight of the rows decided wrongly, when these [R, M] are left uncovered."""
        right = np.where(free, 0.0, self.gain).sum(axis=1)
        return np.asarray(np.maximum(0.0, self.nothing - right))

    def penalized(self, errors: FloatArray, bits: FloatArray) -> FloatArray:
        """Cost, with a wall in front of rules that are worse than they may be."""
        excess = errors - self.wall
        cost = self.objective.cost(errors, bits, self.total)
        return np.where(excess > 0, cost + 1e6 + 1e3 * excess, cost)

    def measure(self, rules: Sequence[Indices]) -> None:
        """Find value and errors of these rules in one go."""
        new = [rule for rule in dict.fromkeys(rules) if rule not in self.known]
        if new:
            free = np.array([~self.pool.truth[list(rule)].any(axis=0) for rule in new])
            errors = self.errors_with(free)
            bits = np.array([self.bits[list(rule)].sum() for rule in new])
            values = self.penalized(errors, bits)
            self.known.update(zip(new, zip(values.tolist(), errors.tolist(), strict=True), strict=True))

    def measured(self, chosen: Indices) -> tuple[float, float]:
        """Return the cost with the wall, and the expected weight of the rows that are decided wrongly."""
        if chosen not in self.known:
            self.measure([chosen])
        return self.known[chosen]

    def cost(self, chosen: Indices) -> float:
        """Return the objective's value."""
        errors, bits = np.array(self.measured(chosen)[1]), self.bits[list(chosen)].sum()
        return float(self.objective.cost(errors, bits, self.total))

    def rank(self, chosen: Indices) -> tuple[float, float, Indices]:
        """Order of preference: value, then fewer errors, then position."""
        value, errors = self.measured(chosen)
        return round(value, 7), round(errors, 7), chosen


class State(NamedTuple):
    """A rule on its way, and a candidate that it must do without."""

    chosen: Indices
    banned: int | None = None


class Moves:
    """What remains of some rules when clauses are dropped, alone and with one candidate more.

    Candidates of one length cost the same bits, so of those that stand together only the one that gains
    most needs a price.
    """

    def __init__(self, pricing: Pricing, states: Sequence[State], drops: int, max_clauses: int) -> None:
        self.pricing = pricing
        self.states = states
        self.keeps = [_keeps(len(state.chosen), drops) for state in states]
        self.starts = np.cumsum([0, *map(len, self.keeps)])
        free, bits = [], []
        for state, keeps in zip(states, self.keeps, strict=True):
            covering = pricing.pool.truth[list(state.chosen)].astype(np.float32)
            free.append(keeps.astype(np.float32) @ covering < 0.5)
            bits.append(np.where(keeps, pricing.bits[list(state.chosen)], 0.0).sum(axis=1))
        self.free: BoolArray = np.concatenate(free)  # [remains, M], rows that are left uncovered
        self.kept_bits: FloatArray = np.concatenate(bits)
        self.gains = np.where(self.free, pricing.gain32, np.float32(0.0)) @ pricing.pool.by_row
        """[remains, C], what each candidate gains on them"""
        for number, state in enumerate(states):
            if state.banned is not None:  # what gains nothing is never added
                self.gains[self._of(number), state.banned] = 0.0
        added = np.zeros((len(self.free), 1 + len(pricing.stretches)))
        added[:, 1:] = np.maximum.reduceat(self.gains, pricing.stretches, axis=1)
        errors = np.maximum(0.0, pricing.errors_with(self.free)[:, None] - added)
        added_bits = np.append(0.0, pricing.bits[pricing.stretches])
        self.values = pricing.penalized(errors, self.kept_bits[:, None] + added_bits)
        """[remains, 1 + stretches], first without any candidate, then with the best one of each stretch"""
        room = np.concatenate([keeps.sum(axis=1) < max_clauses for keeps in self.keeps])
        self.values[~room, 1:] = np.inf

    def _of(self, number: int) -> slice:
        """Where what remains of a state stands."""
        return slice(self.starts[number], self.starts[number + 1])

    def cheapest(self, most: int) -> dict[Indices, float]:
        """Return the cheapest rules one move away from the only state, with their costs."""
        pricing, (state,), (keeps,) = self.pricing, self.states, self.keeps
        errors = np.maximum(0.0, pricing.errors_with(self.free)[:, None] - self.gains)
        costs = pricing.objective.cost(errors, self.kept_bits[:, None] + pricing.bits, pricing.total)
        costs[np.isinf(self.values[:, 1:]).all(axis=1)] = np.inf  # no room for a candidate
        costs[self.gains <= 0.0] = np.inf
        flat = costs.ravel()
        first = np.argpartition(flat, most)[:most] if most < len(flat) else np.arange(len(flat))
        costs_by_rule: dict[Indices, float] = {}
        for position in first[np.isfinite(flat[first])].tolist():
            row, added = divmod(position, costs.shape[1])
            base = compress(state.chosen, keeps[row])
            costs_by_rule[tuple(sorted((*base, added)))] = float(flat[position])
        plain = pricing.objective.cost(pricing.errors_with(self.free), self.kept_bits, pricing.total)
        for row, cost in enumerate(plain.tolist()):
            costs_by_rule[tuple(compress(state.chosen, keeps[row]))] = cost
        return costs_by_rule

    def best(self, number: int) -> tuple[float, Indices]:
        """Return the best rule one move away from a state, and its value by single-precision sums."""
        values, keeps, chosen = self.values[self._of(number)], self.keeps[number], self.states[number].chosen
        if not len(values):
            return np.inf, chosen
        plain = float(values[:, 0].min())
        value, extended = self.best_extended(number)
        if value < plain:
            return value, extended
        return plain, min(tuple(compress(chosen, kept)) for kept in keeps[values[:, 0] == plain])

    def best_extended(self, number: int) -> tuple[float, Indices]:
        """Return the best rule that adds a candidate to what remains of a state, and its value."""
        values = self.values[self._of(number), 1:]
        row, stretch = divmod(int(np.argmin(values)), values.shape[1])
        start, end = int(self.pricing.stretches[stretch]), int(self.pricing.stretch_ends[stretch])
        added = start + int(np.argmax(self.gains[self.starts[number] + row, start:end]))
        base = compress(self.states[number].chosen, self.keeps[number][row])
        return float(values[row, stretch]), tuple(sorted((*base, added)))


@cache
def _keeps(n_chosen: int, drops: int) -> BoolArray:
    """[R, n_chosen], which clauses stay when none or one of them leaves, or when two do."""
    sizes = (0, 1) if drops == 1 else (drops,)
    dropped = [gone for size in sizes for gone in combinations(range(n_chosen), size)]
    keeps = np.ones((len(dropped), n_chosen), dtype=bool)
    for row, gone in zip(keeps, dropped, strict=True):
        row[list(gone)] = False
    keeps.flags.writeable = False
    return keeps


NEAR_RULES = 200  # Rules near the best one that are kept.
NEAR_CENTRES = 6  # The cheapest rules whose neighbours are priced.


def near_costs(pricing: Pricing) -> dict[Indices, float]:
    """Return what all rules measured so far and the neighbours of the best cost.

    A neighbour has at most one clause less and at most one candidate more.
    """
    max_clauses = pricing.limits.max_clauses
    pricing.measure([()])
    costs = {rule: pricing.cost(rule) for rule in pricing.known if len(rule) <= max_clauses}
    for centre in sorted(costs, key=lambda rule: (costs[rule], rule))[:NEAR_CENTRES]:
        moves = Moves(pricing, [State(centre)], 1, max_clauses)
        costs.update(moves.cheapest(NEAR_RULES))
    return costs


def weighted_gains(gain: FloatArray) -> NDArray[np.float32]:
    """[error weights, M], gain with the rows that are wrong to cover counted so many times."""
    weights = np.array(ERROR_WEIGHTS)[:, None]
    return np.where(gain < 0, weights * gain, gain).astype(np.float32)


class LocalSearch:
    """Add, drop and swap clauses until no move helps, from many rules at once."""

    def __init__(self, pricing: Pricing, max_clauses: int) -> None:
        self.pricing = pricing
        self.pool = pricing.pool
        self.most = max_clauses

    def best(self, starts: Iterable[Indices]) -> Indices:
        """Return the best rule that the starts lead to."""
        ends = self.descend([State(start) for start in starts])
        return self.kicked(min(ends, key=self.pricing.rank))

    def starts(self) -> list[Indices]:
        """Nothing, ALWAYS, the best single candidate, and greedy rules for each error weight."""
        starts: list[Indices] = [()]
        if len(self.pool):
            starts += [(i,) for i in np.flatnonzero(self.pool.lengths == 0).tolist()]
            _, single = Moves(self.pricing, [State(())], 1, self.most).best_extended(0)
            starts += [single, *self.grown()]
        return list(dict.fromkeys(starts))

    def grown(self) -> list[Indices]:
        """Add the candidate with the most weighted gain for its size until none gains, for each error weight.

        Return the cheapest prefix and the whole: a rule without errors may be cheap only when complete.
        Size is counted in bits by one half of the runs and in clauses by the other.
        """
        bits = self.pricing.bits
        gains = np.repeat(weighted_gains(self.pricing.gain), 2, axis=0)
        sizes = np.tile([bits, np.ones_like(bits)], (len(ERROR_WEIGHTS), 1))
        runs: list[list[Indices]] = [[()] for _ in gains]
        growing = np.arange(len(gains))
        for _ in range(self.most):
            scores = (gains[growing] @ self.pool.by_row) / sizes[growing]
            # Of equally good candidates the cheaper: bits only break ties here.
            best = np.argmax(scores - 1e-4 * bits, axis=1)
            gaining = scores[np.arange(len(growing)), best] > 0
            growing, best = growing[gaining], best[gaining]
            if not len(growing):
                break
            gains[growing] *= ~self.pool.truth[best]
            for run, added in zip(growing.tolist(), best.tolist(), strict=True):
                runs[run].append(tuple(sorted((*runs[run][-1], added))))
        self.pricing.measure([prefix for run in runs for prefix in run])
        return [rule for run in runs for rule in (min(run, key=self.pricing.rank), run[-1])]

    def kicked(self, best: Indices) -> Indices:
        """Take each clause away for good and descend again, as long as that finds something better."""
        rank = self.pricing.rank
        while True:
            without = [State(tuple(i for i in best if i != banned), banned) for banned in best]
            better = min([best, *self.descend(without)], key=rank)
            if rank(better)[:2] >= rank(best)[:2]:
                return best
            best = better

    def descend(self, starts: Sequence[State]) -> list[Indices]:
        """Take the best move until none helps; two clauses leave at once only when one will not do."""
        self.pricing.measure([start.chosen for start in starts])
        after: dict[State, State | None] = {}
        ahead = list(dict.fromkeys(starts))
        while ahead:
            moved = self.best_moves(ahead, 1)
            stuck = [state for state in ahead if moved[state] is None]
            moved.update(self.best_moves(stuck, 2))
            after.update(moved)
            ahead = list(dict.fromkeys(s for s in moved.values() if s is not None and s not in after))
        ends = list(starts)
        for i, state in enumerate(starts):
            while (following := after[state]) is not None:
                ends[i] = state = following
        return [end.chosen for end in ends]

    def best_moves(self, states: Sequence[State], drops: int) -> dict[State, State | None]:
        """Return the best state after dropping up to so many clauses and adding at most one, where better."""
        better: dict[State, State | None] = dict.fromkeys(states)
        if not states or not len(self.pool):
            return better
        moves = Moves(self.pricing, states, drops, self.most)
        promising = {}
        for number, state in enumerate(states):
            value, rule = moves.best(number)
            if value < self.pricing.measured(state.chosen)[0] - 1e-5:
                promising[state] = rule
        self.pricing.measure(list(promising.values()))
        for state, rule in promising.items():
            current, _ = self.pricing.measured(state.chosen)
            if self.pricing.measured(rule)[0] < current - 1e-9 * max(1.0, abs(current)):
                better[state] = State(rule, state.banned)
        return better


ROOM = 8  # Clauses that a rule may have while it is sought, whatever is allowed; doubled where more are.


def rooms(usual: int, most: int) -> list[int]:
    """Return the numbers of clauses that are searched with, whatever the limit within the last of them.

    >>> rooms(8, 2), rooms(8, 8), rooms(8, 20)
    ([8], [8], [8, 16, 32])
    """
    sizes = [usual]
    while sizes[-1] < most:
        sizes.append(2 * sizes[-1])
    return sizes


def rules_by_limit(
    pricing: Pricing, max_clauses: int, begun: Mapping[int, Indices] | None = None
) -> dict[int, Indices]:
    """Return what is found under each limit on the number of clauses that may matter.

    The search goes the same way whatever the limit: first with room for many clauses, then under each
    stricter limit from the cheapest rule seen that keeps it. So the rule that a limit leads to is among those
    of every looser limit, and allowing more clauses never costs anything.
    """
    begun = begun or {}
    pricing.measure([()])
    rules: dict[int, Indices] = {}
    done = 0
    for room in rooms(ROOM, max_clauses):
        search = LocalSearch(pricing, room)
        rules[room] = search.best([begun[room]] if room in begun else search.starts())
        for limit in range(done + 1, min(max_clauses + 1, len(rules[room]))):
            known = min((rule for rule in pricing.known if len(rule) <= limit), key=pricing.rank)
            rules[limit] = LocalSearch(pricing, limit).best([known, begun.get(limit, ())])
        done = room
    return rules


@dataclass(frozen=True)
class Selection:
    """A rule for one class, and what prices it."""

    chosen: Indices
    pricing: Pricing

    @property
    def clauses(self) -> tuple[AnyClause, ...]:
        """The rule itself."""
        return self.pricing.pool.rule(self.chosen)

    @property
    def cost(self) -> float:
        """Value of the objective."""
        return self.pricing.cost(self.chosen)

    @property
    def errors(self) -> float:
        """Expected errors on the rows it was chosen by."""
        return self.pricing.measured(self.chosen)[1]

    def near(self) -> PricedRules:
        """Find rules that cost little more, this one first."""
        pricing, costs = self.pricing, near_costs(self.pricing)
        ranked = sorted(costs, key=lambda rule: (round(costs[rule], 7), rule))[:NEAR_RULES]
        rules = list(dict.fromkeys([self.chosen, *ranked]))
        used = sorted({i for rule in rules for i in rule})
        clauses = dict(zip(used, pricing.pool.rule(used), strict=True))
        bits = np.array([pricing.bits[list(rule)].sum() for rule in rules])
        return PricedRules(tuple(tuple(clauses[i] for i in rule) for rule in rules), bits)


def shortlist(pool: CandidatePool, task: OneVsRest, most: int) -> CandidatePool:
    """Return the pool of about ``most`` candidates, see :func:`shortlisted`."""
    return pool if len(pool) <= most else pool.take(shortlisted(pool, task, most))


def shortlisted(pool: CandidatePool, task: OneVsRest, most: int, *, simple: bool = True) -> IntArray:
    """Return where about ``most`` candidates stand that gain most under one of the error weights.

    ALWAYS and the single literals are among them in any case if ``simple``.
    """
    if len(pool) <= most:
        return np.arange(len(pool))
    weighted = weighted_gains(task.gain)
    kept = (pool.lengths <= 1) & simple
    for gain in pool.sums(weighted):
        kept |= _highest(gain, most // len(weighted))
    return np.flatnonzero(kept)


def _highest(gain: NDArray[np.float32], number: int) -> BoolArray:
    """Mark so many of the highest gains, of equal ones the first; faster than sorting them all."""
    least = np.partition(gain, len(gain) - number)[len(gain) - number] if number else np.inf
    marked = gain > least
    marked[np.flatnonzero(gain == least)[: number - int(marked.sum())]] = True
    return marked


def select(
    pool: CandidatePool, task: OneVsRest, objective: Objective, limits: Limits, rough: int = 1000
) -> Selection:
    """Return a set of candidates within the limits that no single move improves.

    Of a large pool the ``rough`` best candidates are searched first.
    """
    pricing = Pricing(pool, task, objective, limits)
    begun: dict[int, Indices] = {}
    if len(pool) > rough:
        kept = shortlisted(pool, task, rough)
        short = Pricing(pool.take(kept), task, objective, limits)
        roughly = rules_by_limit(short, limits.max_clauses)
        begun = {limit: tuple(kept[list(rule)].tolist()) for limit, rule in roughly.items()}
    rules = rules_by_limit(pricing, limits.max_clauses, begun).values()
    best = min((rule for rule in rules if len(rule) <= limits.max_clauses), key=pricing.rank)
    return Selection(best, pricing)
