"""The search for classes: from a table and its features to a rule, its cuts moved where it needs them."""

from dataclasses import dataclass, replace

import numpy as np

from nri.episode import Cells, make_episode
from nri.induce import constraints, models
from nri.induce.assemble import assemble, branches_of, in_literals, literal_meanings, simplified
from nri.induce.canonical import CanonicalEpisode, canonical
from nri.induce.costs import cost_weighted, error_costs
from nri.induce.refine import cuts_of, rule_bits, sharpen
from nri.induce.settings import Settings
from nri.rule import Rule
from nri.rule.column import Columns
from nri.rule.truth import favour
from nri.search.limits import Limits
from nri.search.result import Induced
from nri.table.binarizer import Binarizer
from nri.table.table import Table

_SEARCHED_TWICE, _CLASSES_TWICE = 2000, 5
"""Most rows and classes with which a shorter rule is sought once cuts have moved; more take long."""
_LABELS_PLACE_CUTS = 200
"""Rows from which labels place the cuts of a rule better than the posterior that chose it has placed them."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A rule for one choice of features, in index space and about columns."""

    view: CanonicalEpisode
    induced: Induced
    rule: Rule


@dataclass(frozen=True, eq=False)
class ClassSearch:
    """What stays the same while rules for the classes of a table are sought."""

    table: Table
    settings: Settings
    rng: np.random.Generator
    among: int = 0
    """Literals that there would be if no columns had been chosen before; 0 if none were."""

    def search(self, features: Binarizer) -> tuple[Rule, Candidate]:
        """Return the best rule that is found, and what the model made of the features."""
        model = models.get_inducer(self.settings.model, stable=self.settings.stable)
        first = self.candidate(features, model)
        rule = first.rule
        if self.settings.binarize == "auto" and model.sharpens and self._labels_place_cuts(first.induced):
            rule = self._with_sharper_cuts(features, first)
        return _with_expected(rule, first), first

    def candidate(self, features: Binarizer, model: models.Inducer) -> Candidate:
        """Induce clauses on some features, and return them as a rule about columns."""
        table, settings = self.table, self.settings
        cells = cells_of(features, table.columns)
        view = canonical(
            make_episode(
                cells.values,
                cells.known,
                table.codes,
                table.weights,
                len(table.classes),
                cells.numbers,
                error_costs(table, settings),
                None if table.unlabelled is None else cells_of(features, table.unlabelled),
            ),
            literal_meanings(features.variables_, features.domain_),
            np.concatenate([features.groups_, features.number_groups_]),
            reorder=model.reorders,
        )
        limits = Limits(
            # more clauses than rows, or more literals than variables, are never of use, but would be tried
            max_clauses=min(settings.max_clauses, max(8, len(table))),
            max_literals=min(settings.max_literals, max(16, len(features.variables_))),
            allowed=constraints.allowed_literals(view.literals, settings),
            min_precision=settings.min_precision,
            required=constraints.required_literals(view.literals, settings, features.left_out_),
            counts=settings.counts,
            among=self.among,
        )
        induced = model.induce(view.episode, view.groups, limits, self.rng, table.positive)
        rule = assemble(
            induced,
            view.literals,
            features.domain_,
            table,
            negations=settings.negations,
            min_precision=settings.min_precision,
        )
        return Candidate(view, induced, rule)

    def _labels_place_cuts(self, induced: Induced) -> bool:
        """Whether cuts may move by labels: where these chose the rule, or are many and cost the same.

        Few labels would undo what a posterior saw, and fewer still decide where some of them cost more.
        """
        if induced.expected_bits is None:
            return True
        alike = error_costs(self.table, self.settings) is None
        return alike and float(self.table.weights.sum()) >= _LABELS_PLACE_CUTS

    def _with_sharper_cuts(self, features: Binarizer, first: Candidate) -> Rule:
        """Move cuts to where the rule needs them, and search once more for a shorter rule with these.

        That search is by the labels alone, in the columns of the rule. A rule that a posterior has chosen is
        replaced only by one that describes the labels in fewer bits than the posterior expects.
        """
        sharp = self._sharpened(features, first)
        many = self.table.weights.sum() > _SEARCHED_TWICE or len(self.table.classes) > _CLASSES_TWICE
        if sharp is first.rule or many:
            return sharp
        closer = features.narrowed(sharp.columns, cuts_of(sharp))
        again = self.candidate(closer, models.get_inducer("greedy"))
        other = self._sharpened(closer, again)
        n_literals = max(self.among, 2 * len(closer.variables_))
        weighted = cost_weighted(self.table, self.settings)
        bits, expected = rule_bits(other, weighted, n_literals), first.induced.expected_bits
        saved = rule_bits(sharp, weighted, n_literals) - bits
        return other if saved > 1e-6 and (expected is None or bits < expected) else sharp

    def _sharpened(self, features: Binarizer, candidate: Candidate) -> Rule:
        """Return a rule with its cuts moved, and simplified where that makes clauses alike."""
        columns = list(dict.fromkeys(literal.column for literal in candidate.view.literals))
        settings = self.settings
        sharp = sharpen(
            candidate.rule,
            cost_weighted(self.table, settings),
            columns,
            min_precision=settings.min_precision,
            fixed=constraints.fixed_columns(settings.knowledge),
        )
        if sharp is candidate.rule:
            return sharp
        return simplified(
            branches_of(sharp),
            sharp.default,
            features.domain_,
            self.table,
            negations=settings.negations,
            min_precision=settings.min_precision,
        )


def _with_expected(rule: Rule, first: Candidate) -> Rule:
    """Return the rule with the class shares that the model expects of new rows, branch by branch.

    Branches are found again by columns and comparisons: their cuts may have moved. Where a branch is another
    one, all keep the shares that were counted and shrunk.
    """
    expected, classes = first.induced.expected, rule.labels.classes
    if expected is None:
        return rule
    shapes = {
        (in_literals(clause, first.view.literals).shape, classes[c]): row
        for (c, clause), row in zip(first.induced.branches, expected[:-1], strict=True)
    }
    rows = [shapes.get((branch.clause.shape, branch.value)) for branch in rule.branches]
    if len(rows) != len(expected) - 1 or any(row is None for row in rows):
        return rule
    estimates = [
        replace(one, expected=tuple(favour(np.asarray(row), rule.labels.index(one.value)).tolist()))
        for one, row in zip(rule.estimates, [*rows, expected[-1]], strict=True)
    ]
    branches = [replace(b, estimate=one) for b, one in zip(rule.branches, estimates[:-1], strict=True)]
    return replace(rule, branches=tuple(branches), otherwise=estimates[-1])


def cells_of(features: Binarizer, columns: Columns) -> Cells:
    """Return the cells of columns as the model sees them."""
    return Cells(*features.cells(columns), features.numbers(columns))
