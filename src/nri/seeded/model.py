"""The seeded model: a posterior first, then the rule that is best under it.

    labels -> rules that describe them well, the cheapest first
              (where labels are very many, it is taken)
           -> posterior: experts, network and a mixture of these rules on any row
           -> plausible rows with their class chances, beside the labelled rows
           -> the rule with the least expected error, and a price for its length

With few rows the plausible ones decide; with many the labels do, which keep their full weight. Where labels
follow a rule the mixture has nearly all of the posterior, and the rule that is best under it is that rule.
"""

from dataclasses import dataclass, replace

import numpy as np

from nri.arrays import BoolArray, FloatArray, IntArray, rounded
from nri.episode import Cells, Episode, stacked_cells
from nri.search.clauses import ClauseArray, IndexCount, clause_array, in_order, members, stacked
from nri.search.greedy import described, induce
from nri.search.limits import Limits
from nri.search.objective import DescriptionLength, ExpectedError
from nri.search.propose import SymbolicProposer
from nri.search.result import HeldOutChances, Induced
from nri.search.rows import search_rows
from nri.seeded.posterior import Beliefs, Posterior
from nri.seeded.sample import Sample, distinct_rows, plausible_rows, take_sample
from nri.weights import SeededNetwork

OBJECTIVE = DescriptionLength()  # What the labels alone go by.


@dataclass(frozen=True)
class PathConfig:
    """The constants of the path from labels to a rule; chosen on means over data sets, never for one."""

    sample_rows: int = 500  # Most rows that form the posterior of a search; all labels count in the end.
    posterior_rows: int = 1500  # The same when the probabilities of the posterior are wanted.
    plausible_rows: int = 600  # Plausible rows that it is evaluated on; rows without a label replace them.
    unlabelled_rows: int = 1000  # Most rows without a label that it is evaluated on.
    network_rows: int = 200  # Rows that the network evaluates while a rule is sought; the experts take all.
    price_share: float = 0.5
    """Share of the fair price that a bit of the rule costs: a posterior misleads less than bare labels."""
    rules_decide: float = 0.5  # Share of the mixture of rules above which the labels' rule is taken as it is.
    likely_column: float = 0.5  # Least chance that the true rule names a column of a rule that errs.
    likely_choice: float = 0.8  # The same for a column of several variables, of which labels chose one.
    most_weight: float = 300.0  # How many labelled rows the plausible ones weigh, all together, at most.
    weight_of_both: float = 15_000.0
    """Their weight times that of the labelled rows, at most: the more labels, the less they count."""
    labels_suffice: float = 700.0  # Labelled rows beside which they do not count at all.
    price_alone: float = 1.0
    """Bits that a bit of a rule for two classes costs there: at 0.7 rules were longer and no better."""
    label_share: float = 0.5  # How much of a labelled row's chances is its label; the rest is the posterior.
    least_support: float = 0.25
    """Chance that a rule of the labels names a column, below which its literals are dear."""
    unsupported_price: float = 4.0  # How many times its bits such a literal costs.
    least_association: float = 2.5
    """Standard errors by which a column must go with a class for its literals not to be dear."""
    against_price: float = 2.0  # How many times its bits a literal against its column's association costs.
    few_classes: int = 5  # Most classes with a rule of the labels alone; with more it never was better.


class SeededModel:
    """Finds the rule that is best under the posterior of experts, rules and network."""

    sharpens = True
    reorders = True

    def __init__(self, config: PathConfig | None = None, network: SeededNetwork | None = None) -> None:
        self.config = config or PathConfig()
        self.network = network

    def induce(self, episode: Episode, groups: IntArray, limits: Limits, rng: np.random.Generator) -> Induced:
        """See :class:`nri.search.result.Inducer`."""
        # no posterior is needed where labels are very many, or must have a precision of their own
        many = bool(episode.weights.sum() >= self.config.labels_suffice)
        suffice = many or limits.min_precision > 0
        by_labels = None
        if suffice or episode.n_classes <= self.config.few_classes:
            by_labels = self._rule_of_labels(episode, groups, limits, rng, many=many)
        priced = by_labels.priced if by_labels else ()
        sample = take_sample(episode, self.config.posterior_rows, rng)
        posterior = Posterior(sample, groups, self.network, priced)
        if by_labels and suffice:
            return replace(by_labels, posterior=posterior)
        sample = take_sample(episode, self.config.sample_rows, rng)
        plausible = self._further_rows(episode, sample, groups, rng)
        rows, which = distinct_rows(episode)
        seeking = Posterior(sample, groups, self.network, priced)
        beliefs = seeking.evaluate(stacked_cells(plausible, rows), self.config.network_rows)
        of_plausible, of_rows = np.split(rounded(beliefs.chances), [len(plausible)])
        held_out = HeldOutChances(sample.rows, rounded(beliefs.left_out) * sample.weights[:, None])
        if by_labels and beliefs.rule_share > self.config.rules_decide:
            chosen = self._probable_rule(by_labels, beliefs.column_support, groups, episode)
            return replace(chosen, posterior=posterior, held_out=held_out)
        by_network = reasons(beliefs, plausible.values, limits.max_literals)
        clauses = [clause for _, clause in by_labels.branches] if by_labels else []
        conjunctions = [clause for clause in clauses if not isinstance(clause, IndexCount)]
        further = (by_network, clause_array(conjunctions, 2 * episode.n_variables))
        labels = np.eye(episode.n_classes)[episode.labels]
        believed = self.config.label_share * labels + (1 - self.config.label_share) * of_rows[which]
        under_posterior = induce(
            self._with_rows(episode, plausible, of_plausible),
            rng=rng,
            propose=SymbolicProposer(further=further),
            limits=limits,
            objective=ExpectedError(self.config.price_share * fair_price(of_plausible)),
            groups=groups,
            prices=self._prices(beliefs, groups, episode),
            against_price=self.config.against_price,
            posterior=np.concatenate([believed, of_plausible]),
        )
        return replace(
            _counted_on_labels(under_posterior, episode),
            posterior=posterior,
            expected_bits=beliefs.label_bits * float(episode.weights.sum()),
            held_out=held_out,
            found_by=under_posterior.found_by,
        )

    def _rule_of_labels(
        self, episode: Episode, groups: IntArray, limits: Limits, rng: np.random.Generator, *, many: bool
    ) -> Induced:
        """Return the rule that describes the labels best; of few classes with the rules near it."""
        alone = many and episode.n_classes == 2  # where a rule must be worth its length
        return induce(
            episode,
            rng=rng,
            limits=limits,
            objective=replace(OBJECTIVE, price=self.config.price_alone) if alone else OBJECTIVE,
            groups=groups,
            near=episode.n_classes <= self.config.few_classes,
        )

    def _probable_rule(
        self, by_labels: Induced, support: FloatArray | None, groups: IntArray, episode: Episode
    ) -> Induced:
        """Return the cheapest rule of the mixture whose columns are all likely, if there is one."""
        # Of the models of a mixture that one predicts best (the median probability model). Where no label is
        # wrong, this holds for columns of several variables only, among which labels have chosen.
        if episode.n_classes != 2 or support is None or not by_labels.branches:
            return by_labels
        search, _, pricings = by_labels.found_by
        evidence, weighted, n_variables = search_rows(episode), search.evidence, episode.n_variables
        several = np.bincount(groups[:n_variables], minlength=len(support)) > 1
        single = self.config.likely_column if by_labels.errors > 1e-9 else 0.0
        probable = rounded(support) >= np.where(several, self.config.likely_choice, single)
        usable = np.tile(probable[groups[:n_variables]], 2)
        constant = weighted.total - weighted.masses.sum(axis=0).max()
        candidates = []
        for target in search.targets:
            most_errors = min(pricings[target].most_errors, constant - 1e-6) + 1e-7
            for rule, bits in zip(by_labels.priced[target].rules, by_labels.priced[target].bits, strict=True):
                if not rule or not all(usable[list(members(clause))].all() for clause in rule):
                    continue
                branches = tuple((target, clause) for clause in rule)
                errors = described(weighted, branches, 1 - target, 0.0).errors
                if errors <= most_errors:  # rules stand in the order of their costs
                    cost = float(search.objective.cost(np.array(errors), bits, weighted.total))
                    candidates.append(described(evidence, branches, 1 - target, cost))
                    break
        best = min(candidates, key=lambda one: round(one.cost, 7), default=by_labels)
        return replace(best, priced=by_labels.priced, found_by=by_labels.found_by)

    def _further_rows(
        self, episode: Episode, sample: Sample, groups: IntArray, rng: np.random.Generator
    ) -> Cells:
        """Return rows to evaluate: real ones whose class is unknown, and plausible ones if these are few."""
        real, wanted = episode.unlabelled, self.config.plausible_rows
        if len(real) > self.config.unlabelled_rows:
            real = real.take(np.sort(rng.choice(len(real), self.config.unlabelled_rows, replace=False)))
        if len(real) >= wanted:
            return real
        return stacked_cells(real, plausible_rows(sample, groups, wanted - len(real), rng))

    def _prices(self, beliefs: Beliefs, groups: IntArray, episode: Episode) -> FloatArray:
        """[2N], how many times its bits a literal costs: more where nothing speaks for its column."""
        n_variables = episode.n_variables
        if beliefs.column_support is None:
            return np.ones(2 * n_variables)
        columns = groups[:n_variables]
        dear = rounded(beliefs.column_support)[columns] < self.config.least_support
        associated = rounded(association(episode)) > self.config.least_association
        dear &= ~np.isin(columns, columns[associated])
        return np.tile(np.where(dear, self.config.unsupported_price, 1.0), 2)

    def _with_rows(self, episode: Episode, plausible: Cells, chances: FloatArray) -> Episode:
        """Return the table with the plausible rows below it."""
        labelled = float(episode.weights.sum())
        weight = min(self.config.most_weight, self.config.weight_of_both / labelled) / len(plausible)
        rows = stacked_cells(episode, plausible)
        return replace(
            episode,
            values=rows.values,
            known=rows.known,
            numbers=rows.numbers,
            labels=np.concatenate([episode.labels, chances.argmax(axis=1)]),
            weights=np.concatenate([episode.weights, np.full(len(plausible), weight)]),
        )


def _counted_on_labels(chosen: Induced, episode: Episode) -> Induced:
    """Return the rule with the evidence of the labelled rows, or no rule if it gets no more of them right."""
    # plausible rows are drawn by chance: they must not pick the class that is always predicted
    evidence = search_rows(episode)
    weighted = evidence.priced(episode.prices)
    of_classes = weighted.masses.sum(axis=0)
    errors = described(weighted, chosen.branches, chosen.default, chosen.cost).errors
    if errors < weighted.total - of_classes.max() - 1e-9:
        return described(evidence, chosen.branches, chosen.default, chosen.cost)
    return described(evidence, (), int(np.argmax(of_classes)), chosen.cost)


def association(episode: Episode) -> FloatArray:
    """[N], how many standard errors the rows of a variable differ from the others in the share of a class."""
    weights = episode.weights[:, None]
    known = weights * episode.known
    size = np.maximum(known.sum(axis=0), 1e-9)
    value = np.where(episode.known, episode.values, 0.0)
    mean = (weights * value).sum(axis=0) / size
    centred = np.where(episode.known, value - mean, 0.0)
    classes = np.eye(episode.n_classes)[episode.labels]
    shares = episode.weights @ classes / max(episode.weights.sum(), 1e-9)
    covariance = (weights * centred).T @ (classes - shares)
    spread = np.sqrt(np.maximum(mean * (1 - mean), 1e-9)[:, None] * (shares * (1 - shares)))
    return np.asarray((np.abs(covariance) / np.maximum(spread * np.sqrt(size)[:, None], 1e-9)).max(axis=1))


def fair_price(chances: FloatArray) -> float:
    """Return the wrong rows that one bit of the rule must save, as many as in the description length.

    The more rows are wrong anyway, the fewer bits each costs, and the more rows a literal must set right.
    """
    wrong = float(np.clip(1 - chances.max(axis=1).mean(), 0.01, 0.35))
    bits_per_wrong_row = np.log2((1 - wrong) / wrong) + np.log2(chances.shape[1] - 1)
    return OBJECTIVE.price / float(bits_per_wrong_row)


def reasons(beliefs: Beliefs, values: BoolArray, longest: int) -> ClauseArray:
    """Turn the network's open gates into clauses, each holding on the row that it is the reason for."""
    N = values.shape[1]
    rows = beliefs.network_rows[beliefs.network_rows < len(values)]
    values = values[rows]
    clauses = []
    for of_class in beliefs.reasons:
        gates = rounded(of_class[: len(rows)])
        order = np.argsort(-gates, axis=1, kind="stable")[:, :longest]
        literals = np.where(np.take_along_axis(values, order, axis=1), order, order + N)
        clauses.append(np.where(np.take_along_axis(gates, order, axis=1) > 0, literals, 2 * N))
    return in_order(stacked(clauses, 2 * N), 2 * N)
