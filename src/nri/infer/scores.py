"""Scores of a clause in the making: how good would it be with one literal more?"""

from collections.abc import Callable

import numpy as np

from nri.episode import FloatArray

Score = Callable[[FloatArray, FloatArray, FloatArray, FloatArray, float], FloatArray]
"""(positive, negative, positive before, negative before, prior share) -> score; more is better.

The first two are the expected weights a longer clause covers, the next two those of the clause as
it stands. A literal is worth adding only where the score is above zero.
"""


def foil_gain(
    positive: FloatArray,
    negative: FloatArray,
    positive_before: FloatArray,
    negative_before: FloatArray,
    prior: float,
) -> FloatArray:
    """Positives kept, times the bits that each of them gains in precision."""
    after = np.log2(np.maximum(positive, 1e-9) / np.maximum(positive + negative, 1e-9))
    before = np.log2(np.maximum(positive_before, 1e-9) / np.maximum(positive_before + negative_before, 1e-9))
    return np.asarray(positive * (after - before))


def m_estimate(strength: float) -> Score:
    """Precision shrunk towards the prior share by so many imaginary rows, as gain over before."""

    def score(
        positive: FloatArray,
        negative: FloatArray,
        positive_before: FloatArray,
        negative_before: FloatArray,
        prior: float,
    ) -> FloatArray:
        after = shrunk_precision(positive, negative, prior, strength)
        return after - shrunk_precision(positive_before, negative_before, prior, strength)

    return score


def shrunk_precision(positive: FloatArray, negative: FloatArray, prior: float, strength: float) -> FloatArray:
    """Share of positives with ``strength`` imaginary rows at the prior share added."""
    return (positive + strength * prior) / (positive + negative + strength)
