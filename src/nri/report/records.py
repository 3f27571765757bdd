"""What a report tells, as plain records: every number on the page stands in one of them."""

from dataclasses import dataclass

from nri.induce.costs import MeanCost
from nri.induce.diagnostics import Diagnostics
from nri.induce.estimates import Accuracy, Guess, Interval, guess_of
from nri.induce.floors import Floored
from nri.rule import Clause, Label, Literal, RuleSet
from nri.table.usable import LeftOut
from nri.tasks.fairness import Groups
from nri.tasks.stability import ClauseStability, Stability


@dataclass(frozen=True)
class ReportOptions:
    """What a reader may want otherwise, and how much work the report may be."""

    title: str | None = None
    """Heading; by default it names the target."""
    source: str | None = None
    """Where the rows come from, e.g. a file's name."""
    clinical: bool = False
    """Whether the rule is about people's health: the page then says "not validated for decisions"."""
    samples: int = 20
    """Bootstrap samples for stability; 0 leaves stability out."""
    folds: int = 5
    """Parts for cross-validation; 0 leaves out everything that is cross-validated."""
    prevalence: float | None = None
    """Share of the class asked about where the rule will be used, for predictive values; else the table's."""
    protect: tuple[str, ...] = ()
    """Columns whose groups are told about, beside those of the rule that look protected."""
    max_rows: int = 1000
    """Most rows for cross-validation and stability, which induce many times; counts always use all rows."""
    seconds: float | None = 20.0
    """Time that rules of limited size and bootstrap samples may take together, half each; the rest is left
    out, and the page says how much was done. None for no limit: then the same table gives the same page."""
    seed: int = 0
    """Seed of folds and samples."""


@dataclass(frozen=True)
class Tally:
    """Rows that something covers, and how many of them are of the class it says."""

    rows: float
    right: float
    all_rows: float
    interval: Interval
    """Of the precision."""

    @property
    def precision(self) -> float | None:
        """Share of right rows, None if there are none."""
        return self.right / self.rows if self.rows > 0 else None

    @property
    def coverage(self) -> float:
        """Share of all rows."""
        return self.rows / self.all_rows if self.all_rows > 0 else 0.0


@dataclass(frozen=True)
class Member:
    """A condition of a counting clause, and its part in it."""

    literal: Literal
    holds: Tally
    """The rows on which it holds, whatever the other members do."""
    within: float
    """Rows among those that the clause covers on which it holds."""
    decisive: float
    """Those of them that the clause would not cover without it."""


@dataclass(frozen=True)
class ClauseCard:
    """All about one clause."""

    number: int
    """By which the page refers to it, from 1."""
    label: Label
    clause: Clause
    covers: Tally
    """The rows on which it fires."""
    decides: Tally
    """Those of them on which no clause with more say fires."""
    estimate: float
    """Its estimated precision: where several clauses fire, the one with the highest decides."""
    stability: ClauseStability | None
    members: tuple[Member, ...] = ()
    """Of a counting clause; none of a conjunction, whose literals hold on every row that it covers."""
    by_number: tuple[Tally, ...] = ()
    """Of a counting clause: the rows on which none, one, two, ... of its members hold."""


@dataclass(frozen=True)
class Confusion:
    """Rows by their true class and the class that was said."""

    counts: tuple[tuple[float, ...], ...]
    """[true class][said class]"""
    accuracy: Accuracy


@dataclass(frozen=True)
class Pattern:
    """A set of clauses, and the rows on which these fire and no others."""

    clauses: tuple[int, ...]
    """Numbers of the clauses; none for rows that go to the default."""
    rows: float
    right: float


@dataclass(frozen=True)
class CurvePoint:
    """How rules with at most so many clauses for a class do on rows that they were not induced from."""

    clauses: int
    accuracy: Accuracy


@dataclass(frozen=True)
class Curve:
    """Accuracy against the number of clauses."""

    points: tuple[CurvePoint, ...]
    """From no clause, which is the most frequent class, upwards; sizes may be missing for lack of time."""
    best: CurvePoint
    """The one with the highest accuracy."""
    simplest: CurvePoint
    """The one with the fewest clauses among those within one standard error of the best."""
    simplest_rule: RuleSet
    """Induced from all rows with that limit."""
    rows: int
    """Rows that were dealt into folds."""


@dataclass(frozen=True)
class GapColumn:
    """A column that the rule reads and that has missing cells."""

    column: str
    missing: int


@dataclass(frozen=True)
class Gaps:
    """What missing cells do to the rule on these rows."""

    columns: tuple[GapColumn, ...]
    """Columns that the rule reads and that have missing cells, most first."""
    rows: int
    """Rows with a missing cell in a column that the rule reads."""
    undecided: int
    """Rows that go to the default although a clause might fire if its missing cells were known."""
    accuracy_complete: Accuracy | None
    """On the other rows; None if there are none."""
    accuracy_gaps: Accuracy | None
    """On rows with such a missing cell; None if there are none."""


@dataclass(frozen=True)
class ColumnUse:
    """Which columns of the table took which part."""

    used: tuple[str, ...]
    """By the rule."""
    unused: tuple[str, ...]
    """Could have been used; the rule does without them."""
    excluded: tuple[str, ...]
    """Not allowed by whoever asked for the rule."""
    left_out: tuple[LeftOut, ...]
    """Of no use to any rule, with the reason."""


@dataclass(frozen=True)
class TableReport:
    """What every report says of the table that it is about."""

    options: ReportOptions
    n_rows: int
    n_columns: int
    weight: float
    """Of all rows together; their number if they are not weighted."""
    columns: ColumnUse

    @property
    def weighted(self) -> bool:
        """Whether rows count for more or less than one."""
        return self.weight != self.n_rows


@dataclass(frozen=True)
class Report(TableReport):
    """Everything that the page shows."""

    ruleset: RuleSet
    class_weights: tuple[float, ...]
    """Of the rows of each class."""
    cards: tuple[ClauseCard, ...]
    default: Tally
    """Rows that no clause covers."""
    seen: Confusion
    """On these rows."""
    held_out: Confusion | None
    """On rows that each fold's rule was not induced from."""
    patterns: tuple[Pattern, ...]
    """Which clauses fire together, on most rows first."""
    curve: Curve | None
    stability: Stability | None
    gaps: Gaps
    posterior: Accuracy | None
    """Of the model's own probabilities on held-out rows, if it offers them."""
    diagnostics: tuple[Diagnostics, ...] = ()
    """Sensitivity and its kin on held-out rows: of the class asked about, or of each."""
    groups: tuple[Groups, ...] = ()
    """What the rule does with groups of people."""
    cost: MeanCost | None = None
    """What the rule costs on a held-out row, if somebody said what errors cost."""
    stakes: tuple[float, ...] | None = None
    """How much an error on a row of each class counts, if that differs."""
    floors: Floored | None = None
    """Whether what was asked of sensitivity and specificity is kept, if something was."""

    @property
    def contested(self) -> bool:
        """Whether clauses fire on the same rows, so that one decides for others."""
        return any(card.decides.rows != card.covers.rows for card in self.cards)

    @property
    def guess(self) -> Guess:
        """What to compare the rule with."""
        staked = self.class_weights
        if self.stakes is not None:
            staked = tuple(one * cost for one, cost in zip(staked, self.stakes, strict=True))
        label = guess_of(self.ruleset.classes, staked).label
        weight = self.class_weights[self.ruleset.index_of(label)]
        return Guess(label, weight / sum(self.class_weights))

    @property
    def doubtful(self) -> bool:
        """Whether a guess would do as well on held-out rows, as far as can be told."""
        if not self.cards or self.held_out is None:
            return False
        if self.floors is not None:  # a floor is worth what it costs to whoever asked for it
            return False
        enough = self.curve is not None and self.curve.simplest.clauses == 0
        if self.stakes is not None:  # then it is not the share of right rows that counts
            return enough or (self.cost is not None and bool(self.cost.doubt))
        return enough or bool(self.guess.doubt(self.held_out.accuracy))
