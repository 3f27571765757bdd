"""What a report shows, as plain records: every number on the page stands in one of them."""

from dataclasses import dataclass
from typing import Any

from nri.induce.floors import Floored
from nri.induce.validate import MeanCost
from nri.outcome import Interval, Score
from nri.outcome.score import Diagnostics
from nri.rule import Clause, Literal, Rule
from nri.table.binarizer import LeftOut
from nri.tasks.fairness import Groups
from nri.tasks.stability import ClauseStability, Stability


@dataclass(frozen=True)
class ReportOptions:
    """What the page shows beside the numbers, and how much work it may be."""

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
    """Share of the positive class where the rule will be used, for predictive values; else the table's."""
    protect: tuple[str, ...] = ()
    """Columns whose groups are listed, beside those of the rule that look protected."""
    max_rows: int = 1000
    """Most rows for cross-validation and stability, which induce many times; counts always use all rows."""
    seconds: float | None = 20.0
    """Time that rules of limited size and bootstrap samples may take together, half each; the rest is left
    out, and the page says how much was done. None for no limit: then the same table gives the same page."""
    seed: int = 0
    """Seed of folds and samples."""


@dataclass(frozen=True)
class Tally:
    """Rows on which something holds, and how many of them are of the predicted class."""

    rows: float
    all_rows: float
    right: float | None = None
    """None where no class is predicted"""
    interval: Interval | None = None
    """Of the precision."""

    @property
    def precision(self) -> float | None:
        """Share of right rows, None if there are none."""
        return self.right / self.rows if self.right is not None and self.rows > 0 else None

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
class BranchReport:
    """All about one branch."""

    number: int
    """By which the page refers to it, from 1."""
    value: Any
    """What it predicts."""
    clause: Clause
    covers: Tally
    """The rows on which it fires."""
    decides: Tally
    """Those of them on which no branch before it fires."""
    stability: ClauseStability | None
    members: tuple[Member, ...] = ()
    """Of a counting clause; none of a conjunction, whose literals hold on every row that it covers."""
    by_number: tuple[Tally, ...] = ()
    """Of a counting clause: the rows on which none, one, two, ... of its members hold."""


@dataclass(frozen=True)
class Confusion:
    """Rows by their true and their predicted class."""

    counts: tuple[tuple[float, ...], ...]
    """[true class][predicted class]"""
    score: Score


@dataclass(frozen=True)
class Pattern:
    """A set of branches, and the rows on which these fire and no others."""

    branches: tuple[int, ...]
    """Numbers of the branches; none for rows that go to the ELSE."""
    rows: float
    right: float | None
    """None where no class is predicted"""


@dataclass(frozen=True)
class CurvePoint:
    """How good rules of limited size are on rows that they were not induced from."""

    clauses: int
    """most clauses of a class, or most branches of a rule for a number or a risk"""
    score: Score


@dataclass(frozen=True)
class Curve:
    """The score against the size of the rule."""

    points: tuple[CurvePoint, ...]
    """From no clause, the best constant prediction, upwards; sizes may be missing for lack of time."""
    best: CurvePoint
    """The one with the highest score."""
    simplest: CurvePoint
    """The one with the fewest clauses among those within one standard error of the best."""
    simplest_rule: Rule
    """Induced from all rows with that limit."""
    rows: int
    """Rows that were assigned to folds."""


@dataclass(frozen=True)
class Gaps:
    """What missing cells do to the rule on these rows."""

    columns: tuple[tuple[str, int], ...]
    """Columns that the rule reads and that have missing cells, with their number, most first."""
    rows: int
    """Rows with a missing cell in a column that the rule reads."""
    undecided: int
    """Rows that go to the ELSE although a branch might fire if its missing cells were known."""
    complete: Score | None
    """On the other rows; None if there are none."""
    gaps: Score | None
    """On rows with such a missing cell; None if there are none."""


@dataclass(frozen=True)
class ColumnUse:
    """How the columns of the table were used."""

    used: tuple[str, ...]
    """By the rule."""
    unused: tuple[str, ...]
    """Could have been used; the rule does without them."""
    excluded: tuple[str, ...]
    """Excluded by the settings."""
    left_out: tuple[LeftOut, ...]
    """Of no use to any rule, with the reason."""


@dataclass(frozen=True)
class Validation:
    """What is counted on held-out rows."""

    score: Score
    interval: Interval
    """95 %, of the score"""
    curve: Curve
    confusion: Confusion | None = None
    """of classes"""
    posterior: Score | None = None
    """Of the model's own probabilities, if it offers them."""
    diagnostics: tuple[Diagnostics, ...] = ()
    """Sensitivity, specificity and predictive values: of the positive class, or of each."""
    cost: MeanCost | None = None
    """What the rule costs on a row, if errors have costs."""


@dataclass(frozen=True, eq=False)
class Report:
    """Everything that the page shows."""

    options: ReportOptions
    n_rows: int
    n_columns: int
    weight: float
    """Of all rows together; their number if they are not weighted."""
    class_weights: tuple[float, ...]
    """Of the rows of each class; empty for a number or a risk."""
    columns: ColumnUse
    notes: tuple[str, ...]
    """How columns were read, where that is not plain."""
    rule: Rule
    branches: tuple[BranchReport, ...]
    default: Tally
    """Rows on which no branch fires."""
    seen: Score
    """On these rows."""
    confusion: Confusion | None
    """On these rows, of classes."""
    patterns: tuple[Pattern, ...]
    """Which branches fire together, on most rows first."""
    distributions: tuple[tuple[float, ...], ...]
    """Of a number: for each branch and the ELSE, shares of its rows in equal parts of the range."""
    low: float
    high: float
    """The range of a number in pictures; single values may lie beyond."""
    held_out: Validation | None
    stability: Stability | None
    gaps: Gaps
    groups: tuple[Groups, ...] = ()
    """The rule on groups of people."""
    leaking: str | None = None
    """The only column of a rule that predicts every row."""
    costs: tuple[float, ...] | None = None
    """How much an error on a row of each class counts, if that differs."""
    floors: Floored | None = None
    """Whether floors for sensitivity and specificity are met, if there are any."""

    @property
    def weighted(self) -> bool:
        """Whether rows count for more or less than one."""
        return self.weight != self.n_rows

    @property
    def contested(self) -> bool:
        """Whether branches fire on the same rows, so that the first of them decides."""
        return any(branch.decides.rows != branch.covers.rows for branch in self.branches)

    @property
    def doubtful(self) -> bool:
        """Whether a constant prediction would do as well on held-out rows, within one standard error."""
        held = self.held_out
        if not self.branches or held is None or self.floors is not None:  # a floor is worth its cost
            return False
        if self.costs is not None:  # then it is not the share of right rows that counts
            return held.curve.simplest.clauses == 0 or bool(held.cost is not None and held.cost.warning)
        return held.curve.simplest.clauses == 0 or bool(held.score.warning)
