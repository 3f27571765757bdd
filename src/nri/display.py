"""Pictures of a rule for notebooks, by scikit-learn's convention: ``Display.from_estimator``.

Each display holds the numbers that it draws; ``plot(ax)`` draws them again. ``from_estimator`` takes a
classifier or a regressor, ``from_rule`` a rule of any outcome. matplotlib is imported only for drawing.
"""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from nri.arrays import BoolArray, FloatArray
from nri.errors import require_extra
from nri.outcome import Classes, Number, Survival
from nri.outcome.number import mean_of
from nri.outcome.score import Z, wilson
from nri.outcome.survival import expected_events
from nri.rule import Mean, Risk, Rule, Shares, literal_truth
from nri.rule.explain import tally
from nri.rule.phrase import phrase_clause, phrase_label, phrase_literal, phrase_name
from nri.table.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_GREEN, _SOFT, _AMBER, _LINE = "#1d6b5a", "#5a6472", "#d9772b", "#e4e1da"
_LETTERS = 95  # Letters of a condition in one line
_LINE_HEIGHT, _ROOM = 0.42, 0.75  # Of a line of text, and of what is drawn below it, as parts of the height.


@dataclass
class _Display:
    """What all displays share: where they were drawn last, and lines of branches below their conditions."""

    ax_: "Axes" = field(init=False, repr=False)
    figure_: "Figure" = field(init=False, repr=False)

    def _axes(self, ax: Any, height: float, width: float = 8.0) -> Any:
        """Return the axes to draw on, new ones of some height, in inches, if none are given."""
        if ax is None:
            require_extra("notebook", "drawing", "matplotlib")
            import matplotlib.pyplot as plt

            _, ax = plt.subplots(figsize=(width, height), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        return ax

    def _branches(self, ax: Any, names: Sequence[str]) -> tuple[Any, FloatArray]:
        """Return axes with the names of branches above each other, and where the line of each branch is."""
        wrapped = [textwrap.wrap(name, _LETTERS, subsequent_indent="    ") or [""] for name in names]
        heights = np.array([_LINE_HEIGHT * len(lines) + _ROOM for lines in wrapped])
        ends = np.cumsum(heights)
        ax = self._axes(ax, 1.0 + 0.55 * float(ends[-1]))
        look = {"transform": ax.get_yaxis_transform(), "va": "top", "fontsize": 9, "clip_on": False}
        for lines, top in zip(wrapped, ends - heights, strict=True):
            ax.text(0.01, top, "\n".join(lines), **look)
        ax.set_ylim(float(ends[-1]) + 0.1, -0.25)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        return ax, ends - _ROOM / 2


@dataclass
class RuleDisplay(_Display):
    """The rule itself: a line for each branch, with its estimate and its rows."""

    target: str
    clauses: list[str]
    values: FloatArray  # [branches + 1]: the share of the predicted class, the predicted number, or the risk
    low: FloatArray
    high: FloatArray  # [branches + 1] each: 95 % interval of these
    labels: list[str]  # [branches + 1]: what stands beside each line
    measure: str

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the rule of a fitted estimator."""
        return cls.from_rule(_rule_of(estimator), ax=ax)

    @classmethod
    def from_rule(cls, rule: Rule, *, ax: Any = None) -> Self:
        """Draw a rule."""
        names, kind = _names(rule), rule.predicts.kind
        values, low, high = np.array([_bounds(rule, one) for one in rule.estimates]).T
        predicted = [_predicted(rule, one) for one in rule.estimates]
        amounts = predicted if kind == "number" else [f"{value:.2f}" for value in values]
        labels = [f"{amount}, {one.rows:g} rows" for amount, one in zip(amounts, rule.estimates, strict=True)]
        if kind == "classes":
            names = [f"{name} → {value}" for name, value in zip(names, predicted, strict=True)]
        measure = {"classes": "share of the predicted class", "number": rule.target, "survival": "risk"}[kind]
        return cls(rule.target, names, values, low, high, labels, measure).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw a point with its interval for each branch."""
        ax, places = self._branches(ax, self.clauses)
        ax.hlines(places, self.low, self.high, color=_GREEN, alpha=0.35, linewidth=6)
        ax.plot(self.values, places, "o", color=_GREEN)
        look: dict[str, Any] = {"textcoords": "offset points", "va": "center", "fontsize": 8}
        for place, high, label in zip(places, self.high, self.labels, strict=True):
            ax.annotate(label, (high, place), xytext=(7, 0), **look)
        low, high = float(self.low.min()), float(self.high.max())
        if self.measure.startswith("share"):
            low, high = 0.0, 1.0
            ax.set_xticks(np.linspace(0, 1, 6))
        elif self.measure == "risk":
            low = 0.0
        room = (high - low) or 1.0
        ax.set_xlim(low - 0.03 * room, high + 0.2 * room)  # the last label stands inside
        ax.set_xlabel(f"{self.measure}, 95 % interval")
        ax.set_title(f"Rule for {self.target}", loc="left", fontsize=11)
        return self


def _bounds(rule: Rule, estimate: Any) -> tuple[float, float, float]:
    """Return what an estimate predicts, and its interval."""
    if isinstance(estimate, Shares):
        share = rule.labels.share(estimate) or 0.0
        interval = wilson(share, estimate.rows)
        return share, interval.low, interval.high
    if isinstance(estimate, Mean):
        value = estimate.value
        return value, min(estimate.low, value), max(estimate.high, value)
    return _with_reach(estimate.value, estimate.events)


def _with_reach(risk: float, events: float) -> tuple[float, float, float]:
    """Return a risk and its interval, by Poisson's standard error of a logarithm."""
    reach = float(np.exp(Z / np.sqrt(events + 1)))
    return risk, risk / reach, risk * reach


@dataclass
class CoverageDisplay(_Display):
    """The rows that each branch decides: right and wrong, with and without an event, or a number's spread."""

    target: str
    clauses: list[str]
    right: FloatArray
    wrong: FloatArray
    """[branches + 1] each: rows of the predicted class, or with the event, and others; numbers are right"""
    values: list[FloatArray] = field(default_factory=list)
    """[branches + 1]: the values of the rows of each branch; empty unless a number is predicted"""
    legend: tuple[str, str] = ("right", "wrong")

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None) -> Self:
        """Count on rows with their labels or numbers."""
        return cls.from_rule(_rule_of(estimator), _table_of(estimator, X, y), ax=ax)

    @classmethod
    def from_rule(cls, rule: Rule, table: Table, *, ax: Any = None) -> Self:
        """Count on a table with its target."""
        names, outcome = _names(rule), table.explained
        deciding = rule.decide(table.columns, len(table))
        if isinstance(outcome, Number):
            values = [outcome.values[deciding == i] for i in range(len(names))]
            right = np.array([float(len(one)) for one in values])
            return cls(rule.target, names, right, np.zeros(len(names)), values).plot(ax=ax)
        if isinstance(outcome, Survival):
            hit, legend = outcome.event, (rule.target, "no event seen")
        else:
            hit, legend = rule.predict_index(table.columns, len(table)) == table.codes, ("right", "wrong")
        right = np.bincount(deciding[hit], table.weights[hit], minlength=len(names)).astype(np.float64)
        wrong = np.bincount(deciding[~hit], table.weights[~hit], minlength=len(names)).astype(np.float64)
        return cls(rule.target, names, right, wrong, legend=legend).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw bars of rows, or boxes of values."""
        ax, places = self._branches(ax, self.clauses)
        if self.values:
            look = {"widths": 0.45, "showfliers": False, "medianprops": {"color": _AMBER}}
            ax.boxplot(self.values, orientation="horizontal", positions=places, manage_ticks=False, **look)
            ax.set_xlabel(self.target)
        else:
            ax.barh(places, self.right, 0.45, color=_GREEN, label=self.legend[0])
            ax.barh(places, self.wrong, 0.45, left=self.right, color=_AMBER, label=self.legend[1])
            ax.set_xlabel("rows decided")
            ax.legend(frameon=False, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, fontsize=8)
        return self


@dataclass
class WhyDisplay(_Display):
    """Why a row has its prediction: each condition of each branch: whether it holds, fails or is unknown."""

    prediction: str
    clauses: list[str]  # [branches]: what each predicts, and of a counting one how many conditions hold
    conditions: list[list[tuple[str, str]]]  # [branches]: each with ``holds``, ``fails`` or ``unknown``
    decided: int  # the branch that decides; their number if none fires

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, row: int = 0, *, ax: Any = None) -> Self:
        """Explain one row of a table."""
        return cls.from_rule(_rule_of(estimator), estimator._named(X), row, ax=ax)

    @classmethod
    def from_rule(cls, rule: Rule, X: Any, row: int = 0, *, ax: Any = None) -> Self:
        """Explain one row of a table."""
        columns = {name: column.take(np.array([row])) for name, column in rule.read(X).items()}
        decided = int(rule.decide(columns, 1)[0])
        headings, conditions = [], []
        for branch in rule.branches:
            states = []
            for literal in branch.clause:
                holds, known = (truth[0] for truth in literal_truth(literal, columns))
                states.append(
                    (phrase_literal(literal), "holds" if holds else "fails" if known else "unknown")
                )
            n_held = sum(state == "holds" for _, state in states)
            counts = f": {tally(branch.clause, n_held)}" if branch.clause.counts else ""
            headings.append(_predicted(rule, branch.estimate) + counts)
            conditions.append(states)
        prediction = f"{phrase_name(rule.target)} = {_predicted(rule, rule.estimates[decided])}"
        return cls(prediction, headings, conditions, decided).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Write each branch with a line for each of its conditions; the one that decides is marked."""
        looks = {"holds": (_GREEN, "✓"), "fails": (_AMBER, "✗"), "unknown": (_SOFT, "?")}
        lines: list[tuple[float, str, dict[str, str]]] = []
        for i, (heading, conditions) in enumerate(zip(self.clauses, self.conditions, strict=True)):
            weight, mark = ("bold", "  (decides)") if i == self.decided else ("normal", "")
            lines.append((0.0, f"→ {heading}{mark}", {"fontweight": weight}))
            for condition, state in conditions:
                colour, sign = looks[state]
                shown = textwrap.shorten(condition, _LETTERS, placeholder=" …")
                lines.append((0.04, f"{sign} {shown}", {"color": colour}))
        height = max(len(lines), 1)
        ax = self._axes(ax, 0.8 + 0.27 * height)
        for place, (indent, text, look) in enumerate(lines):
            ax.text(indent, place, text, va="center", fontsize=9, **look)
        ax.set_xlim(0.0, 1.0)
        ax.set_ylim(height - 0.4, -0.6)
        ax.set_axis_off()
        because = "" if self.decided < len(self.clauses) else ", because no branch holds"
        ax.set_title(f"{self.prediction}{because}", loc="left", fontsize=11)
        return self


@dataclass
class CalibrationDisplay(_Display):
    """What is predicted against what is the case, on given rows: a point for each prediction."""

    target: str
    predicted: FloatArray
    observed: FloatArray
    low: FloatArray
    high: FloatArray
    """[K] each: probabilities and shares, numbers and means, or risks and events for each one expected; and
    the 95 % interval of what is observed"""
    rows: FloatArray

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, *, ax: Any = None) -> Self:
        """Compare on rows with their labels or numbers, best on rows that were not fitted."""
        return cls.from_rule(_rule_of(estimator), _table_of(estimator, X, y), ax=ax)

    @classmethod
    def from_rule(cls, rule: Rule, table: Table, *, ax: Any = None) -> Self:
        """Compare on a table with its target."""
        outcome, name = table.explained, rule.target
        if isinstance(outcome, Classes):
            index = rule.labels.index(rule.described[0]) if rule.described else len(rule.classes) - 1
            predicted = rule.predict_proba(table.columns, len(table))[:, index]
            name = f"{rule.target} = {phrase_label(rule.classes[index])}"
            hit = (table.codes == index).astype(np.float64)
        else:
            predicted = rule.predict(table.columns, len(table))
        points = []
        for value in np.unique(predicted):
            rows: BoolArray = predicted == value
            weights = table.weights[rows]
            if isinstance(outcome, Classes):
                share = min(float(weights @ hit[rows] / weights.sum()), 1.0)
                interval = wilson(share, float(weights.sum()))
                observed = share, interval.low, interval.high
            elif isinstance(outcome, Number):
                observed = _bounds(rule, mean_of(outcome.values[rows], outcome.values[rows], weights))
            else:
                assert isinstance(outcome, Survival)
                due = expected_events(outcome.time, outcome.event, table.weights)[rows] @ weights
                events = float(outcome.event[rows] @ weights)
                observed = _with_reach(events / max(float(due), 1e-9), events)
            points.append((float(value), *observed, float(weights.sum())))
        return cls(name, *np.array(points).T).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw a point for each prediction beside the line on which both are equal."""
        ax = self._axes(ax, 4.2, width=5.5)
        ends = [min(self.predicted.min(), self.low.min()), max(self.predicted.max(), self.high.max())]
        ax.plot(ends, ends, color=_LINE, zorder=0)
        ax.vlines(self.predicted, self.low, self.high, color=_GREEN, alpha=0.5)
        ax.scatter(self.predicted, self.observed, s=20 + 200 * self.rows / self.rows.sum(), color=_GREEN)
        ax.set_xlabel(f"predicted: {self.target}")
        ax.set_ylabel("observed")
        return self


def _rule_of(estimator: Any) -> Rule:
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator)
    rule: Rule = estimator.rule_
    return rule


def _table_of(estimator: Any, X: Any, y: Any) -> Table:
    rows: Callable[..., Table] = getattr(estimator, "labelled", None) or estimator.measured
    return rows(X, y)


def _names(rule: Rule) -> list[str]:
    return [*map(phrase_clause, rule.clauses), "any other row" if rule.branches else "any row"]


def _predicted(rule: Rule, estimate: Any) -> str:
    """Write a prediction in a few words."""
    if isinstance(estimate, Risk):
        return f"risk {estimate.value:.2f}"
    return str(rule.predicts.cells(estimate)[0])
