"""Page: write a report as one HTML file that loads nothing from anywhere."""

from dataclasses import replace
from functools import cache
from importlib.metadata import version
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from nri.induce.estimates import LEVEL
from nri.report import pictures
from nri.report.records import ClauseCard, Confusion, Report
from nri.rule import Clause, Label, RuleSet
from nri.rule.render.options import settled
from nri.rule.phrase import (
    BARE,
    CONFLICTS,
    Outline,
    Part,
    bare_name,
    number,
    one_line,
    outline_of,
    parts_of,
    phrase_label,
    phrase_part,
)

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
"""Markup with the signs that a page can show; values stand out, so that nobody takes a name for one."""


def render_report(report: Report) -> str:
    """Write the page of a report.

    The text is whole: style and pictures are inside, there is no script, and a policy in its head forbids
    the browser to run or fetch any. It holds counts, and the names and values that the rules speak of, but no
    row of the table.
    """
    return fill(
        "report.html",
        report.options.title or f"Rule for {bare_name(report.ruleset.target)}",
        report=report,
        rules=_rules(report),
        conflicts=CONFLICTS,
        simplest=_simplest(report),
    )


def fill(template: str, heading: str, **shown: Any) -> str:
    """Write the page of a template: its heading, and what else it shows."""
    about = {"heading": one_line(heading), "version": version("nri"), "level": LEVEL}
    return _environment().get_template(template).render(**about, **shown)


@cache
def _environment() -> Environment:
    """Return what fills templates, with the filters and pictures that they use."""
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
    }
    made.globals |= {
        "interval_bar": pictures.interval_bar,
        "share_bar": pictures.share_bar,
        "upset": pictures.upset,
        "curve_picture": pictures.curve,
        "most_patterns": pictures.MOST_PATTERNS,
    }
    return made


def percent(share: float) -> str:
    r"""Write a share in percent; only what is whole is told as 0 or 100.

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


def _rules(report: Report) -> list[tuple[Label, list[ClauseCard]]]:
    """Return the cards of each class that has some."""
    by_class: dict[Label, list[ClauseCard]] = {}
    for card in report.cards:
        by_class.setdefault(card.label, []).append(card)
    return list(by_class.items())


def _simplest(report: Report) -> Outline | None:
    """Return the simplest rule within one standard error if it is simpler than the rule itself.

    Fewer clauses may need more conditions; such a rule is nothing to recommend.
    """
    if report.curve is None or _conditions_in(report.curve.simplest_rule) >= _conditions_in(report.ruleset):
        return None
    return outline_of(settled(report.curve.simplest_rule))


def _conditions_in(ruleset: RuleSet) -> int:
    return sum(rule.rule.n_literals for rule in ruleset.rules)
