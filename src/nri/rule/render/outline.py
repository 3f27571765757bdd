"""The outline: a rule as lines with cells, which every format for people writes in its own way."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nri.rule.clause import Clause
from nri.rule.estimate import ClassTarget
from nri.rule.phrase import one_line
from nri.rule.rule import Rule


@dataclass(frozen=True)
class RenderOptions:
    """Options of all formats; a format reads those that concern it."""

    note: str | None = None
    """A line about the whole rule, e.g. its cross-validated accuracy (formats for people)."""
    table: str | Sequence[str] | None = None
    """Name of the table to select from, or its parts; without it SQL is an expression."""
    function: str = "predict"
    """Name of the Python function."""
    validation: Mapping[str, Any] | None = None
    """What was estimated about the rule, as plain data; JSON keeps it, readers ignore it."""
    dialect: str | None = None
    """The SQL dialect; see :mod:`nri.rule.render.sql_dialects`."""
    statement: str | None = None
    """What SQL does with the table: select (default), view, update or dbt."""
    into: str | None = None
    """Name of the view, or of the column to update."""


@dataclass(frozen=True)
class Line:
    """A branch, or the ELSE."""

    opening: str
    """if, or, else if, else, always"""
    clause: Clause | None
    """None for the ELSE"""
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Outline:
    """A rule as a person reads it."""

    target: str
    titles: tuple[str, ...]
    """of the cells"""
    patterns: tuple[str, ...]
    """how the cells stand in a line of text"""
    lines: tuple[Line, ...]
    """the ELSE is the last"""
    is_dnf: bool
    """whether all branches predict one of two classes: IF a OR b THEN yes ELSE no"""
    note: str
    """about the whole rule; may be empty"""


def outline_of(rule: Rule, options: RenderOptions) -> Outline:
    """Return the lines of a rule; neighbouring branches of one class are joined by OR."""
    target, lines = rule.predicts, []
    before: Any = None
    for i, branch in enumerate(rule.branches):
        same = isinstance(target, ClassTarget) and branch.value == before
        opening = "or" if i and same else "else if" if i else "if"
        lines.append(Line(opening, branch.clause, target.cells(branch.estimate)))
        before = branch.value
    lines.append(Line("else" if rule.branches else "always", None, target.cells(rule.otherwise)))
    is_dnf = (
        isinstance(target, ClassTarget)
        and len(target.classes) == 2
        and len({branch.value for branch in rule.branches}) == 1
        and rule.default != rule.branches[0].value
    )
    note = one_line(target.summary(rule) if options.note is None else options.note)
    return Outline(target.name, target.titles, target.patterns, tuple(lines), is_dnf, note)
