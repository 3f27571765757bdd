"""What a rule costs: its own size, and the errors it makes.

A rule has one bit before each clause and one at the end. A clause of ``k`` literals is ``k`` in unary
(``k + 1`` bits) and one of ``C(L, k)`` sets of usable literals; a counting clause adds how many must hold.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from nri.arrays import FloatArray

LN2 = float(np.log(2.0))


@dataclass(frozen=True)
class DescriptionLength:
    """Bits for the rule and bits for the rows on which it errs; for hard labels."""

    price: float = 0.7  # Bits for each bit of the rule; from 0.6 to 0.8 accuracy on real tables is level.
    clean_chance: float = 0.4
    """Prior chance that the labels hold no noise at all; a consistent rule then costs 1.3 bits of data."""

    def cost(self, errors: FloatArray, bits: FloatArray, total: float, n_classes: int = 2) -> FloatArray:
        """Return price * rule bits + data bits, which also name the right class of each wrong row."""
        naming = np.log2(max(2, n_classes) - 1.0) * np.asarray(errors)
        return np.asarray(self.price * np.asarray(bits) + self.data_bits(errors, total) + naming)

    def data_bits(self, errors: FloatArray, total: float) -> FloatArray:
        """Bits that say which rows are wrong: how many of ``total``, then which ones.

        It is interpolated between no error and one, and constant beyond half of the rows, so it never falls.
        """
        errors = np.maximum(np.asarray(errors, dtype=np.float64), 0.0)  # np.clip takes three times as long
        clean = -np.log2(self.clean_chance)
        noisy = -np.log2(1.0 - self.clean_chance) + np.log2(total + 1.0)
        whole = np.minimum(np.maximum(errors, min(1.0, total / 2)), max(total / 2, 0.0))
        bits = noisy + log2_choose(total, whole)
        share = np.minimum(errors, 1.0)
        return np.asarray((1.0 - share) * clean + share * np.maximum(bits, clean))


@dataclass(frozen=True)
class ExpectedError:
    """Expected number of wrong rows and a price for the rule; for rows with probabilities."""

    price: float = 0.02  # Wrong rows that one bit of the rule must save.

    def cost(self, errors: FloatArray, bits: FloatArray, total: float, n_classes: int = 2) -> FloatArray:
        """Return errors + price * rule bits."""
        return np.asarray(errors) + self.price * np.asarray(bits)


Objective = DescriptionLength | ExpectedError
"""Turns errors and rule bits into one cost; less is better, and it never falls with either."""


def log2_choose(n: FloatArray | float, k: FloatArray) -> FloatArray:
    """Binomial coefficient in bits, also between whole numbers."""
    return np.asarray((gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)) / LN2)


COUNT_PRICE = 2.0  # Bits that a counting clause costs beyond its code: it is harder to read than an AND.


def count_bits(lengths: NDArray[np.int64], n_literals: int) -> FloatArray:
    """Bits of one counting clause of each length: also which of so many k, and the reader's price."""
    which = np.log2(np.maximum(1, np.asarray(lengths)))
    return np.asarray(clause_bits(lengths, n_literals) + which + COUNT_PRICE)


def clause_bits(lengths: NDArray[np.int64], n_literals: int) -> FloatArray:
    """Bits of one clause for each of the lengths, with the bit that announces it.

    >>> clause_bits(np.array([0, 1]), 8).tolist()
    [2.0, 6.0]
    """
    literals: FloatArray = np.asarray(lengths, dtype=np.float64)
    choice = log2_choose(np.maximum(float(n_literals), literals), literals)
    return np.asarray(np.round(2.0 + literals + choice, 9))
