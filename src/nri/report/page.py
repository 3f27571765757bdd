"""Page: write a report as one HTML file that loads nothing from anywhere."""

from dataclasses import replace
from functools import cache
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from nri.errors import InputError
from nri.induce.induce import Induction
from nri.outcome.score import LEVEL
from nri.report import pictures
from nri.report.gather import Confusion, Report, ReportOptions, gather_report
from nri.rule import ClassTarget, Clause, Mean, NumberTarget, Risk, Rule, SurvivalTarget
from nri.rule.phrase import BARE, Part, bare_name, number, one_line, parts_of, phrase_label, phrase_part
from nri.rule.render import RenderOptions
from nri.rule.render.as_text import outline_of
from nri.table.table import Table
from nri.table.write import atomic_file

if TYPE_CHECKING:
    from nri.estimator import NRIClassifier
    from nri.regressor import NRIRegressor

_STYLE = replace(
    BARE,
    name=lambda name: str(escape(BARE.name(name))),
    value=lambda value: f"<b>{escape(BARE.value(value))}</b>",
    greater="&gt;",
    less="&lt;",
    unequal="≠",
    at_most="≤",
    not_in="∉",
)
"""Markup with the signs that a page can show; values stand out, so that no name is taken for one."""


def write_report(
    model: "NRIClassifier | NRIRegressor | Rule | Induction",
    X: Any,
    y: Any,
    path: "str | PathLike[str]",
    *,
    sample_weight: Any = None,
    options: ReportOptions | None = None,
) -> None:
    """Write a page about a rule to a file, whole or not at all.

    Parameters
    ----------
    model
        A fitted :class:`nri.NRIClassifier` or :class:`nri.NRIRegressor`; or a rule of any outcome.
    X, y, sample_weight
        The rows it was fitted on; for what is counted, not cross-validated, other rows serve too. For a rule,
        ``X`` is a table with its target (:func:`nri.read_table`) and ``y`` is None.
    path
        The file, by custom ending in ``.html``.
    options
        What the page shows and how much work it may be.
    """
    text = render_report(report_on(model, X, y, sample_weight=sample_weight, options=options))
    with atomic_file(Path(path)) as file:
        file.write(text)


def report_on(
    model: "NRIClassifier | NRIRegressor | Rule | Induction",
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    options: ReportOptions | None = None,
) -> Report:
    """Gather the numbers about a rule; see :func:`write_report`."""
    if isinstance(model, Rule | Induction):
        if not isinstance(X, Table) or y is not None or sample_weight is not None:
            raise InputError("a rule is reported on with a table that has its target; see nri.read_table")
        found = Induction(model) if isinstance(model, Rule) else model
        return gather_report(X, found, options=options)
    from sklearn.utils.validation import check_is_fitted

    from nri.regressor import NRIRegressor

    check_is_fitted(model)
    rows = model.measured if isinstance(model, NRIRegressor) else model.labelled
    found = Induction(model.rule_, model.left_out_)
    return gather_report(rows(X, y, sample_weight), found, model.settings, options=options)


def render_report(report: Report) -> str:
    """Write the page of a report.

    The text is whole: style and pictures are inside, there is no script, and a policy in its head forbids
    the browser to run or fetch any. It holds counts, and the names and values that the rule has, but no row
    of the table.
    """
    target = report.rule.predicts
    named = bare_name(target.name)
    heading = f"Time until {named}" if isinstance(target, SurvivalTarget) else f"Rule for {named}"
    return fill(
        "report.html",
        report.options.title or heading,
        report=report,
        kind=target.kind,
        about=_about(report),
        tiles=tiles(report),
        outline=outline_of(report.rule, RenderOptions()),
        titles=_titles(report.rule),
        simplest=_simplest(report),
        axis="most clauses of a class" if target.kind == "classes" else "most branches",
    )


def fill(template: str, heading: str, **shown: Any) -> str:
    """Write the page of a template: its heading, and what else it shows."""
    about = {"heading": one_line(heading), "version": version("nri"), "level": LEVEL}
    return _environment().get_template(template).render(**about, **shown)


@cache
def _environment() -> Environment:
    """Return the environment of the templates, with the filters and pictures that they use."""
    made = Environment(
        loader=PackageLoader("nri.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "number": number,
        "percent": percent,
        "label": phrase_label,
        "name": bare_name,
        "conditions": conditions,
        "literal": condition,
        "heat": heat,
        "sentence": lambda text: f"{str(text)[:1].upper()}{str(text)[1:]}.",
    }
    made.globals |= {
        "estimate_bar": pictures.estimate_bar,
        "share_bar": pictures.share_bar,
        "upset": pictures.upset,
        "distributions": pictures.distributions,
        "kaplan_meier": pictures.kaplan_meier,
        "curve_picture": pictures.curve,
        "most_patterns": pictures.MOST_PATTERNS,
    }
    return made


def percent(share: float) -> str:
    r"""Write a share in percent; only what is whole is written as 0 or 100.

    >>> percent(0.333), percent(0.9996), percent(1.0)
    ('33\xa0%', '99.9\xa0%', '100\xa0%')
    """
    if 0.995 <= share < 1:
        return f"{min(share * 100, 99.9):.1f}\u00a0%"
    if 0 < share < 0.005:
        return f"{max(share * 100, 0.1):.1f}\u00a0%"
    return f"{share * 100:.0f}\u00a0%"


def conditions(clause: Clause) -> list[Markup]:
    """Write the conditions of a clause, one for each column."""
    return [condition(part) for part in parts_of(clause)] or [Markup(_STYLE.always)]


def condition(part: Part) -> Markup:
    """Write one condition."""
    return Markup(phrase_part(part, _STYLE))


def heat(confusion: Confusion, row: int, column: int) -> str:
    """Return how strongly a cell of a confusion matrix is tinted: the share of its true class, 0 to 1."""
    total = sum(confusion.counts[row])
    return f"{confusion.counts[row][column] / total if total else 0:.2f}"


def _titles(rule: Rule) -> tuple[str, ...]:
    """Return headings for the cells of the branches: a prediction stands below the name of its target."""
    target = rule.predicts
    if isinstance(target, SurvivalTarget):
        return target.titles
    return (bare_name(target.name), *target.titles[1:])


def _about(report: Report) -> str:
    """Write what the rows hold of the target."""
    target, support = report.rule.predicts, report.rule.support
    name = bare_name(target.name)
    if isinstance(target, NumberTarget) and isinstance(support, Mean):
        most = " to ".join(target.amount(support.quantiles[i]) for i in (0, -1))
        mean, median = target.amount(support.mean), target.amount(support.median)
        return f"{name}: mean {mean}, median {median}; 80 % of rows from {most}."
    if isinstance(target, SurvivalTarget) and isinstance(support, Risk):
        events = f"{name} in {number(support.events)} of {number(support.rows)} rows"
        return f"{events}; median {bare_name(target.time)} until then: {target.amount(support.median)}."
    counts = zip(report.rule.classes, report.class_weights, strict=True)
    return "; ".join(f"{name} = {phrase_label(label)}: {number(weight)}" for label, weight in counts) + "."


def tiles(report: Report) -> list[tuple[str, str]]:
    """Return the figures of the header: each with what it is."""
    shown, held, rule = [], report.held_out, report.rule
    rows = "weighted rows" if report.weighted else "rows"
    if held is not None:
        ends = f"{held.interval.low:.2f} to {held.interval.high:.2f}"
        if held.score.measure == "accuracy":
            value = percent(held.score.value)
            ends = f"{percent(held.interval.low)} to {percent(held.interval.high)}"
            what = f"right on new {rows} (cross-validated)"
        elif held.score.measure == "R²":
            value = f"{held.score.value:.2f}"
            what = "R² on new rows: share of the variance explained (cross-validated)"
        else:
            value, what = f"{held.score.value:.2f}", "concordance on new rows (cross-validated)"
        shown.append((value, f"{what}; {LEVEL:.0%} interval {ends}".replace("95%", "95 %")))
        shown.append(_baseline(report))
        if len(held.diagnostics) == 1:
            (one,) = held.diagnostics
            for name in ("sensitivity", "specificity"):
                measure = one.measures[name]
                if measure.value is not None:
                    ends = f"{percent(measure.interval.low)} to {percent(measure.interval.high)}"
                    about = f" for {phrase_label(one.label)}" if name == "sensitivity" else ""
                    shown.append((percent(measure.value), f"{name}{about} on new {rows}; {ends}"))
        if held.cost is not None:
            always = f"always predicting {phrase_label(held.cost.label)} costs {held.cost.always:.2f}"
            shown.append(
                (f"{held.cost.mean:.2f}", f"mean cost of a new row, ± {held.cost.error:.2f}; {always}")
            )
    if isinstance(rule.predicts, ClassTarget):
        shown.append((percent(report.seen.value), f"right on these {rows}"))
    elif isinstance(rule.predicts, NumberTarget):
        shown.append((f"{max(report.seen.value, 0.0):.2f}", "R² on these rows"))
    elif rule.branches and rule.fit is not None:
        p = "< 0.001" if rule.fit < 0.001 else f"{rule.fit:.3f}"
        shown.append((p, "p of the log-rank test that the curves are one, on these rows"))
    branches, columns = len(rule.branches), len(rule.columns)
    read = (
        f"{'branch' if branches == 1 else 'branches'} on {columns} {'column' if columns == 1 else 'columns'}"
    )
    return [*shown, (str(branches), read)]


def _baseline(report: Report) -> tuple[str, str]:
    """Return the score of the best constant prediction, or for a number its error beside the rule's."""
    assert report.held_out is not None
    score, target = report.held_out.score, report.rule.predicts
    if isinstance(target, NumberTarget):
        off = score.details["mean_absolute_error"]
        median = target.amount(score.details["mean_absolute_error_of_median"])
        return target.amount(off), f"off on average on new rows; always predicting the median: {median}"
    if isinstance(target, SurvivalTarget):
        return f"{score.baseline:.2f}", "concordance by chance"
    return percent(score.baseline), f"right by always predicting {score.constant}"


def _simplest(report: Report) -> Any:
    """Return the simplest rule within one standard error if it is simpler than the rule itself.

    Fewer clauses may need more conditions; such a rule is not recommended.
    """
    if report.held_out is None or report.held_out.curve.simplest_rule.n_literals >= report.rule.n_literals:
        return None
    rule = report.held_out.curve.simplest_rule.settled
    return outline_of(rule, RenderOptions())
