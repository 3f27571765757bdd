"""The outline: a rule as lines with cells, which every format for people writes in its own way."""

from dataclasses import dataclass
from typing import Any

from nri.rule.clause import Clause
from nri.rule.estimate import ClassTarget
from nri.rule.phrase import one_line
from nri.rule.rule import RenderOptions, Rule


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
    note = one_line(target.summary(rule.fit) if options.note is None else options.note)
    return Outline(target.name, target.titles, target.patterns, tuple(lines), is_dnf, note)
