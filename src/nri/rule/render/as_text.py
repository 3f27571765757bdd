"""The outline of a rule, which every format for people writes in its own way, and aligned text."""

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nri.rule.labels import ClassTarget
from nri.rule.literal import Clause, is_card
from nri.rule.phrase import PLAIN, parts_of, phrase_label, phrase_name, phrase_part, phrase_percent
from nri.rule.rule import RenderOptions, Rule
from nri.texts import one_line

_GAP = "     "
_WIDEST = 64  # Clauses longer than this continue in the next line, so that the numbers stay in sight.


@dataclass(frozen=True)
class Line:
    """A branch, or the ELSE."""

    opening: str  # if, or, else if, else, always
    clause: Clause | None  # None for the ELSE
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Outline:
    """A rule as a person reads it."""

    target: str
    titles: tuple[str, ...]  # of the cells
    patterns: tuple[str, ...]  # how the cells stand in a line of text
    lines: tuple[Line, ...]  # the ELSE is the last
    is_dnf: bool  # whether all branches predict one of two classes: IF a OR b THEN yes ELSE no
    note: str  # about the whole rule, in one or two lines; may be empty


def outline_of(rule: Rule, options: RenderOptions) -> Outline:
    """Return the lines of a rule; neighbouring branches of one class are joined by OR."""
    target, lines = rule.predicts, []
    of_classes = isinstance(target, ClassTarget)
    for i, branch in enumerate(rule.branches):
        same = of_classes and branch.value == rule.branches[i - 1].value
        opening = "if" if i == 0 else "or" if same else "else if"
        lines.append(Line(opening, branch.clause, target.cells(branch.estimate)))
    lines.append(Line("else" if rule.branches else "always", None, target.cells(rule.otherwise)))
    values = {branch.value for branch in rule.branches}
    is_dnf = of_classes and len(rule.classes) == 2 and len(values) == 1 and rule.default not in values
    note = one_line(target.summary(rule.fit) if options.note is None else options.note)
    unpredicted = _unpredicted(rule) if of_classes else ""
    notes = "\n".join(filter(None, [_units(rule), unpredicted, note]))
    return Outline(target.name, target.titles, target.patterns, tuple(lines), is_dnf, notes)


def _units(rule: Rule) -> str:
    """Name the units of numbers and the zone of times; empty if there are none."""
    named = [
        f"{phrase_name(name)} in {' '.join(filter(None, plan.unit))}"
        for name, plan in rule.plans.items()
        if any(plan.unit)
    ]
    return f"units: {', '.join(named)}" if named else ""


def _unpredicted(rule: Rule) -> str:
    """Name the classes that rows have, but that the rule never predicts; empty if there are none."""
    predicted, support = {one.value for one in rule.estimates}, rule.support
    shares = {
        phrase_label(label): count / support.rows
        for label, count in zip(rule.classes, support.counts, strict=True)
        if count > 0 and label not in predicted
    }
    named = [f"{label}, {phrase_percent(part)} % of the rows" for label, part in shares.items()]
    return f"never predicted: {'; '.join(named)}" if named else ""


def render_text(rule: Rule, options: RenderOptions) -> str:
    """Write IF, OR, ELSE IF and ELSE lines with their estimates in one column; a card of points as such."""
    return _as_text(rule, options, _wrapped)


def render_points(rule: Rule, options: RenderOptions) -> str:
    """Write the same with each count as a list of points to add up."""
    return _as_text(rule, options, _as_points)


def _as_text(rule: Rule, options: RenderOptions, conditions: Callable[[Clause], list[str]]) -> str:
    outline = outline_of(rule, options)
    is_list = is_card(rule.clauses) and isinstance(rule.predicts, ClassTarget) and len(rule.classes) == 2
    return _card(rule, outline.note) if is_list else _written(outline, conditions)


def _written(outline: Outline, conditions: Callable[[Clause], list[str]]) -> str:
    openings = {"if": "IF      ", "or": "     OR ", "else if": "ELSE IF ", "else": "ELSE", "always": "ALWAYS"}
    shown = outline.lines
    if outline.is_dnf:  # two classes: one line has THEN and ELSE
        openings, shown = {"if": "IF  ", "or": " OR "}, outline.lines[:-1]
    lines: list[tuple[str, str]] = []
    for line, estimate in zip(shown, _beside(outline, shown, skip=int(outline.is_dnf)), strict=True):
        opening = openings[line.opening]
        first, *rest = conditions(line.clause) if line.clause is not None else [""]
        lines += [(opening + first, estimate), *((f"{' ' * len(opening)} {more}", "") for more in rest)]
    if outline.is_dnf:
        last = outline.lines[-1]
        prediction = outline.patterns[0].format(outline.lines[0].cells[0])
        (otherwise,) = _beside(outline, [last], skip=1)
        lines.append((f"THEN {prediction}", f"ELSE {last.cells[0]}   {otherwise}"))
    return _aligned([*lines, *((note, "") for note in outline.note.splitlines())])


def _card(rule: Rule, note: str) -> str:
    """Write what gives a point, the share of a class at each total, and the totals that predict it."""
    target, first, last = rule.labels, rule.branches[0], rule.otherwise
    rises = [high - low for high, low in zip(first.estimate.expected, last.expected, strict=True)]
    label = rule.classes[rises.index(max(rises))]
    lowest = [*(clause.at_least for clause in rule.clauses), 0]
    highest = [len(first.clause), *(total - 1 for total in lowest[:-1])]
    shares = [target.cells(replace(one, value=label))[1:] for one in rule.estimates]
    widths = [max(map(len, cells)) for cells in zip(*shares, strict=True)]
    name = phrase_label(label)
    lines = [("A POINT FOR EACH OF", ""), *((f"  {phrase_part(part)}", "") for part in first.clause)]
    for low, high, (rows, share) in zip(lowest, highest, shares, strict=True):
        counted = f"{rows.rjust(widths[0])} rows are {name}, about {share.rjust(widths[1])} of new ones"
        lines.append((_total(low, high), counted))
    least = [total for total, one in zip(lowest, rule.estimates, strict=True) if one.value == label]
    condition = f"from {_total(least[-1], least[-1])} on" if least else "never"
    (other,) = (phrase_label(one) for one in rule.classes if one != label)
    lines.append((f"THEN {phrase_name(rule.target)} = {name} {condition}, ELSE {other}", ""))
    return _aligned([*lines, *((text, "") for text in note.splitlines())])


def _total(low: int, high: int) -> str:
    """Write which totals a line of a card is about, e.g. ``2 or 3 points``."""
    between = " or " if high == low + 1 else " to "
    return f"{low}{between}{high} points" if high > low else f"{low} point{'s' * (low != 1)}"


def _beside(outline: Outline, lines: Sequence[Line], skip: int) -> list[str]:
    """Write the cells of some lines by their patterns, each cell as wide as the widest of its column."""
    columns = []
    for place, pattern in enumerate(outline.patterns):
        if place < skip or not pattern:
            continue
        texts = [line.cells[place] for line in lines]
        width = max(map(display_width, texts))
        padded = [(text, " " * (width - display_width(text))) for text in texts]
        # brackets enclose the text, not its padding
        if not pattern.startswith("(") and (place > 0 or all(text[-1:].isdigit() for text in texts)):
            columns.append([pattern.format(blanks + text) for text, blanks in padded])
        else:
            columns.append([pattern.format(text) + blanks for text, blanks in padded])
    gap = " " if skip else "   "
    if outline.titles[1:2] == ("rows",):  # 19 of 20 rows, about 0.83 on new ones
        columns = [*columns[:-2], [f"{a}, {b}" for a, b in zip(*columns[-2:], strict=True)]]
    return [gap.join(parts).rstrip() for parts in zip(*columns, strict=True)]


def _wrapped(clause: Clause) -> list[str]:
    """Write a clause and its brackets in lines that are broken after an AND, or after a member."""
    *parts, last = [phrase_part(part) for part in parts_of(clause)] or [PLAIN.always]
    opening, between = "(", " AND"
    if parts and clause.counts:
        opening, between = PLAIN.counting.rpartition("{}")[0].format(clause.at_least), ","
    first, *others = [*(f"{part}{between}" for part in parts), f"{last})"]
    lines = [opening + first]
    for part in others:
        longer, indent = f"{lines[-1]} {part}", 4 if len(lines) == 1 else 5
        if display_width(longer) > _WIDEST - indent:
            lines.append(part)
        else:
            lines[-1] = longer
    return lines


def _as_points(clause: Clause) -> list[str]:
    """Write a count as a card: its members in lines of their own, a point for each."""
    if not clause.counts or clause.asks_known:
        return _wrapped(clause)
    members = [f"  1 point   {phrase_part(part)}" for part in parts_of(clause)]
    return [f"{clause.at_least} POINTS OR MORE OF {len(members)}", *members]


def _aligned(lines: list[tuple[str, str]]) -> str:
    """Write lines, each a condition and what stands beside it, with the latter in one column."""
    widths = [display_width(text) for text, beside in lines if beside]
    width = max((w for w in widths if w <= _WIDEST + 4), default=0)  # behind ELSE IF
    return "\n".join(
        f"{text}{' ' * (width - display_width(text))}{_GAP}{beside}" if beside else text
        for text, beside in lines
    )


def display_width(text: str) -> int:
    """Return how many terminal cells a text takes: wide letters take two, combining marks none."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    marks = sum(unicodedata.combining(c) != 0 for c in text)
    return len(text) + wide - marks
