"""The seeded model: a posterior first, then the rule that is best under it.

    labels -> the rule that describes them best
              (where they are very many, it is taken)
           -> posterior: what experts and network together think of any row
              (where the rule tells the labels better than they do, it is taken)
           -> plausible rows with their class chances, beside the labelled rows
           -> the rule with the least expected error, and a price for its length

With few rows the plausible ones decide; with many the labels do, which keep their full weight.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.episode import Cells, Episode, stacked_cells
from nri.search.clauses import AnyClause, ClauseArray, IndexCount, clause_array, in_order, members, stacked
from nri.search.greedy import described, induce
from nri.search.limits import Limits
from nri.search.objective import DescriptionLength, ExpectedError, clause_bits
from nri.search.propose import SymbolicProposer
from nri.search.result import Induced
from nri.search.rows import OneVsRest, search_rows
from nri.seeded.posterior import Posterior, Told
from nri.seeded.runtime import SeededNetwork
from nri.seeded.sample import Sample, distinct_rows, plausible_rows, take_sample

OBJECTIVE = DescriptionLength()
"""What the labels alone go by."""


@dataclass(frozen=True)
class PathConfig:
    """The dials of the path from labels to a rule; chosen on the mean over all data sets, never for one."""

    sample_rows: int = 500
    """Most rows that the posterior is formed from while a rule is sought; all labels count in the end."""
    posterior_rows: int = 1500
    """Most rows that the posterior is formed from when somebody asks for it."""
    plausible_rows: int = 600
    """Plausible rows that the posterior is asked about; rows without a label take their place."""
    unlabelled_rows: int = 1000
    """Most rows without a label that it is asked about."""
    heard_rows: int = 200
    """Rows that the network is asked about while a rule is sought; the experts are asked about all."""
    price_share: float = 0.5
    """Share of the fair price that a bit of the rule costs: a posterior misleads less than bare labels."""
    most_weight: float = 300.0
    """How many labelled rows they weigh, all together, at most."""
    weight_of_both: float = 15_000.0
    """Their weight times that of the labelled rows, at most: the more labels, the less they are heard."""
    labels_suffice: float = 700.0
    """Labelled rows beside which they are not heard at all."""
    label_share: float = 0.5
    """How far a labelled row speaks for itself; for the rest it is as likely as experts and network think."""
    few_classes: int = 5
    """Most classes with which the rule of the labels alone is sought; with more it never was better."""


class SeededModel:
    """Finds the rule that is best under what experts and network together think."""

    sharpens = True
    reorders = True

    def __init__(self, config: PathConfig | None = None, network: SeededNetwork | None = None) -> None:
        self.config = config or PathConfig()
        self.network = network

    def induce(
        self,
        episode: Episode,
        groups: IntArray,
        limits: Limits,
        rng: np.random.Generator,
        positive: int | None,
    ) -> Induced:
        """See :class:`nri.induce.models.Inducer`."""
        suffice = self._labels_suffice(episode, limits)
        by_labels = None
        if suffice or episode.n_classes <= self.config.few_classes:
            by_labels = induce(episode, rng=rng, limits=limits, objective=OBJECTIVE, positive=positive)
        posterior = Posterior(take_sample(episode, self.config.posterior_rows, rng), groups, self.network)
        if by_labels and suffice:
            return replace(by_labels, posterior=posterior)
        sample = take_sample(episode, self.config.sample_rows, rng)
        plausible = self._further_rows(episode, sample, groups, rng)
        rows, which = distinct_rows(episode.cells)
        asked = stacked_cells(plausible, rows)
        told = Posterior(sample, groups, self.network).ask(asked, self.config.heard_rows)
        if by_labels and self._rule_tells_more(by_labels, episode, limits, told):
            return replace(by_labels, posterior=posterior)
        of_plausible, of_rows = np.split(told.chances, [len(plausible)])
        labels = np.eye(episode.n_classes)[episode.labels]
        believed = self.config.label_share * labels + (1 - self.config.label_share) * of_rows[which]
        under_posterior = induce(
            self._with_rows(episode, plausible, of_plausible),
            rng=rng,
            propose=AlsoThese(
                reasons(told, plausible.values, limits.max_literals), by_labels.rules if by_labels else ()
            ),
            limits=limits,
            objective=ExpectedError(self.config.price_share * fair_price(of_plausible)),
            positive=positive,
            posterior=np.concatenate([believed, of_plausible]),
        )
        bits = told.label_bits * float(episode.weights.sum())
        return replace(_counted_on_labels(under_posterior, episode), posterior=posterior, expected_bits=bits)

    def _further_rows(
        self, episode: Episode, sample: Sample, groups: IntArray, rng: np.random.Generator
    ) -> Cells:
        """Return rows to ask about: real ones whose class is unknown, and plausible ones if these are few."""
        real, wanted = episode.unlabelled, self.config.plausible_rows
        if len(real) > self.config.unlabelled_rows:
            real = real.take(np.sort(rng.choice(len(real), self.config.unlabelled_rows, replace=False)))
        if len(real) >= wanted:
            return real
        made = plausible_rows(sample, groups, wanted - len(real), rng)
        return stacked_cells(real, made)

    def _labels_suffice(self, episode: Episode, limits: Limits) -> bool:
        """Whether nobody needs to be asked.

        That is where labels are very many, and where the user wants a precision on them: looking at nothing
        else keeps it.
        """
        return limits.min_precision > 0 or bool(episode.weights.sum() >= self.config.labels_suffice)

    def _rule_tells_more(self, by_labels: Induced, episode: Episode, limits: Limits, told: Told) -> bool:
        """Whether labels cost fewer bits with the rule at hand than by what experts and network expect."""
        if not _all_alike(episode.costs):
            return False
        total = float(episode.weights.sum())
        n_literals = limits.n_priced(episode.n_variables)
        lengths = [len(members(clause)) for rule in by_labels.rules for clause in rule]
        bits = float(clause_bits(np.array(lengths, dtype=np.int64), n_literals).sum())
        cost = OBJECTIVE.cost(np.array(by_labels.errors), np.array(bits), total, episode.n_classes)
        return bool(cost < told.label_bits * total)

    def _with_rows(self, episode: Episode, plausible: Cells, chances: FloatArray) -> Episode:
        """Return the table with the plausible rows below it."""
        labelled = float(episode.weights.sum())
        weight = min(self.config.most_weight, self.config.weight_of_both / labelled) / len(plausible)
        return Episode(
            np.concatenate([episode.values, plausible.values]),
            np.concatenate([episode.known, plausible.known]),
            np.concatenate([episode.labels, chances.argmax(axis=1)]),
            np.concatenate([episode.weights, np.full(len(plausible), weight)]),
            episode.n_classes,
            np.concatenate([episode.numbers, plausible.numbers]),
            episode.costs,
            episode.unlabelled,
        )


def _counted_on_labels(chosen: Induced, episode: Episode) -> Induced:
    """Return the rule with the evidence of the labelled rows, or no rule if it gets no more of them right.

    Chance has a hand in plausible rows: it must neither pick the class that is always said, nor hand
    anybody a rule that is worse on its own table than always saying the most frequent class.
    """
    evidence = search_rows(episode)
    staked = evidence.staked(episode.costs)
    at_stake = staked.masses.sum(axis=0)
    if (
        described(staked, chosen.rules, chosen.default, chosen.cost).errors
        < at_stake.sum() - at_stake.max() - 1e-9
    ):
        return described(evidence, chosen.rules, chosen.default, chosen.cost)
    nothing = tuple(() for _ in chosen.rules)
    return described(evidence, nothing, int(np.argmax(at_stake)), chosen.cost)


def _all_alike(costs: FloatArray) -> bool:
    return bool((costs == costs[0]).all())


def fair_price(chances: FloatArray) -> float:
    """Return the wrong rows that one bit of the rule must save: as many as in the description length.

    There a wrong row costs the bits that tell it from the right ones and name its class. The more
    rows are wrong anyway, the fewer these are, and the more rows a literal must set right.
    """
    wrong = float(np.clip(1 - chances.max(axis=1).mean(), 0.01, 0.35))
    bits_per_wrong_row = np.log2((1 - wrong) / wrong) + np.log2(chances.shape[1] - 1)
    return OBJECTIVE.price / float(bits_per_wrong_row)


class AlsoThese:
    """The symbolic proposer, and clauses from elsewhere."""

    def __init__(self, clauses: ClauseArray, rules: Iterable[Iterable[AnyClause]]) -> None:
        self.clauses = clauses
        self.rules = [clause for rule in rules for clause in rule if not isinstance(clause, IndexCount)]

    def __call__(self, task: OneVsRest, limits: Limits, rng: np.random.Generator) -> ClauseArray:
        """See :class:`nri.search.propose.Proposer`."""
        n_literals = 2 * task.n_variables
        proposed = SymbolicProposer()(task, limits, rng)
        return stacked([proposed, self.clauses, clause_array(self.rules, n_literals)], n_literals)


def reasons(told: Told, values: BoolArray, longest: int) -> ClauseArray:
    """Turn the network's open gates into clauses, each holding on the row that it is the reason for."""
    N = values.shape[1]
    rows = told.heard[told.heard < len(values)]
    values = values[rows]
    found = []
    for asked in told.reasons:
        gates = asked[: len(rows)]
        order = np.argsort(-gates, axis=1, kind="stable")[:, :longest]
        literals = np.where(np.take_along_axis(values, order, axis=1), order, order + N)
        found.append(np.where(np.take_along_axis(gates, order, axis=1) > 0, literals, 2 * N))
    return in_order(stacked(found, 2 * N), 2 * N)
