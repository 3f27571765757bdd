"""The path for tables of any size: rules are found on samples, and settled on all rows.

    profile -> sample -> induce_rules, as for any table                       a first rule
    -> histogram of its literals: what it does on all rows
    -> places around its cuts, counted on all rows                            sharper cuts
    -> rows on which it errs, drawn beside rows on which it does not          further literals
    -> histogram of all these literals -> the search, on all rows             the next rule, until nothing
    pays

Whatever is kept was compared on all rows with what was there before. Counts are whole numbers and rows are
drawn by their cells, so the answer does not depend on the order of rows, on threads or on the engine.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nri.arrays import BoolArray
from nri.engine.columns import decided
from nri.engine.histogram import (
    Histogram,
    Window,
    binarizer_of,
    fine,
    histogram,
    histogram_of_rule,
    literals_of,
    narrowed,
)
from nri.engine.profile import Profile
from nri.engine.sample import Drawn, draw
from nri.engine.sharper import first_window, next_window, place_found, with_borders
from nri.errors import InputError
from nri.induce import knowledge, models
from nri.induce.borders import Border, borders_of
from nri.induce.costs import at_stake, stakes
from nri.induce.path import find_rules, induce_rules
from nri.induce.settings import Settings
from nri.induce.sharpen import rule_bits, sharpen
from nri.induce.words import counted, least_precision, right_weight
from nri.rule import Dnf, Label, Literal, RuleSet, Value
from nri.table.table import Table
from nri.table.usable import LeftOut

ROUNDS = 5
"""Most rounds of looking for what a rule still gets wrong."""
_SLACK = 0.0005
"""Share of rows by which a rule that takes fewer bits may be worse than the best one seen."""
_PATTERNS = 300
"""Most different rows that literals may make of a sample; beyond, the search on all rows would take long."""

_MOST_PATTERNS = 1500
"""Different rows that the literals of a rule make of a sample; with more it stays as the sample gave it."""
_FEW_ROWS = 20_000
"""Rows up to which any rule is settled on all of them: there are no more patterns than rows."""
_WORTH_A_LOOK = 0.0005
"""Share of rows that a round must have gained for errors to be looked at once more."""
_REGIONS = 3
"""Classes that a rule says most often wrongly, whose rows are looked at again."""
_LEAST = 40
"""Fewer rows of a region tell nothing."""

Step = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class LargeInduction:
    """A rule for a table in an engine, counted on all of its rows."""

    ruleset: RuleSet
    left_out: tuple[LeftOut, ...]
    table: Table
    """all rows as groups that are alike to the rule, with their number as weight"""
    profile: Profile
    of_sample: RuleSet
    """the rule of the sample alone, counted on all rows"""
    right_of_sample: float
    """share of all rows that it decides rightly"""
    rounds: int
    """how often rows on which the rule errs were looked at"""

    @property
    def n_rows(self) -> int:
        """Rows that the rule was counted on."""
        return self.profile.target.n_rows

    @property
    def right_share(self) -> float:
        """Share of all rows that the rule decides rightly."""
        return right_weight(self.ruleset, self.table) / self.n_rows

    @property
    def note(self) -> str:
        """What it was counted on, and what it was looked for in."""
        searched = len(self.profile.sample.frame)
        gained = (
            f"right on {self.right_share:.2%} of them, the rule of the sample on {self.right_of_sample:.2%}"
        )
        return f"counted on all {self.n_rows} rows, looked for in samples of about {searched}; {gained}"


def induce_large(
    profile: Profile,
    settings: Settings | None = None,
    *,
    rng: np.random.Generator | None = None,
    step: Step = lambda text: None,
) -> LargeInduction:
    """Induce rules for the classes of a table in an engine.

    Parameters
    ----------
    profile
        The table, and a sample of its rows.
    settings
        What the rules may be.
    rng
        The only source of chance; seeded with 0 by default.
    step
        Told what is being done.
    """
    settings, rng = settings or Settings(), rng or np.random.default_rng(0)
    sample = profile.table(profile.sample)
    if settings.knowledge.keep is not None:
        raise InputError(
            "clauses can be kept (--keep) in tables that are read into memory only; use --engine memory"
        )
    step(f"searching a sample of {len(sample)} of {profile.target.n_rows} rows")
    first = induce_rules(sample, settings, rng=rng)
    resolved = replace(settings, knowledge=knowledge.resolved(settings.knowledge, sample))
    work = _Work(profile, resolved, sample, rng, step)
    coarse = work.if_long(first.ruleset)
    start = coarse or work.on_all_rows(literals_of([first.ruleset]))
    rule = work.recounted(first.ruleset, start)
    best, final, rounds = rule, start, 0
    if coarse is None and models.get_inducer(settings.model).sharpens:
        best, final, rounds = work.improved(rule, start)
    left_out = (*profile.left_out, *first.left_out)
    before = right_weight(rule, start.table) / profile.target.n_rows
    return LargeInduction(work.recounted(best, final), left_out, final.table, profile, rule, before, rounds)


@dataclass(frozen=True, eq=False)
class _Work:
    """What stays the same while rules come and go."""

    profile: Profile
    settings: Settings
    sample: Table
    rng: np.random.Generator
    step: Step

    def on_all_rows(self, literals: set[Literal]) -> Histogram:
        """Count all rows by some literals."""
        return histogram(self.profile, literals)

    def if_long(self, rule: RuleSet) -> Histogram | None:
        """Count a rule of so many literals that nearly every row differs to them; None for any other.

        Such a rule is counted on all rows and stays as the sample gave it: places and further literals would
        have to be judged among millions of patterns.
        """
        few = self.profile.target.n_rows <= _FEW_ROWS
        if few or self._patterns(literals_of([rule])) <= _MOST_PATTERNS:
            return None
        return histogram_of_rule(self.profile, rule)

    def recounted(self, ruleset: RuleSet, on: Histogram) -> RuleSet:
        """Return the same rules with the evidence of all rows."""
        # not weighted: each weight is a number of rows
        return replace(counted(_rules(ruleset), ruleset.default, on.table), weighted=False)

    def staked(self, table: Table) -> Table:
        """Return rows that weigh what an error on them costs."""
        return at_stake(table, stakes(table, self.settings))

    def improved(self, rule: RuleSet, on: Histogram) -> tuple[RuleSet, Histogram, int]:
        """Sharpen, look at errors, and choose on all rows, until nothing pays; also return all rows by it."""
        look, rounds = True, 0
        levels: dict[Border, tuple[Window, int]] = {}
        for rounds in range(1, ROUNDS + 1):
            self.step(f"round {rounds}: cuts and errors on all {self.profile.target.n_rows} rows")
            sharp = self.sharpened(rule, on, levels)
            asked = {x for one in sharp.values() for clause in one for x in clause}
            searched = self.affordable(asked, self.further(rule, on)) if look else set()
            literals = literals_of([rule]) | asked | searched
            if literals == literals_of([rule]) and not look:
                break
            wide = self.on_all_rows(literals)
            chosen = self.chosen([_rules(rule), sharp], rule.default, wide, searched)
            before = self.recounted(rule, wide)
            if _rules(chosen) == _rules(before) and chosen.default == before.default:
                break
            gain = (
                right_weight(chosen, wide.table) - right_weight(before, wide.table)
            ) / self.profile.target.n_rows
            look = gain > _WORTH_A_LOOK and bool(literals_of([chosen]) - asked)
            rule, on = chosen, narrowed(self.profile, wide, literals_of([chosen]))
        return rule, on, rounds

    def sharpened(
        self, rule: RuleSet, on: Histogram, levels: dict[Border, tuple[Window, int]]
    ) -> dict[Label, Dnf]:
        """Return the rules with each cut where all rows want it, the others being as they are.

        Parameters
        ----------
        rule, on
            The rule, and all rows as far as its literals see them.
        levels
            For borders that were looked at before, how finely; it is kept up to date.
        """
        fixed = knowledge.fixed_columns(self.settings.knowledge)
        places: dict[Border, Value] = {}
        if self.settings.binarize == "auto":
            for border in borders_of(rule):
                if border[0] not in fixed:
                    place = self._place(rule, on, border, levels)
                    places |= {} if place is None else {border: place}
        return with_borders(rule, places)

    def _place(
        self, rule: RuleSet, on: Histogram, border: Border, levels: dict[Border, tuple[Window, int]]
    ) -> Value | None:
        """Return a better place for one border; None if there is none, however finely one looks."""
        column = self.profile.columns[border[0]]
        last, level = levels.get(border, (None, -1))
        window = (
            first_window(border, column, self.sample)
            if last is None
            else next_window(last, column, column.as_number(border[1]), level)
        )
        while window is not None:
            level += 1
            table = self.staked(fine(self.profile, on, window))
            found = sharpen(
                rule,
                table,
                sorted(rule.columns),
                min_precision=self.settings.min_precision,
                fixed=set(rule.columns) - {border[0]},
            )
            place = place_found(rule, found, border)
            if place is not None:
                levels[(border[0], place)] = (window, level)
                return place
            levels[border] = (window, level)
            window = next_window(window, column, column.as_number(border[1]), level)
        return None

    def further(self, rule: RuleSet, on: Histogram) -> list[Literal]:
        """Return literals that tell rows on which a rule errs from rows on which it says the same rightly."""
        classes = self.profile.target.labels.classes
        n = len(classes)
        said = rule.predict_index(on.table.columns, len(on.table))
        cells = np.zeros((n, n))
        np.add.at(cells, (said, on.table.codes), on.table.weights)
        wrong = cells.sum(axis=1) - np.diag(cells)
        regions = [k for k in np.argsort(-wrong, kind="stable").tolist() if wrong[k] > 0][:_REGIONS]
        shares = np.zeros((n, n))
        size = len(self.sample) / max(len(regions), 1)
        for region in regions:
            present = int((cells[region] > 0).sum())
            shares[region] = np.minimum(1.0, size / present / np.maximum(cells[region], 1.0))
        if not shares.any():
            return []
        order = [classes.index(decision.label) for decision in rule.decisions] + [classes.index(rule.default)]
        number = decided([decision.clause for decision in rule.decisions], self.profile.columns)
        region_sql = f"CASE {number}" + "".join(f" WHEN {i} THEN {k}" for i, k in enumerate(order)) + " END"
        stratum = f"({region_sql}) * {n} + {self.profile.target.code}"
        drawn = draw(
            self.profile.rows,
            self.profile.hashed,
            self.profile.raw,
            self.profile.target.code,
            stratum,
            shares.reshape(-1).tolist(),
        )
        found: list[Literal] = []
        for region in regions:
            found += self._told_apart(drawn, drawn.strata // n == region)
        return found

    def _told_apart(self, drawn: Drawn, rows: BoolArray) -> list[Literal]:
        """Search rows that the rule takes for one class for what tells their classes apart."""
        table = self.profile.table(drawn).take(rows).about(None)
        if len(table) < _LEAST or len(np.unique(table.codes)) < 2:
            return []
        free = replace(self.settings, min_precision=0.0, costs=None)
        found = induce_rules(table, free, rng=self.rng).ruleset
        return sorted(literals_of([found]), key=lambda literal: literal.sort_key)

    def affordable(self, asked: set[Literal], further: Sequence[Literal]) -> set[Literal]:
        """Return what is asked for and as many further literals as a histogram can hold."""
        chosen = set(asked)
        for literal in dict.fromkeys(further):
            wider = {*chosen, literal}
            if literal.column in self.profile.columns and self._patterns(wider) <= _PATTERNS:
                chosen = wider
        return chosen

    def _patterns(self, literals: set[Literal]) -> int:
        """How many different rows literals make of the sample."""
        values, known = binarizer_of(self.profile, literals).cells(self.sample.columns, len(self.sample))
        return len(np.unique(np.packbits(np.concatenate([values, known], axis=1), axis=1), axis=0))

    def chosen(
        self, rules: Sequence[dict[Label, Dnf]], default: Label, on: Histogram, searched: set[Literal]
    ) -> RuleSet:
        """Choose among rules and what the search makes of some literals, all judged on all rows."""
        candidates = [counted(one, default, on.table) for one in rules]
        if searched:
            binarizer = binarizer_of(self.profile, searched)
            greedy = models.get_inducer("greedy")
            candidates.append(find_rules(on.table, self.settings, binarizer, greedy, self.rng).ruleset)
        staked = self.staked(on.table)
        n_literals = 2 * len(on.literals)
        right = [right_weight(one, staked) / staked.weights.sum() for one in candidates]
        precise = [least_precision(one) >= self.settings.min_precision for one in candidates]

        def key(place: int) -> tuple[bool, bool, float, int]:
            bits = round(rule_bits(candidates[place], staked, n_literals), 6)
            return not precise[place], right[place] < max(right) - _SLACK, bits, place

        return replace(candidates[min(range(len(candidates)), key=key)], weighted=False)


def _rules(ruleset: RuleSet) -> dict[Label, Dnf]:
    return {one.label: one.rule for one in ruleset.rules}
