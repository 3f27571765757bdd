"""The posterior: what experts and network together think of any row, for every class.

Both answer for some support rows as if they had not seen them; by these answers a council of the two
weighs them, for this table. Several classes are asked about one by one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.seeded.experts import COUNCIL, Experts, council_shares
from nri.seeded.runtime import SeededNetwork, shipped_network
from nri.seeded.sample import Sample, signed_cells

NETWORK_ROWS = 500
"""Rows that the network looks at, spread over the sample. The experts see all."""
NETWORK_COLUMNS = 192
"""Columns that the network looks at: those that tell most about the label. The experts see all."""
FULL_VIEW = 5
"""Classes up to which it looks at so much for each; with more, rows and columns are fewer in proportion."""
LEAST_ROWS, LEAST_COLUMNS = 120, 64
"""What it looks at in any case."""
ASKED_AT_ONCE = 2000
"""Rows asked about in one go, which bounds memory."""
CHECKED_ROWS = 160
"""Rows on which both are checked against the labels; the council needs no more."""


@dataclass(frozen=True, eq=False)
class Told:
    """What is thought of the rows asked about."""

    chances: FloatArray
    """[S, n_classes], each row summing to one"""
    reasons: tuple[FloatArray, ...]
    """For each question asked [S, N]: log-odds that a row's value is part of a clause which covers it"""
    label_bits: float
    """Bits that the label of a support row costs on average, when its chances were formed without it"""


class Posterior:
    """Answers for any row by one table.

    It holds the sample; of networks only one that is not the shipped one, which is there for whoever asks.
    """

    def __init__(self, sample: Sample, network: SeededNetwork | None = None) -> None:
        self.sample = sample
        self._network = network

    def chances(self, values: BoolArray, known: BoolArray) -> FloatArray:
        """[S, n_classes]: probabilities of the classes on rows [S, N]."""
        return self.ask(values, known).chances

    def ask(self, values: BoolArray, known: BoolArray) -> Told:
        """Ask about rows [S, N], a part of them at a time."""
        network = self._network or shipped_network()
        n_classes = self.sample.n_classes
        asked = (1,) if n_classes == 2 else range(n_classes)
        answers = [self._answer(c, signed_cells(values, known), network) for c in asked]
        chances = _summing_to_one([answer.chances for answer in answers])
        checked = _checked_rows(len(self.sample.labels), n_classes)
        left_out = _summing_to_one([answer.left_out for answer in answers])
        bits = -np.log2(left_out[np.arange(len(checked)), self.sample.labels[checked]])
        label_bits = float(np.average(bits, weights=self.sample.weights[checked]))
        return Told(chances, tuple(answer.reasons for answer in answers), label_bits)

    def _answer(self, c: int, asked: NDArray[np.float32], network: SeededNetwork) -> "_Answer":
        """Ask about one class against the rest."""
        sample = self.sample
        positive = sample.labels == c
        least = 0.5 / (sample.weights.sum() + 2)
        if positive.all() or not positive.any():
            sure = 1 - least if positive.all() else least
            n_checked = len(_checked_rows(len(positive), sample.n_classes))
            return _Answer(np.full(len(asked), sure), np.full(n_checked, sure), np.full(asked.shape, -9.0))
        experts = Experts(sample.signed, positive, sample.weights)
        checked = _checked_rows(len(positive), sample.n_classes)
        table = _NetworkTable(network, experts, sample, positive)
        base = experts.base_rate
        left_out = np.column_stack([experts.support[checked, COUNCIL], table.left_out(checked) - base])
        parts = [
            table.ask(asked[start : start + ASKED_AT_ONCE]) for start in range(0, len(asked), ASKED_AT_ONCE)
        ]
        said = np.concatenate([np.column_stack([part.council, part.chances - base]) for part in parts])
        reasons = np.concatenate([part.reasons for part in parts])
        shares = council_shares(left_out, positive[checked] - base, sample.weights[checked])

        def chance(opinion: NDArray[np.float64]) -> FloatArray:
            return np.clip(base + opinion @ shares, least, 1 - least).astype(np.float64)

        return _Answer(chance(said), chance(left_out), reasons)


@dataclass(frozen=True, eq=False)
class _Part:
    """What is thought of some of the rows asked about."""

    council: NDArray[np.float32]
    """[S], the experts' council's opinion"""
    chances: FloatArray
    """[S], the network's"""
    reasons: FloatArray
    """[S, N]"""


class _NetworkTable:
    """One yes/no question about one table, as the network sees it: by the columns that tell most."""

    def __init__(
        self,
        network: SeededNetwork,
        experts: Experts,
        sample: Sample,
        positive: BoolArray,
    ) -> None:
        self.network, self.experts = network, experts
        rows, weights = sample.signed, sample.weights
        self.columns = _telling_columns(rows, positive, weights, sample.n_classes)
        self.seen = _network_rows(len(rows), sample.n_classes)
        self.rows = rows[self.seen][:, self.columns]
        self.positive, self.weights = positive[self.seen], weights[self.seen]

    def left_out(self, which: IntArray) -> FloatArray:
        """Chances of some support rows, each as if one such row fewer had been seen."""
        nobody = self.experts.opine(np.zeros((0, len(self.experts.support_parts[0])), dtype=np.float32))
        opinions = nobody.of_part(self.seen, self.columns)
        own = np.searchsorted(self.seen, which)
        answers = self.network.answer_left_out(self.rows, self.positive, self.weights, opinions, own)
        return _chance_of(answers.posterior)

    def ask(self, asked: NDArray[np.float32]) -> _Part:
        """Ask about rows [S, N]."""
        opinions = self.experts.opine(asked)
        part = opinions.of_part(self.seen, self.columns)
        answers = self.network.answer(self.rows, self.positive, self.weights, part, asked[:, self.columns])
        reasons = np.full(asked.shape, -9.0)
        reasons[:, self.columns] = answers.reason
        return _Part(opinions.asked[:, COUNCIL], _chance_of(answers.posterior), reasons)


@dataclass(frozen=True, eq=False)
class _Answer:
    """What is thought about one class against the rest."""

    chances: FloatArray
    """[S]"""
    left_out: FloatArray
    """[checked rows], each as if it had not been seen"""
    reasons: FloatArray
    """[S, N]"""


def _summing_to_one(chances: list[FloatArray]) -> FloatArray:
    """[rows, n_classes]; of two classes only one was asked about."""
    columns = [1 - chances[0], chances[0]] if len(chances) == 1 else chances
    table = np.stack(columns, axis=1)
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def _in_view(most: int, least: int, n_classes: int) -> int:
    """Return how much the network looks at for each class: many classes shall take little longer."""
    return max(least, min(most, most * FULL_VIEW // n_classes))


def _network_rows(n_rows: int, n_classes: int) -> IntArray:
    """Return rows of a sample for the network; the sample is sorted by class, so these are of all classes."""
    number = _in_view(NETWORK_ROWS, LEAST_ROWS, n_classes)
    return np.unique(np.linspace(0, n_rows - 1, number).round().astype(np.int64))


def _checked_rows(n_rows: int, n_classes: int) -> IntArray:
    """Return some of the network's rows."""
    seen = _network_rows(n_rows, n_classes)
    return seen[np.unique(np.linspace(0, len(seen) - 1, CHECKED_ROWS).round().astype(np.int64))]


def _telling_columns(
    rows: NDArray[np.float32], positive: BoolArray, weights: FloatArray, n_classes: int
) -> NDArray[np.int64]:
    """Return the columns that correlate most with the label, in their order."""
    most = _in_view(NETWORK_COLUMNS, LEAST_COLUMNS, n_classes)
    if rows.shape[1] <= most:
        return np.arange(rows.shape[1])
    aim = weights * (positive - np.average(positive, weights=weights))
    power = np.abs(aim @ rows) / np.sqrt(weights @ rows**2 + 1e-9)
    return np.sort(np.argsort(-power, kind="stable")[:most])


def _chance_of(log_odds: NDArray[np.float32]) -> FloatArray:
    return 1 / (1 + np.exp(-np.clip(log_odds.astype(np.float64), -30, 30)))
