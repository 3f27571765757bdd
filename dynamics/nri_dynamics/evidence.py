"""Evidence: which transitions the rules explain, which contradict each other, and what was never seen."""

from collections.abc import Sequence
from math import prod

import numpy as np

from nri_dynamics.arrays import IntArray
from nri_dynamics.decision_list import DecisionList
from nri_dynamics.regulators import cells_of
from nri_dynamics.system import Contradiction, Dynamics, NeverSeen, State
from nri_dynamics.transitions import Transitions
from nri_dynamics.variables import Variable

_LISTED = 8
"""Combinations and contradictions that are listed; the rest are counted."""
_MOST_CELLS = 1 << 16
"""Combinations up to which those that were never seen are listed."""
_ENOUGH = 10
"""Transitions with a change below which one change in each proves nothing."""


def never_seen(rule: DecisionList, regulators: Sequence[Variable], seen: IntArray) -> NeverSeen:
    """Return the combinations of the regulators' values that were never seen, and the rule's values there.

    ``seen``, [M, k]: the codes of the regulators' values in each transition.
    """
    sizes = tuple(len(one.values) for one in regulators)
    total = prod(sizes)
    if not regulators:
        return NeverSeen(1, 0)
    if total > _MOST_CELLS:
        return NeverSeen(total, total - len(np.unique(seen, axis=0)))
    present = np.zeros(sizes, dtype=bool)
    present[tuple(seen.T)] = True
    missing = np.argwhere(~present)
    first = missing[:_LISTED]
    columns = {one.name: one.column(first[:, i]) for i, one in enumerate(regulators)}
    predicted = rule.predict(columns, len(first)).tolist()
    examples = tuple(
        ({one.name: one.values[int(code)] for one, code in zip(regulators, cell, strict=True)}, value)
        for cell, value in zip(first, predicted, strict=True)
    )
    return NeverSeen(total, len(missing), examples)


def contradictions(seen: Transitions) -> tuple[tuple[Contradiction, ...], int]:
    """Return states that lead to different next states, the most frequent first, and how many there are."""
    learned = seen.learned
    cells = cells_of(seen.before, range(seen.before.shape[1]))
    following, kinds = np.unique(seen.after[:, learned], axis=0, return_inverse=True)
    pairs, counts = np.unique(np.stack([cells, kinds.reshape(-1)], axis=1), axis=0, return_counts=True)
    states, first, several = np.unique(pairs[:, 0], return_index=True, return_counts=True)
    broken = np.flatnonzero(several > 1)
    weight = np.array([counts[first[i] : first[i] + several[i]].sum() for i in broken], dtype=np.int64)
    listed = []
    for i in broken[np.argsort(-weight, kind="stable")][:_LISTED]:
        row = int(np.flatnonzero(cells == states[i])[0])
        state = {
            one.name: one.values[int(c)] for one, c in zip(seen.variables, seen.before[row], strict=True)
        }
        places = sorted(range(first[i], first[i] + several[i]), key=lambda place: -counts[place])
        listed.append(
            Contradiction(state, tuple(_next(seen, following[pairs[p, 1]], int(counts[p])) for p in places))
        )
    return tuple(listed), len(broken)


def _next(seen: Transitions, codes: IntArray, count: int) -> tuple[State, int]:
    names = [seen.variables[i] for i in seen.learned]
    state = {one.name: one.values[int(c)] if c >= 0 else None for one, c in zip(names, codes, strict=True)}
    return state, count


def share_explained(system: Dynamics, seen: Transitions, *, asynchronous: bool) -> float:
    """Return the share of transitions of which the rules predict every known next value.

    Under asynchronous updates a variable may also stay as it is.
    """
    predicted = system.next_codes(seen.before)
    right = (seen.after == predicted) | (seen.after < 0)
    if asynchronous:
        right |= seen.after == seen.before
    return float(right.all(axis=1).mean())


def looks_asynchronous(seen: Transitions) -> bool:
    """Whether no transition changes more than one variable, and this is no accident of few changes."""
    changed = ((seen.after != seen.before) & (seen.after >= 0)).sum(axis=1)
    return len(seen.learned) > 2 and int((changed > 0).sum()) >= _ENOUGH and int(changed.max()) == 1


def asynchronous_target(seen: Transitions) -> IntArray:
    """[M, N]: where each variable wants to go: elsewhere if any transition from the same state shows it."""
    cells = cells_of(seen.before, range(seen.before.shape[1]))
    target = np.where(seen.after >= 0, seen.before, -1)
    for column in seen.learned:
        moved = (seen.after[:, column] >= 0) & (seen.after[:, column] != seen.before[:, column])
        goal = np.full(int(cells.max()) + 1, -1, dtype=np.int64)
        goal[cells[moved]] = seen.after[moved, column]
        wanted = goal[cells]
        target[:, column] = np.where(wanted >= 0, wanted, target[:, column])
    return target
