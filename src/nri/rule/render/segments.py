"""Rules of segments in other forms: for people, for files and for other languages.

Text, Markdown, HTML and the frame of the JSON are written here for numbers and for survival alike; what is
particular to one of them is its :class:`SegmentForm`. SQL and Python are those of any rule, whose labels are
then numbers. Reading JSON gives back exactly what was written.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Generic, TypeVar

from nri.errors import InputError
from nri.rule.clause import ALWAYS, Clause
from nri.rule.decision_list import Branch
from nri.rule.render import as_json
from nri.rule.render.as_html import STYLE as HTML_STYLE
from nri.rule.render.as_json import Node
from nri.rule.render.as_markdown import STYLE as MARKDOWN_STYLE
from nri.rule.render.as_markdown import escaped
from nri.rule.render.as_python import render_python
from nri.rule.render.as_text import aligned, wrapped
from nri.rule.render.options import RenderOptions
from nri.rule.render.phrase import one_line, phrase_clause
from nri.rule.segments import SegmentList

R = TypeVar("R", bound=SegmentList[Any])
B = TypeVar("B", bound=Branch)


@dataclass(frozen=True)
class Line:
    """A segment, or the rest, as people are told about it."""

    clause: Clause | None
    """None for the rest"""
    cells: tuple[str, ...]
    """the first is what counts most"""
    beside: str
    """the same in one piece, behind the clause in plain text"""


@dataclass(frozen=True)
class Telling:
    """A rule of segments as people are told about it."""

    titles: tuple[str, ...]
    """of the cells"""
    lines: tuple[Line, ...]
    note: str
    """a line about the whole, where the caller has none"""


@dataclass(frozen=True)
class SegmentForm(Generic[R]):
    """What is particular to the forms of one kind of segments."""

    format: str
    """by which files are told apart"""
    version: int
    tell: Callable[[R], Telling]
    before: Callable[[R], Mapping[str, Any]]
    """what a file says before the segments"""
    segment: Callable[[Any], Mapping[str, Any]]
    """what a file says of a segment, beside its clause"""
    after: Callable[[R], Mapping[str, Any]]
    """what a file says after them"""


def render_segments(form: SegmentForm[R], rule: R, name: str, options: RenderOptions) -> str:
    """Write a rule of segments in the format of that name."""
    if name == "sql":
        from nri.rule.render.sql import render_sql  # sqlglot is imported only here

        return render_sql(rule, options)
    if name == "python":
        return render_python(rule, options)
    if name == "json":
        return _json(form, rule, options)
    if name not in _FOR_PEOPLE:
        known = ", ".join((*_FOR_PEOPLE, "json", "sql", "python"))
        raise InputError(f"a {rule.kind} cannot be written as {name!r}: use one of {known}")
    told = form.tell(rule)
    return _FOR_PEOPLE[name](told, one_line(options.note or "") or told.note)


def _text(told: Telling, note: str) -> str:
    lines = []
    for i, line in enumerate(told.lines):
        if line.clause is None:
            lines.append(("ELSE" if i else "ALWAYS", line.beside))
            continue
        first, *rest = wrapped(line.clause)
        lines.append((f"{'ELSE IF' if i else 'IF     '} {first}", line.beside))
        lines += [(f"{'':>9}{more}", "") for more in rest]
    return f"{aligned(lines)}\n{note}"


def _markdown(told: Telling, note: str) -> str:
    rows = [
        f"| | if | {' | '.join(map(escaped, told.titles))} |",
        "|---|---" + "|---" * len(told.titles) + "|",
    ]
    for i, line in enumerate(told.lines):
        clause = "*any other row*" if line.clause is None else phrase_clause(line.clause, MARKDOWN_STYLE)
        first, *others = map(escaped, line.cells)
        rows.append(f"| {'else' if i else ''} | {clause} | {' | '.join((f'**{first}**', *others))} |")
    return "\n".join(rows) + f"\n\n{_sentence(escaped(note))}\n"


def _html(told: Telling, note: str) -> str:
    head = "".join(f"<th>{escape(title)}</th>" for title in told.titles)
    rows = []
    for i, line in enumerate(told.lines):
        opening = "if" if i == 0 and line.clause is not None else "else"
        clause = "<em>any other row</em>" if line.clause is None else phrase_clause(line.clause, HTML_STYLE)
        first, *others = map(escape, line.cells)
        cells = "".join(f"<td>{cell}</td>" for cell in (f"<strong>{first}</strong>", *others))
        rows.append(f"<tr><th>{opening}</th><td>{clause}</td>{cells}</tr>")
    body = "\n".join(rows)
    return (
        f'<div class="nri-ruleset">\n<table class="nri-rule nri-segments">\n'
        f"<thead><tr><td></td><td></td>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"
        f'<p class="nri-note">{_sentence(escape(note))}</p>\n</div>\n'
    )


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}."


_FOR_PEOPLE: dict[str, Callable[[Telling, str], str]] = {"text": _text, "markdown": _markdown, "html": _html}


def _json(form: SegmentForm[R], rule: R, options: RenderOptions) -> str:
    plans = {name: as_json.plan_to_dict(plan) for name, plan in rule.plans.items() if plan.stated}
    data = {
        "format": form.format,
        "version": form.version,
        **form.before(rule),
        "segments": [
            {"literals": as_json.clause_to_list(one.clause), **form.segment(one)} for one in rule.segments
        ],
        "rest": form.segment(rule.rest),
        **form.after(rule),
        "columns": plans,
        **({} if options.validation is None else {"validation": dict(options.validation)}),
    }
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def open_file(data: Any, version: int) -> Node:
    """Return the top of a rule file, if it is of a version that can be read."""
    top = Node(data, "the rule file")
    found = top.get("version").typed(int, "a whole number")
    if not 1 <= found <= version:
        raise InputError(
            f"the rule file has version {found}, this nri reads up to {version}: install a newer nri"
        )
    return top


def read_parts(top: Node, read: Callable[[Node, Clause], B]) -> dict[str, Any]:
    """Return what every rule of segments has, as arguments: target, segments, rest and plans."""
    return {
        "target": top.get("target").text(),
        "segments": tuple(
            read(node, as_json.clause_of(node.get("literals"))) for node in top.get("segments").items()
        ),
        "rest": read(top.get("rest"), ALWAYS),
        "plans": as_json.plans_of(top.get("columns")),
    }


def numbers_of(node: Node) -> tuple[float, ...]:
    """Return a list of numbers."""
    return tuple(float(item.number()) for item in node.items())
