"""Alternatives: other rules that are nearly as good as the best one, for a person to choose from.

Nothing is proposed anew: the candidates and the posterior that the best rule was chosen by give the best rule
without each of its columns, the best rule of each number of lines, and rules near the best. Each is judged by
the labelled rows, as the model sees them without their labels, against the best rule row by row.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nri.arrays import FloatArray, one_thread
from nri.errors import InputError
from nri.induce.assemble import assemble, coded_predictions, with_plain_values
from nri.induce.classes import LABEL_PART, Candidate, ClassSearch, with_expected
from nri.induce.constraints import error_costs
from nri.induce.induce import Searched, prepared, searched
from nri.induce.refine import sharpened
from nri.induce.segments import ScorePosterior, SegmentSearch
from nri.induce.settings import Settings, shown, whole
from nri.outcome import Number
from nri.outcome.score import LEVEL, Interval, effective_rows
from nri.rows.memory import MemoryRows
from nri.rule import Rule
from nri.search.result import Induced
from nri.table.binarizer import Binarizer
from nri.table.table import Table

_WIDER, _WIDER_BY_LABELS, _WIDER_SEGMENTS = 1.2, 3.0, 4.0
"""What the variance of a difference is multiplied by so that intervals hold on new rows (docs/log.md): the
second where labels alone judge, which chose the rules, the third of numbers and survival."""
_MORE_ROWS = 1.0
"""Rows on which two rules disagree beyond those seen: rules that agree on all rows may differ on new ones."""
_STAND_INS = 3
"""Columns, one after the other, that are tried in the place of one."""
_LEAST_SHOWN = 0.0005
"""Differences below are said to be none."""


@dataclass(frozen=True)
class Alternative:
    """A rule beside the best one."""

    rule: Rule
    lines: int
    """branches beside the ELSE"""
    literals: int
    columns: tuple[str, ...]
    score: float
    """to expect on new rows"""
    difference: float
    """of this score to that of the best rule"""
    interval: Interval
    """95 %, of the difference"""
    words: str
    """what sets it apart"""


@dataclass(frozen=True)
class ColumnWorth:
    """What a column of the best rule is worth: the best rule without it."""

    column: str
    without: Alternative
    stand_ins: tuple[str, ...]
    """columns any one of which can take its place in a rule that is nearly as good"""


@dataclass(frozen=True)
class Alternatives:
    """The best rule, rules that are nearly as good, what columns are worth and what lines bring."""

    measure: str
    """accuracy, cost (where errors have costs; less is better), R² or concordance"""
    within: float
    """how much worse than the best an alternative may be"""
    best: Alternative
    others: tuple[Alternative, ...]
    """short ones first"""
    columns: tuple[ColumnWorth, ...]
    """those of the best rule, the dearest to do without first"""
    groups: tuple[tuple[str, ...], ...]
    """columns that can stand in for each other"""
    frontier: tuple[Alternative, ...]
    """the best rule of one line, of two, ..."""

    @property
    def rules(self) -> tuple[Alternative, ...]:
        """The best rule, then the others: what a person chooses from, by number."""
        return (self.best, *self.others)

    @property
    def shortest(self) -> Alternative:
        """The first of the frontier whose difference to the best is within its error."""
        return next((one for one in self.frontier if one.interval.low <= 0 <= one.interval.high), self.best)


@one_thread()
def alternatives(
    table: Table,
    settings: Settings | None = None,
    within: float = 0.01,
    most: int = 20,
    *,
    rng: np.random.Generator | None = None,
) -> Alternatives:
    """Return the best rule for a table and others that are nearly as good.

    Parameters
    ----------
    table
        The support rows, with a target; see :func:`nri.read_table`. Of a long table a sample is searched.
    settings
        What the rules may be.
    within
        How much less than that of the best rule the score of others may be: 0.01 is one point.
    most
        How many others there are at most.
    rng
        The only source of chance; seeded with 0 by default.

    Raises
    ------
    InputError
        If no column can be used, or a setting cannot be met.

    Examples
    --------
    >>> from nri import read_table
    >>> shelf = alternatives(read_table("docs/examples/visits.csv", "flu"), within=0.03)
    >>> print(shelf.others[0].words)
    without `body_aches`, 0.7 points less
    """
    settings, rng = settings or Settings(), rng or np.random.default_rng(0)
    if isinstance(within, bool) or not isinstance(within, int | float) or not 0 <= within < math.inf:
        raise InputError(f"within is {shown(within)}; give a difference of scores, 0 or more, e.g. 0.01")
    if whole("most", most) < 1:
        raise InputError(f"most is {most}, but there must be room for a rule: use 1 or more")
    if settings.knowledge.keep is not None:
        raise InputError("keep fixes the clauses of a rule, so that there are no others; drop it")
    table, settings = prepared(table, settings)
    if len(table) > table.explained.searched_rows:
        rows = MemoryRows(table)
        table = rows.sample(rows.size)
    found = searched(table, settings, rng)
    if found.segments is not None:
        return _Shelf(_SegmentRules(found, settings, *found.segments), within, most).filled()
    if found.classes is None:
        name = table.explained.name
        raise InputError(f"{name!r} is the same in all rows, so that there is no rule; give rows that differ")
    return _Shelf(_ClassRules(found, settings, *found.classes), within, most).filled()


class _Rules(ABC):
    """Where the rules of a search come from, and how they are judged on its rows."""

    measure: str
    wider: float = _WIDER_BY_LABELS

    def __init__(self, found: Searched, settings: Settings) -> None:
        self.table, self.settings = found.table, settings
        self.best = with_plain_values(found.induction.rule, found.table).settled
        self.n_rows = effective_rows(self.table.weights)

    @abstractmethod
    def without(self, names: Collection[str]) -> Rule:
        """Return the best rule that does not read some columns."""

    @abstractmethod
    def others(self, lines: int, most: int) -> Iterator[Rule]:
        """Yield further rules, of each number of lines the best first; the best rule has so many lines."""

    @abstractmethod
    def score(self, predicted: NDArray[Any]) -> float:
        """Return what to expect of predictions [M] on new rows."""

    @abstractmethod
    def spread(self, predicted: NDArray[Any], best: NDArray[Any]) -> tuple[float, FloatArray]:
        """Return the variance of the difference of two scores, and [M], how far each row moves it."""

    def predicted(self, rule: Rule) -> NDArray[Any]:
        """[M]: class indices, numbers or risks."""
        return coded_predictions(rule, self.table)

    def error(self, predicted: NDArray[Any], best: NDArray[Any]) -> float:
        """Return the standard error of the difference of two scores; rows of one group count together."""
        variance, moves = self.spread(predicted, best)
        variance += _MORE_ROWS / self.n_rows**2
        if self.table.groups is not None and (alone := float(moves @ moves)) > 0:
            together = np.bincount(self.table.groups.codes, moves)
            variance *= max(1.0, float(together @ together) / alone)
        return math.sqrt(self.wider * variance)


class _ClassRules(_Rules):
    """Rules for classes, by what is believed of the labelled rows without their labels, and by these."""

    def __init__(
        self,
        found: Searched,
        settings: Settings,
        search: ClassSearch,
        features: Binarizer,
        first: Candidate,
    ) -> None:
        super().__init__(found, settings)
        if first.induced.choices is None:
            raise InputError(f"model {settings.model!r} has no other rules; use 'seeded' or 'greedy'")
        self.search, self.features, self.first, self.choices = search, features, first, first.induced.choices
        costs = error_costs(self.table, settings) if settings.weighs_errors else None
        self.measure = "accuracy" if costs is None else "cost"
        self.costs = np.ones(len(self.table.classes)) if costs is None else costs
        self.rows, self.masses = np.arange(len(self.table)), self.table.class_weights
        held_out = first.induced.held_out
        if held_out is not None:
            self.rows, self.wider = first.view.rows[held_out.rows], _WIDER
            labels = np.eye(len(self.costs))[self.table.codes[self.rows]]
            labels *= held_out.masses.sum(axis=1, keepdims=True)
            self.masses = LABEL_PART * labels + (1 - LABEL_PART) * held_out.masses
        self.masses = self.masses / self.masses.sum()

    def without(self, names: Collection[str]) -> Rule:
        """Choose from the candidates that do not read the columns."""
        banned = np.array([literal.column in names for literal in self.first.view.literals])
        return self._in_columns(self.choices.without(banned))

    def others(self, lines: int, most: int) -> Iterator[Rule]:
        """Yield what the search has looked at or has near by."""
        view = self.first.view
        return map(self._in_columns, self.choices.others(view.groups[: view.episode.n_variables], most))

    def _in_columns(self, induced: Induced) -> Rule:
        """Return a rule about columns, its cuts moved where those of the best rule were."""
        first, features, table = self.first, self.features, self.table
        rule = assemble(induced, first.view.literals, features.domain_, table, self.settings)
        if self.settings.binarize == "auto" and self.search.labels_place_cuts(first):
            rule = sharpened(self.search, features, Candidate(first.view, induced, rule))
        return with_plain_values(with_expected(rule, first, table), table).settled

    def score(self, predicted: NDArray[Any]) -> float:
        """Return the share of right rows, or what a row costs."""
        right = np.eye(len(self.costs))[predicted[self.rows]]
        wrong = float((self.masses * self.costs * (1 - right)).sum())
        return 1 - wrong if self.measure == "accuracy" else wrong

    def spread(self, predicted: NDArray[Any], best: NDArray[Any]) -> tuple[float, FloatArray]:
        """Count rows that one of both has right and the other has not."""
        apart = (np.eye(len(self.costs))[predicted] - np.eye(len(self.costs))[best]) * self.costs
        expected = self.masses * apart[self.rows]
        variance = float((expected * apart[self.rows]).sum()) - float(expected.sum()) ** 2
        own = apart[np.arange(len(apart)), self.table.codes]
        share = self.table.weights / self.table.weights.sum()
        return max(variance, 0.0) / self.n_rows, share * (own - share @ own)


class _SegmentRules(_Rules):
    """Rules for a number or survival, by the rows that they were counted on."""

    wider = _WIDER_SEGMENTS

    def __init__(
        self,
        found: Searched,
        settings: Settings,
        search: SegmentSearch,
        features: Binarizer,
    ) -> None:
        super().__init__(found, settings)
        self.search, self.features, self.outcome = search, features, search.outcome
        self.rule, posterior = found.induction.rule, found.induction.posterior
        self.posterior = posterior if isinstance(posterior, ScorePosterior) else None
        self.measure = self.outcome.score(self.predicted(self.best), self.table.weights).measure

    def without(self, names: Collection[str]) -> Rule:
        """Search the other columns by the same scores."""
        return self._plain(self.search.again(self.features, self.rule, self.posterior, without=names))

    def others(self, lines: int, most: int) -> Iterator[Rule]:
        """Yield the rules of fewer lines."""
        for fewer in range(1, lines):
            yield self._plain(self.search.again(self.features, self.rule, self.posterior, lines=fewer))

    def _plain(self, rule: Rule) -> Rule:
        return with_plain_values(rule, self.table).settled

    def predicted(self, rule: Rule) -> NDArray[Any]:
        """[M]: risks, or numbers without what each row adds to the mean of its own branch."""
        predicted = super().predicted(rule)
        if not isinstance(self.outcome, Number):
            return predicted
        weights = self.table.weights
        branch = rule.decide(self.table.columns, len(self.table))
        others = np.bincount(branch, weights)[branch] - weights
        return predicted + (predicted - self.outcome.values) * weights / np.maximum(others, weights)

    def score(self, predicted: NDArray[Any]) -> float:
        """Return the share of variance that is explained, or the concordance."""
        return self.outcome.influences(predicted, self.table.weights)[0]

    def spread(self, predicted: NDArray[Any], best: NDArray[Any]) -> tuple[float, FloatArray]:
        """Compare how far each row moves either score."""
        one, other = (self.outcome.influences(each, self.table.weights)[1] for each in (predicted, best))
        return float((one - other) @ (one - other)), one - other


class _Shelf:
    """The rules of a search, judged against its best one."""

    def __init__(self, rules: _Rules, within: float, most: int) -> None:
        self.rules, self.best, self.within, self.most = rules, rules.best, within, most
        self.predicted = rules.predicted(self.best)
        self.score = rules.score(self.predicted)

    def filled(self) -> Alternatives:
        """Find all rules, and keep those that are good or tell what a column or a line is worth."""
        best = self._judged(self.best)
        columns, found = [], []
        for name in self.best.columns:
            if name not in self.rules.settings.require:
                worth, chain = self._worth(name)
                columns.append(worth)
                found += chain
        others = [self._judged(rule) for rule in self.rules.others(best.lines, self.most)]
        columns.sort(key=lambda one: (-self._loss(one.without), one.column))
        groups = {tuple(sorted((one.column, *one.stand_ins))) for one in columns if one.stand_ins}
        return Alternatives(
            self.rules.measure,
            self.within,
            best,
            self._shown(best, [*found, *others]),
            tuple(columns),
            tuple(sorted(groups)),
            _frontier([one for one in (best, *others) if one.lines <= best.lines + 1]),
        )

    def _worth(self, column: str) -> tuple[ColumnWorth, list[Alternative]]:
        """Do without a column, then also without the column that came in its place, and so on."""
        chain, banned = [self._judged(self.rules.without([column]))], [column]
        while self._loss(chain[-1]) <= self.within and len(banned) <= _STAND_INS:
            new = [name for name in chain[-1].columns if name not in self.best.columns]
            if len(new) != 1:
                break
            banned += new
            chain.append(self._judged(self.rules.without(banned)))
        return ColumnWorth(column, chain[0], tuple(banned[1:])), chain

    def _loss(self, one: Alternative) -> float:
        """Return how much worse a rule is than the best."""
        return one.difference if self.rules.measure == "cost" else -one.difference

    def _judged(self, rule: Rule) -> Alternative:
        size = (len(rule.branches), sum(map(len, rule.clauses)), rule.columns)
        if rule is self.best:
            return Alternative(rule, *size, round(self.score, 9), 0.0, Interval(0.0, 0.0), "the best rule")
        predicted = self.rules.predicted(rule)
        # rounded, so that sums taken in another order of rows are the same
        score = round(self.rules.score(predicted), 9)
        difference = round(score - self.score, 9)
        reach = NormalDist().inv_cdf(0.5 + LEVEL / 2) * self.rules.error(predicted, self.predicted)
        ends = Interval(round(difference - reach, 9), round(difference + reach, 9))
        same = bool((predicted == self.predicted).all())
        return Alternative(rule, *size, score, difference, ends, self._words(rule, difference, same))

    def _shown(self, best: Alternative, found: Iterable[Alternative]) -> tuple[Alternative, ...]:
        """Choose the best of those that differ in columns or lines, and put short ones first."""
        kept: list[Alternative] = []
        taken = self._keys(best)
        good = [one for one in found if one.lines and self._loss(one) <= self.within]
        for one in sorted(good, key=lambda one: (self._loss(one), _size(one))):
            if taken.isdisjoint(keys := self._keys(one)) and len(kept) < self.most:
                taken |= keys
                kept.append(one)
        return tuple(sorted(kept, key=lambda one: (_size(one), self._loss(one))))

    def _keys(self, one: Alternative) -> set[tuple[frozenset[str], Any]]:
        """Return what no two rules share: columns with lines, and columns with the rows that they decide."""
        columns = frozenset(one.columns)
        return {(columns, one.lines), (columns, self.rules.predicted(one.rule).tobytes())}

    def _words(self, rule: Rule, difference: float, same: bool) -> str:
        """Say what sets a rule apart from the best one."""
        gone = [name for name in self.best.columns if name not in rule.columns]
        new = [name for name in rule.columns if name not in self.best.columns]
        said = []
        if not rule.branches:
            said.append("no rule, one answer for all rows")
        elif gone and new:
            said.append(f"{_named(new)} in the place of {_named(gone)}")
        elif gone or new:
            said.append(f"{'without' if gone else 'with'} {_named(gone or new)}")
        lines, usual = len(rule.branches), len(self.best.branches)
        if lines and lines != usual:
            said.append(f"{_number(lines)} line{'' if lines == 1 else 's'} instead of {_number(usual)}")
        if not said:
            said.append("other conditions on the same columns")
        return ", ".join([*said, "the same on every row" if same else self._amount(difference)])

    def _amount(self, difference: float) -> str:
        """Say how much better or worse a rule is."""
        if abs(difference) < _LEAST_SHOWN:
            return "as good"
        if self.rules.measure == "cost":
            return f"{abs(difference):.3f} a row {'dearer' if difference > 0 else 'cheaper'}"
        return f"{abs(difference) * 100:.1f} points {'more' if difference > 0 else 'less'}"


def _size(one: Alternative) -> tuple[int, int, tuple[str, ...]]:
    return one.lines, one.literals, one.columns


def _frontier(rules: Sequence[Alternative]) -> tuple[Alternative, ...]:
    """Return the first rule of each number of lines."""
    first: dict[int, Alternative] = {}
    for one in rules:
        first.setdefault(one.lines, one)
    return tuple(first[lines] for lines in sorted(first) if lines)


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def _named(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
