"""From gates to clauses: the paper's deployed rule, on plain arrays.

This is a function of gates alone, so that it serves whatever ran the network.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray
from nri.episode import Episode, literal_truth
from nri.errors import ConfigError
from nri.search.candidates import clause_truth

_Gates = NDArray[np.floating]


GATE = 0.5  # of slots and of literals: the text keeps what is at least this open


@dataclass(frozen=True)
class DeployConfig:
    """How many open slots become clauses, how many open gates literals; all by default, as in the text."""

    max_literals: int | None = None
    """Keep at most so many literals in a clause, those with the highest gates."""
    top_clauses: int | None = None
    """K': keep at most so many clauses, those that discriminate best on the support."""
    tune_clauses: bool = False
    """Choose K' on the support, as for the paper's listing of rules: clauses are taken from the most
    discriminating on, as many as decide most support rows rightly, the fewest of these."""

    def __post_init__(self) -> None:
        for name in ("max_literals", "top_clauses"):
            if getattr(self, name) is not None and getattr(self, name) < 1:
                raise ConfigError(f"deploy: {name} = {getattr(self, name)} keeps nothing; give 1 or more")


PUBLISHED = DeployConfig(max_literals=4)
"""The published system also keeps at most four literals, the longest clause it was trained on. Without
that, on tables far wider than in training, many gates stay open and clauses grow to dozens of literals."""


def deploy(
    z: _Gates, w: _Gates, episode: Episode, config: DeployConfig = PUBLISHED
) -> tuple[tuple[int, ...], ...]:
    """Turn the gates of one table into clauses, each a rising tuple of literal indices.

    ``z`` [T, 2N] are literal gates, ``w`` [T] clause gates; the support is read for the discrimination score
    alone. Clauses come with the highest clause gate first (the most discriminating first where
    ``top_clauses`` is set), each once. A slot that selects no literal gives no clause.
    """
    membership = z >= GATE
    if config.max_literals is not None:
        rank = np.argsort(np.argsort(-z, axis=1, kind="stable"), axis=1)
        membership &= rank < config.max_literals
    active = (w >= GATE) & membership.any(axis=1)
    order = np.argsort(-w, kind="stable")
    slots = [tuple(np.flatnonzero(members).tolist()) for members in membership]
    holds = clause_truth(literal_truth(episode.values, episode.known), slots).T
    if config.top_clauses is not None or config.tune_clauses:
        scores = discrimination(holds, episode.labels)
        order = order[np.argsort(-scores[order], kind="stable")]
    first: dict[tuple[int, ...], int] = {}
    for k in order[active[order]].tolist():
        first.setdefault(slots[k], k)
    chosen = list(first.values())[: config.top_clauses]
    if config.tune_clauses:
        chosen = chosen[: best_prefix(holds[:, chosen], episode)]
    return tuple(slots[k] for k in chosen)


def best_prefix(holds: BoolArray, episode: Episode) -> int:
    """Return how many of the first clauses [M, K] to join by OR for the most right weight; the least such.

    >>> from nri.episode import make_episode
    >>> table = make_episode(np.zeros((3, 1), bool), labels=np.array([1, 1, 0]))
    >>> best_prefix(np.array([[True, True, True], [False, True, True], [False, False, True]]), table)
    2
    """
    covered = np.logical_or.accumulate(np.pad(holds, [(0, 0), (1, 0)]), axis=1)
    right = ((covered == (episode.labels == 1)[:, None]) * episode.weights[:, None]).sum(axis=0)
    return int(np.argmax(right))


def discrimination(truth: NDArray[np.generic], labels: NDArray[np.integer]) -> FloatArray:
    """d_k, eq. (11) ``clause_rank``: mean truth of each clause on positives less that on negatives.

    >>> discrimination(np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]), np.array([1, 1, 0]))
    array([1. , 0.5])
    """
    means = []
    for value in (1, 0):
        rows = truth[labels == value].astype(np.float64)
        means.append(rows.mean(axis=0) if len(rows) else np.zeros(truth.shape[1]))
    return np.asarray(means[0] - means[1])
