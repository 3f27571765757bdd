"""Random problems that the tests of inference share."""

import numpy as np
from hypothesis import strategies as st

from nri.episode import Episode, make_episode
from nri.rule.truth import first_to_fire
from nri.search.candidates import clause_truth
from nri.search.result import Induced


@st.composite
def episodes(
    draw: st.DrawFn, max_rows: int = 24, max_variables: int = 5, n_classes: int = 2, whole: bool = False
) -> Episode:
    """Small tables with unknown cells, weights and labels of any balance."""
    n_rows = draw(st.integers(1, max_rows))
    n_variables = draw(st.integers(1, max_variables))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    known = rng.random((n_rows, n_variables)) < draw(st.sampled_from([1.0, 0.8]))
    weights = rng.integers(1, 4, n_rows).astype(float)
    if not whole and draw(st.booleans()):
        weights = rng.random(n_rows) + 0.1
    balance = rng.dirichlet(np.ones(n_classes))
    return make_episode(
        rng.random((n_rows, n_variables)) < 0.5,
        known,
        rng.choice(n_classes, n_rows, p=balance),
        weights,
        n_classes,
    )


def random_posterior(episode: Episode, seed: int) -> np.ndarray:
    """Class probabilities with no relation to the labels."""
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(episode.n_classes, 0.7), size=len(episode))


def dnf_truth(values: np.ndarray, rule: list[tuple[int, ...]]) -> np.ndarray:
    """Truth of an index rule on rows without unknown cells, one row at a time."""
    n = values.shape[1]
    return np.array(
        [any(all(row[j] if j < n else not row[j - n] for j in clause) for clause in rule) for row in values],
        dtype=bool,
    )


def deciding_branch(induced: Induced, literals: np.ndarray) -> np.ndarray:
    """[M], which branch decides each row of literals [M, 2N]; their number where none fires."""
    return first_to_fire(clause_truth(literals, [clause for _, clause in induced.branches]).T)
