"""Pictures of a fitted estimator for notebooks, by scikit-learn's convention: ``Display.from_estimator``.

Each display holds the numbers that it draws; ``plot(ax)`` draws them again elsewhere. matplotlib is imported
only when something is drawn. Both estimators are taken: for a number, values stand in the place of shares.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from nri.arrays import BoolArray, FloatArray
from nri.errors import InputError
from nri.induce.estimates import wilson
from nri.regress.count import spread_of
from nri.regressor import NRIRegressor
from nri.rule import Clause, Columns, Segments, literal_truth
from nri.rule.phrase import phrase_clause, phrase_label, phrase_literal, phrase_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nri.estimator import NRIClassifier

_GREEN, _SOFT, _AMBER, _LINE = "#1d6b5a", "#5a6472", "#d9772b", "#e4e1da"


@dataclass
class _Display:
    """What all displays share: where they were drawn last."""

    ax_: "Axes" = field(init=False, repr=False)
    figure_: "Figure" = field(init=False, repr=False)

    def _axes(self, ax: Any, lines: int, width: float = 8.0) -> Any:
        """Return the axes to draw on, new ones with room for so many lines if none are given."""
        if ax is None:
            try:
                import matplotlib.pyplot as plt
            except ImportError:
                raise InputError("drawing needs matplotlib; run: pip install 'nri[notebook]'") from None
            _, ax = plt.subplots(figsize=(width, 1.1 + 0.45 * lines), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        return ax


@dataclass
class RuleDisplay(_Display):
    """The rule itself: a line for each clause, with how sure it is or what it says, and its rows."""

    target: str
    clauses: list[str]
    values: FloatArray
    """[K]: precision of each clause, or the value of each segment"""
    low: FloatArray
    high: FloatArray
    """[K] each: interval of these"""
    labels: list[str]
    """[K]: what stands beside each line"""
    is_share: bool

    @classmethod
    def from_estimator(cls, estimator: "NRIClassifier | NRIRegressor", *, ax: Any = None) -> Self:
        """Draw the rule of a fitted estimator."""
        rule = _rule_of(estimator)
        if isinstance(rule, Segments):
            parts = [*rule.segments, rule.rest]
            names = [phrase_clause(one.clause) for one in rule.segments] + ["any other row"]
            labels = [f"{rule.amount(one.value)}, {one.spread.rows:g} rows" for one in parts]
            bounds = [
                (one.value, min(one.spread.low, one.value), max(one.spread.high, one.value)) for one in parts
            ]
            values, low, high = _columns(bounds, 3)
            drawn = cls(rule.target, names, values, low, high, labels, False)
        else:
            names, labels, bounds = [], [], []
            for one in rule.decisions:
                share = one.evidence.share(rule.index_of(one.label)) or 0.0
                interval = wilson(share, one.evidence.total)
                names.append(f"{phrase_clause(one.clause)} → {phrase_label(one.label)}")
                labels.append(f"{share:.2f}, {one.evidence.total:g} rows")
                bounds.append((share, interval.low, interval.high))
            values, low, high = _columns(bounds, 3)
            drawn = cls(rule.target, names, values, low, high, labels, True)
        return drawn.plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw a point with its interval for each line."""
        ax = self._axes(ax, len(self.clauses))
        places = np.arange(len(self.clauses))
        ax.hlines(places, self.low, self.high, color=_GREEN, alpha=0.35, linewidth=6)
        ax.plot(self.values, places, "o", color=_GREEN)
        for place, value, label in zip(places, self.values, self.labels, strict=True):
            ax.annotate(
                label, (value, place), xytext=(0, 7), textcoords="offset points", ha="center", fontsize=8
            )
        if self.is_share:
            ax.set_xlim(-0.02, 1.05)
        _name_lines(ax, self.clauses)
        ax.set_xlabel(
            "precision, 95 % interval" if self.is_share else f"{self.target}, 95 % interval of the mean"
        )
        ax.set_title(f"Rule for {self.target}", loc="left", fontsize=11)
        return self


@dataclass
class CoverageDisplay(_Display):
    """Which rows each clause decides: right and wrong ones, or how a number is spread among them."""

    target: str
    clauses: list[str]
    right: FloatArray
    wrong: FloatArray
    """[K + 1] each: rows; of a number all are right"""
    values: list[FloatArray] = field(default_factory=list)
    """[K + 1]: the values of the rows of each segment; empty for classes"""

    @classmethod
    def from_estimator(
        cls, estimator: "NRIClassifier | NRIRegressor", X: Any, y: Any, *, ax: Any = None
    ) -> Self:
        """Count on rows with their labels or numbers."""
        rule = _rule_of(estimator)
        names = [phrase_clause(one.clause) for one in rule.decisions] + ["no clause fires"]
        if isinstance(rule, Segments):
            table = estimator.measured(X, y)
            deciding = rule.decide(table.columns, len(table))
            values = [table.outcome.values[deciding == i] for i in range(len(names))]
            right = np.array([float(len(one)) for one in values])
            return cls(rule.target, names, right, np.zeros(len(names)), values).plot(ax=ax)
        labelled = estimator.labelled(X, y)
        deciding = rule.decide(labelled.columns, len(labelled))
        is_right = rule.predict_index(labelled.columns, len(labelled)) == labelled.codes
        counts = [
            np.bincount(deciding[rows], labelled.weights[rows], minlength=len(names)).astype(np.float64)
            for rows in (is_right, ~is_right)
        ]
        return cls(rule.target, names, counts[0], counts[1]).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw bars of rows, or boxes of values."""
        ax = self._axes(ax, len(self.clauses))
        if self.values:
            ax.boxplot(
                self.values,
                orientation="horizontal",
                positions=range(len(self.values)),
                widths=0.55,
                showfliers=False,
                medianprops={"color": _AMBER},
            )
            ax.set_xlabel(self.target)
        else:
            places = np.arange(len(self.clauses))
            ax.barh(places, self.right, color=_GREEN, label="right")
            ax.barh(places, self.wrong, left=self.right, color=_AMBER, label="wrong")
            ax.set_xlabel("rows decided")
            ax.legend(frameon=False, loc="best")
        _name_lines(ax, self.clauses)
        return self


@dataclass
class WhyDisplay(_Display):
    """Why a row has its label: each condition of each clause, and whether it holds, fails or is unknown."""

    said: str
    clauses: list[str]
    conditions: list[list[tuple[str, str]]]
    """[K]: for each clause its conditions with ``holds``, ``fails`` or ``unknown``"""
    decided: int
    """the clause that decided; their number if none fired"""

    @classmethod
    def from_estimator(
        cls, estimator: "NRIClassifier | NRIRegressor", X: Any, row: int = 0, *, ax: Any = None
    ) -> Self:
        """Explain one row of a table."""
        rule = _rule_of(estimator)
        columns = {
            name: column.take(np.array([row])) for name, column in rule.read(estimator._named(X)).items()
        }
        decided = int(rule.decide(columns, 1)[0])
        said = rule.predict(columns, 1)[0]
        told = rule.amount(said) if isinstance(rule, Segments) else phrase_label(said)
        outcomes = [
            rule.amount(one.value) if isinstance(rule, Segments) else phrase_label(one.label)
            for one in rule.decisions
        ]
        conditions = [_conditions(one.clause, columns) for one in rule.decisions]
        return cls(f"{phrase_name(rule.target)} = {told}", outcomes, conditions, decided).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw a line of conditions for each clause, the deciding one marked."""
        ax = self._axes(ax, len(self.clauses) + 1)
        looks = {"holds": (_GREEN, "✓"), "fails": (_AMBER, "✗"), "unknown": (_SOFT, "?")}
        for place, (outcome, conditions) in enumerate(zip(self.clauses, self.conditions, strict=True)):
            for i, (condition, state) in enumerate(conditions):
                colour, mark = looks[state]
                ax.text(i, place, f"{mark} {condition}", color=colour, va="center", fontsize=9)
            weight = "bold" if place == self.decided else "normal"
            ax.text(-0.08, place, f"→ {outcome}", ha="right", va="center", fontsize=9, fontweight=weight)
        longest = max((len(one) for one in self.conditions), default=1)
        ax.set_xlim(-0.6, max(longest, 1))
        ax.set_ylim(max(len(self.clauses), 1) - 0.5, -0.5)
        ax.set_axis_off()
        because = "" if self.decided < len(self.clauses) else ", because no clause fired"
        ax.set_title(f"{self.said}{because}", loc="left", fontsize=11)
        return self


@dataclass
class CalibrationDisplay(_Display):
    """What is said against what is the case: probabilities and shares, or values and means, on given rows."""

    target: str
    said: FloatArray
    found: FloatArray
    low: FloatArray
    high: FloatArray
    """[K] each: for each clause what it says, what its rows are, and the interval of that"""
    rows: FloatArray

    @classmethod
    def from_estimator(
        cls, estimator: "NRIClassifier | NRIRegressor", X: Any, y: Any, *, ax: Any = None
    ) -> Self:
        """Compare on rows with their labels or numbers, best on rows that were not fitted."""
        rule = _rule_of(estimator)
        if isinstance(rule, Segments):
            table = estimator.measured(X, y)
            said, truth = rule.predict(table.columns, len(table)), table.outcome.values
            name = rule.target
        else:
            table = estimator.labelled(X, y)
            index = rule.index_of(rule.rules[0].label) if rule.rules else len(rule.classes) - 1
            said = rule.predict_proba(table.columns, len(table))[:, index]
            truth = (table.codes == index).astype(np.float64)
            name = f"{rule.target} = {phrase_label(rule.classes[index])}"
        points = []
        for value in np.unique(said):
            chosen: BoolArray = said == value
            spread = spread_of(truth[chosen], truth[chosen], table.weights[chosen])
            low, high = spread.low, spread.high
            if not isinstance(rule, Segments):
                interval = wilson(min(spread.mean, 1.0), spread.rows)
                low, high = interval.low, interval.high
            points.append((float(value), spread.mean, low, high, spread.rows))
        return cls(name, *_columns(points, 5)).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw a point for each clause beside the line on which both are equal."""
        ax = self._axes(ax, 7, width=5.5)
        ends = [min(self.said.min(), self.low.min()), max(self.said.max(), self.high.max())]
        ax.plot(ends, ends, color=_LINE, zorder=0)
        ax.vlines(self.said, self.low, self.high, color=_GREEN, alpha=0.5)
        ax.scatter(self.said, self.found, s=20 + 200 * self.rows / self.rows.sum(), color=_GREEN)
        ax.set_xlabel(f"said: {self.target}")
        ax.set_ylabel("found")
        return self


def _rule_of(estimator: Any) -> Any:
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator)
    return estimator.rules_


def _columns(points: Sequence[tuple[float, ...]], count: int) -> list[FloatArray]:
    """Return so many columns of rows of numbers, empty ones if there are no rows."""
    return list(np.array(points, dtype=np.float64).reshape(-1, count).T)


def _conditions(clause: Clause, columns: Columns) -> list[tuple[str, str]]:
    found = []
    for literal in clause:
        holds, known = literal_truth(literal, columns)
        found.append((phrase_literal(literal), "holds" if holds[0] else "fails" if known[0] else "unknown"))
    return found


def _name_lines(ax: Any, names: Sequence[str]) -> None:
    """Write names beside lines that are counted from above; long ones are broken."""
    ax.set_yticks(
        range(len(names)), [name.replace(" AND ", " AND\n", 1) if len(name) > 45 else name for name in names]
    )
    ax.set_ylim(len(names) - 0.5, -0.7)
    ax.tick_params(axis="y", labelsize=9, length=0)


@contextmanager
def progress_bar(title: str, steps: int) -> Iterator[Callable[[], None]]:
    """Show a bar in a notebook or a terminal while something goes on; yields what to call after each step.

    For example around a cross-validation: ``cross_validate(table, rng=rng, step=step)``.
    """
    if _is_notebook():
        yield from _notebook_bar(title, steps)
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(transient=True, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=steps)
        yield lambda: progress.advance(task)


def _is_notebook() -> bool:
    """Whether a notebook runs us; a terminal with IPython is none."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def _notebook_bar(title: str, steps: int) -> Iterator[Callable[[], None]]:
    """Show the browser's own bar, which needs no widgets."""
    from IPython import display as notebook

    shown: Any = notebook
    done = 0

    def bar() -> Any:
        told = f"{escape(title)}: {done} of {steps}"
        return shown.HTML(f'<progress value="{done}" max="{steps}"></progress> <small>{told}</small>')

    handle = shown.display(bar(), display_id=True)

    def step() -> None:
        nonlocal done
        done += 1
        handle.update(bar())

    yield step
