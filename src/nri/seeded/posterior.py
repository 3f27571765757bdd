"""The posterior: what experts and network together think of any row, for every class.

The experts answer for support rows as if they had not seen them; by these answers a council weighs them, for
this table. With few rows the answers are mostly luck, so the shares start from what serves most tables and
leave that only as far as rows speak for it. The network, which has read the experts, has a share of its own,
as long as classes are few. Several classes are asked about one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.episode import Cells
from nri.seeded.experts import COUNCIL, Experts, council_shares
from nri.seeded.kernels import Alike, Kernels
from nri.seeded.measures import Logistic, measures
from nri.seeded.runtime import SeededNetwork, shipped_network
from nri.seeded.sample import Sample, SignedArray, signed_cells
from nri.threads import one_thread

NETWORK_ROWS = 500
"""Rows that the network looks at, spread over the sample. The experts see all."""
NETWORK_COLUMNS = 192
"""Columns that the network looks at: those that tell most about the label. The experts see all."""
NETWORK_CLASSES = 5
"""Most classes with which it is asked, one against the rest each; with more that takes long for nothing."""
ASKED_AT_ONCE = 2000
"""Rows asked about in one go, which bounds memory."""
NETWORK_SHARE = 0.2
"""Share of the network; the council of experts has the rest."""
PULL = 30.0
"""How many squared errors on left-out rows it takes to leave the expected shares."""
EXPECTED_CELLS, EXPECTED_NUMBERS, EXPECTED_LOGISTIC = 0.25, 0.375, 0.375
"""Expected shares of all experts on cells, all on numbers, and logistic regression."""


@dataclass(frozen=True, eq=False)
class Told:
    """What is thought of the rows asked about."""

    chances: FloatArray
    """[S, n_classes], each row summing to one"""
    heard: IntArray
    """[H], increasing: the rows that the network was asked about as well"""
    reasons: tuple[FloatArray, ...]
    """For each question asked [H, N]: log-odds that a row's value is part of a clause which covers it"""
    label_bits: float
    """Bits that the label of a support row costs on average, when its chances were formed without it"""


class Posterior:
    """Answers for any row by one table.

    It holds the sample; of networks only one that is not the shipped one, which is there for whoever asks.
    """

    def __init__(self, sample: Sample, groups: IntArray, network: SeededNetwork | None = None) -> None:
        self.sample, self.groups = sample, groups
        self._network = network

    def chances(self, cells: Cells) -> FloatArray:
        """[S, n_classes]: probabilities of the classes on S rows."""
        return self.ask(cells).chances

    def ask(self, cells: Cells, heard: int | None = None) -> Told:
        """Ask about S rows, a part of them at a time; the same digits whatever the number of threads.

        The experts answer for all of them, the network for about ``heard`` of them, by default for all.
        """
        import scipy.linalg  # noqa: F401  # the experts' own, which must work in one thread too

        with one_thread():
            return self._told(cells, len(cells) if heard is None else heard)

    def _told(self, cells: Cells, most_heard: int) -> Told:
        n_classes = self.sample.n_classes
        network = (self._network or shipped_network()) if n_classes <= NETWORK_CLASSES else None
        heard = _spread_rows(len(cells), most_heard if network else 0)
        asked = _Rows.of(cells, self.groups)
        support = _Support.of(self.sample, self.groups)
        logistic = Logistic(support.rows.measures, self.sample.labels, self.sample.weights, n_classes)
        by_logistic = logistic.chances(asked.measures)
        answers = [
            self._answer(c, support, asked, (logistic.left_out[:, c], by_logistic[:, c]), network, heard)
            for c in ((1,) if n_classes == 2 else range(n_classes))
        ]
        chances = _summing_to_one([answer.chances for answer in answers])
        left_out = _summing_to_one([answer.left_out for answer in answers])
        bits = -np.log2(left_out[np.arange(len(left_out)), self.sample.labels])
        label_bits = float(np.average(bits, weights=self.sample.weights))
        return Told(chances, heard, tuple(answer.reasons for answer in answers), label_bits)

    def _answer(
        self,
        c: int,
        support: "_Support",
        asked: "_Rows",
        logistic: tuple[FloatArray, FloatArray],
        network: SeededNetwork | None,
        heard: IntArray,
    ) -> "_Answer":
        """Ask about one class against the rest; the network, if there is one, about the rows ``heard``."""
        weights = self.sample.weights
        positive = self.sample.labels == c
        least = 0.5 / (weights.sum() + 2)
        if positive.all() or not positive.any():
            sure = 1 - least if positive.all() else least
            nothing = np.full((len(heard), asked.signed.shape[1]), -9.0)
            return _Answer(np.full(len(asked.signed), sure), np.full(len(positive), sure), nothing)
        experts = Experts(support.rows.signed, positive, weights, support.by_cells)
        base = experts.base_rate
        question = _Question(network, experts, support.rows.signed, positive, weights)
        told = question.ask(asked.signed, heard)
        opinions = [
            _Opinion(EXPECTED_CELLS, experts.support[:, :COUNCIL], told.experts),
            _Opinion(EXPECTED_LOGISTIC, *(chances[:, None] - base for chances in logistic)),
        ]
        if support.by_measures is not None:
            kernels = Kernels(support.by_measures, (positive - base).astype(np.float32))
            opinions.append(_Opinion(EXPECTED_NUMBERS, kernels.support, kernels.opine(asked.measures)))
        left_out, said = _council(opinions, positive - base, weights)
        said[heard] = (1 - NETWORK_SHARE) * said[heard] + NETWORK_SHARE * (told.chances - base)

        def chance(opinion: FloatArray) -> FloatArray:
            return np.clip(base + opinion, least, 1 - least)

        return _Answer(chance(said), chance(left_out), told.reasons)


@dataclass(frozen=True, eq=False)
class _Opinion:
    """What experts of one kind say; 0 is the base rate."""

    expected: float
    """their share together, before any row has spoken for or against them"""
    left_out: NDArray[np.floating]
    """[M, members], on support rows, each as if it had not been seen"""
    asked: NDArray[np.floating]
    """[S, members]"""


def _council(
    opinions: Sequence[_Opinion], target: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """[M], [S]: what all experts say together, each with the share that the support rows speak for."""
    left_out = np.column_stack([one.left_out for one in opinions])
    expected = np.concatenate(
        [np.full(one.left_out.shape[1], one.expected / one.left_out.shape[1]) for one in opinions]
    )
    shares = council_shares(left_out, target, weights, expected / expected.sum(), PULL)
    asked = np.column_stack([one.asked for one in opinions])
    return (left_out @ shares).astype(np.float64), (asked @ shares).astype(np.float64)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows as the experts read them."""

    signed: SignedArray
    """[M, N]"""
    measures: SignedArray
    """[M, columns]"""

    @classmethod
    def of(cls, cells: Cells, groups: IntArray) -> "_Rows":
        return cls(signed_cells(cells.values, cells.known), measures(cells, groups))


@dataclass(frozen=True, eq=False)
class _Support:
    """The labelled rows, and how alike they are, whichever class is asked about."""

    rows: _Rows
    by_cells: Alike
    by_measures: Alike | None
    """None if there are no numbers: then cells say all"""

    @classmethod
    def of(cls, sample: Sample, groups: IntArray) -> "_Support":
        rows = _Rows.of(sample.cells, groups)
        has_numbers = sample.cells.numbers.shape[1] > 0
        by_measures = Alike(rows.measures, sample.weights) if has_numbers else None
        return cls(rows, Alike(rows.signed, sample.weights), by_measures)


@dataclass(frozen=True, eq=False)
class _Part:
    """What is thought of some of the rows asked about."""

    experts: NDArray[np.float32]
    """[S, E], the experts' opinions on cells"""
    chances: FloatArray
    """[H], the network's, of the rows that it was asked about"""
    reasons: FloatArray
    """[H, N]"""


class _Question:
    """One yes/no question about one table, for experts and network; it sees the columns that tell most."""

    def __init__(
        self,
        network: SeededNetwork | None,
        experts: Experts,
        rows: SignedArray,
        positive: BoolArray,
        weights: FloatArray,
    ) -> None:
        self.network, self.experts = network, experts
        self.columns = _telling_columns(rows, positive, weights)
        self.seen = _spread_rows(len(rows), NETWORK_ROWS)
        self.rows = rows[self.seen][:, self.columns]
        self.positive, self.weights = positive[self.seen], weights[self.seen]

    def ask(self, asked: NDArray[np.float32], heard: IntArray) -> _Part:
        """Ask about rows [S, N], a part of them at a time; the network about some of them."""
        parts = []
        for start in range(0, max(1, len(asked)), ASKED_AT_ONCE):
            stop = start + ASKED_AT_ONCE
            within = heard[(heard >= start) & (heard < stop)] - start
            parts.append(self._ask_part(asked[start:stop], within))
        return _Part(
            np.concatenate([part.experts for part in parts]),
            np.concatenate([part.chances for part in parts]),
            np.concatenate([part.reasons for part in parts]),
        )

    def _ask_part(self, asked: NDArray[np.float32], heard: IntArray) -> _Part:
        opinions = self.experts.opine(asked)
        by_experts = opinions.asked[:, :COUNCIL]
        reasons = np.full((len(heard), asked.shape[1]), -9.0)
        if self.network is None or not len(heard):
            return _Part(by_experts, np.zeros(len(heard)), reasons)
        part = opinions.of_part(self.seen, self.columns, heard)
        seeds = asked[heard][:, self.columns]
        answers = self.network.answer(self.rows, self.positive, self.weights, part, seeds)
        reasons[:, self.columns] = answers.reason
        return _Part(by_experts, _chance_of(answers.posterior), reasons)


@dataclass(frozen=True, eq=False)
class _Answer:
    """What is thought about one class against the rest."""

    chances: FloatArray
    """[S]"""
    left_out: FloatArray
    """[M], of the support rows, each as if it had not been seen by the experts"""
    reasons: FloatArray
    """[H, N]"""


def _summing_to_one(chances: list[FloatArray]) -> FloatArray:
    """[rows, n_classes]; of two classes only one was asked about."""
    columns = [1 - chances[0], chances[0]] if len(chances) == 1 else chances
    table = np.stack(columns, axis=1)
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def _spread_rows(n_rows: int, most: int) -> IntArray:
    """Return so many of the rows, at even steps, so that they are of all kinds wherever rows are sorted."""
    if most >= n_rows:
        return np.arange(n_rows)
    return np.unique(np.linspace(0, n_rows - 1, most).round().astype(np.int64))


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
