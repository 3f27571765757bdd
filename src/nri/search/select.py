"""Select: choose the best small set of candidates for one class.

A local search over sets; many rules are priced at a time, by matrix products over the rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.search.candidates import CandidatePool, unpack_rows
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
        self.nothing = task.errors(np.zeros(task.n_rows, dtype=bool))
        simple = pool.truth[pool.lengths < 2] @ self.gain
        self.most_errors = self.nothing - max(0.0, float(simple.max(initial=0.0)))
        """errors of the best of no clause, ALWAYS and one literal: more are never worth it"""
        self.error_bound = self.most_errors + 1e-9 * max(1.0, self.total)
        self.known: dict[Indices, tuple[float, float]] = {}  # value and errors of all rules measured so far
        self.looked_at: dict[Indices, Additions] = {}

    def covered(self, rules: Sequence[Indices]) -> BoolArray:
        """[R, M], rows on which some clause of each rule fires."""
        words = [np.bitwise_or.reduce(self.pool.words[list(rule)], axis=0) for rule in rules]
        return unpack_rows(np.array(words), self.task.n_rows)

    def errors(self, covered: BoolArray) -> FloatArray:
        """[R], expected weight of the rows decided wrongly, when these [R, M] are covered."""
        return np.asarray(np.maximum(0.0, self.nothing - covered @ self.gain))

    def gains(self, covered: BoolArray) -> NDArray[np.float32]:
        """[R, C], what each candidate gains beside rules that cover these rows [R, M]."""
        return self.pool.weighed(~covered * self.gain32)

    def penalized(self, errors: FloatArray, bits: FloatArray) -> FloatArray:
        """Return the cost, with a penalty for rules that err more than they may."""
        excess = errors - self.error_bound
        cost = self.objective.cost(errors, bits, self.total)
        return np.where(excess > 0, cost + 1e6 + 1e3 * excess, cost)

    def measure(self, rules: Sequence[Indices]) -> None:
        """Find value and errors of these rules in one go."""
        new = [rule for rule in dict.fromkeys(rules) if rule not in self.known]
        if new:
            errors = self.errors(self.covered(new))
            bits = np.array([self.bits[list(rule)].sum() for rule in new])
            values = self.penalized(errors, bits)
            self.known.update(zip(new, zip(values.tolist(), errors.tolist(), strict=True), strict=True))

    def measured(self, chosen: Indices) -> tuple[float, float]:
        """Return the cost with the penalty, and the expected weight of the rows that are decided wrongly."""
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

    def additions(self, rules: Sequence[Indices]) -> list["Additions"]:
        """Return which candidates gain most beside these rules: found once, many rules at a time."""
        new = [rule for rule in dict.fromkeys(rules) if rule not in self.looked_at]
        if new:
            covered = self.covered(new)
            gains, errors = self.gains(covered), self.errors(covered).tolist()
            bits = [float(self.bits[list(rule)].sum()) for rule in new]
            most, added = self._leaders(gains)
            np.put_along_axis(gains, added, 0.0, axis=1)  # what gains nothing is never added
            second, after = self._leaders(gains)
            pairs = np.stack([most, second], axis=1), np.stack([added, after], axis=1)
            self.looked_at.update(zip(new, map(Additions, errors, bits, *pairs), strict=True))
        return [self.looked_at[rule] for rule in rules]

    def _leaders(self, gains: NDArray[np.float32]) -> tuple[NDArray[np.float32], IntArray]:
        """[R, stretches] each: the highest gain of each stretch, and the first candidate that has it."""
        most = np.maximum.reduceat(gains, self.stretches, axis=1)
        leads = gains == np.repeat(most, np.diff(self.stretches, append=len(self.pool)), axis=1)
        places = np.where(leads, np.arange(len(self.pool)), len(self.pool))
        return most, np.minimum.reduceat(places, self.stretches, axis=1)


class Additions(NamedTuple):
    """A rule, and the two candidates of each stretch that gain most beside it."""

    errors: float  # of the rule itself
    bits: float
    gains: NDArray[np.float32]  # [2, stretches]
    added: IntArray  # [2, stretches], the candidates


class State(NamedTuple):
    """A rule on its way, and a candidate that it must do without."""

    chosen: Indices
    banned: int | None = None


class Moves:
    """What remains of some rules when clauses are dropped, alone and with one candidate more.

    Of neighbouring candidates that cost the same bits only the one that gains most is priced.
    """

    def __init__(self, pricing: Pricing, states: Sequence[State], drops: int, max_clauses: int) -> None:
        self.pricing = pricing
        remains = [_remains(state.chosen, drops) for state in states]
        self.starts = np.cumsum([0, *map(len, remains)])
        self.remains = [rule for some in remains for rule in some]
        banned = [-1 if state.banned is None else state.banned for state in states]
        known = pricing.additions(self.remains)
        shape = (len(known), 2, len(pricing.stretches))
        added = np.array([one.added for one in known]).reshape(shape)
        gains = np.array([one.gains for one in known]).reshape(shape)
        is_banned = added[:, 0] == np.repeat(banned, [len(some) for some in remains])[:, None]
        self.added: IntArray = np.where(is_banned, added[:, 1], added[:, 0])
        """[remains, stretches], the candidate of each stretch that gains most"""
        gained = np.zeros((len(known), 1 + shape[2]))
        gained[:, 1:] = np.where(is_banned, gains[:, 1], gains[:, 0])
        errors, bits = np.array([(one.errors, one.bits) for one in known]).reshape(-1, 2).T
        added_bits = np.append(0.0, pricing.bits[pricing.stretches])
        errors = np.maximum(0.0, errors[:, None] - gained)
        self.values = pricing.penalized(errors, bits[:, None] + added_bits)
        """[remains, 1 + stretches], first without any candidate, then with the best one of each stretch"""
        full = np.array([len(rule) >= max_clauses for rule in self.remains], dtype=bool)
        self.values[full, 1:] = np.inf

    def best(self, number: int) -> tuple[float, Indices]:
        """Return the best rule one move away from a state, and its value by single-precision sums."""
        start, end = self.starts[number : number + 2]
        if start == end:
            return np.inf, ()
        plain = self.values[start:end, 0]
        value, extended = self.best_extended(number)
        least = float(plain.min())
        if value < least:
            return value, extended
        return least, min(self.remains[start + row] for row in np.flatnonzero(plain == least).tolist())

    def best_extended(self, number: int) -> tuple[float, Indices]:
        """Return the best rule that adds a candidate to what remains of a state, and its value."""
        start, end = self.starts[number : number + 2]
        values = self.values[start:end, 1:]
        row, stretch = divmod(int(np.argmin(values)), values.shape[1])
        rule = (*self.remains[start + row], int(self.added[start + row, stretch]))
        return float(values[row, stretch]), tuple(sorted(rule))


@cache
def _remains(chosen: Indices, drops: int) -> list[Indices]:
    """Return what stays of a rule when none or one of its clauses leaves, or when two do."""
    sizes = [size for size in ((0, 1) if drops == 1 else (drops,)) if size <= len(chosen)]
    return [rule for size in sizes for rule in [*combinations(chosen, len(chosen) - size)][::-1]]


def best_moves(
    pricing: Pricing, rules: Sequence[Indices], max_clauses: int, most: int
) -> dict[Indices, float]:
    """Return costs of the cheapest rules with at most one clause less and one candidate more than a rule."""
    remains_of = {rule: _remains(rule, 1) for rule in rules}
    remains = list(dict.fromkeys(one for some in remains_of.values() for one in some))
    covered = pricing.covered(remains)  # together, since the truth of all candidates is read for it
    gains, errors = pricing.gains(covered), pricing.errors(covered)
    bits = np.array([pricing.bits[list(one)].sum() for one in remains])
    left = np.maximum(0.0, errors[:, None] - gains)
    costs = pricing.objective.cost(left, bits[:, None] + pricing.bits, pricing.total)
    costs[[len(one) >= max_clauses for one in remains]] = np.inf
    costs[gains <= 0.0] = np.inf
    plain = pricing.objective.cost(errors, bits, pricing.total)
    costs_by_rule = dict(zip(remains, plain.tolist(), strict=True))
    places = {one: place for place, one in enumerate(remains)}
    for some in remains_of.values():
        flat = costs[[places[one] for one in some]].ravel()
        first = np.argpartition(flat, most)[:most] if most < len(flat) else np.arange(len(flat))
        for position in first[np.isfinite(flat[first])].tolist():
            row, added = divmod(position, costs.shape[1])
            costs_by_rule.setdefault(tuple(sorted((*some[row], added))), float(flat[position]))
    return costs_by_rule


NEAR_RULES = 200  # Rules near the best one that are kept.
NEAR_CENTRES = 6  # The cheapest rules whose neighbours are priced.


def near_costs(pricing: Pricing) -> dict[Indices, float]:
    """Return what all rules measured so far and the neighbours of the best cost.

    A neighbour has at most one clause less and at most one candidate more.
    """
    max_clauses = pricing.limits.max_clauses
    pricing.measure([()])
    costs = {rule: pricing.cost(rule) for rule in pricing.known if len(rule) <= max_clauses}
    centres = sorted(costs, key=lambda rule: (costs[rule], rule))[:NEAR_CENTRES]
    return costs | best_moves(pricing, centres, max_clauses, NEAR_RULES)


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
            scores = self.pool.weighed(gains[growing]) / sizes[growing]
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


USUAL = 8  # Clauses that a rule may have while it is sought, whatever is allowed; doubled where more are.


def search_limits(usual: int, most: int) -> list[int]:
    """Return the numbers of clauses that are searched with, whatever the limit within the last of them.

    >>> search_limits(8, 2), search_limits(8, 8), search_limits(8, 20)
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
    stricter limit from the cheapest rule seen that keeps it. So a looser limit never leads to a dearer rule.
    """
    begun = begun or {}
    pricing.measure([()])
    rules: dict[int, Indices] = {}
    done = 0
    for room in search_limits(USUAL, max_clauses):
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
        pricing = self.pricing
        costs = {rule: round(cost, 7) for rule, cost in near_costs(pricing).items()}
        most = sorted(costs.values())[:NEAR_RULES][-1]
        ranked = sorted((cost, rule) for rule, cost in costs.items() if cost <= most)[:NEAR_RULES]
        rules = list(dict.fromkeys([self.chosen, *(rule for _, rule in ranked)]))
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


SHORTLIST = 1000  # Candidates of a larger pool that are searched first.


def select(pool: CandidatePool, task: OneVsRest, objective: Objective, limits: Limits) -> Selection:
    """Return a set of candidates within the limits that no single move improves."""
    pricing = Pricing(pool, task, objective, limits)
    begun: dict[int, Indices] = {}
    if len(pool) > SHORTLIST:
        kept = shortlisted(pool, task, SHORTLIST)
        short = Pricing(pool.take(kept), task, objective, limits)
        of_short = rules_by_limit(short, limits.max_clauses)
        begun = {limit: tuple(kept[list(rule)].tolist()) for limit, rule in of_short.items()}
    rules = rules_by_limit(pricing, limits.max_clauses, begun).values()
    best = min((rule for rule in rules if len(rule) <= limits.max_clauses), key=pricing.rank)
    return Selection(best, pricing)
