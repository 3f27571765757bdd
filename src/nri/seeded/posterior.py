"""The posterior: the class probabilities of any row, by an ensemble of experts, rules and a network.

Experts are weighed by their left-out opinions, starting from shares that serve most tables, since with few
rows these opinions are mostly luck. The network has a fixed share if classes are few. A mixture of rules is
weighed by left-out bits: where labels follow a rule it has nearly all weight. Classes are taken one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nri.arrays import BoolArray, FloatArray, IntArray, one_thread
from nri.episode import Cells
from nri.search.result import PricedRules
from nri.seeded.experts import ENSEMBLE, Experts, ensemble_shares
from nri.seeded.kernels import Alike, Kernels
from nri.seeded.measures import Logistic, measures
from nri.seeded.rules import RuleMixture
from nri.seeded.sample import Sample, SignedArray, signed_cells, spread_rows
from nri.weights import SeededNetwork, shipped_seeded_network

NETWORK_ROWS = 500  # Rows that the network looks at, spread over the sample. The experts see all.
NETWORK_COLUMNS = 192  # Columns that the network looks at, the most informative ones; the experts see all.
NETWORK_CLASSES = 5  # Most classes with which it is used, one by one; with more it takes long for nothing.
QUERY_ROWS = 2000  # Query rows in one go, which bounds memory.
NETWORK_SHARE = 0.2  # Share of the network; the experts have the rest.
PULL = 30.0  # How many squared errors on left-out rows it takes to leave the expected shares.
EXPECTED_CELLS, EXPECTED_NUMBERS, EXPECTED_LOGISTIC = 0.25, 0.375, 0.375
"""Expected shares of all experts on cells, all on numbers, and logistic regression."""
CUT_BITS = 4.0  # Left-out bits that a literal about a number seems to save, since all labels placed its cut.
LEAST_CHANCE = 1e-3  # Least left-out chance of a label when rules meet experts: one row must not decide.


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What the posterior says of some rows."""

    chances: FloatArray  # [S, n_classes], each row summing to one
    network_rows: IntArray  # [H], increasing: the rows that the network has seen as well
    reasons: tuple[FloatArray, ...]
    """For each class against the rest [H, N]: log-odds that a value is part of a covering clause"""
    rule_share: float  # Share of the mixture of rules, mean over the classes
    column_support: FloatArray | None
    """[columns], chance that a rule names each column, the most of all classes; None without rules"""
    left_out: FloatArray  # [M, n_classes], chances of the support rows, each formed without the row
    label_bits: float  # Mean bits of a support row's label, by chances that were formed without it.


class Posterior:
    """Class probabilities of any row by one table.

    It holds the sample and the rules; of networks only one that is not the shipped one.
    """

    def __init__(
        self,
        sample: Sample,
        groups: IntArray,
        network: SeededNetwork | None = None,
        priced: tuple[PricedRules, ...] = (),
    ) -> None:
        self.sample, self.groups, self.priced = sample, groups, priced
        self._network = network

    def chances(self, cells: Cells) -> FloatArray:
        """[S, n_classes]: probabilities of the classes on S rows."""
        return self.evaluate(cells).chances

    def evaluate(self, cells: Cells, network_rows: int | None = None) -> Beliefs:
        """Evaluate S rows; the same digits whatever the number of threads.

        The experts see all of them, the network about ``network_rows`` of them, by default all.
        """
        import scipy.linalg  # noqa: F401  # the experts' own, which must work in one thread too

        n_classes, most = self.sample.n_classes, len(cells) if network_rows is None else network_rows
        network = (self._network or shipped_seeded_network()) if n_classes <= NETWORK_CLASSES else None
        seen = spread_rows(len(cells), most if network else 0)
        with one_thread():
            evaluation = _Evaluation(self, network, cells, seen)
            answers = [evaluation.of_class(c) for c in ((1,) if n_classes == 2 else range(n_classes))]
        chances = _summing_to_one([answer.chances for answer in answers])
        left_out = _summing_to_one([answer.left_out for answer in answers])
        supports = [answer.column_support for answer in answers if answer.column_support is not None]
        bits = -np.log2(left_out[np.arange(len(left_out)), self.sample.labels])
        return Beliefs(
            chances,
            seen,
            tuple(answer.reasons for answer in answers),
            float(np.mean([answer.rule_share for answer in answers])),
            np.asarray(np.max(supports, axis=0)) if supports else None,
            left_out,
            float(np.average(bits, weights=self.sample.weights)),
        )


class _Answer(NamedTuple):
    """What is believed about one class against the rest."""

    chances: FloatArray  # [S]
    left_out: FloatArray  # [M], of the support rows, each formed without the row
    reasons: FloatArray  # [H, N]
    rule_share: float = 0.0
    column_support: FloatArray | None = None  # [columns]


_Opinions = tuple[float, NDArray[np.floating], NDArray[np.floating]]
"""Of experts of one kind: the share that is expected of them together, and what they say of the support rows
[M, members], each formed without the row, and of others [S, members]; 0 is the base rate."""


class _Evaluation:
    """What stays the same while rows are evaluated for one class after the other."""

    def __init__(
        self, posterior: Posterior, network: SeededNetwork | None, cells: Cells, network_rows: IntArray
    ) -> None:
        sample, groups = posterior.sample, posterior.groups
        self.sample, self.groups, self.priced = sample, groups, posterior.priced
        self.network, self.cells, self.network_rows = network, cells, network_rows
        self.support = signed_cells(sample.cells.values, sample.cells.known)
        self.query = signed_cells(cells.values, cells.known)
        numbers, self.measures = measures(sample.cells, groups), measures(cells, groups)
        self.by_cells = Alike(self.support, sample.weights)
        self.by_measures = Alike(numbers, sample.weights) if sample.cells.numbers.shape[1] else None
        logistic = Logistic(numbers, sample.labels, sample.weights, sample.n_classes)
        self.logistic = logistic.left_out, logistic.chances(self.measures)

    def of_class(self, c: int) -> _Answer:
        """Evaluate one class against the rest."""
        weights, rows = self.sample.weights, self.network_rows
        positive = self.sample.labels == c
        least = 0.5 / (weights.sum() + 2)
        if positive.all() or not positive.any():
            sure = 1 - least if positive.all() else least
            no_reasons = np.full((len(rows), self.query.shape[1]), -9.0)
            return _Answer(np.full(len(self.query), sure), np.full(len(positive), sure), no_reasons)
        experts = Experts(self.support, positive, weights, self.by_cells)
        base = experts.base_rate
        starts = range(0, max(1, len(self.query)), QUERY_ROWS)
        by_experts = np.concatenate([experts.opine(self.query[i : i + QUERY_ROWS]) for i in starts])
        by_network, reasons = self._by_network(experts, positive, by_experts[rows])
        logistic_left_out, logistic_chances = self.logistic
        opinions: list[_Opinions] = [
            (EXPECTED_CELLS, experts.support[:, :ENSEMBLE], by_experts[:, :ENSEMBLE]),
            (EXPECTED_LOGISTIC, logistic_left_out[:, [c]] - base, logistic_chances[:, [c]] - base),
        ]
        if self.by_measures is not None:
            kernels = Kernels(self.by_measures, (positive - base).astype(np.float32))
            opinions.append((EXPECTED_NUMBERS, kernels.support, kernels.opine(self.measures)))
        left_out, opinion = _ensemble(opinions, positive - base, weights)
        opinion[rows] = (1 - NETWORK_SHARE) * opinion[rows] + NETWORK_SHARE * (by_network - base)
        chances = np.clip(base + opinion, least, 1 - least)
        left_out = np.clip(base + left_out, least, 1 - least)
        return self._with_rules(c, _Answer(chances, left_out, reasons), positive)

    def _by_network(
        self, experts: Experts, positive: BoolArray, opinions: NDArray[np.float32]
    ) -> tuple[FloatArray, FloatArray]:
        """[H], [H, N]: chances and reasons of rows by the network, from the most informative columns."""
        query, weights = self.query[self.network_rows], self.sample.weights
        chances, reasons = np.zeros(len(query)), np.full(query.shape, -9.0)
        if self.network is None:
            return chances, reasons
        columns = _informative_columns(self.support, positive, weights)
        seen = spread_rows(len(self.support), NETWORK_ROWS)
        table = {
            "rows": self.support[seen][:, columns],
            "labels": positive[seen],
            "weights": weights[seen],
            "row_opinions": experts.support[seen],
        }
        for start in range(0, len(query), QUERY_ROWS):
            part = slice(start, start + QUERY_ROWS)
            seeds = {
                "seeds": query[part][:, columns],
                "seed_opinions": opinions[part],
                "seed_parts": experts.parts(query[part])[:, columns],
            }
            log_odds, reasons[part, columns], _ = self.network.evaluate(table, seeds)
            chances[part] = 1 / (1 + np.exp(-np.clip(log_odds.astype(np.float64), -30, 30)))
        return chances, reasons

    def _with_rules(self, c: int, answer: _Answer, positive: BoolArray) -> _Answer:
        """Give the mixture of rules its share."""
        if not self.priced:
            return answer
        rules = [(self.priced[c], True)]
        if self.sample.n_classes == 2:  # what is not of the other class is of this one
            rules.append((self.priced[1 - c], False))
        mixture = RuleMixture(rules, self.sample.cells, positive, self.sample.weights)
        # the share follows from the left-out bits that the mixture saves: Bayes for two models
        saved = _label_bits(answer.left_out, positive) - _label_bits(mixture.left_out, positive)
        support, n_number_literals = mixture.columns(self.groups)
        bits = float(self.sample.weights @ saved) - CUT_BITS * n_number_literals
        share = float(1 / (1 + np.exp2(-np.clip(bits, -50, 50))))
        chances = (1 - share) * answer.chances + share * mixture.chances(self.cells)
        left_out = (1 - share) * answer.left_out + share * mixture.left_out
        return _Answer(chances, left_out, answer.reasons, share, support)


def _ensemble(
    opinions: Sequence[_Opinions], target: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """[M], [S]: the opinion of all experts together, each with the share that the support rows speak for."""
    expected = np.concatenate([np.full(one.shape[1], share / one.shape[1]) for share, one, _ in opinions])
    left_out = np.column_stack([one for _, one, _ in opinions])
    query = np.column_stack([one for _, _, one in opinions])
    shares = ensemble_shares(left_out, target, weights, expected / expected.sum(), PULL)
    return (left_out @ shares).astype(np.float64), (query @ shares).astype(np.float64)


def _label_bits(chances: FloatArray, positive: BoolArray) -> FloatArray:
    """[M]: bits of each label, by the chances of the class."""
    return np.asarray(-np.log2(np.maximum(np.where(positive, chances, 1 - chances), LEAST_CHANCE)))


def _summing_to_one(chances: list[FloatArray]) -> FloatArray:
    """[rows, n_classes]; of two classes only one was evaluated."""
    columns = [1 - chances[0], chances[0]] if len(chances) == 1 else chances
    table = np.stack(columns, axis=1)
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def _informative_columns(rows: SignedArray, positive: BoolArray, weights: FloatArray) -> IntArray:
    """Return the columns that correlate most with the label, in their order."""
    if rows.shape[1] <= NETWORK_COLUMNS:
        return np.arange(rows.shape[1])
    aim = weights * (positive - np.average(positive, weights=weights))
    power = np.abs(aim @ rows) / np.sqrt(weights @ rows**2 + 1e-9)
    return np.sort(np.argsort(-power, kind="stable")[:NETWORK_COLUMNS])
