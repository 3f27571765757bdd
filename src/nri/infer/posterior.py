"""The posterior: what experts and network together think of any row, for every class.

Both answer for some support rows as if they had not seen them; by these answers a council of the two
weighs them, for this table. Several classes are asked about one by one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nri.episode import BoolArray, FloatArray, IntArray
from nri.infer.council import council_shares
from nri.infer.experts import COUNCIL, Opinions, consult
from nri.infer.runtime import SeededNetwork
from nri.infer.sample import Sample, signed_cells

NETWORK_COLUMNS = 192
"""Columns that the network looks at: those that tell most about the label. The experts see all."""
CHECKED_ROWS = 160
"""Rows on which both are checked against the labels; the council needs no more."""


@dataclass(frozen=True, eq=False)
class Told:
    """What is thought of the rows asked about."""

    chances: FloatArray
    """[S, n_classes], each row summing to one"""
    reasons: tuple[FloatArray, ...]
    """For each question asked [S, N]: log-odds that a row's value is part of a clause which covers it"""


class Posterior:
    """Answers for any row by one table; it holds the sample, not the network."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample

    def ask(self, values: BoolArray, known: BoolArray, network: SeededNetwork) -> Told:
        """Ask about rows [S, N]."""
        n_classes = self.sample.n_classes
        asked = (1,) if n_classes == 2 else range(n_classes)
        answers = [self._chance(c, signed_cells(values, known), network) for c in asked]
        chances = np.stack([chance for chance, _ in answers], axis=1)
        if n_classes == 2:
            chances = np.concatenate([1 - chances, chances], axis=1)
        chances = chances / chances.sum(axis=1, keepdims=True)
        return Told(chances, tuple(reason for _, reason in answers))

    def _chance(
        self, c: int, asked: NDArray[np.float32], network: SeededNetwork
    ) -> tuple[FloatArray, FloatArray]:
        """[S], the chance of one class against the rest, and the network's reasons [S, N]."""
        sample = self.sample
        positive = sample.labels == c
        least = 0.5 / (sample.weights.sum() + 2)
        if positive.all() or not positive.any():
            return np.full(len(asked), 1 - least if positive.all() else least), np.full(asked.shape, -9.0)
        opinions = consult(sample.signed, asked, positive, sample.weights)
        checked = np.unique(np.linspace(0, len(positive) - 1, CHECKED_ROWS).round().astype(np.int64))
        own, told, reasons = self._network(network, positive, asked, opinions, checked)
        base = opinions.base_rate
        left_out = np.column_stack([opinions.support[checked, COUNCIL], own - base])
        said = np.column_stack([opinions.asked[:, COUNCIL], told - base])
        shares = council_shares(left_out, positive[checked] - base, sample.weights[checked])
        chance = np.clip(base + said @ shares, least, 1 - least).astype(np.float64)
        return chance, reasons

    def _network(
        self,
        network: SeededNetwork,
        positive: BoolArray,
        asked: NDArray[np.float32],
        opinions: Opinions,
        checked: IntArray,
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Chances of the checked rows, each left out, and of the rows asked about [S]; reasons [S, N]."""
        rows, weights = self.sample.signed, self.sample.weights
        columns = _telling_columns(rows, positive, weights)
        narrow = opinions.of_columns(columns)
        rows = rows[:, columns]
        own = network.answer_left_out(rows, positive, weights, narrow, checked)
        told = network.answer(rows, positive, weights, narrow, asked[:, columns])
        reasons = np.full(asked.shape, -9.0)
        reasons[:, columns] = told.reason
        return _chance_of(own.posterior), _chance_of(told.posterior), reasons


def _telling_columns(
    rows: NDArray[np.float32], positive: BoolArray, weights: FloatArray
) -> NDArray[np.int64]:
    """Return the columns that correlate most with the label, in their order."""
    if rows.shape[1] <= NETWORK_COLUMNS:
        return np.arange(rows.shape[1])
    aim = weights * (positive - np.average(positive, weights=weights))
    power = np.abs(aim @ rows) / np.sqrt(weights @ rows**2 + 1e-9)
    return np.sort(np.argsort(-power, kind="stable")[:NETWORK_COLUMNS])


def _chance_of(log_odds: NDArray[np.float32]) -> FloatArray:
    return 1 / (1 + np.exp(-np.clip(log_odds.astype(np.float64), -30, 30)))
