"""Page: write a report as one HTML file that loads nothing from anywhere."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from nri.errors import InputError
from nri.induce.constraints import error_costs
from nri.induce.folds import note_on_rows
from nri.induce.induce import Induction
from nri.outcome.score import LEVEL, wilson
from nri.report.gather import Report, ReportOptions, confusion_of, gather_report
from nri.rule import Clause, Rule
from nri.rule.phrase import BARE, Part, bare_name, number, parts_of, phrase_label, phrase_part
from nri.rule.render.as_text import outline_of
from nri.rule.rule import RenderOptions
from nri.table.table import Table
from nri.table.write import atomic_file
from nri.tasks.leaks import leak
from nri.texts import one_line

if TYPE_CHECKING:
    from nri.estimator import NRIClassifier
    from nri.regressor import NRIRegressor, NRISurvival

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
    model: "NRIClassifier | NRIRegressor | NRISurvival | Rule | Induction",
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
        A fitted estimator, e.g. :class:`nri.NRIClassifier`; or a rule of any outcome.
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
    model: "NRIClassifier | NRIRegressor | NRISurvival | Rule | Induction",
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
        induction = Induction(model) if isinstance(model, Rule) else model
        return gather_report(X, induction, options=options)
    from sklearn.utils.validation import check_is_fitted

    from nri.estimator import NRIClassifier

    check_is_fitted(model)
    rows = model.labelled if isinstance(model, NRIClassifier) else model.measured
    induction = Induction(model.rule_, model.left_out_)
    return gather_report(rows(X, y, sample_weight), induction, model.settings, options=options)


def render_report(report: Report) -> str:
    """Write the page of a report.

    Style and pictures are inside, there is no script, and a policy in its head forbids the browser to run or
    fetch any. It holds counts, and the names and values that the rule has, but no row of the table.
    """
    return _environment().get_template("report.html").render(report=report)


@cache
def _environment() -> Environment:
    """Return the environment of the templates, with the filters and functions that they use."""
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
        "outline": lambda rule: outline_of(rule, RenderOptions()),
        "plus": lambda value, other: value + other,
        "one_line": one_line,
        "sentence": lambda text: f"{str(text)[:1].upper()}{str(text)[1:]}.",
    }
    functions = (axis_of_scores, confusion_of, error_costs, leak, note_on_rows, wilson, within)
    made.globals |= {function.__name__: function for function in functions}
    made.globals |= {"version": version("nri"), "level": LEVEL}
    return made


def percent(share: float) -> str:
    """Write a share in percent; only what is whole is written as 0 or 100."""
    if 0 < share < 0.005 or 0.995 <= share < 1:
        return f"{min(max(share * 100, 0.1), 99.9):.1f}\u00a0%"
    return f"{share * 100:.0f}\u00a0%"


def conditions(clause: Clause) -> list[Markup]:
    """Write the conditions of a clause, one for each column."""
    return [condition(part) for part in parts_of(clause)] or [Markup(_STYLE.always)]


def condition(part: Part) -> Markup:
    """Write one condition."""
    return Markup(phrase_part(part, _STYLE))


def within(value: float, low: float, high: float) -> float:
    """Return where a value lies from ``low`` (0) to ``high`` (1); those beyond lie at the ends."""
    return min(max((value - low) / (high - low), 0.0), 1.0)


def axis_of_scores(ends: Sequence[float]) -> tuple[float, float]:
    """Return where an axis of scores begins and ends: at twentieths, not too close to each other."""
    floor, ceiling = math.floor(min(ends) * 20 - 1e-9) / 20, math.ceil(max(ends) * 20 + 1e-9) / 20
    return (floor, ceiling) if ceiling - floor >= 0.15 else (ceiling - 0.15, ceiling)
