"""An expert that believes in rules: a Bayesian mixture over the rules that a search has priced.

Its prior is by description length, its likelihood by the labels that it gets wrong: with some chance they
hold no noise, else each is wrong at one unknown rate. What it would say without a label has a closed form.
"""

import numpy as np
from scipy.special import betaln, logsumexp

from nri.arrays import BoolArray, FloatArray, IntArray
from nri.episode import Cells, literal_truth
from nri.search.candidates import clause_truth
from nri.search.clauses import clause_array, members
from nri.search.objective import LN2, DescriptionLength
from nri.search.result import PricedRules

OBJECTIVE = DescriptionLength()


class RuleMixture:
    """Chances of one class against the rest by a mixture of rules, weighed by their bits and errors.

    ``rules`` holds rules and whether they speak about the class; else they speak about all others.
    """

    def __init__(
        self, rules: list[tuple[PricedRules, bool]], cells: Cells, positive: BoolArray, weights: FloatArray
    ) -> None:
        self._n_variables = cells.values.shape[1]
        of_rules = [rule for priced, _ in rules for rule in priced.rules]
        self._about = np.repeat([about for _, about in rules], [len(priced.rules) for priced, _ in rules])
        self._clauses = list(dict.fromkeys(clause for rule in of_rules for clause in rule))
        place = {clause: i for i, clause in enumerate(self._clauses)}
        self._index = clause_array([tuple(map(place.__getitem__, rule)) for rule in of_rules], len(place))
        """[R, longest], the clauses of each rule; one that never fires fills up"""
        bits = np.concatenate([priced.bits for priced, _ in rules])
        prior = -OBJECTIVE.price * LN2 * bits
        wrong = self._predicted(cells) != positive  # [R, M]
        errors, total = wrong @ weights, float(weights.sum())
        likelihood, self.noise = _likelihood(errors, total)
        log_weights = prior + likelihood
        self.weights = np.exp(log_weights - logsumexp(log_weights))
        units, of_row = np.unique(np.minimum(weights, 1.0), return_inverse=True)  # few: mostly 1
        # by the other rows, where the left-out unit is one of the right ones, and where it is a wrong one
        if_right, noise_if_right = _likelihood(errors[:, None], total - units)
        if_wrong, noise_if_wrong = _likelihood(errors[:, None] - units, total - units)
        noise = np.where(wrong, noise_if_wrong[:, of_row], noise_if_right[:, of_row])
        without = prior[:, None] + np.where(wrong, if_wrong[:, of_row], if_right[:, of_row])
        share = np.exp(without - logsumexp(without, axis=0))
        right = (share * np.where(wrong, noise, 1 - noise)).sum(axis=0)
        self.left_out = np.where(positive, right, 1 - right)
        """[M], chances of the support rows, each formed without one unit of the row."""

    def chances(self, cells: Cells) -> FloatArray:
        """[S], chances of the class on S rows."""
        predicted = self._predicted(cells)
        return np.asarray(self.weights @ np.where(predicted, 1 - self.noise[:, None], self.noise[:, None]))

    def columns(self, groups: IntArray) -> tuple[FloatArray, float]:
        """[columns], chance that a rule names each column, and how many literals about numbers it has.

        ``groups`` [N + F] numbers the columns of variables and of numbers.
        """
        n_columns, of_number = int(groups.max(initial=-1)) + 1, np.unique(groups[self._n_variables :])
        of_clauses = np.zeros((len(self._clauses) + 1, n_columns))
        for place, clause in enumerate(self._clauses):
            np.add.at(of_clauses[place], groups[np.array(members(clause), dtype=int) % self._n_variables], 1)
        literals = of_clauses[self._index].sum(axis=1)
        return self.weights @ (literals > 0), float(self.weights @ literals[:, of_number].sum(axis=1))

    def _predicted(self, cells: Cells) -> BoolArray:
        """[R, S], where each rule is for the class."""
        fires = np.zeros((len(self._clauses) + 1, len(cells)), dtype=bool)
        fires[:-1] = clause_truth(literal_truth(cells.values, cells.known), self._clauses)
        holds = fires[self._index[:, 0]]
        for clause in self._index.T[1:]:
            holds |= fires[clause]
        return np.asarray(holds == self._about[:, None])


def _likelihood(errors: FloatArray, total: FloatArray | float) -> tuple[FloatArray, FloatArray]:
    """Log-likelihood of labels of which so many are wrong, and the chance that one more row is."""
    more, right = np.maximum(errors, 0.0) + 1, np.maximum(total - errors, 0.0)
    clean = np.where(errors < 1e-9, np.log(OBJECTIVE.clean_chance), -np.inf)
    noisy = np.log(1 - OBJECTIVE.clean_chance) + betaln(more, right + 1)
    likelihood = np.logaddexp(clean, noisy)
    return likelihood, np.exp(noisy - likelihood) * more / (total + 2)
